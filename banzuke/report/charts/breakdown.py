"""Where the time of a benchmark's headline case went: its rate, and the share of each part, over its progress."""

import textwrap
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import altair as alt

from banzuke.charts.place import LINE, nice_ceiling, spread_out
from banzuke.charts.style import HEIGHT, Drawn, inline, series_scales
from banzuke.report.charts.sweep import limit_line
from banzuke.report.content import Breakdown, Case, Section
from banzuke.units import percent, quantity, scale

LABEL = 19
"""Characters of a label's line: on a telephone too, the plot has most of the width."""


@dataclass(frozen=True)
class Interval:
    begin: float
    """Share of the way."""
    end: float
    flops: float
    seconds: list[float]
    """By part."""

    @property
    def wall(self) -> float:
        return sum(self.seconds)

    @property
    def rate(self) -> float:
        return self.flops / self.wall

    def until(self, place: float) -> float:
        """Its part before `place`, 0 to 1."""
        return min(1.0, max(0.0, (place - self.begin) / (self.end - self.begin)))


def breakdown_charts(section: Section) -> list[Drawn]:
    """None where the headline case has no breakdown, or one without time."""
    entry = section.cases[0]
    if entry.breakdown is None:
        return []
    found = _intervals(entry.breakdown)
    if not found:
        return []
    shares = _shares(section, entry.breakdown, found)
    return [_rates(section, entry, entry.breakdown, found), shares] if any(i.flops for i in found) else [shares]


def _intervals(breakdown: Breakdown) -> list[Interval]:
    """Those that took time."""
    begins = [0.0, *breakdown.ends[:-1]]
    seconds = map(list, zip(*(part.by_interval for part in breakdown.parts), strict=True))
    every = [Interval(*of) for of in zip(begins, breakdown.ends, breakdown.flops, seconds, strict=True)]
    return [interval for interval in every if interval.wall > 0]


def _rates(section: Section, entry: Case, breakdown: Breakdown, found: list[Interval]) -> Drawn:
    limit = _limit(entry)
    values = [interval.rate for interval in found]
    whole = sum(interval.flops for interval in found) / sum(interval.wall for interval in found)
    factor, shown = scale(max(*values, whole), "flop/s")
    top = nice_ceiling(max(*values, limit or 0.0) / factor * 1.02)
    steps = [{"x": 100 * interval.begin, "y": interval.rate / factor} for interval in found]
    steps.append({"x": 100.0, "y": found[-1].rate / factor})
    y = alt.Y("y:Q", title=shown, scale=alt.Scale(domain=[0, top], nice=False), axis=alt.Axis(tickCount=5))
    line = alt.Chart(inline(steps)).mark_line(interpolate="step-after", strokeWidth=1.75, color="var(--c1)")
    layers: list[Any] = [line.encode(x=_x(breakdown), y=y), _tips(breakdown, found, top)]
    caption = f"The rate in each interval; {quantity(whole, 'flop/s')} over all of them."
    if limit is not None:
        layers = [*limit_line(limit / factor, f"limit {quantity(limit, 'flop/s')}"), *layers]
        caption += " Dashed: the limit by the measured ceilings."
    title = f"{section.title}: rate over its progress"
    description = (
        f"{title}: from {quantity(values[0], 'flop/s')} in the first interval to {quantity(values[-1], 'flop/s')} in "
        f"the last, at most {quantity(max(values), 'flop/s')}."
    )
    chart = alt.layer(*layers).properties(width="container", height=HEIGHT)
    return Drawn(f"{section.slug}-rate", title, description, caption, chart)


def _limit(entry: Case) -> float | None:
    """flop/s at which the limit of the headline figure lies."""
    figure = next((m for m in entry.measurements if m.headline), None)
    if figure is None or figure.limit is None:
        return None
    at = figure.limit.value
    return {"flop/s": at, "s": (figure.flops or 0.0) / at}.get(figure.unit) or None


def _shares(section: Section, breakdown: Breakdown, found: list[Interval]) -> Drawn:
    names = [part.title for part in breakdown.parts]
    rows: list[dict[str, Any]] = []
    for place, interval in [*((interval.begin, interval) for interval in found), (1.0, found[-1])]:
        edges = [100 * passed / interval.wall for passed in accumulate(interval.seconds, initial=0.0)]
        for name, (low, high) in zip(names, pairwise(edges), strict=True):
            rows.append({"x": 100 * place, "low": low, "high": high, "part": name})
    colour = alt.Color("part:N", scale=series_scales(names)["color"], legend=None)
    y_scale = alt.Scale(domain=[0, 100], nice=False)
    y = alt.Y("low:Q", title="% of the time", scale=y_scale, axis=alt.Axis(tickCount=5, grid=False))
    areas = alt.Chart(inline(rows)).mark_area(interpolate="step-after", opacity=0.85)
    whole = list(accumulate((part.share.value for part in breakdown.parts), initial=0.0))
    texts = [textwrap.fill(name, LABEL) for name in names]
    gap = LINE * (1 + max(text.count("\n") for text in texts))
    middles = spread_out([HEIGHT * (low + high) / 2 for low, high in pairwise(whole)], gap / 2, HEIGHT - gap / 2, gap)
    first_lines = [middle + LINE / 2 * text.count("\n") for middle, text in zip(middles, texts, strict=True)]
    places = [
        {"x": 100.0, "y": 100 * at / HEIGHT, "part": name, "text": text}
        for at, name, text in zip(first_lines, names, texts, strict=True)
    ]
    labels = alt.Chart(inline(places)).mark_text(align="left", baseline="middle", dx=9, lineBreak="\n")
    chart = alt.layer(
        areas.encode(x=_x(breakdown), y=y, y2="high:Q", color=colour),
        _tips(breakdown, found, 100.0),
        labels.encode(x="x:Q", y="y:Q", text="text:N", color=colour),
    ).properties(width="container", height=HEIGHT)
    half = sum(interval.wall * interval.until(0.5) for interval in found) / sum(interval.wall for interval in found)
    caption = (
        "From bottom to top in the order of the table; means over the ranks. "
        f"The left half of the picture took {percent(half)} of the time."
    )
    title = f"{section.title}: where the time went over its progress"
    parts = ", ".join(f"{part.title} {part.share.text}" for part in breakdown.parts)
    return Drawn(f"{section.slug}-breakdown", title, f"{title}: {parts}.", caption, chart)


def _x(breakdown: Breakdown) -> alt.X:
    whole = alt.Scale(domain=[0, 100], nice=False)
    return alt.X("x:Q", title=f"{breakdown.along}, %", scale=whole, axis=alt.Axis(tickCount=6, grid=False))


def _tips(breakdown: Breakdown, found: list[Interval], top: float) -> alt.Chart:
    """What each interval holds, where the pointer is."""
    rows = [
        {
            "x": 100 * interval.begin,
            "end": 100 * interval.end,
            "bottom": 0.0,
            "top": top,
            "where": f"{percent(interval.begin)} to {percent(interval.end)}",
            "time": quantity(interval.wall, "s"),
            "rate": quantity(interval.rate, "flop/s"),
            **{f"part{i}": percent(seconds / interval.wall) for i, seconds in enumerate(interval.seconds)},
        }
        for interval in found
    ]
    tips = [alt.Tooltip("where:N", title=breakdown.along), alt.Tooltip("time:N"), alt.Tooltip("rate:N")]
    tips += [alt.Tooltip(f"part{index}:N", title=part.title) for index, part in enumerate(breakdown.parts)]
    marks = alt.Chart(inline(rows)).mark_rect(opacity=0)
    tipped: alt.Chart = marks.encode(x=_x(breakdown), x2="end:Q", y="bottom:Q", y2="top:Q", tooltip=tips)
    return tipped
