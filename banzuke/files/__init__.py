"""Writes files completely or not at all, reads files of others with care, and explains why a file cannot be used."""

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO

from banzuke.errors import BanzukeError
from banzuke.files import remedies, trust
from banzuke.files.reach import Way, doubt, reached
from banzuke.ulimits import behind

if TYPE_CHECKING:
    from pydantic import ValidationError

DOCUMENT = 64 << 20
"""Bytes of the largest file that is read as one document: a plan, a machine's description, settings."""
PART = 1 << 20
"""Bytes that are read at once."""
_KINDS = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFLNK: "a link"}


def write_whole(path: Path, content: bytes, *, executable: bool = False, option: str = "") -> Path:
    """Write a file so that readers see either the old or the new one, and a full disk leaves the old one.

    Makes the folder. Raises BanzukeError. `option`: the option by which a user can name another folder.
    """
    try:
        with writing(path, 0o777 if executable else 0o666) as file:
            file.write(content)
    except OSError as error:
        raise unwritable(path, error, option) from error
    return path


@contextmanager
def writing(path: Path, mode: int = 0o666) -> Iterator[IO[bytes]]:
    """Open a file beside `path` that gets its name once everything has been written.

    Makes the folder. Raises OSError. `mode`: its permissions before the umask.
    """
    with reached(path, make=True, follow=False) as place:
        temporary = replace(place, name=f".{path.name}.{secrets.token_hex(4)}")
        descriptor = temporary.open(os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        try:
            with os.fdopen(descriptor, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.rename(temporary.name, place.name, src_dir_fd=place.folder, dst_dir_fd=place.folder)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary.name, dir_fd=place.folder)
            raise


def create(path: Path) -> int:
    """Create a file to append to, and return its descriptor. Raises OSError, FileExistsError if there is one."""
    with reached(path, follow=False) as place:
        return place.open(os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL)


def identity(path: Path) -> tuple[int, int] | None:
    """Return the identity of a file or folder, whatever its name, while it is open or exists; None: there is none.

    Raises OSError.
    """
    try:
        with reached(path, follow=False) as place:
            status = place.status()
            return status.st_dev, status.st_ino
    except FileNotFoundError:
        return None


def check_file(path: Path) -> None:
    """Raise BanzukeError if a file of this name would take the place of something else, such as of `/dev/null`."""
    with suppress(OSError):
        mode = path.lstat().st_mode
        if not stat.S_ISREG(mode):
            raise BanzukeError(
                f"{path} is {_kind(mode)}",
                why="a file would be written in its place",
                remedy="Name another file, or start in another folder",
            )


def check_folder(folder: Path, option: str = "") -> None:
    """Make the folder, which `option` names, and try to write in it. Raises BanzukeError."""
    try:
        with reached(folder / f".writable.{secrets.token_hex(4)}", make=True, follow=False) as place:
            os.close(place.open(os.O_WRONLY | os.O_CREAT | os.O_EXCL))
            os.unlink(place.name, dir_fd=place.folder)
    except OSError as error:
        raise unwritable(folder, error, option) from error


def make_folder(folder: Path, *, new: bool) -> None:
    """Make a folder and its parents; `new`: it must not exist. Raises OSError."""
    with reached(folder, make=True, follow=False) as place:
        try:
            os.mkdir(place.name, dir_fd=place.folder)
        except FileExistsError:
            if new or not stat.S_ISDIR(place.status().st_mode):
                raise


def rename(path: Path, name: str) -> Path:
    """Rename a file or folder within its folder. Raises OSError."""
    with reached(path, follow=False) as place:
        os.rename(place.name, name, src_dir_fd=place.folder, dst_dir_fd=place.folder)
    return path.with_name(name)


def unlink(file: Path) -> None:
    """Remove a file or a link itself, if it exists. Raises OSError."""
    with suppress(FileNotFoundError), reached(file, follow=False) as place:
        os.unlink(place.name, dir_fd=place.folder)


def remove_folder(folder: Path) -> None:
    """Remove a folder with its content; links are removed, not followed. Raises OSError."""
    with reached(folder, follow=False) as place:
        try:
            shutil.rmtree(place.name, dir_fd=place.folder)
        except RecursionError as error:
            raise OSError(errno.ENAMETOOLONG, "its folders are too deep") from error


def check_no_link(folder: Path) -> None:
    """Raise BanzukeError if a folder to write into, which may come from elsewhere, is a link."""
    if folder.is_symlink():
        raise BanzukeError(
            f"{folder} is a link", why="what it leads to would be written to", remedy="Remove it, or use --output"
        )


def whose(*paths: Path, way: Way = "ours") -> str:
    """Return why one of these files and folders is not ours, as `/home/alice belongs to alice`; empty: all are, or
    missing.

    What is not ours is only data: nothing of it is started, continued or used as a setting.
    """
    return next(filter(None, (_whose(path, way) for path in paths)), "")


def _whose(path: Path, way: Way) -> str:
    try:
        return doubt(path, way)
    except OSError as error:
        return error.strerror or str(error)


def check_ours(*paths: Path, problem: str, way: Way = "ours") -> None:
    """Raise NotOursError with this problem if one of these files and folders is not ours; see `whose`."""
    if why := whose(*paths, way=way):
        raise NotOursError(problem, why=why, remedy=trust.remedy(why))


@contextmanager
def opened(path: Path, *, ours: bool = False) -> Iterator[BinaryIO]:
    """Open a regular file in a folder to which others may write. Raises BanzukeError; if `ours`, NotOursError if it is
    not.

    Links of others are not followed. Only regular files are opened, because a pipe would wait for a writer.
    """
    try:
        with reached(path) as place:
            _check_regular(path, place.status())
            file = os.fdopen(place.open(os.O_RDONLY | os.O_NONBLOCK), "rb")
    except (OSError, ValueError) as error:  # ValueError: a name with a null character
        raise _unreadable(path, error) from error
    with file:
        _check_regular(path, os.fstat(file.fileno()))
        own = ours and trust.doubt(file.fileno())
        if why := ours and (place.exchangeable or (own and f"{path} {own}")):
            raise NotOursError(f"nothing is taken from {path}", why=why, remedy=trust.remedy(why))
        yield file


class NotOursError(BanzukeError):
    """Raised if something that would control us may belong to somebody else."""


def read_whole(path: Path, most: int = DOCUMENT) -> bytes:
    """Return the content, of at most `most` bytes, of a file that is data. Raises BanzukeError."""
    with opened(path) as file:
        return _read(path, file, most)


def read_ours(path: Path, most: int = DOCUMENT) -> bytes:
    """Return the content of a file that controls us, from the file whose owner was checked. Raises BanzukeError."""
    with opened(path, ours=True) as file:
        return _read(path, file, most)


def read_named(path: Path, most: int = DOCUMENT) -> bytes:
    """Return the content of a file that a user names, wherever links lead. Raises BanzukeError."""
    try:
        _check_regular(path, path.stat())
        file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error
    with file:
        _check_regular(path, os.fstat(file.fileno()))
        return _read(path, file, most)


def read_end(path: Path, most: int) -> bytes:
    """Return the last bytes of a file that is data; none if it cannot be read."""
    try:
        with opened(path) as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - most))
            return file.read(most)
    except (BanzukeError, OSError):
        return b""


def _check_regular(path: Path, about: os.stat_result) -> None:
    if not stat.S_ISREG(about.st_mode):
        why = f"it is {_kind(about.st_mode)}, not a file"
        raise BanzukeError(f"cannot read {path}", why=why, remedy="Write its content to a file")


def _kind(mode: int) -> str:
    return _KINDS.get(stat.S_IFMT(mode), "a device")


def _read(path: Path, file: BinaryIO, most: int) -> bytes:
    about = os.fstat(file.fileno())
    try:
        content = _content(file, most) if about.st_size <= most else b""
    except OSError as error:
        raise _unreadable(path, error) from error
    if max(len(content), about.st_size) > most:
        raise BanzukeError(f"cannot read {path}", why=f"it is larger than {most >> 20} MiB")
    return content


def _unreadable(path: Path, error: Exception) -> BanzukeError:
    why = getattr(error, "strerror", None) or str(error)
    return BanzukeError(f"cannot read {path}", why=why, remedy=remedies.reading_remedy(path, error))


def _content(file: BinaryIO, most: int) -> bytes:
    """Read up to `most` bytes and one part more, in parts, because `read` allocates as much as it is asked for."""
    content = bytearray()
    while len(content) <= most and (part := file.read(PART)):
        content += part
    return bytes(content)


def refusal(error: "ValidationError") -> str:
    """Return the first thing that a model refuses: `metrics.triad.samples.0: Input should be ...`."""
    # If several types are allowed, an error of another kind says more than that the value is not of one type.
    first = min(error.errors(), key=lambda detail: detail["type"].endswith("_type"))
    return ": ".join(filter(None, (".".join(map(str, first["loc"])), first["msg"])))


def unwritable(path: Path, error: OSError, option: str = "", *, kept: bool = False) -> BanzukeError:
    """Return the error; `option`: named the folder. `kept`: what was measured before is in this file."""
    why = error.strerror or str(error)
    return BanzukeError(
        f"cannot write {path}",
        why=", ".join(filter(None, [why, behind(why)])),
        remedy=remedies.writing_remedy(error, path=path, option=option)
        + (". What was measured before is kept" if kept else ""),
    )
