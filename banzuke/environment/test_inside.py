from pathlib import Path, PurePath

import pytest

from banzuke.environment import inside as module
from banzuke.environment.inside import KERNEL, apart, find, inside, layout, make_links, opened, resolve
from banzuke.errors import BanzukeError


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "the root"
    for folder in ("usr/bin", "usr/lib", "home", "opt/other", "proc", "tmp", "etc"):
        (root / folder).mkdir(parents=True)
    (root / "lib").symlink_to("usr/lib")
    (root / "etc/absolute").symlink_to("/usr/bin")
    (root / "out").symlink_to("../../../../../../etc")
    (root / "loop").symlink_to("loop")
    (root / "init").touch()
    (root / "opt/readme").touch()
    return root


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("//lib//x", "usr/lib/x"),
        ("/lib/libc.so.6", "usr/lib/libc.so.6"),
        ("etc/absolute/sh", "usr/bin/sh"),
        ("/out/passwd", "etc/passwd"),
        ("../../../../../../etc/passwd", "etc/passwd"),
        ("/new/../newer/x", "newer/x"),
    ],
)
def test_no_link_leads_out_of_the_root(root: Path, path: str, target: str) -> None:
    assert resolve(root, path) == root / target
    assert inside(root, PurePath(path)) == Path("/") / target


def test_a_loop_is_refused(root: Path) -> None:
    """The part after the loop must not be taken unresolved, with its links."""
    with pytest.raises(OSError, match="Too many levels of symbolic links"):
        resolve(root, "loop/x")
    with pytest.raises(BanzukeError, match=r"cannot be read .*Too many levels"):
        inside(root, PurePath("loop/x"))


def test_paths_are_bounded(root: Path) -> None:
    with pytest.raises(OSError, match="File name too long"):
        resolve(root, "a/" * 300)


@pytest.mark.parametrize("path", ["new/x", "lib/x", "out/x", "../x/y", "//tmp/x", "/etc/absolute/../x"])
def test_a_folder_is_made_inside(root: Path, path: str) -> None:
    outside = [other for other in root.parent.rglob("*") if not other.is_relative_to(root)]
    with opened(root, path, make=True) as folder:
        assert resolve(root, path).samefile(f"/proc/self/fd/{folder}")
    assert [other for other in root.parent.rglob("*") if not other.is_relative_to(root)] == outside


def test_a_link_that_was_overlooked_is_not_followed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "resolve", lambda root, path: root / path)
    with pytest.raises(NotADirectoryError), opened(root, "out", make=True):
        pass


def test_links_are_made_once_and_inside(root: Path, tmp_path: Path) -> None:
    """A folder of the image may have been a link when the skeleton was made."""
    (tmp_path / "outside").mkdir()
    (root / "opt/link").symlink_to(tmp_path / "outside")
    for _ in range(2):
        make_links(root, [("usr", Path("/opt/link/x"))])
    assert resolve(root, "opt/link/x") == root / tmp_path.relative_to("/") / "outside/usr"
    assert list((tmp_path / "outside").iterdir()) == []


def test_files_are_found_behind_the_images_links(root: Path) -> None:
    (root / "usr/lib64").symlink_to("/usr/lib")
    (root / "usr/lib/libc.so.6").touch()
    (root / "usr/lib/loop").symlink_to("loop")
    (root / "lib32").symlink_to("/proc")  # on the host it has entries, in the image none
    assert list(find(root, "lib*", "*")) == [root / "usr/lib/libc.so.6"]
    assert list(find(root, "usr", "lib*", "libc.so.6")) == [root / "usr/lib/libc.so.6"] * 2


def test_a_layout_makes_room_and_leaves_the_image_alone(root: Path) -> None:
    before = sorted(root.rglob("*"))
    made = layout(root, [Path("/opt/banzuke"), Path("/tmp"), Path("/data")])
    shown = {mount.target: mount.source for mount in made.mounts}
    assert set(map(str, shown)) == {"/etc", "/home", "/opt/other", "/opt/readme", "/usr"}
    assert shown[Path("/opt/other")] == root / "opt/other"
    assert ("usr/lib", Path("/lib")) in made.links
    assert not set(KERNEL) & set(shown)
    assert sorted(root.rglob("*")) == before


def test_an_image_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(BanzukeError, match="cannot be read"):
        layout(tmp_path / "gone", [])


def test_folders_within_others_are_left_out() -> None:
    assert apart(map(Path, ["/a/b", "/c", "/a", "/ab", "/c"])) == list(map(Path, ["/a", "/ab", "/c"]))
