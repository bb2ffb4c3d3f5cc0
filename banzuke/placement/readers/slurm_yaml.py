"""Reads Slurm's `topology.yaml` (24.11 and newer): several topologies: trees of switches, blocks, a ring or a torus.

The file uses a small part of YAML, and only that is read: keys with a value on their line, lists of these, comments.
"""

import re
from dataclasses import dataclass, field

from banzuke.errors import BanzukeError
from banzuke.placement.readers.lines import wrong
from banzuke.placement.readers.slurm import network_of, no_uplinks
from banzuke.placement.readers.slurm_tori import YamlLine, torus_of
from banzuke.placement.topology import NetworkTopology
from banzuke.words import Message, message

_BEGINNING = re.compile(r"^\s*-\s+topology\s*:", re.MULTILINE)
_KEY = re.compile(r"(?P<dash>-\s+)?(?P<key>[A-Za-z_]\w*)\s*:(?:\s+(?P<value>.*))?")
_NUMBER = re.compile(r"-\s+[0-9]+")
_COMMENT = re.compile(r"(^|\s)#.*")
_LISTS = {"tree": "switches", "block": "blocks", "ring": "rings"}
_FLAT, _TORUS = "flat", "torus3d"
_OF_ALL = ("cluster_default", *_LISTS, _FLAT, _TORUS)
"""Words of a topology of any kind."""
_ENTRIES = {"switch": "switchname", "block": "blockname", "ring": "ringname"}
_PARTS = {"children": "switches", "nodes": "nodes"}


@dataclass
class _Named:
    """One of the file's topologies."""

    name: str
    line: int
    kind: str = ""
    default: bool = False
    entries: list[tuple[int, str, dict[str, str]]] = field(default_factory=list)
    inner: list[YamlLine] = field(default_factory=list)
    """The lines of a torus."""


def is_slurm_yaml(text: str) -> bool:
    return _BEGINNING.search(text) is not None


def read_slurm_yaml(text: str, file: str, uplinks: int | None = None) -> NetworkTopology:
    """Read the cluster's default topology, or the first, as Slurm does; `uplinks`: as for `topology.conf`. Raises
    BanzukeError.
    """
    topologies = _topologies(text, file)
    chosen = next((named for named in topologies if named.default), topologies[0])
    if chosen.kind not in (*_LISTS, _TORUS):
        raise BanzukeError(
            f"{file}, line {chosen.line}: the topology '{chosen.name}' describes no network",
            why=f"it is {chosen.kind or 'of no kind'}",
            remedy="Name one with a network as cluster_default, or give a file with that topology alone",
        )
    notes: list[Message] = []
    if len(topologies) > 1:
        notes.append(message("place-note-slurm-chosen", name=chosen.name, number=len(topologies)))
    if chosen.kind == _TORUS:
        if uplinks is not None:
            raise no_uplinks(file)
        return torus_of(chosen.inner, file, notes)
    return network_of(chosen.entries, file, uplinks, notes)


def _topologies(text: str, file: str) -> list[_Named]:
    topologies: list[_Named] = []
    for number, raw in enumerate(text.splitlines(), start=1):
        line = _COMMENT.sub("", raw).strip()
        if line in ("", "---", "..."):
            continue
        match = _KEY.fullmatch(line)
        if match is None and topologies and topologies[-1].kind in ("block", _FLAT) and _NUMBER.fullmatch(line):
            continue  # such as a block size
        if match is None or "\t" in raw[: len(raw) - len(raw.lstrip())]:
            raise wrong(file, number, raw, "it is no line of Slurm's topology.yaml", "Each is `key: value`")
        value = (match["value"] or "").strip().strip("\"'")
        if match["dash"] and match["key"] == "topology":
            topologies.append(_Named(value, number))
        elif not topologies:
            raise wrong(file, number, raw, "it is part of no topology", "Begin with `- topology: NAME`")
        elif topologies[-1].kind == _FLAT and (match["dash"] or match["key"] not in _OF_ALL):
            continue
        elif topologies[-1].kind == _TORUS and (match["dash"] or match["key"] not in _OF_ALL):
            column = len(raw) - len(raw.lstrip()) + match.start("key")
            topologies[-1].inner.append(YamlLine(number, column, bool(match["dash"]), match["key"], value, line))
        elif why := _refusal(topologies[-1], number, line, match["key"], value, listed=bool(match["dash"])):
            raise wrong(file, number, raw, why)
    return topologies


def _refusal(named: _Named, number: int, line: str, key: str, value: str, *, listed: bool) -> str:
    """Add the line to its topology; return why that is not possible, or nothing."""
    if listed:
        if key not in _ENTRIES or named.kind not in _LISTS:
            return f"'{key}' begins no entry of a topology"
        named.entries.append((number, line, {_ENTRIES[key]: value}))
    elif key in _PARTS:
        if not named.entries:
            return f"'{key}' is of no switch or block"
        part = named.entries[-1][2]
        if _PARTS[key] in part or not value:
            return f"'{key}' stands there twice" if value else f"'{key}' names nothing in its line"
        part[_PARTS[key]] = value
    else:
        return _refusal_of_kind(named, key, value)
    return ""


def _refusal_of_kind(named: _Named, key: str, value: str) -> str:
    """Take what kind of topology it is; return why that is not possible, or nothing."""
    if key == "cluster_default":
        named.default = value.lower() == "true"
    elif key in _OF_ALL:
        if named.kind:
            return f"the topology is {named.kind} already"
        named.kind = key
        return f"'{key}' has its parts in the next lines" if value and key != _FLAT else ""
    elif key not in (_LISTS.get(named.kind), "block_sizes"):
        return f"'{key}' is no word of Slurm's topology.yaml that is known"
    return f"'{key}' is a list" if value and key in _LISTS.values() else ""
