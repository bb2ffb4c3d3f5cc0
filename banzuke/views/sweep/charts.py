"""Charts of figures over a setting: lines, or bars if the setting is not a scale."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from banzuke.amounts import Scalar
from banzuke.charts.place import decades, nice_ceiling, spread_out
from banzuke.charts.style import HEIGHT, Drawn, inline, limit_line, series_scales
from banzuke.compare.settings import setting_text, settings, short_setting
from banzuke.compare.statistics import Interval
from banzuke.judge.model import Figure
from banzuke.plan.wording import code
from banzuke.text import slug
from banzuke.units import quantity, scale
from banzuke.views.sweep.plot import Plot
from banzuke.views.view import ViewCase, ViewSection
from banzuke.words import Listed, Message, Quantity, declared, message
from banzuke.words.language import Words

LAYOUT = "layout"
_LABELLED = 14
WIDEST = 1.5
"""Factor on the largest median at which an interval is cut: over few launches it may be far wider."""
_LOG_SPAN = 50.0


@dataclass(frozen=True)
class SweepPoint:
    x: float | str
    series: str
    case: ViewCase
    figure: Figure
    title: str
    """Title of the figure."""

    @property
    def interval(self) -> Interval | None:
        """The 95% interval: between launches, or of the median within a single launch."""
        return self.figure.interval if self.figure.medians else self.figure.within


def charts(section: ViewSection, plots: Sequence[tuple[Plot, Message]]) -> list[Drawn]:
    """Return the charts of `plots` with titles. A single case has no chart, because the table shows it."""
    drawn = []
    for index, (plot, title) in enumerate(plots, 1):
        points = _points(section, plot)
        for unit in dict.fromkeys(point.figure.unit for point in points):
            chosen = [point for point in points if point.figure.unit == unit]
            if len({point.case.id for point in chosen}) < 2:
                continue
            name = f"{section.slug}-{index}" + ("" if unit == points[0].figure.unit else f"-{slug(unit)}")
            scaled = all(not isinstance(p.x, str) for p in chosen) and len({p.x for p in chosen}) > 1
            titles = tuple(dict.fromkeys(point.title for point in chosen))
            whole = len(chosen) == len(points)
            said = title if whole else message("views-plot-of", plot=title, metrics=Listed(titles))
            drawn.append((_lines if scaled else _bars)(section.words, name, section.words(said), plot, chosen))
    return drawn


def _points(section: ViewSection, plot: Plot) -> list[SweepPoint]:
    words = section.words
    wanted = [
        (case, figure, value)
        for case in section.cases
        if not (plot.x == "threads" and case.assessment.record.devices)  # the host's threads say nothing about a device
        if (value := _value(case, plot.x, words)) is not None
        for figure in case.assessment.figures
        if figure.metric in plot.metrics and all(map(math.isfinite, figure.samples))
    ]
    several = len({figure.metric for _, figure, _ in wanted}) > 1
    kinds = {settings(case.assessment.record).get(plot.series) for case, _, _ in wanted} if plot.series else set()
    points = []
    for case, figure, value in wanted:
        x = setting_text(value) if isinstance(value, bool | str) else float(value)
        title = words(declared(code(section.benchmark.name, "metric", figure.metric), figure.title))
        parts = [title] if several or not plot.series else []
        if plot.series and (len(kinds) > 1 or not several):
            parts.append(short_setting(plot.series, settings(case.assessment.record).get(plot.series)))
        points.append(SweepPoint(x, ", ".join(parts), case, figure, title))
    return _alike(points, plot.alike, words) if plot.alike else points


def _value(case: ViewCase, name: str, words: Words) -> Scalar | None:
    """Return a setting, the layout, or a number among the conditions."""
    record = case.assessment.record
    own = settings(record)
    if name == LAYOUT:
        return words(_layout(int(own["ranks"]) // int(own["hosts"]), int(own["threads"])))
    seen = record.conditions.get(name)
    return own.get(name, seen if isinstance(seen, int | float) and math.isfinite(seen) else None)


def _layout(ranks: int, threads: int) -> Message:
    """Return the layout of a node as in GeoFEM reports: flat MPI, or hybrid with threads per rank and ranks a node."""
    if threads == 1:
        return message("views-flat-mpi")
    return message("views-hybrid", threads=threads, ranks=ranks)


def _alike(points: list[SweepPoint], names: tuple[str, ...], words: Words) -> list[SweepPoint]:
    """Return the points that agree in `names` and have the most positions; none if there is only one position."""
    groups: dict[tuple[Scalar | None, ...], list[SweepPoint]] = defaultdict(list)
    for point in points:
        groups[tuple(_value(point.case, name, words) for name in names)].append(point)
    chosen = max(groups.values(), key=lambda group: len({point.x for point in group}), default=[])
    return chosen if len({point.x for point in chosen}) > 1 else []


def _lines(words: Words, name: str, title: str, plot: Plot, points: list[SweepPoint]) -> Drawn:
    unit = points[0].figure.unit
    names = list(dict.fromkeys(point.series for point in points))
    values = [p.figure.value for p in points]
    highs = [min(p.interval.high, WIDEST * max(values)) for p in points if p.interval]
    limits = {p.figure.limit for p in points if p.figure.limit and p.figure.limit > 0}
    common = next(iter(limits)) if limits and max(limits) / min(limits) < 1.01 else None
    factor, shown = scale(max(values), unit)
    logarithmic = min(values) > 0 and max(values) / min(values) > _LOG_SPAN
    top = nice_ceiling(max([*values, *highs, common or 0.0]) / factor * 1.02)
    bottom = min(values) / factor / 1.5 if logarithmic else 0.0
    x = alt.X(
        "x:Q",
        title=words(_along(plot.x)),
        axis=_x_axis(points, logarithmic=plot.log_x),
        scale=_x_scale(points, logarithmic=plot.log_x),
    )
    y_axis = alt.Axis(values=decades(bottom, top)) if logarithmic else alt.Axis(tickCount=5)
    y_scale = (
        alt.Scale(type="log", domain=[bottom, top], nice=False)
        if logarithmic
        else alt.Scale(domain=[0, top], nice=False)
    )
    y = alt.Y(
        "y:Q", title=words(message("views-axis-log", title=shown)) if logarithmic else shown, scale=y_scale, axis=y_axis
    )
    scales = series_scales(names)
    direct = len(names) <= _LABELLED
    legend = None if direct else alt.Legend()
    rows = [_cut(_row(words, point, factor), bottom, top) for point in points]
    base = alt.Chart(inline(rows))
    colour = alt.Color("series:N", scale=scales["color"], legend=legend)
    line = (
        alt.Chart(inline(_best_of_each(rows, points, ("series", "x"))))
        .mark_line(strokeWidth=1.75)
        .encode(x=x, y=y, color=colour, strokeDash=alt.StrokeDash("series:N", scale=scales["dash"], legend=None))
    )
    whisker = (
        base.transform_filter("datum.low != null")
        .mark_rule(strokeWidth=1)
        .encode(x=x, y=alt.Y("low:Q"), y2=alt.Y2("high:Q"), color=colour)
    )
    dots = base.mark_point(filled=True, size=42, opacity=1).encode(
        x=x,
        y=y,
        color=colour,
        shape=alt.Shape("series:N", scale=scales["shape"], legend=None),
        tooltip=_tips(words),
    )
    measured = any(row["low"] is not None for row in rows)
    layers: list[Any] = [line, alt.layer(whisker, dots) if measured else dots]  # these two share the data
    if direct and len(names) > 1:
        layers.append(_end_labels(rows, names, scales["color"], bottom, top, logarithmic=logarithmic))
    if common is not None:
        text = words(message("views-limit-line", limit=Quantity(common, unit)))
        by_place = [row["y"] for row in sorted(rows, key=lambda row: float(row["x"]))]
        layers = [*limit_line(common / factor, text, by_place[0], by_place[-1]), *layers]
    chart = alt.layer(*layers).properties(width="container", height=HEIGHT)
    shared = len({(point.series, point.x) for point in points}) < len(points)
    caption = [_between(points) if measured else message("views-medians-alone")]
    caption += [message("views-best-joined")] if shared else []
    caption += [message("views-dashed-limit")] if common is not None else []
    return Drawn(name, title, words(_describe(plot, points)), words.sentences(caption), chart)


def _tips(words: Words) -> list[alt.Tooltip]:
    titles = {
        "case": message("views-case"),
        "median": message("views-median"),
        "best": message("views-best"),
        "of limit": message("views-of-limit"),
        "samples": message("views-samples"),
    }
    return [alt.Tooltip(f"{field}:N", title=words(title)) for field, title in titles.items()]


def _row(words: Words, point: SweepPoint, factor: float) -> dict[str, Any]:
    figure, interval = point.figure, point.interval
    return {
        "x": point.x,
        "y": _seen(figure.value / factor),
        "low": _seen(interval.low / factor) if interval else None,
        "high": _seen(interval.high / factor) if interval else None,
        "series": point.series,
        "case": f"{point.title}, {point.case.label}",
        "median": quantity(figure.value, figure.unit),
        "best": quantity(figure.best, figure.unit),
        "of limit": words(figure.of_limit or message("views-no-limit")),
        "samples": f"{len(figure.samples):,}",
    }


def _best_of_each(rows: list[dict[str, Any]], points: list[SweepPoint], keys: tuple[str, ...]) -> list[dict[str, Any]]:
    best: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row, point in zip(rows, points, strict=True):
        key = tuple(row[name] for name in keys)
        sign = 1 if point.figure.better == "higher" else -1
        if key not in best or sign * row["y"] > sign * best[key]["y"]:
            best[key] = row
    return list(best.values())


def _end_labels(
    rows: list[dict[str, Any]],
    names: list[str],
    colours: alt.Scale,
    bottom: float,
    top: float,
    *,
    logarithmic: bool,
) -> alt.Chart:
    def pixel(value: float) -> float:
        share = math.log(value / bottom) / math.log(top / bottom) if logarithmic else value / top
        return HEIGHT * (1 - share)

    def back(position: float) -> float:
        share = 1 - position / HEIGHT
        return bottom * (top / bottom) ** share if logarithmic else top * share

    ends = [max((row for row in rows if row["series"] == name), key=lambda row: float(row["x"])) for name in names]
    right = max(row["x"] for row in rows)
    at_end = [end for end in ends if end["x"] == right]
    heights = spread_out([pixel(end["y"]) for end in at_end], 6, HEIGHT - 6)
    moved = {end["series"]: back(height) for end, height in zip(at_end, heights, strict=True)}
    values = [{"x": end["x"], "y": moved.get(end["series"], end["y"]), "series": end["series"]} for end in ends]
    marks = alt.Chart(inline(values)).mark_text(align="left", dx=9)
    colour = alt.Color("series:N", scale=colours, legend=None)
    labels: alt.Chart = marks.encode(x=alt.X("x:Q"), y=alt.Y("y:Q"), text=alt.Text("series:N"), color=colour)
    return labels


def _x_scale(points: list[SweepPoint], *, logarithmic: bool) -> alt.Scale:
    values = [float(point.x) for point in points]
    if logarithmic and min(values) > 0:
        return alt.Scale(type="log", base=2 if _powers_of_two(values) else 10, nice=False)
    return alt.Scale(zero=False, nice=True, padding=8)


def _x_axis(points: list[SweepPoint], *, logarithmic: bool) -> alt.Axis:
    """Return an axis with ticks at the measured values if there are few, so that it shows no value that was not run."""
    values = sorted({float(point.x) for point in points})
    step = math.ceil(len(values) / 9)
    ticks = values[::-1][::step][::-1] if logarithmic or len(values) <= 9 else None
    if ticks is None:
        return alt.Axis(tickCount=7, grid=False)
    binary = _powers_of_two(values) and values[-1] >= 1 << 17
    names = {tick: _binary(tick) if binary else setting_text(_whole(tick)) for tick in ticks}
    branches = "".join(f"datum.value == {tick!r} ? '{text}' : " for tick, text in names.items())
    return alt.Axis(values=ticks, labelExpr=f"{branches}''", grid=False, labelOverlap=True, labelSeparation=6)


def _whole(value: float) -> float | int:
    return int(value) if value.is_integer() else value


def _powers_of_two(values: list[float]) -> bool:
    return all(value >= 1 and value.is_integer() and (int(value) & (int(value) - 1)) == 0 for value in values)


def _binary(value: float) -> str:
    for power, name in ((30, "Gi"), (20, "Mi"), (10, "Ki")):
        if value >= 1 << power:
            return f"{value / (1 << power):g} {name}"
    return f"{value:g}"


def _seen(value: float) -> float:
    """Return the value with as many digits as can be seen."""
    return float(f"{value:.6g}")


def _cut(row: dict[str, Any], bottom: float, top: float) -> dict[str, Any]:
    """Return the row with its interval cut to the range of the chart."""
    return row if row["low"] is None else row | {"low": max(row["low"], bottom), "high": min(row["high"], top)}


def _between(points: list[SweepPoint]) -> Message:
    """Return a message on the kind of intervals of the figures that have one."""
    several = {bool(point.figure.medians) for point in points if point.interval}
    kind = "both" if len(several) > 1 else "between" if several == {True} else "within"
    return message("views-medians-with-intervals", of=kind)


def _bars(words: Words, name: str, title: str, plot: Plot, points: list[SweepPoint]) -> Drawn:
    unit = points[0].figure.unit
    largest = max(max(p.figure.value, p.figure.limit or 0.0) for p in points)
    factor, shown = scale(largest, unit)
    one_place, one_series = len({point.x for point in points}) == 1, len({point.series for point in points}) == 1
    every = [
        _row(words, point, factor)
        | _bar(words, point, plot.x, factor, place=one_series or not one_place, series=not one_series or one_place)
        for point in points
    ]
    rows = _best_of_each(every, points, ("label",))
    top = nice_ceiling(max(max(row["y"], row["limit"] or 0.0) for row in rows))
    order = [row["label"] for row in rows]
    y = alt.Y("label:N", sort=order, title=None, axis=alt.Axis(domain=False, ticks=False, labelColor="var(--ink)"))
    x_axis = alt.X("y:Q", title=shown, scale=alt.Scale(domain=[0, top], nice=False), axis=alt.Axis(tickCount=5))
    base = alt.Chart(inline(rows))
    tips = _tips(words)
    bars = base.mark_bar(color="var(--c1)", height=15).encode(y=y, x=x_axis, tooltip=tips)
    ticks = base.transform_filter("datum.limit != null").mark_tick(color="var(--ink)", thickness=2, size=22)
    inside = base.transform_filter(f"datum.y >= {top * 0.55!r}").mark_text(align="right", dx=-6, color="var(--onbar)")
    outside = base.transform_filter(f"datum.y < {top * 0.55!r}").mark_text(align="left", dx=6, color="var(--ink)")
    chart = alt.layer(
        bars,
        ticks.encode(y=y, x=alt.X("limit:Q")),
        inside.encode(y=y, x=alt.X("y:Q"), text=alt.Text("text:N")),
        outside.encode(y=y, x=alt.X("y:Q"), text=alt.Text("text:N")),
    ).properties(width="container", height=25 * len(rows))
    caption = [message("views-medians-alone")]
    caption += [message("views-vertical-limit")] if any(row["limit"] for row in rows) else []
    caption += [message("views-best-drawn")] if len(rows) < len(points) else []
    caption += [message("views-layouts")] if plot.x == LAYOUT else []
    return Drawn(name, title, words(_describe(plot, points)), words.sentences(caption), chart)


def _bar(words: Words, point: SweepPoint, x: str, factor: float, *, series: bool, place: bool) -> dict[str, Any]:
    where = point.x if isinstance(point.x, str) else f"{words(_along(x))} {setting_text(_whole(point.x))}"
    parts = [point.series if series else "", where if place else ""]
    figure = point.figure
    said = words(figure.of_limit) if figure.of_limit else ""
    return {
        "label": ", ".join(filter(None, parts)),
        "limit": figure.limit / factor if figure.limit else None,
        "text": " · ".join(filter(None, (quantity(figure.value, figure.unit), said))),
    }


def _along(name: str) -> Message:
    """Return the title of an axis; a parameter has its own name."""
    return message("views-along", name=name.replace("_", " "))


def _describe(plot: Plot, points: list[SweepPoint]) -> Message:
    values, unit = [point.figure.value for point in points], points[0].figure.unit
    low, high = Quantity(min(values), unit), Quantity(max(values), unit)
    return message("views-sweep-drawn", number=len(points), along=_along(plot.x), low=low, high=high)
