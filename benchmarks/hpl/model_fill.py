"""Chooses how HPL uses nodes of several kinds: ranks on each so that all ranks are about equally fast, and a grid
that the ranks fill.
"""

import math
from collections.abc import Callable, Iterator, Sequence

from banzuke.predict.hardware import Hardware, NodeGroup
from banzuke.predict.kinds import Filling, of_nodes
from banzuke.predict.model import Call, Estimate
from banzuke.words import Message, Quantity, Share, message
from banzuke.words.errors import MessageError

from .fill_reasons import reasons
from .model_call import MOST_RANKS, number, processes
from .sizes import MOST_LEFT_OUT
from .unlike_nodes import (
    AlikeNodes,
    FilledGrid,
    Spares,
    filled,
    filled_grid,
    nearest_grid,
    rank_counts,
    ranks_of,
)

NEAR_BEST = 0.99
"""Share of the best figure at which fewer ranks are preferred, because each then has more cores and memory."""
MANY_RANKS = 4
"""Largest ratio between the ranks on nodes of two kinds. Above it the slower kind holds the others back: each rank on
a faster node has few cores and little memory."""
MOST_RANKS_OF_NODE = 1024
"""Most ranks on a node whose number of cores is not described."""
MUCH_LESS = 0.9
"""Share of the next higher kind's rate, or memory, of a rank; a kind whose ranks have less holds the others back."""


def kinds_of(groups: Sequence[NodeGroup]) -> list[AlikeNodes]:
    """Return the kinds of nodes. A node holds a rank for each core, or for each device if it has more devices."""
    kinds = []
    for group in groups:
        host = group.host.dgemm if group.host.dgemm > 0 else 0.0
        speed = host + sum(device.number * device.dgemm for device in group.devices if device.dgemm > 0)
        most = max(group.cores, sum(device.number for device in group.devices)) or MOST_RANKS_OF_NODE
        kinds.append(AlikeNodes(group.name, group.nodes, speed, most))
    return kinds


def fill(machine: Hardware, call: Call, estimate: Callable[[Hardware, Call], Estimate]) -> Filling:
    """Choose ranks, grid and nodes. `estimate` predicts a call on nodes whose ranks fill the grid in the call.

    Raises BanzukeError.
    """
    groups = machine.groups
    for group in groups:
        group.check_flops()
    kinds = kinds_of(groups)
    ways = [processes(machine, call)] if "mpi_per_node" in call else rank_counts(kinds)
    grids = [(counts, grid) for counts in ways if (grid := _grid(kinds, counts, call))]
    if not grids:
        raise _refusal(kinds, ways, call)
    calls = [_asking(call, counts, grid) for counts, grid in grids]
    chosen = 0
    if len(grids) > 1:
        nodes = [of_nodes(machine, grid.nodes) for _, grid in grids]
        figures = [estimate(filled, asked).figure for filled, asked in zip(nodes, calls, strict=True)]
        chosen = next(i for i, reached in enumerate(figures) if reached >= NEAR_BEST * max(figures))
    counts, grid = grids[chosen]
    return Filling(
        grid.nodes,
        calls[chosen],
        tuple(reasons(kinds, counts, grid, as_asked="p" in call or "q" in call)),
        dict(_brakes(groups, kinds, counts)),
    )


def _asking(call: Call, counts: Sequence[int], grid: FilledGrid) -> Call:
    return {**call, "p": grid.p, "q": grid.q, "mpi_per_node": ",".join(map(str, counts))}


def _grid(kinds: Sequence[AlikeNodes], counts: tuple[int, ...], call: Call) -> FilledGrid | None:
    """Return the grid that the call asks for, else the best for these nodes; None: they cannot fill what is asked for.
    Raises BanzukeError.
    """
    if not {"p", "q"} & call.keys():
        return filled_grid(kinds, counts)
    p, q = _asked(call, ranks_of(kinds, counts))
    spares = Spares(kinds, counts)
    return filled(kinds, counts, p, q, spares=spares) if spares.possible(spares.ranks - p * q) else None


def _asked(call: Call, ranks: int) -> tuple[int, int]:
    """Return p and q; the one that the call lacks follows from the number of ranks. Raises BanzukeError."""
    p = number(call, "p", max(1, ranks // number(call, "q", ranks, 1, MOST_RANKS)), 1, MOST_RANKS)
    return p, number(call, "q", max(1, ranks // p), 1, MOST_RANKS)


def _refusal(kinds: Sequence[AlikeNodes], ways: Sequence[tuple[int, ...]], call: Call) -> MessageError:
    """Return the error for a grid that the nodes cannot fill; it names the nearest grid that they can fill."""

    def missed(counts: tuple[int, ...]) -> int:
        ranks = ranks_of(kinds, counts)
        return abs(ranks - math.prod(_asked(call, ranks)))

    counts = min(ways, key=missed)
    ranks = ranks_of(kinds, counts)
    p, q = _asked(call, ranks)
    near_p, near_q = nearest_grid(kinds, counts, p, q)
    return MessageError(
        message("hpl-unfilled", grid=f"{p} x {q}"),
        why=message(
            "hpl-fillable",
            needed=p * q,
            ranks=ranks,
            on_each=", ".join(map(str, counts)),
            share=Share(MOST_LEFT_OUT),
        ),
        remedy=f"The nearest that they fill is p={near_p} and q={near_q}; or give other nodes or mpi_per_node",
    )


def _brakes(
    groups: Sequence[NodeGroup], nodes: Sequence[AlikeNodes], counts: Sequence[int]
) -> Iterator[tuple[int, Message]]:
    """Return how kinds hold the others back: slower ranks, less memory per rank, or many ranks on faster nodes."""
    paces = [kind.pace(ranks) for kind, ranks in zip(nodes, counts, strict=True)]
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
