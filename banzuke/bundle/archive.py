"""Writes a bundle: completely or not at all, and with the same bytes for the same installation."""

import gzip
import io
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, cast

from banzuke.bundle import dynamic, start
from banzuke.bundle.contents import Contents
from banzuke.errors import BanzukeError
from banzuke.files import writing
from banzuke.files.remedies import writing_remedy

SUFFIXES = (".tar.gz", ".tar.zst")
_TIME = 315532800
"""1980-01-01, as in other reproducible archives, so that times of installation make no difference."""
_ZSTD = ("zstd", "--quiet", "--threads=0", "--stdout")
"""The program, because Python has a module for zstd only from 3.14 on."""

Done = Callable[[int], None]
"""Called with the number of bytes that have been packed."""


def check_name(path: Path) -> None:
    """Raise BanzukeError if no archive can have this name."""
    if not path.name.endswith(SUFFIXES):
        raise BanzukeError(f"{path} names no archive", remedy=f"Let it end with {' or '.join(SUFFIXES)}")
    if path.is_dir():
        raise BanzukeError(f"{path} is a folder", remedy="Name a file")
    if path.name.endswith(".zst") and not shutil.which("zstd"):
        raise BanzukeError(f"cannot write {path}", why="zstd is not on PATH", remedy="Install it, or write a .tar.gz")


def write(path: Path, contents: Contents, top: str, done: Done) -> int:
    """Write all files below the folder `top` and return the bytes of the archive. Raises BanzukeError."""
    search = {str(library.parent) for library in contents.left.values()}
    digests: dict[str, bytes] = {}
    written = 0
    try:
        with writing(path) as file:
            with (
                _compressed(file, path) as stream,
                tarfile.open(fileobj=stream, mode="w|", format=tarfile.GNU_FORMAT) as tar,
            ):
                for place, source in sorted(contents.files.items()):
                    content = dynamic.with_search(
                        source.read(), lambda entry: entry.startswith("$ORIGIN") or entry in search
                    )
                    digests[place] = start.digest(content)
                    _add(tar, f"{top}/{place}", content, executable=source.executable)
                    written += len(content)
                    done(written)
                _add(tar, f"{top}/{start.SUMS}", start.sums(digests), executable=False)
            file.flush()
            return file.seek(0, io.SEEK_END)
    except OSError as error:
        raise BanzukeError(
            f"cannot write {path}",
            why=error.strerror or str(error),
            remedy=f"{writing_remedy(error, 'Name another place', path=path)}. Nothing was left behind",
        ) from error


def _add(tar: tarfile.TarFile, place: str, content: bytes, *, executable: bool) -> None:
    entry = tarfile.TarInfo(place)
    entry.size, entry.mtime, entry.mode = len(content), _TIME, 0o755 if executable else 0o644
    tar.addfile(entry, io.BytesIO(content))


@contextmanager
def _compressed(file: IO[bytes], path: Path) -> Iterator[IO[bytes]]:
    if path.name.endswith(".gz"):
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as stream:
            yield cast("IO[bytes]", stream)
        return
    pipe = subprocess.PIPE
    with subprocess.Popen(_ZSTD, stdin=pipe, stdout=file, stderr=pipe) as process:
        try:
            yield cast("IO[bytes]", process.stdin)
            _, said = process.communicate()
        except BrokenPipeError:  # zstd prints why
            with suppress(BrokenPipeError):  # what is left in the buffer
                cast("IO[bytes]", process.stdin).close()
            said = cast("IO[bytes]", process.stderr).read()
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        raise OSError(said.decode("utf-8", "replace").strip())
