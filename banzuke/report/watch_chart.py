"""Draws the history of a watched figure: its runs, the level between lasting changes, and each change."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from banzuke.compare.settings import figure_text
from banzuke.compare.statistics import median
from banzuke.compare.watched import Alarm, WatchedSeries
from banzuke.document import Panel
from banzuke.document.drawing import SMALL, Pen, length
from banzuke.units import percent

WIDTH = 440.0
_LEFT, _RIGHT, _HEIGHT, _BELOW = 74.0, 8.0, 96.0, 15.0
_EDGE = 0.02
"""Share of the runs at either end that may lie outside of what is drawn."""
_MARGIN = 0.2
"""Margin above and below the other runs, as a share of their range."""
_LEAST = 0.1
"""Smallest range that is drawn, as a share of the figure, so that noise does not fill the chart."""


def size_text(alarm: Alarm) -> str:
    """Return `▼ 6.7%`: up is better, even for a figure of which less is better."""
    return f"{'▲' if alarm.times_better > 1 else '▼'} {percent(abs(1 - alarm.times_better), 2)}"


def history_panel(series: WatchedSeries, title: str, case: str) -> Panel:
    """Draw the runs in their order, at equal distances; `case`: in small print below the title.

    Both may be empty.
    """
    pen = Pen(WIDTH)
    top = pen.text(0, 0, title, width=WIDTH, bold=True, most=1)
    top = pen.text(0, top, case, width=WIDTH, size=SMALL, fill="soft") + 18
    low, high = drawn_range(series)
    bottom, step = top + _HEIGHT, (WIDTH - _LEFT - _RIGHT) / len(series.runs)

    def across(at: float) -> float:
        return _LEFT + step * (at + 0.5)

    def up(value: float) -> float:
        return bottom - _HEIGHT * (min(max(value, low), high) - low) / (high - low)

    for value in (low, (low + high) / 2, high):
        pen.line(_LEFT, up(value), WIDTH - _RIGHT, up(value), "hair", thick=1)
        text = figure_text(value, series.metric.unit)
        pen.text(_LEFT - 5, up(value) - 7, text, width=_LEFT, size=SMALL, fill="soft", anchor="end", most=1)
    places = [(across(at), up(run.value)) for at, run in enumerate(series.runs)]
    wide = 4.5 if step > 5 else 3.0 if step > 2 else 2.0
    outside = [not low <= run.value <= high for run in series.runs]
    pen.dots((place for place, beyond in zip(places, outside, strict=True) if not beyond), "c1", wide=wide)
    pen.dots((place for place, beyond in zip(places, outside, strict=True) if beyond), "faint", wide=wide)
    for begin, end, level in _levels(series):
        pen.line(across(begin - 0.5), up(level), across(end - 0.5), up(level), "ink", thick=1.5)
    labelled = _dates(pen, series, bottom)
    numbers = _numbers(series)
    for alarm in series.alarms:
        at, colour = numbers[id(alarm.since)], "good" if alarm.times_better > 1 else "bad"
        x = across(at - 0.5)
        pen.line(x, top - 4, x, bottom, colour, thick=1.5)
        confirmed = numbers[id(alarm.confirmed)]
        pen.dot(*places[confirmed], colour)
        text = size_text(alarm)
        half = length(text, SMALL) / 2
        middle = min(max(x, _LEFT + half), WIDTH - half)
        pen.text(middle, top - 18, text, width=90, size=SMALL, fill=colour, anchor="middle", bold=True, most=1)
        labelled.write(x, f"{alarm.since.began:%Y-%m-%d}")
    if series.suspected:
        pen.text(WIDTH, top - 18, "?", width=20, size=SMALL, fill="warn", anchor="end", bold=True)
    return pen.panel(bottom + _BELOW)


def drawn_range(series: WatchedSeries) -> tuple[float, float]:
    """Return the lowest and the highest value that are drawn; runs beyond them are drawn at the edge."""
    values = sorted(run.value for run in series.runs)
    cut = int(_EDGE * len(values))
    levels = [level for _, _, level in _levels(series)]
    low, high = min(values[cut], *levels), max(values[-1 - cut], *levels)
    margin = max(_MARGIN * (high - low), (_LEAST * high - (high - low)) / 2)
    return max(0.0, low - margin), high + margin


def beyond(series: WatchedSeries) -> int:
    """Return how many runs are drawn at the edge."""
    low, high = drawn_range(series)
    return sum(not low <= run.value <= high for run in series.runs)


def _numbers(series: WatchedSeries) -> dict[int, int]:
    """Return the number of each run by its `id`."""
    return {id(run): at for at, run in enumerate(series.runs)}


def _levels(series: WatchedSeries) -> Iterator[tuple[int, int, float]]:
    """Yield the first run of each period without change, the one after it, and the median."""
    numbers = _numbers(series)
    ends = [0, *(numbers[id(alarm.since)] for alarm in series.alarms), len(series.runs)]
    for begin, end in pairwise(ends):
        yield begin, end, median([run.value for run in series.runs[begin:end]])


class _Labels:
    """Dates below the axis, of which those that would overlap earlier ones are left out."""

    def __init__(self, pen: Pen, y: float, taken: Sequence[tuple[float, float]]) -> None:
        self._pen, self._y, self._taken = pen, y, list(taken)

    def write(self, x: float, text: str) -> None:
        half = length(text, SMALL) / 2
        if all(x + half + 4 < begin or x - half - 4 > end for begin, end in self._taken):
            self._pen.text(x, self._y, text, width=WIDTH, size=SMALL, fill="soft", anchor="middle", most=1)
            self._taken.append((x - half, x + half))


def _dates(pen: Pen, series: WatchedSeries, bottom: float) -> _Labels:
    """Write the dates of the first and the newest run."""
    first, last = (f"{run.began:%Y-%m-%d}" for run in (series.runs[0], series.runs[-1]))
    wide = length(first, SMALL)
    pen.text(_LEFT, bottom, first, width=WIDTH, size=SMALL, fill="soft", most=1)
    taken = [(_LEFT, _LEFT + wide)]
    if len(series.runs) > 1:
        pen.text(WIDTH - _RIGHT, bottom, last, width=WIDTH, size=SMALL, fill="soft", anchor="end", most=1)
        taken.append((WIDTH - _RIGHT - wide, WIDTH - _RIGHT))
    return _Labels(pen, bottom, taken)
