"""Charts of the devices' clock and power over time in the headline's case."""

from collections.abc import Sequence

import altair as alt

from banzuke.charts.place import nice_ceiling
from banzuke.charts.style import COLOURS, HEIGHT, Drawn, inline, legend_of, series_scales
from banzuke.record.figures import Line, Series
from banzuke.report.chapter import Chapter
from banzuke.units import scale
from banzuke.views.view import ViewCase
from banzuke.words import Message, Quantity, message
from banzuke.words.language import Words


def device_charts(chapter: Chapter, words: Words) -> list[Drawn]:
    """Return clock and power in the first case that has them; empty: no case drives devices that were watched."""
    case = next((case for case in chapter.cases if "device_clock" in case.assessment.record.series), None)
    if case is None:
        return []
    named = (
        ("device_clock", message("report-device-clock", benchmark=chapter.title)),
        ("device_power", message("report-device-power", benchmark=chapter.title)),
    )
    series = case.assessment.record.series
    return [_drawn(chapter, case, series[name], name, title, words) for name, title in named if name in series]


def _drawn(chapter: Chapter, case: ViewCase, series: Series, name: str, title: Message, words: Words) -> Drawn:
    """Draw at most as many lines as there are colours: those with the smallest mean, which slow the others down."""
    lines = sorted(series.lines, key=lambda line: sum(line.values) / len(line.values))[: len(COLOURS)]
    values = [line.base + step * series.resolution for line in lines for step in line.values]
    low, high = min(values), max(values)
    factor, unit = scale(high, series.unit)
    labels = _labels(case, lines, words)
    rows = [
        {"x": round(time, 3), "y": (line.base + step * series.resolution) / factor, "series": label}
        for label, line in zip(labels, lines, strict=True)
        for time, step in zip(line.times or [], line.values, strict=False)
    ]
    scales, legend = series_scales(labels), legend_of(labels, "stroke")
    top = nice_ceiling(high / factor * 1.02) if high > 0 else 1.0
    chart = alt.layer(
        alt.Chart(inline(rows))
        .mark_line(strokeWidth=1.75)
        .encode(
            x=alt.X("x:Q", title=words(message("report-device-seconds")), axis=alt.Axis(grid=False)),
            y=alt.Y("y:Q", title=unit, scale=alt.Scale(domain=[0, top], nice=False), axis=alt.Axis(tickCount=5)),
            color=alt.Color("series:N", scale=scales["color"], legend=legend, sort=None),
            strokeDash=alt.StrokeDash("series:N", scale=scales["dash"], legend=legend, sort=None),
        )
    ).properties(width="container", height=HEIGHT)
    heading = f"{words(title)}: {case.label}" if case.label else words(title)
    drawn = message("report-device-drawn", low=Quantity(low, series.unit), high=Quantity(high, series.unit))
    caption = [message("report-device-caption")]
    if len(lines) < len(series.lines):
        caption.append(message("report-device-some", shown=len(lines), all=len(series.lines)))
    slug = f"{chapter.slug}-{name.replace('_', '-')}"
    return Drawn(slug, heading, words(drawn), words.sentences(caption), chart)


def _labels(case: ViewCase, lines: Sequence[Line], words: Words) -> list[str]:
    """Return labels with the host's number of each device, and with the host where there are several."""
    devices = case.assessment.record.conditions.get("devices")
    several = len({line.host for line in lines}) > 1
    labels = []
    for line in lines:
        entry = devices.get(line.device or "") if isinstance(devices, dict) else None
        number = entry.get("number") if isinstance(entry, dict) else None
        device = str(line.device if number is None else number)
        labels.append(words(message("report-device", device=f"{line.host}:{device}" if several else device)))
    return labels
