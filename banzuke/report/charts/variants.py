"""What each value of an axis does: one row a benchmark's figure, one mark a value."""

from typing import Any

import altair as alt

from banzuke.charts.place import decades
from banzuke.charts.style import Drawn, inline, series_scales
from banzuke.report.varied_content import Varied
from banzuke.units import count, number

_ROW = 34
"""Its label has two lines."""
_FAR = 3.0
"""Times the reference, better or worse, from which a figure is drawn apart from the others, on a logarithmic axis."""


def varied_charts(found: Varied) -> list[Drawn]:
    """Figures that the axis changes a little, and those that it changes a lot, such as noise."""
    rows: list[dict[str, Any]] = [
        {
            "row": headline.title,
            "series": mark.value,
            "x": mark.ratio.value,
            "low": mark.low,
            "high": mark.high,
            "figure": mark.figure.text,
            "against": f"{headline.against}: {headline.reference.text}",
            "said": mark.said,
        }
        for headline in found.headlines
        for mark in headline.marks
        if mark.drawn and mark.ratio
    ]
    far = {row["row"] for row in rows if not 1 / _FAR < row["x"] < _FAR}
    title = f"{found.title}, against {found.against}"
    near_rows, far_rows = ([row for row in rows if (row["row"] in far) == apart] for apart in (False, True))
    drawn = [_chart(f"axis-{found.slug}", title, near_rows, found, wide=False)] if near_rows else []
    more = f"{title}: the largest differences" if drawn else title
    return drawn + ([_chart(f"axis-{found.slug}-far", more, far_rows, found, wide=True)] if far_rows else [])


def _chart(identity: str, title: str, rows: list[dict[str, Any]], found: Varied, *, wide: bool) -> Drawn:
    names = [name for name in found.values if any(row["series"] == name for row in rows)]
    order = list(dict.fromkeys(row["row"] for row in rows))
    ends = [value for row in rows for value in (row["x"], row["low"], row["high"]) if value] + [1.0]
    margin = 0.06 * (max(ends) - min(ends)) + 0.01
    domain = [min(ends) / 1.3, max(ends) * 1.3] if wide else [max(0.0, min(ends) - margin), max(ends) + margin]
    x_scale = (
        alt.Scale(type="log", domain=domain, nice=False)
        if wide
        else alt.Scale(type="linear", domain=domain, nice=False, zero=False)
    )
    axis_title = f"times {found.against}{', log scale' if wide else ''}: right of 1 better, left of it worse"
    axis = alt.Axis(values=decades(*domain), format=",~g") if wide else alt.Axis(tickCount=6, format=".3~g")
    x = alt.X("x:Q", title=axis_title, scale=x_scale, axis=axis)
    y = alt.Y(
        "row:N",
        sort=order,
        title=None,
        axis=alt.Axis(
            domain=False,
            ticks=False,
            grid=True,
            labelColor="var(--ink)",
            labelExpr="split(datum.label, ': ')",
        ),
    )
    offset = alt.YOffset("series:N", sort=names, scale=alt.Scale(padding=0.5))
    scales = series_scales(names)
    legend = alt.Legend(columns=3, offset=26, symbolOpacity=1)
    colour = alt.Color("series:N", scale=scales["color"], legend=legend, sort=None)
    shape = alt.Shape("series:N", scale=scales["shape"], legend=legend, sort=None)
    fields = {"series": found.title.lower(), "figure": "figure", "against": "against", "said": "so"}
    tips = [alt.Tooltip(f"{field}:N", title=told) for field, told in fields.items()]
    base = alt.Chart(inline(rows))
    one = (
        alt.Chart(inline([{"x": 1.0}]))
        .mark_rule(color="var(--faint)", strokeDash=[4, 3])
        .encode(x=alt.X("x:Q", scale=x_scale))
    )
    layers: list[Any] = [one]
    if any(row["low"] is not None for row in rows):
        lines = base.transform_filter("datum.low != null").mark_rule(strokeWidth=2, opacity=0.6)
        layers.append(lines.encode(x=alt.X("low:Q", scale=x_scale), x2="high:Q", y=y, yOffset=offset, color=colour))
    points = base.mark_point(filled=True, size=55, opacity=1)
    layers.append(points.encode(x=x, y=y, yOffset=offset, color=colour, shape=shape, tooltip=tips))
    height = max(_ROW, 12 * len(names) + 8) * len(order)
    worst = min(rows, key=lambda row: float(row["x"]))
    told = f"{title}: {count(len(order), 'figure')} with {', '.join(names)}. "
    told += f"The lowest is {number(worst['x'])} times {found.against}, {worst['row']} with {worst['series']}."
    caption = (
        f"The headline figure of each benchmark over that with {found.against}; the lines are 95% intervals, "
        "where there are several launches."
    )
    chart = alt.layer(*layers).properties(width="container", height=height)
    return Drawn(identity, title, told, caption, chart)
