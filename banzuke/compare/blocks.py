"""Launches by the time they share: those of one run are one block, and only blocks show how runs differ.

A machine changes while it is measured, for minutes at a time and from run to run, so that launches of one run agree
better than those of two. Sides that were not interleaved are compared by the medians of their blocks: a mean for each
side and for their earlier runs, a drift that goes on over all of them, and Student's t of what is left.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from banzuke.compare.statistics import MOST_FREEDOM_OF_THREE, Interval, median, student
from banzuke.record.model import Record

APART = 1800.0
"""Seconds from the end of a run to the start of the next one of its side, below which they are one block: a state of
the machine lasts for minutes."""
FEWEST = 3
"""Blocks a side, and degrees of freedom that are left, without which nothing is concluded."""
ROUNDING = 1e-9
"""Relative: blocks that differ by less do not differ."""
IN_TURN = 1.0
"""Runs between the middles of two sides that alternate. Of sides further apart, whatever lasts for several runs is in
one of them: then the interval is as wide as of the fewest."""
WANTED = 0.1
"""The difference that is to be found, ..."""
POWER = 0.8
"""... so often."""
MOST = 30
"""Further blocks a side that are asked for; more are too many to ask for."""

Side = tuple[str, str]
"""Whose blocks they are: a side's, and its own or earlier ones."""


@dataclass(frozen=True)
class Block:
    """Launches of one run, or of runs right after each other."""

    of: Side
    began: datetime
    ended: datetime
    medians: tuple[float, ...]
    """Of its launches; positive."""

    @property
    def log(self) -> float:
        return math.log(median(self.medians))


@dataclass(frozen=True)
class Contrast:
    """A logarithm of the ratio of two sides, and how well it is known."""

    mean: float
    error: float
    """Standard error."""
    freedom: float
    spread: float
    """Between blocks: standard deviation of the logarithms."""

    @property
    def interval(self) -> Interval:
        """95%, of the ratio."""
        half = student(self.freedom) * self.error
        return Interval(math.exp(self.mean - half), math.exp(self.mean + half))


def blocks(launches: Mapping[Side, Sequence[tuple[Record, float]]]) -> list[Block]:
    """In the order of their starts; a launch with its median."""
    runs: dict[tuple[Side, str], list[tuple[Record, float]]] = {}
    for of, each in launches.items():
        for record, value in each:
            runs.setdefault((of, run(record)), []).append((record, value))
    each_run = [_block(of, known) for (of, _), known in runs.items()]
    found: list[Block] = []
    for one in sorted(each_run, key=lambda block: block.began):
        last = found[-1] if found else None
        if last and last.of == one.of and (one.began - last.ended).total_seconds() < APART:
            medians = (*last.medians, *one.medians)
            found[-1] = Block(one.of, last.began, max(last.ended, one.ended), medians)
        else:
            found.append(one)
    return found


def run(record: Record) -> str:
    """Empty: it is not known."""
    return record.provenance.run if record.provenance else ""


def _block(of: Side, launches: Sequence[tuple[Record, float]]) -> Block:
    began, ended = min(one.started for one, _ in launches), max(one.ended for one, _ in launches)
    return Block(of, began, ended, tuple(value for _, value in launches))


def contrast(found: Sequence[Block], first: Side, second: Side, *, alike: bool) -> Contrast | None:
    """Of the second side over the first, of one machine: whatever drifts over all blocks is no difference of sides.

    `alike`: blocks of both sides, as those of one case, differ alike. None: too few blocks to know how they differ, or
    they do not differ at all, which may be chance.
    """
    places = {side: [at for at, block in enumerate(found) if block.of == side] for side in {b.of for b in found}}
    freedom = len(found) - len(places) - 1
    if freedom < FEWEST or not {first, second} <= places.keys():
        return None
    middles = {side: _mean(at) for side, at in places.items()}
    means = {side: _mean([found[place].log for place in at]) for side, at in places.items()}
    beside = [(at - middles[block.of], block.log - means[block.of]) for at, block in enumerate(found)]
    turns = math.fsum(x * x for x, _ in beside)
    slope = math.fsum(x * y for x, y in beside) / turns
    left = [y - slope * x for x, y in beside]
    variance = max(math.fsum(one * one for one in left) / freedom, _within(found))
    between = middles[second] - middles[first]
    scale = variance * between**2 / turns
    for side in (first, second):
        own = [one for one, block in zip(left, found, strict=True) if block.of[0] == side[0]]
        groups = len({block.of for block in found if block.of[0] == side[0]})
        if not alike and len(own) - groups < FEWEST - 1:
            return None
        scale += (variance if alike else max(variance, _variance(own, len(own) - groups))) / len(places[side])
    if scale < ROUNDING**2:
        return None
    mean = means[second] - means[first] - slope * between
    known = freedom if abs(between) <= IN_TURN else FEWEST
    return Contrast(mean, math.sqrt(scale), known, math.sqrt(variance))


def unlike(found: Sequence[Block], first: Side, second: Side) -> Contrast | None:
    """The same of two machines, each with a spread of its own and nothing in common: Welch's t."""
    means, variances, freedoms = [], [], []
    for side in (first, second):
        own = [block for block in found if block.of == side]
        earlier = [block for block in found if block.of != side and block.of[0] == side[0]]
        freedom = len(own) + len(earlier) - bool(own) - bool(earlier)
        if not own or freedom < FEWEST - 1:
            return None
        groups = [[block.log for block in each] for each in (own, earlier) if each]
        left = [value - _mean(each) for each in groups for value in each]
        means.append(_mean(groups[0]))
        variances.append(max(_variance(left, freedom), _within([*own, *earlier])) / len(own))
        freedoms.append(freedom)
    total = sum(variances)
    if total < ROUNDING**2:
        return None
    welch = total**2 / sum(variance**2 / freedom for variance, freedom in zip(variances, freedoms, strict=True))
    freedom_of_both = min(welch, MOST_FREEDOM_OF_THREE) if min(freedoms) < FEWEST else welch
    spread = math.sqrt(total / sum(1 / sum(block.of == side for block in found) for side in (first, second)))
    return Contrast(means[1] - means[0], math.sqrt(total), freedom_of_both, spread)


def _variance(left: Sequence[float], freedom: int) -> float:
    return math.fsum(one * one for one in left) / freedom


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _within(found: Sequence[Block]) -> float:
    """Variance of a block's logarithm by that of its launches alone: by chance blocks may agree better than that."""
    logs = [[math.log(value) for value in block.medians] for block in found]
    freedom = sum(len(each) - 1 for each in logs)
    if not freedom:
        return 0.0
    squares = math.fsum((value - _mean(each)) ** 2 for each in logs for value in each)
    return squares / freedom * _mean([1 / len(each) for each in logs])


def missing(counts: tuple[int, int], earlier: int, others: int) -> int:
    """Further blocks on each side from which a contrast follows; `earlier` blocks of `others` further sides."""
    return max(0, math.ceil((FEWEST + 3 + others - earlier - sum(counts)) / 2), 1 - min(counts))


def further(counts: tuple[int, int], known: Contrast) -> int | None:
    """Blocks to be added on each side, in turn, so that the wanted difference is found; 0: it is with those there are.

    None: more than can be asked for.
    """
    if _found(known.error, known.freedom):
        return 0
    for more in range(1, MOST + 1):
        scale = sum(1 / (count + more) for count in counts)
        if _found(known.spread * math.sqrt(scale), known.freedom + 2 * more):
            return more
    return None


def _found(error: float, freedom: float) -> bool:
    return (student(freedom) + student(freedom, 2 * POWER - 1)) * error <= math.log1p(WANTED)
