"""Predicts how much noise slows down an application whose ranks wait for each other: by formula, or by measured noise.

All ranks work for `period` seconds and then wait for the slowest. The formula (Tsafrir et al., ICS 2005; the evaluation
of Fugaku's operating system) describes a single noise of `length` seconds that occurs every `interval` seconds on each
rank. A measured distribution includes all noises.
"""

import math
import random
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from pathlib import Path
from statistics import fmean
from typing import Protocol, runtime_checkable

from banzuke.errors import BanzukeError
from banzuke.files import read_named
from banzuke.record.model import Record
from banzuke.units import quantity

LEAST_QUANTA = 100
MOST_RANKS = 10**12
"""Far more than any machine has."""
EQUAL = 1e-3
"""Relative difference below which sums of many quanta count as equal."""


def read_times(file: Path) -> list[float]:
    """Return times in seconds, one a line; the rest of a line after # is a comment. Raises BanzukeError
    naming the line.
    """
    times = []
    for number, line in enumerate(read_named(file).decode(errors="replace").splitlines(), 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        try:
            time = float(text)
        except ValueError:
            time = math.nan
        if not (math.isfinite(time) and time > 0):
            raise BanzukeError(
                f"{file}, line {number}: '{text[:40]}' is not a time above 0",
                remedy="Write one time in seconds on each line",
            )
        times.append(time)
    return times


@dataclass(frozen=True)
class PeriodicNoise:
    """A single noise, as the formula describes it; in seconds. Raises BanzukeError for values that are not above 0."""

    length: float
    """D: duration of the longest noise."""
    interval: float
    """Tn: time between two noises on one rank."""

    def __post_init__(self) -> None:
        _positive("the longest noise", self.length)
        _positive("the interval between noises", self.interval)

    def slowdown(self, ranks: int, period: float) -> float:
        """Return delay over work; above 1, the ranks wait longer than they work. Raises BanzukeError for
        absurd values.
        """
        return self._hit(ranks, period) * self.length / period

    def bearable(self, slowdown: float, ranks: int, period: float) -> float:
        """Return the longest noise, at this interval, that causes at most this slowdown. Raises BanzukeError."""
        _positive("the slowdown", slowdown)
        return slowdown * period / self._hit(ranks, period)

    def ranks_for(self, slowdown: float, period: float) -> float | None:
        """Return the number of ranks with this slowdown; None: no number has it. Raises BanzukeError."""
        _positive("the slowdown", slowdown)
        hit = slowdown * period / self.length
        self._hit(1, period)
        if hit >= 1:
            return None
        return max(1.0, math.log1p(-hit) / math.log1p(-period / self.interval)) if period < self.interval else 1.0

    def _hit(self, ranks: int, period: float) -> float:
        """Return the chance that a noise hits one of the ranks in a period: 1 - (1 - Ta/Tn)^N, exactly even
        where it is tiny.
        """
        _check(ranks, period)
        if period > self.interval:
            raise BanzukeError(
                "the formula needs noise to be rarer than synchronisation, but it comes every "
                f"{quantity(self.interval, 's')} and ranks synchronise every {quantity(period, 's')}",
                why="(1 - Ta/Tn) would be a negative probability",
                remedy="Give a synchronisation interval of at most the noise's, or use a measured distribution",
            )
        if period == self.interval:
            return 1.0
        return -math.expm1(ranks * math.log1p(-period / self.interval))


@dataclass(frozen=True)
class Measured:
    """Noise measured with fixed work quanta: how much longer each took than the shortest on its processor."""

    quantum: float
    """Seconds of an undisturbed quantum."""
    lines: Sequence[Sequence[float]]
    """Delays of each processor's quanta, in order."""
    resolution: float = 1.0
    """Seconds of a unit in `lines`."""
    counted: tuple[tuple[float, int], ...] = ()
    """Delays in seconds, ascending, and how often they occurred, on more processors than `lines` has;
    empty: on those in it.
    """

    def __post_init__(self) -> None:
        _positive("the quantum", self.quantum)
        lengths = [min(line) for line in self.lines if line] + [max(line) for line in self.lines if line]
        if not lengths or not all(math.isfinite(length) and length >= 0 for length in lengths):
            raise BanzukeError("the measured noise has no quanta, or some without a finite time")

    @classmethod
    def of(cls, times: Sequence[float]) -> "Measured":
        """Return the noise in the time of each quantum of one processor. Raises BanzukeError."""
        if len(times) < LEAST_QUANTA:
            raise BanzukeError(
                f"{len(times)} measured times say nothing about rare noise", remedy=f"Measure at least {LEAST_QUANTA}"
            )
        quantum = min(times)
        return cls(quantum, [[time - quantum for time in times]])

    @classmethod
    def together(cls, repetitions: Sequence["Measured"]) -> "Measured":
        """Return the noise of all repetitions of one case. Raises BanzukeError."""
        seen: Counter[float] = Counter()
        for repetition in repetitions:
            seen.update(dict(repetition.steps))
        if seen.total() < LEAST_QUANTA:
            raise BanzukeError(
                f"{seen.total()} quanta say nothing about rare noise", remedy=f"Measure at least {LEAST_QUANTA}"
            )
        first = repetitions[0]
        lines = [line for repetition in repetitions for line in repetition.lines]
        return cls(first.quantum, lines, first.resolution, tuple(sorted(seen.items())))

    @cached_property
    def steps(self) -> tuple[tuple[float, int], ...]:
        """Return how often each delay occurred, ascending."""
        if self.counted:
            return self.counted
        seen = Counter(length for line in self.lines for length in line)
        return tuple((length * self.resolution, count) for length, count in sorted(seen.items()))

    @cached_property
    def quanta(self) -> int:
        return sum(count for _, count in self.steps)

    @cached_property
    def share(self) -> float:
        """Return the share of the time that noise takes."""
        lost = math.fsum(length * count for length, count in self.steps)
        return lost / (lost + self.quantum * self.quanta)

    def worst(self) -> PeriodicNoise | None:
        """Return it as a single noise for the formula: the longest, as often as any of at least half its length
        occurred. None: there is no noise.
        """
        longest = self.steps[-1][0]
        if longest <= 0:
            return None
        count = sum(count for length, count in self.steps if length >= longest / 2)
        return PeriodicNoise(longest, self.quantum * self.quanta / count)

    def over(self, period: float) -> "Delays":
        """Return the delays of one rank in a period: those of the quanta in it, or, in a shorter period, of a
        part of a quantum.

        Raises BanzukeError where no processor was measured for that long.
        """
        _positive("the synchronisation interval", period)
        block = period / self.quantum
        if block <= 1:
            return Delays(period, block, self.steps)
        sums: Counter[float] = Counter()
        for line in self.lines:
            ends = [round(number * block) for number in range(int(len(line) / block) + 1)]
            sums.update(sum(line[begin:end]) for begin, end in pairwise(ends))
        if not sums:
            longest = self.quantum * max(map(len, self.lines))
            raise BanzukeError(
                f"too little was measured for a period of {quantity(period, 's')}: "
                f"at most {quantity(longest, 's')} of work on a processor",
                remedy="Measure longer (`--seconds`), or give a shorter --period",
            )
        return Delays(period, 1.0, _merged([(total * self.resolution, n) for total, n in sorted(sums.items())]))


@dataclass(frozen=True)
class FixedWork:
    """The noise of fixed work quanta in one record."""

    processors: int
    whole: Measured
    beyond_clock: Measured | None
    """Without changes of the clock, because clocks that processors share delay all alike. None: not separated."""


@runtime_checkable
class MeasuresFixedWork(Protocol):
    """A view of a benchmark from whose records noise can be predicted."""

    def fixed_work(self, record: Record) -> FixedWork | None:
        """Return the noise; None: the record has no quanta of fixed work."""


def _merged(steps: Sequence[tuple[float, int]]) -> tuple[tuple[float, int], ...]:
    """Merge nearly equal lengths into the longest of them, so that there are never millions."""
    merged: list[tuple[float, int]] = []
    for length, count in reversed(steps):
        if merged and length > merged[-1][0] * (1 - EQUAL):
            merged[-1] = (merged[-1][0], merged[-1][1] + count)
        else:
            merged.append((length, count))
    return tuple(reversed(merged))


@dataclass(frozen=True)
class Delays:
    """Distribution of one rank's delay in a period, and of the longest delay among many independent ranks."""

    period: float
    chance: float
    """Chance that a period meets the noise of a quantum."""
    counted: tuple[tuple[float, int], ...]
    """Delays, ascending, and how often each was seen."""

    @cached_property
    def _above(self) -> list[float]:
        """Return the chance that one rank's delay exceeds each of those seen."""
        total = sum(count for _, count in self.counted)
        seen = accumulate(count for _, count in self.counted)
        return [self.chance * (total - below) / total for below in seen]

    @property
    def capped(self) -> float | None:
        """Return the number of ranks from which every other period meets the longest delay seen; None: there
        was no delay.
        """
        longest, count = self.counted[-1]
        hit = self.chance * count / sum(seen for _, seen in self.counted)
        if longest <= 0:
            return None
        return max(1.0, -math.log(2) / math.log1p(-hit)) if hit < 1 else 1.0

    def slowdown(self, ranks: int) -> float:
        """Return the exact mean of the longest delay, over the period."""
        _check(ranks, self.period)
        least = math.exp(ranks * math.log1p(-self.chance)) if self.chance < 1 else 0.0
        below, mean = least, 0.0
        for (delay, _), above in zip(self.counted, self._above, strict=True):
            chance = math.exp(ranks * math.log1p(-above)) if above < 1 else 0.0
            mean += delay * (chance - below)
            below = chance
        return mean / self.period

    def ranks_for(self, slowdown: float) -> int | None:
        """Return the fewest ranks with this slowdown; None: even the longest delay seen is too short for it."""
        _positive("the slowdown", slowdown)
        longest, _ = self.counted[-1]
        if longest <= slowdown * self.period:
            return None
        ranks = range(1, MOST_RANKS + 1)
        fewest = bisect_left(ranks, slowdown, key=self.slowdown)
        return ranks[fewest] if fewest < len(ranks) else None

    def simulate(self, ranks: int, periods: int, seed: int) -> float:
        """Return the slowdown of a simulated run of this many periods.

        The longest of N independent delays has the distribution F^N, so one random number draws it, however many
        ranks there are.
        """
        _check(ranks, self.period)
        draw = random.Random(seed)  # noqa: S311  (a simulation)
        rising = [-above for above in self._above]
        delays = [delay for delay, _ in self.counted]
        return fmean(self._longest(draw.random(), ranks, rising, delays) for _ in range(periods)) / self.period

    def _longest(self, uniform: float, ranks: int, rising: Sequence[float], delays: Sequence[float]) -> float:
        """Return the delay that the longest one does not exceed with the chance `uniform`."""
        above = -math.expm1(math.log(uniform) / ranks) if uniform > 0 else 1.0
        if above >= self.chance:
            return 0.0
        return delays[min(bisect_left(rising, -above), len(delays) - 1)]


def _check(ranks: int, period: float) -> None:
    _positive("the synchronisation interval", period)
    if not 1 <= ranks <= MOST_RANKS:
        raise BanzukeError(
            f"{ranks if ranks < 1 else 'so many'} ranks cannot wait for each other", remedy=f"Give 1 to {MOST_RANKS:,}"
        )


def _positive(what: str, value: float) -> None:
    if not (math.isfinite(value) and value > 0):
        raise BanzukeError(f"{what} is {quantity(value, '')}", remedy="Give a number above 0")
