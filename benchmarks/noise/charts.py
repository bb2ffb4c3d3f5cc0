"""Charts of noise: quantum by quantum, its distribution, by processor, and its spectrum."""

import math
from bisect import bisect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import altair as alt
import numpy as np

from banzuke.charts.heat import heat_map, steps_of, thresholds_of
from banzuke.charts.place import decades, nice_ceiling
from banzuke.charts.style import HEIGHT, Drawn, inline, legend_of, series_scales
from banzuke.document import Chart
from banzuke.limit.view import Section
from banzuke.plan.wording import benchmark_title
from banzuke.text import slug
from banzuke.units import percent, quantity, scale
from banzuke.words import Listed, Message, Quantity, Share, message
from banzuke.words.language import Words

from .groups import Group, Run, peaks
from .quanta import Core, Steps
from .sources import NONE, processor

COLUMNS = 320
"""Of all cases of a group together: half a chart's pixels."""
STEPS = 240
"""Most lengths of a distribution that are drawn."""
FREQUENCIES = 640
SINGLE = 128
"""Processors up to which each is drawn by itself."""
SIDE = 64
"""Squares along each side of a map of more."""
MAPS = 4
"""Environments up to which each has a map of its processors."""
FEW = 3
"""Processors below which the table says it all."""
NAMED = 5
"""Peaks that are named in the chart."""
_PANEL = 0.94
"""Of the width that each environment has."""
_WIDE = 50.0
"""The longest noise over that of a usual column from which the axis is logarithmic."""
_FLOOR = 1e-5
"""Of the longest noise, what is less than this lies on the axis where it is logarithmic."""
_LEAST = 1e-9
_SPAN = 4.0
"""Ratio of the ends of a logarithmic axis, at least."""

Rows = list[dict[str, Any]]


def charts_of(section: Section, group: Group) -> list[Chart]:
    made = [_quanta(section, group), _tail(section, group), *_cores(section, group), *_spectra(section, group)]
    return [drawn.block for drawn in made if drawn]


@dataclass(frozen=True)
class _Frame:
    """What a chart of a group is called."""

    section: Section
    group: Group
    what: Message

    def drawn(self, name: str, shows: Message, caption: Message, chart: Any, height: int = HEIGHT) -> Drawn:
        say = self.section.words
        benchmark = benchmark_title(self.section.benchmark)
        title = message("noise-chart-title", benchmark=benchmark, group=self.group.title, what=self.what)
        described = message("noise-description", title=title, shows=shows)
        chart = chart.properties(width="container", height=height) if height else chart
        return Drawn(f"{self.section.slug}-{self.group.slug}-{name}", say(title), say(described), say(caption), chart)


def _log(domain: Sequence[float]) -> alt.Scale:
    return alt.Scale(type="log", domain=list(domain), nice=False)


def _axis(say: Words, unit: str, domain: Sequence[float], kind: Any = alt.Y, **axis: Any) -> Any:
    """A logarithmic one."""
    ticks = alt.Axis(values=decades(*domain), format=",~g", **axis)
    field = "y:Q" if kind is alt.Y else "x:Q"
    return kind(field, title=say(message("noise-log-axis", quantity=unit)), scale=_log(domain), axis=ticks)


def _tips(say: Words, **fields: Message) -> list[alt.Tooltip]:
    return [alt.Tooltip(f"{field}:N", title=say(title)) for field, title in fields.items()]


def _colours(names: list[str]) -> dict[str, Any]:
    scales, legend = series_scales(names), legend_of(names)
    return {
        "color": alt.Color("series:N", scale=scales["color"], legend=legend, sort=None),
        "shape": alt.Shape("series:N", scale=scales["shape"], legend=legend, sort=None),
    }


def _labels(group: Group) -> list[str]:
    return [run.label for run in group.runs]


def _longest(group: Group) -> Listed:
    """Of each environment."""
    return Listed(
        tuple(
            message("noise-longest-in", length=Quantity(run.noise.all.maximum, "s"), environment=run.label)
            for run in group.runs
        )
    )


def _quanta(section: Section, group: Group) -> Drawn | None:
    """One environment beside the other, all on one axis."""
    say, panels = section.words, len(group.runs) > 1
    bands = [run.noise.envelope(COLUMNS // len(group.runs)) for run in group.runs]
    longest = max(max([*band.high, *(point.noise for point in band.points)]) for band in bands)
    if longest <= 0:
        return None
    usual = min(sorted(_tops(band))[len(band.high) // 2] for band in bands)
    wide = longest > _WIDE * max(usual, longest * _FLOOR)
    floor = 10 ** math.floor(math.log10(max(_LEAST, longest * _FLOOR))) if wide else 0.0
    factor, unit = scale(max(1e-6, longest / 1000) if wide else longest, "s")
    areas: Rows = []
    points: Rows = []
    for index, (run, band) in enumerate(zip(group.runs, bands, strict=True)):
        quanta = run.noise.quanta
        first, step = (index, _PANEL / quanta) if panels else (0, 1.0)
        for column, (low, high) in enumerate(zip(band.low, band.high, strict=True)):
            at = {"low": max(low, floor) / factor, "high": max(high, floor) / factor, "series": run.label}
            ends = (column, column + 1) if column == len(band.low) - 1 else (column,)
            areas += [{"x": first + step * min(quanta, end * band.width), **at} for end in ends]
        points += [
            {
                "x": first + step * far.number,
                "y": max(far.noise, floor) / factor,
                "series": run.label,
                "quantum": f"{far.number + 1:,} / {quanta:,}",
                "where": say(processor(run.noise.core(run.noise.traces[far.trace]))),
                "noise": quantity(far.noise, "s"),
            }
            for far in band.points
        ]
    most = len(group.runs) - 1 + _PANEL if panels else group.runs[0].noise.quanta
    axis = alt.Axis(grid=False, labels=False, ticks=False) if panels else alt.Axis(grid=False, tickCount=6)
    along = message("noise-in-order") if panels else message("noise-number")
    x = alt.X("x:Q", title=say(along), scale=alt.Scale(domain=[0, most], nice=False), axis=axis)
    whole = alt.Scale(domain=[0, nice_ceiling(longest / factor * 1.02)], nice=False)
    linear = alt.Y("y:Q", title=unit, scale=whole, axis=alt.Axis(tickCount=5))
    y = _axis(say, unit, (floor / factor, longest / factor * 1.5)) if wide else linear
    colours = _colours(_labels(group))
    tips = _tips(
        say,
        series=message("noise-environment"),
        where=message("noise-processor-column"),
        quantum=message("noise-quantum"),
        noise=message("noise-noise"),
    )
    area = alt.Chart(inline(areas)).mark_area(interpolate="step-after", opacity=0.45)
    marks = alt.Chart(inline(points)).mark_point(filled=True, size=9, opacity=0.9)
    layers: list[Any] = [
        area.encode(x=x, y=alt.Y("low:Q"), y2="high:Q", color=colours["color"]),
        marks.encode(x=x, y=y, tooltip=tips, **colours),
    ]
    if panels:
        rules = alt.Chart(inline([{"x": index - (1 - _PANEL) / 2} for index in range(1, len(group.runs))]))
        layers.append(rules.mark_rule(color="var(--rule)").encode(x="x:Q"))
    undisturbed = Listed(tuple(dict.fromkeys(Quantity(run.noise.quantum, "s") for run in group.runs)))
    caption = message(
        "noise-quanta-caption",
        floor=Quantity(floor, "s") if wide else NONE,
        quantum=undisturbed if group.kind == "fwq" else NONE,
    )
    shows = message("noise-quanta-shows", longest=_longest(group))
    return _Frame(section, group, message("noise-quanta-title")).drawn("quanta", shows, caption, alt.layer(*layers))


def _tops(band: Any) -> list[float]:
    """Of each column the longest noise."""
    tops = list(band.high)
    for point in band.points:
        column = point.number // band.width
        tops[column] = max(tops[column], point.noise)
    return tops


def _tail(section: Section, group: Group) -> Drawn | None:
    """Which share of the quanta has as much noise or more."""
    say = section.words
    tails = {run.label: _exceeding(run.noise.steps) for run in group.runs}
    beyond = group.runs[0].noise.steps_beyond
    if len(group.runs) == 1 and beyond:
        every, rest = say(message("noise-all")), say(message("noise-beyond-clock"))
        tails = {every: _exceeding(group.runs[0].noise.steps), rest: _exceeding(beyond)}
    lengths = [length for tail in tails.values() for length, _ in tail]
    if len(lengths) < 2:
        return None
    factor, unit = scale(math.sqrt(min(lengths) * max(lengths)), "s")
    rows: Rows = [
        {
            "x": length / factor,
            "y": 100 * share,
            "series": name,
            "length": quantity(length, "s"),
            "share": percent(share),
        }
        for name, tail in tails.items()
        for length, share in tail
    ]
    of_noise = say(message("noise-length-axis", unit=unit))
    x = _axis(say, of_noise, (min(lengths) / factor, max(lengths) / factor * 1.2), alt.X, grid=False)
    y = _axis(say, say(message("noise-exceeding-axis")), (min(row["y"] for row in rows) / 1.5, 100.0))
    names = list(tails)
    scales, legend = series_scales(names), legend_of(names, "stroke")
    line = alt.Chart(inline(rows)).mark_line(interpolate="step-before", strokeWidth=1.7)
    tips = _tips(say, series=message("noise-noise"), length=message("noise-length"), share=message("noise-exceeding"))
    chart = alt.layer(
        line.encode(
            x=x,
            y=y,
            color=alt.Color("series:N", scale=scales["color"], legend=legend, sort=None),
            strokeDash=alt.StrokeDash("series:N", scale=scales["dash"], legend=legend, sort=None),
        ),
        alt.Chart(inline(rows)).mark_point(opacity=0, size=60).encode(x=x, y=y, tooltip=tips),
    )
    frame = _Frame(section, group, message("noise-distribution-title"))
    shows = message("noise-distribution-shows", longest=_longest(group))
    return frame.drawn("distribution", shows, message("noise-distribution-caption"), chart)


def _exceeding(steps: Steps) -> list[tuple[float, float]]:
    """Lengths, and the share of the quanta with as much noise or more; few enough to be drawn."""
    shares = steps.counts[::-1].cumsum()[::-1] / steps.total
    visible = steps.lengths >= _LEAST
    lengths, shares = steps.lengths[visible], shares[visible]
    if len(lengths) > STEPS:
        places = np.log(lengths / lengths[0]) / math.log(lengths[-1] / lengths[0]) * STEPS
        _, first = np.unique(places.astype(int), return_index=True)
        lengths, shares = lengths[first], shares[first]
    return [(_short(length), _short(share)) for length, share in zip(lengths, shares, strict=True)]


def _short(value: float) -> float:
    """Drawn only: six digits do."""
    return float(f"{value:.6g}")


@dataclass(frozen=True)
class _Square:
    """A processor, or a block of them with the worst of their figures."""

    x: int
    """Its place within the host, or its number where there is one host."""
    y: int
    """Its host's place."""
    cores: Sequence[Core]

    @property
    def longest(self) -> Core:
        return max(self.cores, key=lambda core: core.maximum)

    @property
    def share(self) -> float:
        return max(core.share for core in self.cores)

    @property
    def who(self) -> Message:
        return message("noise-block", processor=processor(self.longest), processors=len(self.cores))


def _squares(cores: Sequence[Core]) -> list[_Square]:
    """Each processor, or of many the worst of each block, by host and place."""
    hosts = [list(of) for _, of in groupby(cores, key=lambda core: core.host)]
    if len(cores) <= SINGLE and len(hosts) == 1:
        return [_Square(core.cpu, 0, [core]) for core in cores]
    wide, high = math.ceil(max(map(len, hosts)) / SIDE), math.ceil(len(hosts) / SIDE)
    blocks: dict[tuple[int, int], list[Core]] = {}
    for y, of in enumerate(hosts):
        for x, core in enumerate(of):
            blocks.setdefault((x // wide * wide, y // high * high), []).append(core)
    return [_Square(x, y, of) for (x, y), of in blocks.items()]


def _cores(section: Section, group: Group) -> list[Drawn | None]:
    squares = {run.label: _squares(run.noise.cores) for run in group.runs}
    if all(len(run.noise.cores) < FEW for run in group.runs):
        return []
    if any(square.y or len(square.cores) > 1 for of in squares.values() for square in of):
        return [_map(section, group, run, squares[run.label]) for run in group.runs[:MAPS]]
    say, longest, share = section.words, message("noise-longest-title"), message("noise-share-title")
    return [
        _by_core(section, group, squares, "maximum", longest, lambda square: square.longest.maximum, "s"),
        _by_core(
            section, group, squares, "share", share, lambda square: square.share, say(message("noise-share-axis"))
        ),
    ]


def _by_core(
    section: Section,
    group: Group,
    squares: dict[str, list[_Square]],
    name: str,
    what: Message,
    figure: Callable[[_Square], float],
    unit: str,
) -> Drawn | None:
    """`unit`: s, or what a share is called in per cent."""
    say = section.words
    known = [(label, square, figure(square)) for label, of in squares.items() for square in of]
    values = [value for _, _, value in known if value > 0]
    if not values:
        return None
    middle = math.sqrt(min(values) * max(values))
    factor, shown = scale(middle, "s") if unit == "s" else (0.01, unit)
    text = (lambda value: quantity(value, "s")) if unit == "s" else percent
    rows: Rows = [
        {
            "x": square.x,
            "y": value / factor,
            "series": label,
            "where": say(square.who),
            "figure": text(value),
        }
        for label, square, value in known
        if value > 0
    ]
    half = max(1.5 * max(values) / middle, math.sqrt(_SPAN))
    y = _axis(say, shown, (middle / factor / half, middle / factor * half))
    places = sorted({square.x for _, square, _ in known})
    ends = alt.Scale(domain=[places[0] - 0.5, places[-1] + 0.5], nice=False)
    ticks = alt.Axis(values=places[:: -(-len(places) // 12)], grid=False, format="d")
    x = alt.X("x:Q", title=say(message("noise-processor-column")), scale=ends, axis=ticks)
    tips = _tips(say, series=message("noise-environment"), where=message("noise-processor-column"), figure=what)
    marks = alt.Chart(inline(rows)).mark_point(filled=True, size=42, opacity=1)
    chart = alt.layer(marks.encode(x=x, y=y, tooltip=tips, **_colours(_labels(group))))
    highest = max(rows, key=lambda row: row["y"])
    shows = message(
        "noise-processors-shows",
        least=text(min(values)),
        most=highest["figure"],
        where=highest["where"],
        environment=highest["series"] if len(group.runs) > 1 else NONE,
    )
    caption = message("noise-processors-caption", missing=len(known) - len(rows))
    return _Frame(section, group, what).drawn(f"processors-{name}", shows, caption, chart, HEIGHT - 60)


def _map(section: Section, group: Group, run: Run, squares: Sequence[_Square]) -> Drawn | None:
    """Hosts below each other, their processors side by side."""
    say = section.words
    longest = [square.longest.maximum for square in squares if square.longest.maximum > 0]
    if not longest:
        return None
    thresholds = thresholds_of(longest)
    factor, unit = scale(math.sqrt(min(longest) * max(longest)), "s")
    steps = steps_of([value / factor for value in thresholds], unit)
    rows: Rows = [
        {
            "x": square.x,
            "y": square.y,
            "step": steps[bisect(thresholds, square.longest.maximum)],
            "where": say(square.who),
            "longest": quantity(square.longest.maximum, "s"),
            "lost": percent(square.share),
        }
        for square in squares
    ]
    tips = {
        "where": say(message("noise-processor-column")),
        "longest": say(message("noise-longest")),
        "lost": say(message("noise-share")),
    }
    across, down = (sorted({row[axis] for row in rows}) for axis in ("x", "y"))
    side = max(40, min(420, 14 * len(down)))
    titles = [say(message("noise-processor-of-host")), say(message("noise-host"))]
    chart = heat_map(rows, (titles[0], across), (titles[1], down), steps, tips=tips, side=side)
    worst = max(squares, key=lambda square: square.longest.maximum)
    shows = message(
        "noise-processors-shows",
        least=quantity(min(longest), "s"),
        most=quantity(worst.longest.maximum, "s"),
        where=worst.who,
        environment=run.label if len(group.runs) > 1 else NONE,
    )
    caption = message("noise-map-caption", block=max(len(square.cores) for square in squares))
    what = message("noise-map-title", environment=run.label if len(group.runs) > 1 else NONE)
    return _Frame(section, group, what).drawn(f"processors-{slug(run.label)}", shows, caption, chart, 0)


def _spectra(section: Section, group: Group) -> list[Drawn]:
    return [_spectrum(section, group, run) for run in group.runs if run.noise.spectrum]


def _spectrum(section: Section, group: Group, run: Run) -> Drawn:
    say, found = section.words, run.noise.spectrum
    if found is None:
        raise ValueError("a spectrum is drawn where there is one")
    width = math.ceil(len(found.amplitudes) / FREQUENCIES)
    columns = [
        begin + int(found.amplitudes[begin : begin + width].argmax())
        for begin in range(1, len(found.amplitudes), width)
    ]
    rows: Rows = [
        {"x": _short(place * found.step), "y": _short(100 * found.amplitudes[place])}
        for place in columns
        if found.amplitudes[place] > 0
    ]
    named = sorted(peaks(run.noise), key=lambda one: -one.peak.amplitude)[:NAMED]
    marked: Rows = [
        {
            "x": one.peak.frequency,
            "y": 100 * one.peak.amplitude,
            "text": quantity(one.peak.frequency, "Hz"),
            "what": say(message("noise-peak", rate=one.tick.rate if one.tick else 0)),
            "each": "–" if one.lost is None else quantity(one.lost, "s"),
            "late": one.peak.frequency > 0.8 * found.highest,
        }
        for one in named
    ]
    heights = [row["y"] for row in (*rows, *marked)]
    y = _axis(say, say(message("noise-work-axis")), (max(min(heights) / 1.3, max(heights) * 1e-6), max(heights) * 3))
    whole = alt.Scale(domain=[0, found.highest], nice=False)
    x = alt.X("x:Q", title="Hz", scale=whole, axis=alt.Axis(grid=False, tickCount=8))
    layers: list[Any] = [alt.Chart(inline(rows)).mark_line(strokeWidth=1, color="var(--c1)").encode(x=x, y=y)]
    if marked:
        base = alt.Chart(inline(marked))
        tips = _tips(say, text=message("noise-frequency"), what=message("noise-cause"), each=message("noise-takes"))
        points = base.mark_point(filled=True, size=40, opacity=1, color="var(--accent)")
        layers.append(points.encode(x=x, y=y, tooltip=tips))
        right = base.transform_filter("!datum.late").mark_text(align="left", dx=6, dy=-6)
        left = base.transform_filter("datum.late").mark_text(align="right", dx=-6, dy=-6)
        layers += [side.encode(x=x, y=y, text="text:N") for side in (right, left)]
    known = tuple(
        message(
            "noise-peak-at",
            frequency=Quantity(one.peak.frequency, "Hz"),
            share=Share(one.peak.amplitude),
            rate=one.tick.rate if one.tick else 0,
        )
        for one in named
    )
    shows = message("noise-spectrum-shows", peaks=Listed(known) if known else NONE)
    caption = message("noise-spectrum-caption", peaks=len(found.peaks), highest=Quantity(found.highest, "Hz"))
    what = message("noise-spectrum-title", environment=run.label if len(group.runs) > 1 else NONE)
    return _Frame(section, group, what).drawn(f"spectrum-{slug(run.label)}", shows, caption, alt.layer(*layers))
