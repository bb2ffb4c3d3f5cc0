"""Finds the line of a key in a TOML file, so that messages can name it."""

import re
import tomllib
from collections.abc import Iterator, Sequence

Key = tuple[str | int, ...]
"""As Pydantic names it; elements of lists by number."""
_HEADER = re.compile(r"\s*(\[{1,2})(.+?)\]{1,2}\s*(?:#.*)?")
_ENTRY = re.compile(r"""\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*=""")


def line_of(text: str, key: Sequence[str | int]) -> int | None:
    """Return the line of the key, or of the table that holds it; None where neither is found. The text
    is valid TOML.
    """
    best: tuple[int, int] | None = None
    for line, candidate in _keys(text):
        shared = len(candidate) if tuple(key[: len(candidate)]) == candidate else 0
        if shared and (best is None or shared > best[0]):
            best = shared, line
    return best and best[1]


def _keys(text: str) -> Iterator[tuple[int, Key]]:
    """Yield each line that begins a table or gives a value, with its whole key."""
    table: Key = ()
    elements: dict[Key, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.fullmatch(line):
            table = _placed(_parts(header[2]), elements)
            if header[1] == "[[":
                elements[table] = elements.get(table, -1) + 1
                table = (*table, elements[table])
            yield number, table
        elif entry := _ENTRY.match(line):
            yield number, (*table, *_parts(entry[1]))


def _placed(parts: Key, elements: dict[Key, int]) -> Key:
    """Return the key with element numbers: a table within a list belongs to the list's last element."""
    key: Key = ()
    for place, part in enumerate(parts, 1):
        key = (*key, part)
        if place < len(parts) and key in elements:
            key = (*key, elements[key])
    return key


def _parts(dotted: str) -> Key:
    """Return the parts of `a."b c"`; empty where it is not a key, as within a multi-line text."""
    try:
        value = tomllib.loads(f"{dotted} = 0")
    except ValueError:
        return ()
    parts: list[str] = []
    while isinstance(value, dict):
        ((name, value),) = value.items()
        parts.append(name)
    return tuple(parts)
