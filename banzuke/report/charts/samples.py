"""Every raw sample of every case: how far each one lies from its case's median."""

from typing import Any

import altair as alt

from banzuke.report.cases import slug
from banzuke.report.charts.style import Drawn, inline
from banzuke.report.content import Case, Measurement, Section

_ROWS = 60
_MARKS = 120


def samples_chart(section: Section) -> Drawn | None:
    """None where no case has more than one sample."""
    entries = [
        (entry, m)
        for entry in section.cases
        for m in entry.measurements
        if m.count.value > 1 and m.median.value
    ]
    if not entries:
        return None
    all_entries = len(entries)
    if len(entries) > _ROWS:
        entries = [pair for pair in entries if pair[1].headline] or entries
    entries = entries[:_ROWS]
    several = len({m.metric for _, m in entries}) > 1
    labels = [_label(entry, figure, several, len(section.cases) > 1) for entry, figure in entries]
    labels = [
        f"{label} ({labels[:i].count(label) + 1})" if label in labels[:i] else label
        for i, label in enumerate(labels)
    ]
    dots: list[dict[str, Any]] = []
    bands: list[dict[str, Any]] = []
    for label, (_, figure) in zip(labels, entries, strict=True):
        middle = figure.median.value
        for sample in _thinned(figure.samples):
            dots.append({"row": label, "x": 100 * (sample / middle - 1)})
        if figure.low and figure.high:
            low, high = (100 * (bound.value / middle - 1) for bound in (figure.low, figure.high))
            bands.append({"row": label, "low": low, "high": high})
    y = alt.Y(
        "row:N",
        sort=labels,
        title=None,
        axis=alt.Axis(domain=False, ticks=False, grid=True, labelColor="var(--ink)"),
    )
    x = alt.X(
        "x:Q", title="sample against the median of its case, %", axis=alt.Axis(tickCount=7, format="+~g")
    )
    zero = alt.Chart(inline([{"x": 0}])).mark_rule(color="var(--faint)").encode(x="x:Q")
    marks = alt.Chart(inline(dots)).mark_tick(color="var(--c1)", thickness=1.2, size=11, opacity=0.65)
    interval = alt.Chart(inline(bands)).mark_bar(color="var(--c2)", height=3, opacity=0.9)
    layers: list[Any] = [zero, marks.encode(x=x, y=y)]
    if bands:
        layers.append(interval.encode(x="low:Q", x2="high:Q", y=y))
    chart = alt.layer(*layers).properties(width="container", height=18 * len(labels))
    caption = "Each tick is one sample; the thick bar is the 95% confidence interval of the median."
    if any(len(figure.samples) > _MARKS for _, figure in entries):
        caption += (
            f" Of more than {_MARKS} samples, {_MARKS} evenly spaced in rank are drawn, extremes included."
        )
    if len(entries) < all_entries:
        caption += f" {len(entries)} of {all_entries} distributions are drawn; the data files hold all."
    widest = max(dots, key=lambda dot: abs(dot["x"]))
    description = (
        f"Distributions of the samples of {len(entries)} figures. The farthest sample lies {widest['x']:+.1f}% "
        f"from its median, in {widest['row']}."
    )
    return Drawn(f"{slug(section.name)}-samples", f"{section.title}: samples", description, caption, chart)


def _label(entry: Case, figure: Measurement, several_metrics: bool, several_cases: bool) -> str:
    parts = [figure.title] if several_metrics or not several_cases else []
    return ", ".join(parts + ([entry.label] if several_cases else []))


def _thinned(samples: list[float]) -> list[float]:
    if len(samples) <= _MARKS:
        return samples
    ordered = sorted(samples)
    return [ordered[round(index * (len(ordered) - 1) / (_MARKS - 1))] for index in range(_MARKS)]
