import os
from pathlib import Path
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.machine.conftest import Plant
from banzuke.machine.discover import discover
from banzuke.machine.model import Machine
from banzuke.machine.mounts import filesystem_of, filesystems, is_remote, parse_mountinfo, unescape

MOUNTS = """\
1 0 0:1 / /a rw - nfs host:/x rw
2 0 0:2 / /b rw - xfs /dev/vdb rw"""


def escape(text: str) -> str:
    return "".join(f"\\{ord(c):03o}" if c in " \t\n\\" else c for c in text)


@given(st.text(st.characters(min_codepoint=9, max_codepoint=126, exclude_characters="\r\x0b\x0c\x1c\x1d\x1e\x1f")))
def test_escapes_read_back(path: str) -> None:
    assert unescape(escape(path)) == path


@given(st.text(max_size=60))
def test_garbage_is_left_out(text: str) -> None:
    assert all(mount.kind for mount in parse_mountinfo(text) if " - " not in text)
    assert len(parse_mountinfo(text)) <= len(text.splitlines())


def test_optional_fields_and_options() -> None:
    line = r"36 35 98:0 /sub /mnt/a\040b rw,noatime master:1 shared:2 - lustre 10.0.0.1@o2ib:/scratch rw,flock"
    (mount,) = parse_mountinfo(line)
    assert (mount.mount, mount.root, mount.kind) == ("/mnt/a b", "/sub", "lustre")
    assert mount.source == "10.0.0.1@o2ib:/scratch"
    assert mount.super_options == ("rw", "flock")


def test_only_storage_counts(plant: Plant) -> None:
    tree = plant(
        {
            "data/x": "x",
            "proc/self/mountinfo": "1 0 0:1 / / rw - ext4 /dev/vda rw\n"
            "2 1 0:2 / /proc rw - proc proc rw\n"
            "3 1 0:3 / /data rw - tmpfs hidden rw\n"
            "4 1 0:4 / /data rw - xfs /dev/vdb rw\n"
            "5 1 0:1 /part /bind rw - ext4 /dev/vda rw\n"
            "8 1 0:8 / /run/user/0 rw - tmpfs tmpfs rw\n"
            "6 1 0:6 / /absent rw - nfs host:/x rw",
        }
    )
    systems = {system.mount: system for system in filesystems(tree)}
    assert sorted(systems) == ["/", "/data"]
    assert systems["/data"].kind == "xfs"
    total, free = systems["/"].total, systems["/"].free
    assert total
    assert free
    assert total >= free


def test_a_bind_mount_counts_where_its_device_is_not_mounted_whole(plant: Plant) -> None:
    tree = plant(
        {
            "data/x": "x",
            "data/deeper/x": "x",
            "etc/hosts": "x",
            "proc/self/mountinfo": "1 0 0:1 /volumes/7/a /data/deeper rw - ext4 /dev/vdb rw\n"
            "2 0 0:1 /volumes/7 /data rw - ext4 /dev/vdb rw\n"
            "3 0 0:2 /containers/1/hosts /etc/hosts rw - ext4 /dev/vda rw",
        }
    )
    assert [system.mount for system in filesystems(tree)] == ["/data"]


REMOTE = """nfs4 lustre beegfs fhgfs gpfs ceph fuse.ceph-fuse fuse.quobyte fuse.glusterfs fuse.gcsfuse fuse.JuiceFS dvs
fuse.sshfs fuse.geesefs fuse.dfuse scoutfs panfs wekafs fuse.gfarm2fs fuse.hf3fs.user cifs smb3 fuse.rclone cvmfs2"""
LOCAL = "ext4 xfs btrfs tmpfs zfs overlay fuse.mergerfs fuse.lxcfs fuseblk fuse.ntfs-3g f2fs virtiofs fuse"


def test_file_systems_over_a_network() -> None:
    assert [kind for kind in f"{REMOTE} {LOCAL}".split() if is_remote(kind)] == REMOTE.split()


def test_what_autofs_mounts_when_it_is_asked_for(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    trigger = "1 0 0:1 / / rw - xfs /dev/vda rw\n2 1 0:2 / /home rw - autofs auto rw\n"
    tree = plant({"home/me/x": "x", "proc/self/mountinfo": trigger})
    answer = os.statvfs

    def statvfs(path: Path) -> os.statvfs_result:
        plant({"proc/self/mountinfo": f"{trigger}3 2 0:3 / /home/me rw - nfs4 server:/me rw\n"})
        return answer(path)

    monkeypatch.setattr("os.statvfs", statvfs)
    home = filesystem_of(tree, Path("/home/me"))
    assert home
    assert (home.kind, home.mount) == ("nfs4", "/home/me")


def test_a_server_that_does_not_answer_is_left_out(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = plant({"a/x": "x", "b/x": "x", "proc/self/mountinfo": MOUNTS})
    answer = os.statvfs
    hang = Event()

    def statvfs(path: Path) -> os.statvfs_result:
        if path.name == "a":
            hang.wait(600)
        return answer(path)

    monkeypatch.setattr("os.statvfs", statvfs)
    answering: list[str] = []
    for seconds in (0.05, 1.0, 20.0):  # on a busy machine the other may answer late
        monkeypatch.setattr("banzuke.machine.mounts._PATIENCE", seconds)
        if answering := [system.mount for system in filesystems(tree)]:
            break
    hang.set()
    assert answering == ["/b"]


@pytest.mark.parametrize("blocks", [2**63, 2**64 - 1, 2**62])
def test_a_file_system_without_an_end_has_an_unknown_size(
    plant: Plant, monkeypatch: pytest.MonkeyPatch, blocks: int
) -> None:
    """`os.statvfs` is replaced to imitate such a file system."""
    answer = os.statvfs

    def statvfs(path: Path) -> os.statvfs_result:
        space = list(answer(path))
        return os.statvfs_result([512, 4096, blocks, blocks, blocks, *space[5:]] if path.name == "a" else space)

    monkeypatch.setattr("os.statvfs", statvfs)
    tree = plant({"a/x": "x", "b/x": "x", "proc/self/mountinfo": MOUNTS})
    assert [(system.mount, system.total is None, system.free is None) for system in filesystems(tree)] == [
        ("/a", True, True),
        ("/b", False, False),
    ]
    machine = discover(root=tree.root)
    assert set(machine.site.areas) == {"/a", "/b"}
    assert set(machine.allotment.storage_available) == {"/b"}
    assert Machine.model_validate_json(machine.document()) == machine
