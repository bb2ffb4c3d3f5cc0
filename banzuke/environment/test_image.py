import os
import sys
import tarfile
from pathlib import Path

import pytest

from banzuke.environment import elf
from banzuke.environment.image import DEFINITION, FILE, FOLDER, HOST, NAME, ContainerImage, check, identify
from banzuke.environment.testing import LOADER, write_elf, write_root
from banzuke.errors import BanzukeError

PROGRAM = elf.Elf("x86_64", LOADER, (2, 34))


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def test_the_host_is_its_own_image() -> None:
    assert identify("") == ContainerImage(HOST, "")


def test_folders_bundles_and_archives_are_roots(tmp_path: Path) -> None:
    write_root(tmp_path / "bundle/rootfs")
    assert identify("bundle/rootfs").root == identify("bundle").root == tmp_path / "bundle/rootfs"
    with tarfile.open(tmp_path / "it's an image.tar.gz", "w:gz") as tar:
        tar.add(tmp_path / "bundle/rootfs", arcname=".")
    image = identify("it's an image.tar.gz")
    assert (image.kind, image.text) == (FOLDER, str(tmp_path / "it's an image.tar.gz"))
    assert image.size == (tmp_path / "it's an image.tar.gz").stat().st_size
    assert check(image, PROGRAM, (2, 34)) == "2.36"


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.sif", b"#!/usr/bin/env run-singularity\n\0SIF_MAGIC\0", FILE),
        ("a.sqfs", b"hsqs" + bytes(600), FILE),
        ("Containerfile", b"# ours\nFROM scratch\n", DEFINITION),
        ("a.def", b"Bootstrap: docker\nFrom: debian\n", DEFINITION),
    ],
)
def test_files_are_known_by_their_content(tmp_path: Path, name: str, content: bytes, kind: str) -> None:
    (tmp_path / name).write_bytes(content)
    assert identify(name).kind == kind


def test_a_folder_with_a_definition_is_built(tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()
    (tmp_path / "build/Dockerfile").write_text("FROM scratch\n")
    assert identify("build") == ContainerImage(DEFINITION, str(tmp_path / "build/Dockerfile"))


@pytest.mark.parametrize("name", ["debian:12", "localhost/site/image:1.0", "oras://registry/image"])
def test_what_is_no_file_may_be_a_name(name: str) -> None:
    assert identify(name).kind == NAME


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("zeros", bytes(100000), "it begins with zeros"),
        ("empty", b"", "it is empty"),
        ("program", b"\x7fELF" + bytes(100), "its first bytes"),
        ("text.txt", b"\n\nhello\n", "its first bytes"),
        ("packed.tar.zst", b"\x28\xb5\x2f\xfd" + bytes(9), "zstd -d"),
    ],
)
def test_what_is_no_image_is_refused(tmp_path: Path, name: str, content: bytes, why: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BanzukeError, match=why):
        identify(name)


@pytest.mark.parametrize("name", ["/none/of these", "gone.tar", "gone.sif", "gone/", "-x", "a;b"])
def test_what_does_not_exist_is_said(name: str) -> None:
    with pytest.raises(BanzukeError, match=r"there is no image .*Give a folder"):
        identify(name)


def test_a_folder_without_a_root_is_refused(tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    with pytest.raises(BanzukeError, match=r"holds no root filesystem \(it has neither usr, bin nor lib64\)"):
        identify("documents")


def test_an_image_for_other_processors_is_refused(tmp_path: Path) -> None:
    image = identify(str(write_root(tmp_path / "root", "aarch64")))
    with pytest.raises(BanzukeError, match=r"is for aarch64 \(this machine and its programs are x86_64\)"):
        check(image, PROGRAM, (2, 17))


def test_an_older_libc_is_refused(tmp_path: Path) -> None:
    image = identify(str(write_root(tmp_path / "root", libc="2.28")))
    assert check(image, PROGRAM, (2, 28)) == "2.28"
    with pytest.raises(BanzukeError, match=r"too old \(it is glibc 2.28, and the programs built here need 2.34\)"):
        check(image, PROGRAM, (2, 34))


def test_another_libc_is_refused(tmp_path: Path) -> None:
    root = write_root(tmp_path / "root")
    (root / LOADER.lstrip("/")).unlink()
    with pytest.raises(BanzukeError, match=r"no GNU C library \(/lib64/ld-test.so.1 is not in it\)"):
        check(identify(str(root)), PROGRAM, (2, 17))


def test_links_of_an_image_lead_to_its_own_files(tmp_path: Path) -> None:
    """/usr/lib of the host has another C library, and a link to a folder would lead to the host's."""
    root = write_root(tmp_path / "root", libc="2.28")
    (root / "lib").symlink_to("/usr/lib")
    (root / "usr/lib/loop").symlink_to("loop")
    assert check(identify(str(root)), PROGRAM, (2, 28)) == "2.28"
    (tmp_path / "bundle").mkdir()
    (tmp_path / "bundle/rootfs").symlink_to("/")
    with pytest.raises(BanzukeError, match="holds no root filesystem"):
        identify("bundle")
    (tmp_path / "other").mkdir()
    (tmp_path / "other/bin").symlink_to("/usr/bin")
    with pytest.raises(BanzukeError, match="holds no root filesystem"):
        identify("other")


def test_an_image_whose_loader_is_a_loop_is_refused(tmp_path: Path) -> None:
    root = write_root(tmp_path / "root")
    (root / LOADER.lstrip("/")).unlink()
    (root / LOADER.lstrip("/")).symlink_to(Path(LOADER).name)
    with pytest.raises(BanzukeError, match=r"cannot be read .*Too many levels of symbolic links"):
        check(identify(str(root)), PROGRAM, (2, 17))


def test_elf_files_are_read(tmp_path: Path) -> None:
    assert elf.read(write_elf(tmp_path / "a", "aarch64", "2.31", LOADER)) == elf.Elf("aarch64", LOADER, (2, 31))
    assert elf.read(tmp_path / "gone") is None
    for content in (
        b"",
        b"\x7fELF\x02\x01",
        b"\x7fELF\x02\x09" + bytes(99),
        b"\x7fELF\x01\x01" + bytes(99),
        b"#!/bin/sh",
    ):
        (tmp_path / "b").write_bytes(content)
        assert elf.read(tmp_path / "b") is None
    far = bytearray(write_elf(tmp_path / "c", loader=LOADER).read_bytes())
    far[32:40] = b"\xff" * 8
    (tmp_path / "c").write_bytes(far)
    assert elf.read(tmp_path / "c") is None
    os.mkfifo(tmp_path / "fifo")
    assert elf.read(tmp_path / "fifo") is None
    mine = elf.read(Path(sys.executable))
    assert mine
    assert (mine.machine, Path(mine.loader).is_file()) == (os.uname().machine, True)
