"""Finds the placements of ranks that mean something on a machine, from its topology."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

from banzuke.amounts import Index, Several
from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine
from banzuke.machine.site import Interface
from banzuke.units import count, layout
from banzuke.words import Message, message


@dataclass(frozen=True)
class Placement:
    """Ranks on named processors of every host, in blocks: the first ranks on the first host."""

    name: str
    title: Message | str
    """For people: `two cores of one NUMA node`."""
    cpus: tuple[tuple[Index, ...], ...]
    """Processors of each rank's threads on a host, by the rank's number there.

    There are more than `per_node` where several hosts may share one kernel, as containers do, which numbers the
    processors of all.
    """
    per_node: Several
    """Ranks on each host."""
    nodes: Several = 1

    @property
    def ranks(self) -> int:
        return self.nodes * self.per_node


_SAME_HOST = {
    "same-core": message("placement-same-core"),
    "same-complex": message("placement-same-complex"),
    "same-numa": message("placement-same-numa"),
    "same-socket": message("placement-same-socket"),
    "other-socket": message("placement-other-socket"),
}
"""From near to far."""


def pair_placements(machine: Machine) -> list[Placement]:
    """Return placements of two ranks, the nearest first: one for each distance that this machine has."""
    pairs = _pairs(machine)
    placements = [
        Placement(name, title, ((pairs[name][0],), (pairs[name][1],)), per_node=2)
        for name, title in _SAME_HOST.items()
        if name in pairs
    ]
    if len(machine.allotment.hosts) > 1:
        placements += _one_each(machine, 2, "other-node")
    return placements


def group_placements(machine: Machine) -> list[Placement]:
    """Return placements on all cores of one host, then on hosts in powers of two and on all, with a rank or all ranks
    on each.

    There are none without a processor, which only a machine's description read from a file can lack.
    """
    usable = min(machine.allotment.usable_cores, len(machine.allotment.allowed))
    if not usable:
        return []
    everywhere = tuple(map(tuple, processors(machine, usable, 1)))
    cores = len(everywhere)
    title = message("placement-all", cores=cores, nodes=1)
    placements = [Placement("one-node", title, everywhere, per_node=cores)] if cores > 1 else []
    for nodes in host_counts(machine):
        placements += _one_each(machine, nodes, f"{nodes}-nodes-1")
        if cores > 1:
            title = message("placement-all", cores=cores, nodes=nodes)
            placements.append(Placement(f"{nodes}-nodes-all", title, everywhere, per_node=cores, nodes=nodes))
    return placements


def host_counts(machine: Machine) -> list[int]:
    """Return the numbers of several hosts that show how a figure scales: powers of two, and all."""
    hosts = len(machine.allotment.hosts)
    return sorted({hosts, *(1 << power for power in range(1, hosts.bit_length()))} - {0, 1})


def _one_each(machine: Machine, nodes: int, name: str) -> list[Placement]:
    """Return placements of one rank on each host, near the network card and far from it if its location is known."""
    sides = _sides(machine)
    return [
        Placement(
            "-".join(filter(None, (name, side))),
            message("placement-one-each", nodes=nodes, card=side or "unknown"),
            tuple((cpu,) for cpu in cpus[:nodes]),
            per_node=1,
            nodes=nodes,
        )
        for side, cpus in (sides or {"": machine.allotment.one_per_core}).items()
    ]


def _sides(machine: Machine) -> Mapping[str, list[int]]:
    """Return cores near the fastest card and far from it, in another socket if there is one; empty: no such
    difference.
    """
    cards = [link for link in machine.node.interfaces if link.numa_node is not None]
    fastest = max(map(_rate, cards), default=0.0)
    near = {link.numa_node for link in cards if _rate(link) == fastest}
    located = {cpu for node in machine.node.numa for cpu in node.cpus}
    beside = {cpu for node in machine.node.numa if node.node in near for cpu in node.cpus}
    package_of = _number(machine.allotment.packages)
    close = [cpu for cpu in machine.allotment.one_per_core if cpu in beside]
    distant = [cpu for cpu in machine.allotment.one_per_core if cpu in located and cpu not in beside]
    if not (close and distant):
        return {}
    sockets = {package_of.get(cpu) for cpu in close}
    return {"near": close, "far": [cpu for cpu in distant if package_of.get(cpu) not in sockets] or distant}


def _rate(link: Interface) -> float:
    return link.bits_per_second or 0.0


def _pairs(machine: Machine) -> dict[str, tuple[int, int]]:
    """Return the first two processors at each distance; the pairs share the first processor wherever possible."""
    siblings = next((core for core in machine.allotment.siblings if len(core) > 1), None)
    pairs = {"same-core": (siblings[0], siblings[1])} if siblings else {}
    package, node, cache = map(_number, (machine.allotment.packages, _nodes(machine), machine.allotment.complexes))
    for first, second in combinations(machine.allotment.one_per_core, 2):
        if package.get(first) != package.get(second):
            name = "other-socket"
        elif node.get(first) != node.get(second):
            name = "same-socket"
        else:
            name = "same-complex" if first in cache and cache[first] == cache.get(second) else "same-numa"
        pairs.setdefault(name, (first, second))
        if len(pairs) == len(_SAME_HOST):
            break
    return pairs


def _nodes(machine: Machine) -> list[list[int]]:
    return [node.cpus for node in machine.node.numa]


def _number(groups: Sequence[Sequence[int]]) -> dict[int, int]:
    """Return the number of the group that each processor is in, the smallest group where they overlap.

    NUMA nodes overlap: one with only high-bandwidth or GPU memory lists the processors that are near it, maybe all.
    """
    return {cpu: number for number, group in enumerate(sorted(groups, key=len, reverse=True)) for cpu in group}


def processors(machine: Machine, ranks: int, threads: int) -> list[list[int]]:
    """Return the logical processors of each rank's threads on one host: a core each, spread evenly over the NUMA nodes.

    More threads than cores use the cores' other hardware threads; more than processors raises BanzukeError.
    """
    return shared_processors(machine, [(ranks, threads)])[0]


def near_devices(machine: Machine, ranks: int, threads: int, devices: int) -> list[list[int]] | None:
    """Return cores for each rank's threads in the NUMA node of its first device; None: not possible for every rank."""
    cores = set(machine.allotment.one_per_core)
    free = {node.node: [cpu for cpu in node.cpus if cpu in cores] for node in machine.node.domains}
    if not devices or len(free) < 2:
        return None
    chosen: list[list[int]] = []
    for device in machine.allotment.devices[: ranks * devices : devices]:
        there = free.get(-1 if device.numa_node is None else device.numa_node, [])
        if len(there) < threads:
            return None
        chosen.append(there[:threads])
        del there[:threads]
    return chosen if len(chosen) == ranks else None


def shared_processors(machine: Machine, layouts: Sequence[tuple[int, int]]) -> list[list[list[int]]]:
    """Return `processors` for each of several groups of ranks and threads that share a host."""
    cores, logical = machine.allotment.one_per_core, machine.allotment.allowed
    wanted = sum(ranks * threads for ranks, threads in layouts)
    if wanted > len(logical):
        raise BanzukeError(
            f"{' and '.join(layout(*shape) for shape in layouts)} need {count(wanted, 'processor')}",
            why=f"{len(logical)} may be used here: {_list(logical)}",
            remedy="Use fewer, or add --oversubscribe to share processors (figures then mean little)",
        )
    siblings = [cpu for cpu in logical if cpu not in set(cores)]
    if wanted <= len(cores):
        taken = iter([cores[i * len(cores) // wanted] for i in range(wanted)])
    else:
        taken = iter([*cores, *siblings][:wanted])
    return [[list(islice(taken, threads)) for _ in range(ranks)] for ranks, threads in layouts]


def _list(values: Sequence[int]) -> str:
    return ",".join(map(str, values)) if len(values) <= 8 else f"{values[0]}..{values[-1]}"
