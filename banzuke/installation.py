"""Identifies this installation: its version, and hashes of its sources and programs."""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import banzuke
from banzuke import paths

_PACKAGE = Path(__file__).resolve().parent
_KINDS = {".py", ".ftl", ".j2", ".css", ".js", ".toml", ".json"}
"""Suffixes of the files that the front end reads."""
_BUILD = re.compile(rb"(?:\x04\0{3}\x14\0{3}\x03\0{3}|\0{3}\x04\0{3}\x14\0{3}\x03)GNU\0(.{20})", re.DOTALL)
"""NT_GNU_BUILD_ID, the linker's hash of all that it linked. It stays the same when search paths are rewritten later, as
in a bundle.
"""
_NEAR = 1 << 16
"""Bytes at the beginning of a file in which linkers put the build ID."""
_DIGITS = 8


def installation() -> str:
    """Return `0.1.0+1a2b3c4d.5e6f7a8b`: the version, and hashes of its sources and its programs.

    It is the same wherever they lie, in a bundle too, and changes with either. Further builds and tests do not
    count.
    """
    return f"{front_end()}{_programs(paths.executables())}"


def front_end() -> str:
    """Return its beginning, `0.1.0+1a2b3c4d.`, which installations of the same sources for other processors share."""
    return f"{banzuke.__version__}+{_sources(_PACKAGE, paths.DATA)}."


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
    """Yield the files that the front end reads. Tests are left out, because not every installation has them."""
    for at, folders, names in os.walk(folder):
        place = Path(at)
        left_out = {"__pycache__", "testing", skipping if place == folder else ""}
        folders[:] = [name for name in folders if name not in left_out]
        for name in names:
            tests = name.startswith(("test_", "conftest.", "testing.", "."))
            if not tests and Path(name).suffix in _KINDS:
                yield place / name


def _build(program: Path) -> bytes:
    """Return bytes that change with the program but not with the folder that it lies in."""
    content = _content(program, _NEAR)
    match = _BUILD.search(content) if content.startswith(b"\x7fELF") else None
    if match is None:
        return _content(program)
    return match[1] + program.stat().st_size.to_bytes(8)


def _content(file: Path, most: int = -1) -> bytes:
    """Return a file's content; empty if it may not be read or has just gone."""
    try:
        with file.open("rb") as opened:
            return opened.read(most)
    except OSError:
        return b""


def _digest(parts: Iterable[tuple[str, bytes]]) -> str:
    """Return a hash of names and contents in any order."""
    entries = sorted(hashlib.sha256(content).hexdigest() + name for name, content in parts)
    return hashlib.sha256("\n".join(entries).encode()).hexdigest()[:_DIGITS]
