"""Charts of the effect of an axis: one row per benchmark's figure, one mark per value."""

from dataclasses import dataclass
from typing import Any

import altair as alt

from banzuke.charts.place import decades
from banzuke.charts.style import Drawn, inline, series_scales
from banzuke.words import Listed, message
from banzuke.words.language import Words

_ROW = 34
"""Height of a row, whose label has two lines."""
_FAR = 3.0
"""Ratio, or its inverse, from which figures get a chart of their own with a logarithmic axis."""


@dataclass(frozen=True)
class Mark:
    """A headline figure with one value of the axis."""

    value: str
    figure: str
    ratio: float | None
    """Ratio to the reference figure, above 1 if better; None: not comparable, or meaningless."""
    interval: tuple[float, float] | None
    """95% interval of the ratio; None: there is one launch."""
    said: str
    all: tuple[float, float] | None
    """Smallest and largest ratio over all cases of the benchmark; None: there is one case."""


@dataclass(frozen=True)
class Compared:
    """One figure of a headline case with all values of an axis."""

    title: str
    anchor: str
    against: str
    """Name of the reference value: the usual value, or the first one."""
    reference: str
    marks: tuple[Mark, ...]


@dataclass(frozen=True)
class Varied:
    """The effects of all values of an axis."""

    title: str
    slug: str
    against: str
    values: tuple[str, ...]
    """Values without the reference."""
    figures: tuple[Compared, ...]


def variant_charts(varied: Varied, words: Words, prefix: str) -> list[Drawn]:
    """Return a chart of figures that the axis changes little, and one of those that it changes much, such as noise."""
    rows: list[dict[str, Any]] = [
        {
            "row": figure.title,
            "series": mark.value,
            "x": mark.ratio,
            "low": mark.interval[0] if mark.interval else None,
            "high": mark.interval[1] if mark.interval else None,
            "figure": mark.figure,
            "against": f"{figure.against}: {figure.reference}",
            "said": mark.said,
        }
        for figure in varied.figures
        for mark in figure.marks
        if mark.ratio is not None
    ]
    far = {row["row"] for row in rows if not 1 / _FAR < row["x"] < _FAR}
    near_rows, far_rows = ([row for row in rows if (row["row"] in far) == apart] for apart in (False, True))
    identity = f"{prefix}axis-{varied.slug}"
    title = words(message("report-axis-title", title=varied.title, against=varied.against))
    drawn = [_chart(identity, title, near_rows, varied, words, wide=False)] if near_rows else []
    more = words(message("report-axis-far", title=title)) if drawn else title
    return drawn + ([_chart(f"{identity}-far", more, far_rows, varied, words, wide=True)] if far_rows else [])


def _chart(identity: str, title: str, rows: list[dict[str, Any]], varied: Varied, words: Words, *, wide: bool) -> Drawn:
    names = [name for name in varied.values if any(row["series"] == name for row in rows)]
    order = list(dict.fromkeys(row["row"] for row in rows))
    ends = [value for row in rows for value in (row["x"], row["low"], row["high"]) if value] + [1.0]
    margin = 0.06 * (max(ends) - min(ends)) + 0.01
    domain = [min(ends) / 1.3, max(ends) * 1.3] if wide else [max(0.0, min(ends) - margin), max(ends) + margin]
    x_scale = (
        alt.Scale(type="log", domain=domain, nice=False)
        if wide
        else alt.Scale(type="linear", domain=domain, nice=False, zero=False)
    )
    scale = "log" if wide else "linear"
    axis_title = words(message("report-axis-x", against=varied.against, scale=scale))
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
    fields = {
        "series": varied.title,
        "figure": words(message("report-figure")),
        "against": words(message("report-axis-against")),
        "said": words(message("report-verdict")),
    }
    tips = [alt.Tooltip(f"{field}:N", title=title_) for field, title_ in fields.items()]
    base = alt.Chart(inline(rows))
    rule = (
        alt.Chart(inline([{"x": 1.0}]))
        .mark_rule(color="var(--faint)", strokeDash=[4, 3])
        .encode(x=alt.X("x:Q", scale=x_scale))
    )
    layers: list[Any] = [rule]
    if any(row["low"] is not None for row in rows):
        lines = base.transform_filter("datum.low != null").mark_rule(strokeWidth=2, opacity=0.6)
        layers.append(
            lines.encode(x=alt.X("low:Q", scale=x_scale), x2=alt.X2("high:Q"), y=y, yOffset=offset, color=colour)
        )
    points = base.mark_point(filled=True, size=55, opacity=1)
    layers.append(points.encode(x=x, y=y, yOffset=offset, color=colour, shape=shape, tooltip=tips))
    height = max(_ROW, 12 * len(names) + 8) * len(order)
    worst = min(rows, key=lambda row: float(row["x"]))
    description = message(
        "report-axis-description",
        title=title,
        number=len(order),
        values=Listed(tuple(names)),
        worst=float(worst["x"]),
        against=varied.against,
        of=str(worst["row"]),
        series=str(worst["series"]),
    )
    caption = message("report-axis-chart-caption", against=varied.against)
    chart = alt.layer(*layers).properties(width="container", height=height)
    return Drawn(identity, title, words(description), words(caption), chart)
