"""Sizes and grids that HPL's policy and its model share."""

import math
from collections.abc import Iterator

SHARE = 0.8
"""Share of the memory for everything of all ranks together."""
OVERHEAD = 1.1
"""All memory over the matrix's: panels and buffers are added."""
BLOCK = 192
"""Block size near the best with all libraries; `--tune` finds a better one. A short probe would depend on the load."""


LONGEST = 4
"""Most columns of the grid for each row, if that gives each node whole columns."""


def whole_blocks(n: int, block: int) -> int:
    return n // block * block if n > block else n


MOST_LEFT_OUT = 0.03
"""Largest share of the ranks that may be left out for a better grid."""


def usual_grid(ranks: int, per_node: int, nodes: int) -> tuple[int, int]:
    """Return the grid nearest to a square, wider than high, because its columns pay latency for every pivot.

    On several nodes each has whole columns of the grid, or is a part of one, so that pivots and rows are exchanged
    within a node as far as possible, and only panels travel between nodes. If a grid of many nodes would be far wider
    than high for that, it is as square as possible: 26 x 34 on 221 nodes, not 4 x 221.
    """
    flat = [p for p in range(1, math.isqrt(ranks) + 1) if ranks % p == 0]
    whole = max(p for p in flat if nodes == 1 or per_node % p == 0 or p % per_node == 0)
    p = whole if 1 < nodes <= per_node or LONGEST * whole >= ranks // whole else flat[-1]
    return p, ranks // p


def is_long(p: int, q: int) -> bool:
    """Return whether a grid is far from a square."""
    return q > LONGEST * p


def near_squares(ranks: int, step: int = 1) -> Iterator[tuple[int, int]]:
    """Yield grids of fewer ranks that are at most twice as wide as high, those of most ranks first.

    `step`: ranks that are left out together.
    """
    for used in range(ranks - step, math.ceil((1 - MOST_LEFT_OUT) * ranks) - 1, -step):
        p = next(p for p in range(math.isqrt(used), 0, -1) if used % p == 0)
        if 2 * p >= used // p:
            yield p, used // p


def nodes_of_a_good_grid(nodes: int, per_node: int) -> int:
    """Return the largest number of nodes whose ranks fill a grid not far from a square.

    All, if they do, or if more than a few would have to be left out.
    """
    ranks = nodes * per_node
    if nodes == 1 or not is_long(*usual_grid(ranks, per_node, nodes)):
        return nodes
    return next((p * q // per_node for p, q in near_squares(ranks, per_node)), nodes)
