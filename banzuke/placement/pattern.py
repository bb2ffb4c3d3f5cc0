"""Patterns of messages, as benchmarks declare them in the `flows.py` of their folders: which ranks send how
much to which.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Protocol, TypeAlias

import numpy as np

from banzuke.amounts import Scalar
from banzuke.errors import BanzukeError
from banzuke.placement.skeleton import Skeleton
from banzuke.placement.topology import Indices, Values
from banzuke.words import Message

Grid: TypeAlias = tuple[int, ...]
SAMPLED = 32
"""Number of steps of an all-to-all exchange that are simulated; they stand for the others."""
_GOLDEN = (math.sqrt(5) - 1) / 2


@dataclass(frozen=True, eq=False)
class MessagePhase:
    """Messages that are under way at the same time."""

    name: str
    source: Indices
    """Ranks that send."""
    target: Indices
    amounts: Values
    """Size of each message, in any unit that all phases of a pattern share."""
    times: float = 1.0
    """How often the phase is repeated."""


@dataclass(frozen=True)
class Laid:
    """The layout of ranks in a call of a benchmark."""

    grid: Grid
    last_fastest: bool = False
    """Whether ranks count along the last side of the grid first; the phases assume the first side."""
    size: float | None = None
    """Size of the problem, as `Pattern.unit` takes it."""


class Computes(Protocol):
    """A benchmark whose messages depend on computation, and hide behind it."""

    def skeleton(self, grid: Grid, size: float, rate: float, latency: float) -> Skeleton:
        """Return what its ranks do. `rate`: of a rank's computation, as `Pattern.counted`."""

    def phases(self, grid: Grid) -> Sequence[MessagePhase]:
        """Return the phases whose loads slow predictions, with messages of one byte; those with one name add up."""

    def links(self, grid: Grid) -> Sequence[MessagePhase]:
        """Return the messages whose loads `seconds` takes, each of one byte."""

    def seconds(self, grid: Grid, size: float, rate: float, latency: float, loads: Values) -> float:
        """Return the time in the analytic model. `loads`: seconds on each link (column) for each phase of `links`."""

    def least_size(self, grid: Grid) -> float:
        """Return the smallest size whose time the model has."""

    def usual_size(self, grid: Grid) -> float:
        """Return the size that is assumed if none is given."""


@dataclass(frozen=True)
class Pattern:
    name: str
    title: Message
    phases: Callable[[Grid], Sequence[MessagePhase]]
    grid: Callable[[int], Grid] = lambda ranks: (ranks,)
    """Returns the usual grid of this many ranks."""
    dimensions: int = 1
    assumed: Message | None = None
    """What its phases leave out."""
    unit: Callable[[float], float] | None = None
    """Returns the bytes of the phases' unit of amount for a problem of this size; None: there is no such size."""
    work: Callable[[float], float] | None = None
    """Returns what its rate counts in a problem of this size, such as flops; with a known rate, this gives the time
    that is not communication.
    """
    laid: Callable[[int, Mapping[str, Scalar]], Laid | None] = lambda _ranks, _values: None
    """Returns the layout of a call of its benchmark with this many ranks and these parameters; None: the call does not
    send in this pattern.
    """
    layout: tuple[str, ...] = ()
    """Parameters besides the grid by which `laid` numbers the ranks."""
    counted: str = ""
    """Unit of the rate: `flop/s`."""
    in_turn: bool = False
    """Whether a rank begins a phase when its own messages of the last one are complete, without waiting for others."""
    eager: bool = False
    """Whether messages of these phases begin although their receiver is not in the phase yet, as small ones do."""
    computes: Computes | None = None
    """Its computation and messages in time, for a simulation; None: only the messages of its phases are simulated."""


def as_pattern(flows: object) -> Pattern:
    """Return what a benchmark declares as a pattern. Raises TypeError if it is none."""
    if not isinstance(flows, Pattern):
        raise TypeError(f"{type(flows).__name__} in PATTERNS is no Pattern")
    return flows


def numbered(grid: Grid, *, last_fastest: bool) -> Indices:
    """Return the rank at each place of the grid."""
    ranks = np.arange(math.prod(grid), dtype=np.int64)
    return ranks.reshape(grid, order="C" if last_fastest else "F")


def ring(name: str, ranks: Indices, axis: int, amount: float, times: float = 1.0) -> MessagePhase:
    """Return a phase in which every rank sends to the next one along an axis of the grid."""
    source, target = ranks.ravel(), np.roll(ranks, -1, axis).ravel()
    moved = source != target
    return MessagePhase(name, source[moved], target[moved], np.full(int(moved.sum()), amount), times)


def exchange(ranks: int, amount: float = 1.0) -> list[MessagePhase]:
    """Return the steps of an all-to-all exchange: in step k, every rank sends to the rank k further on. Many
    steps are sampled.
    """
    steps = list(range(1, ranks))
    if ranks - 1 > SAMPLED:
        steps = sorted({1 + int((ranks - 1) * ((k * _GOLDEN) % 1)) for k in range(SAMPLED)})
    source = np.arange(ranks, dtype=np.int64)
    times = (ranks - 1) / max(len(steps), 1)
    return [
        MessagePhase(f"step {step}", source, (source + step) % ranks, np.full(ranks, amount), times) for step in steps
    ]


def at_once(name: str, phases: Sequence[MessagePhase]) -> MessagePhase:
    """Return one phase with the messages of all of these, each as large as all its repetitions."""
    none = np.empty(0, dtype=np.int64)
    return MessagePhase(
        name,
        np.concatenate([none, *(phase.source for phase in phases)]),
        np.concatenate([none, *(phase.target for phase in phases)]),
        np.concatenate([np.empty(0), *(phase.times * phase.amounts for phase in phases)]),
    )


def neighbours(name: str, ranks: Indices, amounts: Sequence[float]) -> MessagePhase:
    """Return a phase in which every rank sends to its neighbours along each axis, not across the edges;
    amounts by axis.
    """
    source, target, amount = [], [], []
    for axis, size in enumerate(amounts):
        low = np.take(ranks, range(ranks.shape[axis] - 1), axis).ravel()
        high = np.take(ranks, range(1, ranks.shape[axis]), axis).ravel()
        source += [low, high]
        target += [high, low]
        amount += [np.full(2 * low.size, size)]
    return MessagePhase(name, np.concatenate(source), np.concatenate(target), np.concatenate(amount))


def nearly_equal(ranks: int, dimensions: int) -> Grid:
    """Return ascending factors of a number that are as equal as possible."""
    if dimensions == 1:
        return (ranks,)
    factors = [number for number in range(1, ranks + 1) if number**dimensions <= ranks and ranks % number == 0]
    grids = [(factor, *nearly_equal(ranks // factor, dimensions - 1)) for factor in factors[-4:]]
    return min((tuple(sorted(grid)) for grid in grids), key=lambda grid: (grid[-1] / grid[0], grid))


def parse_grid(text: str, ranks: int, pattern: Pattern) -> Grid:
    """Return the grid written as `32x62`. Raises BanzukeError where it does not fit."""
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
    """Return the two grids of this many ranks that are most like this one."""
    sides = [number for number in range(1, ranks + 1) if ranks % number == 0]
    grids = [
        (*first, ranks // math.prod(first))
        for first in product(sides, repeat=len(grid) - 1)
        if ranks % math.prod(first) == 0
    ]

    def unlike(other: Grid) -> float:
        return sum(abs(math.log(side / wanted)) for side, wanted in zip(other, grid, strict=True))

    return ["x".join(map(str, other)) for other in sorted(grids, key=unlike)[:2]]
