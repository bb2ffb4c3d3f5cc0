"""Cases on nodes of several partitions whose ranks share one problem by their rates."""

from collections.abc import Mapping, Sequence

from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Layout, NodesTogether, Scalar
from banzuke.plan.placement import Placement, processors
from banzuke.words import Listed, message


def a_rank_on_each_node(machine: Machine) -> NodesTogether:
    """Return the cases with one rank on each node: of all partitions together, of each alone; and why."""
    names = [allotment.partition for allotment in machine.allotments]
    places = {
        name: place_in_partition(machine, name, max(1, len(machine.of(name).allotment.hosts)), 1) for name in names
    }
    together = layout_of_partitions(names, list(places.values()))
    alone = [layout_of_partitions([name], [place]) for name, place in places.items()]
    cases: list[tuple[Layout, Mapping[str, Scalar]]] = [(layout, {}) for layout in (together, *alone)]
    return NodesTogether(cases, (message("plan-rank-on-each", where="nodes", parts=Listed(tuple(names))),))


def layout_of_partitions(names: Sequence[str], places: Sequence[Placement]) -> Layout:
    """Return the layout of ranks that are placed like this in these partitions."""
    ranks, threads = sum(place.ranks for place in places), len(places[0].cpus[0])
    return Layout(ranks, threads, groups=tuple(places), partitions=tuple(names))


def place_in_partition(machine: Machine, partition: str, nodes: int, ranks: int) -> Placement:
    """Return the placement of this many ranks, with equally many threads, on each of the partition's nodes."""
    there = machine.of(partition)
    threads = max(1, there.allotment.usable_cores // ranks)
    cpus = tuple(map(tuple, processors(there, ranks, threads)))
    title = message("placement-ranks", ranks=ranks, threads=threads, nodes=nodes)
    return Placement(f"{partition}-{nodes}x{ranks}", title, cpus, ranks, nodes)


def parts_of(machine: Machine, layout: Layout) -> list[tuple[Machine, int]]:
    """Return the machine of each partition that a layout uses, with the number of its nodes; without partitions this
    machine.
    """
    if not layout.partitions:
        return [(machine, layout.hosts)]
    pairs = zip(layout.partitions, layout.groups, strict=True)
    return [(machine.of(name), place.nodes) for name, place in pairs]
