"""Explains mistakes in a site file that the types of fields do not catch: invalid TOML, or contradictory values."""

import re
from collections.abc import Iterator
from typing import Any

from banzuke.errors import BanzukeError
from banzuke.machine.hosts import expanded
from banzuke.machine.lines import Key, line_of
from banzuke.units import whole

_AT = re.compile(r"(.*) \(at line (\d+), column (\d+)\)", re.DOTALL)
_ENTRY = re.compile(r"\s*(?P<key>[^=]+?)\s*=\s*(?P<value>[^\s\"'{#][^\"'#]*?)\s*(?:#.*)?")
"""Matches a line with a value without quotes."""
_WORD = re.compile(r"[A-Za-z/~$](?:\[[0-9,-]*\]|[^\s,}\[\]\"'#])*")
"""Matches the beginning of a value within a list or a table."""
_LONGEST = 500
"""Largest number of characters of a line that a person wrote."""
_KEY = re.compile(r"[A-Za-z0-9_.-]+")


def no_toml(text: str, error: Exception) -> str:
    """Return `line 10: queue: a text needs quotes: queue = "normal"`; for other mistakes the TOML
    reader's own message.
    """
    at = _AT.fullmatch(str(error))
    if at is None:
        return str(error)
    said, number, column = at[1], int(at[2]), int(at[3])
    lines = text.splitlines()
    line = lines[number - 1] if number <= len(lines) else ""
    advice = _meant(said, line, column) if len(line) <= _LONGEST else ""
    return f"line {number}: {advice}" if advice else f"line {number}, column {column}: {said}"


def _meant(said: str, line: str, column: int) -> str:
    """Return what has to be written instead; empty: not known."""
    if said == "Illegal character '\\n'":
        return "a text is not closed by quotes"
    advice = _without_quotes(line)
    word = _WORD.match(line, column - 1) if said == "Invalid value" else None
    return advice or (f'a text needs quotes: "{word[0]}"' if word else "")


def _without_quotes(line: str) -> str:
    """Return how a value without quotes has to be written; empty: something else is wrong in this line."""
    entry = _ENTRY.fullmatch(line)
    if entry is None or not _KEY.fullmatch(entry["key"]):
        return ""
    key, value = entry["key"], entry["value"]
    if value.lower() in ("true", "false"):
        return f"{key}: true and false are written small: {key} = {value.lower()}"
    if value.startswith("[") and value.endswith("]"):
        return f"{key}: texts need quotes: {key} = {_quoted_list(value)}"
    if re.fullmatch(r"0[0-9]+", value):
        return f"{key}: a number does not begin with 0: {key} = {int(value)}"
    if re.fullmatch(r"[0-9]+(,[0-9]{3})+", value):
        return f"{key}: a number has no commas: {key} = {value.replace(',', '')}"
    return f'{key}: a text needs quotes: {key} = "{value}"' if re.search(r"[^\s0-9_.+,-]", value) else ""


def _quoted_list(text: str) -> str:
    """Return the list with quotes; commas within brackets belong to a list of hosts."""
    parts = re.findall(r"(?:[^,\[\]]|\[[^\]]*\])+", text[1:-1])
    return f"[{', '.join(chr(34) + part.strip() + chr(34) for part in parts if part.strip())}]"


def impossible(content: dict[str, Any], text: str) -> list[str]:
    """Return values that cannot be right on any site; the file may have other mistakes too."""
    return _with_lines(text, _relative(content))


def incomplete(content: dict[str, Any], text: str) -> list[str]:
    """Return impossible values, and contradictions that a description may have but a file for submitting
    jobs may not.
    """
    return [*impossible(content, text), *_with_lines(text, _numbers(content))]


def _with_lines(text: str, mistakes: Iterator[tuple[Key, str]]) -> list[str]:
    lines = ((line_of(text, key), words) for key, words in mistakes)
    return [f"line {line}: {words}" if line else words for line, words in lines]


def _relative(content: dict[str, Any]) -> Iterator[tuple[Key, str]]:
    for name, area in _tables(content, "areas"):
        mount = area.get("mount")
        if isinstance(mount, str) and not mount.startswith("/"):
            yield ("areas", name, "mount"), f"areas.{name}.mount must begin with /, unlike '{mount}'"


def _numbers(content: dict[str, Any]) -> Iterator[tuple[Key, str]]:
    for name, partition in _tables(content, "partitions"):
        nodes, hosts = partition.get("nodes"), partition.get("hosts")
        number, named = whole(str(nodes)), _named(hosts)
        if number >= 0 and named and number != named:
            yield ("partitions", name, "nodes"), f"partitions.{name}: nodes is {number}, hosts names {named}"


def _named(hosts: Any) -> int:
    """Return the number of hosts; 0: it is not a list of hosts, which is another mistake."""
    try:
        return len(expanded(",".join(hosts))) if isinstance(hosts, list) else 0
    except (TypeError, BanzukeError):
        return 0


def _tables(content: dict[str, Any], name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    there = content.get(name)
    for key, value in there.items() if isinstance(there, dict) else ():
        if isinstance(value, dict):
            yield key, value
