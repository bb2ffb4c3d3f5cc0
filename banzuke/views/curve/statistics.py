"""Statistics of the samples of each size of a curve."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum, isfinite

from banzuke.compare.statistics import median, quantiles
from banzuke.judge.outliers import Outliers, outliers
from banzuke.record.figures import Curve, Samples

PERCENTILES = (0.01, 0.05, 0.25, 0.75, 0.95, 0.99, 0.999)
BEYOND = 5
"""Fewest samples beyond a percentile for it to be given."""


@dataclass(frozen=True)
class Statistics:
    """Statistics of the samples of one size, in the metric's unit."""

    count: int
    median: float
    mean: float
    """Mean; for rates, the total work over the total time, as is usual."""
    minimum: float
    maximum: float
    percentiles: Mapping[float, float]
    """Percentiles by fraction, as far as there are enough samples."""
    outliers: Outliers


def statistics(samples: Samples) -> Statistics:
    """Return the statistics. Outliers are found by the times of samples, also for rates."""
    values = samples.samples
    rate = _is_rate(samples.unit)
    fractions = [fraction for fraction in PERCENTILES if len(values) * min(fraction, 1 - fraction) >= BEYOND - 1e-9]
    return Statistics(
        count=len(values),
        median=median(values),
        mean=_harmonic(values) if rate else fsum(values) / len(values),
        minimum=min(values),
        maximum=max(values),
        percentiles=dict(zip(fractions, quantiles(values, fractions), strict=True)),
        outliers=outliers([1 / value for value in values if value > 0] if rate else values),
    )


def _is_rate(unit: str) -> bool:
    return unit.endswith("/s")


def _harmonic(values: Sequence[float]) -> float:
    return len(values) / fsum(1 / value for value in values) if min(values) > 0 else 0.0


def metrics_of(curve: Curve) -> list[str]:
    """Return the metrics in the order of first appearance."""
    return list(dict.fromkeys(name for point in curve.points for name in point.metrics))


def message_times(curve: Curve, metric: str) -> list[tuple[float, float]]:
    """Return size and median time of one message; for a bandwidth, the time is the size over it."""
    times = []
    for point in curve.points:
        samples = point.metrics.get(metric)
        if samples is None:
            continue
        middle = median(samples.samples)
        seconds = middle if not _is_rate(samples.unit) else point.at / middle if middle > 0 else 0.0
        if isfinite(seconds) and seconds > 0:
            times.append((point.at, seconds))
    return times
