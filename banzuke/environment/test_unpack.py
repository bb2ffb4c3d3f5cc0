import contextlib
import fcntl
import gzip
import os
import socket
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from banzuke.environment import unpack
from banzuke.environment.testing import Member, docker, oci, packed
from banzuke.environment.unpack import unpacked
from banzuke.errors import BanzukeError


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], Path]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def write(data: bytes) -> Path:
        file = tmp_path / "an image's.tar"
        file.write_bytes(data)
        return file

    return write


def test_a_root_is_unpacked_once(archive: Callable[[bytes], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    file = archive(
        gzip.compress(packed(("folder", "./bin", ""), ("file", "./bin/sh", "x"), ("link", "lib", "/usr/lib")))
    )
    root, digest = unpacked(file)
    assert (root / "bin/sh").read_text() == "x"
    assert (root / "bin/sh").stat().st_mode & 0o7777 == 0o755
    assert (root / "lib").readlink() == Path("/usr/lib")
    assert digest.startswith("sha256:")
    monkeypatch.setattr(unpack, "_unpack", None)
    assert unpacked(file) == (root, digest)


@pytest.mark.parametrize(
    "members",
    [
        [("file", "../../outside", "x")],
        [("file", "/outside", "x")],
        [("link", "way", "{outside}"), ("file", "way/outside", "x")],
        [("link", "way", "../../../.."), ("file", "way/outside", "x")],
        [("link", "outside", "{outside}/outside"), ("file", "outside", "x")],
        [("folder", "a", ""), ("link", "a/way", "../../../../../.."), ("folder", "a/way/outside", "")],
        [("file", "/{outside}/outside", "x")],
        [("link", "way", "/{outside}"), ("file", "way/outside", "x")],
        [
            ("link", "way", "{outside}"),
            ("folder", "{outside}", ""),
            ("link", "way/outside", "/"),
            ("file", "way/x", ""),
        ],
    ],
    ids=[
        *("dots", "root", "absolute link", "relative link", "link replaced", "folder through a link"),
        *("two slashes", "link with two slashes", "link behind a link"),
    ],
)
def test_nothing_is_written_outside(archive: Callable[[bytes], Path], tmp_path: Path, members: list[Member]) -> None:
    outside = tmp_path / "elsewhere"
    outside.mkdir()
    file = archive(
        packed(*[(kind, name.format(outside=outside), text.format(outside=outside)) for kind, name, text in members])
    )
    root, _ = unpacked(file)
    assert list(outside.iterdir()) == []
    escaped = [path for path in tmp_path.rglob("outside*") if not path.is_relative_to(root)]
    assert escaped == []
    assert not Path("/outside").exists()


@pytest.mark.parametrize("links", [39, 40, 41])
@pytest.mark.parametrize("last", [("file", "pwned"), ("link", "pwned"), ("folder", "pwned"), ("file", ".wh.canary")])
def test_a_long_chain_of_links_leads_nowhere(
    archive: Callable[[bytes], Path], tmp_path: Path, links: int, last: tuple[str, str]
) -> None:
    """As in the kernel, 40 links in a path are followed; the rest must not be taken unresolved."""
    outside = tmp_path / "elsewhere"
    outside.mkdir()
    (outside / "canary").touch()
    kind, name = last
    way = ("link", "l", "."), ("link", "evil", str(outside))
    with contextlib.suppress(BanzukeError):
        unpacked(archive(oci(packed(*way), packed((kind, "l/" * links + f"evil/{name}", "x")))))
    assert [path.name for path in outside.iterdir()] == ["canary"]


@pytest.mark.parametrize("name", [".wh.", ".wh..", ".wh..."])
def test_a_whiteout_removes_a_name_and_nothing_else(archive: Callable[[bytes], Path], name: str) -> None:
    lower = packed(("file", "a/b", "x"))
    with pytest.raises(BanzukeError, match="is not a file name"):
        unpacked(archive(oci(lower, packed(("file", f"a/{name}", "")))))
    root, _ = unpacked(archive(oci(lower, packed(("file", "a/.wh..wh.plnk", ""), ("file", "gone/.wh.a", "")))))
    assert sorted(str(path.relative_to(root)) for path in root.rglob("*")) == ["a", "a/b"]


def test_whiteouts_concern_lower_layers_wherever_they_stand(archive: Callable[[bytes], Path]) -> None:
    lower = packed(("file", "a/old", "1"), ("file", "a/b/old", "1"), ("file", "c", "1"))
    upper = packed(
        ("file", "a/b/new", "2"), ("file", "a/new", "2"), ("file", "c", "2"), ("file", ".wh.c", ""),
        ("file", "a/.wh..wh..opq", ""),
    )  # fmt: skip
    root, _ = unpacked(archive(oci(lower, upper)))
    files = {str(path.relative_to(root)): path.read_text() for path in root.rglob("*") if path.is_file()}
    assert files == {"a/b/new": "2", "a/new": "2", "c": "2"}


def test_later_entries_replace_earlier_ones(archive: Callable[[bytes], Path]) -> None:
    """Whatever their kinds, and without writing through a hard link."""
    root, _ = unpacked(
        archive(
            packed(
                ("file", "one", "1"), ("same", "two", "one"), ("file", "one", "2"), ("same", "one", "one"),
                ("folder", "x/y", ""), ("file", "x", "3"), ("file", "z", "4"), ("folder", "z", ""), ("link", "z", "x"),
                ("link", "to", "one"), ("same", "also", "to"), ("link", "usr", "real"), ("folder", "real", ""),
                ("folder", "usr", ""), ("same", "five\nsix", "usr/../one"),
            )
        )
    )  # fmt: skip
    assert {name: (root / name).read_text() for name in ("one", "two", "x", "five\nsix")} == {
        "one": "2", "two": "1", "x": "3", "five\nsix": "2"
    }  # fmt: skip
    links = {path.name: str(path.readlink()) for path in root.iterdir() if path.is_symlink()}
    assert links == {"z": "x", "to": "one", "also": "one", "usr": "real"}


def test_a_link_to_a_file_outside_is_none(archive: Callable[[bytes], Path], tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("mine")
    with pytest.raises(BanzukeError, match="cannot be unpacked"):
        unpacked(archive(packed(("same", "stolen", str(secret)))))


def test_device_nodes_are_left_out(archive: Callable[[bytes], Path]) -> None:
    root, _ = unpacked(archive(packed(("device", "dev/null", ""), ("file", "dev/x", ""))))
    assert [path.name for path in (root / "dev").iterdir()] == ["x"]


def corrupt(data: bytes, at: int) -> bytes:
    changed = bytearray(data)
    changed[at] ^= 0xFF
    return bytes(changed)


def sized(size: int) -> bytes:
    """Return an entry that claims this size."""
    member = tarfile.TarInfo("a")
    member.size = size
    return member.tobuf(tarfile.GNU_FORMAT) + bytes(1024)


def header(size: int) -> bytes:
    """Return an extended header that claims this size."""
    member = tarfile.TarInfo("a")
    member.type, member.size = tarfile.XHDTYPE, size
    return member.tobuf(tarfile.GNU_FORMAT) + bytes(1024)


def sparse(size: int, whole: int) -> bytes:
    """Return a sparse file of this size with so many holes, in GNU's old format."""
    member = tarfile.TarInfo("a")
    member.type, member.size = tarfile.GNUTYPE_SPARSE, size
    head = bytearray(member.tobuf(tarfile.GNU_FORMAT))
    head[483:495] = (whole % 256**12 | (0 if whole < 0 else 1 << 95)).to_bytes(12, "big")
    head[148:156] = b" " * 8
    head[148:156] = b"%06o\0 " % sum(head)
    return bytes(head) + bytes(1024)


@pytest.mark.parametrize("data", [docker(), oci()], ids=["docker", "oci"])
def test_layers_cover_and_remove_what_is_below(archive: Callable[[bytes], Path], data: bytes) -> None:
    root, _ = unpacked(archive(data))
    files = {str(path.relative_to(root)): path.read_text() for path in root.rglob("*") if path.is_file()}
    assert files == {"etc/both": "2", "var/b": "2", "usr/lib/libc.so.6": "2"}


def test_equal_layers_on_each_other_are_unpacked_once(
    archive: Callable[[bytes], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpack, "_MOST_ENTRIES", 20)
    root, _ = unpacked(archive(docker(*["1/layer.tar"] * 1000)))
    assert (root / "etc/both").read_text() == "1"


def test_more_layers_than_any_image_has_are_refused_at_once(archive: Callable[[bytes], Path]) -> None:
    for data in (docker(*["1/layer.tar", "3/layer.tar"] * 501), oci(*[b""] * 1002)):
        with pytest.raises(BanzukeError, match="it has 1,002 layers, and at most 1,000 are unpacked"):
            unpacked(archive(data))


@pytest.mark.parametrize(
    "data",
    [
        packed(("file", "bin/sh", "x" * 5000))[:3000],
        gzip.compress(packed(("file", "bin/sh", os.urandom(3000).hex())))[:1500],
        packed(("file", "bin/sh", "x"))[:1024],
        corrupt(packed(("file", "bin/sh", "x"), ("file", "bin/ls", "x")), 1024 + 150),
        corrupt(gzip.compress(packed(("file", "bin/sh", os.urandom(3000).hex()))), 1000),
        packed(("file", "manifest.json", "[]")),
        docker("../../etc/passwd"),
        docker("/etc/passwd"),
        docker("link"),
        docker("folder"),
        packed(("file", "manifest.json", "[" * 100000)),
        packed(("file", "manifest.json", " " * (5 << 20))),
        packed(("file", "oci-layout", "{}"), ("file", "index.json", "{")),
        packed(("file", "oci-layout", "{}"), ("file", "index.json", '{"manifests": [{"digest": 5}]}')),
        oci().replace(b"etc/old", b"etc/odd"),
        packed(("same", "a", "..")),
        packed(("same", "a", "b")),
        packed(("folder", "a/" * 300, "")),
        packed(("file", "x" * 300, "")),
    ],
    ids=[
        *("cut", "cut gzip", "no end mark", "damaged header", "damaged gzip", "no image"),
        *("layer outside", "absolute layer", "layer behind a link", "folder as layer"),
        *("nested JSON", "enormous JSON", "no JSON", "no digest", "another digest"),
        *("link to a folder", "link to nothing", "too deep", "long name"),
    ],
)
def test_what_is_broken_is_said_and_leaves_nothing(
    archive: Callable[[bytes], Path], tmp_path: Path, data: bytes
) -> None:
    with pytest.raises(BanzukeError, match=r"cannot be unpacked .* See that it is whole"):
        unpacked(archive(data))
    assert [path.name for path in (tmp_path / "cache/banzuke").iterdir()] == ["lock"]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (sized(-512), "negative size"),
        (sparse(0, -(1 << 60)), "negative size"),
        (sparse(-1024, 512), "ends before it begins"),
        (header(-512), "headers have more than"),
        (header(1 << 40), "headers have more than"),
    ],
    ids=["negative size", "negative size with holes", "backwards", "negative header", "enormous header"],
)
def test_what_entries_say_of_themselves_is_not_believed(
    archive: Callable[[bytes], Path], data: bytes, why: str
) -> None:
    """It would be read for ever, fill the memory, or claim more room than there is."""
    with pytest.raises(BanzukeError, match=why):
        unpacked(archive(data))


def test_an_interrupt_leaves_nothing(
    archive: Callable[[bytes], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    file = archive(packed(("file", "bin/sh", "x")))
    left = tmp_path / f"cache/banzuke/.unpacking-{socket.gethostname()}-killed"
    left.mkdir(parents=True)
    monkeypatch.setattr(unpack, "_write", interrupt)
    with pytest.raises(KeyboardInterrupt):
        unpacked(file)
    assert [path.name for path in (tmp_path / "cache/banzuke").iterdir()] == ["lock"]


def test_what_another_host_unpacks_is_left_alone(archive: Callable[[bytes], Path], tmp_path: Path) -> None:
    """Locks may only work within a host."""
    other = tmp_path / "cache/banzuke/.unpacking-other-host-x"
    other.mkdir(parents=True)
    unpacked(archive(packed(("file", "bin/sh", "x"))))
    assert other.is_dir()


def test_without_locks_nothing_is_cleared(
    archive: Callable[[bytes], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_: object) -> None:
        raise OSError

    other = tmp_path / f"cache/banzuke/.unpacking-{socket.gethostname()}-x"
    other.mkdir(parents=True)
    monkeypatch.setattr(fcntl, "flock", none)
    unpacked(archive(packed(("file", "bin/sh", "x"))))
    assert other.is_dir()


@pytest.mark.parametrize(
    ("limit", "most", "data"),
    [
        ("_MOST_BYTES", 100_000, gzip.compress(packed(("file", "bin/sh", "x" * 200_000)))),
        ("_MOST_BYTES", 10_000, packed(("file", "a", "x" * 6000), ("file", "a", "x" * 6000))),
        ("_MOST_ENTRIES", 10, packed(*(("folder", f"{number}", "") for number in range(11)))),
        ("_MOST_ENTRIES", 10, oci(*[packed(("folder", name, ""), ("folder", name, "")) for name in "abcd"])),
        ("_SHARE", 0.0, packed(("file", "bin/sh", "x"))),
        ("_MOST_BYTES", 1 << 30, sized(1 << 60)),
    ],
    ids=["compressed", "replaced", "entries", "layers", "no room", "announced"],
)
def test_what_is_unpacked_is_bounded(
    archive: Callable[[bytes], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    limit: str,
    most: float,
    data: bytes,
) -> None:
    monkeypatch.setattr(unpack, limit, most)
    with pytest.raises(BanzukeError, match=r"too large to be unpacked .* are free in .*unpack it yourself"):
        unpacked(archive(data))
    assert [path.name for path in (tmp_path / "cache/banzuke").iterdir()] == ["lock"]


def test_a_dry_run_unpacks_nothing_and_knows_what_is_unpacked(archive: Callable[[bytes], Path], tmp_path: Path) -> None:
    file = archive(packed(("file", "bin/sh", "x")))
    with pytest.raises(BanzukeError, match="is not unpacked yet"):
        unpacked(file, dry_run=True)
    assert not (tmp_path / "cache").exists()
    assert unpacked(file) == unpacked(file, dry_run=True)


def test_a_layer_of_zstd_is_said(archive: Callable[[bytes], Path]) -> None:
    with pytest.raises(BanzukeError, match="layers compressed with zstd"):
        unpacked(archive(oci(b"\x28\xb5\x2f\xfd" + bytes(99))))


def test_tar_unpacks_the_same(archive: Callable[[bytes], Path], tmp_path: Path) -> None:
    """A typical root with sparse files, long names and links of all kinds."""
    theirs = tmp_path / "theirs"
    (theirs / "usr/lib" / ("deep/" * 40)).mkdir(parents=True)
    (theirs / "usr/lib" / ("long" * 50)).write_text("x")
    for name, said in {"lib": "usr/lib", "bin": "/usr/bin", "mtab": "/proc/mounts", "up": "../../x", "l": "l"}.items():
        (theirs / name).symlink_to(said)
    with (theirs / "sparse").open("wb") as file:
        file.seek(1 << 20)
        file.write(b"x")
    os.link(theirs / "sparse", theirs / "usr/hard")
    os.mkfifo(theirs / "fifo")
    for form in ("gnu", "pax"):
        words = ["tar", f"--format={form}", "--sparse", "-C", str(theirs), "-cf", str(tmp_path / "a.tar"), "."]
        subprocess.run(words, check=True)
        root, _ = unpacked(archive((tmp_path / "a.tar").read_bytes()))
        (theirs / "fifo").unlink(missing_ok=True)
        assert listing(root) == listing(theirs)
        assert (root / "usr/hard").samefile(root / "sparse")


def listing(root: Path) -> dict[str, object]:
    return {
        str(path.relative_to(root)): path.readlink()
        if path.is_symlink()
        else path.read_bytes()
        if path.is_file()
        else "folder"
        for path in root.rglob("*")
    }
