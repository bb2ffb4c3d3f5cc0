"""Layouts and process grids that several benchmarks choose from."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from banzuke.amounts import Scalar
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark, Layout
from banzuke.plan.placement import Placement, group_placements, processors
from banzuke.words import message


def rank_per_numa_node(machine: Machine) -> Layout:
    """Return a layout of all cores: a rank for each NUMA node if these are of equal size, so that threads share near
    memory.
    """
    cores = max(1, min(machine.allotment.usable_cores, len(machine.allotment.allowed)))
    places = [len(set(node.cpus) & set(machine.allotment.one_per_core)) for node in machine.node.domains]
    nodes = [count for count in places if count]
    even = len(set(nodes)) == 1 and cores % len(nodes) == 0
    ranks = len(nodes) if even and machine.software.mpi else 1
    return Layout(ranks, cores // ranks)


def host_placements(machine: Machine) -> list[Placement]:
    """Return placements on several hosts, by number of hosts: first one with a rank for each NUMA node, on all its
    cores.
    """
    several = [place for place in group_placements(machine) if place.nodes > 1]
    if not several:
        return []
    layout = rank_per_numa_node(machine)
    cpus = tuple(map(tuple, processors(machine, layout.ranks, layout.threads)))
    placements: list[Placement] = []
    for place in several:
        if place.nodes not in {other.nodes for other in placements}:
            title = message("placement-numa", nodes=place.nodes)
            placements.append(Placement(f"{place.nodes}-nodes-numa", title, cpus, layout.ranks, place.nodes))
        placements.append(place)
    return placements


def over_hosts(machine: Machine, ranks: int, threads: int, nodes: int) -> Layout:
    """Return a layout of this many ranks, with threads, on each of several hosts. Raises BanzukeError where a host has
    too few processors.
    """
    cpus = tuple(map(tuple, processors(machine, ranks, threads)))
    title = message("placement-ranks", ranks=ranks, threads=threads, nodes=nodes)
    return Layout.of(Placement(f"{nodes}-nodes-{ranks}x{threads}", title, cpus, ranks, nodes))


def on_all_cores(machine: Machine, threads: int, nodes: int = 1) -> Layout:
    """Return a layout of ranks with this many threads on all cores of the hosts, by the usual placement if there is
    one.
    """
    ranks = machine.allotment.usable_cores // threads
    if nodes == 1:
        return Layout(ranks, threads)
    usual = (Layout.of(place) for place in host_placements(machine))
    shape = (nodes, ranks * nodes, threads)
    alike = (layout for layout in usual if (layout.hosts, layout.ranks, layout.threads) == shape)
    return next(alike, None) or over_hosts(machine, ranks, threads, nodes)


def numa_layouts(machine: Machine) -> list[Layout]:
    """Return layouts with a rank for each NUMA node on each number of several hosts, most hosts first; without MPI
    none.
    """
    places = host_placements(machine) if machine.software.mpi else []
    return [Layout.of(place) for place in reversed(places) if place.name.endswith("-numa")]


def all_one_others(alone: Layout, several: Sequence[Layout]) -> list[Layout]:
    """Return layouts ordered by what they show: first all hosts, for the total speed, then one host and the other
    numbers, for the losses. `several` has most hosts first.
    """
    return [*several[:1], alone, *several[1:]]


def client_placements(machine: Machine) -> list[Placement]:
    """Return placements with a rank or all ranks on each of several hosts; near and far from the network card count as
    one.
    """
    by_shape = {(place.nodes, place.per_node): place for place in reversed(group_placements(machine))}
    return list(reversed(by_shape.values()))


def clients(machine: Machine) -> list[Layout]:
    """Return layouts of ranks that use storage: first as many as possible, then fewer, down to one; without MPI only
    that one.
    """
    if not machine.software.mpi:
        return [Layout(1, 1)]
    cores = machine.allotment.usable_cores
    counts = sorted({cores, *(1 << power for power in range(cores.bit_length()))}, reverse=True)
    several = [Layout.of(place) for place in client_placements(machine) if place.nodes > 1]
    return [*sorted(several, key=lambda layout: -layout.ranks), *(Layout(count, 1) for count in counts)]


def factorisations(ranks: int) -> Iterator[tuple[int, int, int]]:
    """Yield all three-dimensional grids of this many ranks, the smallest first number first."""
    for x in divisors(ranks):
        for y in divisors(ranks // x):
            yield x, y, ranks // x // y


def divisors(value: int) -> list[int]:
    """Return the divisors of a number, ascending."""
    small = [d for d in range(1, math.isqrt(value) + 1) if value % d == 0]
    return small + [value // d for d in reversed(small) if d * d != value]


def on_all_hosts(benchmark: Benchmark, nodes: int) -> Benchmark:
    """Return the benchmark on this many hosts, which its first case takes even where its policy leaves some out."""
    alone = benchmark.on_hosts(nodes)

    def sweep(machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
        there = machine.on_hosts(nodes)
        return alone.sweep(there) or [
            (_wider(there, layout, nodes), settings)
            for layout, settings in benchmark.sweep(there)[:1]
            if 1 < layout.hosts < nodes
        ]

    return replace(alone, sweep=sweep)


def _wider(machine: Machine, layout: Layout, nodes: int) -> Layout:
    """Return the layout on more hosts, by the usual placement if there is one."""
    per_host = layout.ranks // layout.hosts
    shape = (nodes, per_host * nodes, layout.threads)
    alike = (on for on in numa_layouts(machine) if (on.hosts, on.ranks, on.threads) == shape)
    return next(alike, None) or over_hosts(machine, per_host, layout.threads, nodes)
