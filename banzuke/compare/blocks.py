"""Groups launches into blocks: those of one run are one block, because only blocks show how runs differ.

A machine changes while it is measured, for minutes at a time and from run to run, so launches of one run agree better
than those of two. Sides that were not interleaved are compared by the medians of their blocks. The model has a mean for
each side and for its earlier runs, and a linear drift over all of them; the interval is by Student's t of the
residuals.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from banzuke.compare.statistics import MOST_FREEDOM_OF_THREE, Interval, median, student
from banzuke.record.model import Record

APART = 1800.0
"""Seconds between runs of a side below which they are one block, because a machine's state lasts for minutes."""
LONGEST = timedelta(days=7)
"""Longest time that a launch is believed to have taken; where a clock was set forward meanwhile, later runs are not its
block.
"""
FEWEST_BLOCKS = 3
"""Fewest blocks of a side, and fewest residual degrees of freedom, that permit a conclusion."""
ROUNDING = 1e-9
"""Relative difference below which blocks are equal."""
IN_TURN = 1.0
"""Largest distance, in runs, between the middles of two sides that count as alternating.

If they are further apart, something that lasts for several runs may be in one side only; then the degrees of freedom
are those of the fewest blocks.
"""
WANTED = 0.1
"""Relative difference that is to be detected."""
POWER = 0.8
"""Probability with which it is to be detected."""
MOST_BLOCKS = 30
"""Most further blocks per side that a user is asked for."""

Side = tuple[str, str]
"""Side to which blocks belong, and whether they are its own or of earlier runs."""


@dataclass(frozen=True)
class Block:
    """Launches of one run, or of runs in quick succession."""

    side: Side
    began: datetime
    ended: datetime
    medians: tuple[float, ...]
    """Positive medians of its launches."""

    @property
    def log(self) -> float:
        return math.log(median(self.medians))


@dataclass(frozen=True)
class Contrast:
    """Logarithm of the ratio of two sides, and its uncertainty."""

    mean: float
    error: float
    """Standard error of the mean."""
    freedom: float
    spread: float
    """Standard deviation of the logarithms between blocks."""

    @property
    def interval(self) -> Interval:
        """95% interval of the ratio."""
        half = student(self.freedom) * self.error
        return Interval(math.exp(self.mean - half), math.exp(self.mean + half))


def blocks(measured: Mapping[Side, Sequence[tuple[Record, float]]]) -> list[Block]:
    """Group launches, each with its median, into blocks in the order of their starts."""
    runs: dict[tuple[Side, str], list[tuple[Record, float]]] = {}
    for side, launches in measured.items():
        for record, value in launches:
            runs.setdefault((side, run(record)), []).append((record, value))
    by_start = sorted((_block(side, launches) for (side, _), launches in runs.items()), key=lambda block: block.began)
    merged: list[Block] = []
    for current in by_start:
        last = merged[-1] if merged else None
        if last and last.side == current.side and (current.began - last.ended).total_seconds() < APART:
            medians = (*last.medians, *current.medians)
            merged[-1] = Block(current.side, last.began, max(last.ended, current.ended), medians)
        else:
            merged.append(current)
    return merged


def run(record: Record) -> str:
    """Return the run of a record; empty: unknown."""
    return record.provenance.run if record.provenance else ""


def _block(side: Side, launches: Sequence[tuple[Record, float]]) -> Block:
    began = min(record.started for record, _ in launches)
    ended = max(min(record.ended, record.started + LONGEST) for record, _ in launches)
    return Block(side, began, ended, tuple(value for _, value in launches))


def contrast(blocks: Sequence[Block], first: Side, second: Side, *, alike: bool) -> Contrast | None:
    """Contrast the second side with the first, both on one machine; a drift over all blocks is no difference of sides.

    `alike`: blocks of both sides vary alike, as those of one case do. None: there are too few blocks to know how they
    vary, or they do not vary at all, which may be chance.
    """
    places = {side: [at for at, block in enumerate(blocks) if block.side == side] for side in {b.side for b in blocks}}
    freedom = len(blocks) - len(places) - 1
    if freedom < FEWEST_BLOCKS or not {first, second} <= places.keys():
        return None
    middles = {side: _mean(at) for side, at in places.items()}
    means = {side: _mean([blocks[place].log for place in at]) for side, at in places.items()}
    beside = [(at - middles[block.side], block.log - means[block.side]) for at, block in enumerate(blocks)]
    turns = math.fsum(x * x for x, _ in beside)
    slope = math.fsum(x * y for x, y in beside) / turns
    residuals = [y - slope * x for x, y in beside]
    variance = max(math.fsum(residual * residual for residual in residuals) / freedom, _within(blocks))
    between = middles[second] - middles[first]
    scale = variance * between**2 / turns
    for side in (first, second):
        own = [residual for residual, block in zip(residuals, blocks, strict=True) if block.side[0] == side[0]]
        groups = len({block.side for block in blocks if block.side[0] == side[0]})
        if not alike and len(own) - groups < FEWEST_BLOCKS - 1:
            return None
        scale += (variance if alike else max(variance, _variance(own, len(own) - groups))) / len(places[side])
    if scale < ROUNDING**2:
        return None
    mean = means[second] - means[first] - slope * between
    trusted = freedom if abs(between) <= IN_TURN else FEWEST_BLOCKS
    return Contrast(mean, math.sqrt(scale), trusted, math.sqrt(variance))


def unlike(blocks: Sequence[Block], first: Side, second: Side) -> Contrast | None:
    """Contrast the same for two machines, each with a variance of its own and nothing in common: Welch's t."""
    a, b = (alone(blocks, side) for side in (first, second))
    if a is None or b is None:
        return None
    variances, freedoms = [side.error**2 for side in (a, b)], [side.freedom for side in (a, b)]
    total = sum(variances)
    if total < ROUNDING**2:
        return None
    welch = total**2 / sum(variance**2 / freedom for variance, freedom in zip(variances, freedoms, strict=True))
    freedom_of_both = min(welch, MOST_FREEDOM_OF_THREE) if min(freedoms) < FEWEST_BLOCKS else welch
    spread = math.sqrt(total / sum(1 / sum(block.side == side for block in blocks) for side in (first, second)))
    return Contrast(b.mean - a.mean, math.sqrt(total), freedom_of_both, spread)


def alone(blocks: Sequence[Block], side: Side) -> Contrast | None:
    """Estimate one side by itself from the variation of its blocks and earlier ones; None: there are too few."""
    own = [block for block in blocks if block.side == side]
    earlier = [block for block in blocks if block.side != side and block.side[0] == side[0]]
    freedom = len(own) + len(earlier) - bool(own) - bool(earlier)
    if not own or freedom < FEWEST_BLOCKS - 1:
        return None
    groups = [[block.log for block in group] for group in (own, earlier) if group]
    residuals = [value - _mean(group) for group in groups for value in group]
    variance = max(_variance(residuals, freedom), _within([*own, *earlier]))
    return Contrast(_mean(groups[0]), math.sqrt(variance / len(own)), freedom, math.sqrt(variance))


def _variance(residuals: Sequence[float], freedom: int) -> float:
    return math.fsum(residual * residual for residual in residuals) / freedom


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _within(blocks: Sequence[Block]) -> float:
    """Return the variance of a block's logarithm by that of its launches; blocks may agree better by chance."""
    logs = [[math.log(value) for value in block.medians] for block in blocks]
    freedom = sum(len(group) - 1 for group in logs)
    if not freedom:
        return 0.0
    squares = math.fsum((value - _mean(group)) ** 2 for group in logs for value in group)
    return squares / freedom * _mean([1 / len(group) for group in logs])


def missing(counts: tuple[int, int], earlier: int, others: int) -> int:
    """Return the further blocks that a contrast needs on each side; there are `earlier` ones of `others` sides."""
    return max(0, math.ceil((FEWEST_BLOCKS + 3 + others - earlier - sum(counts)) / 2), 1 - min(counts))


def further(counts: tuple[int, int], contrast: Contrast) -> int | None:
    """Return how many blocks to add on each side, in turn, to detect the wanted difference; 0: there are enough.

    None: more than a user is asked for.
    """
    if _finds(contrast.error, contrast.freedom):
        return 0
    for more in range(1, MOST_BLOCKS + 1):
        scale = sum(1 / (count + more) for count in counts)
        if _finds(contrast.spread * math.sqrt(scale), contrast.freedom + 2 * more):
            return more
    return None


def _finds(error: float, freedom: float) -> bool:
    """Return whether the wanted difference is detected with the wanted probability."""
    return (student(freedom) + student(freedom, 2 * POWER - 1)) * error <= math.log1p(WANTED)
