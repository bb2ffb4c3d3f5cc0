"""Statistics of raw samples: medians and bootstrap intervals, for timings are skewed and have outliers."""

import math
import random
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

RESAMPLES = 2000
CONFIDENCE = 0.95
FEWEST_FOR_INTERVAL = 2


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
    logarithms = [math.log(value) for value in values]
    return math.exp(math.fsum(logarithms) / len(logarithms)) if logarithms else None


def spread(samples: Sequence[float]) -> float | None:
    """Interquartile range over the median; None for a single sample or a median of zero."""
    if len(samples) < FEWEST_FOR_INTERVAL:
        return None
    low, middle, high = quantiles(samples, (0.25, 0.5, 0.75))
    return (high - low) / abs(middle) if middle else None


def median_interval(
    samples: Sequence[float], *, confidence: float = CONFIDENCE, resamples: int = RESAMPLES, seed: int = 0
) -> Interval | None:
    """Percentile bootstrap interval of the median; None for a single sample."""
    if len(samples) < FEWEST_FOR_INTERVAL:
        return None
    return _central(list(_bootstrap_medians(samples, resamples, random.Random(seed))), confidence)  # noqa: S311


def ratio_interval(
    numerator: Sequence[float],
    denominator: Sequence[float],
    *,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval | None:
    """Percentile bootstrap interval of median(numerator) / median(denominator).

    None where either has a single sample or a sample that is not positive. Each random stream serves each
    side for half of the resamples, so that exchanging the sides inverts the interval exactly.
    """
    if min(len(numerator), len(denominator)) < FEWEST_FOR_INTERVAL or min(*numerator, *denominator) <= 0:
        return None
    ratios: list[float] = []
    for above, below in ((seed, seed + 1), (seed + 1, seed)):
        tops = _bootstrap_medians(numerator, resamples // 2, random.Random(above))  # noqa: S311
        bottoms = _bootstrap_medians(denominator, resamples // 2, random.Random(below))  # noqa: S311
        ratios += [top / bottom for top, bottom in zip(tops, bottoms, strict=True)]
    return _central(ratios, confidence)


def _bootstrap_medians(samples: Sequence[float], resamples: int, stream: random.Random) -> Iterator[float]:
    """Medians of resamples, each drawn directly instead of by drawing and sorting a resample.

    The k-th smallest of n uniform numbers has a Beta(k, n - k + 1) distribution, and the next one lies above
    it by a Beta(1, n - k) share of what is left; they tell which samples stand in the resample's middle.
    """
    ordered = sorted(samples)
    n = len(ordered)
    k = (n + 1) // 2
    for _ in range(resamples):
        place = stream.betavariate(k, n - k + 1)
        lower = ordered[min(int(place * n), n - 1)]
        if n % 2:
            yield lower
            continue
        place += (1 - place) * (1 - stream.random() ** (1 / (n - k)))
        yield (lower + ordered[min(int(place * n), n - 1)]) / 2


def _central(values: list[float], confidence: float) -> Interval:
    if not 0 < confidence < 1:
        raise ValueError(f"{confidence} is not a confidence between 0 and 1")
    values.sort()
    cut = math.floor((1 - confidence) / 2 * len(values))
    return Interval(values[cut], values[-1 - cut])
