"""Tests of virtual machines end to end: guests boot, do what is asked, die, and leave nothing behind."""

import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from banzuke.environment import vm
from banzuke.environment.guest.boot import _bind
from banzuke.environment.guest.qemu import find_qemu
from banzuke.environment.model import Wanted
from banzuke.machine.discover import discover
from tests import guest
from tests.conftest import SCRIPTS
from tests.patience import PATIENCE

pytestmark = pytest.mark.guest
SMALL = ("--n", "10000", "--rounds", "3")


@pytest.fixture(scope="module")
def kernel() -> Path:
    if shutil.which("qemu-system-" + os.uname().machine) is None:
        pytest.skip("QEMU is not installed")
    try:
        return guest.kernel()
    except guest.CannotError as error:
        pytest.skip(str(error))


def record(text: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(text)
    return document


def test_ranks_give_a_verified_record(kernel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BANZUKE_GUEST_KERNEL", str(kernel))
    machine = vm.find(Wanted("vm", "tcg"), discover(measure=False), Path(sys.prefix), dry_run=False)
    command = [str(SCRIPTS / "mpiexec"), "-n", "2", str(SCRIPTS / "banzuke-stream-omp"), *SMALL]
    done = subprocess.run(
        machine.outer(command, {}, 1e8),
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    document = record(done.stdout)
    assert (document["groups"][0]["ranks"], document["groups"][0]["threads"], document["status"]) == (2, 1, "ok")
    assert all(check["value"] <= check["tolerance"] for check in document["verification"])
    assert done.stderr.startswith("processes {")


def test_a_command_finds_the_callers_world_and_changes_nothing_of_it(kernel: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("before")
    script = (
        "echo out; echo err >/dev/stderr; uname -r; nproc; pwd; echo $MINE; id -u; hostname; ulimit -n; "
        f"cat /sys/class/net/lo/operstate; echo after > {tmp_path}/file; cat {tmp_path}/file; cat < /dev/stdin; "
        "{ mount -t virtiofs host /mnt || mount -t 9p -o trans=virtio host /mnt; } 2>/dev/null; "
        "mount -o remount,rw /mnt 2>/dev/null; "
        f"{{ echo changed > /mnt/{tmp_path}/file; }} 2>/dev/null || echo refused; "
        "ls /sys/fs/cgroup/cpuset/cpuset.cpus; grep -c isolcpus=2 /proc/cmdline; exit 3"
    )
    options = ("--cpus", "0,1,2", "--control-groups", "1", "--append", "isolcpus=2", "--root")
    done = guest.run(kernel, "sh", "-c", script, options=options, variables={"MINE": "a b"})
    assert done.returncode == 3, done.stderr
    assert done.stderr == "err\n"
    release, files = kernel.name.removeprefix("vmlinuz-"), str(os.sysconf("SC_OPEN_MAX"))
    expected = [
        "out",
        release,
        "2",
        str(Path.cwd()),
        "a b",
        "0",
        os.uname().nodename,
        files,
        "unknown",
        "after",
        "refused",
    ]
    assert done.stdout.split("\n")[:-1] == [*expected, "/sys/fs/cgroup/cpuset/cpuset.cpus", "1"]
    assert (tmp_path / "file").read_text() == "before"


@pytest.mark.parametrize(
    ("script", "status", "said"),
    [
        ("echo c > /proc/sysrq-trigger; sleep 60", 2, r"the guest died \(its kernel says: .*Kernel panic"),
        (
            "echo 1000 > /proc/$$/oom_score_adj; echo f > /proc/sysrq-trigger; exec sleep 60",
            -signal.SIGKILL,
            "the guest's kernel says: .*Out of memory: Killed process ",
        ),
    ],
)
def test_a_death_in_the_guest_is_told(kernel: Path, script: str, status: int, said: str) -> None:
    done = guest.run(kernel, "sh", "-c", script, options=("--root",))
    assert re.search(said, done.stderr), done.stderr
    assert done.returncode == status


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_of_a_guest_whose_caller_is_ended(kernel: Path, how: signal.Signals) -> None:
    """The caller is asked to end while QEMU starts, or killed while the command runs."""
    words = [*guest.guest(kernel), "--", "sh", "-c", "echo begun; sleep 60"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        if how == signal.SIGKILL:
            assert process.stdout
            assert process.stdout.readline() == "begun\n"
        latest = time.monotonic() + PATIENCE
        while "qemu" not in " ".join(map(command_of, children.read_text().split())) and time.monotonic() < latest:
            time.sleep(0.02)
        ends = [os.pidfd_open(int(child)) for child in children.read_text().split()]
        process.send_signal(how)
        assert process.wait(PATIENCE) == -how
    assert ends
    for end in ends:
        assert select.select([end], [], [], PATIENCE)[0]
        os.close(end)


@pytest.mark.usefixtures("kernel")
def test_each_processor_of_a_guest_is_bound_to_one_of_the_hosts() -> None:
    cpus = sorted(os.sched_getaffinity(0))
    near, far = socket.socketpair()
    words = [find_qemu().path, "-nodefaults", "-display", "none", "-machine", "q35", "-S"]
    words += [
        "-accel",
        "tcg",
        "-smp",
        "2",
        "-chardev",
        f"socket,id=monitor,fd={far.fileno()}",
        "-mon",
        "chardev=monitor,mode=control",
    ]
    with near, subprocess.Popen(words, pass_fds=[far.fileno()]) as process:
        far.close()
        _bind(near, [cpus[0], cpus[-1]])
        bound = [os.sched_getaffinity(int(thread)) for thread in os.listdir(f"/proc/{process.pid}/task")]  # noqa: PTH208
        process.kill()
    assert {cpus[0]} in bound
    assert {cpus[-1]} in bound


def command_of(process: str) -> str:
    return Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")[0].decode()


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a root filesystem with a C library, a shell, and a shell for another processor."""
    folder = tmp_path_factory.mktemp("image") / "root"
    shell = Path(shutil.which("sh") or "/bin/sh").resolve()
    loaded = subprocess.run(["ldd", shell], capture_output=True, text=True, check=True).stdout
    library = Path(next(iter(re.findall(r"=> (/\S+)/libc\.so\.6", loaded))))
    parts = ("libc", "libm", "libmvec", "libpthread", "libdl", "librt", "libresolv", "libutil")
    files = [file for part in parts for file in library.glob(f"{part}.so.*")]
    files += [Path(path) for path in re.findall(r"^\s*(/\S+ld-\S+)", loaded, re.MULTILINE)]
    for file in files:
        place = folder / str(file).lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, place)
    (folder / "bin").mkdir()
    shutil.copy(shell, folder / "bin/sh")
    strange = bytearray((folder / "bin/sh").read_bytes())
    strange[18:20] = (22).to_bytes(2, "little")  # s390x
    (folder / "bin/strange").write_bytes(strange)
    (folder / "bin/strange").chmod(0o755)
    return folder


@pytest.mark.parametrize("kind", ["folder", "disk"])
def test_programs_run_in_an_image_that_has_nothing_of_ours(
    kernel: Path, root: Path, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BANZUKE_GUEST_KERNEL", str(kernel))
    image = root if kind == "folder" else disk(tmp_path / "disk.img", root)
    machine = vm.find(Wanted("vm", "tcg", image=str(image)), discover(measure=False), Path(sys.prefix), dry_run=False)
    program = SCRIPTS / "banzuke-stream-omp"
    script = f"test ! -e {__file__} && test -s /etc/passwd && echo > /new && exec {program} {' '.join(SMALL)}"
    words = machine.outer(["/bin/sh", "-c", script, str(program), "/etc/passwd"], {}, 1e8)
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    assert record(done.stdout)["status"] == "ok"
    assert not (root / "new").exists()


def disk(path: Path, content: Path) -> Path:
    with path.open("wb") as file:
        file.truncate(64 << 20)
    maker = shutil.which("mke2fs") or "/sbin/mke2fs"
    subprocess.run([maker, "-q", "-t", "ext4", "-d", content, path], check=True)
    return path


def test_images_and_programs_that_cannot_be_are_told(kernel: Path, root: Path, tmp_path: Path) -> None:
    done = guest.run(kernel, "/bin/strange", options=("--image", root))
    assert "the guest cannot run /bin/strange: it is not for this processor's architecture" in done.stderr
    assert done.returncode == 126
    empty = tmp_path / "empty"
    empty.mkdir()
    done = guest.run(kernel, "/bin/sh", options=("--image", disk(tmp_path / "disk.img", empty)))
    assert "the guest cannot find a root filesystem on the disk image; ext4: it has neither" in done.stderr
    assert done.returncode == 2
