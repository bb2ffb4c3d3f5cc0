"""Charts of a prediction's sensitivities (a tornado) and of the errors on published figures."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from banzuke.charts.style import COLOURS, Drawn, inline, legend_of
from banzuke.plan.benchmark import Benchmark
from banzuke.predict.model import BETTER, Forecast
from banzuke.predict.validate import Errors, Summary, Validated
from banzuke.predict.validation_page import title_of
from banzuke.units import count, percent, quantity, scale, span

ROW_HEIGHT = 22
"""Height of a bar and its gap in pixels."""
MOST_BARS = 8
"""Most bars of each kind."""
WORSE, IMPROVED, ASSUMED = "a tenth worse", "a tenth better", "range of what is assumed"
PREDICTED, LINEAR, BASELINE = "predicted", "one node's figure × nodes", "share of the peak that other machines reach"
FARTHEST_RATIO = 4.0
"""Ratio at which the chart of errors ends; points beyond are drawn at its edge."""
LABEL_WIDTH = 420
"""Width of the figures' names in pixels; fallback fonts are wider than the page's."""


def tornado_chart(forecast: Forecast, title: str) -> Drawn:
    """Draw how the figure changes with each described and each assumed number, the largest change first."""
    factor, unit = scale(max(forecast.estimate.figure, forecast.high), forecast.unit)
    rows: list[dict[str, Any]] = []
    names: list[str] = []
    for uncertain in (False, True):
        for swing in [swing for swing in forecast.swings if swing.uncertain is uncertain][:MOST_BARS]:
            names.append(swing.title)
            for end, kind in ((swing.low, WORSE), (swing.high, IMPROVED)):
                rows.append(
                    {
                        "number": swing.title,
                        "from": forecast.estimate.figure / factor,
                        "to": end / factor,
                        "kind": ASSUMED if uncertain else kind,
                    }
                )
    kinds = [kind for kind in (WORSE, IMPROVED, ASSUMED) if any(row["kind"] == kind for row in rows)]
    colours = {WORSE: COLOURS[1], IMPROVED: COLOURS[0], ASSUMED: COLOURS[6]}
    ends = [row["to"] for row in rows] + [forecast.low / factor, forecast.high / factor]
    room = 0.06 * (max(ends) - min(ends)) or 0.05 * max(ends)
    x = alt.Scale(domain=[max(0.0, min(ends) - room), max(ends) + room], nice=False, zero=False)
    y = alt.Y("number:N", sort=names, title=None, axis=alt.Axis(labelLimit=330, ticks=False, domain=False))
    bars = (
        alt.Chart(inline(rows))
        .mark_bar(height=ROW_HEIGHT - 9)
        .encode(
            y=y,
            x=alt.X("from:Q", title=unit, scale=x),
            x2=alt.X2("to:Q"),
            color=alt.Color(
                "kind:N",
                sort=None,
                scale=alt.Scale(domain=kinds, range=[colours[kind] for kind in kinds]),
                legend=alt.Legend(columns=3, symbolType="square", symbolOpacity=1, offset=12, labelLimit=330),
            ),
        )
    )
    middle = {"figure": forecast.estimate.figure / factor, "low": forecast.low / factor, "high": forecast.high / factor}
    figure = alt.Chart(inline([middle])).mark_rule(color="var(--ink)").encode(x=alt.X("figure:Q"))
    band = alt.Chart(inline([middle])).mark_rect(color="var(--hair)").encode(x=alt.X("low:Q"), x2=alt.X2("high:Q"))
    chart = alt.layer(band, bars, figure).properties(width="container", height=ROW_HEIGHT * max(1, len(names)))
    caption = (
        f"{title} on {count(forecast.nodes, 'node')} of {forecast.of}: "
        f"{quantity(forecast.estimate.figure, forecast.unit)}, likely "
        f"{span(forecast.low, forecast.high, forecast.unit)} (shaded). Bars: the figure if a described number were "
        f"{percent(BETTER - 1)} worse or better, and at the ends of the range of each assumed one."
    )
    ranges = "; ".join(
        f"{swing.title}: {span(min(swing.low, swing.high), max(swing.low, swing.high), forecast.unit)}"
        for swing in forecast.swings[: 2 * MOST_BARS]
    )
    return Drawn("tornado", "What moves the figure", f"{caption} {ranges}.", caption, chart)


def errors_chart(
    figures: Sequence[Validated], summaries: Sequence[Summary], benchmarks: Mapping[str, Benchmark]
) -> Drawn:
    """Draw the ratio of predicted to published for each figure; 1 means that they agree."""
    rows: list[dict[str, Any]] = []
    spans: list[dict[str, Any]] = []
    labels: list[str] = []
    for figure in figures:
        if figure.forecast is None or figure.printed is None:
            continue
        label = _distinct_label(f"{title_of(figure, benchmarks)}, {figure.name}, {figure.what}", labels)
        labels.append(label)
        for kind, error in ((BASELINE, figure.baseline_error), (LINEAR, figure.naive_error), (PREDICTED, figure.error)):
            if error is not None:
                rows.append({"figure": label, "ratio": _clipped(1 + error), "kind": kind})
        low, high = figure.forecast.low / figure.printed, figure.forecast.high / figure.printed
        spans.append({"figure": label, "low": _clipped(low), "high": _clipped(high)})
    kinds = [kind for kind in (PREDICTED, LINEAR, BASELINE) if any(row["kind"] == kind for row in rows)]
    drawn = {PREDICTED: (COLOURS[0], "circle"), LINEAR: (COLOURS[1], "triangle-up"), BASELINE: (COLOURS[6], "diamond")}
    log = alt.Scale(type="log", domain=[1 / FARTHEST_RATIO, FARTHEST_RATIO], nice=False)
    x = alt.X(
        "ratio:Q",
        title="over what is published, log scale",
        scale=log,
        axis=alt.Axis(values=[0.25, 0.5, 0.8, 1, 1.25, 2, 4], format="~g"),
    )
    axis = alt.Axis(minExtent=LABEL_WIDTH, labelLimit=LABEL_WIDTH, ticks=False, domain=False, grid=True)
    y = alt.Y("figure:N", sort=labels, title=None, axis=axis)
    interval = (
        alt.Chart(inline(spans))
        .mark_rule(strokeWidth=5, color=COLOURS[0], opacity=0.3)
        .encode(y=y, x=alt.X("low:Q", scale=log), x2=alt.X2("high:Q"))
    )
    colours, shapes = (alt.Scale(domain=kinds, range=[drawn[kind][i] for kind in kinds]) for i in (0, 1))
    points = (
        alt.Chart(inline(rows))
        .mark_point(filled=True, size=46, opacity=1)
        .encode(
            y=y,
            x=x,
            color=alt.Color("kind:N", sort=None, scale=colours, legend=legend_of(kinds)),
            shape=alt.Shape("kind:N", sort=None, scale=shapes),
        )
    )
    exact = alt.Chart(inline([{"ratio": 1}])).mark_rule(color="var(--ink)").encode(x=alt.X("ratio:Q"))
    chart = alt.layer(exact, interval, points).properties(width="container", height=16 * max(1, len(labels)))
    caption = "Predictions over published figures, with their intervals; 1: they meet."
    medians = "; ".join(
        f"{benchmarks[summary.benchmark].title}: {_median_text(summary.model, PREDICTED)}"
        + "".join(
            f", {_median_text(errors, kind)}"
            for errors, kind in ((summary.linear, LINEAR), (summary.baseline, BASELINE))
            if errors
        )
        for summary in summaries
    )
    return Drawn("validation", "Predicted and published", f"{caption} Median errors: {medians}.", caption, chart)


def _median_text(errors: Errors, kind: str) -> str:
    return f"{percent(errors.median, 2)} {kind}"


def _distinct_label(label: str, taken: Sequence[str]) -> str:
    """Return a label that is not yet taken, because rows with equal labels would merge."""
    number = sum(name == label or name.startswith(f"{label} (") for name in taken)
    return f"{label} ({number + 1})" if number else label


def _clipped(ratio: float) -> float:
    return min(FARTHEST_RATIO, max(1 / FARTHEST_RATIO, ratio)) if math.isfinite(ratio) else FARTHEST_RATIO
