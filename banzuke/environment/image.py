"""Identifies an image by its content, and checks whether this host's programs can run in it."""

import re
from dataclasses import dataclass
from pathlib import Path

from banzuke.environment import elf
from banzuke.environment.archive import ZSTD, is_archive
from banzuke.environment.inside import find, reading, resolve
from banzuke.environment.unpack import unpacked
from banzuke.errors import BanzukeError
from banzuke.paths import as_given

HOST, FOLDER, FILE, DEFINITION, NAME = "host", "folder", "file", "definition", "name"
"""Kinds of images: the host's root; a root filesystem; SIF or squashfs; a build recipe; a name in a store."""
_LIBRARIES = (("lib*",), ("lib*", "*"), ("usr", "lib*"), ("usr", "lib*", "*"))
"""Where distributions install the C library and the loader."""
_NAMED = re.compile(r"([a-z+]+://)?[A-Za-z0-9][\w.:/@-]*")
_REMEDY = (
    "Give a folder with a root filesystem or an archive of one; for containers also a definition or the name of an "
    "image in a tool's store, for virtual machines a disk"
)


@dataclass(frozen=True)
class ContainerImage:
    kind: str
    text: str
    """As the user wrote it; for a file or folder, its absolute path."""
    root: Path = Path("/")
    """The root filesystem, if the kind is HOST or FOLDER."""
    digest: str = ""
    size: int = 0
    """Bytes of a file."""


def identify(text: str, *, dry_run: bool = False) -> ContainerImage:
    """Return the image that a text names; archives are unpacked, once. Raises BanzukeError for anything else."""
    if not text:
        return ContainerImage(HOST, "")
    path = as_given(text).absolute()
    with reading(path):
        if path.is_dir():
            return _folder(path)
        if path.is_file():
            return _file(path, dry_run=dry_run)
    if not _NAMED.fullmatch(text) or text.endswith((".tar", ".gz", ".sif", ".sqfs", ".img", ".def", "/")):
        raise BanzukeError(f"there is no image {text}", remedy=_REMEDY)
    return ContainerImage(NAME, text)


def _folder(path: Path) -> ContainerImage:
    for root in (path, resolve(path, "rootfs")):  # the latter in an OCI bundle
        if any(resolve(root, name).is_dir() for name in ("bin", "usr", "lib64")):
            return ContainerImage(FOLDER, str(path), root)
    for name in ("Containerfile", "Dockerfile"):
        if (path / name).is_file():
            return ContainerImage(DEFINITION, str(path / name))
    why = "it has neither usr, bin nor lib64"
    raise BanzukeError(f"the folder {path} holds no root filesystem", why=why, remedy=_REMEDY)


def _file(path: Path, *, dry_run: bool) -> ContainerImage:
    with path.open("rb") as file:
        head = file.read(512)
    size = path.stat().st_size
    if head[32:41] == b"SIF_MAGIC" or head[:4] == b"hsqs":
        return ContainerImage(FILE, str(path), size=size)
    if is_archive(head):
        root, digest = unpacked(path, dry_run=dry_run)
        image = _folder(root)
        return ContainerImage(FOLDER, str(path), image.root, digest, size)
    words = [
        line.split()[0].lower() for line in head.splitlines() if line.strip() and not line.lstrip().startswith(b"#")
    ]
    if words and words[0] in {b"from", b"arg", b"bootstrap:"}:
        return ContainerImage(DEFINITION, str(path))
    if head.startswith(ZSTD):
        raise BanzukeError(f"the archive {path} is compressed with zstd", remedy=f"Unpack it first: zstd -d {path}")
    why = (
        "it is empty"
        if not size
        else "it begins with zeros"
        if not head.strip(b"\0")
        else "its first bytes are of no known format"
    )
    raise BanzukeError(f"{path} is not an image", why=why, remedy=_REMEDY)


def check(image: ContainerImage, program: elf.Elf, libc: elf.Version) -> str:
    """Return the version of the C library of a FOLDER.

    Raises BanzukeError if it cannot run `program`, which needs `libc`.
    """
    with reading(image.text):
        machine = _machine(image.root)
        loader = resolve(image.root, program.loader)
        libraries = _libc(image.root, program.machine)
    if machine and machine != program.machine:
        raise BanzukeError(
            f"the image {image.text} is for {machine}",
            why=f"this machine and its programs are {program.machine}",
            remedy=f"Give an image for {program.machine}",
        )
    if not loader.is_file() or not libraries:
        raise BanzukeError(
            f"the image {image.text} has no GNU C library",
            why=f"{program.loader if not loader.is_file() else 'libc.so.6'} is not in it",
            remedy="Give an image of a distribution with glibc, such as Debian, Ubuntu, Rocky Linux or SUSE",
        )
    has = max(libraries)
    if has < libc:
        raise BanzukeError(
            f"the C library of the image {image.text} is too old",
            why=f"it is glibc {_text(has)}, and the programs built here need {_text(libc)}",
            remedy="Give a newer image, or build Banzuke on a system as old as the image",
        )
    return _text(has)


def _machine(root: Path) -> str:
    """Return the processor of the programs in a root; empty: unknown."""
    for name in ("bin/sh", "usr/bin/env", "bin/busybox", "sbin/init"):
        if header := elf.read(resolve(root, name)):
            return header.machine
    loaders = (file for names in _LIBRARIES for file in find(root, *names, "ld-*"))
    return next((header.machine for file in loaders if (header := elf.read(file))), "")


def _libc(root: Path, machine: str) -> list[elf.Version]:
    read = (elf.read(file) for names in _LIBRARIES for file in find(root, *names, "libc.so.6"))
    return [library.libc for library in read if library and library.machine == machine]


def _text(version: elf.Version) -> str:
    return ".".join(map(str, version))
