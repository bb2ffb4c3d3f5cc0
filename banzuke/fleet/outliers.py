"""Finds values that are too far on one side, when neither their spread nor the weight of their tail is known.

The distance of a value from the median, on the slow side, is assumed to follow half of Student's t. Its scale and
degrees of freedom are fitted to quantiles of the values, so that the threshold follows the tail. A hundred nodes are
too few to show the tail of one figure, so it is first estimated from all figures of a screen (`fit_all`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, sqrt
from typing import NamedTuple

import numpy as np
from scipy import special

from banzuke.fleet.bins import bins
from banzuke.fleet.slowness import Values

FEWEST = 3
"""Fewest values that can have outliers; of two that differ, either may be the slow one."""
FEWEST_ONE_SIDED = 200
"""Fewest values whose slow side alone shows its tail; with fewer, both sides are taken to be alike."""
LEAST_SCALE = 0.005
"""Smallest scale, in logarithms: no figure is known to better than half a per cent."""
_LEVELS = 10 ** -np.array([0.6, 0.7, 0.8, 1.0, 1.15, 1.3, 1.45, 1.6, 1.8, 2.0, 2.15, 2.3, 2.45, 2.6, 2.8, 3.0])
"""Shares of all values that lie beyond the quantiles that are fitted."""
_SCORED = np.concatenate([np.linspace(0.5, 0.02, 25), np.geomspace(0.01, 1e-15, 30)])
"""Shares between which scores are interpolated."""
_FEWEST_BEYOND = 3
"""Fewest values beyond the last quantile that is fitted; if there are fewer, they may be the slow nodes."""
_TAILS = np.concatenate([[0.0], np.geomspace(0.005, 1.0, 60)])
"""Reciprocals of the degrees of freedom: 0 is the normal distribution, 1 Cauchy's."""
_USUAL_TAIL, _TAIL_VARIES = 0.2, 0.2
"""Mean and standard deviation of tails before any value is seen; decides among dozens of values only."""
_ENOUGH, _HEAVIEST, _HEAVIEST_OF_FEW = 50, 0.5, 1 / 3
"""Fewest values that show a tail; heaviest tails that are assumed with at least that many values and with fewer, unless
the fit is heavier.

At 0.5, two degrees of freedom, the variance is infinite, and with fewer values nothing could be named.
"""
_FIGURES_VARY = 0.05
"""Standard deviation of the tails of a screen's figures."""
_ODD, _ODD_TAIL, _ODD_VARIES = 0.1, 0.4, 0.25
"""Share of the figures whose tail is unlike that of the others; mean and deviation of theirs, which is heavier."""
_LEARNT_VARIES = 0.02
"""Standard deviation of a figure's tail between screens."""
_MARGIN, _MARGIN_OF_TAIL = 0.5, 3.0
"""Standard deviations by which a tail is taken to be heavier than it seems, and additional ones per unit of it."""
USUAL_SCALE, _SCALE_VARIES = 0.01, 1.0
"""Scale that is assumed before any value is seen, 1%, and the standard deviation of its logarithm, a factor of e."""
_MOST_BEYOND_GAP = 0.1
"""Largest share of the values that may be separated from the others by a gap; more are a population of their own."""
_SURELY_BEYOND = 0.01
"""Expected number of healthy values beyond the limit outside which values are dropped before the fit is repeated."""
_MOST_FITS = 4
_GAP, _NEIGHBOURS, _LEAST_GAP = 16.0, 20, 0.1
"""Width of a gap in multiples of the mean of the next ones, of which there are at least so many, and least mean; in a
tail, a share of exp(-16) is as wide.
"""


def _quantiles(levels: Values, tail: float) -> Values:
    return np.asarray(-special.ndtri(levels) if tail <= 0 else -special.stdtrit(1 / tail, levels), dtype=np.float64)


def _steepness(tail: float) -> Values:
    """Return how fast the logarithms of the quantiles change with the level."""
    half, double = _quantiles(_LEVELS * 0.999, tail), _quantiles(_LEVELS * 1.001, tail)
    steepness: Values = np.log(half / double) / (0.002 * _LEVELS)
    return steepness


def _around(tail: float, varies: float) -> Values:
    """Return log probability densities of tails."""
    densities: Values = -0.5 * np.square((_TAILS - tail) / varies) - np.log(varies)
    return densities


class _Assumed(NamedTuple):
    """What is assumed of a figure before any of its values is seen."""

    tails: Values
    """Log probability densities of the tails."""
    among: int = 0
    """Values that these are already based on."""
    scaled: bool = False
    """Whether the values were in fitted scales, so that the uncertainty of the scale is part of the tail."""


_BEFORE = _Assumed(_around(_USUAL_TAIL, _TAIL_VARIES))
_TABLE = np.log(np.array([_quantiles(_LEVELS, tail) for tail in _TAILS]))
_STEEPNESS = np.array([_steepness(tail) for tail in _TAILS])


@dataclass(frozen=True)
class TailFit:
    """The distribution of healthy values of one figure."""

    centre: float
    """Median of the logarithms, or their mean if they are few; of two bins, that of the fast one."""
    scale: float
    """Standard deviation of the slow side, if the tail is normal."""
    tail: float
    """Reciprocal of Student's degrees of freedom, with a margin for its uncertainty and for that of the scale."""
    n: int
    slow_bin: float | None = None
    border: float = inf

    def distances(self, slowness: Values) -> Values:
        """Return the distances from the centre of each value's own bin."""
        slow = self.centre if self.slow_bin is None else self.slow_bin
        distances: Values = slowness - np.where(slowness > self.border, slow, self.centre)
        return distances

    def threshold(self, probability: float) -> float:
        """Return the distance that a healthy value exceeds with this probability."""
        return self.scale * float(_quantiles(np.array([probability]), self.tail)[0])

    def scores(self, distances: Values) -> Values:
        """Return the distances of a standard normal distribution that are equally frequent."""
        scores: Values = np.interp(distances / self.scale, _quantiles(_SCORED, self.tail), -special.ndtri(_SCORED))
        return scores


def fit_all(columns: Sequence[Values], learnt: Sequence[TailFit | None] = ()) -> list[TailFit | None]:
    """Fit each figure of a screen.

    Before a figure's own values decide, its tail is assumed to be that of all figures together, each in its own scale,
    or the one that was `learnt` if that is based on more values.
    """
    apart = [fit(column) for column in columns]
    together = [own.distances(column) / own.scale for own, column in zip(apart, columns, strict=True) if own]
    assumed = _alike(np.concatenate(together)) if together else _BEFORE
    refined = []
    for at, column in enumerate(columns):
        here, before = apart[at], learnt[at] if learnt else None
        better_known = before is not None and here is not None and before.n > here.n
        refined.append(
            fit(column, _Assumed(_around(before.tail, _LEARNT_VARIES)) if before and better_known else assumed)
        )
    return refined


def fit_few(values: Values) -> TailFit | None:
    """Fit values that one node gave earlier.

    All of them count, since outliers cannot be told from so few. If values are normal, the next one follows Student's
    t. None: too few values.
    """
    finite = values[np.isfinite(values)]
    if finite.size < FEWEST:
        return None
    spread = max(LEAST_SCALE, float(finite.std(ddof=1)))
    return TailFit(float(finite.mean()), spread * sqrt(1 + 1 / finite.size), 1 / (finite.size - 1), int(finite.size))


def _alike(scaled: Values) -> _Assumed:
    """Return what to assume of one figure from the values of all, each in the scale fitted to its figure."""
    ordered = USUAL_SCALE * np.sort(scaled[np.isfinite(scaled)])
    _, shape = _trimmed(ordered, _BEFORE, sides=1)
    likely = np.exp(_around(shape.tail, float(np.hypot(shape.varies, _FIGURES_VARY))))
    odd = np.exp(_around(_ODD_TAIL, _ODD_VARIES))
    return _Assumed(np.log((1 - _ODD) * likely + _ODD * odd), ordered.size, scaled=True)


def fit(slowness: Values, assumed: _Assumed = _BEFORE) -> TailFit | None:
    """Fit the values of a figure; None: too few values."""
    finite = np.sort(slowness[np.isfinite(slowness)])
    if finite.size < FEWEST:
        return None
    two = bins(finite)
    rough = TailFit(two.fast, 0, 0, 0, two.slow, two.border) if two else TailFit(float(np.median(finite)), 0, 0, 0)
    ordered = np.sort(rough.distances(finite))
    number, shape = _trimmed(ordered, assumed, sides=1 if finite.size >= FEWEST_ONE_SIDED else 2)
    # Values between two bins belong to the slow one, so that the tail of the fast one seems short.
    scale = max(shape.scale, two.width) if two else shape.scale
    return replace(rough, scale=scale, tail=shape.heaviest, n=number)


def _trimmed(ordered: Values, assumed: _Assumed, sides: int) -> tuple[int, "_HalfT"]:
    """Fit ascending distances without their outliers; return how many are left, and their distribution."""
    kept = ordered[: ordered.size - _beyond_gap(ordered)]
    shape = _half_t(kept, assumed, sides)
    for _ in range(_MOST_FITS):
        level = np.array([_SURELY_BEYOND / ordered.size])
        inside = int(np.searchsorted(kept, shape.scale * _quantiles(level, shape.heaviest)[0]))
        if inside == kept.size:
            break
        kept = kept[:inside]
        shape = _half_t(kept, assumed, sides)
    return int(kept.size), shape


def _beyond_gap(ordered: Values) -> int:
    """Return how many of the largest values lie beyond a gap that no tail has.

    In a power-law tail, k times the logarithm of the ratio of the k-th largest value to the next is exponentially
    distributed (Rényi); in all other tails, its mean changes slowly with k.
    """
    top = np.log(np.maximum(ordered[ordered.size // 2 :], LEAST_SCALE))[::-1]
    gaps = np.arange(1, top.size) * -np.diff(top)
    most = int(_MOST_BEYOND_GAP * ordered.size)
    sums = np.concatenate([[0.0], np.cumsum(gaps)])
    first = np.arange(1, most + 1)
    last = np.minimum(2 * first + _NEIGHBOURS, gaps.size)
    usual = (sums[last] - sums[first]) / np.maximum(last - first, 1)
    gaps_beyond = np.flatnonzero(gaps[:most] > _GAP * np.maximum(usual, _LEAST_GAP))
    return int(gaps_beyond[-1]) + 1 if gaps_beyond.size else 0


def _at(ordered: Values, levels: Values) -> Values:
    """Return quantiles of ascending values."""
    return np.interp(levels * (ordered.size - 1), np.arange(ordered.size), ordered)


class _HalfT(NamedTuple):
    """Half of Student's t, and how well it is known."""

    scale: float
    tail: float
    varies: float
    """Standard deviation of the tail's estimate."""
    of_scale: float
    """How much heavier the tail seems because the scale is uncertain."""
    among: int
    """Values that the tail is based on."""

    @property
    def heaviest(self) -> float:
        """The tail, with a margin for its uncertainty and for that of the scale."""
        margin = (_MARGIN + _MARGIN_OF_TAIL * self.tail) * self.varies
        most = _HEAVIEST if self.among >= _ENOUGH else _HEAVIEST_OF_FEW
        return min(max(most, self.tail), self.tail + margin + self.of_scale)


def _half_t(ordered: Values, assumed: _Assumed, sides: int) -> _HalfT:
    """Fit ascending distances from their centre by generalized least squares over log quantiles."""
    lengths = ordered if sides == 1 else np.sort(np.abs(ordered))
    used = max(1, int(np.searchsorted(-_LEVELS, -_FEWEST_BEYOND / (sides * lengths.size), side="right")))
    levels = sides * _LEVELS[:used]
    least = LEAST_SCALE * np.exp(_TABLE[0, :used])
    log_ratios = np.log(np.maximum(_at(lengths, 1 - levels), least)) - _TABLE[:, :used]
    together = (np.minimum.outer(levels, levels) - np.outer(levels, levels)) / lengths.size
    nearest, half_t = 0, _HalfT(0.0, 0.0, 0.0, 0.0, 0)
    for _ in range(2):  # the covariance of the quantiles depends on the tail
        steep = _STEEPNESS[nearest, :used] / sides
        weights = np.linalg.inv(together * np.outer(steep, steep))
        ones = weights.sum(axis=0)
        precision = float(ones.sum()) + _SCALE_VARIES**-2
        scales = (log_ratios @ ones + np.log(USUAL_SCALE) * _SCALE_VARIES**-2) / precision
        apart = log_ratios - scales[:, None]
        likelihood = assumed.tails - 0.5 * np.einsum("tl,lm,tm->t", apart, weights, apart)
        likelihood -= 0.5 * np.square((scales - np.log(USUAL_SCALE)) / _SCALE_VARIES)
        share = np.exp(likelihood - likelihood.max()) * np.gradient(_TAILS)
        share /= share.sum()
        tail = float(share @ _TAILS)
        varies = float(np.sqrt(share @ np.square(_TAILS - tail)))
        # A scale from few values is lognormal, so about as Student's t with (6 + 1/variance)/2 degrees of freedom.
        of_scale = 0 if assumed.scaled else 2 / (6 + precision)
        among = max(assumed.among, lengths.size)
        half_t = _HalfT(float(np.exp(share @ scales)), tail, varies, of_scale, among)
        nearest = int(np.argmin(np.abs(_TAILS - tail)))
    return half_t
