"""Slowdown by noise over the number of ranks that wait for each other."""

import math
from collections.abc import Sequence
from typing import Any

import altair as alt

from banzuke.charts.place import decades
from banzuke.charts.style import HEIGHT, Drawn, inline, legend_of, series_scales
from banzuke.predict.noise import Delays, PeriodicNoise
from banzuke.units import number, percent, quantity

_POINTS = 12
"""For each power of ten."""
_FORMULA, _DISTRIBUTION = "the formula", "the measured distribution"
_DECADES = 7
"""Below the highest slowdown that are drawn."""

Curve = tuple[str, PeriodicNoise | None, Delays | None]
"""Its name, and the noise as the formula takes it and as it was measured."""


def slowdown_chart(curves: Sequence[Curve], period: float, marks: Sequence[float], largest: int) -> Drawn:
    """`marks`: slowdowns drawn as lines. Of several curves the colours tell which, and the dashes by what."""
    steps = round(math.log10(largest) * _POINTS)
    counts = sorted({round(10 ** (i / _POINTS)) for i in range(steps + 1)})
    rows: list[dict[str, Any]] = []
    for name, noise, delays in curves:
        for count in counts:
            if noise:
                rows.append({"ranks": count, "slowdown": noise.slowdown(count, period), "by": _FORMULA, "of": name})
            if delays:
                rows.append({"ranks": count, "slowdown": delays.slowdown(count), "by": _DISTRIBUTION, "of": name})
    rows = [row for row in rows if row["slowdown"] > 0]
    several = len(curves) > 1
    colour = "of" if several else "by"
    names, ways = (list(dict.fromkeys(row[key] for row in rows)) for key in (colour, "by"))
    highest = max([*marks, *(row["slowdown"] for row in rows)])
    domain = [max(highest * 10**-_DECADES, min([*marks, *(row["slowdown"] for row in rows)])), highest * 1.5]
    log = alt.Scale(type="log", domain=domain, nice=False, clamp=True)
    ticks = [10**power for power in range(round(math.log10(largest)) + 1)]
    line = (
        alt.Chart(inline(rows))
        .mark_line(strokeWidth=2)
        .encode(
            x=alt.X(
                "ranks:Q",
                title="synchronising ranks",
                scale=alt.Scale(type="log", domain=[1, largest], nice=False),
                axis=alt.Axis(format="~s", values=ticks),
            ),
            y=alt.Y(
                "slowdown:Q",
                title="slowdown, log scale",
                scale=log,
                axis=alt.Axis(format=",~%", values=decades(*domain)),
            ),
            color=alt.Color(
                f"{colour}:N", sort=None, scale=series_scales(names)["color"], legend=legend_of(names, "stroke")
            ),
            strokeDash=alt.StrokeDash(
                "by:N",
                sort=None,
                scale=series_scales(ways[::-1])["dash"],
                legend=alt.Legend(columns=1, symbolType="stroke", offset=26) if several else None,
            ),
            detail="of:N",
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
    first = curves[0][1]
    of = (
        f"Noise of {quantity(first.length, 's')} every {quantity(first.interval, 's')}; "
        if first and not several
        else ""
    )
    caption = f"{of}{'R' if not of else 'r'}anks synchronise every {quantity(period, 's')}."
    last = {(row["of"], row["by"]): row for row in rows}
    told = "; ".join(
        f"{name + ': ' if several else ''}{percent(row['slowdown'])} at {number(row['ranks'])} ranks by {by}"
        for (name, by), row in last.items()
    )
    return Drawn("slowdown", "Slowdown by noise", f"{caption} {told or 'There is no noise'}.", caption, chart)
