"""Statistics of the samples of one launch, and of the medians of several launches.

The samples of one launch share its memory, its processors and its minute, so they say nothing about the next launch.
Two sides are compared by the medians of their launches, on a logarithmic scale, where a ratio is a difference.
"""

import math
import random
from array import array
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

RESAMPLES = 2000
CONFIDENCE = 0.95
FEWEST_FOR_INTERVAL = 2
FEWEST_FOR_WELCH = 3
"""Launches a side: with two, Welch's degrees of freedom may cover 88% where 95% is meant."""


class Interval(NamedTuple):
    low: float
    high: float

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int | float) and self.low <= value <= self.high


def median(samples: Sequence[float]) -> float:
    return quantile(samples, 0.5)


def quantile(samples: Sequence[float], fraction: float) -> float:
    """Linear between order statistics: fraction 0 is the minimum, 1 the maximum."""
    if not samples:
        raise ValueError("no samples")
    if not 0 <= fraction <= 1:
        raise ValueError(f"{fraction} is not a fraction")
    ordered = sorted(samples)
    place = fraction * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    weight = place - below
    return ordered[below] * (1 - weight) + ordered[above] * weight if weight else ordered[below]


def quantiles(samples: Sequence[float], fractions: Sequence[float]) -> list[float]:
    ordered = sorted(samples)
    return [quantile(ordered, fraction) for fraction in fractions]


def geometric_mean(values: Iterable[float]) -> float | None:
    """None: there are none. Raises ValueError where one is not positive."""
    logs = _logs(values)
    return _exponential(_mean(logs)) if logs else None


def spread(samples: Sequence[float]) -> float | None:
    """Interquartile range over the median; None for a single sample or a median of zero."""
    if len(samples) < FEWEST_FOR_INTERVAL:
        return None
    low, middle, high = quantiles(samples, (0.25, 0.5, 0.75))
    return (high - low) / abs(middle) if middle else None


def median_interval(
    samples: Sequence[float], *, confidence: float = CONFIDENCE, resamples: int = RESAMPLES, seed: int = 0
) -> Interval | None:
    """Percentile bootstrap interval of the median of one launch's samples; None for a single sample.

    It holds the variation within the launch and no other.
    """
    if len(samples) < FEWEST_FOR_INTERVAL:
        return None
    return _central(_bootstrap_medians(samples, resamples, seed), confidence)


class Launches(NamedTuple):
    """The median of each launch of a side; all positive."""

    medians: Sequence[float]
    others: Sequence[float] = ()
    """Of other launches of the same case, which give the spread between launches where the side has only one."""


def launch_spread(medians: Sequence[float]) -> float | None:
    """Standard deviation of the logarithms: the relative spread between launches. None: there is one launch."""
    found = _estimate(_logs(medians), ())
    return math.sqrt(found.variance * len(medians)) if found else None


def times_better(mine: float, theirs: float, better: str) -> float | None:
    """How many times better a figure is than another: every ratio of figures, so that all that is shown agrees.

    Of the figures themselves, medians of launches' medians, which stand beside it. None: one is not positive.
    """
    if not (0 < mine < math.inf and 0 < theirs < math.inf):
        return None
    return mine / theirs if better == "higher" else theirs / mine


def mean_interval(side: Launches) -> Interval | None:
    """95% interval of the geometric mean: Student's t on logarithms.

    None: the spread between launches is unknown, or they agree exactly and are so few that it may be chance.
    """
    return _student(_logs(side.medians), _logs(side.others))


def paired_interval(numerator: Sequence[float], denominator: Sequence[float]) -> Interval | None:
    """95% interval of the ratio of medians that belong together pair by pair: paired t on logarithms.

    None: as of `mean_interval`.
    """
    return _student([a - b for a, b in zip(_logs(numerator), _logs(denominator), strict=True)])


def ratio_interval(numerator: Launches, denominator: Launches) -> Interval | None:
    """95% interval of the ratio of the geometric means: Welch's t on logarithms. None: as of `mean_interval`."""
    top, bottom = (_estimate(_logs(side.medians), _logs(side.others)) for side in (numerator, denominator))
    if top is None or bottom is None:
        return None
    counts = len(numerator.medians), len(denominator.medians)
    total = top.variance + bottom.variance
    if total == 0 and 2 / math.comb(sum(counts), counts[0]) > 1 - CONFIDENCE:
        return None
    freedom = min(top.freedom, bottom.freedom)
    if total and min(counts) >= FEWEST_FOR_WELCH:
        freedom = total**2 / (top.variance**2 / top.freedom + bottom.variance**2 / bottom.freedom)
    return _around(_Estimate(top.mean - bottom.mean, total, freedom))


class _Estimate(NamedTuple):
    """A logarithm, the variance of its mean, and how many degrees of freedom that has."""

    mean: float
    variance: float
    freedom: float


def _estimate(logs: Sequence[float], others: Sequence[float]) -> _Estimate | None:
    known = logs if len(logs) > 1 else others
    if len(known) < FEWEST_FOR_INTERVAL:
        return None
    mean = _mean(known)
    freedom = len(known) - 1
    variance = math.fsum((value - mean) ** 2 for value in known) / freedom
    return _Estimate(_mean(logs), variance / len(logs), freedom)


def _mean(values: Sequence[float]) -> float:
    """Exactly their value where all are equal, so that their variance is 0."""
    return values[0] + math.fsum(value - values[0] for value in values) / len(values)


def _student(logs: Sequence[float], others: Sequence[float] = ()) -> Interval | None:
    found = _estimate(logs, others)
    if found is None or (found.variance == 0 and 2 / 2 ** len(logs) > 1 - CONFIDENCE):
        return None
    return _around(found)


def student(freedom: float) -> float:
    """Half of a 95% interval in standard errors that have so many degrees of freedom."""
    from scipy.special import stdtrit  # noqa: PLC0415  (takes longer to import than most commands to run)

    return float(stdtrit(freedom, (1 + CONFIDENCE) / 2))


def _around(found: _Estimate) -> Interval:
    half = student(found.freedom) * math.sqrt(found.variance)
    return Interval(_exponential(found.mean - half), _exponential(found.mean + half))


def _logs(values: Iterable[float]) -> list[float]:
    return [math.log(value) for value in values]


def _exponential(value: float) -> float:
    """Infinite where it is no double."""
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf


def _bootstrap_medians(samples: Sequence[float], resamples: int, seed: int) -> list[float]:
    """Medians of resamples, each drawn directly instead of by drawing and sorting a resample."""
    ordered = sorted(samples)
    return [
        (ordered[low] + ordered[high]) / 2 for low, high in zip(*_middles(len(ordered), resamples, seed), strict=True)
    ]


@lru_cache(maxsize=128)
def _middles(n: int, resamples: int, seed: int) -> tuple[Sequence[int], Sequence[int]]:
    """Which of n ordered samples stand in the middle of each resample, twice the same where n is odd.

    The k-th smallest of n uniform numbers has a Beta(k, n - k + 1) distribution, and the next one lies above
    it by a Beta(1, n - k) share of what is left.
    """
    stream = random.Random(seed)  # noqa: S311
    low, high = array("Q"), array("Q")
    k = (n + 1) // 2
    for _ in range(resamples):
        place = stream.betavariate(k, n - k + 1)
        low.append(min(int(place * n), n - 1))
        if n % 2 == 0:
            place += (1 - place) * (1 - stream.random() ** (1 / (n - k)))
        high.append(min(int(place * n), n - 1))
    return low, high


def _central(values: list[float], confidence: float) -> Interval:
    if not 0 < confidence < 1:
        raise ValueError(f"{confidence} is not a confidence between 0 and 1")
    values.sort()
    cut = math.floor((1 - confidence) / 2 * len(values))
    return Interval(values[cut], values[-1 - cut])
