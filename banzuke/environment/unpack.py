"""Root filesystems from archives: plain ones of tar, and those of OCI and Docker with their layers."""

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Any

from banzuke.environment.inside import resolve
from banzuke.environment.libraries import cache_folder, stamp
from banzuke.errors import BanzukeError

_WHITEOUT = ".wh."
"""OCI image specification, "Whiteouts": a layer's mark that what lower layers have under this name is gone."""
_OPAQUE = ".wh..wh..opq"


def unpacked(archive: Path) -> tuple[Path, str]:
    """Folder of the root filesystem, unpacked once, and the archive's digest. Raises BanzukeError.

    Nothing is written outside the folder whatever the archive says, and there are no device nodes in it.
    """
    home = cache_folder()
    folder = home / f"image-{stamp([archive.resolve()])}"
    with _alone(home):
        if not folder.is_dir():
            _unpack(archive, folder, home)
    return folder / "root", (folder / "digest").read_text(encoding="ascii")


def _unpack(archive: Path, folder: Path, home: Path) -> None:
    for left in home.glob(".unpacking-*"):  # by one that was killed: nobody else is here
        shutil.rmtree(left, ignore_errors=True)
    temporary = Path(tempfile.mkdtemp(dir=home, prefix=".unpacking-"))
    try:
        root = temporary / "root"
        root.mkdir()
        with tarfile.open(archive) as tar:
            names = set(tar.getnames())
            if {"oci-layout", "./oci-layout"} & names or {"manifest.json", "./manifest.json"} & names:
                _layers(tar, temporary / "parts", root)
            else:
                _extract(tar, root)
        with archive.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        (temporary / "digest").write_text(f"sha256:{digest}", encoding="ascii")
        shutil.rmtree(temporary / "parts", ignore_errors=True)
        temporary.chmod(0o755)
        temporary.rename(folder)
    except (tarfile.TarError, EOFError, OSError, ValueError, LookupError, TypeError) as error:
        raise BanzukeError(
            f"the image {archive} cannot be unpacked",
            why=str(error) or type(error).__name__,
            remedy="See that it is whole, and that there is room in the cache folder (XDG_CACHE_HOME)",
        ) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@contextlib.contextmanager
def _alone(home: Path) -> Iterator[None]:
    with (home / "lock").open("w") as lock:
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _layers(tar: tarfile.TarFile, parts: Path, root: Path) -> None:
    parts.mkdir()
    _extract(tar, parts)
    for layer in _named(parts):
        with tarfile.open(resolve(parts, layer)) as packed:
            _extract(packed, root)


def _named(parts: Path) -> list[str]:
    """Files of the layers, lowest first: by Docker's manifest, else by OCI's index."""
    if (parts / "manifest.json").is_file():
        (image,) = _json(parts, "manifest.json")
        return list(image["Layers"])
    (manifest,) = _json(parts, "index.json")["manifests"]
    return [_blob(layer["digest"]) for layer in _json(parts, _blob(manifest["digest"]))["layers"]]


def _json(parts: Path, name: str) -> Any:
    return json.loads(resolve(parts, name).read_bytes())


def _blob(digest: str) -> str:
    return "blobs/" + digest.replace(":", "/", 1)


def _extract(tar: tarfile.TarFile, root: Path) -> None:
    """Over what is there. Symbolic links are followed by `resolve` alone, so they may say what they like."""
    for member in tar:
        path = PurePosixPath(member.name)
        folder = resolve(root, path.parent)
        if path.name in {"", "..", "."}:
            continue
        folder.mkdir(parents=True, exist_ok=True)
        if path.name == _OPAQUE:
            for child in folder.iterdir():
                _remove(child)
        elif path.name.startswith(_WHITEOUT):
            _remove(folder / path.name.removeprefix(_WHITEOUT))
        else:
            _write(tar, member, root, folder / path.name)


def _write(tar: tarfile.TarFile, member: tarfile.TarInfo, root: Path, path: Path) -> None:
    if member.isdir() and path.is_dir():
        return
    if member.isdir() and path.is_symlink() and resolve(root, path.relative_to(root)).is_dir():
        return
    if not (member.isdir() or member.isreg() or member.issym() or member.islnk()):
        return  # device nodes and pipes: /dev is the host's
    _remove(path)
    if member.isdir():
        path.mkdir()
    elif member.issym():
        path.symlink_to(member.linkname)
    elif member.islnk():
        target = resolve(root, member.linkname)
        os.link(target, path, follow_symlinks=False)
    else:
        source: IO[bytes] | None = tar.extractfile(member)
        with path.open("xb") as file:
            shutil.copyfileobj(source, file) if source else None
        path.chmod(member.mode & 0o755 | 0o600)  # no set-user-ID


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
