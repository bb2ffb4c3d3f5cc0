"""Which of many values lie too far on one side, when neither their spread nor the weight of their tail is known.

The distance of a value from the median, on the slow side, is taken to be distributed as half of Student's t; its scale
and degrees of freedom are fitted to quantiles of what was seen, so that the threshold follows the tail. A hundred nodes
are too few to tell the tail of one figure, so that it is told from all figures of a screen first (`fit_all`).
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
"""Values with fewer have no outliers: of two that differ, nobody knows which is the slow one."""
FEWEST_ONE_SIDED = 200
"""With fewer values both sides are taken for alike: one has too few of them to tell its tail."""
LEAST_SCALE = 0.005
"""In logarithms: no figure is known better than to half a per cent, however alike a few launches were."""
_LEVELS = 10 ** -np.array([0.6, 0.7, 0.8, 1.0, 1.15, 1.3, 1.45, 1.6, 1.8, 2.0, 2.15, 2.3, 2.45, 2.6, 2.8, 3.0])
"""Shares of all values that lie beyond the quantiles which are fitted."""
_SCORED = np.concatenate([np.linspace(0.5, 0.02, 25), np.geomspace(0.01, 1e-15, 30)])
"""Shares between which scores are interpolated."""
_FEWEST_BEYOND = 3
"""Values beyond the last quantile that is fitted: fewer may be the slow ones."""
_TAILS = np.concatenate([[0.0], np.geomspace(0.005, 1.0, 60)])
"""Reciprocals of the degrees of freedom: 0 is the normal distribution, 1 Cauchy's."""
_USUAL_TAIL, _TAIL_VARIES = 0.2, 0.2
"""What is assumed of tails before any value is seen: it decides among dozens of values, not among thousands."""
_ENOUGH, _HEAVIEST, _HEAVIEST_OF_FEW = 50, 0.5, 1 / 3
"""Values that say anything of a tail, and how heavy tails are taken to be at most that are not seen to be heavier: with
two degrees of freedom the variance is infinite, and of fewer values nothing could be named.
"""
_FIGURES_VARY = 0.05
"""Standard deviation of the tails of a screen's figures."""
_ODD, _ODD_TAIL, _ODD_VARIES = 0.1, 0.4, 0.25
"""Share of the figures whose tail says nothing of the others', and what is assumed of it: some are heavier."""
_LEARNT_VARIES = 0.02
"""Standard deviation of a figure's tail between screens."""
_MARGIN, _MARGIN_OF_TAIL = 0.5, 3.0
"""Standard deviations by which the tail is taken to be heavier than it seems, and more for each unit of it."""
USUAL_SCALE, _SCALE_VARIES = 0.01, 1.0
"""The same of scales: 1%, within a factor of e."""
_MOST_BEYOND_GAP = 0.1
"""Share of the values that may be told from the others by a gap; more are a kind of their own."""
_SURELY_BEYOND = 0.01
"""Values of all that may lie beyond what the fit is repeated without."""
_MOST_FITS = 4
_GAP, _NEIGHBOURS, _LEAST_GAP = 16.0, 20, 0.1
"""A gap is as many times as wide as the next are on average; exp(-16) of those in a tail are."""


def _quantiles(levels: Values, tail: float) -> Values:
    return np.asarray(-special.ndtri(levels) if tail <= 0 else -special.stdtrit(1 / tail, levels), dtype=np.float64)


def _steepness(tail: float) -> Values:
    """How fast the quantiles' logarithms change with the level."""
    half, double = _quantiles(_LEVELS * 0.999, tail), _quantiles(_LEVELS * 1.001, tail)
    steepness: Values = np.log(half / double) / (0.002 * _LEVELS)
    return steepness


def _around(tail: float, varies: float) -> Values:
    """Logarithms of probability densities of tails."""
    densities: Values = -0.5 * np.square((_TAILS - tail) / varies) - np.log(varies)
    return densities


class _Assumed(NamedTuple):
    """Before any value of a figure was seen."""

    tails: Values
    """Logarithms of their probability densities."""
    among: int = 0
    """Values by which they are known already."""
    scaled: bool = False
    """Whether they were seen in fitted scales, so that what is unknown of these is part of the tail."""


_BEFORE = _Assumed(_around(_USUAL_TAIL, _TAIL_VARIES))
_TABLE = np.log(np.array([_quantiles(_LEVELS, tail) for tail in _TAILS]))
_STEEPNESS = np.array([_steepness(tail) for tail in _TAILS])


@dataclass(frozen=True)
class TailFit:
    """How healthy values of one figure lie."""

    centre: float
    """Median of the logarithms, of few values their mean; of two bins, that of the fast one."""
    scale: float
    """Standard deviation of the slow side, if the tail is normal."""
    tail: float
    """Reciprocal of Student's degrees of freedom, with what is unknown of it and of the scale."""
    n: int
    slow_bin: float | None = None
    border: float = inf

    def distances(self, slowness: Values) -> Values:
        """From the centre of its own bin."""
        slow = self.centre if self.slow_bin is None else self.slow_bin
        distances: Values = slowness - np.where(slowness > self.border, slow, self.centre)
        return distances

    def threshold(self, probability: float) -> float:
        """The distance that a healthy value exceeds with this probability."""
        return self.scale * float(_quantiles(np.array([probability]), self.tail)[0])

    def scores(self, distances: Values) -> Values:
        """Distances as those of a standard normal distribution: what comes equally often."""
        scores: Values = np.interp(distances / self.scale, _quantiles(_SCORED, self.tail), -special.ndtri(_SCORED))
        return scores


def fit_all(columns: Sequence[Values], learnt: Sequence[TailFit | None] = ()) -> list[TailFit | None]:
    """Fits each figure of a screen. What a figure's tail is assumed to be before its own values decide is that of all
    figures together, each in its own scale, or that which was `learnt` of it from more nodes.
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
    """Fits what one node gave earlier: all count, since of so few nobody can tell which stand out, and how the next one
    lies is Student's t where they are normal. None: too few values.
    """
    finite = values[np.isfinite(values)]
    if finite.size < FEWEST:
        return None
    spread = max(LEAST_SCALE, float(finite.std(ddof=1)))
    return TailFit(float(finite.mean()), spread * sqrt(1 + 1 / finite.size), 1 / (finite.size - 1), int(finite.size))


def _alike(scaled: Values) -> _Assumed:
    """What is assumed of one of the figures whose values these are, each in the scale fitted to its figure."""
    ordered = USUAL_SCALE * np.sort(scaled[np.isfinite(scaled)])
    _, shape = _trimmed(ordered, _BEFORE, sides=1)
    likely = np.exp(_around(shape.tail, float(np.hypot(shape.varies, _FIGURES_VARY))))
    odd = np.exp(_around(_ODD_TAIL, _ODD_VARIES))
    return _Assumed(np.log((1 - _ODD) * likely + _ODD * odd), ordered.size, scaled=True)


def fit(slowness: Values, assumed: _Assumed = _BEFORE) -> TailFit | None:
    """None: too few values."""
    finite = np.sort(slowness[np.isfinite(slowness)])
    if finite.size < FEWEST:
        return None
    two = bins(finite)
    rough = TailFit(two.fast, 0, 0, 0, two.slow, two.border) if two else TailFit(float(np.median(finite)), 0, 0, 0)
    ordered = np.sort(rough.distances(finite))
    number, shape = _trimmed(ordered, assumed, sides=1 if finite.size >= FEWEST_ONE_SIDED else 2)
    # What lies between two bins belongs to the slow one, and the tail of the fast one seems short.
    scale = max(shape.scale, two.width) if two else shape.scale
    return replace(rough, scale=scale, tail=shape.heaviest, n=number)


def _trimmed(ordered: Values, assumed: _Assumed, sides: int) -> tuple[int, "_HalfT"]:
    """Without what stands out of these ascending distances: how many those are that are left, and how they lie."""
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
    """How many of the largest lie beyond a gap that no tail has.

    k times the logarithm of the ratio of the k-th largest to the next is exponentially distributed where the tail is a
    power (Rényi), and its mean changes slowly with k in all others.
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
    """Quantiles of ascending values."""
    return np.interp(levels * (ordered.size - 1), np.arange(ordered.size), ordered)


class _HalfT(NamedTuple):
    """Half of Student's t, as far as it is known."""

    scale: float
    tail: float
    varies: float
    """Standard deviation of what is known of the tail."""
    of_scale: float
    """How much heavier the tail seems because the scale is not known."""
    among: int
    """Values by which the tail is known."""

    @property
    def heaviest(self) -> float:
        """The tail, with what is unknown of it and of the scale."""
        margin = (_MARGIN + _MARGIN_OF_TAIL * self.tail) * self.varies
        most = _HEAVIEST if self.among >= _ENOUGH else _HEAVIEST_OF_FEW
        return min(max(most, self.tail), self.tail + margin + self.of_scale)


def _half_t(ordered: Values, assumed: _Assumed, sides: int) -> _HalfT:
    """Fits ascending distances from their centre by generalized least squares over log quantiles."""
    lengths = ordered if sides == 1 else np.sort(np.abs(ordered))
    used = max(1, int(np.searchsorted(-_LEVELS, -_FEWEST_BEYOND / (sides * lengths.size), side="right")))
    levels = sides * _LEVELS[:used]
    least = LEAST_SCALE * np.exp(_TABLE[0, :used])
    log_ratios = np.log(np.maximum(_at(lengths, 1 - levels), least)) - _TABLE[:, :used]
    together = (np.minimum.outer(levels, levels) - np.outer(levels, levels)) / lengths.size
    nearest, half_t = 0, _HalfT(0.0, 0.0, 0.0, 0.0, 0)
    for _ in range(2):  # how quantiles vary together depends on the tail
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
        # A scale from few values is lognormal, and so about as Student's t with (6 + 1/variance)/2 degrees.
        of_scale = 0 if assumed.scaled else 2 / (6 + precision)
        among = max(assumed.among, lengths.size)
        half_t = _HalfT(float(np.exp(share @ scales)), tail, varies, of_scale, among)
        nearest = int(np.argmin(np.abs(_TAILS - tail)))
    return half_t
