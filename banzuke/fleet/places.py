"""Finds racks and switches whose nodes are slow together."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from banzuke.fleet.outliers import LEAST_SCALE
from banzuke.fleet.slowness import Values
from banzuke.judge.outliers import SIGMA

FEWEST = 3
"""Fewest nodes of a place that are judged together, and fewest places whose median is what is usual."""
CERTAIN = 1e-3
"""Probability below which the nodes of a place are compared only with each other; with a hundred healthy places, that
happens in one screen of ten.
"""
_OF_MEDIAN = float(np.sqrt(np.pi / 2))
"""Standard error of a median, as a multiple of that of a mean."""


class PlaceEffect(NamedTuple):
    """By how much the nodes of a place are together slower, or faster, in one figure."""

    place: str
    rows: NDArray[np.int64]
    """Rows of all its nodes."""
    at: int
    """Column of the figure."""
    here: float
    """Median of its nodes."""
    usual: float
    """Median of the places; if there are only two, of the other nodes."""
    probability: float
    """Probability that as many nodes drawn at random would be this slow, by ranks (Mann and Whitney), so that it does
    not depend on the distribution.
    """
    error: float
    """Standard error of `here`."""

    @property
    def size(self) -> float:
        return self.here - self.usual


def effects(slowness: Values, places: Sequence[str]) -> list[PlaceEffect]:
    """Return the effect of each place with at least three nodes on each figure (column)."""
    names, code = np.unique(np.array(places, dtype=np.str_), return_inverse=True)
    return [
        effect
        for at in range(slowness.shape[1] if names.size > 1 else 0)
        for effect in _effects_on_figure(slowness, at, names, code)
    ]


def _effects_on_figure(
    slowness: Values, at: int, names: NDArray[np.str_], code: NDArray[np.int64]
) -> Iterator[PlaceEffect]:
    from scipy.stats import rankdata  # noqa: PLC0415  (takes longer to import than one node's check to judge)

    column = slowness[:, at]
    placed = np.isfinite(column) & (names[code] != "")
    values, where = column[placed], code[placed]
    ranks = rankdata(values)
    inside = [np.flatnonzero(where == number) for number in range(names.size)]
    judged = [number for number, rows in enumerate(inside) if min(rows.size, values.size - rows.size) >= FEWEST]
    if not judged:
        return
    medians = {number: float(np.median(values[inside[number]])) for number in judged}
    deviations = np.concatenate([values[inside[number]] - medians[number] for number in judged])
    spread = max(SIGMA * float(np.median(np.abs(deviations))), LEAST_SCALE)
    for number in judged:
        here, others = inside[number].size, values.size - inside[number].size
        above = ranks[inside[number]].mean() - (values.size + 1) / 2
        score = above / np.sqrt(others * (values.size + 1) / (12 * here))
        if len(judged) >= FEWEST:
            usual = float(np.median(list(medians.values())))
        else:
            usual = float(np.median(np.delete(values, inside[number])))
        error = _OF_MEDIAN * spread / float(np.sqrt(here))
        chance = float(special.ndtr(-score))
        yield PlaceEffect(str(names[number]), np.flatnonzero(code == number), at, medians[number], usual, chance, error)


def shared(effects: Sequence[PlaceEffect], like: Values) -> Values:
    """Return by how much each node is slower in each figure because all nodes of its place are."""
    slower = np.zeros_like(like)
    for effect in effects:
        if effect.size > 0 and effect.probability < CERTAIN:
            slower[effect.rows, effect.at] = effect.size
    return slower


def slow(effects: Sequence[PlaceEffect], probability: float, least: float, surely: float) -> Iterator[PlaceEffect]:
    """Yield effects that are improbable by chance (below `probability`) and larger than those of places in general.

    The limit is at least `least`; if places vary more, or it is unknown how much, it is at most `surely`.
    """
    if not effects:
        return
    errors = np.array([effect.error for effect in effects])
    vary = max(1.0, SIGMA * float(np.median(np.abs([effect.size for effect in effects] / errors))))
    beyond = -float(special.ndtri(probability)) * vary
    for effect in effects:
        if effect.probability < probability and effect.size > min(max(least, beyond * effect.error), surely):
            yield effect
