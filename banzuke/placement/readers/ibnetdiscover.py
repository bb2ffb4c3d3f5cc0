"""Reads the output of `ibnetdiscover` for an InfiniBand fabric, in all formats since 2007: every cable
from both ends.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from banzuke.errors import BanzukeError
from banzuke.placement.readers.lines import wrong
from banzuke.placement.readers.rates import rate_of
from banzuke.placement.topology import Cable, NetworkTopology, topology_of
from banzuke.words import Message, message

_NODE = re.compile(r'(Switch|Ca|Rt)\s+(\d+)\s+"([SHR]-[0-9a-fA-F]+)"\s*(?:#\s*"([^"]*)"(.*))?')
_PORT = re.compile(
    r"\[(\d+)\](?:\[ext \d+\])?(?:\((?:0x)?[0-9a-fA-F]+\))?\s*"
    r'"([SHR]-(?:0x)?[0-9a-fA-F]+)"\[(\d+)\](?:\[ext \d+\])?(?:\((?:0x)?[0-9a-fA-F]+\))?\s*(?:#\s*(.*))?'
)
_AROUND = re.compile(
    r"(vendid|devid|sysimgguid|switchguid|caguid|rtguid)\s*=.*|#.*|Chassis \d+.*|Non-Chassis Nodes.*|ibwarn: .*|"
    r"src/\w+\.c:\d+; .*|"  # what it says of nodes that do not answer
    r"(Spine|Line|Leaf|Switch)\s+\d+\s+(Chip|chip).*"
)
_LID = re.compile(r"\blid (\d+)")
_ADAPTER = re.compile(r"(\S+)\s+(?:HCA-\d+|mlx\d_\w+|mthca\d+|qib\d+|hfi1_\d+|ib\d+|ipath\d+|irdma\d+|bnxt_re\d+)\b.*")
_UNNAMED = re.compile(r"MT\d+|.*(?:Mellanox|Voltaire|InfiniHost|ConnectX|QLogic|Infiniscale)", re.IGNORECASE)
AGGREGATION = "Aggregation Node"
"""Description of the computing part of a switch, which looks like an adapter but is not a host."""


@dataclass
class _Node:
    guid: str
    line: int
    kind: str
    description: str = ""
    ports: dict[int, tuple[str, int, int, str]] = field(default_factory=dict)
    """By port: the peer, its port, the line, and the text after `#`."""
    size: int | None = None
    """Number of its ports; None: not stated."""


def is_ibnetdiscover(text: str) -> bool:
    return any(_NODE.fullmatch(line.strip()) for line in text.splitlines())


def read_ibnetdiscover(text: str, file: str) -> NetworkTopology:
    """Read a fabric. Raises BanzukeError naming the line."""
    nodes = _nodes(text, file)
    kept = {guid: node for guid, node in nodes.items() if node.kind != "Ca" or AGGREGATION not in node.description}
    names, notes = _names(kept)
    cables: list[Cable] = []
    hosts: dict[str, None] = {}
    unrated = False
    for node, port, peer, other in _ends(kept, nodes, file):
        rate = rate_of(node.ports[port][3])
        if math.isnan(rate):
            unrated = True
        host = next((end for end in (node, peer) if end.kind == "Ca"), None)
        if host:
            hosts[names[host.guid]] = None
        receiver = _receiver(node, port, peer, other)
        cables.append(Cable(names[node.guid], names[peer.guid], rate, 1, receiver, (port, other)))
    if unrated:
        cables = [cable._replace(rate=math.nan) for cable in cables]
        notes.append(message("place-note-rates-unknown"))
    return topology_of(file, cables, list(hosts), notes=notes)


def _nodes(text: str, file: str) -> dict[str, _Node]:
    nodes: dict[str, _Node] = {}
    node: _Node | None = None
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip()
        if not line or _AROUND.fullmatch(line):
            continue
        if match := _NODE.fullmatch(line):
            guid = _guid(match[3])
            if guid in nodes:
                raise wrong(file, number, line, f"line {nodes[guid].line} describes it already")
            node = nodes[guid] = _Node(guid, number, match[1], (match[4] or "").strip(), size=int(match[2]))
        elif (match := _PORT.fullmatch(line)) and node:
            port = int(match[1])
            if port in node.ports:
                raise wrong(file, number, line, f"line {node.ports[port][2]} has this port already")
            if node.size is not None and port > node.size:
                raise wrong(file, number, line, f"line {node.line} has {node.size} ports")
            node.ports[port] = (_guid(match[2]), int(match[3]), number, match[4] or "")
        else:
            raise wrong(file, number, line, "it is no line of ibnetdiscover", "Give its whole output, without options")
    return nodes


def _guid(text: str) -> str:
    """Return `H-0002c9...`; some versions write the number with 0x."""
    return f"{text[0]}-{text[2:].lower().removeprefix('0x').rjust(16, '0')}"


def _ends(kept: dict[str, _Node], nodes: dict[str, _Node], file: str) -> Iterator[tuple[_Node, int, _Node, int]]:
    """Yield each cable once, as the switch and its port, and the peer and its port."""
    seen = set()
    for node in kept.values():
        for port, (guid, other, line, _) in node.ports.items():
            if guid not in kept:
                if guid in nodes:
                    continue  # part of a switch
                if node.kind == "Ca" or guid[0] != "H":
                    raise BanzukeError(
                        f"{file}, line {line}: nothing describes the other end, {guid}",
                        remedy="Give the whole output: it may have been cut off",
                    )
                if AGGREGATION in node.ports[port][3]:
                    continue
                yield node, port, _Node(guid, line, "Ca", _quoted(node.ports[port][3])), other
                continue
            peer = kept[guid]
            if peer is node:
                continue  # a switch has a cable between two of its ports: no route takes it
            back = peer.ports.get(other)
            if back is None or back[:2] != (node.guid, port):
                there = f"line {back[2]} has another" if back else f"line {peer.line} and those below have none"
                raise BanzukeError(
                    f"{file}, line {line}: the other end of this cable is not the same",
                    why=f"of port {other} of {guid} {there}",
                    remedy="Give the output of one sweep as it was printed",
                )
            key = min((node.guid, port), (guid, other))
            if key in seen:
                continue
            seen.add(key)
            yield (peer, other, node, port) if node.kind == "Ca" else (node, port, peer, other)


def _receiver(node: _Node, port: int, peer: _Node, other: int) -> int | None:
    """Return the LID of the host's end."""
    if peer.kind != "Ca":
        return None
    own = peer.ports.get(other, ("", 0, 0, ""))[3]
    match = _LID.search(own) or _LID.search(node.ports[port][3])
    return int(match[1]) if match else None


def _quoted(comment: str) -> str:
    match = re.search(r'"([^"]*)"', comment)
    return match[1] if match else ""


def _names(nodes: dict[str, _Node]) -> tuple[dict[str, str], list[Message]]:
    """Return names by GUID; the adapters of one host share its name, and unnamed nodes are named by their GUIDs."""
    names: dict[str, str] = {}
    described = {guid: node.description for guid, node in nodes.items()}
    for node in nodes.values():
        for guid, _, _, comment in node.ports.values():
            if guid not in nodes and guid[0] == "H" and AGGREGATION not in comment:
                described.setdefault(guid, _quoted(comment))
    switches = [described[guid] for guid in described if guid[0] != "H"]
    without = 0
    for guid, description in described.items():
        if guid[0] != "H":
            unique = description and switches.count(description) == 1 and not _UNNAMED.match(description)
            names[guid] = description if unique else guid
        elif match := _ADAPTER.fullmatch(description):
            names[guid] = match[1].strip("'")
        elif description and " " not in description and not _UNNAMED.match(description):
            names[guid] = description
        else:
            names[guid] = guid
            without += 1
    return names, [message("place-note-unnamed", number=without)] if without else []
