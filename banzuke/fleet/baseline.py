"""What is normal, learnt from nodes known to be healthy, and kept for each kind of node."""

import re
from collections.abc import Iterable, Mapping
from math import inf, isfinite
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, ValidationError

from banzuke.amounts import Count, Frozen, Positive, Real
from banzuke.errors import BanzukeError
from banzuke.files import read_whole, refusal, write_whole
from banzuke.fleet.columns import by_kind
from banzuke.fleet.model import Fleet, NodeFigure
from banzuke.fleet.outliers import TailFit, fit_all, fit_few
from banzuke.fleet.slowness import Values
from banzuke.installation import installation

_KIND = re.compile(r"\w[\w.-]*")
"""What may be the name of a file."""
_AGAIN = "Learn it again from healthy nodes"


class Usual(Frozen):
    """How the healthy values of a figure lie: `outliers.TailFit`."""

    unit: str
    better: Literal["higher", "lower"]
    setting: str
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


class Baseline(Frozen):
    schema_version: Literal[1] = 1
    kind: Annotated[str, Field(pattern=f"^{_KIND.pattern}$")]
    version: str
    """The installation of Banzuke that measured it."""
    figures: Mapping[str, Usual]

    def refuse_others(self, figures: Iterable[NodeFigure]) -> None:
        """That figures were measured as those that it was learnt from. Raises BanzukeError."""
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
    """By kind, of one or several screens; values that stand out are left out, unless they are `few`, of one node or
    two. Of less than three there is none.
    """
    columns: dict[str, dict[NodeFigure, list[Values]]] = {}
    for fleet in fleets:
        for kind, table in by_kind(fleet).items():
            for at, figure in enumerate(table.figures):
                columns.setdefault(kind, {}).setdefault(figure, []).append(table.slowness[:, at])
    baselines = {}
    for kind, by_figure in columns.items():
        values = [np.concatenate(seen) for seen in by_figure.values()]
        how = [fit_few(sample) for sample in values] if few else fit_all(values)
        usual = {figure.name: _usual(figure, fit) for figure, fit in zip(by_figure, how, strict=True) if fit}
        if usual and _KIND.fullmatch(kind):
            baselines[kind] = Baseline(kind=kind, version=installation(), figures=usual)
    return baselines


def _usual(figure: NodeFigure, fit: TailFit) -> Usual:
    return Usual(
        unit=figure.unit,
        better=figure.better,
        setting=figure.setting,
        centre=fit.centre,
        scale=fit.scale,
        tail=fit.tail,
        n=fit.n,
        slow_bin=fit.slow_bin,
        border=fit.border if isfinite(fit.border) else None,
    )


def write(folder: Path, baseline: Baseline) -> Path:
    """`folder/KIND.json`."""
    return write_whole(folder / f"{baseline.kind}.json", baseline.document(indent=1))


def read(folder: Path, kind: str) -> Baseline | None:
    """None: none was learnt. Raises BanzukeError."""
    path = folder / f"{kind}.json"
    if not _KIND.fullmatch(kind) or not path.exists():
        return None
    try:
        return Baseline.model_validate_json(read_whole(path))
    except ValidationError as error:
        raise BanzukeError(f"{path} is no baseline", why=refusal(error), remedy=_AGAIN) from error
