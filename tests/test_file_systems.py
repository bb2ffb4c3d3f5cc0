"""Tests that the file systems for tests of storage behave as those tests assume, and leave nothing behind."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import wait_for
from tests.file_systems import Disk, Shared
from tests.patience import PATIENCE

ROOT = Path(__file__).resolve().parent.parent
Carried = subprocess.CompletedProcess[str]


def carried_out(words: list[str]) -> Carried:
    return subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)


@pytest.mark.parametrize("name", ["gluster", "moosefs"])
def test_hosts_read_what_others_wrote(name: str, request: pytest.FixtureRequest) -> None:
    shared: Shared = request.getfixturevalue(name)
    on, (first, second) = shared.hosts.on, shared.hosts.names
    writing = carried_out(on(first, "dd", "if=/dev/zero", f"of={shared.folder}/file", "bs=1M", "count=9", "conv=fsync"))
    assert writing.returncode == 0, writing.stderr
    assert carried_out(on(second, "cmp", f"{shared.folder}/file", "/dev/zero")).stderr.startswith("cmp: EOF on")
    assert (shared.of(second).seen / "file").stat().st_size == 9 << 20
    assert not list(shared.folder.iterdir()), "mounted outside of the hosts"


def test_a_folder_of_moosefs_has_a_quota(moosefs: Shared) -> None:
    on, host = moosefs.hosts.on, moosefs.hosts.names[0]
    folder = moosefs.folder / "small"
    assert carried_out(on(host, "mkdir", folder)).returncode == 0
    assert carried_out(on(host, "mfssetquota", "-L", "10M", folder)).returncode == 0
    written = carried_out(on(host, "dd", "if=/dev/zero", f"of={folder}/file", "bs=1M", "count=20", "conv=fsync"))
    assert os.strerror(errno.EDQUOT) in written.stderr


def test_a_disk_can_refuse_writes(disk: Disk) -> None:
    file = disk.seen / "file"
    file.write_text("before")
    os.sync()
    disk.refuse_writes()
    failed = carried_out(disk.on("dd", "if=/dev/zero", f"of={disk.folder}/other", "bs=1M", "count=1", "oflag=direct"))
    assert os.strerror(errno.EIO) in failed.stderr
    assert file.read_text() == "before"


def test_a_disk_can_lose_a_part(disk: Disk) -> None:
    wrote = carried_out(disk.on("dd", "if=/dev/zero", f"of={disk.folder}/file", "bs=1M", "count=50", "oflag=direct"))
    assert wrote.returncode == 0
    disk.lose_all_beyond(32 << 20)
    read = carried_out(disk.on("dd", f"if={disk.folder}/file", "of=/dev/null", "bs=1M", "iflag=direct"))
    assert os.strerror(errno.EIO) in read.stderr


def loop_devices(maker: int) -> list[str]:
    """Return the loop devices in memory that this process has made, with their files."""
    listed = carried_out(["losetup", "--noheadings", "--list", "--output", "NAME,BACK-FILE"]).stdout
    return [line for line in listed.splitlines() if line.partition("/memfd:")[2].split()[:1] == [f"disk-{maker}"]]


@pytest.mark.usefixtures("disk")  # skips if there can be none
def test_nothing_is_left_of_a_killed_test(tmp_path: Path) -> None:
    script = (
        "import sys, time; from pathlib import Path; from tests.file_systems import disk\n"
        "with disk(Path(sys.argv[1]), 1 << 24) as made: print(made.process, flush=True); time.sleep(100)"
    )
    words: list[str | Path] = [sys.executable, "-c", script, tmp_path / "killed"]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        number = process.stdout.readline()
        assert len(loop_devices(process.pid)) == 1
        process.send_signal(signal.SIGKILL)
    wait_for(lambda: not Path(f"/proc/{number.strip()}").exists() and not loop_devices(process.pid))
    assert str(tmp_path) not in Path("/proc/mounts").read_text()
