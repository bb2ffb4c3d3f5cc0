"""Which local grids and process grids the rules allow, and the whole grid that they make."""

import math
from collections.abc import Iterable, Mapping

from banzuke.plan.benchmark import Scalar
from banzuke.plan.layouts import factorisations

MULTIPLE = 8
"""Three times every second point is taken in each direction."""
LEAST = 16
ASPECT = 8
"""No direction may be more times as long as another."""
LEVELS = 4

Extent = tuple[int, int, int]


def local(parameters: Mapping[str, Scalar]) -> Extent:
    return int(parameters["nx"]), int(parameters["ny"]), int(parameters["nz"])


def legal(sizes: Extent) -> bool:
    return all(size % MULTIPLE == 0 and size >= LEAST for size in sizes) and balanced(sizes)


def balanced(extent: Extent) -> bool:
    return max(extent) <= ASPECT * min(extent)


def nearest(sizes: Extent) -> str:
    """The legal sizes below and above, where a side too short for the longest becomes as long as that asks."""
    shortest = max(LEAST, _up(max(sizes) / ASPECT))
    below, above = (
        by(tuple(max(shortest, rounded(size / MULTIPLE) * MULTIPLE) for size in sizes))
        for rounded in (math.floor, math.ceil)
    )
    return below if below == above else f"{below} or {above}"


def by(numbers: Iterable[int]) -> str:
    return " x ".join(map(str, numbers))


def cube(points: float) -> Extent:
    """The smallest legal cube of at least so many points."""
    edge = max(LEAST, _up(math.cbrt(points * (1 - 1e-9))))
    return edge, edge, edge


def _up(length: float) -> int:
    return math.ceil(length / MULTIPLE) * MULTIPLE


def process_grid(ranks: int, sizes: Extent, given: Extent = (0, 0, 0)) -> Extent | None:
    """The one whose whole grid has the least surface, as the program chooses; what is given stays. None: none fits."""

    def surface(procs: Extent) -> int:
        x, y, z = whole(sizes, procs)
        return x * y + y * z + z * x

    fitting = (p for p in factorisations(ranks) if all(g in (0, own) for g, own in zip(given, p, strict=True)))
    return min(fitting, key=surface, default=None)


def possible(ranks: int, sizes: Extent) -> bool:
    """Whether so many ranks have a legal grid: 11 of them have none."""
    grid = process_grid(ranks, sizes)
    return grid is not None and balanced(grid)


def whole(sizes: Extent, procs: Extent) -> Extent:
    return sizes[0] * procs[0], sizes[1] * procs[1], sizes[2] * procs[2]


def coarser(extent: Extent, level: int) -> Extent:
    return extent[0] >> level, extent[1] >> level, extent[2] >> level


def nonzeros(extent: Extent) -> int:
    return math.prod(3 * points - 2 for points in extent)
