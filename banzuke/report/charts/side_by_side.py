"""Charts of headline figures of several runs: over the first run's, and as shares of the limit."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from banzuke.charts.place import decades, nice_ceiling
from banzuke.charts.style import Drawn, inline, legend_of, series_scales
from banzuke.units import percent
from banzuke.words import Listed, message
from banzuke.words.language import Words

_ROW = 30
_LOG_SPAN = 8.0
_MOST_ROWS = 40
"""Most rows in a chart."""


@dataclass(frozen=True)
class Shown:
    """A headline figure of one run."""

    text: str
    settings: str
    """Settings that differ between the runs."""
    share: float | None
    """Share of the limit."""
    ratio: float | None
    """How many times better than in the first run; None: this is the first run, or they are not comparable."""
    ratio_text: str


Rows = Sequence[tuple[str, Sequence[Shown | None]]]
"""Title of each figure with its value in each run."""


def side_by_side_charts(runs: Sequence[str], rows: Rows, words: Words) -> list[Drawn]:
    return [chart for chart in (_shares(runs, rows, words), _ratios(runs, rows, words)) if chart]


def _shares(runs: Sequence[str], figures: Rows, words: Words) -> Drawn | None:
    rows = [
        _row(title, runs[place], cell) | {"x": 100 * cell.share, "shown": percent(cell.share)}
        for title, cells in figures
        for place, cell in enumerate(cells)
        if cell and cell.share is not None
    ]
    if not rows:
        return None
    top = max(100.0, nice_ceiling(max(row["x"] for row in rows)))
    scale = alt.Scale(domain=[0, top * 1.03], nice=False)
    x = alt.X("x:Q", title=words(message("report-side-limit-axis")), scale=scale, axis=alt.Axis(tickCount=5))
    title, caption = message("report-side-limit-title"), message("report-side-limit-caption")
    return _dots("side-by-side-limits", words(title), words(caption), rows, runs, x, 100.0, words)


def _ratios(runs: Sequence[str], figures: Rows, words: Words) -> Drawn | None:
    """Draw each figure over the first run's; above 1 is better."""
    rows = [
        _row(title, runs[place], cell) | {"x": cell.ratio, "shown": f"{cell.ratio_text} ×"}
        for title, cells in figures
        for place, cell in enumerate(cells)
        if cells[0] and cell and cell.ratio is not None
    ]
    if not rows:
        return None
    values = [float(row["x"]) for row in rows]
    low, high = min(1.0, *values) / 1.15, max(1.0, *values) * 1.15
    wide = high / low > _LOG_SPAN
    axis = alt.Axis(values=decades(low, high), format="~g") if wide else alt.Axis(tickCount=5, format="~g")
    scale = alt.Scale(type="log", domain=[low, high], nice=False)
    x = alt.X("x:Q", title=words(message("report-side-ratio-axis")), scale=scale, axis=axis)
    title = message("report-side-ratio-title", run=runs[0])
    caption = message("report-side-ratio-caption", run=runs[0])
    return _dots("side-by-side-ratios", words(title), words(caption), rows, runs, x, 1.0, words)


def _row(title: str, run: str, cell: Shown) -> dict[str, Any]:
    return {"row": title, "series": run, "figure": cell.text, "how": cell.settings}


def _dots(
    name: str,
    title: str,
    caption: str,
    rows: list[dict[str, Any]],
    runs: Sequence[str],
    x: alt.X,
    rule: float,
    words: Words,
) -> Drawn:
    every = list(dict.fromkeys(row["row"] for row in rows))
    order = every[:_MOST_ROWS]
    rows = [row for row in rows if row["row"] in set(order)]
    columns = list(runs)
    scales = series_scales(columns)  # the same colours even where a run has no point
    y = alt.Y(
        "row:N",
        sort=order,
        title=None,
        axis=alt.Axis(domain=False, ticks=False, grid=True, labelColor="var(--ink)", labelLimit=170),
    )
    colour = alt.Color("series:N", scale=scales["color"], legend=legend_of(columns), sort=None)
    shape = alt.Shape("series:N", scale=scales["shape"], legend=legend_of(columns), sort=None)
    fields = {
        "series": message("report-run"),
        "row": message("report-benchmark"),
        "figure": message("report-figure"),
        "shown": message("report-value"),
        "how": message("report-settings"),
    }
    tips = [alt.Tooltip(f"{field}:N", title=words(title_)) for field, title_ in fields.items()]
    line = alt.Chart(inline([{"x": rule}])).mark_rule(color="var(--faint)", strokeDash=[5, 4])
    points = alt.Chart(inline(rows)).mark_point(filled=True, size=60, opacity=1)
    offset = alt.YOffset("series:N", sort=columns, scale=alt.Scale(padding=0.5))
    layers = [
        line.encode(x=x),
        points.encode(x=x, y=y, yOffset=offset, color=colour, shape=shape, tooltip=tips),
    ]
    description = message("report-side-description", title=title, number=len(order), runs=Listed(tuple(columns)))
    left_out = message("report-side-first", shown=_MOST_ROWS, all=len(every))
    caption += f" {words(left_out)}" if len(every) > _MOST_ROWS else ""
    chart = alt.layer(*layers).properties(width="container", height=max(_ROW, 12 * len(columns) + 8) * len(order))
    return Drawn(name, title, words(description), caption, chart)
