"""Charts of figures over message sizes on logarithmic scales, and of how much of an operation is hidden."""

from collections.abc import Sequence
from math import sqrt
from typing import Any

import altair as alt

from banzuke.charts.place import decades, nice_ceiling
from banzuke.charts.style import HEIGHT, Drawn, inline, legend_of, series_scales
from banzuke.plan.wording import along, benchmark_title
from banzuke.text import slug
from banzuke.units import quantity, scale
from banzuke.views.curve.lines import LineGroup, SizeLine, SizeStatistics, Value, group_title
from banzuke.views.curve.overlap import Overlap
from banzuke.views.view import ViewSection
from banzuke.words import Listed, Message, Quantity, Share, message
from banzuke.words.language import Words

_BANDED = 3
"""Most lines with bands; more bands would cover each other."""
_LIMITED = 4
_BAND = ("p5", "p95")
_TICKS = 8
RATES = 2
"""Number of ranks above which several pairs share the path, so that the message rate matters."""
Line = tuple[SizeLine, list[SizeStatistics]]
"""A line with those of its points that can be drawn."""


def line_charts(section: ViewSection, group: LineGroup) -> list[Drawn]:
    """Return the charts; none where no size can be drawn, as for a barrier."""
    kind = f"{group.kind} {group.metric.name}" if group.kind else group.metric.name
    name = f"{section.slug}-over-{slug(kind)}"
    title = group_title(section.benchmark, group)
    drawn = [_chart(section, name, title, group, "median")]
    crowded = any(line.record.ranks > RATES for line in group.lines)
    if crowded and any("message_rate" in point.values for line in group.lines for point in line.points):
        rates = message("views-message-rate", figure=title)
        drawn.append(_chart(section, f"{name}-messages", rates, group, "message_rate"))
    return [chart for chart in drawn if chart]


def _number(value: Value) -> float:
    return value.value if isinstance(value, Quantity | Share) else value


def _chart(section: ViewSection, name: str, about: Message, group: LineGroup, stat: str) -> Drawn | None:
    words = section.words
    every = [(line, [point for point in line.points if _drawable(point, stat)]) for line in group.lines]
    lines: list[Line] = [(line, points) for line, points in every if len(points) > 1]
    if not lines:
        return None
    figures = [_number(point.values[stat]) for _, points in lines for point in points]
    unit = group.metric.unit if stat == "median" else "/s"
    factor, shown = scale(max(figures) if unit.endswith("/s") else sqrt(min(figures) * max(figures)), unit)
    names = [line.label for line, _ in lines]
    rows = [_row(words, line, point, stat, factor) for line, points in lines for point in points]
    limits = [row for row in rows if row["limit"] is not None] if len(lines) <= _LIMITED and stat == "median" else []
    banded = len(lines) <= _BANDED and stat == "median" and any(row["low"] is not None for row in rows)
    heights = [row["y"] for row in rows] + [row["limit"] for row in limits]
    heights += [row[end] for row in rows for end in ("low", "high") if banded and row[end]]
    x, domain = _sizes(words, lines[0][0], [row["x"] for row in rows]), [min(heights) / 1.4, max(heights) * 1.4]
    median = stat == "median"
    axis = message("views-axis-log", title=shown) if median else message("views-axis-log-messages", unit=shown)
    y = alt.Y(
        "y:Q",
        title=words(axis),
        scale=alt.Scale(type="log", domain=domain, nice=False),
        axis=alt.Axis(values=decades(*domain)),
    )
    colour, shape = _series(names)
    base = alt.Chart(inline(rows))
    layers: list[Any] = []
    if banded:
        band = base.transform_filter("datum.low != null").mark_area(opacity=0.18)
        layers.append(band.encode(x=x, y=alt.Y("low:Q"), y2=alt.Y2("high:Q"), color=colour))
    if limits:
        dashed = alt.Chart(inline(limits)).mark_line(strokeDash=[5, 4], strokeWidth=1.2)
        layers.append(dashed.encode(x=x, y=alt.Y("limit:Q"), color=colour))
    layers.append(base.mark_line(strokeWidth=1.6).encode(x=x, y=y, color=colour))
    tips = [alt.Tooltip(f"{field}:N", title=words(title)) for field, title in _tips().items()]
    points = base.mark_point(filled=True, size=34, opacity=1)
    layers.append(points.encode(x=x, y=y, color=colour, shape=shape, tooltip=tips))
    chart = alt.layer(*layers).properties(width="container", height=HEIGHT + 40)
    low, high = (Quantity(pick(figures), unit) for pick in (min, max))
    described = message("views-curve-drawn", lines=len(lines), low=low, high=high)
    title = words(message("views-title-of", benchmark=benchmark_title(section.benchmark), title=about))
    caption = words.sentences(_caption(lines, banded=banded, limits=bool(limits)))
    return Drawn(name, title, words(described), caption, chart)


def _series(names: list[str]) -> tuple[alt.Color, alt.Shape]:
    scales, legend = series_scales(names), legend_of(names)
    return (
        alt.Color("series:N", scale=scales["color"], legend=legend, sort=None),
        alt.Shape("series:N", scale=scales["shape"], legend=legend, sort=None),
    )


_STATISTICS = {"average": "average", "p95": "p5", "p99": "p1", "maximum": "minimum", "of_limit": "of_limit"}
"""Statistics in tooltips: of a time the key, of a rate the value."""


def _tips() -> dict[str, Message]:
    return {
        "case": message("views-case"),
        "size": message("views-size"),
        "figure": message("views-median"),
        "average": message("views-average"),
        "p95": message("views-slowest-share", share=Share(0.05)),
        "p99": message("views-slowest-share", share=Share(0.01)),
        "maximum": message("views-slowest"),
        "of_limit": message("views-of-limit"),
    }


def _drawable(point: SizeStatistics, stat: str) -> bool:
    return point.at > 0 and stat in point.values and _number(point.values[stat]) > 0


def _row(words: Words, line: SizeLine, point: SizeStatistics, stat: str, factor: float) -> dict[str, Any]:
    values = point.values
    bound = values.get("limit") or values.get("peak")
    low, high = ((_number(values[end]) / factor if end in values else None) for end in _BAND)
    slow = {tip: tip if line.metric.better == "lower" else other for tip, other in _STATISTICS.items()}
    return {
        "x": point.at,
        "y": _number(values[stat]) / factor,
        "low": low,
        "high": high,
        "limit": _number(bound) / factor if bound and stat == "median" else None,
        "series": line.label,
        "case": line.label,
        "size": quantity(point.at, line.curve.unit),
        "figure": words.fact(values[stat]),
    } | {tip: words.fact(values[name]) if name in values else "–" for tip, name in slow.items()}


def _caption(lines: Sequence[Line], *, banded: bool, limits: bool) -> list[Message]:
    said = [message("views-curve-caption", banded="yes" if banded else "no")]
    if limits:
        sources = list(dict.fromkeys(line.source for line, _ in lines if line.source))
        said.append(message("views-curve-limits", sources=Listed(tuple(sources))))
    if any(point.at == 0 for line, _ in lines for point in line.points):
        said.append(message("views-curve-zero"))
    return said


def overlap_chart(section: ViewSection, overlaps: Sequence[Overlap]) -> Drawn | None:
    """Return the chart; None where there is only one size."""
    words, drawable = section.words, [overlap for overlap in overlaps if overlap.at > 0]
    if len({overlap.at for overlap in drawable}) < 2:
        return None
    names = list(dict.fromkeys(overlap.label for overlap in drawable))
    data: list[dict[str, Any]] = [
        {"x": overlap.at, "y": 100 * overlap.share, "series": overlap.label, "size": overlap.size}
        for overlap in drawable
    ]
    top = nice_ceiling(max(100.0, *(row["y"] for row in data)))
    axis = words(message("views-axis-hidden"))
    y = alt.Y("y:Q", title=axis, scale=alt.Scale(domain=[0, top], nice=False), axis=alt.Axis(tickCount=5))
    colour, shape = _series(names)
    base, x = alt.Chart(inline(data)), _ticked(words(message("views-size")), [overlap.at for overlap in drawable])
    tips = [
        alt.Tooltip("series:N", title=words(message("views-case"))),
        alt.Tooltip("size:N", title=words(message("views-size"))),
        alt.Tooltip("y:Q", format=".1f", title=axis),
    ]
    chart = alt.layer(
        base.mark_line(strokeWidth=1.6).encode(x=x, y=y, color=colour),
        base.mark_point(filled=True, size=34, opacity=1).encode(x=x, y=y, color=colour, shape=shape, tooltip=tips),
    ).properties(width="container", height=HEIGHT)
    least, most = (Share(round(pick(overlap.share for overlap in drawable), 2)) for pick in (min, max))
    said = words(message("views-hidden-drawn", least=least, most=most))
    title = message("views-title-of", benchmark=benchmark_title(section.benchmark), title=message("views-hidden"))
    return Drawn(f"{section.slug}-overlap", words(title), said, said, chart)


def _sizes(words: Words, line: SizeLine, values: list[float]) -> alt.X:
    return _ticked(words(message("views-axis-log", title=along(line.curve.along))), values)


def _ticked(title: str, values: list[float]) -> alt.X:
    """Return an axis with a tick at every n-th size."""
    ordered = sorted(set(values))
    ticks = ordered[:: -(-len(ordered) // _TICKS)]
    names = "".join(f"datum.value == {tick!r} ? '{quantity(tick, 'B').replace('iB', 'i')}' : " for tick in ticks)
    return alt.X(
        "x:Q",
        title=title,
        scale=alt.Scale(type="log", base=2, domain=[ordered[0], ordered[-1]], nice=False),
        axis=alt.Axis(values=ticks, labelExpr=f"{names}''", grid=False, labelOverlap=True, labelSeparation=4),
    )
