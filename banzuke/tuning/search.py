"""Coordinate descent in a bounded time, over noisy measurements.

Along one axis after the other, the best setting so far is measured in turn with alternatives, so that disturbances
affect all of them. An alternative replaces it only when the 95% interval of its ratio, round by round, lies above one,
and its median is better by more than `NOISE`.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from banzuke.compare.statistics import median, paired_interval
from banzuke.plan.benchmark import Setting

ROUNDS = 4
LEAST_ROUNDS = 3
"""Smallest number of rounds for a decision."""
HOPELESS = 0.97
"""Ratio to the best after one round below which a setting is not measured again."""
NOISE = 0.005
"""Difference of a ratio from one below which it means nothing, however small the spread of the few samples."""
PATIENCE = 3.0
"""A setting that takes this many times as long as the best one is given up."""
SHORTEST_LIMIT = 2.0
"""Shortest time limit in seconds: on a busy node a program may take so long to start."""

Axes = Mapping[str, Callable[[Setting], Sequence[Setting]]]
"""Functions that return alternatives to a setting, in the order in which the axes are searched."""

Measure = Callable[[Setting, float], float | None]
"""Measures a setting within a time limit in seconds; higher is better, None: no figure."""


class SearchObserver(Protocol):
    """Follows a search."""

    def trying(self, axis: str, setting: Setting, left: float) -> None: ...
    def settled(self, axis: str, before: Setting, after: Setting, ratio: float) -> None:
        """Report the result of a step; `ratio`: of the two settings' medians, 1 when the setting stays."""


@dataclass
class _Entrant:
    setting: Setting
    values: list[float] = field(default_factory=list)
    rounds: list[int] = field(default_factory=list)
    """Round in which each value was measured."""
    begun: int = 0
    """Number of rounds in which a measurement of it began."""


class Search:
    """A search; `best` and `gain` hold what was found so far, also after an interrupt."""

    def __init__(
        self,
        start: Setting,
        axes: Axes,
        measure: Measure,
        watcher: SearchObserver,
        *,
        seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.best = start
        self.gain: float | None = None
        """Ratio of the best to the start, measured in turn at the end; None: there was no time for that."""
        self.tried = [start]
        self._start, self._axes, self._measure, self._watcher, self._clock = start, axes, measure, watcher, clock
        self._deadline = clock() + seconds
        self.pace = 0.0
        """Seconds that a measurement of the best takes."""

    def run(self) -> bool:
        """Search until nothing gets better or the time is over. Return False if the start itself gives no figure."""
        start = _Entrant(self._start)  # warm-up: its value is not used
        self._take("start", start)
        if not start.values:
            return False
        while self._pass():
            pass
        if self.best == self._start:
            self.gain = 1.0
        else:
            self._confirm()
        return True

    def _pass(self) -> bool:
        """Search along each axis in turn; return whether that has led to something better."""
        before = self.best
        for axis, alternatives in self._axes.items():
            while self._step(axis, [setting for setting in alternatives(self.best) if setting not in self.tried]):
                pass
        return self.best != before

    def _step(self, axis: str, candidates: list[Setting]) -> bool:
        kept = 2 * ROUNDS * self.pace  # for the confirmation
        if not candidates or not self._time_for(LEAST_ROUNDS * (1 + len(candidates)), kept):
            return False
        self.tried += candidates
        before = self.best
        self.best, ratio = self._race(axis, before, candidates, kept) or (before, 1.0)
        self._watcher.settled(axis, before, self.best, ratio)
        return self.best != before

    def _confirm(self) -> None:
        """Measure the best against the start once more, because the best of many noisy figures is partly
        good by chance.
        """
        if decided := self._race("confirmation", self._start, [self.best], 0.0):
            self.best, self.gain = decided
            self._watcher.settled("confirmation", self._start, self.best, self.gain)

    def _race(
        self, axis: str, holder: Setting, candidates: Sequence[Setting], kept: float
    ) -> tuple[Setting, float] | None:
        """Return the winner, the holder unless a candidate beats it, and their ratio; keep `kept` seconds at the end.

        None: there was no time to decide.
        """
        first, others = _Entrant(holder), [_Entrant(setting) for setting in candidates]
        for number in range(ROUNDS):
            entrants = [first, *others]
            if not self._time_for(len(entrants), kept):
                break
            for entrant in entrants if number % 2 == 0 else entrants[::-1]:
                self._take(axis, entrant)
            others = [other for other in others if _hopeful(other, first, number + 1)]
            if not others:
                return holder, 1.0
        if min(len(entrant.values) for entrant in (first, *others)) < LEAST_ROUNDS:
            return None
        better = [
            (other.setting, median(other.values) / median(first.values)) for other in others if _beats(other, first)
        ]
        return max(better, key=lambda pair: pair[1], default=(holder, 1.0))

    def _take(self, axis: str, entrant: _Entrant) -> None:
        begun = self._clock()
        left = self._deadline - begun
        if left <= 0:
            return
        self._watcher.trying(axis, entrant.setting, left)
        entrant.begun += 1
        limit = max(SHORTEST_LIMIT, PATIENCE * self.pace) if self.pace else left
        value = self._measure(entrant.setting, min(left, limit))
        if value is not None:
            entrant.values.append(value)
            entrant.rounds.append(entrant.begun)
            if entrant.setting == self.best:
                self.pace = self._clock() - begun

    def _time_for(self, measurements: int, kept: float) -> bool:
        return self._clock() + measurements * self.pace + kept <= self._deadline


def _hopeful(other: _Entrant, first: _Entrant, rounds: int) -> bool:
    if len(other.values) < rounds:
        return False  # it failed, or took too long
    if not first.values:
        return True
    if rounds == 1:
        return other.values[0] > HOPELESS * first.values[0]
    return median(other.values) > median(first.values)


def _beats(other: _Entrant, first: _Entrant) -> bool:
    """Return whether it is better, compared round by round, which excludes changes between rounds."""
    if median(other.values) <= (1 + NOISE) * median(first.values):
        return False
    mine, theirs = (dict(zip(entrant.rounds, entrant.values, strict=True)) for entrant in (other, first))
    shared = sorted(mine.keys() & theirs.keys())
    interval = paired_interval([mine[at] for at in shared], [theirs[at] for at in shared])
    return interval is None or interval.low > 1  # None: all rounds agree exactly
