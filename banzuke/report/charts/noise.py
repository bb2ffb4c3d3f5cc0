"""Noise of fixed quanta: over their numbers, its distribution, by processor, and its spectrum."""

import math
from bisect import bisect
from collections.abc import Sequence
from typing import Any, Literal

import altair as alt

from banzuke.charts.heat import heat_map, steps_of, thresholds_of
from banzuke.charts.place import decades, nice_ceiling
from banzuke.charts.style import HEIGHT, Drawn, inline, legend_of, series_scales
from banzuke.report.content import Section
from banzuke.report.noise_content import NoiseGroup, Run
from banzuke.text import slug
from banzuke.units import count, percent, quantity, scale

_PANEL = 0.94
"""Of the width that each environment has."""
_WIDE = 50.0
"""The longest noise over that of a usual column from which the axis is logarithmic."""
_FLOOR = 1e-5
"""Of the longest noise, what is less than this lies on the axis where it is logarithmic."""
_LEAST = 1e-9
_MAPS = 4
"""Environments up to which each has a map of its processors."""
_BESIDE = "without the clock's part"
_FEW = 3
"""Processors below which the table says it all."""
_SPAN = 4.0
"""Ratio of the ends of a logarithmic axis, at least."""
_NAMED = 5
"""Peaks that are named in the chart."""


def noise_charts(section: Section, group: NoiseGroup) -> list[Drawn]:
    drawn = [_quanta(section, group), _tail(section, group), *_cores(section, group), *_spectra(section, group)]
    return [chart for chart in drawn if chart]


def _log(domain: list[float]) -> alt.Scale:
    return alt.Scale(type="log", domain=domain, nice=False)


def _name(section: Section, group: NoiseGroup, what: str) -> str:
    return f"{section.slug}-{group.slug}-{what}"


def _title(section: Section, group: NoiseGroup, what: str) -> str:
    return f"{section.title}, {group.title[0].lower()}{group.title[1:]}: {what}"


def _colours(group: NoiseGroup) -> dict[str, Any]:
    names = [run.label for run in group.runs]
    scales = series_scales(names)
    legend = legend_of(names)
    return {
        "color": alt.Color("series:N", scale=scales["color"], legend=legend, sort=None),
        "shape": alt.Shape("series:N", scale=scales["shape"], legend=legend, sort=None),
    }


def _quanta(section: Section, group: NoiseGroup) -> Drawn | None:
    """One environment beside the other, all on one axis."""
    longest = max(max([*run.band.high, *(point.noise for point in run.band.points)]) for run in group.runs)
    if longest <= 0:
        return None
    tops = sorted(_tops(run)[len(_tops(run)) // 2] for run in group.runs)
    wide = longest > _WIDE * max(tops[0], longest * _FLOOR)
    floor = 10 ** math.floor(math.log10(max(_LEAST, longest * _FLOOR))) if wide else 0.0
    factor, unit = scale(longest if not wide else max(1e-6, longest / 1000), "s")
    panels = len(group.runs) > 1
    bands: list[dict[str, Any]] = []
    points: list[dict[str, Any]] = []
    for index, run in enumerate(group.runs):

        def x(number: float, index: int = index, run: Run = run) -> float:
            return index + _PANEL * number / run.quanta if panels else number

        for column, (low, high) in enumerate(zip(run.band.low, run.band.high, strict=True)):
            at = {"low": max(low, floor) / factor, "high": max(high, floor) / factor, "series": run.label}
            ends = (column, column + 1) if column == len(run.band.low) - 1 else (column,)
            bands += [{"x": x(min(run.quanta, end * run.band.width)), **at} for end in ends]
        points += [
            {
                "x": x(far.number),
                "y": max(far.noise, floor) / factor,
                "series": run.label,
                "quantum": f"{far.number + 1:,} of {run.quanta:,}",
                "where": far.who,
                "noise": quantity(far.noise, "s"),
            }
            for far in run.band.points
        ]
    chart = _drawn_quanta(group, bands, points, _heights(floor / factor, longest / factor, unit), panels=panels)
    quanta = {run.quanta for run in group.runs}
    what = "Each quantum" if len(quanta) == 1 and max(quanta) < 2 * len(bands) else "Every quantum of every processor"
    told = f"{what} lies in the band or is one of the points, and the farthest are points."
    if wide:
        told += f" Logarithmic axis; less than {quantity(floor, 's')} lies on it."
    told += f" Undisturbed, a quantum took {_undisturbed(group)}." if group.kind == "fwq" else ""
    each = "; ".join(f"{_longest_of(run)} the longest in {run.label}" for run in group.runs)
    title = _title(section, group, "noise of each quantum")
    return Drawn(_name(section, group, "quanta"), title, f"{title}: {each}.", told, chart)


def _tops(run: Run) -> list[float]:
    """Of each column the longest noise, ascending."""
    tops = list(run.band.high)
    for point in run.band.points:
        column = min(point.number // run.band.width, len(tops) - 1)
        tops[column] = max(tops[column], point.noise)
    return sorted(tops)


def _undisturbed(group: NoiseGroup) -> str:
    return " or ".join(dict.fromkeys(run.quantum.text for run in group.runs))


def _longest_of(run: Run) -> str:
    return run.statistics[0].values["maximum"].text


def _heights(floor: float, longest: float, unit: str) -> alt.Y:
    if floor:
        domain = [floor, longest * 1.5]
        axis = alt.Axis(values=decades(*domain))
        return alt.Y("y:Q", title=f"{unit}, log scale", scale=_log(domain), axis=axis)
    whole = alt.Scale(domain=[0, nice_ceiling(longest * 1.02)], nice=False)
    return alt.Y("y:Q", title=unit, scale=whole, axis=alt.Axis(tickCount=5))


def _drawn_quanta(
    group: NoiseGroup, bands: list[dict[str, Any]], points: list[dict[str, Any]], y: alt.Y, *, panels: bool
) -> alt.LayerChart | alt.FacetChart:
    most = len(group.runs) - 1 + _PANEL if panels else max(run.quanta for run in group.runs)
    title = "from the first quantum to the last" if panels else "number of the quantum"
    axis = alt.Axis(grid=False, labels=False, ticks=False) if panels else alt.Axis(grid=False, tickCount=6)
    x = alt.X("x:Q", title=title, scale=alt.Scale(domain=[0, most], nice=False), axis=axis)
    colours = _colours(group)
    area = alt.Chart(inline(bands)).mark_area(interpolate="step-after", opacity=0.45)
    layers: list[Any] = [area.encode(x=x, y=alt.Y("low:Q"), y2="high:Q", color=colours["color"])]
    tips = [alt.Tooltip("series:N", title="environment")]
    tips += [alt.Tooltip(f"{field}:N") for field in ("where", "quantum", "noise")]
    marks = alt.Chart(inline(points)).mark_point(filled=True, size=9, opacity=0.9)
    layers.append(marks.encode(x=x, y=y, tooltip=tips, **colours))
    if panels:
        rules = alt.Chart(inline([{"x": index - (1 - _PANEL) / 2} for index in range(1, len(group.runs))]))
        layers.append(rules.mark_rule(color="var(--rule)").encode(x="x:Q"))
    drawn: alt.LayerChart | alt.FacetChart = alt.layer(*layers).properties(width="container", height=HEIGHT)
    return drawn


def _tail(section: Section, group: NoiseGroup) -> Drawn | None:
    """Which share of the quanta has more noise than so much."""
    tails = {run.label: run.tail for run in group.runs}
    if len(group.runs) == 1 and group.runs[0].tail_beyond:
        tails = {"all": group.runs[0].tail, _BESIDE: group.runs[0].tail_beyond}
    rows: list[dict[str, Any]] = [
        {"x": length, "y": 100 * share, "series": name, "length": quantity(length, "s"), "share": percent(share)}
        for name, tail in tails.items()
        for length, share in tail
        if length >= _LEAST and share > 0
    ]
    if len(rows) < 2:
        return None
    lengths = [row["x"] for row in rows]
    factor, unit = scale(math.sqrt(min(lengths) * max(lengths)), "s")
    rows = [row | {"x": row["x"] / factor} for row in rows]
    x_domain = [min(lengths) / factor, max(lengths) / factor * 1.2]
    y_domain = [min(row["y"] for row in rows) / 1.5, 100.0]
    x = alt.X(
        "x:Q",
        title=f"noise, {unit}, log scale",
        scale=_log(x_domain),
        axis=alt.Axis(values=decades(*x_domain), grid=False, format=",~g"),
    )
    y = alt.Y(
        "y:Q",
        title="% of the quanta with as much noise or more, log scale",
        scale=_log(y_domain),
        axis=alt.Axis(values=decades(*y_domain), format=",~g"),
    )
    names = list(tails)
    scales = series_scales(names)
    legend = legend_of(names, "stroke")
    line = alt.Chart(inline(rows)).mark_line(interpolate="step-before", strokeWidth=1.7)
    tips = [alt.Tooltip("series:N"), alt.Tooltip("length:N"), alt.Tooltip("share:N", title="as much or more")]
    chart = alt.layer(
        line.encode(
            x=x,
            y=y,
            color=alt.Color("series:N", scale=scales["color"], legend=legend, sort=None),
            strokeDash=alt.StrokeDash("series:N", scale=scales["dash"], legend=legend, sort=None),
        ),
        alt.Chart(inline(rows)).mark_point(opacity=0, size=60).encode(x=x, y=y, tooltip=tips),
    ).properties(width="container", height=HEIGHT)
    title = _title(section, group, "how rare how much noise is")
    told = "; ".join(f"{name}: at most {quantity(tail[-1][0], 's')}" for name, tail in tails.items())
    caption = "Where a line ends is the longest noise that was measured; what is rarer was not seen."
    return Drawn(_name(section, group, "distribution"), title, f"{title}. {told}.", caption, chart)


def _cores(section: Section, group: NoiseGroup) -> list[Drawn]:
    if all(len(run.cores) < _FEW for run in group.runs):
        return []
    if any(square.y or "worst of" in square.who for run in group.runs for square in run.cores):
        return [_map(section, group, run) for run in group.runs[:_MAPS] if max(s.maximum for s in run.cores) > 0]
    longest = {"maximum": ("longest noise of each processor", "s"), "share": ("time lost by each processor", "1")}
    return [drawn for stat, of in longest.items() if (drawn := _by_core(section, group, stat, *of))]


def _by_core(section: Section, group: NoiseGroup, stat: str, what: str, unit: str) -> Drawn | None:
    known = [
        (run, square, square.maximum if stat == "maximum" else square.share)
        for run in group.runs
        for square in run.cores
    ]
    values = [value for _, _, value in known if value > 0]
    if not values:
        return None
    factor, shown = scale(math.sqrt(min(values) * max(values)), unit) if unit == "s" else (0.01, "% of the time")
    rows: list[dict[str, Any]] = [
        {
            "x": square.x,
            "y": value / factor,
            "series": run.label,
            "where": square.who,
            "figure": quantity(value, "s") if unit == "s" else percent(value),
        }
        for run, square, value in known
        if value > 0
    ]
    heights = [row["y"] for row in rows]
    middle = math.sqrt(min(heights) * max(heights))
    half = max(1.5 * max(heights) / middle, math.sqrt(_SPAN))
    domain = [middle / half, middle * half]
    y = alt.Y(
        "y:Q", title=f"{shown}, log scale", scale=_log(domain), axis=alt.Axis(values=decades(*domain), format=",~g")
    )
    places = sorted({square.x for _, square, _ in known})
    ticks = places[:: -(-len(places) // 12)]
    ends = alt.Scale(domain=[places[0] - 0.5, places[-1] + 0.5], nice=False)
    x = alt.X("x:Q", title="processor", scale=ends, axis=alt.Axis(values=ticks, grid=False, format="d"))
    tips = [alt.Tooltip("series:N", title="environment"), alt.Tooltip("where:N"), alt.Tooltip("figure:N", title=what)]
    marks = alt.Chart(inline(rows)).mark_point(filled=True, size=42, opacity=1)
    chart = alt.layer(marks.encode(x=x, y=y, tooltip=tips, **_colours(group)))
    highest = max(rows, key=lambda row: row["y"])
    title = _title(section, group, what)
    told = f"{title}: from {_text(min(values), unit)} to {highest['figure']}, {highest['where']}"
    told += f" in {highest['series']}." if len(group.runs) > 1 else "."
    left_out = len(known) - len(rows)
    caption = f"{left_out} without any are not drawn." if left_out else "Each point is a processor."
    return Drawn(
        _name(section, group, f"processors-{stat}"),
        title,
        told,
        caption,
        chart.properties(width="container", height=HEIGHT - 60),
    )


def _text(value: float, unit: str) -> str:
    return quantity(value, "s") if unit == "s" else percent(value)


def _map(section: Section, group: NoiseGroup, run: Run) -> Drawn:
    """Hosts below each other, their processors side by side."""
    longest = [square.maximum for square in run.cores if square.maximum > 0]
    thresholds = thresholds_of(longest)
    factor, unit = scale(math.sqrt(min(longest) * max(longest)), "s")
    steps = steps_of([value / factor for value in thresholds], unit)
    rows: list[dict[str, Any]] = [
        {
            "x": square.x,
            "y": square.y,
            "step": steps[bisect(thresholds, square.maximum)],
            "where": square.who,
            "longest": quantity(square.maximum, "s"),
            "time lost": percent(square.share),
        }
        for square in run.cores
    ]
    across, down = (sorted({row[axis] for row in rows}) for axis in ("x", "y"))
    side = max(40, min(420, 14 * len(down)))
    tips = ("where", "longest", "time lost")
    chart = heat_map(
        rows, ("processor of the host", across), ("host", down), steps, tips={tip: tip for tip in tips}, side=side
    )
    of = f", {run.label}" if len(group.runs) > 1 else ""
    title = _title(section, group, f"longest noise of each processor{of}")
    worst = max(run.cores, key=lambda square: square.maximum)
    told = f"{title}: from {quantity(min(longest), 's')} to {quantity(worst.maximum, 's')}, {worst.who}."
    caption = "The stronger the colour, the longer."
    if any("worst of" in square.who for square in run.cores):
        caption += " A square is a block of processors and has the worst of their figures."
    return Drawn(_name(section, group, f"processors-{slug(run.label)}"), title, told, caption, chart)


def _spectra(section: Section, group: NoiseGroup) -> list[Drawn]:
    return [_spectrum(section, group, run) for run in group.runs if run.spectrum]


def _spectrum(section: Section, group: NoiseGroup, run: Run) -> Drawn:
    found = run.spectrum
    if found is None:
        raise ValueError("a spectrum is drawn where there is one")
    rows: list[dict[str, Any]] = [
        {"x": frequency, "y": 100 * amplitude}
        for frequency, amplitude in zip(found.frequencies, found.amplitudes, strict=True)
        if amplitude > 0
    ]
    heights = [row["y"] for row in rows] + [100 * peak.amplitude.value for peak in found.peaks]
    domain = [max(min(heights) / 1.3, max(heights) * 1e-6), max(heights) * 3]
    y = alt.Y(
        "y:Q",
        title="% of the work, log scale",
        scale=_log(domain),
        axis=alt.Axis(values=decades(*domain), format=",~g"),
    )
    whole = alt.Scale(domain=[0, found.highest.value], nice=False)
    x = alt.X("x:Q", title="Hz", scale=whole, axis=alt.Axis(grid=False, tickCount=8))
    highest = sorted(found.peaks, key=lambda peak: -peak.amplitude.value)[:_NAMED]
    named: list[dict[str, Any]] = [
        {
            "x": peak.frequency.value,
            "y": 100 * peak.amplitude.value,
            "text": peak.frequency.text,
            "what": peak.name or "not known",
            "each": peak.lost.text if peak.lost else "not told",
            "late": peak.frequency.value > 0.8 * found.highest.value,
        }
        for peak in highest
    ]
    tips = [alt.Tooltip("text:N", title="comes"), alt.Tooltip("what:N"), alt.Tooltip("each:N", title="takes about")]
    layers: list[Any] = [alt.Chart(inline(rows)).mark_line(strokeWidth=1, color="var(--c1)").encode(x=x, y=y)]
    if named:
        base = alt.Chart(inline(named))
        layers.append(
            base.mark_point(filled=True, size=40, opacity=1, color="var(--accent)").encode(x=x, y=y, tooltip=tips)
        )
        sides: tuple[tuple[bool, Literal["left", "right"], int], ...] = ((False, "left", 6), (True, "right", -6))
        for late, align, dx in sides:
            text = base.transform_filter(f"datum.late == {str(late).lower()}")
            layers.append(text.mark_text(align=align, dx=dx, dy=-6).encode(x=x, y=y, text="text:N"))
    of = f", {run.label}" if len(group.runs) > 1 else ""
    title = _title(section, group, f"spectrum{of}")
    told = "; ".join(f"{p.frequency.text}{', ' + p.name if p.name else ''}" for p in highest) or "no peak"
    caption = f"Of the work missing in each interval. {_peaks(run)}"
    caption += f" What comes more often than {found.highest.text} appears at a lower frequency."
    chart = alt.layer(*layers).properties(width="container", height=HEIGHT)
    return Drawn(
        _name(section, group, f"spectrum-{slug(run.label)}"),
        title,
        f"{title}: {told}.",
        caption,
        chart,
    )


def _peaks(run: Run) -> str:
    peaks: Sequence[Any] = run.spectrum.peaks if run.spectrum else ()
    return f"{count(len(peaks), 'peak')}." if peaks else "No peak."
