"""Draws the slowdown by noise over the number of ranks that wait for each other, and over their nodes."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import altair as alt

from banzuke.charts.place import decades
from banzuke.charts.style import HEIGHT, Drawn, inline, legend_of, series_scales
from banzuke.slowdown.prediction import NoisePrediction
from banzuke.units import count, number, percent, quantity

_POINTS = 12
"""Number for each power of ten."""
_FORMULA, _DISTRIBUTION = "the formula", "the measured distribution"
_DECADES = 7
"""Number of decades below the highest slowdown that are drawn."""


def slowdown_chart(
    predictions: Sequence[NoisePrediction], marks: Sequence[float], largest: int, ranks_per_node: int | None = None
) -> Drawn:
    """Draw a curve for each prediction. `marks`: slowdowns drawn as lines. `ranks_per_node`: adds the number of nodes
    below each number of ranks.

    Colours distinguish periods, or else noises, and dashes distinguish noises or ways of predicting; for several
    periods with several noises, only the best way is drawn.
    """
    several = [
        len({id(prediction.source) for prediction in predictions}) > 1,
        len({prediction.period for prediction in predictions}) > 1,
    ]
    rows = [row for prediction in predictions for row in _rows(prediction, largest, every_way=not all(several))]
    colour, dash = (
        ("period", "of") if all(several) else ("period" if several[1] else "of" if several[0] else "by", "by")
    )
    names, dashes = (list(dict.fromkeys(row[key] for row in rows)) for key in (colour, dash))
    highest = max([*marks, *(row["slowdown"] for row in rows)])
    domain = [max(highest * 10**-_DECADES, min([*marks, *(row["slowdown"] for row in rows)])), highest * 1.5]
    line = (
        alt.Chart(inline(rows))
        .mark_line(strokeWidth=2)
        .encode(
            x=_ranks(largest, ranks_per_node),
            y=alt.Y(
                "slowdown:Q",
                title="slowdown, log scale",
                scale=alt.Scale(type="log", domain=domain, nice=False, clamp=True),
                axis=alt.Axis(format=",~%", values=decades(*domain)),
            ),
            color=alt.Color(
                f"{colour}:N", sort=None, scale=series_scales(names)["color"], legend=legend_of(names, "stroke")
            ),
            strokeDash=alt.StrokeDash(
                f"{dash}:N",
                sort=None,
                scale=series_scales(dashes[::-1] if dash == "by" else dashes)["dash"],
                legend=alt.Legend(columns=1, symbolType="stroke", offset=26) if any(several) else None,
            ),
            detail=[alt.Detail("period:N"), alt.Detail("of:N"), alt.Detail("by:N")],
        )
    )
    marked = [{"slowdown": mark, "text": percent(mark)} for mark in marks]
    rule = alt.Chart(inline(marked)).mark_rule(color="var(--faint)", strokeDash=[4, 3]).encode(y=alt.Y("slowdown:Q"))
    text = (
        alt.Chart(inline(marked))
        .mark_text(align="left", dx=4, dy=-6, color="var(--soft)")
        .encode(y=alt.Y("slowdown:Q"), x=alt.value(0), text=alt.Text("text:N"))
    )
    chart = alt.layer(rule, text, line).properties(width="container", height=HEIGHT)
    caption = _caption(predictions, several)
    last = {(row["period"], row["of"], row["by"]): row for row in rows}
    ends = "; ".join(
        f"{_curve_name(row, several)}{percent(row['slowdown'])} at {number(row['ranks'])} ranks by {by}"
        for (*_, by), row in last.items()
    )
    return Drawn("slowdown", "Slowdown by noise", f"{caption} {ends or 'There is no noise'}.", caption, chart)


def _rows(prediction: NoisePrediction, largest: int, *, every_way: bool) -> list[dict[str, Any]]:
    steps = round(math.log10(largest) * _POINTS)
    ways: dict[str, Callable[[int], float]] = {}
    if prediction.delays:
        ways[_DISTRIBUTION] = prediction.delays.slowdown
    if (noise := prediction.holds) and (every_way or not ways):
        ways = {_FORMULA: lambda ranks: noise.slowdown(ranks, prediction.period.seconds), **ways}
    labels = {"period": prediction.period.label, "of": prediction.source.name}
    return [
        {"ranks": ranks, "slowdown": slowdown, "by": by, **labels}
        for ranks in sorted({round(10 ** (step / _POINTS)) for step in range(steps + 1)})
        for by, way in ways.items()
        if (slowdown := way(ranks)) > 0
    ]


def _ranks(largest: int, ranks_per_node: int | None) -> alt.X:
    first = ranks_per_node or 1
    ticks = [first * 10**power for power in range(round(math.log10(largest)) + 1) if first * 10**power <= largest]
    labels = (
        f"[format(datum.value, '~s'), format(datum.value / {ranks_per_node}, '~s')]"
        if ranks_per_node
        else alt.Undefined
    )
    return alt.X(
        "ranks:Q",
        title=f"synchronising ranks; below them, nodes of {count(ranks_per_node, 'rank')}"
        if ranks_per_node
        else "synchronising ranks",
        scale=alt.Scale(type="log", domain=[1, largest], nice=False),
        axis=alt.Axis(format="~s", values=ticks, labelExpr=labels),
    )


def _caption(predictions: Sequence[NoisePrediction], several: Sequence[bool]) -> str:
    """Return what the legend does not say."""
    noise, period = predictions[0].source.periodic, predictions[0].period
    parts = []
    if noise and not several[0]:
        parts.append(f"noise of {quantity(noise.length, 's')} every {quantity(noise.interval, 's')}")
    if not several[1]:
        whose = f" of {period.application}" if period.application else ""
        parts.append(f"ranks{whose} synchronise every {quantity(period.seconds, 's')}")
    if all(several):
        parts.append("by the measured distributions")
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _curve_name(row: Mapping[str, Any], several: Sequence[bool]) -> str:
    parts = [row[key] for key, many in (("of", several[0]), ("period", several[1])) if many]
    return f"{', '.join(parts)}: " if parts else ""
