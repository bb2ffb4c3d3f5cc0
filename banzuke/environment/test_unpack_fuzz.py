"""Random archives, unpacked by a process whose root is a folder, so that none can do harm."""

import ctypes
import gzip
import os
import shutil
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.environment.testing import Member, docker, oci, packed
from banzuke.environment.unpack import unpacked
from banzuke.errors import BanzukeError

CACHE = Path("cache/banzuke")
REFUSED, BROKEN, NO_ROOT = 2, 3, 4
NEW_USER = 0x10000000
"""CLONE_NEWUSER of unshare(2)."""
NAMES = ["a", "l", "evil", "up", "canary", "x" * 256, ".", "..", ".wh.a", ".wh.l", ".wh.canary", ".wh..wh..opq"]
NAMES += [".wh.", ".wh..", ".wh...", ".wh..wh.x", "a\nb", "a\0b", "é"]
FRONTS = ["", "/", "//", "///", "../" * 12, "l/" * 39, "l/" * 40, "l/" * 41, "l/" * 40 + "evil/", "a/" * 300, "up/up/"]
TARGETS = [".", "..", "/", "//outside", "/outside", "/outside/canary", "../" * 12 + "outside", "a", "l/evil", ""]

paths = st.builds(
    lambda front, names: front + "/".join(names),
    st.sampled_from(FRONTS),
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=3),
)
members = st.tuples(
    st.sampled_from(["file", "folder", "link", "same", "device"]), paths, st.sampled_from(TARGETS) | paths
)
START: list[Member] = [("link", "l", "."), ("link", "evil", "/outside"), ("link", "up", "..")]
"""Links without which no path would lead outside."""
layers = st.lists(st.lists(members, max_size=6), min_size=1, max_size=3)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Make a root for the process that unpacks: files that it must not touch, and its cache."""
    world = tmp_path_factory.mktemp("world")
    (world / "outside/folder").mkdir(parents=True)
    (world / "outside/canary").write_text("sings")
    (world / CACHE).mkdir(parents=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", "/cache")
        if confined(world, os.getpid) == NO_ROOT:
            pytest.skip("hardware: the kernel lets this user have no root of his own")
        yield world


@given(layers, st.booleans(), st.sampled_from([bytes, gzip.compress]))
def test_nothing_outside_is_touched(
    world: Path,
    content: Sequence[Sequence[Member]],
    plain: bool,  # noqa: FBT001
    pack: Callable[[bytes], bytes],
) -> None:
    packs = [pack(packed(*layer)) for layer in ([*START, *content[0]], *content[1:])]
    check(world, packs[0] if plain else oci(*packs))


@given(
    st.sampled_from([docker(), oci(), gzip.compress(oci()), packed(*START)]),
    st.lists(st.tuples(st.integers(min_value=0), st.integers(1, 255)), max_size=4),
    st.just(0) | st.integers(0, 20_000),
)
def test_damage_does_no_harm(world: Path, data: bytes, changes: Sequence[tuple[int, int]], cut: int) -> None:
    changed = bytearray(data)
    for at, by in changes:
        changed[at % len(data)] ^= by
    check(world, bytes(changed[: max(1, len(data) - cut)]))


def check(world: Path, archive: bytes) -> None:
    """Fail if the archive was neither unpacked nor refused, or if anything outside its folder changed."""
    (world / "archive").write_bytes(archive)
    before = listing(world)
    status = confined(world, lambda: unpacked(Path("/archive")))
    assert status in {0, REFUSED}
    assert listing(world) == before
    kept = {path.relative_to(world / CACHE) for pattern in ("*", "*/*") for path in (world / CACHE).glob(pattern)}
    image = {path.parts[0] for path in kept if path.parts[0].startswith("image-")}
    assert len(image) == (0 if status else 1)
    assert kept == {Path("lock"), *(Path(name, *part) for name in image for part in ((), ("root",), ("digest",)))}
    for name in image:
        shutil.rmtree(world / CACHE / name)


def listing(world: Path) -> dict[Path, tuple[int, ...]]:
    """Return the state of everything except our own part of the cache."""
    paths = [world, *(path for path in world.rglob("*") if not path.is_relative_to(world / CACHE))]
    states = {path: path.lstat() for path in paths}
    return {path: (s.st_ino, s.st_mode, s.st_nlink, s.st_size, s.st_mtime_ns) for path, s in states.items()}


def confined(world: Path, work: Callable[[], object]) -> int:
    """Return the exit status of a process whose root is the folder."""
    process = os.fork()
    if process:
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    try:
        if user := os.geteuid():
            group = os.getegid()
            if ctypes.CDLL(None).unshare(NEW_USER):
                os._exit(NO_ROOT)
            for name, text in {"setgroups": "deny", "uid_map": f"0 {user} 1", "gid_map": f"0 {group} 1"}.items():
                Path(f"/proc/self/{name}").write_text(text)
        os.chroot(world)
        os.chdir("/")
        work()
    except BanzukeError:
        os._exit(REFUSED)
    except BaseException:  # noqa: BLE001  (whatever it is, this process ends here)
        traceback.print_exc(file=sys.__stderr__)
        os._exit(BROKEN)
    os._exit(0)
