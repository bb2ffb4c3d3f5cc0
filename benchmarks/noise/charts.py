"""Charts of noise: quantum by quantum, its distribution, by processor, and its spectrum."""

import math
from typing import Any

import altair as alt
import numpy as np

from banzuke.charts.place import nice_ceiling
from banzuke.charts.style import inline
from banzuke.document import Chart
from banzuke.text import slug
from banzuke.units import percent, quantity, scale
from banzuke.views.view import ViewSection
from banzuke.words import Listed, Quantity, Share, message

from .canvas import Canvas, Rows, series
from .groups import EnvironmentGroup, NoiseCase, peaks
from .processors import by_processor
from .quanta import Envelope, Steps
from .sources import NONE, processor

COLUMNS = 320
"""Columns for all cases of a group together: half of a chart's pixels."""
STEPS = 240
"""Most lengths of a distribution that are drawn."""
FREQUENCIES = 640
NAMED = 5
"""Peaks that are labelled in the chart."""
_PANEL = 0.94
"""Share of an environment's width that is drawn on."""
_WIDE = 50.0
"""Ratio of the longest noise to that of a usual column from which the axis is logarithmic."""
_FLOOR = 1e-5
"""Lower end of a logarithmic axis, as a share of the longest noise; shorter noise is drawn at this end."""
_LEAST = 1e-9


def charts_of(section: ViewSection, group: EnvironmentGroup) -> list[Chart]:
    canvas = Canvas(section, group)
    spectra = [_spectrum(canvas, run) for run in group.runs]
    made = [_quanta(canvas), _distribution(canvas), *by_processor(canvas), *spectra]
    return [chart for chart in made if chart]


def _quanta(canvas: Canvas) -> Chart | None:
    """Draw the noise of each quantum, environments side by side on one axis."""
    runs, say = canvas.group.runs, canvas.say
    panels = len(runs) > 1
    bands = [run.noise.envelope(COLUMNS // len(runs)) for run in runs]
    tops = [_tops(band) for band in bands]
    longest = max(map(max, tops))
    if longest <= 0:
        return None
    usual = min(sorted(heights)[len(heights) // 2] for heights in tops)
    wide = longest > _WIDE * max(usual, longest * _FLOOR)
    floor = 10 ** math.floor(math.log10(max(_LEAST, longest * _FLOOR))) if wide else 0.0
    factor, unit = scale(max(1e-6, longest / 1000) if wide else longest, "s")
    areas: Rows = []
    points: Rows = []
    for index, (run, band) in enumerate(zip(runs, bands, strict=True)):
        quanta, label = run.noise.quanta, run.label
        first, step = (index, _PANEL / quanta) if panels else (0, 1.0)
        for column, ends in enumerate(zip(band.low, band.high, strict=True)):
            low, high = (max(end, floor) / factor for end in ends)
            last = column == len(band.low) - 1
            for at in (column, column + 1) if last else (column,):
                x = first + step * min(quanta, at * band.width)
                areas.append({"x": x, "low": low, "high": high, "series": label})
        points += [
            {
                "x": first + step * far.number,
                "y": max(far.noise, floor) / factor,
                "series": label,
                "quantum": f"{far.number + 1:,} / {quanta:,}",
                "where": say(processor(run.noise.core(run.noise.traces[far.trace]))),
                "noise": quantity(far.noise, "s"),
            }
            for far in band.points
        ]
    most = len(runs) - 1 + _PANEL if panels else runs[0].noise.quanta
    axis = alt.Axis(grid=False, labels=not panels, ticks=not panels, tickCount=6)
    along = message("noise-in-order") if panels else message("noise-number")
    across = alt.X("x:Q", title=say(along), scale=alt.Scale(domain=[0, most], nice=False), axis=axis)
    whole = alt.Scale(domain=[0, nice_ceiling(longest / factor * 1.02)], nice=False)
    linear = alt.Y("y:Q", title=unit, scale=whole, axis=alt.Axis(tickCount=5))
    y = canvas.log_axis(alt.Y, unit, (floor / factor, longest / factor * 1.5)) if wide else linear
    look = series([run.label for run in runs])
    tips = canvas.tips(
        {
            "series": message("noise-environment"),
            "where": message("noise-processor-column"),
            "quantum": message("noise-quantum"),
            "noise": message("noise-noise"),
        }
    )
    area = alt.Chart(inline(areas)).mark_area(interpolate="step-after", opacity=0.45)
    marks = alt.Chart(inline(points)).mark_point(filled=True, size=9, opacity=0.9)
    rules = alt.Chart(inline([{"x": index - (1 - _PANEL) / 2} for index in range(1, len(runs))]))
    layers: list[Any] = [
        area.encode(x=across, y=alt.Y("low:Q"), y2=alt.Y2("high:Q"), color=look["color"]),
        marks.encode(x=across, y=y, tooltip=tips, **look),
        *([rules.mark_rule(color="var(--rule)").encode(x=alt.X("x:Q"))] if panels else []),
    ]
    undisturbed = Listed(tuple(dict.fromkeys(Quantity(run.noise.quantum, "s") for run in runs)))
    caption = message(
        "noise-quanta-caption",
        floor=Quantity(floor, "s") if wide else NONE,
        quantum=undisturbed if canvas.group.kind == "fwq" else NONE,
    )
    return canvas.chart("quanta", message("noise-quanta-title"), canvas.longest, caption, alt.layer(*layers))


def _tops(band: Envelope) -> list[float]:
    """Return the longest noise of each column."""
    tops = list(band.high)
    for point in band.points:
        column = point.number // band.width
        tops[column] = max(tops[column], point.noise)
    return tops


def _distribution(canvas: Canvas) -> Chart | None:
    """Draw the share of the quanta with at least as much noise."""
    runs, say = canvas.group.runs, canvas.say
    every = {run.label: run.noise.steps for run in runs}
    if len(runs) == 1 and runs[0].noise.steps_beyond:
        both = (runs[0].noise.steps, runs[0].noise.steps_beyond)
        every = dict(zip(map(say, (message("noise-all"), message("noise-beyond-clock"))), both, strict=True))
    points = [(name, length, share) for name, steps in every.items() for length, share in _exceeding(steps)]
    if len(points) < 2:
        return None
    lengths, shares = [length for _, length, _ in points], [share for *_, share in points]
    factor, unit = scale(math.sqrt(min(lengths) * max(lengths)), "s")
    rows: Rows = [
        {"x": x / factor, "y": 100 * y, "series": name, "length": quantity(x, "s"), "share": percent(y)}
        for name, x, y in points
    ]
    length, exceeding = say(message("noise-length-axis", unit=unit)), say(message("noise-exceeding-axis"))
    x = canvas.log_axis(alt.X, length, (min(lengths) / factor, max(lengths) / factor * 1.2), grid=False)
    y = canvas.log_axis(alt.Y, exceeding, (100 * min(shares) / 1.5, 100.0))
    line = alt.Chart(inline(rows)).mark_line(interpolate="step-before", strokeWidth=1.7)
    noise, longer = message("noise-noise"), message("noise-exceeding")
    tips = canvas.tips({"series": noise, "length": message("noise-length"), "share": longer})
    drawn = alt.layer(
        line.encode(x=x, y=y, **series(list(every), lines=True)),
        alt.Chart(inline(rows)).mark_point(opacity=0, size=60).encode(x=x, y=y, tooltip=tips),
    )
    title, caption = message("noise-distribution-title"), message("noise-distribution-caption")
    return canvas.chart("distribution", title, canvas.longest, caption, drawn)


def _exceeding(steps: Steps) -> list[tuple[float, float]]:
    """Return lengths and the share of the quanta with at least as much noise, thinned out for drawing."""
    shares = steps.counts[::-1].cumsum()[::-1] / steps.total
    visible = (steps.lengths >= _LEAST) & (shares > 0)  # a record may count a length that no quantum had
    lengths, shares = steps.lengths[visible], shares[visible]
    if len(lengths) > STEPS:
        places = np.log(lengths / lengths[0]) / math.log(lengths[-1] / lengths[0]) * STEPS
        _, first = np.unique(places.astype(int), return_index=True)
        lengths, shares = lengths[first], shares[first]
    return [(_short(length), _short(share)) for length, share in zip(lengths, shares, strict=True)]


def _short(value: float) -> float:
    """Round to six digits, enough for drawing."""
    return float(f"{value:.6g}")


def _spectrum(canvas: Canvas, run: NoiseCase) -> Chart | None:
    spectrum, say = run.noise.spectrum, canvas.say
    if spectrum is None:
        return None
    width = math.ceil(len(spectrum.amplitudes) / FREQUENCIES)
    begins = range(1, len(spectrum.amplitudes), width)
    columns = [begin + int(spectrum.amplitudes[begin : begin + width].argmax()) for begin in begins]
    rows: Rows = [
        {"x": _short(place * spectrum.step), "y": _short(100 * spectrum.amplitudes[place])}
        for place in columns
        if spectrum.amplitudes[place] > 0
    ]
    named = sorted(peaks(run.noise), key=lambda line: -line.peak.amplitude)[:NAMED]
    marked: Rows = [
        {
            "x": line.peak.frequency,
            "y": 100 * line.peak.amplitude,
            "text": quantity(line.peak.frequency, "Hz"),
            "what": say(line.name),
            "each": "–" if line.lost is None else quantity(line.lost, "s"),
            "late": line.peak.frequency > 0.8 * spectrum.highest,
        }
        for line in named
    ]
    heights = [row["y"] for row in (*rows, *marked)]
    domain = (max(min(heights) / 1.3, max(heights) * 1e-6), max(heights) * 3)
    y = canvas.log_axis(alt.Y, say(message("noise-work-axis")), domain)
    whole = alt.Scale(domain=[0, spectrum.highest], nice=False)
    x = alt.X("x:Q", title="Hz", scale=whole, axis=alt.Axis(grid=False, tickCount=8))
    layers: list[Any] = [alt.Chart(inline(rows)).mark_line(strokeWidth=1, color="var(--c1)").encode(x=x, y=y)]
    if marked:
        base = alt.Chart(inline(marked)).encode(x=x, y=y)
        titles = {"text": message("noise-frequency"), "what": message("noise-cause"), "each": message("noise-takes")}
        points = base.mark_point(filled=True, size=40, opacity=1, color="var(--accent)")
        right = base.transform_filter("!datum.late").mark_text(align="left", dx=6, dy=-6)
        left = base.transform_filter("datum.late").mark_text(align="right", dx=-6, dy=-6)
        layers += [
            points.encode(tooltip=canvas.tips(titles)),
            *(side.encode(text=alt.Text("text:N")) for side in (right, left)),
        ]
    messages = tuple(
        message("noise-peak-at", frequency=Quantity(line.peak.frequency, "Hz"), share=Share(line.peak.amplitude))
        for line in named
    )
    shows = message("noise-spectrum-shows", peaks=Listed(messages) if messages else NONE)
    caption = message("noise-spectrum-caption", peaks=len(spectrum.peaks), highest=Quantity(spectrum.highest, "Hz"))
    title = message("noise-spectrum-title", environment=canvas.environment(run))
    return canvas.chart(f"spectrum-{slug(run.label)}", title, shows, caption, alt.layer(*layers))
