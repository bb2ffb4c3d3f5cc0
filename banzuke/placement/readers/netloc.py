"""Reads a network as netloc of hwloc 2.0 to 2.9 writes it (`netloc/IB-SUBNET-nodes.txt`), for InfiniBand.

Lines of words with commas between: version, subnet, folder of hwloc's files, number of nodes; a line for each node; a
line for each node with its cables, by the node at their other end; partitions; then the path between each two nodes,
which is not read.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from banzuke.errors import BanzukeError
from banzuke.placement.readers.lines import wrong
from banzuke.placement.readers.rates import rate_of
from banzuke.placement.topology import Cable, NetworkTopology, topology_of
from banzuke.words import message

VERSION = "1"
HEAD = 4
"""Lines before the first node."""
HOST, SWITCH = "0", "1"
NODE, WAY, CABLE = 6, 4, 9
"""Words of a node, and of what leads to another one before its cables, and of a cable."""


@dataclass(frozen=True)
class _Node:
    name: str
    line: int
    is_host: bool
    number: int
    """Its LID."""


def is_netloc(text: str) -> bool:
    """Return whether the text begins as a netloc file does, which have no word of their own."""
    lines = text.split("\n", HEAD)[:HEAD]
    return (
        len(lines) == HEAD and lines[0].strip() == VERSION and lines[1].count(":") > 1 and lines[3].strip().isdecimal()
    )


def read_netloc(text: str, file: str) -> NetworkTopology:
    """Read a network. Raises BanzukeError naming the line."""
    lines = text.splitlines()
    count = int(lines[HEAD - 1])
    if len(lines) < HEAD + 2 * count:
        raise BanzukeError(
            f"{file} ends after line {len(lines)}, but announces {count} nodes, each in two lines",
            remedy="Give the whole file",
        )
    nodes = _nodes(lines, count, file)
    cables = [
        cable for number in range(HEAD + count, HEAD + 2 * count) for cable in _cables(lines, number, nodes, file)
    ]
    notes = [message("place-note-netloc")]
    if any(math.isnan(cable.rate) for cable in cables):
        cables = [cable._replace(rate=math.nan) for cable in cables]
        notes.append(message("place-note-rates-unknown"))
    return topology_of(file, cables, [node.name for node in nodes.values() if node.is_host], notes=notes)


def _nodes(lines: list[str], count: int, file: str) -> dict[str, _Node]:
    """Return the nodes by their GUID; switches with one description get their GUID as name."""
    read: dict[str, tuple[list[str], int]] = {}
    for number in range(HEAD, HEAD + count):
        words = lines[number].split(",")
        if len(words) != NODE or words[2] not in (HOST, SWITCH) or not words[1].isdecimal():
            raise wrong(
                file, number + 1, lines[number], "it is no node of netloc's: GUID,LID,type,partitions,text,host"
            )
        if words[0] in read:
            raise wrong(file, number + 1, lines[number], f"line {read[words[0]][1]} describes it already")
        read[words[0]] = words, number + 1
    described = Counter(words[4].strip() for words, _ in read.values())
    return {
        guid: _Node(_name(words, described), line, words[2] == HOST, int(words[1]))
        for guid, (words, line) in read.items()
    }


def _name(words: list[str], described: Mapping[str, int]) -> str:
    guid, text, host = words[0], words[4].strip(), words[5].strip()
    if words[2] == HOST:
        return host or guid
    return text.strip("'") if text and described[text] == 1 else guid


def _cables(lines: list[str], number: int, nodes: dict[str, _Node], file: str) -> Iterator[Cable]:
    """Yield the cables of a node; those that both ends name are left to the end that is named first."""
    line = lines[number]
    words = line.split(",")
    if words[0] not in nodes:
        raise wrong(file, number + 1, line, f"no line describes the node {words[0]}")
    node, at = nodes[words[0]], 1
    while at + WAY <= len(words):
        guid, _, _, many = words[at : at + WAY]
        at += WAY
        if guid not in nodes or not many.isdecimal() or at + int(many) * CABLE > len(words):
            raise wrong(file, number + 1, line, f"what follows '{guid}' is no list of cables to another node")
        peer = nodes[guid]
        for _ in range(int(many)):
            _, port, other, width, speed, *_ = words[at : at + CABLE]
            at += CABLE
            if not (port.isdecimal() and other.isdecimal()):
                raise wrong(file, number + 1, line, f"'{port}' and '{other}' are no ports")
            if node.line < peer.line:
                receiver = node.number if node.is_host else peer.number if peer.is_host else None
                yield Cable(node.name, peer.name, rate_of(width + speed), 1, receiver, (int(port), int(other)))
    if at < len(words) and any(words[at:]):
        raise wrong(file, number + 1, line, f"'{words[at]}' begins no list of cables")
