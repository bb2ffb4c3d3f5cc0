"""The levels of launches of nodes of one kind, from which the state of a machine follows: `record/state.py`."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import inf, sqrt
from statistics import median

from banzuke.amounts import Frozen, Positive
from banzuke.fleet.model import FigureLaunch
from banzuke.record.state import Borders, Sign, State


class Level(Frozen):
    """The range of distances or clocks of launches in one state."""

    least: Positive
    middle: Positive
    most: Positive


def levels_of(values: Iterable[float | None], border: float | None) -> Sequence[Level]:
    """Return the level of the values below the border, then that of those above it."""
    recorded = [value for value in values if value]
    sides = [[value for value in recorded if (value > (border or inf)) == above] for above in (False, True)]
    return [Level(least=min(side), middle=median(side), most=max(side)) for side in sides if side]


def find_border(sign: Sign, levels: Sequence[Level], values: Iterable[float | None]) -> float | None:
    """Return the border between two levels, or between one level and `values` far from it; else None."""
    if len(levels) != 1:
        return sqrt(levels[0].most * levels[1].least) if levels else None
    (level,) = levels
    recorded = [value for value in values if value]
    above = [value for value in recorded if value >= sign.gap * level.most and value >= sign.ratio * level.middle]
    below = [value for value in recorded if value <= level.least / sign.gap and value <= level.middle / sign.ratio]
    if above:
        return sqrt(level.most * min(above))
    return sqrt(max(below) * level.least) if below else None


def split(launches: Sequence[FigureLaunch], borders: Borders) -> Mapping[State, Sequence[float]]:
    """Group a node's values by the state of their launch, the most frequent state first."""
    by_state: dict[State, list[float]] = defaultdict(list)
    for launch in launches:
        by_state[borders.state(launch.signs)].append(launch.value)
    return dict(sorted(by_state.items(), key=lambda entry: -len(entry[1])))
