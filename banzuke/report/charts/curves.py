"""Figures over message sizes, one line a case, on logarithmic scales; and how much of an operation is hidden."""

from math import sqrt
from typing import Any

import altair as alt

from banzuke.charts.place import decades, nice_ceiling
from banzuke.charts.style import COLOURS, HEIGHT, SHAPES, Drawn, inline, legend_of
from banzuke.report.content import Section
from banzuke.report.curve_content import At, CurveSet, Line, Overlap
from banzuke.units import count, quantity, scale

_BANDED = 3
"""More bands than these cover each other."""
_LIMITED = 4
_BAND = ("p5", "p95")
_TICKS = 8
RATES = 2
"""Ranks above which several pairs share the way, so that the rate of messages is of interest."""


def curve_charts(section: Section, group: CurveSet) -> list[Drawn]:
    """None where no size can be drawn: a barrier has none."""
    name = f"{section.slug}-over-{group.slug}"
    drawn = [_chart(name, f"{section.title}: {_lower(group.title)}", group, "median", group.unit)]
    ranks = {case.id: int(case.settings["ranks"]) for case in section.cases}
    if any(
        ranks[line.case] > RATES and "message_rate" in point.values for line in group.lines for point in line.points
    ):
        title = _lower(group.title).replace(_lower(group.lines[0].title), "message rate")
        drawn.append(_chart(f"{name}-messages", f"{section.title}: {title}", group, "message_rate", "1/s"))
    return [chart for chart in drawn if chart]


def _lower(title: str) -> str:
    return title[0].lower() + title[1:]


def _chart(name: str, title: str, group: CurveSet, stat: str, unit: str) -> Drawn | None:
    lines = [(line, [point for point in line.points if _drawable(point, stat)]) for line in group.lines]
    lines = [(line, points) for line, points in lines if len(points) > 1]
    if not lines:
        return None
    figures = [point.values[stat].value for _, points in lines for point in points]
    factor, shown = scale(max(figures) if unit.endswith("/s") else sqrt(min(figures) * max(figures)), unit)
    names = [line.label for line, _ in lines]
    rows = [_row(line, point, stat, factor) for line, points in lines for point in points]
    limits = [row for row in rows if row["limit"] is not None] if len(lines) <= _LIMITED and stat == "median" else []
    banded = len(lines) <= _BANDED and stat == "median" and any(row["low"] is not None for row in rows)
    heights = [row["y"] for row in rows] + [row["limit"] for row in limits]
    heights += [row[end] for row in rows for end in ("low", "high") if banded and row[end]]
    x, domain = _sizes([row["x"] for row in rows]), [min(heights) / 1.4, max(heights) * 1.4]
    y = alt.Y(
        "y:Q",
        title=f"{shown.replace('1/s', ' messages/s')}, log scale",
        scale=alt.Scale(type="log", domain=domain, nice=False),
        axis=alt.Axis(values=decades(*domain)),
    )
    legend = legend_of(names)
    colour = alt.Color(
        "series:N", scale=alt.Scale(domain=names, range=_cycle(COLOURS, names)), legend=legend, sort=None
    )
    shape = alt.Shape("series:N", scale=alt.Scale(domain=names, range=_cycle(SHAPES, names)), legend=legend, sort=None)
    base = alt.Chart(inline(rows))
    layers: list[Any] = []
    if banded:
        band = base.transform_filter("datum.low != null").mark_area(opacity=0.18)
        layers.append(band.encode(x=x, y=alt.Y("low:Q"), y2="high:Q", color=colour))
    if limits:
        dashed = alt.Chart(inline(limits)).mark_line(strokeDash=[5, 4], strokeWidth=1.2)
        layers.append(dashed.encode(x=x, y="limit:Q", color=colour))
    layers.append(base.mark_line(strokeWidth=1.6).encode(x=x, y=y, color=colour))
    tips = [alt.Tooltip(f"{field}:N") for field in ("case", "size", "figure", *_TIPS)]
    points = base.mark_point(filled=True, size=34, opacity=1)
    layers.append(points.encode(x=x, y=y, color=colour, shape=shape, tooltip=tips))
    chart = alt.layer(*layers).properties(width="container", height=HEIGHT + 40)
    caption = _caption(lines, banded=banded, limits=bool(limits))
    told = f"{title}: {count(len(lines), 'line')}, "
    told += f"from {_text(min(figures), unit)} to {_text(max(figures), unit)}."
    return Drawn(name, title, told, caption, chart)


_TIPS = {"average": "average", "slowest 5%": "p95", "slowest 1%": "p99", "slowest": "maximum", "of limit": "of_limit"}
"""What a pointer is told, and the statistic of a time that it is; of a rate the other end."""
_OTHER_END = {"p95": "p5", "p99": "p1", "maximum": "minimum"}


def _drawable(point: At, stat: str) -> bool:
    return point.at > 0 and stat in point.values and point.values[stat].value > 0


def _row(line: Line, point: At, stat: str, factor: float) -> dict[str, Any]:
    values = point.values
    bound = values.get("limit") or values.get("peak")
    tips = {title: name if line.better == "lower" else _OTHER_END.get(name, name) for title, name in _TIPS.items()}
    return {
        "x": point.at,
        "y": values[stat].value / factor,
        "low": values[_BAND[0]].value / factor if _BAND[0] in values else None,
        "high": values[_BAND[1]].value / factor if _BAND[1] in values else None,
        "limit": bound.value / factor if bound and stat == "median" else None,
        "series": line.label,
        "case": line.label,
        "size": point.text,
        "figure": values[stat].text,
    } | {title: values[name].text if name in values else "–" for title, name in tips.items()}


def _caption(lines: list[tuple[Line, list[At]]], *, banded: bool, limits: bool) -> str:
    said = ["Medians" + ("; the band holds the middle 90% of the samples." if banded else ".")]
    if limits:
        sources = list(dict.fromkeys(line.source for line, _ in lines if line.source))
        said.append(f"Dashed: {' or '.join(sources)}.")
    if any(point.at == 0 for line, _ in lines for point in line.points):
        said.append("0 B is in the table.")
    return " ".join(said)


def overlap_chart(section: Section, rows: list[Overlap]) -> Drawn | None:
    """None where there is one size only."""
    told = [row for row in rows if row.at > 0]
    if len({row.at for row in told}) < 2:
        return None
    names = list(dict.fromkeys(row.label for row in told))
    data: list[dict[str, Any]] = [
        {"x": row.at, "y": 100 * row.share.value, "series": row.label, "size": row.text} for row in told
    ]
    top = nice_ceiling(max(100.0, *(row["y"] for row in data)))
    y = alt.Y("y:Q", title="% hidden", scale=alt.Scale(domain=[0, top], nice=False), axis=alt.Axis(tickCount=5))
    legend = legend_of(names)
    colour = alt.Color(
        "series:N", scale=alt.Scale(domain=names, range=_cycle(COLOURS, names)), legend=legend, sort=None
    )
    shape = alt.Shape("series:N", scale=alt.Scale(domain=names, range=_cycle(SHAPES, names)), legend=legend, sort=None)
    base, x = alt.Chart(inline(data)), _sizes([row.at for row in told])
    tips = [alt.Tooltip("series:N"), alt.Tooltip("size:N"), alt.Tooltip("y:Q", format=".1f", title="% hidden")]
    chart = alt.layer(
        base.mark_line(strokeWidth=1.6).encode(x=x, y=y, color=colour),
        base.mark_point(filled=True, size=34, opacity=1).encode(x=x, y=y, color=colour, shape=shape, tooltip=tips),
    ).properties(width="container", height=HEIGHT)
    least, most = (pick(row.share.value for row in told) for pick in (min, max))
    description = f"From {100 * least:.0f}% to {100 * most:.0f}% of the communication is hidden behind computation."
    title = f"{section.title}: communication hidden behind computation"
    return Drawn(f"{section.slug}-overlap", title, description, description, chart)


def _text(value: float, unit: str) -> str:
    return quantity(value, unit).replace("1/s", " messages/s")


def _sizes(values: list[float]) -> alt.X:
    """Ticks at every so many powers of two."""
    ordered = sorted(set(values))
    step = -(-len(ordered) // _TICKS)
    ticks = ordered[::step]
    names = "".join(f"datum.value == {tick!r} ? '{quantity(tick, 'B').replace('iB', 'i')}' : " for tick in ticks)
    return alt.X(
        "x:Q",
        title="message size, log scale",
        scale=alt.Scale(type="log", base=2, domain=[ordered[0], ordered[-1]], nice=False),
        axis=alt.Axis(values=ticks, labelExpr=f"{names}''", grid=False, labelOverlap=True, labelSeparation=4),
    )


def _cycle(values: list[str], names: list[str]) -> list[str]:
    return [values[index % len(values)] for index in range(len(names))]
