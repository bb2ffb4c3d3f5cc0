"""Interpolates functions of several variables from few values.

A function is a sum of products of functions of one variable, with one term for each point at which it was computed. The
places on each axis begin with the nominal one and fill the range; a point combines one place of each axis. Points are
added where they change the sum most. With each point come all that have smaller indices, so that a dozen lines are
enough to evaluate the sum (sparse grids: Gerstner, Griebel, "Dimension-adaptive tensor-product quadrature", Computing
71, 2003).

There are two families of functions. Newton polynomials on a Leja sequence need fewest points where a function is smooth
(Chkifa, Cohen, Schwab, Found. Comput. Math. 14, 2014), hats on ever finer grids where it has kinks. The caller takes
the one with the smaller error. Sums of functions of two variables each had errors several times as large with as many
points, because overlap depends on three variables.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, product
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Index = tuple[int, ...]
Family = Literal["newton", "hat"]
PLACES: dict[Family, Sequence[int]] = {"newton": (1,) * 9, "hat": (1, 2, 2, 4, 8, 16, 32)}
"""Number of places that each level adds on an axis. Polynomials of a higher degree oscillate."""
_GRID = 2001
_HANDED_ON = 0.03
"""Share of a step's change that its neighbours are expected to have at least."""
_BEYOND_MOST = 1.2
"""Factor by which a last large step may exceed the wanted number of points."""


@cache
def places_of(family: Family, nominal: float) -> Sequence[float]:
    """Return the places on an axis from -1 to 1, beginning with the nominal one, which is 0 or -1."""
    number = sum(PLACES[family])
    return _leja(nominal, number) if family == "newton" else _dyadic(nominal, number)


def _leja(nominal: float, number: int) -> Sequence[float]:
    """Return places each of which maximizes the product of its distances to those before it."""
    places = [nominal]
    grid = np.linspace(-1, 1, _GRID)
    distances = np.abs(grid - nominal)
    while len(places) < number:
        places.append(float(grid[int(np.argmax(distances.round(12)))]))
        distances *= np.abs(grid - places[-1])
    return places


def _dyadic(nominal: float, number: int) -> Sequence[float]:
    """Return the nominal place, the others of both ends and the middle, then always the midpoints."""
    places = [nominal, *(place for place in (1.0, -1.0, 0.0) if place != nominal)]
    while len(places) < number:
        ordered = sorted(places)
        places += [(low + high) / 2 for low, high in pairwise(ordered)]
    return places


def factors(family: Family, places: Sequence[float], at: float) -> list[float]:
    """Return the values at `at` of an axis's functions; each is 1 at its own place and 0 at all earlier ones."""
    if family == "newton":
        return [
            float(np.prod([(at - before) / (place - before) for before in places[:number]]))
            for number, place in enumerate(places)
        ]
    hats = (max(0.0, 1 - abs(at - place) / width) for place, width in zip(places[1:], widths(places)[1:], strict=True))
    return [1.0, *hats]


def widths(places: Sequence[float]) -> list[float]:
    """Return the widths of the hats: from each place to the nearest one of an earlier level."""
    spans = [1.0]
    for number, place in enumerate(places[1:], 1):
        earlier = number if number < 3 else (1 << (number - 1).bit_length() - 1) + 1
        spans.append(min(abs(place - before) for before in places[:earlier]))
    return spans


@dataclass(frozen=True)
class Interpolant:
    family: Family
    places: Sequence[Sequence[float]]
    """Places on each axis."""
    indices: Sequence[Index]
    """For each point, the index of its place on each axis."""
    coefficients: Numbers
    """Coefficient of each point (row) for each output (column)."""

    def __call__(self, at: Sequence[float]) -> Numbers:
        """Return the values of all outputs at a point."""
        outputs: Numbers = weights(self.family, self.places, self.indices, at) @ self.coefficients
        return outputs


def weights(
    family: Family, places: Sequence[Sequence[float]], indices: Sequence[Index], at: Sequence[float]
) -> Numbers:
    """Return for each point the product of its functions at `at`."""
    values = [factors(family, axis, x) for axis, x in zip(places, at, strict=True)]
    terms = np.array([[axis[i] for axis, i in zip(values, index, strict=True)] for index in indices])
    products: Numbers = np.prod(terms.reshape(len(indices), len(places)), axis=1)
    return products


def interpolate(
    function: Callable[[Sequence[float]], Numbers],
    family: Family,
    nominal: Sequence[float],
    most: int,
    tolerance: float,
    importance: Numbers,
) -> Interpolant:
    """Interpolate a function with several outputs, whose changes are weighted by `importance`.

    `nominal`: nominal position on each axis. Stops at about `most` points, or where no further point promises to change
    an output by more than the tolerance.
    """
    places = [places_of(family, position) for position in nominal]
    begins = np.concatenate([[0], np.cumsum(PLACES[family])])
    indices: list[Index] = []
    coefficients: list[Numbers] = []
    change: dict[Index, float] = {}
    """Largest change by each step, by its levels on the axes, for steps not yet refined."""
    left: set[Index] = set()

    def points(levels: Index) -> list[Index]:
        return list(product(*(range(begins[level], begins[level + 1]) for level in levels)))

    def add(levels: Index) -> None:
        largest = 0.0
        for index in points(levels):
            at = [axis[i] for axis, i in zip(places, index, strict=True)]
            interpolated = weights(family, places, indices, at) @ np.array(coefficients) if indices else 0.0
            indices.append(index)
            coefficients.append(function(at) - interpolated)
            largest = max(largest, float(np.max(np.abs(coefficients[-1]) * importance)))
        # Always take the first two steps along each axis and each pair: a curve may be 0 at both ends.
        change[levels] = float("inf") if sum(levels) < 2 else largest

    add((0,) * len(places))
    while change and len(indices) < most:
        best = max(change, key=lambda levels: change[levels])
        size = change.pop(best)
        if size < tolerance:
            break
        left.add(best)
        for above in _above(best, len(PLACES[family])):
            missing = [levels for levels in _below(above) if levels not in left]
            if not missing and len(indices) + len(points(above)) <= _BEYOND_MOST * most:
                add(above)
                # A function that happens to meet the interpolant here may leave it on the next level.
                change[above] = max(change[above], _HANDED_ON * size) if size < float("inf") else change[above]
            for levels in missing:  # a step that itself changed little is required first
                if levels in change:
                    change[levels] = max(change[levels], _HANDED_ON * size)
    return Interpolant(family, places, indices, np.array(coefficients))


def _above(levels: Index, number: int) -> list[Index]:
    steps = ((*levels[:axis], levels[axis] + 1, *levels[axis + 1 :]) for axis in range(len(levels)))
    return [above for above in steps if max(above) < number]


def _below(levels: Index) -> list[Index]:
    return [(*levels[:axis], levels[axis] - 1, *levels[axis + 1 :]) for axis in range(len(levels)) if levels[axis]]
