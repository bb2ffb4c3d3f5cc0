"""Charts of where the time of a case went: its rate, and the share of each phase, over its progress."""

import textwrap
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import altair as alt

from banzuke.charts.place import LINE, nice_ceiling, spread_out
from banzuke.charts.style import HEIGHT, Drawn, inline, limit_line, series_scales
from banzuke.judge.model import Assessment
from banzuke.plan.wording import along, benchmark_title
from banzuke.record.figures import FLOPS
from banzuke.units import percent, quantity, scale
from banzuke.views.breakdown.times import Times
from banzuke.views.view import ViewSection
from banzuke.words import Listed, Quantity, Share, message
from banzuke.words.language import Words

LABEL = 19
"""Characters in a line of a label, so that the plot has most of the width on a telephone, too."""


@dataclass(frozen=True)
class DrawnInterval:
    begin: float
    """Start and end as shares of the progress."""
    end: float
    flops: float
    seconds: tuple[float, ...]
    """Seconds of each phase."""

    @property
    def wall(self) -> float:
        return sum(self.seconds)

    @property
    def rate(self) -> float:
        return self.flops / self.wall

    def until(self, place: float) -> float:
        """Return the share of it that lies before `place`, from 0 to 1."""
        return min(1.0, max(0.0, (place - self.begin) / (self.end - self.begin)))


@dataclass(frozen=True)
class _Progress:
    section: ViewSection
    along: str
    names: list[str]
    """Titles of the phases."""
    times: Times
    intervals: list[DrawnInterval]
    """Intervals that took time."""

    @property
    def words(self) -> Words:
        return self.section.words

    @property
    def seconds(self) -> float:
        return sum(interval.wall for interval in self.intervals)


def charts(section: ViewSection, assessment: Assessment, times: Times) -> list[Drawn]:
    """Return the charts; none where there is only one interval, which the table already shows."""
    breakdown = assessment.record.breakdown
    if breakdown is None:
        return []
    seconds = zip(*(phase.by_interval for phase in times), strict=True)
    every = [
        DrawnInterval(*interval)
        for interval in zip(breakdown.begins, breakdown.ends, breakdown.flops, seconds, strict=True)
    ]
    intervals = [interval for interval in every if interval.wall > 0]
    if len(intervals) < 2:
        return []
    names = [section.words(phase.title) for phase in times]
    progress = _Progress(section, breakdown.along, names, times, intervals)
    rates = [_rates(progress, _limit(assessment))] if any(interval.flops for interval in intervals) else []
    return [*rates, _shares(progress)]


def _rates(progress: _Progress, limit: float | None) -> Drawn:
    words, intervals = progress.words, progress.intervals
    values = [interval.rate for interval in intervals]
    whole = sum(interval.flops for interval in intervals) / progress.seconds
    factor, shown = scale(max(*values, whole), "flop/s")
    top = nice_ceiling(max(*values, limit or 0.0) / factor * 1.02)
    steps = [{"x": 100 * interval.begin, "y": interval.rate / factor} for interval in intervals]
    steps.append({"x": 100.0, "y": intervals[-1].rate / factor})
    y = alt.Y("y:Q", title=shown, scale=alt.Scale(domain=[0, top], nice=False), axis=alt.Axis(tickCount=5))
    line = alt.Chart(inline(steps)).mark_line(interpolate="step-after", strokeWidth=1.75, color="var(--c1)")
    layers: list[Any] = [line.encode(x=_x(progress), y=y), _tips(progress, top)]
    if limit is not None:
        text = words(message("views-limit-line", limit=Quantity(limit, "flop/s")))
        layers = [*limit_line(limit / factor, text, steps[0]["y"], steps[-1]["y"]), *layers]
    title = words(message("views-rate-over-progress", benchmark=benchmark_title(progress.section.benchmark)))
    drawn = message(
        "views-rate-over-progress-drawn",
        first=Quantity(values[0], "flop/s"),
        last=Quantity(values[-1], "flop/s"),
        most=Quantity(max(values), "flop/s"),
    )
    caption = message(
        "views-rate-over-progress-caption",
        limited="no" if limit is None else "yes",
        whole=Quantity(whole, "flop/s"),
    )
    chart = alt.layer(*layers).properties(width="container", height=HEIGHT)
    return Drawn(f"{progress.section.slug}-rate", title, words(drawn), words(caption), chart)


def _limit(assessment: Assessment) -> float | None:
    """Return the flop/s at which the limit of the headline figure lies."""
    figure = next((figure for figure in assessment.figures if figure.headline), None)
    if figure is None or figure.limit is None:
        return None
    flops = assessment.record.metrics[figure.metric].demanded(FLOPS)
    return {"flop/s": figure.limit, "s": (flops or 0.0) / figure.limit}.get(figure.unit) or None


def _shares(progress: _Progress) -> Drawn:
    words, intervals, names = progress.words, progress.intervals, progress.names
    rows: list[dict[str, Any]] = []
    for place, interval in [*((interval.begin, interval) for interval in intervals), (1.0, intervals[-1])]:
        edges = [100 * passed / interval.wall for passed in accumulate(interval.seconds, initial=0.0)]
        for name, (low, high) in zip(names, pairwise(edges), strict=True):
            rows.append({"x": 100 * place, "low": low, "high": high, "phase": name})
    colour = alt.Color("phase:N", scale=series_scales(names)["color"], legend=None)
    y_scale = alt.Scale(domain=[0, 100], nice=False)
    y = alt.Y("low:Q", title=words(message("views-axis-of-time")), scale=y_scale, axis=_FIVE)
    areas = alt.Chart(inline(rows)).mark_area(interpolate="step-after", opacity=0.85)
    whole = list(accumulate((phase.share for phase in progress.times), initial=0.0))
    texts = [textwrap.fill(name, LABEL) for name in names]
    gap = LINE * (1 + max(text.count("\n") for text in texts))
    middles = spread_out([HEIGHT * (low + high) / 2 for low, high in pairwise(whole)], gap / 2, HEIGHT - gap / 2, gap)
    first_lines = [middle + LINE / 2 * text.count("\n") for middle, text in zip(middles, texts, strict=True)]
    places = [
        {"x": 100.0, "y": 100 * at / HEIGHT, "phase": name, "text": text}
        for at, name, text in zip(first_lines, names, texts, strict=True)
    ]
    labels = alt.Chart(inline(places)).mark_text(align="left", baseline="middle", dx=9, lineBreak="\n")
    chart = alt.layer(
        areas.encode(x=_x(progress), y=y, y2=alt.Y2("high:Q"), color=colour),
        _tips(progress, 100.0),
        labels.encode(x=alt.X("x:Q"), y=alt.Y("y:Q"), text=alt.Text("text:N"), color=colour),
    ).properties(width="container", height=HEIGHT)
    half = sum(interval.wall * interval.until(0.5) for interval in intervals) / progress.seconds
    shares = [message("views-phase-share", phase=phase.title, share=Share(phase.share)) for phase in progress.times]
    return Drawn(
        f"{progress.section.slug}-breakdown",
        words(message("views-shares-over-progress", benchmark=benchmark_title(progress.section.benchmark))),
        words(message("views-shares-over-progress-drawn", phases=Listed(tuple(shares)))),
        words(message("views-shares-over-progress-caption", half=Share(half))),
        chart,
    )


_FIVE = alt.Axis(tickCount=5, grid=False)


def _x(progress: _Progress) -> alt.X:
    whole = alt.Scale(domain=[0, 100], nice=False)
    title = progress.words(message("views-axis-percent", along=along(progress.along)))
    return alt.X("x:Q", title=title, scale=whole, axis=alt.Axis(tickCount=6, grid=False))


def _tips(progress: _Progress, top: float) -> alt.Chart:
    """Return invisible marks that show an interval's content at the pointer."""
    rows = [
        {
            "x": 100 * interval.begin,
            "end": 100 * interval.end,
            "bottom": 0.0,
            "top": top,
            "where": progress.words(message("views-interval", begin=Share(interval.begin), end=Share(interval.end))),
            "time": quantity(interval.wall, "s"),
            "rate": quantity(interval.rate, "flop/s"),
            **{f"phase{i}": percent(seconds / interval.wall) for i, seconds in enumerate(interval.seconds)},
        }
        for interval in progress.intervals
    ]
    tips = [
        alt.Tooltip("where:N", title=progress.section.words(along(progress.along))),
        alt.Tooltip("time:N", title=progress.words(message("views-tip-time"))),
        alt.Tooltip("rate:N", title=progress.words(message("views-tip-rate"))),
        *(alt.Tooltip(f"phase{index}:N", title=name) for index, name in enumerate(progress.names)),
    ]
    marks = alt.Chart(inline(rows)).mark_rect(opacity=0)
    tipped: alt.Chart = marks.encode(
        x=_x(progress), x2=alt.X2("end:Q"), y=alt.Y("bottom:Q"), y2=alt.Y2("top:Q"), tooltip=tips
    )
    return tipped
