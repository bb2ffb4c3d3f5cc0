"""What is normal: learnt from nodes known to be healthy, separately for each kind of node."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from math import inf, isfinite
from pathlib import Path
from statistics import median
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, ValidationError

from banzuke.amounts import Count, Frozen, Positive, Real
from banzuke.errors import BanzukeError
from banzuke.files import read_whole, refusal, write_whole
from banzuke.fleet.columns import by_kind
from banzuke.fleet.levels import Level, find_border, levels_of, split
from banzuke.fleet.model import FigureLaunch, Fleet, NodeFigure
from banzuke.fleet.outliers import TailFit, fit_all, fit_few
from banzuke.fleet.slowness import Values, slowness
from banzuke.installation import installation
from banzuke.record.state import CLOCKS, DISTANCES, ONE_STATE, Borders, Signs, State

_KIND = re.compile(r"\w[\w.-]*")
"""Kinds whose name can be that of a file."""
_AGAIN = "Learn it again from healthy nodes"
_LEAST_SHARE = 0.1
"""Smallest share of the nodes that makes a state usual; with fewer, the state may be what makes these nodes slow."""


class UsualFit(Frozen):
    """The distribution of healthy values, as an `outliers.TailFit`."""

    centre: Real
    scale: Positive
    tail: Real
    n: Count
    slow_bin: Real | None = None
    border: Real | None = None

    @property
    def fit(self) -> TailFit:
        border = inf if self.border is None else self.border
        return TailFit(self.centre, self.scale, self.tail, self.n, self.slow_bin, border)


class UsualInState(UsualFit):
    """The distribution of healthy values in one state of the machine."""

    distance: Literal["near", "far"] | None = None
    clock: Literal["slow", "fast"] | None = None


class Usual(UsualFit):
    """The distribution of the healthy values of a figure: in all states of the machine together, and in each."""

    unit: str
    better: Literal["higher", "lower"]
    setting: str
    distances: Sequence[Level] = ()
    """In ascending order; empty: not recorded."""
    clocks: Sequence[Level] = ()
    states: Sequence[UsualInState] = ()
    """Empty: there was only one state."""

    def borders(self, launches: Collection[Signs]) -> Borders:
        """Find the borders between the healthy nodes' states; if there was only one, to those of `launches`."""
        return Borders(
            find_border(DISTANCES, self.distances, [signs.distance for signs in launches]),
            find_border(CLOCKS, self.clocks, [signs.clock for signs in launches]),
        )

    def fits(self, borders: Borders) -> Mapping[State, TailFit]:
        """Return the fit of each state, by the name that the state has between these borders."""
        distance, clock = (levels[0].middle if levels else None for levels in (self.distances, self.clocks))
        only = borders.state(Signs(distance, clock))  # the level of a sign that has only one
        if max(len(self.distances), len(self.clocks)) < 2:
            return {only: self.fit}
        return {State(own.distance or only.distance, own.clock or only.clock): own.fit for own in self.states}


class Baseline(Frozen):
    schema_version: Literal[1] = 1
    kind: Annotated[str, Field(pattern=f"^{_KIND.pattern}$")]
    version: str
    """Version of the installation of Banzuke that measured it."""
    figures: Mapping[str, Usual]

    def refuse_others(self, figures: Iterable[NodeFigure]) -> None:
        """Raise BanzukeError if a figure was not measured like those of the baseline."""
        if self.version != (here := installation()):
            why = f"measured with version {self.version} of Banzuke, and this is {here}"
            raise BanzukeError(f"the baseline of {self.kind} does not apply", why=why, remedy=_AGAIN)
        for figure in figures:
            usual = self.figures.get(figure.name)
            now = (figure.unit, figure.better, figure.setting)
            if usual and (usual.unit, usual.better, usual.setting) != now:
                before, after = usual.setting or usual.unit, figure.setting or figure.unit
                why = f"{figure.name} was measured with {before}, and now with {after}"
                raise BanzukeError(f"the baseline of {self.kind} does not apply", why=why, remedy=_AGAIN)


def learn(*fleets: Fleet, few: bool = False) -> Mapping[str, Baseline]:
    """Learn a baseline for each kind of node from one or several screens.

    Outliers are left out, as are values that other processes slowed down. If the values are `few`, from one or two
    nodes, all count. A figure with fewer than three values has no baseline.
    """
    columns: dict[str, dict[NodeFigure, list[Values]]] = {}
    launches: dict[tuple[str, NodeFigure], list[Sequence[FigureLaunch]]] = defaultdict(list)
    for fleet in fleets:
        for kind, table in by_kind(fleet).items():
            for at, figure in enumerate(table.figures):
                columns.setdefault(kind, {}).setdefault(figure, []).append(table.quiet[:, at])
                launches[kind, figure] += [
                    own
                    for node in table.nodes
                    if (own := node.launches.get(figure.name)) and figure.name not in node.disturbed
                ]

    def fit_each(values: Sequence[Values]) -> Sequence[TailFit | None]:
        return [fit_few(sample) for sample in values] if few else fit_all(values)

    baselines = {}
    for kind, by_figure in columns.items():
        fits = fit_each([np.concatenate(seen) for seen in by_figure.values()])
        usual = {
            figure.name: _usual(figure, fit, launches[kind, figure], fit_each)
            for figure, fit in zip(by_figure, fits, strict=True)
            if fit
        }
        if usual and _KIND.fullmatch(kind):
            baselines[kind] = Baseline(kind=kind, version=installation(), figures=usual)
    return baselines


def _usual(
    figure: NodeFigure,
    fit: TailFit,
    launches: Sequence[Sequence[FigureLaunch]],
    fit_each: Callable[[Sequence[Values]], Sequence[TailFit | None]],
) -> Usual:
    """Return what is usual of a figure; `launches`: for each node, those that show a state."""
    signs = [launch.signs for own in launches for launch in own]
    borders = Borders.between(signs)
    by_state: dict[State, list[float]] = defaultdict(list)
    for own in launches:
        for state, values in split(own, borders).items():
            by_state[state].append(median(values))
    least = _LEAST_SHARE * len(launches)
    states = [state for state in by_state if _is_known(state) and len(by_state[state]) >= least]
    fits = fit_each([slowness(np.array(by_state[state]), figure) for state in states])
    return Usual(
        **_fields(fit),
        unit=figure.unit,
        better=figure.better,
        setting=figure.setting,
        distances=levels_of([launch.distance for launch in signs], borders.distance),
        clocks=levels_of([launch.clock for launch in signs], borders.clock),
        states=[
            UsualInState.model_validate({**_fields(own), "distance": state.distance, "clock": state.clock})
            for state, own in zip(states, fits, strict=True)
            if own
        ],
    )


def _is_known(state: State) -> bool:
    """Return whether the state is one of several and both its levels were seen."""
    return state != ONE_STATE and not {state.distance, state.clock} & {"moved", "unknown"}


def _fields(fit: TailFit) -> dict[str, Any]:
    return {**asdict(fit), "border": fit.border if isfinite(fit.border) else None}


def write(folder: Path, baseline: Baseline) -> Path:
    """Write the baseline to `folder/KIND.json` and return this path."""
    return write_whole(folder / f"{baseline.kind}.json", baseline.document(indent=1))


def read(folder: Path, kind: str) -> Baseline | None:
    """Read the baseline of a kind; None: none was learnt. Raises BanzukeError."""
    path = folder / f"{kind}.json"
    if not _KIND.fullmatch(kind) or not path.exists():
        return None
    try:
        return Baseline.model_validate_json(read_whole(path))
    except ValidationError as error:
        raise BanzukeError(f"{path} is no baseline", why=refusal(error), remedy=_AGAIN) from error
