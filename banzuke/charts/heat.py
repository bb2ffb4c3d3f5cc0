"""Draws heat maps: squares whose colour shows a figure, stronger for higher values on a logarithmic scale."""

import json
import math
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import altair as alt

from banzuke.charts.style import HEAT, inline
from banzuke.units import number

_LEAST_SPAN = 1.2
"""Smallest ratio of the highest to the lowest value that colours span, so that they do not exaggerate noise."""
_TICKS = 12
_LABEL = 150
"""Pixels of a label."""


class HeatAxis(NamedTuple):
    title: str
    places: Sequence[int]
    """Place of each square along it."""
    labels: Mapping[int, str] | None = None
    """Text at each place; None: the place itself."""


def heat_map(
    rows: list[dict[str, Any]],
    along: HeatAxis,
    down: HeatAxis,
    steps: list[str],
    *,
    tips: Mapping[str, str],
    side: int,
    names: Mapping[int, str] | None = None,
    written: bool = False,
) -> alt.LayerChart | alt.FacetChart:
    """Draw `rows`: x, y, step and, if `written`, text and strong; slow ones are framed. `steps`: weakest first.

    `tips`: further fields and their titles. `names`: of places, which become the fields name_x and name_y. `side`:
    height in pixels.
    """
    x, y = (_axis(kind, field, axis) for kind, field, axis in ((alt.X, "x", along), (alt.Y, "y", down)))
    used = [step for step in steps if any(row["step"] == step for row in rows)]
    fill = alt.Color(
        "step:N",
        sort=None,
        scale=alt.Scale(domain=used, range=[HEAT[steps.index(step)] for step in used]),
        legend=alt.Legend(symbolType="square", symbolSize=120, columns=3, offset=26),
    )
    tooltips = [alt.Tooltip(f"{field}:N", title=title) for field, title in tips.items()]
    base = alt.Chart(inline(rows))
    if names:  # here once, instead of in each of thousands of rows
        of_place = json.dumps(names)
        base = base.transform_calculate(name_x=f"{of_place}[datum.x]", name_y=f"{of_place}[datum.y]")
    layers: list[Any] = [base.mark_rect().encode(x=x, y=y, color=fill, tooltip=tooltips)]
    if any("slow" in row for row in rows):
        framed = base.transform_filter("datum.slow").mark_rect(fillOpacity=0, stroke="var(--accent)", strokeWidth=1.5)
        layers.append(framed.encode(x=x, y=y, tooltip=tooltips))
    if written:
        ink = alt.condition("datum.strong", alt.value("var(--onheat)"), alt.value("var(--ink)"))
        layers.append(base.mark_text(fontSize=10).encode(x=x, y=y, text=alt.Text("text:N"), color=ink))
    drawn: alt.LayerChart | alt.FacetChart = alt.layer(*layers).properties(width="container", height=side)
    return drawn


def _axis(kind: Any, field: str, heat_axis: HeatAxis) -> Any:
    look: dict[str, Any] = {"labelAngle": 0, "domain": False, "ticks": False, "labelOverlap": True}
    if heat_axis.labels:  # all places have a tick: if they are listed, wide browsers leave the first label out
        look |= {"labelExpr": f"{json.dumps(heat_axis.labels)}[datum.value]", "labelLimit": _LABEL}
        look |= {"labelAngle": -90} if field == "x" else {}
    else:
        look["values"] = list(heat_axis.places[:: -(-len(heat_axis.places) // _TICKS)])
    axis = alt.Axis(**look)
    scale = alt.Scale(domain=list(heat_axis.places), paddingInner=0.04, paddingOuter=0)
    return kind(f"{field}:O", title=heat_axis.title or None, axis=axis, scale=scale)


def thresholds_of(values: Collection[float]) -> list[float]:
    """Return even steps of a logarithmic scale from the least to the greatest, one fewer than there are colours."""
    low, high = min(values), max(values)
    middle = math.sqrt(low * high)
    spread = max(high / low, _LEAST_SPAN)
    return [middle * spread ** (step / len(HEAT) - 0.5) for step in range(1, len(HEAT))]


def steps_of(thresholds: Sequence[float], unit: str) -> list[str]:
    """Return what each colour stands for, lowest figure first."""
    ends = [number(value, 2) for value in thresholds]
    return [f"< {ends[0]} {unit}", *(f"{low} – {high} {unit}" for low, high in pairwise(ends)), f"≥ {ends[-1]} {unit}"]
