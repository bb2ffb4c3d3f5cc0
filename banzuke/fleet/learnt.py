"""Figures of nodes beside what was learnt of the state that each node was in."""

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
    """Values that are held against what is usual of them."""

    fit: TailFit
    slowness: Values
    """Of each node; NaN: there is none, or another fit is the one of its state."""
    excused: Values | float = 0.0
    """What of it is not held against the node."""


class LearntColumn(NamedTuple):
    """A figure of all nodes beside what was learnt of it."""

    compared: Sequence[HeldAgainst]
    unlearnt: Mapping[int, State]
    """By row of a node: its state, of which nothing was learnt, so that it is compared with all others together."""


def compare(table: Columns, at: int, usual: Usual) -> LearntColumn:
    """Hold each node's launches in one state against what is usual of that: the state of the most launches of which
    something was learnt.
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
