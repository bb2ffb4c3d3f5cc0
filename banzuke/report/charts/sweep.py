"""What a benchmark's spec asks for: figures over a setting, as lines or, where it is no scale, as bars."""

import math
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Any

import altair as alt

from banzuke.charts.place import decades, nice_ceiling, spread_out
from banzuke.charts.style import HEIGHT, Drawn, inline, limit_line, series_scales
from banzuke.plan.benchmark import Plot
from banzuke.record.settings import layout_text, setting_text, short_setting
from banzuke.report.content import BenchmarkData, CaseData, Measurement, Scalar
from banzuke.text import slug
from banzuke.units import quantity, scale

LAYOUT = "layout"
_LABELLED = 14
WIDEST = 1.5
"""Times the largest median up to which an interval is drawn: over few launches it may be far wider."""
_LOG_SPAN = 50.0


@dataclass(frozen=True)
class SweepPoint:
    x: float | str
    series: str
    case: CaseData
    figure: Measurement


def sweep_charts(section: BenchmarkData, plots: tuple[Plot, ...]) -> list[Drawn]:
    drawn = []
    for index, plot in enumerate(plots, 1):
        points = _points(section, plot)
        for unit in dict.fromkeys(point.figure.unit for point in points):
            chosen = [point for point in points if point.figure.unit == unit]
            name = f"{section.slug}-{index}" + ("" if unit == points[0].figure.unit else f"-{slug(unit)}")
            scaled = all(not isinstance(p.x, str) for p in chosen) and len({p.x for p in chosen}) > 1
            titles = list(dict.fromkeys(point.figure.title for point in chosen))
            title = plot.title if len(chosen) == len(points) else f"{plot.title}: {', '.join(titles)}"
            drawn.append((_lines if scaled else _bars)(name, replace(plot, title=title), chosen, unit))
    return drawn


def _points(section: BenchmarkData, plot: Plot) -> list[SweepPoint]:
    wanted = [
        (entry, m, value)
        for entry in section.cases
        if (value := _told(entry, plot.x)) is not None
        for m in entry.measurements
        if m.metric in plot.metrics and m.drawable
    ]
    several = len({m.metric for _, m, _ in wanted}) > 1
    points = []
    for entry, figure, value in wanted:
        x = setting_text(value) if isinstance(value, bool | str) else float(value)
        parts = [figure.title] if several or not plot.series else []
        if plot.series:
            parts.append(short_setting(plot.series, entry.settings.get(plot.series)))
        points.append(SweepPoint(x, ", ".join(parts), entry, figure))
    return _alike(points, plot.alike) if plot.alike else points


def _told(entry: CaseData, name: str) -> Scalar | None:
    """A setting, the layout, or a number that was seen in the run."""
    if name == LAYOUT:
        return layout_text(entry.settings)
    return entry.settings.get(name, entry.conditions.get(name))


def _alike(points: list[SweepPoint], names: tuple[str, ...]) -> list[SweepPoint]:
    """Those that agree in `names` and lie at the most places; none where that is one place."""
    groups: dict[tuple[Scalar | None, ...], list[SweepPoint]] = defaultdict(list)
    for point in points:
        groups[tuple(_told(point.case, name) for name in names)].append(point)
    chosen = max(groups.values(), key=lambda group: len({point.x for point in group}), default=[])
    return chosen if len({point.x for point in chosen}) > 1 else []


def _lines(name: str, plot: Plot, points: list[SweepPoint], unit: str) -> Drawn:
    names = list(dict.fromkeys(point.series for point in points))
    values = [p.figure.median.value for p in points]
    highs = [min(p.figure.interval[1], WIDEST * max(values)) for p in points if p.figure.interval]
    limits = {p.figure.limit.value for p in points if p.figure.limit and p.figure.limit.value > 0}
    common = next(iter(limits)) if limits and max(limits) / min(limits) < 1.01 else None
    factor, shown = scale(max(values), unit)
    logarithmic = min(values) > 0 and max(values) / min(values) > _LOG_SPAN
    top = nice_ceiling(max([*values, *highs, common or 0.0]) / factor * 1.02)
    bottom = min(values) / factor / 1.5 if logarithmic else 0.0
    x = alt.X(
        "x:Q",
        title=plot.x.replace("_", " "),
        axis=_x_axis(points, logarithmic=plot.log_x),
        scale=_x_scale(points, logarithmic=plot.log_x),
    )
    y_axis = alt.Axis(values=decades(bottom, top)) if logarithmic else alt.Axis(tickCount=5)
    y_scale = (
        alt.Scale(type="log", domain=[bottom, top], nice=False)
        if logarithmic
        else alt.Scale(domain=[0, top], nice=False)
    )
    y = alt.Y("y:Q", title=shown + (", log scale" if logarithmic else ""), scale=y_scale, axis=y_axis)
    scales = series_scales(names)
    direct = len(names) <= _LABELLED
    legend = None if direct else alt.Legend()
    rows = [_cut(_row(point, factor), bottom, top) for point in points]
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
        .encode(x=x, y="low:Q", y2="high:Q", color=colour)
    )
    dots = base.mark_point(filled=True, size=42, opacity=1).encode(
        x=x,
        y=y,
        color=colour,
        shape=alt.Shape("series:N", scale=scales["shape"], legend=None),
        tooltip=[alt.Tooltip(f"{field}:N") for field in ("case", "median", "best", "of limit", "samples")],
    )
    measured = any(row["low"] is not None for row in rows)
    layers: list[Any] = [line, *([whisker] if measured else []), dots]
    if direct and len(names) > 1:
        layers.append(_end_labels(rows, names, scales["color"], bottom, top, logarithmic=logarithmic))
    if common is not None:
        layers = [*limit_line(common / factor, f"limit {quantity(common, unit)}"), *layers]
    chart = alt.layer(*layers).properties(width="container", height=HEIGHT)
    caption = f"Medians with their 95% intervals {_between(points)}." if measured else "Medians."
    if len({(point.series, point.x) for point in points}) < len(points):
        caption += " Where several cases share a place, the line joins the best of them."
    if common is not None:
        caption += " Dashed: the limit by the measured ceilings."
    return Drawn(name, plot.title, _describe(plot, points, unit), caption, chart)


def _row(point: SweepPoint, factor: float) -> dict[str, Any]:
    figure = point.figure
    return {
        "x": point.x,
        "y": figure.median.value / factor,
        "low": figure.interval[0] / factor if figure.interval else None,
        "high": figure.interval[1] / factor if figure.interval else None,
        "series": point.series,
        "case": f"{figure.title}, {point.case.label}",
        "median": figure.median.text,
        "best": figure.best.text,
        "of limit": figure.of_limit.text if figure.of_limit else "no limit known",
        "samples": figure.count.text,
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
    labels: alt.Chart = marks.encode(x="x:Q", y="y:Q", text="series:N", color=colour)
    return labels


def _x_scale(points: list[SweepPoint], *, logarithmic: bool) -> alt.Scale:
    values = [float(point.x) for point in points]
    if logarithmic and min(values) > 0:
        return alt.Scale(type="log", base=2 if _powers_of_two(values) else 10, nice=False)
    return alt.Scale(zero=False, nice=True, padding=8)


def _x_axis(points: list[SweepPoint], *, logarithmic: bool) -> alt.Axis:
    """Ticks at the measured values where these are few: no value is shown that was not run."""
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


def _cut(row: dict[str, Any], bottom: float, top: float) -> dict[str, Any]:
    """Its interval as far as the chart goes."""
    return row if row["low"] is None else row | {"low": max(row["low"], bottom), "high": min(row["high"], top)}


def _between(points: list[SweepPoint]) -> str:
    """What the intervals hold, of those figures that have one."""
    several = {bool(point.figure.medians) for point in points if point.figure.interval}
    if several == {True}:
        return "between launches"
    return "within the launch" if several == {False} else "between launches, or within the launch where there is one"


def _bars(name: str, plot: Plot, points: list[SweepPoint], unit: str) -> Drawn:
    largest = max(max(p.figure.median.value, p.figure.limit.value if p.figure.limit else 0) for p in points)
    factor, shown = scale(largest, unit)
    one_place, one_series = len({point.x for point in points}) == 1, len({point.series for point in points}) == 1
    every = [
        _row(point, factor)
        | _bar(point, plot.x, factor, place=one_series or not one_place, series=not one_series or one_place)
        for point in points
    ]
    rows = _best_of_each(every, points, ("label",))
    top = nice_ceiling(max(max(row["y"], row["limit"] or 0.0) for row in rows))
    order = [row["label"] for row in rows]
    y = alt.Y("label:N", sort=order, title=None, axis=alt.Axis(domain=False, ticks=False, labelColor="var(--ink)"))
    x_axis = alt.X("y:Q", title=shown, scale=alt.Scale(domain=[0, top], nice=False), axis=alt.Axis(tickCount=5))
    base = alt.Chart(inline(rows))
    tips = [alt.Tooltip(f"{field}:N") for field in ("case", "median", "best", "of limit", "samples")]
    bars = base.mark_bar(color="var(--c1)", height=15).encode(y=y, x=x_axis, tooltip=tips)
    ticks = base.transform_filter("datum.limit != null").mark_tick(color="var(--ink)", thickness=2, size=22)
    inside = base.transform_filter(f"datum.y >= {top * 0.55!r}").mark_text(align="right", dx=-6, color="var(--onbar)")
    outside = base.transform_filter(f"datum.y < {top * 0.55!r}").mark_text(align="left", dx=6, color="var(--ink)")
    chart = alt.layer(
        bars,
        ticks.encode(y=y, x="limit:Q"),
        inside.encode(y=y, x="y:Q", text="text:N"),
        outside.encode(y=y, x="y:Q", text="text:N"),
    ).properties(width="container", height=25 * len(rows))
    caption = "Medians." + (
        " Upright mark: the limit by the measured ceilings." if any(r["limit"] for r in rows) else ""
    )
    if len(rows) < len(points):
        caption += " Of several cases in one place, the best is drawn."
    if plot.x == LAYOUT:
        caption += " Hybrid a × b: a threads per rank, b ranks per node; flat MPI: one thread per rank."
    return Drawn(name, plot.title, _describe(plot, points, unit), caption, chart)


def _bar(point: SweepPoint, x: str, factor: float, *, series: bool, place: bool) -> dict[str, Any]:
    where = point.x if isinstance(point.x, str) else f"{x.replace('_', ' ')} {setting_text(_whole(point.x))}"
    parts = [point.series if series else "", where if place else ""]
    share = f"{point.figure.of_limit.text} of limit" if point.figure.of_limit else ""
    return {
        "label": ", ".join(part for part in parts if part),
        "limit": point.figure.limit.value / factor if point.figure.limit else None,
        "text": " · ".join(part for part in (point.figure.median.text, share) if part),
    }


def _describe(plot: Plot, points: list[SweepPoint], unit: str) -> str:
    values = [point.figure.median.value for point in points]
    return (
        f"{plot.title}: {len(points)} figures over {plot.x.replace('_', ' ')}, "
        f"from {quantity(min(values), unit)} to {quantity(max(values), unit)}."
    )
