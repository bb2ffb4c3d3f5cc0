import gzip
import io
import json
import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from banzuke.environment import unpack
from banzuke.environment.unpack import unpacked
from banzuke.errors import BanzukeError

Member = tuple[str, str, str]
"""Kind, name, and content or what a link says."""
KINDS = {"file": tarfile.REGTYPE, "folder": tarfile.DIRTYPE, "link": tarfile.SYMTYPE, "same": tarfile.LNKTYPE}


def packed(*members: Member) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for kind, name, text in members:
            member = tarfile.TarInfo(name)
            member.type = KINDS.get(kind, tarfile.CHRTYPE)
            member.mode = 0o4755
            if kind == "file":
                member.size = len(text)
            elif kind in {"link", "same"}:
                member.linkname = text
            tar.addfile(member, io.BytesIO(text.encode()))
    return buffer.getvalue()


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
    ],
    ids=["dots", "root", "absolute link", "relative link", "link replaced", "folder through a link"],
)
def test_nothing_is_written_outside(archive: Callable[[bytes], Path], tmp_path: Path, members: list[Member]) -> None:
    outside = tmp_path / "elsewhere"
    outside.mkdir()
    file = archive(packed(*((kind, name, text.format(outside=outside)) for kind, name, text in members)))
    root, _ = unpacked(file)
    assert list(outside.iterdir()) == []
    found = [path for path in tmp_path.rglob("outside*") if not path.is_relative_to(root)]
    assert found == []
    assert not Path("/outside").exists()


def test_a_link_to_a_file_outside_is_none(archive: Callable[[bytes], Path], tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("mine")
    with pytest.raises(BanzukeError, match="cannot be unpacked"):
        unpacked(archive(packed(("same", "stolen", str(secret)))))


def test_device_nodes_are_left_out(archive: Callable[[bytes], Path]) -> None:
    root, _ = unpacked(archive(packed(("device", "dev/null", ""), ("file", "dev/x", ""))))
    assert [path.name for path in (root / "dev").iterdir()] == ["x"]


LOWER = packed(("file", "etc/old", "1"), ("file", "etc/both", "1"), ("file", "var/a", "1"), ("link", "lib", "usr/lib"))
UPPER = packed(
    ("file", "etc/.wh.old", ""), ("file", "etc/both", "2"), ("file", "var/.wh..wh..opq", ""), ("file", "var/b", "2"),
    ("folder", "usr/lib", ""), ("file", "lib/libc.so.6", "2"),
)  # fmt: skip


def docker() -> bytes:
    manifest = json.dumps([{"Layers": ["1/layer.tar", "2/layer.tar"]}])
    return packed(
        ("file", "manifest.json", manifest),
        ("file", "1/layer.tar", LOWER.decode("latin-1")),
        ("file", "2/layer.tar", UPPER.decode("latin-1")),
    )


def oci() -> bytes:
    layers = [{"digest": "sha256:aa"}, {"digest": "sha256:bb"}]
    return packed(
        ("file", "oci-layout", "{}"),
        ("file", "index.json", json.dumps({"manifests": [{"digest": "sha256:cc"}]})),
        ("file", "blobs/sha256/cc", json.dumps({"layers": layers})),
        ("file", "blobs/sha256/aa", LOWER.decode("latin-1")),
        ("file", "blobs/sha256/bb", UPPER.decode("latin-1")),
    )


@pytest.mark.parametrize("data", [docker(), oci()], ids=["docker", "oci"])
def test_layers_cover_and_remove_what_is_below(archive: Callable[[bytes], Path], data: bytes) -> None:
    root, _ = unpacked(archive(data))
    files = {str(path.relative_to(root)): path.read_text() for path in root.rglob("*") if path.is_file()}
    assert files == {"etc/both": "2", "var/b": "2", "usr/lib/libc.so.6": "2"}


@pytest.mark.parametrize(
    "data",
    [
        packed(("file", "bin/sh", "x" * 5000))[:3000],
        gzip.compress(packed(("file", "bin/sh", os.urandom(3000).hex())))[:1500],
        packed(("file", "manifest.json", "[]")),
        packed(("file", "manifest.json", json.dumps([{"Layers": ["../../etc/passwd"]}]))),
        packed(("file", "oci-layout", "{}"), ("file", "index.json", "{")),
    ],
    ids=["cut", "cut gzip", "no image", "layer outside", "no JSON"],
)
def test_what_is_broken_is_said_and_leaves_nothing(
    archive: Callable[[bytes], Path], tmp_path: Path, data: bytes
) -> None:
    with pytest.raises(BanzukeError, match=r"cannot be unpacked .* See that it is whole"):
        unpacked(archive(data))
    assert [path.name for path in (tmp_path / "cache/banzuke").iterdir()] == ["lock"]


def test_an_interrupt_leaves_nothing(
    archive: Callable[[bytes], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    file = archive(packed(("file", "bin/sh", "x")))
    left = tmp_path / "cache/banzuke/.unpacking-killed"
    left.mkdir(parents=True)
    monkeypatch.setattr(unpack, "_write", interrupt)
    with pytest.raises(KeyboardInterrupt):
        unpacked(file)
    assert [path.name for path in (tmp_path / "cache/banzuke").iterdir()] == ["lock"]
