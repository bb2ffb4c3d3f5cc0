"""File systems of a test's own: parallel ones, which the hosts of namespaces.py share, and disks that fail on request.

Nothing of them can be left behind: servers live in a process namespace, mounts in a mount namespace, disks in memory,
and all of it ends with the tests, even if tests are killed.
"""

import contextlib
import fcntl
import os
import shlex
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tests.namespaces import CannotError, Hosts, carry_out, entering, living, staying, tool
from tests.patience import PATIENCE

GLUSTER = ("glusterd", "gluster", "glusterfs", "mkfs.xfs")
GLUSTER_DEVICES = ("/dev/fuse", "/dev/loop-control")
MOOSE = ("mfsmaster", "mfschunkserver", "mfsmount", "mfssetquota")
MOOSE_DEVICES = ("/dev/fuse",)
DISK = ("unshare", "nsenter", "losetup", "mkfs.ext4")
DISK_DEVICES = ("/dev/loop-control",)
PROCESSES = ("unshare", "--pid", "--fork", "--kill-child")
"""Command whose process ends all that it has started, daemons included."""


@dataclass(frozen=True)
class Place:
    """A folder, and the way to where it is mounted."""

    folder: Path
    process: int | None = None
    """Process in whose namespaces the folder is; None: in ours."""

    @property
    def seen(self) -> Path:
        """Return the folder as processes outside these namespaces see it."""
        return Path(f"/proc/{self.process}/root{self.folder}") if self.process else self.folder

    def on(self, *words: str | Path) -> list[str]:
        """Return the command that runs `words` there."""
        return [*(entering(self.process) if self.process else []), *map(str, words)]

    def below(self, name: str) -> "Place":
        return replace(self, folder=self.folder / name)


@dataclass(frozen=True)
class Shared:
    """A file system that is mounted in the same folder on each host."""

    hosts: Hosts
    folder: Path

    def of(self, host: str) -> Place:
        return Place(self.folder, self.hosts.processes[host])


@contextlib.contextmanager
def gluster(folder: Path, hosts: Hosts) -> Iterator[Shared]:
    """Mount GlusterFS 10: two bricks on XFS, both on the first host, each with half of the files. Raises CannotError.

    Files are not cut into pieces (features.shard), which are only for one writer per file.
    """
    first = hosts.names[0]
    where = shlex.quote(str(folder))
    bricks = " ".join(f"{first}:{where}/brick{number}/data" for number in (1, 2))
    script = f"""
for state in /var/lib/glusterd /run /var/log/glusterfs; do mkdir -p $state; mount -t tmpfs tmpfs $state; done
for brick in {where}/brick1 {where}/brick2; do
  truncate -s 2G $brick.image; mkfs.xfs -q $brick.image
  mkdir $brick; mount -o loop $brick.image $brick; mkdir $brick/data
done
glusterd
run="gluster --mode=script volume"
$run create tests {bricks} force
$run start tests
"""
    mounting = f"glusterfs --volfile-server={first} --volfile-id=tests --log-file={where}/$(hostname).log"
    with serving(hosts, script, folder), mounted(hosts, folder / "gluster", mounting) as shared:
        yield shared


@contextlib.contextmanager
def moosefs(folder: Path, hosts: Hosts) -> Iterator[Shared]:
    """Mount MooseFS 3: a master and two chunk servers on the first host, in memory. Raises CannotError."""
    first, address = hosts.names[0], "10.0.0.1"
    state = shlex.quote(str(folder / "state"))
    script = f"""
mkdir {state}; mount -t tmpfs tmpfs {state}; cd {state}; mkdir master
cp /var/lib/mfs/metadata.mfs.empty master/metadata.mfs
echo '* / rw,alldirs,admin,maproot=0' > exports
common="WORKING_USER = root\\nWORKING_GROUP = root\\nDATA_PATH = {state}"
printf "$common/master\\nEXPORTS_FILENAME = {state}/exports\\n" > master.cfg
mfsmaster -c {state}/master.cfg start
for chunks in 1 2; do
  mkdir state$chunks disk$chunks; echo {state}/disk$chunks > disks$chunks
  printf "$common/state$chunks\\nHDD_CONF_FILENAME = {state}/disks$chunks\\n" > $chunks.cfg
  printf "HDD_LEAVE_SPACE_DEFAULT = 64MiB\\n" >> $chunks.cfg
  printf "MASTER_HOST = {address}\\nMASTER_RECONNECTION_DELAY = 1\\n" >> $chunks.cfg
  printf "CSSERV_LISTEN_HOST = {address}\\nCSSERV_LISTEN_PORT = 943$chunks\\n" >> $chunks.cfg
  mfschunkserver -c {state}/$chunks.cfg start
done
"""
    with serving(hosts, script, folder), mounted(hosts, folder / "moosefs", f"mfsmount -H {address}") as shared:
        wait_for_space(shared.of(first).seen)
        yield shared


@contextlib.contextmanager
def serving(hosts: Hosts, script: str, folder: Path) -> Iterator[None]:
    """Run what the script starts on the first host, with its own mounts; its output is shown if it fails."""
    log = shlex.quote(str(folder / "servers.log"))
    logged = f"exec 3>&1 4>&2 >{log} 2>&1; trap 'tail {log} >&4' EXIT; set -e\n{script}\ntrap - EXIT; exec 1>&3"
    words = [*PROCESSES, "--mount", "--mount-proc", "bash", "-c", f"{logged}; echo there; exec cat"]
    with living(hosts.on(hosts.names[0], *words)):
        yield


@contextlib.contextmanager
def mounted(hosts: Hosts, folder: Path, command: str) -> Iterator[Shared]:
    """Mount the file system on each host with the command and the folder, which are words of a shell."""
    folder.mkdir()
    script = staying(f"{command} {shlex.quote(str(folder))} > /dev/null && mountpoint -q {shlex.quote(str(folder))}")
    with contextlib.ExitStack() as stack:
        for host in hosts.names:
            stack.enter_context(living(hosts.on(host, *PROCESSES, "sh", "-c", script)))
            stack.callback(carry_out, hosts.on(host, "umount", "--lazy", folder))
        yield Shared(hosts, folder)


def wait_for_space(folder: Path) -> None:
    """Wait until servers have joined, which then report their space."""
    end = time.monotonic() + PATIENCE
    while not os.statvfs(folder).f_bavail:
        if time.monotonic() > end:
            raise CannotError(f"no server of {folder} has joined")
        time.sleep(0.05)


@dataclass(frozen=True)
class Disk(Place):
    """A small file system, in memory or in a file."""

    memory: int = -1

    def refuse_writes(self) -> None:
        """Make each write to the device an I/O error from now on; it can still be read."""
        fcntl.fcntl(self.memory, fcntl.F_ADD_SEALS, F_SEAL_FUTURE_WRITE)

    def lose_all_beyond(self, size: int) -> None:
        """Make each access beyond this many bytes of the device an I/O error from now on."""
        fcntl.fcntl(self.memory, fcntl.F_ADD_SEALS, fcntl.F_SEAL_GROW)  # first: a write in progress could make it grow
        os.ftruncate(self.memory, size)


F_SEAL_FUTURE_WRITE = 0x10
"""Value from linux/fcntl.h, which Python 3.11 does not have."""


@contextlib.contextmanager
def disk(folder: Path, size: int, *options: str, image: Path | None = None) -> Iterator[Disk]:
    """Yield a loop device with ext4, mounted with these options in the folder. Raises CannotError.

    It is in memory, or in the file `image`, whose own cached pages it bypasses.
    """
    folder.mkdir()
    if image is None:
        memory = os.memfd_create(f"disk-{os.getpid()}", os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC)
    else:
        memory = os.open(image, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        os.ftruncate(memory, size)
        file = f"/proc/{os.getpid()}/fd/{memory}"
        past_pages = "--direct-io=on " if image else ""
        # Without a journal, whose failure would make all of it read-only; without blocks reserved for root.
        carry_out([tool("mkfs.ext4"), "-q", "-F", "-O", "^has_journal", "-m", "0", file])
        option = shlex.join(["-o", ",".join(options)]) if options else ""
        # Detached at once, so that the device is released when its last user closes it.
        script = (
            f"device=$({tool('losetup')} {past_pages}--find --show {file})"
            f' && mount {option} "$device" {shlex.quote(str(folder))}; status=$?; {tool("losetup")} --detach "$device"'
            " && [ $status = 0 ]"
        )
        with living(["unshare", "--mount", "sh", "-c", staying(script)]) as process:
            yield Disk(folder, process, memory)
    finally:
        os.close(memory)
