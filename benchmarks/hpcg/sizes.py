"""Which local grids and process grids the rules allow, and the whole grid that they make."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping

from banzuke.plan.benchmark import Scalar

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


def process_grid(ranks: int, given: Extent = (0, 0, 0)) -> Extent | None:
    """As the program chooses (grid.hpp), which is HPCG 3.1's way; what is given stays. None: none fits."""
    primes = _primes(ranks)
    if not any(given) and (len(primes) <= 1 or primes.total() <= 3):
        dealt = sorted((turn, prime) for prime, power in primes.items() for turn in range(power))
        x, y, z = (math.prod(prime for _, prime in dealt[axis::3]) for axis in range(3))
        return x, y, z
    sides = _divisors(primes)
    grids = ((x, y, ranks // x // y) for x in sides for y in sides if ranks % (x * y) == 0)
    fitting = (grid for grid in grids if all(asked in (0, own) for asked, own in zip(given, grid, strict=True)))
    return min(fitting, key=_surface, default=None)


def _primes(value: int) -> Counter[int]:
    """The power of each, ascending."""
    powers: Counter[int] = Counter()
    prime = 2
    while prime * prime <= value:
        while value % prime == 0:
            powers[prime] += 1
            value //= prime
        prime += 1
    if value > 1:
        powers[value] += 1
    return powers


def _divisors(primes: Counter[int]) -> list[int]:
    """In HPCG's order, which decides between grids of equal surface: the power of the smallest prime changes first."""
    found = [1]
    for prime, power in primes.items():
        found = [prime**exponent * divisor for exponent in range(power + 1) for divisor in found]
    return found


def _surface(grid: Extent) -> int:
    x, y, z = grid
    return x * y + y * z + z * x


def possible(ranks: int) -> bool:
    """Whether so many ranks have a legal grid: 11 of them have none."""
    grid = process_grid(ranks)
    return grid is not None and balanced(grid)


def whole(sizes: Extent, procs: Extent) -> Extent:
    return sizes[0] * procs[0], sizes[1] * procs[1], sizes[2] * procs[2]


def coarser(extent: Extent, level: int) -> Extent:
    return extent[0] >> level, extent[1] >> level, extent[2] >> level


def nonzeros(extent: Extent) -> int:
    return math.prod(3 * points - 2 for points in extent)
