"""Samples far slower than the others."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, isfinite

from banzuke.compare.statistics import median

FAR = 6.0
"""Standard deviations, by the median absolute deviation, from which a slower sample is an outlier."""
LEAST_FAR = 0.5
"""Share of the median: what is nearer is none, however steady the others are, for it may be a second usual time."""
SIGMA = 1.4826
"""Standard deviation over median absolute deviation of a normal distribution."""


@dataclass(frozen=True)
class Outliers:
    """Samples far slower than the others."""

    count: int
    share: float
    """Their part of the samples."""
    time_share: float
    """Their part of the time of all samples."""
    farthest: float
    """The slowest sample's time over the median; 1 where there are no outliers."""


def outliers(times: Sequence[float]) -> Outliers:
    """Find those in times, or in inverse rates."""
    if not times or not all(map(isfinite, times)):
        return Outliers(0, 0.0, 0.0, 1.0)
    middle = median(times)
    reach = max(FAR * SIGMA * median([abs(time - middle) for time in times]), LEAST_FAR * middle)
    far = [time for time in times if time > middle + reach]
    if not far or not middle:
        return Outliers(0, 0.0, 0.0, 1.0)
    return Outliers(len(far), len(far) / len(times), fsum(far) / fsum(times), max(far) / middle)
