"""Finds lasting changes in a figure that is measured again and again, run after run.

A sequential test on the logarithms of the runs' medians. The newest runs are compared with those before them, back to
the last change: their medians have to differ by `THRESHOLD` standard errors and by `LEAST`, and the next run has to
confirm it. Spread and correlation of neighbouring runs are those of the runs before, estimated robustly, so that single
bad runs neither raise an alarm nor hide one. `test_changes.py` simulates how often an alarm is false, and how soon a
change is found.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from banzuke.compare.statistics import median

FEWEST_REFERENCE = 12
"""Fewest runs before a change; with fewer, nothing is known of how runs vary."""
LONGEST_REFERENCE = 60
FEWEST_RECENT = 3
"""Fewest runs after a change; fewer may be bad runs."""
LONGEST_RECENT = 14
FEWEST_RUNS = FEWEST_REFERENCE + FEWEST_RECENT + 1
"""Fewest runs with which a change can be found and confirmed."""
WEEK = 7
"""Runs within which a change is to be found, if there is one a day."""
HALF = 0.5
"""Share of the change that its first run and the newest one show at least, so that these belong to it."""
LEAST = 0.02
"""Smallest relative change that is reported."""
THRESHOLD = 4.3
"""Standard errors; `python -m scripts.simulate_runs --watch` shows what it costs and finds."""
FLOOR = 0.002
"""Smallest standard deviation that is believed, as figures are rounded and chance makes runs equal."""
NORMAL = 1.4826
"""Standard deviation of normal values over their median absolute deviation."""
MEDIAN_LOSS = math.pi / 2
"""Variance of the median over that of the mean, for normal values."""
MOST_CORRELATED = 0.8


@dataclass(frozen=True)
class LastingChange:
    """A lasting change, confirmed by a further run."""

    onset: int
    """First run after the change."""
    confirmed: int
    """Run that confirmed it."""
    ratio: float
    """Median of the runs since then, up to the next change, over that of the runs before."""


@dataclass(frozen=True)
class Reference:
    """Runs since the last change, which later ones are held against."""

    middle: float
    spread: float
    correlation: float
    """Correlation of neighbouring runs; 0 where it is negative."""
    runs: int

    @classmethod
    def of(cls, logs: Sequence[float]) -> "Reference":
        middle = median(logs)
        beside = [log - middle for log in logs]
        spread = max(FLOOR, NORMAL * median([abs(value) for value in beside]))
        near = [max(-3.0, min(3.0, value / spread)) for value in beside]  # a bad run must not hide the correlation
        squares = math.fsum(value * value for value in near)
        products = math.fsum(a * b for a, b in pairwise(near))
        # The estimate of r from n runs is low by about (1 + 4 r) / n.
        correlation = products / squares + (1 + 4 * max(0.0, products / squares)) / len(logs) if squares else 0.0
        return cls(middle, spread, max(0.0, min(MOST_CORRELATED, correlation)), len(logs))

    def error(self, recent: int) -> float:
        """Return the standard error of the difference between the median of `recent` runs and this one's."""
        return self.spread * math.sqrt(MEDIAN_LOSS * (self._per_run(recent) + self._per_run(self.runs)))

    def finds(self, within: int) -> float:
        """Return the smallest relative change that is found and confirmed within so many runs."""
        return max(LEAST, math.expm1(THRESHOLD * self.error(within - 1)))

    def _per_run(self, count: int) -> float:
        """Return the variance of the mean of so many runs in units of that of one."""
        rho = self.correlation
        return (1 + 2 * math.fsum((1 - lag / count) * rho**lag for lag in range(1, count))) / count


def changes(values: Sequence[float]) -> Iterator[LastingChange]:
    """Yield each lasting change of positive values, oldest first."""
    logs = [math.log(value) for value in values]
    located = list(_confirmed(logs))
    ends = [0, *(onset for onset, _ in located), len(logs)]
    for (onset, confirmed), begin, end in zip(located, ends, ends[2:], strict=False):
        before, after = logs[max(begin, onset - LONGEST_REFERENCE) : onset], logs[onset:end][:LONGEST_REFERENCE]
        yield LastingChange(onset, confirmed, math.exp(median(after) - median(before)))


def _confirmed(logs: Sequence[float]) -> Iterator[tuple[int, int]]:
    """Yield the first run after each change, and the one that confirmed it."""
    begin, suspected = 0, False
    for end in range(1, len(logs) + 1):
        onset = _onset(logs[begin:end])
        if onset is not None and suspected:
            yield begin + onset, end - 1
            begin, suspected = begin + onset, False
        else:
            suspected = onset is not None


def reference(values: Sequence[float]) -> Reference | None:
    """Return what further runs are held against, given those since the last change; None: these are too few."""
    own = [math.log(value) for value in values[-LONGEST_REFERENCE:]]
    return Reference.of(own) if len(own) >= FEWEST_REFERENCE else None


def is_suspected(values: Sequence[float]) -> bool:
    """Return whether the newest runs seem to differ from the others since the last change, as yet unconfirmed."""
    return _onset([math.log(value) for value in values]) is not None


def _onset(logs: Sequence[float]) -> int | None:
    """Return where the last runs begin to differ most from those before; None: nowhere."""
    largest, onset = THRESHOLD, None
    for recent in range(FEWEST_RECENT, min(LONGEST_RECENT, len(logs) - FEWEST_REFERENCE) + 1):
        split = len(logs) - recent
        before, after = logs[max(0, split - LONGEST_REFERENCE) : split], logs[split:]
        middle = median(before)
        change = median(after) - middle
        if abs(change) < math.log1p(LEAST) or min(log / change for log in _ends(after, middle)) < HALF:
            continue
        errors = abs(change) / Reference.of(before).error(recent)
        if errors > largest:
            largest, onset = errors, split
    return onset


def _ends(logs: Sequence[float], middle: float) -> tuple[float, float]:
    """Return the distances of the first and the newest run from the others' median."""
    return logs[0] - middle, logs[-1] - middle
