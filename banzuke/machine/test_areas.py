"""The storage areas that --area names."""

import os
from pathlib import Path

import pytest

from banzuke.errors import BanzukeError
from banzuke.machine.areas import with_areas, with_folder
from banzuke.machine.mounts import filesystem_of, is_remote
from banzuke.machine.tree import Tree
from banzuke.testing import machine

MOUNTS = """\
1 0 8:1 / / rw - ext4 /dev/sda1 rw
2 1 0:9 / /data rw - lustre mds@tcp:/data rw
3 2 0:10 / /data rw - fuse.glusterfs server:/volume rw
4 1 0:11 / /database rw - nfs4 server:/base rw
"""


def test_a_name_and_a_folder_make_an_area(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    chosen = with_areas(machine(), [f"home={tmp_path}/a", f"scratch={tmp_path}/b"])
    assert chosen.allotment.folders == {"home": f"{tmp_path}/a", "scratch": f"{tmp_path}/b"}
    assert {"home", "scratch"} <= chosen.site.areas.keys() & set(chosen.partition.mounts)
    assert 0 < chosen.allotment.storage_available["home"] <= (chosen.site.areas["home"].capacity or 0)
    assert chosen.measuring("home").allotment.folders == {"home": f"{tmp_path}/a"}
    assert not list((tmp_path / "a").iterdir()), "trying to write leaves nothing"


def test_a_path_alone_is_called_as_its_mount_point(tmp_path: Path) -> None:
    (folder,) = with_areas(machine(), [str(tmp_path)]).allotment.folders.items()
    mount = filesystem_of(Tree(), tmp_path)
    assert mount is not None
    assert folder == (mount.mount, str(tmp_path))
    assert with_folder(machine(), tmp_path / "not" / "yet").allotment.folders == {mount.mount: f"{tmp_path}/not/yet"}


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (["x={0}/none"], "No such file or directory.*make it"),
        (["x={0}/file"], "Not a directory.*A part of the path is a file"),
        (["x={0}", "x={0}/folder"], "--area names x twice"),
        (["x={0}", "y={0}"], "names the folder"),
        (["x={0}/link", "y={0}/folder"], "names the folder"),
        (["x="], "names no folder"),
        ([""], "names no folder"),
    ],
)
def test_what_cannot_be_measured_is_refused(asked: list[str], why: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    with pytest.raises(BanzukeError, match=why):
        with_areas(machine(), [text.format(tmp_path) for text in asked])


def test_a_folder_that_is_missing_is_to_be_made_or_another_named_with_the_same_option(tmp_path: Path) -> None:
    with pytest.raises(BanzukeError) as refusal:
        with_areas(machine(), [str(tmp_path / "nope")])
    assert refusal.value.remedy == "The folder is missing: make it, or name another with --area"


def test_a_folder_that_cannot_be_written_to_is_refused(tmp_path: Path) -> None:
    readonly = Path("/proc/sys") if os.geteuid() == 0 else tmp_path / "own"
    if readonly.is_relative_to(tmp_path):
        readonly.mkdir(mode=0o500)
    with pytest.raises(BanzukeError, match="cannot be measured"):
        with_areas(machine(), [f"x={readonly}"])


def test_the_last_mount_at_the_longest_path_holds(tmp_path: Path) -> None:
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/mountinfo").write_text(MOUNTS)
    for name in ("data/user", "database", "home"):
        (tmp_path / name).mkdir(parents=True)
    tree = Tree(tmp_path)
    kinds = {
        name: filesystem.kind
        for name in ("/data/user", "/database", "/home")
        if (filesystem := filesystem_of(tree, Path(name)))
    }
    assert kinds == {"/data/user": "fuse.glusterfs", "/database": "nfs4", "/home": "ext4"}
    assert [is_remote(kind) for kind in kinds.values()] == [True, True, False]
    assert filesystem_of(tree, Path("/gone")) is None


SITE = """
name = "example"
[partitions.nodes]
mounts = ["scratch", "archive"]
[areas.scratch]
mount = "{0}/scratch"
bandwidth = 100e9
[areas.archive]
mount = "/nowhere"
[[links]]
between = ["nodes", "scratch"]
bits_per_second = 200e9
"""


def test_a_site_describes_the_areas_that_are_measured(tmp_path: Path) -> None:
    site = tmp_path / "site.toml"
    site.write_text(SITE.format(tmp_path))
    (tmp_path / "scratch/me").mkdir(parents=True)
    for text, folder in (
        (f"{site}", "scratch"),
        (f"{site}:scratch", "scratch"),
        (f"{site}:scratch={tmp_path}/scratch/me", "scratch/me"),
    ):
        chosen = with_areas(machine(), [text])
        assert chosen.allotment.folders == {"scratch": f"{tmp_path}/{folder}"}
        assert chosen.site.areas["scratch"].bandwidth == 100e9
        assert [link.bits_per_second for link in chosen.site.links] == [200e9]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{0}:archive", "no storage area archive that can be measured"),
        ("{0}:other", "no storage area 'other'"),
        ("{0}:other=/tmp", "no storage area 'other'"),
        ("/none/site.toml", "cannot read"),
    ],
)
def test_what_a_site_does_not_describe_is_refused(text: str, why: str, tmp_path: Path) -> None:
    site = tmp_path / "site.toml"
    site.write_text(SITE.format(tmp_path))
    with pytest.raises(BanzukeError, match=why):
        with_areas(machine(), [text.format(site)])
