"""Slowdown by noise over the number of ranks that wait for each other."""

import math
from collections.abc import Sequence
from typing import Any

import altair as alt

from banzuke.predict.noise import Delays, Noise
from banzuke.report.charts.style import HEIGHT, Drawn, inline, series_scales
from banzuke.units import number, percent, quantity

_POINTS = 12
"""For each power of ten."""
_FORMULA, _DISTRIBUTION = "the formula", "the measured distribution"


def slowdown_chart(
    noise: Noise | None, delays: Delays | None, period: float, marks: Sequence[float], largest: int
) -> Drawn:
    """`marks`: slowdowns drawn as lines."""
    decades = math.log10(largest)
    counts = sorted({round(10 ** (i / _POINTS)) for i in range(round(decades * _POINTS) + 1)})
    rows: list[dict[str, Any]] = []
    for count in counts:
        if noise:
            rows.append({"ranks": count, "slowdown": noise.slowdown(count, period), "by": _FORMULA})
        if delays:
            rows.append({"ranks": count, "slowdown": delays.slowdown(count), "by": _DISTRIBUTION})
    rows = [row for row in rows if row["slowdown"] > 0]
    names = list(dict.fromkeys(row["by"] for row in rows))
    scales = series_scales(names)
    line = (
        alt.Chart(inline(rows))
        .mark_line(strokeWidth=2)
        .encode(
            x=alt.X("ranks:Q", title="synchronising ranks", scale=alt.Scale(type="log"), axis=alt.Axis(format="~s")),
            y=alt.Y("slowdown:Q", title="slowdown", scale=alt.Scale(type="log"), axis=alt.Axis(format="~%")),
            color=alt.Color("by:N", title=None, scale=scales["color"], legend=alt.Legend(orient="top")),
            strokeDash=alt.StrokeDash("by:N", title=None, scale=scales["dash"]),
        )
    )
    marked = [{"slowdown": mark, "text": percent(mark)} for mark in marks]
    rule = alt.Chart(inline(marked)).mark_rule(color="var(--faint)", strokeDash=[4, 3]).encode(y="slowdown:Q")
    text = (
        alt.Chart(inline(marked))
        .mark_text(align="left", dx=4, dy=-6, color="var(--soft)")
        .encode(y="slowdown:Q", x=alt.value(0), text="text:N")
    )
    chart = alt.layer(rule, text, line).properties(width="container", height=HEIGHT)
    of = f"noise of {quantity(noise.length, 's')} every {quantity(noise.interval, 's')}; " if noise else ""
    caption = f"{of[:1].upper()}{of[1:]}ranks synchronise every {quantity(period, 's')}."
    last = {row["by"]: row for row in rows}
    told = "; ".join(f"{percent(row['slowdown'])} at {number(row['ranks'])} ranks by {by}" for by, row in last.items())
    return Drawn("slowdown", "Slowdown by noise", f"{caption} {told or 'There is no noise'}.", caption, chart)
