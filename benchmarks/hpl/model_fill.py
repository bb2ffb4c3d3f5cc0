"""Chooses how HPL uses nodes of several kinds: ranks on each so that all ranks are about equally fast, and a grid
that the ranks fill.
"""

import math
from collections.abc import Callable, Iterator, Sequence

from banzuke.errors import BanzukeError
from banzuke.predict.hardware import Hardware, NodeGroup
from banzuke.predict.kinds import Filling, of_nodes
from banzuke.predict.model import Call, Estimate
from banzuke.units import count, percent
from banzuke.words import Listed, Message, Quantity, Share, message

from .model_call import MOST_RANKS, number, processes
from .unlike_nodes import (
    MOST_LEFT_OUT,
    FilledGrid,
    Spares,
    filled,
    filled_grid,
    nearest_grid,
    rank_counts,
    ranks_of,
    speed,
)

NEAR_BEST = 0.99
"""Share of the best figure at which fewer ranks are preferred, because each then has more cores and memory."""
MANY_RANKS = 4
"""Largest ratio between the ranks on nodes of two kinds. Above it the slower kind holds the others back: each rank on
a faster node has few cores and little memory."""
MUCH_LESS = 0.9
"""Share of the next higher kind's rate, or memory, of a rank; a kind whose ranks have less holds the others back."""


def fill(machine: Hardware, call: Call, estimate: Callable[[Hardware, Call], Estimate]) -> Filling:
    """Choose ranks, grid and nodes. `estimate` predicts a call on nodes whose ranks fill the grid in the call.

    Raises BanzukeError.
    """
    groups = machine.groups
    for group in groups:
        group.check_flops()
    ways = [processes(machine, call)] if "mpi_per_node" in call else rank_counts(groups)
    grids = [(counts, grid) for counts in ways if (grid := _grid(groups, counts, call))]
    if not grids:
        raise _refusal(groups, ways, call)
    calls = [_asking(call, counts, grid) for counts, grid in grids]
    chosen = 0
    if len(grids) > 1:
        nodes = [of_nodes(machine, grid.nodes) for _, grid in grids]
        figures = [estimate(filled, asked).figure for filled, asked in zip(nodes, calls, strict=True)]
        chosen = next(i for i, reached in enumerate(figures) if reached >= NEAR_BEST * max(figures))
    counts, grid = grids[chosen]
    return Filling(
        grid.nodes, calls[chosen], tuple(_reasons(groups, counts, grid, call)), dict(_brakes(groups, counts))
    )


def _asking(call: Call, counts: Sequence[int], grid: FilledGrid) -> Call:
    return {**call, "p": grid.p, "q": grid.q, "mpi_per_node": ",".join(map(str, counts))}


def _grid(groups: Sequence[NodeGroup], counts: tuple[int, ...], call: Call) -> FilledGrid | None:
    """Return the grid that the call asks for, else the best for these nodes; None: they cannot fill what is asked for.
    Raises BanzukeError.
    """
    if not {"p", "q"} & call.keys():
        return filled_grid(groups, counts)
    p, q = _asked(call, ranks_of(groups, counts))
    spares = Spares(groups, counts)
    return filled(groups, counts, p, q, spares=spares) if spares.possible(spares.ranks - p * q) else None


def _asked(call: Call, ranks: int) -> tuple[int, int]:
    """Return p and q; the one that the call lacks follows from the number of ranks. Raises BanzukeError."""
    p = number(call, "p", max(1, ranks // number(call, "q", ranks, 1, MOST_RANKS)), 1, MOST_RANKS)
    return p, number(call, "q", max(1, ranks // p), 1, MOST_RANKS)


def _refusal(groups: Sequence[NodeGroup], ways: Sequence[tuple[int, ...]], call: Call) -> BanzukeError:
    """Return the error for a grid that the nodes cannot fill; it names the nearest grid that they can fill."""

    def missed(counts: tuple[int, ...]) -> int:
        ranks = ranks_of(groups, counts)
        return abs(ranks - math.prod(_asked(call, ranks)))

    counts = min(ways, key=missed)
    ranks = ranks_of(groups, counts)
    p, q = _asked(call, ranks)
    near_p, near_q = nearest_grid(groups, counts, p, q)
    on_each = ", ".join(map(str, counts))
    return BanzukeError(
        f"the nodes cannot fill the grid p x q = {p} x {q}",
        why=f"it has {count(p * q, 'rank')}; they have {ranks:,}, with {on_each} on a node of each kind, and may leave "
        f"out {percent(MOST_LEFT_OUT)} of them, as whole nodes",
        remedy=f"The nearest that they fill is p={near_p} and q={near_q}; or give other nodes or mpi_per_node",
    )


def _reasons(groups: Sequence[NodeGroup], counts: Sequence[int], grid: FilledGrid, call: Call) -> Iterator[Message]:
    paces = [speed(group) / ranks for group, ranks in zip(groups, counts, strict=True)]
    kinds = [
        message("hpl-ranks-of-kind", kind=group.name, ranks=ranks, rate=Quantity(pace, "flop/s"))
        for group, ranks, pace in zip(groups, counts, paces, strict=True)
    ]
    total = sum(group.nodes * speed(group) for group in groups)
    pace = Share(min(paces) * ranks_of(groups, counts) / total if total > 0 else math.nan)
    yield message("hpl-ranks-of-kinds", kinds=Listed(tuple(kinds)), pace=pace, sum=Quantity(total, "flop/s"))
    idle = [
        message("hpl-idle-nodes", nodes=group.nodes - used, kind=group.name)
        for group, used in zip(groups, grid.nodes, strict=True)
        if used < group.nodes
    ]
    ranks = ranks_of(groups, counts)
    used = grid.p * grid.q
    way = "given" if {"p", "q"} & call.keys() else "columns" if grid.in_columns else "square"
    how = message("hpl-grid-how", how=way)
    if idle:
        yield message(
            "hpl-grid-filled-by-some", p=grid.p, q=grid.q, used=used, how=how, ranks=ranks, idle=Listed(tuple(idle))
        )
    else:
        yield message("hpl-grid-filled", p=grid.p, q=grid.q, used=used, how=how)


def _brakes(groups: Sequence[NodeGroup], counts: Sequence[int]) -> Iterator[tuple[int, Message]]:
    """Return how kinds hold the others back: slower ranks, less memory per rank, or many ranks on faster nodes."""
    paces = [speed(group) / ranks for group, ranks in zip(groups, counts, strict=True)]
    memories = [group.host.memory / ranks for group, ranks in zip(groups, counts, strict=True)]
    for kind in range(len(groups)):
        pace = min(paces[:kind] + paces[kind + 1 :])
        memory = min((held for held in memories[:kind] + memories[kind + 1 :] if held > 0), default=0.0)
        if paces[kind] < MUCH_LESS * pace:
            yield (
                kind,
                message("hpl-slower-ranks", rate=Quantity(paces[kind], "flop/s"), others=Quantity(pace, "flop/s")),
            )
        elif memories[kind] < MUCH_LESS * memory:
            yield kind, message("hpl-less-memory", bytes=Quantity(memories[kind], "B"), others=Quantity(memory, "B"))
        elif max(counts) > MANY_RANKS * counts[kind]:
            yield kind, message("hpl-more-ranks", ranks=max(counts))
