"""Reads Slurm's `topology.conf`, and the output of `scontrol show topology`: a tree of switches, without cables, or a
ring.

Neither says how many cables lead up from a switch. Lines of `scontrol` name all nodes below a switch, those of the file
only the nodes directly at it; a node belongs to the lowest switch that names it.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from banzuke.errors import BanzukeError
from banzuke.machine.hosts import expanded
from banzuke.placement.readers.lines import wrong
from banzuke.placement.readers.slurm_tori import apart, ring_of
from banzuke.placement.topology import Cable, NetworkTopology, topology_of
from banzuke.words import Message, message

_ENTRY = re.compile(r"^\s*(SwitchName|BlockName|RingName|TorusName)\s*=", re.IGNORECASE)
_PAIR = re.compile(r"([A-Za-z]+)\s*=\s*([^\s=]+)(?=\s|$)")
_KEYS = (
    *("switchname", "switches", "nodes", "linkspeed", "level"),
    *("blockname", "blocksize", "blocksizes", "blockindex", "aggregatedblock"),
    *("ringname", "ringsize", "torusname", "dims", "placementdims", "anchors"),
)
TOP = "all-blocks"
Line: TypeAlias = tuple[int, str, Mapping[str, str]]
"""Number of a line, its text, and its values by key."""


@dataclass(frozen=True)
class SlurmEntry:
    name: str
    line: int
    nodes: tuple[str, ...]
    switches: tuple[str, ...]


def is_slurm(text: str) -> bool:
    return any(_ENTRY.match(line) for line in text.splitlines())


def read_slurm(text: str, file: str, uplinks: int | None = None) -> NetworkTopology:
    """Read a topology. `uplinks`: cables from each switch to those above it; None: as many as it has hosts
    or switches below.

    Raises BanzukeError.
    """
    return network_of(_entries(text, file), file, uplinks)


def network_of(
    entries: Sequence[Line], file: str, uplinks: int | None, further: Sequence[Message] = ()
) -> NetworkTopology:
    """Return the network described by these lines of a file; `further`: notes on the file. Raises BanzukeError."""
    if any("ringname" in pairs or "torusname" in pairs for _, _, pairs in entries):
        if uplinks is not None:
            raise no_uplinks(file)
        return _ring(entries, file, further)
    notes = [*further, message("place-note-slurm-rates")]
    if any("blockname" in pairs for _, _, pairs in entries):
        switches = _blocks(entries, file)
        notes.append(message("place-note-slurm-blocks"))
    else:
        switches = _tree(entries, file)
    if uplinks is None and len(switches) > 1:
        notes.append(message("place-note-slurm-uplinks"))
    hosts = list(dict.fromkeys(node for entry in switches.values() for node in entry.nodes))
    if not hosts:
        raise BanzukeError(f"{file} names no nodes", remedy="Give the file with the lines SwitchName=... Nodes=...")
    return topology_of(file, _cables(switches, file, uplinks), hosts, notes=notes)


def _entries(text: str, file: str) -> list[Line]:
    """Return lines with their keys in lower case; a line that ends with a backslash continues on the next."""
    entries: list[Line] = []
    waiting = ""
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.partition("#")[0].rstrip()
        if line.endswith("\\"):
            waiting += line[:-1] + " "
            continue
        line, waiting = waiting + line, ""
        if not line.strip():
            continue
        pairs = _PAIR.findall(line)
        if " ".join("=".join(pair) for pair in pairs) != " ".join(re.sub(r"\s*=\s*", "=", line).split()):
            raise wrong(file, number, line, "it is no line of Slurm's topology", "Each has SwitchName= and other words")
        keys = [key.lower() for key, _ in pairs]
        if unknown := [key for key in keys if key not in _KEYS]:
            raise wrong(file, number, line, f"'{unknown[0]}' is no word of Slurm's topology")
        if len(set(keys)) < len(keys):
            repeated = next(key for key in keys if keys.count(key) > 1)
            raise wrong(file, number, line, f"it has '{repeated}' twice", "Write each switch in a line of its own")
        entries.append((number, line, dict(zip(keys, (value for _, value in pairs), strict=True))))
    return entries


def _named(value: str, file: str, number: int, line: str) -> tuple[str, ...]:
    if value.upper() == "ALL":
        raise wrong(
            file, number, line, "it names all nodes, but not which", "Take what `scontrol show topology` prints"
        )
    try:
        return tuple(expanded(value))
    except BanzukeError as error:
        raise wrong(file, number, line, str(error)) from error


def _tree(entries: Sequence[Line], file: str) -> dict[str, SlurmEntry]:
    switches: dict[str, SlurmEntry] = {}
    for number, line, pairs in entries:
        if "switchname" not in pairs:
            raise wrong(file, number, line, "it has no SwitchName")
        if "nodes" not in pairs and "switches" not in pairs:
            raise wrong(file, number, line, "it names neither Nodes nor Switches")
        nodes = _named(pairs["nodes"], file, number, line) if "nodes" in pairs else ()
        below = _named(pairs["switches"], file, number, line) if "switches" in pairs else ()
        for name in _named(pairs["switchname"], file, number, line):
            if name in switches:
                raise wrong(file, number, line, f"line {switches[name].line} describes the switch {name} already")
            switches[name] = SlurmEntry(name, number, nodes, below)
    for entry in switches.values():
        if strangers := [name for name in entry.switches if name not in switches]:
            raise BanzukeError(
                f"{file}, line {entry.line}: no line describes the switch '{strangers[0]}'",
                remedy="Add it; one without nodes needs a line, too",
            )
    beneath: dict[str, frozenset[str]] = {}
    for name in switches:
        _beneath(name, switches, beneath, (), file)
    return {
        name: SlurmEntry(name, entry.line, _direct(entry, beneath), entry.switches) for name, entry in switches.items()
    }


def _beneath(
    name: str,
    switches: Mapping[str, SlurmEntry],
    seen: dict[str, frozenset[str]],
    above: tuple[str, ...],
    file: str,
) -> frozenset[str]:
    """Return the nodes at a switch and below it. Raises BanzukeError where a switch is below itself."""
    if name in above:
        raise BanzukeError(f"{file}: the switch {name} is below itself", why=" > ".join((*above, name)))
    if name not in seen:
        entry = switches[name]
        inner = [_beneath(below, switches, seen, (*above, name), file) for below in entry.switches]
        seen[name] = frozenset(entry.nodes).union(*inner)
    return seen[name]


def _direct(entry: SlurmEntry, beneath: Mapping[str, frozenset[str]]) -> tuple[str, ...]:
    lower = frozenset().union(*(beneath[name] for name in entry.switches))
    return tuple(node for node in entry.nodes if node not in lower)


def no_uplinks(file: str) -> BanzukeError:
    return BanzukeError("--uplinks is for Slurm's trees and blocks", why=f"{file} has a ring or a torus")


def _ring(entries: Sequence[Line], file: str, further: Sequence[Message]) -> NetworkTopology:
    for place, (number, line, pairs) in enumerate(entries):
        if "torusname" in pairs:
            raise wrong(
                file, number, line, "`scontrol` does not say where in the torus a node is", "Give topology.yaml"
            )
        if "ringname" not in pairs or "nodes" not in pairs:
            raise wrong(file, number, line, "a ring has RingName and Nodes", "Give a file with a ring alone")
        if place:
            raise apart(file, number, line)
    ((number, line, pairs),) = entries
    return ring_of(file, _named(pairs["nodes"], file, number, line), further)


def _blocks(entries: Sequence[Line], file: str) -> dict[str, SlurmEntry]:
    blocks: dict[str, SlurmEntry] = {}
    for number, line, pairs in entries:
        if "switchname" in pairs:
            raise wrong(file, number, line, "the file has blocks and switches", "Give one of them")
        if "blockname" in pairs:  # not AggregatedBlock, of several that have lines of their own
            if "nodes" not in pairs:
                raise wrong(file, number, line, "it names no Nodes")
            name = pairs["blockname"]
            if name in blocks:
                raise wrong(file, number, line, f"line {blocks[name].line} describes the block {name} already")
            blocks[name] = SlurmEntry(name, number, _named(pairs["nodes"], file, number, line), ())
    top = SlurmEntry(TOP, 0, (), tuple(blocks))
    return blocks if len(blocks) == 1 else {**blocks, TOP: top}


def _cables(switches: Mapping[str, SlurmEntry], file: str, uplinks: int | None) -> list[Cable]:
    at: dict[str, SlurmEntry] = {}
    cables = []
    parents: dict[str, list[str]] = {name: [] for name in switches}
    for entry in switches.values():
        for node in entry.nodes:
            if node in at:
                raise BanzukeError(
                    f"{file}, line {entry.line}: the node {node} is at {entry.name} and at {at[node].name}",
                    why=f"line {at[node].line} has it",
                    remedy="Name it once, at the lowest switch",
                )
            at[node] = entry
            cables.append(Cable(node, entry.name, math.nan))
        for below in entry.switches:
            parents[below].append(entry.name)
    for name, above in parents.items():
        entry = switches[name]
        number = uplinks or max(1, len(entry.nodes) + len(entry.switches))
        cables += [
            Cable(name, parent, math.nan, max(1, number // len(above) + (place < number % len(above))))
            for place, parent in enumerate(above)
        ]
    return cables
