"""Layouts and process grids that several benchmarks choose from."""

import math
from collections.abc import Iterator

from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Layout
from banzuke.plan.placement import Placement, group_placements, processors
from banzuke.words import message


def rank_per_numa_node(machine: Machine) -> Layout:
    """All cores: a rank for each NUMA node where there are several of equal size, so that threads share near memory."""
    cores = machine.allotment.usable_cores
    places = [len(set(node.cpus) & set(machine.allotment.one_per_core)) for node in machine.node.numa]
    nodes = [count for count in places if count]
    even = len(set(nodes)) == 1 and cores % len(nodes) == 0
    ranks = len(nodes) if even and machine.software.mpi else 1
    return Layout(ranks, cores // ranks)


def host_placements(machine: Machine) -> list[Placement]:
    """Of each number of hosts first one with a rank for each NUMA node, on all its cores; nothing on one host."""
    layout = rank_per_numa_node(machine)
    cpus = tuple(map(tuple, processors(machine, layout.ranks, layout.threads)))
    found: list[Placement] = []
    for place in group_placements(machine):
        if place.nodes > 1 and place.nodes not in {other.nodes for other in found}:
            title = message("placement-numa", nodes=place.nodes)
            found.append(Placement(f"{place.nodes}-nodes-numa", title, cpus, layout.ranks, place.nodes))
        found += [place] if place.nodes > 1 else []
    return found


def factorisations(ranks: int) -> Iterator[tuple[int, int, int]]:
    """All grids of so many ranks, the smallest first number first."""
    for x in divisors(ranks):
        for y in divisors(ranks // x):
            yield x, y, ranks // x // y


def divisors(value: int) -> list[int]:
    """Ascending."""
    small = [d for d in range(1, math.isqrt(value) + 1) if value % d == 0]
    return small + [value // d for d in reversed(small) if d * d != value]
