"""Chart of all samples of every case, as their distance from the case's median."""

import math
from collections.abc import Sequence
from typing import Any

import altair as alt

from banzuke.charts.style import Drawn, inline
from banzuke.compare.settings import settings, telling
from banzuke.judge.model import Figure
from banzuke.report.chapter import Chapter, figure_title
from banzuke.report.figures import interval
from banzuke.report.settings import label_of
from banzuke.views.view import ViewCase
from banzuke.words import message
from banzuke.words.language import Words

_ALL_METRICS = 24
"""Most rows with which all metrics are drawn, rather than headlines only."""
_MOST_ROWS = 60
_MOST_MARKS = 80
WIDEST = 1.25
"""Factor on the farthest sample of either side at which an interval is cut."""
_AXIS = alt.Axis(
    tickCount=7,
    labelExpr="datum.value == 0 ? '0' : format(datum.value, '+.3~g')",
    labelOverlap=True,  # the rows' names leave little width on a telephone, and labels might overlap
    labelSeparation=6,
    titleAnchor="end",
)


def samples_chart(chapter: Chapter, words: Words) -> Drawn | None:
    """Return the chart; None where no case has more than one sample."""
    entries = [
        (case, figure)
        for case in chapter.cases
        for figure in case.assessment.figures
        if len(figure.samples) > 1 and figure.value and all(map(math.isfinite, figure.samples))
    ]
    if not entries:
        return None
    all_entries = len(entries)
    if len(entries) > _ALL_METRICS:
        entries = [pair for pair in entries if pair[1].headline] or entries
    entries = entries[:_MOST_ROWS]
    several = len({figure.metric for _, figure in entries}) > 1
    told_apart = telling([settings(case.assessment.record) for case, _ in entries])
    labels = [_label(chapter, case, figure, told_apart, words, several_metrics=several) for case, figure in entries]
    labels = [
        f"{label} ({labels[:i].count(label) + 1})" if label in labels[:i] else label for i, label in enumerate(labels)
    ]
    dots: list[dict[str, Any]] = []
    bands: list[dict[str, Any]] = []
    launches: list[dict[str, Any]] = []
    for label, (_, figure) in zip(labels, entries, strict=True):
        middle = figure.value
        dots += [{"row": label, "x": _percent(sample, middle)} for sample in _thinned(figure.samples)]
        launches += [{"row": label, "x": _percent(value, middle)} for value in figure.medians]
        if bounds := interval(figure):
            low, high = (_percent(bound, middle) for bound in bounds)
            bands.append({"row": label, "low": low, "high": high})
    measured = [dot["x"] for dot in (*dots, *launches)]
    drawn = [_cut(band, min(measured), max(measured)) for band in bands]
    y = alt.Y(
        "row:N",
        sort=labels,
        title=None,
        axis=alt.Axis(domain=False, ticks=False, grid=True, labelColor="var(--ink)", labelLimit=230),
    )
    title = words(message("report-samples-axis"))
    scale = alt.Scale(zero=False, nice=False, padding=10)
    x = alt.X("x:Q", title=title, axis=_AXIS, scale=scale)
    x_band = alt.X("low:Q", title=title, axis=_AXIS, scale=scale)
    zero = alt.Chart(inline([{"x": 0}])).mark_rule(color="var(--faint)").encode(x=alt.X("x:Q"))
    marks = alt.Chart(inline(dots)).mark_tick(color="var(--c1)", thickness=1, size=11)
    band_marks = alt.Chart(inline(drawn)).mark_bar(color="var(--band)", height=13)
    layers: list[Any] = [zero, marks.encode(x=x, y=y)]
    if bands:
        layers.insert(0, band_marks.encode(x=x_band, x2=alt.X2("high:Q"), y=y))
    if launches:
        medians = alt.Chart(inline(launches)).mark_point(filled=True, size=34, opacity=1, color="var(--ink)")
        layers.append(medians.encode(x=x, y=y))
    chart = alt.layer(*layers).properties(width="container", height=18 * len(labels))
    caption = [message("report-samples-caption")]
    caption += [message("report-samples-launches")] if launches else []
    caption += [message("report-samples-cut")] if drawn != bands else []
    if any(len(figure.samples) > _MOST_MARKS for _, figure in entries):
        caption.append(message("report-samples-thinned", number=_MOST_MARKS))
    if len(entries) < all_entries:
        caption.append(message("report-samples-some", shown=len(entries), all=all_entries))
    widest = max(dots, key=lambda dot: abs(dot["x"]))
    description = message(
        "report-samples-description", number=len(entries), farthest=f"{widest['x']:+.1f}%", of=widest["row"]
    )
    heading = message("report-samples-title", benchmark=chapter.title)
    text = words.sentences(caption)
    return Drawn(f"{chapter.slug}-samples", words(heading), words(description), text, chart)


def _percent(value: float, middle: float) -> float:
    """Return the distance above the median in per cent, with as many digits as can be seen."""
    return float(f"{100 * (value / middle - 1):.4g}")


def _label(
    chapter: Chapter,
    case: ViewCase,
    figure: Figure,
    told_apart: list[list[str]],
    words: Words,
    *,
    several_metrics: bool,
) -> str:
    record = case.assessment.record
    title = [figure_title(record, figure, chapter.title, words)] if several_metrics or not told_apart else []
    values = settings(record)
    texts = [
        value if isinstance(value := values.get(names[0]), str) else label_of(values, [names], words)
        for names in told_apart
    ]
    return ", ".join(filter(None, title + texts))


def _cut(band: dict[str, Any], least: float, most: float) -> dict[str, Any]:
    """Cut an interval: over few launches it may be so wide that all samples would fall into one place."""
    return band | {"low": max(band["low"], WIDEST * least), "high": min(band["high"], WIDEST * most)}


def _thinned(samples: Sequence[float]) -> Sequence[float]:
    if len(samples) <= _MOST_MARKS:
        return samples
    ordered = sorted(samples)
    return [ordered[round(index * (len(ordered) - 1) / (_MOST_MARKS - 1))] for index in range(_MOST_MARKS)]
