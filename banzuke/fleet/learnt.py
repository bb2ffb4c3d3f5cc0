"""Compares figures of nodes with what was learnt about the state that each node was in."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import NamedTuple

import numpy as np

from banzuke.fleet.baseline import Usual
from banzuke.fleet.columns import Columns
from banzuke.fleet.levels import split
from banzuke.fleet.outliers import TailFit
from banzuke.fleet.slowness import Values, slowness
from banzuke.record.state import Borders, State


class HeldAgainst(NamedTuple):
    """Values, and the distribution that they are compared with."""

    fit: TailFit
    slowness: Values
    """Slowness of each node; NaN: it has none, or its state has another fit."""
    excused: Values | float = 0.0
    """Part of the slowness that is not counted against the node."""


class LearntColumn(NamedTuple):
    """A figure of all nodes, compared with its baseline."""

    compared: Sequence[HeldAgainst]
    unlearnt: Mapping[int, State]
    """Row and state of nodes whose state the baseline does not cover; they are compared with all states together."""


def compare(table: Columns, at: int, usual: Usual) -> LearntColumn:
    """Compare each node's launches in one state with what is usual in that state.

    The state is the one of most launches among those that were learnt.
    """
    figure, others = table.figures[at], table.slowness[:, at].copy()
    launches = [node.launches.get(figure.name, ()) for node in table.nodes]
    borders = usual.borders([launch.signs for own in launches for launch in own])
    if borders == Borders():
        return LearntColumn([HeldAgainst(usual.fit, others)], {})
    fits = usual.fits(borders)
    values = {state: np.full(len(launches), np.nan) for state in fits}
    unlearnt = {}
    for row, own in enumerate(launches):
        by_state = split(own, borders)
        learnt = next((state for state in by_state if state in fits), None)
        if learnt:
            values[learnt][row] = median(by_state[learnt])
            others[row] = np.nan
        elif by_state:
            unlearnt[row] = next(iter(by_state))
    in_states = [HeldAgainst(fit, slowness(values[state], figure)) for state, fit in fits.items()]
    return LearntColumn([HeldAgainst(usual.fit, others), *in_states], unlearnt)
