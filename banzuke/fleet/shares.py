"""Expresses the figures of nodes as shares of the median of their kind: 1 is the median, less is worse."""

import re
from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from banzuke.fleet.model import Fleet, NodeFigure
from banzuke.fleet.slowness import Values
from banzuke.judge.outliers import SIGMA


@dataclass(frozen=True)
class Shares:
    hosts: tuple[str, ...]
    """In the order of their places, then of their names."""
    places: tuple[str, ...]
    """The place of each host."""
    figures: tuple[NodeFigure, ...]
    values: Values
    """Value of each figure (row) of each host (column); NaN: none."""
    of_median: Values
    """The values as shares of the median of the host's kind; NaN: unknown."""


def _numbered(name: str) -> list[tuple[int, str]]:
    """Return a key that sorts `rack 9` before `rack 10`."""
    return [(int(part), "") if part.isdecimal() else (0, part) for part in re.split(r"(\d+)", name)]


def shares(fleet: Fleet) -> Shares:
    """Return all figures of all hosts as shares of the median of their kind; above 1 is better, also for times."""
    ordered = sorted(fleet.nodes.values(), key=lambda node: (_numbered(node.place), _numbered(node.host)))
    measured = {name for node in ordered for name in node.values}
    figures = tuple(figure for name, figure in fleet.figures.items() if name in measured)
    values = np.array(
        [[node.values.get(figure.name, np.nan) for node in ordered] for figure in figures], dtype=np.float64
    ).reshape(len(figures), len(ordered))
    kinds: dict[str, list[int]] = defaultdict(list)
    for at, node in enumerate(ordered):
        kinds[node.kind].append(at)
    of_median = np.full_like(values, np.nan)
    for row, figure in enumerate(figures):
        for members in kinds.values():
            own = values[row, members]
            own = np.where(own > 0, own, np.nan)
            if np.isfinite(own).any():
                share = own / np.nanmedian(own)
                of_median[row, members] = share if figure.better == "higher" else 1 / share
    return Shares(
        tuple(node.host for node in ordered), tuple(node.place for node in ordered), figures, values, of_median
    )


def deviation(values: Values) -> float:
    """Return the robust standard deviation of the finite values."""
    finite = values[np.isfinite(values)]
    return SIGMA * float(np.median(np.abs(finite - np.median(finite)))) if finite.size else 0.0
