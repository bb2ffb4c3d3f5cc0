"""Leave-one-machine-out: the errors if the constants were fitted to the other machines' figures.

Each constant may move within its range. A quarter of the range counts as its standard deviation, so that it stays where
figures do not depend on it. Figures respond linearly in logarithms, as their swings show. A machine with many figures
counts once.
"""

from collections import Counter
from collections.abc import Sequence
from math import exp, isfinite, log

import numpy as np

from banzuke.predict.model import Forecast

UNEXPLAINED = 0.05
"""Standard deviation that no constant explains, as a share."""
DEVIATION = 0.5
"""Standard deviation of a constant, in units of half its range."""

Observed = tuple[str, float, Forecast]
"""A machine, a figure measured on it, and the forecast for it."""


def refitted_errors(figures: Sequence[Observed]) -> list[float | None]:
    """Return each figure's error, as predicted over measured less 1, by a fit to the others; None: there are none."""
    names = sorted({swing.name for _, _, forecast in figures for swing in forecast.swings if swing.uncertain})
    off = np.array([log(measured / forecast.estimate.figure) for _, measured, forecast in figures])
    slopes = np.array([[_slope(forecast, name) for name in names] for _, _, forecast in figures]).reshape(
        -1, len(names)
    )
    counts = Counter(machine for machine, _, _ in figures)
    weights = np.array([1 / (counts[machine] * UNEXPLAINED**2) for machine, _, _ in figures])
    errors: list[float | None] = []
    for number, (machine, _, _) in enumerate(figures):
        others = np.array([other != machine for other, _, _ in figures])
        if not others.any() or not names:
            errors.append(None)
            continue
        theirs, weighted = slopes[others], slopes[others].T * weights[others]
        moved = np.linalg.solve(weighted @ theirs + np.eye(len(names)) / DEVIATION**2, weighted @ off[others])
        errors.append(exp(float(slopes[number] @ np.clip(moved, -1, 1)) - float(off[number])) - 1)
    return errors


def _slope(forecast: Forecast, name: str) -> float:
    """Return the change of the figure's logarithm from the middle of a constant's range to its end."""
    swing = next((swing for swing in forecast.swings if swing.name == name), None)
    if swing is None or not (swing.low > 0 and swing.high > 0 and isfinite(swing.high)):
        return 0.0
    return (log(swing.high) - log(swing.low)) / 2
