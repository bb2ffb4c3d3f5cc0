"""Separates what is slow because of a node from what is slow because of a link between nodes.

A link is about as slow as the slower of its two ends. So a node is as slow as the median of its links, which one bad
link or one slow partner does not move, and a link is slow by what remains. If both directions were measured, a node has
two figures: what it sends and what it receives.
"""

from collections.abc import Iterator, Mapping, Sequence
from statistics import median

import numpy as np

from banzuke.amounts import MOST_AMOUNT
from banzuke.fleet.directions import figures_of_ends
from banzuke.fleet.model import Fleet, NodeFigure, Pair
from banzuke.fleet.slowness import Values, slowness

FEWEST_LINKS = 3
"""Fewest links of a node; with two, it is unclear which of them is as slow as the node."""


def figures(fleet: Fleet) -> list[NodeFigure]:
    names = {name for pair in fleet.pairs for name in pair.values}
    return [figure for name, figure in fleet.figures.items() if name in names]


def figures_of_nodes(pairs: Sequence[Pair], figures: Sequence[NodeFigure]) -> Mapping[str, Mapping[str, float]]:
    """Return by host and figure the median over the host's links, if it has enough of them."""
    reached: dict[str, dict[str, list[float]]] = {}
    ends = {figure.name: figures_of_ends(figure) for figure in figures}
    for pair in pairs:
        for name, two_ends in ends.items():
            value = pair.values.get(name)
            if value is not None and 0 <= value <= MOST_AMOUNT:
                for host, end in zip(pair.hosts, two_ends, strict=True):
                    reached.setdefault(host, {}).setdefault(end.name, []).append(value)
    return {
        host: {name: median(values) for name, values in figures_of_host.items() if len(values) >= FEWEST_LINKS}
        for host, figures_of_host in reached.items()
    }


def remaining(fleet: Fleet) -> Iterator[tuple[NodeFigure, Values, Values]]:
    """Yield each figure with the slowness of each pair and the part of it that its slower end does not explain.

    If neither end has a figure, the median of the others' ends is subtracted.
    """
    linked = figures(fleet)
    nodes = figures_of_nodes(fleet.pairs, linked)
    for figure in linked:
        two_ends = figures_of_ends(figure)
        sides = [(host, end.name) for pair in fleet.pairs for host, end in zip(pair.hosts, two_ends, strict=True)]
        ends = np.array([nodes.get(host, {}).get(name, np.nan) for host, name in sides], dtype=np.float64)
        values = np.array([pair.values.get(figure.name, np.nan) for pair in fleet.pairs], dtype=np.float64)
        own, slow_ends = np.split(slowness(np.concatenate([values, ends]), figure), [values.size])
        slower = np.fmax(*slow_ends.reshape(-1, 2).T)
        usual = np.nanmedian(slower) if np.isfinite(slower).any() else 0.0
        yield figure, own, own - np.where(np.isnan(slower), usual, slower)
