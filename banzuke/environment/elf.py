"""Reads an ELF file's processor, its loader, and the C library that it needs."""

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_MACHINES = {3: "i386", 21: "ppc64", 22: "s390x", 40: "arm", 62: "x86_64", 183: "aarch64", 243: "riscv64"}
"""Names of e_machine (gabi.xinuos.com, chapter 4), as uname prints them."""
_INTERPRETER = 3
"""PT_INTERP."""
_VERSION = re.compile(rb"\0GLIBC_(\d{1,9})\.(\d{1,9})(?:\.\d+)?(?=\0)")

_MOST_BYTES = 1 << 28
"""Most bytes that are read; many times the size of a C library or one of our programs."""

Version = tuple[int, int]


@dataclass(frozen=True)
class Elf:
    machine: str
    loader: str
    """Path of the program that loads it; empty: a library, or linked statically."""
    libc: Version
    """Newest version among glibc's symbols in it: what a program needs, or what libc.so.6 itself provides."""


def read(path: Path) -> Elf | None:
    """Read a file; None: it is not a 64-bit ELF file, not regular, or not readable."""
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            data = file.read(6)
            if data[:5] != b"\x7fELF\x02":  # a file of any size may begin like this
                return None
            data += file.read(_MOST_BYTES)
        order = {1: "<", 2: ">"}[data[5]]
        (machine,) = struct.unpack_from(order + "H", data, 18)
        loader = _loader(data, order)
    except (OSError, KeyError, IndexError, OverflowError, struct.error):
        return None
    versions = [(int(major), int(minor)) for major, minor in _VERSION.findall(data)]
    return Elf(_MACHINES.get(machine, f"machine {machine}"), loader, max(versions, default=(0, 0)))


def _loader(data: bytes, order: str) -> str:
    loaders = ((offset, size) for kind, offset, _, size in segments(data, order) if kind == _INTERPRETER)
    for offset, size in loaders:
        return data[offset : offset + size].rstrip(b"\0").decode("utf-8", "replace")
    return ""


def segments(data: bytes, order: str) -> Iterator[tuple[int, int, int, int]]:
    """Yield kind, offset in the file, address and bytes in the file of each segment. Raises struct.error."""
    (start,) = struct.unpack_from(order + "Q", data, 32)
    size, count = struct.unpack_from(order + "HH", data, 54)
    for number in range(count):
        kind, _, offset, address, _, length = struct.unpack_from(order + "IIQQQQ", data, start + number * size)
        yield kind, offset, address, length
