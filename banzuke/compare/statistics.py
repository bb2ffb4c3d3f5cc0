"""Statistics of the samples of one launch, and of the medians of several launches.

The samples of one launch share its memory, its processors and its minute, so they say nothing about the next launch.
Two sides are compared by the medians of their launches, on a logarithmic scale, where a ratio is a difference.

A 95% interval contains the true value at least 93 times in 100 under these conditions. Between launches: they are
independent, and their logarithms are normal or heavier-tailed, down to Student's t with three degrees of freedom, with
any spreads and numbers of launches on the two sides. For the median of one launch: its samples are independent, with
any distribution. Under other conditions, coverage is lower. For the mean of five launches, it is 93 in 100 if
logarithms are uniform, 88 if they are exponential, 88 if each correlates with the one before by 0.3, and 41 if one in
ten is an outlier at thirty times the spread of the rest: `test_launches` simulates them.
"""

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

CONFIDENCE = 0.95
FEWEST_FOR_SPREAD = 2
FEWEST_FOR_MEDIAN = 5
"""Fewest samples: the range of five contains the median in 94 of 100 cases, that of four in 88."""
FEWEST_FOR_WELCH = 3
"""Fewest launches of each side; with two, an interval with Welch's degrees of freedom may cover 88% instead of 95%."""
MOST_FREEDOM_OF_THREE = 4.0
"""Most degrees of freedom of Welch's t if a side has three launches; with more, the interval may cover 92%."""


class Interval(NamedTuple):
    low: float
    high: float

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int | float) and self.low <= value <= self.high


def median(samples: Sequence[float]) -> float:
    return quantile(samples, 0.5)


def quantile(samples: Sequence[float], fraction: float) -> float:
    """Return a quantile, linear between order statistics: fraction 0 is the minimum, 1 the maximum."""
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
    """Return the geometric mean; None: there are no values. Raises ValueError if one is not positive."""
    logs = _logs(values)
    return _exponential(_mean(logs)) if logs else None


def spread(samples: Sequence[float]) -> float | None:
    """Return the interquartile range divided by the median; None for a single sample or a median of zero."""
    if len(samples) < FEWEST_FOR_SPREAD:
        return None
    low, middle, high = quantiles(samples, (0.25, 0.5, 0.75))
    return (high - low) / abs(middle) if middle else None


def median_interval(samples: Sequence[float]) -> Interval | None:
    """Return the 95% interval of the median of one launch's samples, between two of them; None: fewer than five.

    It covers only the variation within the launch.
    """
    if len(samples) < FEWEST_FOR_MEDIAN:
        return None
    ordered, left_out = sorted(samples), _beyond(len(samples), (1 - CONFIDENCE) / 2)
    return Interval(ordered[left_out], ordered[-1 - left_out])


@lru_cache(maxsize=1024)
def _beyond(count: int, chance: float) -> int:
    """Return how many samples each end can lose before the next one misses the median with more than this chance."""
    total, term, left_out = 0.0, 0.5**count if count < 1000 else 0.0, 0
    if term == 0.0:
        from scipy.special import bdtrik  # noqa: PLC0415  (takes longer to import than most commands to run)

        return max(0, math.floor(float(bdtrik(chance, count, 0.5))))
    while total + term <= chance:
        total += term
        term *= (count - left_out) / (left_out + 1)
        left_out += 1
    return max(0, left_out - 1)


class Launches(NamedTuple):
    """The median of each launch of a side; all positive."""

    medians: Sequence[float]
    others: Sequence[float] = ()
    """Medians of other launches of the case, which give the spread between launches if the side has only one."""


def launch_spread(medians: Sequence[float]) -> float | None:
    """Return the relative spread between launches, the standard deviation of logarithms. None: there is one launch."""
    estimate = _estimate(_logs(medians), ())
    return math.sqrt(estimate.variance * len(medians)) if estimate else None


def times_better(mine: float, theirs: float, better: str) -> float | None:
    """Return how many times better one figure is than another; every shown ratio is made by this, so that they agree.

    It is the ratio of the shown figures, which are medians of launches' medians. None: one is not positive.
    """
    if not (0 < mine < math.inf and 0 < theirs < math.inf):
        return None
    return mine / theirs if better == "higher" else theirs / mine


def times_better_interval(mine: Interval, theirs: float, better: str) -> Interval | None:
    """Return the interval of `times_better`, given that of one figure; None: an end is not positive."""
    if mine.low <= 0 or theirs <= 0:
        return None
    return (
        Interval(mine.low / theirs, mine.high / theirs)
        if better == "higher"
        else Interval(theirs / mine.high, theirs / mine.low)
    )


def mean_interval(side: Launches) -> Interval | None:
    """Return the 95% interval of the geometric mean: Student's t on logarithms.

    None: the spread between launches is unknown, or they agree exactly and are so few that it may be chance.
    """
    return _student(_logs(side.medians), _logs(side.others))


def paired_interval(numerator: Sequence[float], denominator: Sequence[float]) -> Interval | None:
    """Return the 95% interval of the ratio of paired medians: paired t on logarithms.

    None: as for `mean_interval`.
    """
    return _student([a - b for a, b in zip(_logs(numerator), _logs(denominator), strict=True)])


def ratio_interval(numerator: Launches, denominator: Launches) -> Interval | None:
    """Return the 95% interval of the ratio of geometric means: Welch's t on logarithms. None: see `mean_interval`."""
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
        freedom = min(freedom, MOST_FREEDOM_OF_THREE) if min(counts) == FEWEST_FOR_WELCH else freedom
    return _around(_Estimate(top.mean - bottom.mean, total, freedom))


class _Estimate(NamedTuple):
    """The mean of logarithms, the variance of this mean, and its degrees of freedom."""

    mean: float
    variance: float
    freedom: float


def _estimate(logs: Sequence[float], others: Sequence[float]) -> _Estimate | None:
    basis = logs if len(logs) > 1 else others
    if len(basis) < FEWEST_FOR_SPREAD:
        return None
    mean = _mean(basis)
    freedom = len(basis) - 1
    variance = math.fsum((value - mean) ** 2 for value in basis) / freedom
    return _Estimate(_mean(logs), variance / len(logs), freedom)


def _mean(values: Sequence[float]) -> float:
    """Return the mean; exact if all values are equal, so that their variance is 0."""
    return values[0] + math.fsum(value - values[0] for value in values) / len(values)


def _student(logs: Sequence[float], others: Sequence[float] = ()) -> Interval | None:
    estimate = _estimate(logs, others)
    if estimate is None or (estimate.variance == 0 and 2 / 2 ** len(logs) > 1 - CONFIDENCE):
        return None
    return _around(estimate)


def student(freedom: float, confidence: float = CONFIDENCE) -> float:
    """Return half the width of the interval, in standard errors with these degrees of freedom."""
    from scipy.special import stdtrit  # noqa: PLC0415  (takes longer to import than most commands to run)

    return float(stdtrit(freedom, (1 + confidence) / 2))


def _around(estimate: _Estimate) -> Interval:
    half = student(estimate.freedom) * math.sqrt(estimate.variance)
    return Interval(_exponential(estimate.mean - half), _exponential(estimate.mean + half))


def _logs(values: Iterable[float]) -> list[float]:
    return [math.log(value) for value in values]


def _exponential(value: float) -> float:
    """Return the exponential; infinite if it overflows."""
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf
