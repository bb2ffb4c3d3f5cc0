"""Reads and changes what an ELF file asks of the loader: libraries by name, and where to search for them first."""

import struct
from collections.abc import Callable
from dataclasses import dataclass

from banzuke.environment import elf

_LOAD, _DYNAMIC = 1, 2
"""PT_LOAD, PT_DYNAMIC (gabi.xinuos.com, chapters 7 and 8)."""
_NEEDED, _STRTAB, _RPATH, _RUNPATH = 1, 5, 15, 29


@dataclass(frozen=True)
class Dynamic:
    needed: tuple[str, ...]
    search: str
    """Folders separated by colons, relative ones with $ORIGIN: DT_RUNPATH, else the older DT_RPATH; empty: none."""


@dataclass(frozen=True)
class _Entry:
    tag: int
    value: int
    at: int
    """Offset of the value in the file."""


def read(data: bytes) -> Dynamic | None:
    """Read the dynamic section; None: not a 64-bit ELF file that the loader would link."""
    try:
        entries, strings = _entries(data)
        names = [_text(data, strings + entry.value) for entry in entries if entry.tag == _NEEDED]
        search = next((_text(data, strings + entry.value) for entry in _search(entries)), "")
    except (ValueError, struct.error):
        return None
    return Dynamic(tuple(names), search)


def with_search(data: bytes, wanted: Callable[[str], bool]) -> bytes:
    """Return the file with only the wanted ones of its search folders.

    The new text ends where the old one ended, and nothing else moves, because a linker may let other names share that
    end.
    """
    try:
        entries, strings = _entries(data)
    except (ValueError, struct.error):
        return data
    changed = bytearray(data)
    order = _order(data)
    for entry in _search(entries):
        start = strings + entry.value
        old = _text(data, start)
        new = ":".join(filter(wanted, old.split(":")))
        if new == old:
            continue
        shift = len(old.encode()) - len(new.encode())
        changed[start : start + len(old.encode())] = bytes(shift) + new.encode()
        struct.pack_into(order + "Q", changed, entry.at, entry.value + shift)
    return bytes(changed)


def _search(entries: list[_Entry]) -> list[_Entry]:
    """Return the entries of search paths, DT_RUNPATH first: if it exists, the loader ignores DT_RPATH."""
    return sorted((entry for entry in entries if entry.tag in {_RPATH, _RUNPATH}), key=lambda entry: -entry.tag)


def _order(data: bytes) -> str:
    if data[:5] != b"\x7fELF\x02" or data[5:6] not in {b"\1", b"\2"}:
        raise ValueError("not an ELF file of 64 bits")
    return "<" if data[5] == 1 else ">"


def _entries(data: bytes) -> tuple[list[_Entry], int]:
    """Return the entries of the dynamic section, and the offset of its strings. Raises ValueError, struct.error."""
    order = _order(data)
    loads: list[tuple[int, int, int]] = []
    dynamic: tuple[int, int] | None = None
    for kind, offset, address, size in elf.segments(data, order):
        if kind == _LOAD:
            loads.append((address, offset, size))
        elif kind == _DYNAMIC:
            dynamic = offset, size
    if dynamic is None:
        raise ValueError("linked statically")
    entries = []
    for at in range(dynamic[0], dynamic[0] + dynamic[1], 16):
        tag, value = struct.unpack_from(order + "qQ", data, at)
        if tag == 0:
            break
        entries.append(_Entry(tag, value, at + 8))
    table = next((entry.value for entry in entries if entry.tag == _STRTAB), None)
    for address, offset, size in loads:
        if table is not None and address <= table < address + size:
            return entries, offset + table - address
    raise ValueError("no strings")


def _text(data: bytes, at: int) -> str:
    end = data.find(b"\0", at)
    if not 0 <= at <= end:
        raise ValueError("a string outside of the file")
    return data[at:end].decode("utf-8", "surrogateescape")
