"""Fits t(n) = alpha + n / beta to times over message sizes, with one regime for each protocol or path.

Times are in seconds and sizes in bytes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum, inf, isfinite, log, sqrt
from typing import NamedTuple

from banzuke.compare.statistics import median, student
from banzuke.judge.outliers import SIGMA

FEWEST = 3
"""Fewest sizes of a regime, because two always lie on a line."""
NEAR = 11
"""Number of neighbours that determine the noise at a size: with so many bends, the two bends of a change of protocol do
not affect the median."""
TOO_NOISY = 0.3
"""Relative scatter of all sizes above which a line means nothing."""
TOLERANCE = 0.05
"""Relative deviation from a line that is accepted: caches and copies cause as much without a change of protocol."""
SPLIT = 20.0
"""Gain in squared deviations (in units of TOLERANCE or the noise, whichever is larger) that a further regime must
bring. Its three parameters, at the best position, gain 15 by chance in less than one curve of a hundred."""
ODD = 12.0
"""The same gain for leaving out one size of a regime."""
ODD_SHARE = 4
"""At most one size of this many is left out of a regime."""

HUBER = 1.5
"""Standard deviations beyond which a size's influence on the line does not grow."""
HUBER_VARIANCE = 0.866
"""Share of a normal distribution's variance that remains with limited influence."""
ROUNDS = 20
"""Rounds in which the weights converge."""
SHARP = 0.1
"""Largest half-width of a parameter's 95% interval, as a share of it, with which the parameter is shown."""


@dataclass(frozen=True)
class FitParameter:
    """A parameter of a line, with its error."""

    value: float
    error: float
    """Half of its 95% interval, as a share of the value."""

    @property
    def known(self) -> float | None:
        """The value; None: the interval is too wide."""
        return self.value if self.error <= SHARP else None


@dataclass(frozen=True)
class Regime:
    """Sizes over which t(n) = alpha + n / beta holds: one protocol, one path through the machine."""

    first: float
    last: float
    sizes: int
    """Number of sizes that the line was fitted to."""
    alpha: FitParameter
    """Seconds before the first byte; below zero where a byte costs more than at smaller sizes."""
    beta: FitParameter | None
    """Asymptotic B/s; None: the time does not grow with the size."""
    worst: float
    """Largest relative deviation from the line."""
    odd: tuple[float, ...] = ()
    """Sizes within or next to the regime that were left out because they are off the line."""

    @property
    def half_size(self) -> float | None:
        """Size at which half of beta is reached; None: there is none, or alpha or beta is unknown."""
        alpha, beta = self.alpha.known, self.beta.known if self.beta else None
        return alpha * beta if alpha and beta and alpha > 0 else None


def regimes(times: Iterable[tuple[float, float]]) -> tuple[Regime, ...]:
    """Return the fewest lines that hold to within TOLERANCE or the noise, by increasing size.

    There is none for too few or too noisy sizes. The borders between regimes are found exactly, by dynamic programming
    over least-squares fits of relative deviations, each in units of the noise near its size. The parameters are those
    of a robust fit of the same sizes.
    """
    points = sorted((size, time) for size, time in times if isfinite(size) and isfinite(time) and time > 0)
    if len(points) < FEWEST:
        return ()
    noise = _noise(points)
    if min(noise) > TOO_NOISY:
        return ()
    weights = [1 / max(TOLERANCE, scatter) ** 2 for scatter in noise]
    best: list[tuple[float, tuple[_Line, ...]]] = [(0.0, ())]
    for end in range(1, len(points) + 1):
        choices = [
            (cost + SPLIT + line.cost, (*lines, line))
            for begin in range(end - FEWEST + 1)
            for cost, lines in [best[begin]]
            if cost < inf
            for line in [_line(points[begin:end], weights[begin:end])]
        ]
        best.append(min(choices, key=lambda choice: choice[0], default=(inf, ())))
    return tuple(line.regime for line in best[-1][1])


def _noise(points: Sequence[tuple[float, float]]) -> list[float]:
    """Return the relative scatter at each size, from the distances of times from their neighbours' midpoints.

    It is the median of distances near the size or of all, whichever is larger.
    """
    heights = [log(time) for _, time in points]
    bends = [abs(heights[i] - (heights[i - 1] + heights[i + 1]) / 2) for i in range(1, len(heights) - 1)]
    begins = [min(max(0, i - 1 - NEAR // 2), max(0, len(bends) - NEAR)) for i in range(len(points))]
    of_all = median(bends)
    return [SIGMA * max(of_all, median(bends[begin : begin + NEAR])) / sqrt(1.5) for begin in begins]


@dataclass(frozen=True)
class _Line:
    """A line through these points, except for the odd ones."""

    points: Sequence[tuple[float, float]]
    weights: Sequence[float]
    cost: float
    odd: frozenset[int]

    @cached_property
    def regime(self) -> Regime:
        """The robust fit through the points that are not odd."""
        inside = [index for index in range(len(self.points)) if index not in self.odd]
        kept = [self.points[index] for index in inside]
        alpha, slope = _robust(kept, [self.weights[index] for index in inside])
        return Regime(
            first=kept[0][0],
            last=kept[-1][0],
            sizes=len(kept),
            alpha=alpha,
            beta=FitParameter(1 / slope.value, slope.error) if slope.value else None,
            worst=max(abs(alpha.value + slope.value * size - time) / time for size, time in kept),
            odd=tuple(self.points[index][0] for index in sorted(self.odd)),
        )


Sums = tuple[float, float, float, float, float, float]
"""Sums in the normal equations of alpha u + slope v = 1, u = 1 / t and v = n / t: weights of 1, u, v, uu, uv, vv."""


def _line(points: Sequence[tuple[float, float]], weights: Sequence[float]) -> _Line:
    """Return the line through all points, except those whose omission, one after another, gains more than it costs."""
    terms = {index: _terms(*point, weight) for index, (point, weight) in enumerate(zip(points, weights, strict=True))}
    total = _added(terms.values())
    rest = _solve(total)[2]
    fewest = max(FEWEST, len(points) - max(1, len(points) // ODD_SHARE))
    while rest > ODD and len(terms) > fewest:
        left = {index: _solve(_less(total, own))[2] for index, own in terms.items()}
        odd = min(left, key=left.__getitem__)
        if rest - left[odd] <= ODD:
            break
        total, rest = _less(total, terms.pop(odd)), left[odd]
    lost = frozenset(range(len(points))) - frozenset(terms)
    return _Line(points, weights, rest + ODD * len(lost), lost)


class _Fit(NamedTuple):
    alpha: float
    slope: float
    sums: Sums
    deviation: float
    """Standard deviation in units of the noise."""
    pulls: list[float]
    """Weight of each size in the next round."""


def _robust(points: Sequence[tuple[float, float]], weights: Sequence[float]) -> tuple[FitParameter, FitParameter]:
    """Fit alpha and the slope by Huber's estimator (reweighted least squares), with errors from the deviations."""
    fit = _pulled(points, weights, [1.0] * len(points))
    for _ in range(ROUNDS):
        fit = _pulled(points, weights, fit.pulls)
    half = fit.deviation * student(len(points) - 2)
    _, _, _, uu, uv, vv = fit.sums
    if not fit.slope:
        return FitParameter(fit.alpha, half / sqrt(uu) / fit.alpha), FitParameter(0.0, inf)
    determinant = uu * vv - uv * uv
    return (
        FitParameter(fit.alpha, half * sqrt(vv / determinant) / abs(fit.alpha) if fit.alpha else inf),
        FitParameter(fit.slope, half * sqrt(uu / determinant) / fit.slope),
    )


def _pulled(points: Sequence[tuple[float, float]], weights: Sequence[float], pulls: Sequence[float]) -> _Fit:
    terms = [_terms(*point, weight * pull) for point, weight, pull in zip(points, weights, pulls, strict=True)]
    sums = _added(terms)
    alpha, slope, _ = _solve(sums)
    residuals = [
        abs(1 - (alpha + slope * n) / t) * sqrt(weight) for (n, t), weight in zip(points, weights, strict=True)
    ]
    squares = fsum(pull * residual * residual for pull, residual in zip(pulls, residuals, strict=True))
    deviation = sqrt(squares / (HUBER_VARIANCE * (len(points) - 2)))
    softened = [min(1.0, HUBER * deviation / residual) if residual else 1.0 for residual in residuals]
    return _Fit(alpha, slope, sums, deviation, softened)


def _terms(size: float, time: float, weight: float) -> Sums:
    u, v = 1 / time, size / time
    return weight, weight * u, weight * v, weight * u * u, weight * u * v, weight * v * v


def _added(terms: Iterable[Sums]) -> Sums:
    weight, u, v, uu, uv, vv = (fsum(column) for column in zip(*terms, strict=True))
    return weight, u, v, uu, uv, vv


def _less(total: Sums, own: Sums) -> Sums:
    weight, u, v, uu, uv, vv = (a - b for a, b in zip(total, own, strict=True))
    return weight, u, v, uu, uv, vv


def _solve(sums: Sums) -> tuple[float, float, float]:
    """Return alpha, the slope, which is not negative, and the remaining sum of squares."""
    count, u, v, uu, uv, vv = sums
    determinant = uu * vv - uv * uv
    alpha, slope = u / uu, 0.0
    if determinant > 1e-12 * uu * vv and v * uu > u * uv:
        alpha, slope = (u * vv - v * uv) / determinant, (v * uu - u * uv) / determinant
    left = count - 2 * alpha * u - 2 * slope * v + alpha * alpha * uu + 2 * alpha * slope * uv + slope * slope * vv
    return alpha, slope, max(0.0, left)
