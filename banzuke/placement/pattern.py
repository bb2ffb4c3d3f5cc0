"""Which ranks send to which, and how much: the phases that a benchmark declares in `flows.py` of its folder."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

import numpy as np

from banzuke.amounts import Scalar
from banzuke.errors import BanzukeError
from banzuke.placement.topology import Indices, Values
from banzuke.words import Message

Grid: TypeAlias = tuple[int, ...]
SAMPLED = 32
"""Steps of an exchange between all ranks that are looked at; the others are like them."""
_GOLDEN = (math.sqrt(5) - 1) / 2


@dataclass(frozen=True, eq=False)
class MessagePhase:
    """Messages that are under way at the same time."""

    name: str
    source: Indices
    """Ranks."""
    target: Indices
    amounts: Values
    """Of each message, in any unit that all phases of a pattern share."""
    times: float = 1.0
    """How often it is repeated."""


@dataclass(frozen=True)
class Laid:
    """How a call of a benchmark lays its ranks out."""

    grid: Grid
    last_fastest: bool = False
    """Whether ranks count along the last side first; the phases take them to count along the first."""
    size: float | None = None
    """Of the problem, as `Pattern.unit` takes it."""


@dataclass(frozen=True)
class Pattern:
    name: str
    title: Message
    phases: Callable[[Grid], Sequence[MessagePhase]]
    grid: Callable[[int], Grid] = lambda ranks: (ranks,)
    """The usual grid of so many ranks."""
    dimensions: int = 1
    assumed: Message | None = None
    """What its phases leave out."""
    unit: Callable[[float], float] | None = None
    """Bytes of the phases' unit of amount, by the size of the problem; None: it has no such size."""
    work: Callable[[float], float] | None = None
    """What its rate counts of a problem of this size, such as flops; seconds of the rest follow from a known rate."""
    laid: Callable[[int, Mapping[str, Scalar]], Laid | None] = lambda _ranks, _values: None
    """The layout of a call of its benchmark with so many ranks and these parameters; None: it sends otherwise."""
    counted: str = ""
    """The rate's unit: `flop/s`."""


def numbered(grid: Grid, *, last_fastest: bool) -> Indices:
    """The rank at each place of the grid."""
    ranks = np.arange(math.prod(grid), dtype=np.int64)
    return ranks.reshape(grid, order="C" if last_fastest else "F")


def ring(name: str, ranks: Indices, axis: int, amount: float, times: float = 1.0) -> MessagePhase:
    """Every rank sends to the next one along an axis of the grid."""
    source, target = ranks.ravel(), np.roll(ranks, -1, axis).ravel()
    moved = source != target
    return MessagePhase(name, source[moved], target[moved], np.full(int(moved.sum()), amount), times)


def exchange(ranks: int, amount: float = 1.0) -> list[MessagePhase]:
    """All ranks send to all others, in steps: in the k-th to the rank k further on. Of many steps some are taken."""
    steps = list(range(1, ranks))
    if ranks - 1 > SAMPLED:
        steps = sorted({1 + int((ranks - 1) * ((k * _GOLDEN) % 1)) for k in range(SAMPLED)})
    source = np.arange(ranks, dtype=np.int64)
    times = (ranks - 1) / max(len(steps), 1)
    return [
        MessagePhase(f"step {step}", source, (source + step) % ranks, np.full(ranks, amount), times) for step in steps
    ]


def neighbours(ranks: Indices, amounts: Sequence[float]) -> MessagePhase:
    """Every rank sends to those beside it along each axis, at the edges to none; amounts by axis."""
    source, target, amount = [], [], []
    for axis, size in enumerate(amounts):
        low = np.take(ranks, range(ranks.shape[axis] - 1), axis).ravel()
        high = np.take(ranks, range(1, ranks.shape[axis]), axis).ravel()
        source += [low, high]
        target += [high, low]
        amount += [np.full(2 * low.size, size)]
    return MessagePhase("halo", np.concatenate(source), np.concatenate(target), np.concatenate(amount))


def nearly_equal(ranks: int, dimensions: int) -> Grid:
    """Ascending factors of a number that are as alike as can be."""
    if dimensions == 1:
        return (ranks,)
    factors = [number for number in range(1, ranks + 1) if number**dimensions <= ranks and ranks % number == 0]
    grids = [(factor, *nearly_equal(ranks // factor, dimensions - 1)) for factor in factors[-4:]]
    return min((tuple(sorted(grid)) for grid in grids), key=lambda grid: (grid[-1] / grid[0], grid))


def parse_grid(text: str, ranks: int, pattern: Pattern) -> Grid:
    """`32x62`. Raises BanzukeError where it does not fit."""
    parts = text.lower().replace("×", "x").split("x")
    if not all(part.strip().isdecimal() and 0 < int(part) < 1 << 24 for part in parts):
        raise BanzukeError(f"--grid {text} is no grid", remedy="Write its sides: 32x62")
    grid = tuple(map(int, parts))
    if len(grid) != pattern.dimensions:
        raise BanzukeError(
            f"--grid {text} has {len(grid)} sides, but {pattern.name} has {pattern.dimensions}",
            remedy=f"Write {'x'.join(map(str, pattern.grid(ranks)))}, or leave it out",
        )
    if math.prod(grid) != ranks:
        raise BanzukeError(
            f"the grid {text} has {math.prod(grid)} ranks, but there are {ranks}",
            remedy=f"{' or '.join(_near(grid, ranks))} has as many; or choose other --hosts or --ranks-per-node",
        )
    return grid


def _near(grid: Grid, ranks: int) -> list[str]:
    """Grids of so many ranks that are most like this one."""
    sides = [number for number in range(1, ranks + 1) if ranks % number == 0]
    grids = [
        (*first, ranks // math.prod(first))
        for first in product(sides, repeat=len(grid) - 1)
        if ranks % math.prod(first) == 0
    ]

    def unlike(other: Grid) -> float:
        return sum(abs(math.log(side / wanted)) for side, wanted in zip(other, grid, strict=True))

    return ["x".join(map(str, other)) for other in sorted(grids, key=unlike)[:2]]
