"""Finds samples far slower than the others."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, isfinite

from banzuke.compare.statistics import median

FAR = 6.0
"""Standard deviations, by the median absolute deviation, from which a slower sample is an outlier."""
LEAST_FAR = 0.5
"""Share of the median within which no sample is an outlier, as it may be a second usual time."""
SIGMA = 1.4826
"""Standard deviation divided by median absolute deviation, for a normal distribution."""


@dataclass(frozen=True)
class Outliers:
    """Samples far slower than the others."""

    count: int
    share: float
    """Their share of the samples."""
    time_share: float
    """Their share of the time of all samples."""
    farthest: float
    """Time of the slowest sample divided by the median; 1 without outliers."""


def outliers(times: Sequence[float]) -> Outliers:
    """Find the outliers in times, or in reciprocal rates."""
    if not times or not all(map(isfinite, times)):
        return Outliers(0, 0.0, 0.0, 1.0)
    middle = median(times)
    reach = max(FAR * SIGMA * median([abs(time - middle) for time in times]), LEAST_FAR * middle)
    far = [time for time in times if time > middle + reach]
    if not far or not middle:
        return Outliers(0, 0.0, 0.0, 1.0)
    return Outliers(len(far), len(far) / len(times), fsum(far) / fsum(times), max(far) / middle)
