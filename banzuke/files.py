"""Files that are whole or not there, files of others that are read with care, and the errors when they cannot be."""

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO

from pydantic import ValidationError

from banzuke.errors import BanzukeError
from banzuke.ulimits import RAISE, behind

DOCUMENT = 64 << 20
"""Bytes of the largest file that one document may be: a plan, a machine's description, settings."""
PART = 1 << 20
"""Bytes that are read at once."""
_KINDS = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}


def write_whole(path: Path, content: bytes) -> Path:
    """Readers see the old file or the new one; a full disk leaves the old. Makes the folder. Raises BanzukeError."""
    try:
        with writing(path) as file:
            file.write(content)
    except OSError as error:
        raise unwritable(path, error) from error
    return path


@contextmanager
def writing(path: Path) -> Iterator[IO[bytes]]:
    """A file beside `path` that takes its name once all has been written. Makes the folder. Raises OSError."""
    temporary: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            temporary = Path(file.name)
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def check_file(path: Path) -> None:
    """That it can become a file. Raises BanzukeError."""
    if path.is_dir():
        raise BanzukeError(
            f"{path} is a folder", why="a file of this name would be written", remedy="Rename the folder"
        )


def check_folder(folder: Path) -> None:
    """Makes the folder, and tries to write in it. Raises BanzukeError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise unwritable(folder, error) from error


def check_no_link(folder: Path) -> None:
    """Of a folder that may come from elsewhere, into which will be written. Raises BanzukeError."""
    if folder.is_symlink():
        raise BanzukeError(
            f"{folder} is a link", why="what it leads to would be written to", remedy="Remove it, or use --output"
        )


def read_whole(path: Path, most: int = DOCUMENT) -> bytes:
    """Content of a regular file of at most `most` bytes. Raises BanzukeError.

    Anything else is not even opened: a pipe waits for somebody to write, a device may have no end.
    """
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            kind = _KINDS.get(stat.S_IFMT(about.st_mode), "a device")
            raise BanzukeError(
                f"cannot read {path}", why=f"it is {kind}, not a file", remedy="Write its content to a file"
            )
        with path.open("rb") as file:
            content = _content(file, most) if about.st_size <= most else b""
    except (OSError, ValueError) as error:  # ValueError: a name with a zero character
        raise BanzukeError(f"cannot read {path}", why=getattr(error, "strerror", None) or str(error)) from error
    if max(len(content), about.st_size) > most:
        raise BanzukeError(f"cannot read {path}", why=f"it is larger than {most >> 20} MiB")
    return content


def _content(file: BinaryIO, most: int) -> bytes:
    """Up to `most` bytes and one part more, part by part: `read` takes memory for all that it is asked for."""
    content = bytearray()
    while len(content) <= most and (part := file.read(PART)):
        content += part
    return bytes(content)


def refusal(error: ValidationError) -> str:
    """`metrics.triad.samples.0: Input should be ...`: the first thing that a model refuses."""
    loc, why = refused(error)
    return ": ".join(filter(None, (".".join(map(str, loc)), why)))


def refused(error: ValidationError) -> tuple[tuple[str | int, ...], str]:
    """Where the first thing is that a model refuses, and why."""
    # Where several types are allowed, that one of them alone fits the value tells less than why it does not fit.
    first = min(error.errors(), key=lambda found: found["type"].endswith("_type"))
    return first["loc"], first["msg"]


def unwritable(path: Path, error: OSError) -> BanzukeError:
    why = error.strerror or str(error)
    limits = behind(why)
    remedy = RAISE if limits else "Free some space, or name another folder with --results"
    return BanzukeError(
        f"cannot write {path}",
        why=", ".join(filter(None, [why, limits])),
        remedy=f"{remedy}. What was measured before is kept",
    )


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
