"""Arranges the figures of alike nodes as one table of numbers, in which larger is slower."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from banzuke.fleet import links
from banzuke.fleet.model import Fleet, Node, NodeFigure
from banzuke.fleet.outliers import FEWEST
from banzuke.fleet.slowness import Values, slowness


@dataclass(frozen=True)
class Columns:
    """A table with a row per node and a column per figure: logarithms of times or reciprocal rates, or NaN."""

    nodes: tuple[Node, ...]
    figures: tuple[NodeFigure, ...]
    slowness: Values
    disturbed: NDArray[np.bool_]
    """Values that other processes slowed down, which say nothing about what is usual."""

    @property
    def quiet(self) -> Values:
        """The values that are not disturbed; NaN for the others."""
        return np.where(self.disturbed, np.nan, self.slowness)


def by_kind(fleet: Fleet) -> Mapping[str, Columns]:
    """Return a table for each kind of nodes that measured, with their own figures and those of their links."""
    tables = {}
    ends = links.figures_of_nodes(fleet.pairs, links.figures(fleet))
    for kind in sorted({node.kind for node in fleet.nodes.values() if node.state == "measured"}):
        nodes = _compared([node for node in fleet.nodes.values() if node.kind == kind and node.state == "measured"])
        values = [{**node.values, **ends.get(node.host, {})} for node in nodes]
        seen = {name for row in values for name in row}
        figures = tuple(figure for name, figure in fleet.figures.items() if name in seen)
        disturbed = np.array([[figure.name in node.disturbed for figure in figures] for node in nodes], dtype=bool)
        disturbed = disturbed.reshape(len(nodes), len(figures))
        tables[kind] = Columns(tuple(nodes), figures, _table(values, figures), disturbed)
    return tables


def _compared(nodes: Sequence[Node]) -> Sequence[Node]:
    """Return the nodes, without disturbances that are usual: they leave too few quiet nodes to compare."""
    quiet = Counter(name for node in nodes for name in node.values if name not in node.disturbed)
    usual = {name for node in nodes for name in node.disturbed if quiet[name] < FEWEST <= len(nodes)}
    if not usual:
        return nodes
    return [
        replace(node, disturbed={name: taken for name, taken in node.disturbed.items() if name not in usual})
        for node in nodes
    ]


def _table(rows: Sequence[Mapping[str, float]], figures: Sequence[NodeFigure]) -> Values:
    table = np.array([[row.get(figure.name, np.nan) for figure in figures] for row in rows], dtype=np.float64)
    table = table.reshape(len(rows), len(figures))
    for at, figure in enumerate(figures):
        table[:, at] = slowness(table[:, at], figure)
    return table
