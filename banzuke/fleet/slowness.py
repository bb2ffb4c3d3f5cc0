"""Converts values of a figure to logarithms in which larger is slower, so that 8% is the same anywhere."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from banzuke.amounts import LEAST_AMOUNT, MOST_AMOUNT
from banzuke.fleet.model import NodeFigure

Values: TypeAlias = NDArray[np.float64]
"""NaN where there is no value."""
_OF_ZERO = float(np.log(MOST_AMOUNT))
"""Slowness of a rate of 0, or speed of a time of 0, if all values are 0."""


def slowness(values: Values, figure: NodeFigure) -> Values:
    """Return the slowness of values.

    A time of 0 counts as the shortest other one; a rate of 0 as the lowest other one, or a thousandth of the median if
    that is less.
    """
    valid = np.where(np.isfinite(values) & (values >= 0) & (values <= MOST_AMOUNT), values, np.nan)
    positive = valid[valid > 0]
    sign = 1 if figure.better == "lower" else -1
    if not positive.size:
        return np.where(np.isnan(valid), np.nan, -sign * _OF_ZERO)
    least = max(float(positive.min()), LEAST_AMOUNT)
    if figure.better == "higher":
        least = max(min(least, float(np.median(positive)) / 1000), LEAST_AMOUNT)
    logarithms: Values = sign * np.log(np.maximum(valid, least))
    return logarithms


def value(slowness: float, figure: NodeFigure) -> float:
    """Return the value with this slowness."""
    return float(np.exp(slowness if figure.better == "lower" else -slowness))
