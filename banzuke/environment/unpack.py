"""Unpacks root filesystems from archives: plain tar archives, and those of OCI and Docker with their layers.

tarfile only reads; this module writes. tarfile's own extraction follows links as the host does, and its filter `data`
refuses absolute links, which the root of every distribution has. Here every file is made, replaced and removed by a
plain name in a folder that `opened` has reached, so no archive can reach outside.
"""

import contextlib
import dataclasses
import fcntl
import hashlib
import itertools
import json
import lzma
import os
import re
import shutil
import socket
import stat
import tarfile
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from io import BufferedReader
from pathlib import Path, PurePosixPath
from typing import IO, Any

from banzuke.environment.archive import Room, TooLargeError, entries
from banzuke.environment.inside import opened, resolve
from banzuke.environment.libraries import stamp
from banzuke.errors import BanzukeError
from banzuke.files.own import cache_folder, cache_path
from banzuke.units import quantity

_WHITEOUT = ".wh."
"""OCI image specification, "Whiteouts": prefix of a layer's mark that a file of lower layers was removed."""
_OPAQUE = ".wh..wh..opq"
"""Mark that everything of lower layers in the folder was removed."""
_RESERVED = ".wh..wh."
"""Prefix of files of AUFS, which left them in old images."""
_MOST_BYTES = 64 << 30
_MOST_ENTRIES = 2_000_000
"""Far more than a distribution with compilers and frameworks has; anything larger must be given as a folder."""
_SHARE = 0.9
"""Share of the free space that may be used, so that others can still write there."""
_MOST_LAYERS = 1000
"""Docker stacks at most 127 layers, overlayfs 500; each is read twice."""
_MOST_JSON = 4 << 20
"""Most bytes of a manifest, as registries limit them (OCI distribution specification, "Pushing Manifests")."""
_BLOB = re.compile(r"blobs/(sha256|sha512)/([0-9a-f]+)")


def unpacked(archive: Path, *, dry_run: bool = False) -> tuple[Path, str]:
    """Return the folder of the root filesystem, unpacked once, and the archive's digest. Raises BanzukeError.

    It has neither device nodes nor set-user-ID programs, and all files belong to the user.
    """
    folder = cache_path() / f"image-{stamp([archive.resolve()])}"
    if not folder.is_dir():
        if dry_run:
            raise BanzukeError(
                f"the image {archive} is not unpacked yet",
                why="the command names what is in it, and a dry run writes nothing",
                remedy="Run without --dry-run once, or unpack it yourself and give the folder",
            )
        home = cache_folder()
        with _alone(home):
            if not folder.is_dir():
                _unpack(archive, folder, home)
    return folder / "root", (folder / "digest").read_text(encoding="ascii")


def _unpack(archive: Path, folder: Path, home: Path) -> None:
    """Unpack the archive; `folder` exists completely or not at all."""
    room = _room(home)
    most = dataclasses.replace(room)
    temporary = Path(tempfile.mkdtemp(dir=home, prefix=_unfinished()))
    try:
        with archive.open("rb") as file:
            _fill(file, temporary, room)
            file.seek(0)
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        (temporary / "digest").write_text(f"sha256:{digest}", encoding="ascii")
        temporary.chmod(0o755)
        if not folder.is_dir():  # otherwise, another host was first
            temporary.rename(folder)
    except TooLargeError as error:
        raise BanzukeError(
            f"the image {archive} is too large to be unpacked",
            why=f"it has more than {quantity(most.size, 'B')} or {most.entries:,} entries, and "
            f"{quantity(shutil.disk_usage(home).free, 'B')} are free in {home}",
            remedy="Make room there, or set XDG_CACHE_HOME to another folder that all hosts of the job see. If it is "
            "meant to be as large, unpack it yourself and give the folder",
        ) from error
    except (
        *(tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError),
        *(ValueError, LookupError, TypeError, RecursionError),
    ) as error:
        raise BanzukeError(
            f"the image {archive} cannot be unpacked",
            why=str(error) or type(error).__name__,
            remedy="See that it is whole, and that there is room in the cache folder (XDG_CACHE_HOME)",
        ) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _room(home: Path) -> Room:
    status = os.statvfs(home)
    files = int(_SHARE * status.f_favail) or _MOST_ENTRIES  # 0: a file system that does not count files
    return Room(min(_MOST_BYTES, int(_SHARE * status.f_bavail * status.f_frsize)), min(_MOST_ENTRIES, files))


def _unfinished() -> str:
    """Return the prefix of folders that this host is filling."""
    return f".unpacking-{socket.gethostname()}-"


@contextlib.contextmanager
def _alone(home: Path) -> Iterator[None]:
    """Exclude other processes of this host, if the file system has locks, and remove what a killed one left."""
    with (home / "lock").open("w") as lock:
        with contextlib.suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX)
            for left in home.glob(f"{_unfinished()}*"):
                shutil.rmtree(left, ignore_errors=True)
        yield


def _fill(file: BufferedReader, temporary: Path, room: Room) -> None:
    """Make `root` in the folder."""
    outer, root = temporary / "outer", temporary / "root"
    outer.mkdir(mode=0o755)
    _extract(file, outer, room)
    if not any(resolve(outer, name).is_file() for name in ("oci-layout", "manifest.json")):
        outer.rename(root)
        return
    root.mkdir(mode=0o755)
    layers = _layers(outer)
    if len(layers) > _MOST_LAYERS:
        raise ValueError(f"it has {len(layers):,} layers, and at most {_MOST_LAYERS:,} are unpacked")
    for name in set(layers):
        _check(outer, name)
    for number, (name, _) in enumerate(itertools.groupby(layers)):  # repeating a layer changes nothing
        with _part(outer, name) as layer:
            if number > 0:
                _uncover(layer, root, dataclasses.replace(room))
                layer.seek(0)
            _extract(layer, root, room)
    shutil.rmtree(outer)


def _layers(outer: Path) -> list[str]:
    """Return the files of the layers, lowest first: by Docker's manifest, else by OCI's index."""
    if resolve(outer, "manifest.json").is_file():
        return list(_only(_json(outer, "manifest.json"))["Layers"])
    manifest = _blob(_only(_json(outer, "index.json")["manifests"])["digest"])
    _check(outer, manifest)
    return [_blob(layer["digest"]) for layer in _json(outer, manifest)["layers"]]


def _only(images: Sequence[Any]) -> Any:
    if len(images) != 1:
        raise ValueError(f"it has {len(images)} images; save only the one that is wanted")
    return images[0]


def _blob(digest: object) -> str:
    name = "blobs/" + str(digest).replace(":", "/", 1)
    if not _BLOB.fullmatch(name):
        raise ValueError(f"'{digest}' is not a SHA-256 or SHA-512 digest")
    return name


def _part(outer: Path, name: str) -> BufferedReader:
    """Open a file of the archive."""
    path = resolve(outer, name).relative_to(outer)
    with opened(outer, path.parent) as folder:
        return os.fdopen(os.open(path.name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=folder), "rb")


def _json(outer: Path, name: str) -> Any:
    with _part(outer, name) as file:
        text = file.read(_MOST_JSON + 1)
    if len(text) > _MOST_JSON:
        raise ValueError(f"{name} has more than {_MOST_JSON:,} bytes")
    return json.loads(text)


def _check(outer: Path, name: str) -> None:
    """Raise ValueError for a blob that does not match the digest in its name; Docker's older layers have none."""
    if blob := _BLOB.fullmatch(name):
        kind, digest = blob.groups()
        with _part(outer, name) as file:
            if hashlib.file_digest(file, kind).hexdigest() != digest:
                raise ValueError(f"{name} is damaged: its digest is another")


def _uncover(layer: BufferedReader, root: Path, room: Room) -> None:
    """Remove what the layer marks as removed; that only concerns lower layers, wherever in the layer the mark is."""
    for member, _ in entries(layer, room):
        path = PurePosixPath(member.name)
        if not path.name.startswith(_WHITEOUT) or not resolve(root, path.parent).is_dir():
            continue
        with opened(root, path.parent) as folder:
            if path.name == _OPAQUE:
                for name in os.listdir(folder):  # noqa: PTH208  (by descriptor)
                    _remove(folder, name)
            elif not path.name.startswith(_RESERVED):
                _remove(folder, path.name.removeprefix(_WHITEOUT))


def _extract(file: BufferedReader, root: Path, room: Room) -> None:
    """Extract a layer over what is there."""
    for member, content in entries(file, room):
        path = PurePosixPath(member.name)
        if path.name in {"", ".."} or path.name.startswith(_WHITEOUT):
            continue
        with opened(root, path.parent, make=True) as folder:
            _write(member, content, root, path, folder)


def _write(member: tarfile.TarInfo, content: IO[bytes] | None, root: Path, path: PurePosixPath, folder: int) -> None:
    """Write one entry; device nodes and pipes are left out, because /dev is the host's."""
    if member.isdir():
        if not resolve(root, path).is_dir():  # a link to a folder stays a link
            _remove(folder, path.name)
            os.mkdir(path.name, 0o755, dir_fd=folder)
    elif member.issym():
        _remove(folder, path.name)
        os.symlink(member.linkname, path.name, dir_fd=folder)
    elif member.islnk():
        target = PurePosixPath(member.linkname)
        with opened(root, target.parent) as there:
            _link(there, target.name, folder, path.name)
    elif content:
        _remove(folder, path.name)
        new = os.open(path.name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=folder)
        with os.fdopen(new, "wb") as file:
            shutil.copyfileobj(content, file)
            os.fchmod(new, member.mode & 0o755 | stat.S_IRUSR | stat.S_IWUSR)


def _link(there: int, target: str, folder: int, name: str) -> None:
    status = os.stat(target, dir_fd=there, follow_symlinks=False)
    with contextlib.suppress(FileNotFoundError):
        if os.path.samestat(status, os.stat(name, dir_fd=folder, follow_symlinks=False)):
            return  # tar stores a file that it is given twice as a link to itself
    _remove(folder, name)
    os.link(target, name, src_dir_fd=there, dst_dir_fd=folder, follow_symlinks=False)


def _remove(folder: int, name: str) -> None:
    if name in {"", ".", ".."}:
        raise ValueError(f"'{name}' is not a file name")
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        pass
    except IsADirectoryError:
        shutil.rmtree(name, dir_fd=folder)
