"""Draws rates and efficiencies over the number of nodes, with perfect scaling and the believed model."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt

from banzuke.charts.place import decades, nice_ceiling
from banzuke.charts.style import HEIGHT, Drawn, inline, legend_of, series_scales
from banzuke.compare.statistics import Interval
from banzuke.document import Charts
from banzuke.scaling.fit import Fit
from banzuke.scaling.model import ScalingStudy
from banzuke.scaling.page import Group, efficiency_at, label, title
from banzuke.text import slug
from banzuke.units import percent, quantity, scale
from banzuke.words import Quantity, Share, message
from banzuke.words.language import Words

_STEPS = 24
"""Points of a model's line."""
_BANDED = 2
"""Largest number of studies for which prediction intervals are drawn; more would cover each other."""
_TICKS = 9


Rows = list[dict[str, Any]]


def charts_of(group: Group, words: Words) -> Charts:
    names = [label(study) or words(title(study)) for study in group]
    named = list(zip(group, names, strict=True))
    points = [row for study, name in named for row in _points(study, name)]
    ideal = [row for study, name in named for row in _ideal(study, name)]
    fitted = [row for study, name in named for row in _fitted(study, name)]
    return Charts(tuple(draw(group, words, points, ideal, fitted).block for draw in (_rates, _efficiencies)))


def _rates(group: Group, words: Words, points: Rows, ideal: Rows, fitted: Rows) -> Drawn:
    unit = group[0].metric.unit
    factor, shown = scale(max(row["rate"] for row in points), unit)
    rates = [[_seen(row, "rate", factor) for row in rows] for rows in (points, ideal, fitted)]
    seen = [row["y"] for rows in rates for row in rows]
    low, high = min(seen) / 1.3, max(seen) * 1.3
    y_scale = alt.Scale(type="log", domain=[low, high], nice=False, clamp=True)
    y = alt.Y(
        "y:Q",
        title=words(message("scaling-axis-rate", unit=shown)),
        scale=y_scale,
        axis=alt.Axis(values=decades(low, high)),
    )
    measured = [row["rate"] for row in points]
    drawn = message("scaling-drawn", low=Quantity(min(measured), unit), high=Quantity(max(measured), unit))
    return _drawn("rate", words(title(group[0])), words(drawn), group, words, rates, y, y_scale)


def _efficiencies(group: Group, words: Words, points: Rows, ideal: Rows, fitted: Rows) -> Drawn:
    shares = [[_seen(row, "efficiency", 0.01) for row in rows] for rows in (points, ideal, fitted)]
    top = nice_ceiling(1.02 * max(row["y"] for row in (*shares[0], *shares[1])))
    axis = message("scaling-axis-efficiency")
    y_scale = alt.Scale(domain=[0, top], nice=False, clamp=True)
    y = alt.Y("y:Q", title=words(axis), scale=y_scale, axis=alt.Axis(tickCount=5))
    measured = [row["efficiency"] for row in points]
    drawn = message("scaling-efficiency-drawn", low=Share(min(measured)), high=Share(max(measured)))
    said = message("scaling-efficiency-title", title=title(group[0]))
    return _drawn("efficiency", words(said), words(drawn), group, words, shares, y, y_scale)


def _drawn(
    what: str,
    said: str,
    description: str,
    group: Group,
    words: Words,
    rows: Sequence[Rows],
    y: alt.Y,
    y_scale: alt.Scale,
) -> Drawn:
    """Draw one quantity; `rows`: those of points, of perfect scaling and of models."""
    points, ideal, fitted = rows
    names = list(dict.fromkeys(row["series"] for row in points))
    counts = sorted({row["x"] for row in points})
    last = max([*counts, *(row["x"] for row in fitted)])
    x = alt.X(
        "x:Q",
        title=words(message("scaling-axis-nodes")),
        scale=alt.Scale(type="log", domain=[counts[0] / 1.1, last * 1.1], nice=False),
        axis=alt.Axis(values=counts[:: math.ceil(len(counts) / _TICKS)], format="~s", grid=False, labelOverlap=True),
    )
    scales = series_scales(names)
    colour = alt.Color("series:N", scale=scales["color"], legend=legend_of(names), sort=None)
    low = alt.Y("low:Q", scale=y_scale)
    layers: list[Any] = []
    if fitted and len(group) <= _BANDED:
        banded = alt.Chart(inline([row for row in fitted if row["low"] is not None]))
        layers.append(banded.mark_area(opacity=0.18).encode(x=x, y=low, y2=alt.Y2("high:Q"), color=colour))
    dashed = alt.Chart(inline(ideal)).mark_line(strokeDash=[5, 4], strokeWidth=1, opacity=0.8)
    layers.append(dashed.encode(x=x, y=y, color=colour))
    if fitted:
        layers.append(alt.Chart(inline(fitted)).mark_line(strokeWidth=1.75).encode(x=x, y=y, color=colour))
    base = alt.Chart(inline(points))
    whisker = base.transform_filter("datum.low != null").mark_rule(strokeWidth=1.25)
    layers.append(whisker.encode(x=x, y=low, y2=alt.Y2("high:Q"), color=colour))
    shape = alt.Shape("series:N", scale=scales["shape"], legend=None)
    dots = base.mark_point(filled=True, size=48, opacity=1)
    layers.append(dots.encode(x=x, y=y, color=colour, shape=shape, tooltip=_tips(words)))
    caption = message("scaling-caption-fit") if fitted else message("scaling-caption")
    first = group[0]
    name = slug(f"scaling-{first.benchmark.name}-{first.metric.name}-{first.kind}-{what}")
    chart = alt.layer(*layers).properties(width="container", height=HEIGHT)
    return Drawn(name, said, description, words(caption), chart)


def _seen(row: dict[str, Any], what: str, factor: float) -> dict[str, Any]:
    """Return what is drawn of a row: the rate or the efficiency, in the axis's unit."""
    ends = row[f"{what}_interval"]
    low, high = (ends.low / factor, ends.high / factor) if ends and math.isfinite(ends.high) else (None, None)
    kept = {name: row[name] for name in ("x", "series", "shown", "share") if name in row}
    return kept | {"y": row[what] / factor, "low": low, "high": high}


def _points(study: ScalingStudy, name: str) -> Iterator[dict[str, Any]]:
    for count in study.counts:
        yield {
            "x": count.nodes,
            "rate": count.rate,
            "rate_interval": count.interval,
            "efficiency": study.efficiency(count),
            "efficiency_interval": study.efficiency_interval(count),
            "series": name,
            "shown": quantity(count.rate, study.metric.unit),
            "share": percent(study.efficiency(count)),
        }


def _line(study: ScalingStudy, name: str, nodes: float, efficiency: float, interval: Interval | None) -> dict[str, Any]:
    rate = study.base.rate / study.base.nodes * nodes
    ends = Interval(rate * interval.low, rate * interval.high) if interval else None
    return {
        "x": nodes,
        "rate": rate * efficiency,
        "rate_interval": ends,
        "efficiency": efficiency,
        "efficiency_interval": interval,
        "series": name,
    }


def _ideal(study: ScalingStudy, name: str) -> Iterator[dict[str, Any]]:
    for count in (study.counts[0], study.counts[-1]):
        yield _line(study, name, count.nodes, 1.0, None)


def _fitted(study: ScalingStudy, name: str) -> Iterator[dict[str, Any]]:
    """Yield points of the model's line, up to twice the largest number of nodes."""
    fit: Fit | None = study.fits.best
    if fit is None:
        return
    for nodes in _spaced(study.counts[0].nodes, 2 * study.counts[-1].nodes):
        efficiency, interval = efficiency_at(fit, nodes)
        if efficiency > 0:
            yield _line(study, name, nodes, efficiency, interval)


def _spaced(first: float, last: float) -> Sequence[float]:
    return [first * (last / first) ** (step / _STEPS) for step in range(_STEPS + 1)]


def _tips(words: Words) -> list[alt.Tooltip]:
    titles = {
        "x": message("scaling-nodes"),
        "shown": message("scaling-rate"),
        "share": message("scaling-efficiency"),
    }
    return [alt.Tooltip(f"{field}:N", title=words(said)) for field, said in titles.items()]
