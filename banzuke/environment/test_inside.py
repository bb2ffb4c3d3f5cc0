from pathlib import Path, PurePath

import pytest

from banzuke.environment.inside import KERNEL, apart, inside, layout, resolve
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
    ("path", "found"),
    [
        ("/lib/libc.so.6", "usr/lib/libc.so.6"),
        ("etc/absolute/sh", "usr/bin/sh"),
        ("/out/passwd", "etc/passwd"),
        ("../../../../../../etc/passwd", "etc/passwd"),
        ("/new/../newer/x", "newer/x"),
    ],
)
def test_no_link_leads_out_of_the_root(root: Path, path: str, found: str) -> None:
    assert resolve(root, path) == root / found
    assert inside(root, PurePath(path)) == Path("/") / found


def test_a_loop_ends(root: Path) -> None:
    assert resolve(root, "loop/x").is_relative_to(root)


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
