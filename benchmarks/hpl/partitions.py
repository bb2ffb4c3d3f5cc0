"""HPL's cases on nodes of several partitions: more ranks on the faster ones, or shares by rates, and each by itself."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Layout, NodesTogether, Scalar
from banzuke.plan.estimate import flop_rate
from banzuke.plan.layouts import rank_per_numa_node
from banzuke.plan.unlike_nodes import layout_of_partitions, place_in_partition
from banzuke.words import Listed, Message, Quantity, message

from .fill_reasons import reasons
from .sizes import OVERHEAD, SHARE
from .tuning import grid
from .unlike_nodes import AlikeNodes, filled_grid, rank_counts, ranks_of, total_rate

STEPS = 8
"""Steps in which speeds double: smaller differences between two measurements choose nothing else."""
MOST_SUBSETS = 6
"""Most kinds of which all subsets are considered."""
Cases = list[tuple[Layout, Mapping[str, Scalar]]]


def kinds_here(machine: Machine) -> list[AlikeNodes]:
    """Return the nodes of each partition in use, with their measured DGEMM rates, else with estimates."""
    parts = [machine.of(allotment.partition) for allotment in machine.allotments]
    rates = [max((blas.flop_rate or 0.0 for blas in part.software.blas), default=0.0) for part in parts]
    if not all(rates):
        rates = [flop_rate(part, part.allotment.usable_cores) for part in parts]
    return [
        AlikeNodes(part.allotment.partition, max(1, len(part.allotment.hosts)), rate, cores, cores)
        for part, rate in zip(parts, rates, strict=True)
        for cores in [part.allotment.usable_cores]
    ]


def steady(kinds: Sequence[AlikeNodes]) -> list[AlikeNodes]:
    """Return the kinds with rounded speeds, so that cases do not differ from run to run."""
    return [replace(kind, speed=2 ** (round(STEPS * math.log2(kind.speed)) / STEPS)) for kind in kinds]


def taking_part(machine: Machine, layout: Layout) -> list[AlikeNodes]:
    """Return the kinds of nodes that a layout uses, with rounded speeds."""
    return [kind for kind in steady(kinds_here(machine)) if kind.name in layout.partitions]


def most_numbers(machine: Machine, kinds: Sequence[AlikeNodes]) -> float:
    """Return the numbers of a matrix whose parts fit into the nodes' memories, dealt by ranks or by speeds."""
    counts = rank_counts(kinds)[-1]
    ranks, speed = ranks_of(kinds, counts), sum(kind.nodes * kind.speed for kind in kinds)
    return min(
        SHARE / OVERHEAD * machine.of(kind.name).allotment.reference_memory / 8 / max(count / ranks, kind.speed / speed)
        for kind, count in zip(kinds, counts, strict=True)
    )


def ranks_of_groups(rates: Sequence[float], processors: Sequence[int]) -> Sequence[int]:
    """Return the ranks of each group of processors with which all are about equally fast."""
    groups = [AlikeNodes("", 1, rate, number, number) for rate, number in zip(rates, processors, strict=True)]
    return rank_counts(steady(groups))[-1]


def over_partitions(machine: Machine) -> NodesTogether:
    """Return the cases, headline first, and why.

    The headline has as many ranks on each node as keep all about equally fast, on the partitions that raise the total
    rate. It is followed by one rank on each node with shares by rates, by each partition alone, and where there are
    more than two, by the fastest of them together.
    """
    measured = kinds_here(machine)
    kinds = steady(measured)
    helping = _helping(kinds)
    chosen = [kind for kind in kinds if kind.name in helping]
    together = _by_ranks(machine, chosen) if len(chosen) > 1 else _alone(machine, chosen[0])
    cases: Cases = [together, _by_shares(machine, kinds), *(_alone(machine, kind) for kind in kinds)]
    fastest_first = sorted(chosen, key=lambda kind: -kind.speed)
    for number in range(2, len(chosen)):
        names = {kind.name for kind in fastest_first[:number]}
        cases.append(_by_ranks(machine, [kind for kind in chosen if kind.name in names]))
    return NodesTogether(cases, tuple(_why(measured, kinds, helping)))


def _helping(kinds: Sequence[AlikeNodes]) -> list[str]:
    """Return the names of the kinds that reach the most together if every rank waits for the slowest."""
    if len(kinds) > MOST_SUBSETS:
        return [kind.name for kind in kinds]
    subsets = [some for number in range(len(kinds), 0, -1) for some in combinations(kinds, number)]
    best = max(subsets, key=lambda some: total_rate(some, rank_counts(some)[-1]))
    return [kind.name for kind in best]


def _why(measured: Sequence[AlikeNodes], kinds: Sequence[AlikeNodes], helping: Sequence[str]) -> Iterator[Message]:
    pairs = [(seen, kind) for seen, kind in zip(measured, kinds, strict=True) if kind.name in helping]
    counts = rank_counts([kind for _, kind in pairs])[-1]
    seen = [kind for kind, _ in pairs]
    if len(seen) > 1:
        yield from reasons(seen, counts, filled_grid([kind for _, kind in pairs], counts))
    if others := [kind for kind in measured if kind.name not in helping]:
        every = total_rate(measured, rank_counts(kinds)[-1])
        yield message(
            "hpl-left-out",
            kinds=Listed(tuple(kind.name for kind in others)),
            without=Quantity(total_rate(seen, counts), "flop/s"),
            with_them=Quantity(every, "flop/s"),
        )


def _by_ranks(machine: Machine, kinds: Sequence[AlikeNodes]) -> tuple[Layout, Mapping[str, Scalar]]:
    """Return the case with more ranks on faster nodes, in a grid that whole nodes fill."""
    counts = rank_counts(kinds)[-1]
    filled = filled_grid(kinds, counts)
    places = [
        place_in_partition(machine, kind.name, nodes, count)
        for kind, nodes, count in zip(kinds, filled.nodes, counts, strict=True)
    ]
    return layout_of_partitions(_names(kinds), places), _grid(filled.p, filled.q)


def _by_shares(machine: Machine, kinds: Sequence[AlikeNodes]) -> tuple[Layout, Mapping[str, Scalar]]:
    """Return the case with a rank on each node; each column of the grid has nodes of one kind."""
    places = [place_in_partition(machine, kind.name, kind.nodes, 1) for kind in kinds]
    nodes = ranks_of(kinds, [1] * len(kinds))
    alike = math.gcd(*(kind.nodes for kind in kinds))
    p = max(rows for rows in range(1, math.isqrt(nodes) + 1) if alike % rows == 0)
    return layout_of_partitions(_names(kinds), places), _grid(p, nodes // p)


def _alone(machine: Machine, kind: AlikeNodes) -> tuple[Layout, Mapping[str, Scalar]]:
    """Return the case on the nodes of one partition, as they are used without the others."""
    usual = rank_per_numa_node(machine.of(kind.name))
    layout = layout_of_partitions([kind.name], [place_in_partition(machine, kind.name, kind.nodes, usual.ranks)])
    return layout, grid(layout)


def _grid(p: int, q: int) -> dict[str, Scalar]:
    return {"p": p, "q": q, "order": "column", "deal": "rates"}


def _names(kinds: Sequence[AlikeNodes]) -> list[str]:
    return [kind.name for kind in kinds]
