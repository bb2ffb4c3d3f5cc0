"""Computes ranks per node for each of several kinds of nodes, and a grid of HPL that whole nodes fill."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .sizes import MOST_LEFT_OUT

MOST_RANKS_OF_SLOWEST = 4
"""Most ranks on a node of the slowest kind; faster nodes have more in proportion to their speed."""
LEAST_GAIN = 1.005
"""Factor by which more ranks must raise the total rate to be considered."""
FAR_FROM_BEST = 0.8
"""Share of the best total rate below which numbers of ranks are not considered."""
SAME = 1e-9
"""Relative difference below which rates count as equal, for rounding."""
MOST_LEFT_OUT_FOR_COLUMNS = 0.01
"""Largest share that may be left out to have all ranks of each node in one column of the grid."""
WIDEST = (2, 4, math.inf)
"""Largest ratios of a grid's width to its height, tried in this order until there is a grid."""
WIDTHS = 4
"""Steps down from the largest number of columns that are tried for each number of rows."""


@dataclass(frozen=True)
class AlikeNodes:
    """Nodes of one kind."""

    name: str
    nodes: int
    speed: float
    """DGEMM rate of a node, processors and devices, in flop/s; 0: unknown."""
    most: int
    """Most ranks that a node holds."""
    cores: int = 0
    """Cores of which each rank takes as many whole ones as all its node's ranks can have; 0: ranks take any part."""

    def pace(self, ranks: int) -> float:
        """Return the rate of each of this many ranks on a node."""
        idle = self.cores % ranks / self.cores if self.cores else 0.0
        return self.speed * (1.0 - idle) / ranks


def rank_counts(kinds: Sequence[AlikeNodes]) -> list[tuple[int, ...]]:
    """Return the candidate numbers of ranks per node of each kind, fewest ranks first.

    Every rank waits for the slowest, so all should be about equally fast. A candidate starts from a pace, which is the
    rate of a node of some kind divided by a number of ranks; each kind then has as many ranks as are no slower than
    that. The total rate is the slowest rank's times the number of ranks; each candidate's is higher than those of
    candidates with fewer ranks.
    """
    slowest = min(kind.speed for kind in kinds)
    if not slowest > 0:
        return [(1,) * len(kinds)]
    paces = {slowest}
    for kind in kinds:
        fewest, most = math.ceil(kind.speed / slowest * (1 - SAME)), int(kind.speed / slowest * MOST_RANKS_OF_SLOWEST)
        paces |= {kind.pace(ranks) for ranks in range(max(1, fewest), min(kind.most, most) + 1)}
    some = {tuple(_most_at(kind, pace) for kind in kinds) for pace in paces}
    ways: list[tuple[int, ...]] = []
    for counts in sorted(some, key=lambda counts: (ranks_of(kinds, counts), -total_rate(kinds, counts))):
        if not ways or total_rate(kinds, counts) > LEAST_GAIN * total_rate(kinds, ways[-1]):
            ways.append(counts)
    return [counts for counts in ways if total_rate(kinds, counts) >= FAR_FROM_BEST * total_rate(kinds, ways[-1])]


def _most_at(kind: AlikeNodes, pace: float) -> int:
    """Return the most ranks on a node, at least one, that are no slower than the pace."""
    most = max(1, min(kind.most, int(kind.speed / pace * (1 + SAME))))
    return next((ranks for ranks in range(most, 0, -1) if kind.pace(ranks) >= pace * (1 - SAME)), 1)


def total_rate(kinds: Sequence[AlikeNodes], counts: Sequence[int]) -> float:
    """Return the rate of all ranks at the pace of the slowest."""
    return min(kind.pace(count) for kind, count in zip(kinds, counts, strict=True)) * ranks_of(kinds, counts)


def ranks_of(kinds: Sequence[AlikeNodes], counts: Sequence[int]) -> int:
    return sum(kind.nodes * count for kind, count in zip(kinds, counts, strict=True))


@dataclass(frozen=True)
class FilledGrid:
    p: int
    q: int
    nodes: tuple[int, ...]
    """Nodes of each kind that take part; their ranks are exactly p x q."""
    in_columns: bool
    """True if the ranks of each node are in one column when ranks are numbered down the columns."""


class Spares:
    """The numbers of ranks, up to `MOST_LEFT_OUT` of all, that can be left out as whole nodes while at least one node
    of each kind stays.
    """

    def __init__(self, kinds: Sequence[AlikeNodes], counts: Sequence[int]) -> None:
        self.counts = tuple(counts)
        self.most = [kind.nodes - 1 for kind in kinds]
        self.ranks = ranks_of(kinds, counts)
        self.limit = int(MOST_LEFT_OUT * self.ranks)
        paces = [kind.pace(count) for kind, count in zip(kinds, counts, strict=True)]
        self._order = sorted(range(len(counts)), key=lambda kind: paces[kind])
        mask = (1 << (self.limit + 1)) - 1
        self._sums = [1]  # bit n: n ranks can be left out of the kinds so far; slowest ranks first
        for kind in self._order:
            sums, left, part = self._sums[-1], self.most[kind], 1
            while left > 0 and part * self.counts[kind] <= self.limit:
                part = min(part, left)
                sums |= (sums << (part * self.counts[kind])) & mask
                left, part = left - part, 2 * part
            self._sums.append(sums)

    def possible(self, ranks: int) -> bool:
        return 0 <= ranks <= self.limit and bool(self._sums[-1] >> ranks & 1)

    def nodes(self, ranks: int) -> tuple[int, ...]:
        """Return the nodes of each kind to leave out for this many ranks, preferring those with the slowest ranks."""
        chosen = [0] * len(self.counts)
        for position in range(len(self._order) - 1, -1, -1):
            kind, below = self._order[position], self._sums[position]
            while not below >> ranks & 1:
                ranks -= self.counts[kind]
                chosen[kind] += 1
        return tuple(chosen)


def filled_grid(kinds: Sequence[AlikeNodes], counts: Sequence[int]) -> FilledGrid:
    """Return the nearly square grid that leaves out the fewest ranks.

    One that has the ranks of each node in one column is preferred if it leaves out at most
    `MOST_LEFT_OUT_FOR_COLUMNS` of the ranks.
    """
    spares = Spares(kinds, counts)
    for widest in WIDEST:
        if grids := list(_grids(spares, widest)):
            break
    else:
        grids = [(1, spares.ranks)]
    together = [grid for grid in grids if in_columns(counts, grid[0])]

    def left_out(grid: tuple[int, int]) -> int:
        return spares.ranks - grid[0] * grid[1]

    def rank(grid: tuple[int, int]) -> tuple[int, int]:
        return left_out(grid), grid[1] - grid[0]

    best = min(grids, key=rank)
    if together and left_out(min(together, key=rank)) <= MOST_LEFT_OUT_FOR_COLUMNS * spares.ranks:
        best = min(together, key=rank)
    return filled(kinds, counts, *best, spares=spares)


def filled(
    kinds: Sequence[AlikeNodes], counts: Sequence[int], p: int, q: int, *, spares: Spares | None = None
) -> FilledGrid:
    """Return the grid p x q with the nodes that fill it. It must be one that they can fill."""
    left = (spares or Spares(kinds, counts)).nodes(ranks_of(kinds, counts) - p * q)
    nodes = tuple(kind.nodes - out for kind, out in zip(kinds, left, strict=True))
    return FilledGrid(p, q, nodes, in_columns(counts, p))


def nearest_grid(kinds: Sequence[AlikeNodes], counts: Sequence[int], p: int, q: int) -> tuple[int, int]:
    """Return the grid that the nodes can fill whose sides are nearest to p and q, by the ratios of the sides."""
    spares = Spares(kinds, counts)

    def distance(grid: tuple[int, int]) -> float:
        return abs(math.log(grid[0] / p)) + abs(math.log(grid[1] / q))

    grids = [*_grids(spares, math.inf), (1, spares.ranks)]
    return min((*grids, *((width, height) for height, width in grids)), key=distance)


def in_columns(counts: Sequence[int], p: int) -> bool:
    return all(p % count == 0 for count in counts)


def _grids(spares: Spares, widest: float) -> Iterator[tuple[int, int]]:
    """Return grids that can be filled, no higher than wide and at most `widest` times as wide as high."""
    for p in range(math.isqrt(spares.ranks), 0, -1):
        if p * p * widest < (1 - MOST_LEFT_OUT) * spares.ranks:
            break
        for q in range(spares.ranks // p, max(p, spares.ranks // p - WIDTHS) - 1, -1):
            if q <= widest * p and spares.possible(spares.ranks - p * q):
                yield p, q
