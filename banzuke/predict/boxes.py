"""Boxes of points that ranks and nodes hold, and their surroundings, for models of codes on regular grids."""

import math
from collections.abc import Sequence
from functools import cache

Triple = tuple[int, int, int]
LONGEST, SHORT = 16.0, 16
"""Most of the longest edge of a grid of processes over that of a cube (8.5 of public HPCG figures), and the edge up to
which any grid is near enough."""


@cache
def cube(parts: int) -> Triple:
    """Return three factors of a number whose box has the least surface."""
    best = (parts, 1, 1)
    for z in range(1, math.isqrt(parts) + 1):
        if parts % z or z**3 > parts:
            continue
        area = parts // z
        y = next(y for y in range(math.isqrt(area), 0, -1) if area % y == 0)
        candidate = (area // y, y, z)
        best = min(best, candidate, key=lambda b: b[0] * b[1] + b[1] * b[2] + b[0] * b[2])
    return (best[0], best[1], best[2])


def is_far_from_cube(edges: Sequence[int]) -> bool:
    """Return whether a grid of processes is so far from a cube that no public figure is of such a one."""
    return max(edges) > LONGEST * math.cbrt(math.prod(edges)) and max(edges) > SHORT


def node_box(box: Triple, procs: Triple, ranks: int) -> tuple[Triple, Triple]:
    """Return a node's box of consecutive ranks, and on how many sides in each direction other nodes adjoin."""
    left, edges, sides = ranks, [], []
    for edge, many in zip(box, procs, strict=True):
        along = math.gcd(left, many)
        left //= along
        edges.append(edge * along)
        sides.append(min(2, many // along - 1))
    return (edges[0], edges[1], edges[2]), (sides[0], sides[1], sides[2])


def external(edges: Triple, sides: Triple) -> int:
    """Return the points around a box that others own, corners included."""
    return math.prod(e + s for e, s in zip(edges, sides, strict=True)) - math.prod(edges)
