"""Which installation this is: its version, and what tells it from all others of that version."""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from banzuke import __version__, paths

_PACKAGE = Path(__file__).resolve().parent
_KINDS = {".py", ".ftl", ".j2", ".css", ".js", ".toml", ".json"}
"""Suffixes of the files that the front end reads."""
_BUILD = re.compile(rb"(?:\x04\0{3}\x14\0{3}\x03\0{3}|\0{3}\x04\0{3}\x14\0{3}\x03)GNU\0(.{20})", re.DOTALL)
"""NT_GNU_BUILD_ID: what a linker made of all that it linked. Search paths are rewritten later, in a bundle too."""
_NEAR = 1 << 16
"""Bytes in which linkers put it."""
_DIGITS = 8


def installation() -> str:
    """`0.1.0+1a2b3c4d.5e6f7a8b`: the version, its sources and its programs.

    The same wherever these lie, in a bundle too; another one after any change of either. Further builds and tests
    count for nothing.
    """
    return f"{front_end()}{_programs(paths.executables())}"


def front_end() -> str:
    """`0.1.0+1a2b3c4d.`: how that of the same sources begins, whose programs may be for another kind of processor."""
    return f"{__version__}+{_sources(_PACKAGE, paths.DATA)}."


@cache
def _sources(package: Path, data: Path) -> str:
    sources = _read_by_us(package, skipping="data")
    parts = [_read_by_us(data / name) for name in ("benchmarks", "machines")]
    read = [(file.relative_to(package), file) for file in sources]
    read += [(file.relative_to(data), file) for part in parts for file in part]
    return _digest((path.as_posix(), _content(file)) for path, file in read)


@cache
def _programs(folder: Path) -> str:
    programs = (file for file in folder.glob("banzuke-*") if file.is_file() and os.access(file, os.X_OK))
    return _digest((file.name, _build(file)) for file in programs)


def _read_by_us(folder: Path, skipping: str = "") -> Iterator[Path]:
    """Files of the front end, of which not all that the sources have are installed."""
    for at, folders, names in os.walk(folder):
        place = Path(at)
        left_out = {"__pycache__", "testing", skipping if place == folder else ""}
        folders[:] = [name for name in folders if name not in left_out]
        for name in names:
            tests = name.startswith(("test_", "conftest.", "testing.", "."))
            if not tests and Path(name).suffix in _KINDS:
                yield place / name


def _build(program: Path) -> bytes:
    """What changes with a program, and not with the folder that it is in."""
    content = _content(program, _NEAR)
    match = _BUILD.search(content) if content.startswith(b"\x7fELF") else None
    if match is None:
        return _content(program)
    return match[1] + program.stat().st_size.to_bytes(8)


def _content(file: Path, most: int = -1) -> bytes:
    """Nothing of one that may not be read, or has just gone."""
    try:
        with file.open("rb") as opened:
            return opened.read(most)
    except OSError:
        return b""


def _digest(parts: Iterable[tuple[str, bytes]]) -> str:
    """A hash of names and contents, in whatever order."""
    entries = sorted(hashlib.sha256(content).hexdigest() + name for name, content in parts)
    return hashlib.sha256("\n".join(entries).encode()).hexdigest()[:_DIGITS]
