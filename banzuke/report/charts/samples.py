"""Every raw sample of every case: how far each one lies from its case's median."""

from typing import Any

import altair as alt

from banzuke.charts.style import Drawn, inline
from banzuke.record.settings import short_setting, telling
from banzuke.report.content import Case, Measurement, Section

_ALL_METRICS = 24
_ROWS = 60
_MARKS = 80
WIDEST = 1.25
"""Times the farthest sample on either side up to which an interval is drawn."""
_AXIS = alt.Axis(tickCount=7, labelExpr="datum.value == 0 ? '0' : format(datum.value, '+.3~g')")


def samples_chart(section: Section) -> Drawn | None:
    """None where no case has more than one sample."""
    entries = [
        (entry, m)
        for entry in section.cases
        for m in entry.measurements
        if m.count.value > 1 and m.median.value and m.drawable
    ]
    if not entries:
        return None
    all_entries = len(entries)
    if len(entries) > _ALL_METRICS:
        entries = [pair for pair in entries if pair[1].headline] or entries
    entries = entries[:_ROWS]
    several = len({m.metric for _, m in entries}) > 1
    told_apart = telling([entry.settings for entry, _ in entries])
    labels = [_label(entry, figure, told_apart, several_metrics=several) for entry, figure in entries]
    labels = [
        f"{label} ({labels[:i].count(label) + 1})" if label in labels[:i] else label for i, label in enumerate(labels)
    ]
    dots: list[dict[str, Any]] = []
    bands: list[dict[str, Any]] = []
    launches: list[dict[str, Any]] = []
    for label, (_, figure) in zip(labels, entries, strict=True):
        middle = figure.median.value
        dots += [{"row": label, "x": 100 * (sample / middle - 1)} for sample in _thinned(figure.samples)]
        launches += [{"row": label, "x": 100 * (value / middle - 1)} for value in figure.medians]
        if figure.interval:
            low, high = (100 * (bound / middle - 1) for bound in figure.interval)
            bands.append({"row": label, "low": low, "high": high})
    measured = [dot["x"] for dot in (*dots, *launches)]
    drawn = [_cut(band, min(measured), max(measured)) for band in bands]
    y = alt.Y(
        "row:N",
        sort=labels,
        title=None,
        axis=alt.Axis(domain=False, ticks=False, grid=True, labelColor="var(--ink)", labelLimit=230),
    )
    title = "sample against its median, %"
    scale = alt.Scale(zero=False, nice=False, padding=10)
    x = alt.X("x:Q", title=title, axis=_AXIS, scale=scale)
    x_band = alt.X("low:Q", title=title, axis=_AXIS, scale=scale)
    zero = alt.Chart(inline([{"x": 0}])).mark_rule(color="var(--faint)").encode(x="x:Q")
    marks = alt.Chart(inline(dots)).mark_tick(color="var(--c1)", thickness=1, size=11)
    interval = alt.Chart(inline(drawn)).mark_bar(color="var(--band)", height=13)
    layers: list[Any] = [zero, marks.encode(x=x, y=y)]
    if bands:
        layers.insert(0, interval.encode(x=x_band, x2="high:Q", y=y))
    if launches:
        medians = alt.Chart(inline(launches)).mark_point(filled=True, size=34, opacity=1, color="var(--ink)")
        layers.append(medians.encode(x=x, y=y))
    chart = alt.layer(*layers).properties(width="container", height=18 * len(labels))
    caption = "Each tick is one sample; the band behind them is the 95% interval "
    caption += "between launches, or, of one launch, of" if launches else "of"
    caption += " the median within the launch."
    caption += " Dots: the median of each launch." if launches else ""
    caption += " An interval is cut where it goes far beyond all samples." if drawn != bands else ""
    if any(len(figure.samples) > _MARKS for _, figure in entries):
        caption += f" Of more than {_MARKS} samples, {_MARKS} evenly spaced in rank are drawn, extremes included."
    if len(entries) < all_entries:
        caption += f" {len(entries)} of {all_entries} distributions are drawn; the data files hold all."
    widest = max(dots, key=lambda dot: abs(dot["x"]))
    description = (
        f"Distributions of the samples of {len(entries)} figures. The farthest sample lies "
        f"{widest['x']:+.1f}% from its median, in {widest['row']}."
    )
    return Drawn(f"{section.slug}-samples", f"{section.title}: samples", description, caption, chart)


def _label(entry: Case, figure: Measurement, told_apart: list[list[str]], *, several_metrics: bool) -> str:
    parts = [figure.title] if several_metrics or not told_apart else []
    return ", ".join(parts + ([short_setting(" = ".join(names), entry.settings.get(names[0])) for names in told_apart]))


def _cut(band: dict[str, Any], least: float, most: float) -> dict[str, Any]:
    """An interval over few launches may be far wider than all that was measured, which could then not be seen."""
    return band | {"low": max(band["low"], WIDEST * least), "high": min(band["high"], WIDEST * most)}


def _thinned(samples: list[float]) -> list[float]:
    if len(samples) <= _MARKS:
        return samples
    ordered = sorted(samples)
    return [ordered[round(index * (len(ordered) - 1) / (_MARKS - 1))] for index in range(_MARKS)]
