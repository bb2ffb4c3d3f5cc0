"""Reads Slurm's rings and three-dimensional tori (24.11 and 26.05), in which only neighbours have a cable."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from banzuke.errors import BanzukeError
from banzuke.machine.hosts import expanded
from banzuke.placement.readers.lines import wrong
from banzuke.placement.shapes import torus
from banzuke.placement.topology import NetworkTopology, topology_of
from banzuke.words import Message, message

AXES = ("x", "y", "z")
MOST_PLACES = 1 << 20
_FLOW = re.compile(r"\{\s*(\w+\s*:\s*\w+(?:\s*,\s*\w+\s*:\s*\w+)*)\s*\}")
_LISTS = ("regions", "placements")
_TRIPLES = ("dims", "anchor", "anchor_seed", "anchor_spacing")


class YamlLine(NamedTuple):
    """A line of a torus in `topology.yaml`."""

    number: int
    column: int
    """Where its key begins."""
    dashed: bool
    key: str
    value: str
    text: str


@dataclass
class _Part:
    """A torus, or a region of it."""

    line: YamlLine
    nodes: str = ""
    triples: dict[str, dict[str, int]] = field(default_factory=dict)

    def sides(self, file: str) -> tuple[int, int, int]:
        """Return its extents. Raises BanzukeError."""
        dims = self.triples.get("dims", {})
        if missing := [axis for axis in AXES if dims.get(axis, 0) < 1]:
            raise self.refusal(file, f"its dims have no {missing[0]} of at least 1", "Give x, y and z")
        x, y, z = (dims[axis] for axis in AXES)
        if x * y * z > MOST_PLACES:
            raise self.refusal(file, f"it has more than {MOST_PLACES:,} places", "Describe a smaller one")
        return x, y, z

    def refusal(self, file: str, why: str, remedy: str) -> BanzukeError:
        return wrong(file, self.line.number, self.line.text, why, remedy)


@dataclass
class _Torus(_Part):
    regions: list[_Part] = field(default_factory=list)


def ring_of(file: str, nodes: Sequence[str], further: Sequence[Message] = ()) -> NetworkTopology:
    """Return the ring of these nodes, in their order. Raises BanzukeError."""
    return _network(file, (len(nodes),), dict(enumerate(nodes)), further)


def torus_of(lines: Sequence[YamlLine], file: str, further: Sequence[Message] = ()) -> NetworkTopology:
    """Return the torus that these lines of `topology.yaml` describe. Raises BanzukeError."""
    tori = _tori(lines, file)
    if len(tori) != 1:
        raise apart(file, tori[1].line.number, tori[1].line.text) if tori else BanzukeError(f"{file}: it has no torus")
    (whole,) = tori
    x, y, z = whole.sides(file)
    if bool(whole.nodes) == bool(whole.regions):
        raise whole.refusal(file, "it has nodes and regions, or neither", "Give one of them")
    at: dict[int, str] = {}
    for part in whole.regions or [whole]:
        sides = part.sides(file)
        anchor = [part.triples.get("anchor", {}).get(axis, 0) for axis in AXES]
        if any(first < 0 or first + side > most for first, side, most in zip(anchor, sides, (x, y, z), strict=True)):
            raise part.refusal(file, "it is not within the torus", "Correct its anchor or dims")
        names = hosts_of(part.nodes, file, part.line.number, part.line.text)
        if len(names) != math.prod(sides):
            raise part.refusal(
                file, f"its dims have {math.prod(sides)} places, but it names {len(names)} nodes", "Give as many"
            )
        for place, node in enumerate(names):
            inner = (place % sides[0], place // sides[0] % sides[1], place // (sides[0] * sides[1]))
            column, row, plane = (first + step for first, step in zip(anchor, inner, strict=True))
            number = column + x * (row + y * plane)
            if number in at:
                raise part.refusal(file, f"another region has the place of {node}", "Correct its anchor or dims")
            at[number] = node
    if len(set(at.values())) < len(at):
        raise whole.refusal(file, "it names a node twice", "Name each once")
    return _network(file, (z, y, x), at, further)


def apart(file: str, number: int, text: str) -> BanzukeError:
    """Return the refusal of a second ring or torus, at its line."""
    return wrong(file, number, text, "no cable joins it with the one before", "Give a file with one of them")


def hosts_of(value: str, file: str, number: int, text: str) -> list[str]:
    """Return the nodes of a list. Raises BanzukeError."""
    try:
        return expanded(value)
    except BanzukeError as error:
        raise wrong(file, number, text, str(error)) from error


def _network(file: str, sides: Sequence[int], at: Mapping[int, str], further: Sequence[Message]) -> NetworkTopology:
    """Return the torus with nodes at these places, the last side fastest."""
    places = [at.get(place, f"none-at-{place}") for place in range(math.prod(sides))]
    hosts = list(at.values())
    empty = set(places) - set(hosts)
    cables = [cable for cable in torus(places, sides, math.nan) if cable.left not in empty]
    notes = [*further, message("place-note-slurm-rates"), message("place-note-slurm-torus")]
    return topology_of(file, cables, [node for node in places if node not in empty], routing="first", notes=notes)


def _tori(lines: Sequence[YamlLine], file: str) -> list[_Torus]:
    """Return the tori of these lines; their placements, which say where jobs may be, are passed over."""
    reader = _TorusReader(file)
    for line in lines:
        if line.key != "toruses" or line.value or reader.tori:
            reader.take(line)
    return reader.tori


class _TorusReader:
    """Takes the lines of tori one after the other; its methods raise BanzukeError."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.tori: list[_Torus] = []
        self.part: _Part
        self.listed = ""
        self.triple: dict[str, int] | None = None

    def take(self, line: YamlLine) -> None:
        """Add what the line says."""
        if line.key == "name" and line.dashed:
            self.tori.append(_Torus(line))
            self._return_to_torus()
            return
        if not self.tori:
            raise wrong(self.file, line.number, line.text, "it is of no torus", "Begin each with `- name: NAME`")
        if line.dashed:
            self._begin_part(line)
        elif line.column <= self.tori[-1].line.column:
            self._return_to_torus()
        if line.key in _LISTS and self.part is self.tori[-1] and not line.value:
            self.listed = line.key
        elif line.key in _TRIPLES:
            self.triple = self.part.triples.setdefault(line.key, {})
            self.triple.update(_numbers(line, self.file))
        elif line.key in AXES and self.triple is not None:
            self.triple[line.key] = _number(line.value, line, self.file)
        elif line.key == "nodes" and line.value and not self.part.nodes:
            self.part.nodes = line.value
        else:
            why = f"'{line.key}' does not belong there, or stands there twice"
            raise wrong(self.file, line.number, line.text, why)

    def _return_to_torus(self) -> None:
        self.part, self.listed, self.triple = self.tori[-1], "", None

    def _begin_part(self, line: YamlLine) -> None:
        if not self.listed:
            raise wrong(self.file, line.number, line.text, f"'{line.key}' begins no entry of a torus")
        self.part = _Part(line)
        if self.listed == "regions":
            self.tori[-1].regions.append(self.part)


def _numbers(line: YamlLine, file: str) -> dict[str, int]:
    """Return the numbers of `dims: {x: 4, y: 4, z: 2}`; none if they are in the next lines. Raises BanzukeError."""
    if not line.value:
        return {}
    flow = _FLOW.fullmatch(line.value)
    pairs = [pair.split(":") for pair in flow[1].split(",")] if flow else []
    if not pairs or any(axis.strip() not in AXES for axis, _ in pairs):
        raise wrong(file, line.number, line.text, f"'{line.key}' has x, y and z")
    return {axis.strip(): _number(value.strip(), line, file) for axis, value in pairs}


def _number(value: str, line: YamlLine, file: str) -> int:
    if not re.fullmatch(r"[0-9]{1,6}", value):
        raise wrong(file, line.number, line.text, f"'{value}' is no number of places")
    return int(value)
