"""Finds lasting changes in a figure that is measured again and again, run after run.

A sequential test on the logarithms of the runs' medians. The newest runs are compared with those before them, back to
the last change: they have to differ by `threshold` standard errors and by `LEAST`, and the next run has to confirm it.
Each run is predicted from the one before it, as far as neighbouring runs correlate: what it adds to that says most.
Spread and correlation are those of the runs before, estimated robustly, so that single bad runs neither raise an alarm
nor hide one. `test_changes.py` simulates how often an alarm is false, and how soon a change is found.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from banzuke.compare.statistics import median

FEWEST_REFERENCE = 12
"""Fewest runs before a change; with fewer, nothing is known of how runs vary."""
LONGEST_REFERENCE = 120
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
THRESHOLD = 4.0
"""Standard errors, for one figure; `python -m scripts.simulate_runs --watch` shows what it costs and finds."""
FOR_MORE = 0.4
"""Standard errors more for each factor e of figures, so that all together raise a false alarm hardly more often."""
UNSURE = 4.0
"""The standard error after n runs is larger by `1 + UNSURE / n`, as their spread and correlation are estimates."""
FLOOR = 0.002
"""Smallest standard deviation that is believed, as figures are rounded and chance makes runs equal."""
NORMAL = 1.4826
"""Standard deviation of normal values over their median absolute deviation."""
CLIPPED = 4.0
"""Standard deviations at which a run stops to count more, so that bad ones neither raise an alarm nor hide one."""
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
        """Return the reference of these logarithms; single ones far from the others hardly move it."""
        middle = median(logs)
        rough = max(FLOOR, NORMAL * median([abs(log - middle) for log in logs]))
        near = [_clipped((log - middle) / rough) for log in logs]
        beside = math.fsum(near) / len(near)
        near = [value - beside for value in near]
        squares = math.fsum(value * value for value in near)
        middle, spread = middle + beside * rough, max(FLOOR, rough * math.sqrt(squares / len(near)))
        products = math.fsum(a * b for a, b in pairwise(near))
        # The estimate of r from n runs is low by about (1 + 4 r) / n.
        correlation = products / squares + (1 + 4 * max(0.0, products / squares)) / len(logs) if squares else 0.0
        return cls(middle, spread, max(0.0, min(MOST_CORRELATED, correlation)), len(logs))

    def error(self, recent: int) -> float:
        """Return the standard error of a change that is estimated from so many runs after it."""
        unsure = 1 + UNSURE / self.runs
        return unsure * self.spread * math.sqrt(1 / self._information(recent) + self._per_run(self.runs))

    def finds(self, within: int, figures: int = 1) -> float:
        """Return the smallest relative change that is found and confirmed within so many runs."""
        return max(LEAST, math.expm1(threshold(figures) * self.error(within - 1)))

    def errors(self, last: float, after: Sequence[float]) -> float:
        """Return how many standard errors the runs after a change are away, given the last run before it.

        Each run is predicted from the one before it, as far as neighbouring runs correlate. What it adds to that says
        most about a change in the first run; in later ones, which follow it, the less the more runs correlate.
        """
        rho, scale = self.correlation, math.sqrt(1 - self.correlation**2)
        beside = [_clipped((last - self.middle) / self.spread), *((log - self.middle) / self.spread for log in after)]
        added = [_clipped((new - rho * old) / scale) for old, new in pairwise(beside)]
        weights = [1 / scale, *([(1 - rho) / scale] * (len(after) - 1))]
        score = math.fsum(weight * value for weight, value in zip(weights, added, strict=True))
        unsure = (1 - rho) / scale * math.fsum(weights)
        variance = self._information(len(after)) + unsure**2 * self._per_run(self.runs)
        return score / math.sqrt(variance) / (1 + UNSURE / self.runs)

    def _information(self, recent: int) -> float:
        """Return the inverse of the variance of a change's estimate from so many runs, in units of that of one run."""
        rho = self.correlation
        return (1 + (recent - 1) * (1 - rho) ** 2) / (1 - rho**2)

    def _per_run(self, count: int) -> float:
        """Return the variance of the mean of so many runs in units of that of one."""
        rho = self.correlation
        return (1 + 2 * math.fsum((1 - lag / count) * rho**lag for lag in range(1, count))) / count


def _clipped(errors: float) -> float:
    return max(-CLIPPED, min(CLIPPED, errors))


def threshold(figures: int) -> float:
    """Return by how many standard errors runs have to differ if so many figures are watched together."""
    return THRESHOLD + FOR_MORE * math.log(max(1, figures))


def changes(values: Sequence[float], figures: int = 1) -> Iterator[LastingChange]:
    """Yield each lasting change of positive values, of one of so many figures, oldest first."""
    logs = [math.log(value) for value in values]
    located = list(_confirmed(logs, threshold(figures)))
    ends = [0, *(onset for onset, _ in located), len(logs)]
    for (onset, confirmed), begin, end in zip(located, ends, ends[2:], strict=False):
        before, after = logs[max(begin, onset - LONGEST_REFERENCE) : onset], logs[onset:end][:LONGEST_REFERENCE]
        yield LastingChange(onset, confirmed, math.exp(median(after) - median(before)))


def _confirmed(logs: Sequence[float], least: float) -> Iterator[tuple[int, int]]:
    """Yield the first run after each change, and the one that confirmed it."""
    begin, suspected = 0, False
    for end in range(1, len(logs) + 1):
        onset = _onset(logs[begin:end], least)
        if onset is not None and suspected:
            yield begin + onset, end - 1
            begin, suspected = begin + onset, False
        else:
            suspected = onset is not None


def reference(values: Sequence[float]) -> Reference | None:
    """Return what further runs are held against, given those since the last change; None: these are too few."""
    own = [math.log(value) for value in values[-LONGEST_REFERENCE:]]
    return Reference.of(own) if len(own) >= FEWEST_REFERENCE else None


def is_suspected(values: Sequence[float], figures: int = 1) -> bool:
    """Return whether the newest runs seem to differ from the others since the last change, as yet unconfirmed."""
    return _onset([math.log(value) for value in values], threshold(figures)) is not None


def _onset(logs: Sequence[float], least: float) -> int | None:
    """Return where the last runs begin to differ most from those before; None: nowhere."""
    largest, onset = least, None
    for recent in range(FEWEST_RECENT, min(LONGEST_RECENT, len(logs) - FEWEST_REFERENCE) + 1):
        split = len(logs) - recent
        before, after = logs[max(0, split - LONGEST_REFERENCE) : split], logs[split:]
        middle = median(before)
        change = median(after) - middle
        if abs(change) < math.log1p(LEAST) or min(log / change for log in _ends(after, middle)) < HALF:
            continue
        errors = Reference.of(before).errors(before[-1], after) * math.copysign(1, change)
        if errors > largest:
            largest, onset = errors, split
    return onset


def _ends(logs: Sequence[float], middle: float) -> tuple[float, float]:
    """Return the distances of the first and the newest run from the others' median."""
    return logs[0] - middle, logs[-1] - middle
