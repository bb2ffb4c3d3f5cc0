"""On which line of a TOML file a key is, so that people find what is wrong with it."""

import re
import tomllib
from collections.abc import Iterator, Sequence

Key = tuple[str | int, ...]
"""As Pydantic names it: of a list's elements the number."""
_HEADER = re.compile(r"\s*(\[{1,2})(.+?)\]{1,2}\s*(?:#.*)?")
_ENTRY = re.compile(r"""\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*=""")


def line_of(text: str, key: Sequence[str | int]) -> int | None:
    """The line of the key, or of what holds it; None where not even that is found. The text is valid TOML."""
    best: tuple[int, int] | None = None
    for line, candidate in _keys(text):
        shared = len(candidate) if tuple(key[: len(candidate)]) == candidate else 0
        if shared and (best is None or shared > best[0]):
            best = shared, line
    return best and best[1]


def _keys(text: str) -> Iterator[tuple[int, Key]]:
    """Each line that begins a table or gives a value, with its whole key."""
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
    """With the numbers of the elements that it is in: a table within a list is in its last element."""
    key: Key = ()
    for place, part in enumerate(parts, 1):
        key = (*key, part)
        if place < len(parts) and key in elements:
            key = (*key, elements[key])
    return key


def _parts(dotted: str) -> Key:
    """The parts of `a."b c"`; nothing where it is no key, as within a text of several lines."""
    try:
        value = tomllib.loads(f"{dotted} = 0")
    except ValueError:
        return ()
    parts: list[str] = []
    while isinstance(value, dict):
        ((name, value),) = value.items()
        parts.append(name)
    return tuple(parts)
