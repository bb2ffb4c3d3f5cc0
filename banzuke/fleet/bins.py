"""Finds two bins of healthy nodes: processors of one model that differ by some per cent, as sorted by their maker."""

from typing import NamedTuple

import numpy as np
from scipy import special

from banzuke.fleet.slowness import Values
from banzuke.judge.outliers import SIGMA

FEWEST = 500
"""Fewest values; with fewer, two bins cannot be told from a tail on one side."""
_POINTS = 512
"""Quantiles that stand for all values."""
_STEPS = 15
_LEAST_SHARE = 0.1
"""Smallest share of the values in a bin; a smaller one consists of slow nodes."""
_LEAST_GAP, _MOST_GAP = 2.5, 0.105
"""Smallest gap between the bins, in standard deviations of one (at two, they merge into one peak); largest gap, in
logarithms (10%, beyond which the slow bin is not healthy).
"""
_MISFIT = 0.9
"""Largest distance by Kolmogorov and Smirnov, times the square root of the number of values; 95% of the samples of two
normal bins are below it.
"""


class Bins(NamedTuple):
    fast: float
    slow: float
    width: float
    """Standard deviation of each."""
    border: float
    """Value that belongs to either bin with the same probability."""


def bins(ordered: Values) -> Bins | None:
    """Return the two bins of ascending values; None: one population, or not two normal ones of the same width."""
    if ordered.size < FEWEST:
        return None
    points = ordered[((np.arange(_POINTS) + 0.5) * ordered.size / _POINTS).astype(int)]
    middle = points[_POINTS // 2]
    around = 6 * SIGMA * np.median(np.abs(points - middle))
    points = points[np.abs(points - middle) <= around]
    fast, slow, width, share = _mixture(points)
    below = (1 - share) * special.ndtr((points - fast) / width) + share * special.ndtr((points - slow) / width)
    misfit = np.abs(below - (np.arange(points.size) + 0.5) / points.size).max() * np.sqrt(ordered.size)
    gap = slow - fast
    if min(share, 1 - share) < _LEAST_SHARE or not _LEAST_GAP * width < gap < _MOST_GAP or misfit > _MISFIT:
        return None
    return Bins(fast, slow, width, (fast + slow) / 2 + width**2 * float(np.log((1 - share) / share)) / gap)


def _mixture(points: Values) -> tuple[float, float, float, float]:
    """Fit two normal distributions of one width by expectation maximization: centres, width, the second's share."""
    sums, counts = np.cumsum(points)[:-1], np.arange(1, points.size)
    between = sums / counts - (points.sum() - sums) / counts[::-1]
    split = int(np.argmax(np.square(between) * counts * counts[::-1])) + 1
    second = np.zeros(points.size)
    second[split:] = 1  # the probability that a point belongs to the second
    fast, slow, width, share = 0.0, 0.0, 0.0, 0.5
    for _ in range(_STEPS):
        share = float(second.mean())
        if not 0 < share < 1:
            break
        fast = float(points @ (1 - second) / (1 - second).sum())
        slow = float(points @ second / second.sum())
        apart = (1 - second) @ np.square(points - fast) + second @ np.square(points - slow)
        width = max(float(np.sqrt(apart / points.size)), 1e-9)
        odds = (np.square(points - slow) - np.square(points - fast)) / (2 * width**2)
        second = special.expit(np.log(share / (1 - share)) - odds)
    return fast, slow, width, share
