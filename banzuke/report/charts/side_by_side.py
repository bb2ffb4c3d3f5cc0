"""Headline figures of several runs: each over the first run's, and each as its share of the limit."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from banzuke.charts.place import decades, nice_ceiling
from banzuke.charts.style import Drawn, inline, legend_of, series_scales
from banzuke.report.charts.collection import scatter_of_ratios
from banzuke.report.content import Section
from banzuke.report.study_content import Cell, Headline, Problems, SideBySide
from banzuke.units import number

_ROW = 30
_LOG_SPAN = 8.0
_MOST = 40
"""Rows that a chart shows."""


def side_by_side_charts(found: SideBySide) -> list[Drawn]:
    drawn = [_shares(found), _ratios(found)]
    return [chart for chart in drawn if chart]


def problem_charts(found: SideBySide, sections: Sequence[Section]) -> list[Drawn]:
    """In the order of `found.problems`; `sections`: those of all runs."""
    by_slug = {section.slug: section for section in sections}
    return [
        scatter_of_ratios(by_slug[of.slug], of.versus, _name(of, index)) for index, of in enumerate(found.problems, 1)
    ]


def _name(of: Problems, index: int) -> str:
    return f"side-by-side-{of.slug}-{index}"


def _shares(found: SideBySide) -> Drawn | None:
    rows = [
        _row(headline, found.columns[place].name, cell)
        | {"x": 100 * share, "shown": f"{number(100 * share)}% of limit"}
        for headline in found.headlines
        for place, cell in enumerate(headline.cells)
        if cell and (share := _share(cell)) is not None
    ]
    if not rows:
        return None
    top = max(100.0, nice_ceiling(max(row["x"] for row in rows)))
    x = alt.X(
        "x:Q", title="% of limit", scale=alt.Scale(domain=[0, top * 1.03], nice=False), axis=alt.Axis(tickCount=5)
    )
    title = "Share of the limit"
    caption = "Each headline figure against the best that its own machine's ceilings allow."
    return _dots("side-by-side-limits", title, caption, rows, found, x, 100.0)


def _ratios(found: SideBySide) -> Drawn | None:
    """Above 1 is better than in the first run."""
    rows = [
        _row(headline, found.columns[place].name, cell) | {"x": cell.ratio, "shown": cell.ratio_text}
        for headline in found.headlines
        for place, cell in enumerate(headline.cells)
        if headline.cells[0] and cell and cell.ratio is not None
    ]
    if not rows:
        return None
    values = [float(row["x"]) for row in rows]
    low, high = min(1.0, *values) / 1.15, max(1.0, *values) * 1.15
    wide = high / low > _LOG_SPAN
    axis = alt.Axis(values=decades(low, high), format="~g") if wide else alt.Axis(tickCount=5, format="~g")
    x = alt.X(
        "x:Q",
        title="times as good, log scale",
        scale=alt.Scale(type="log", domain=[low, high], nice=False),
        axis=axis,
    )
    first = found.columns[0].name
    caption = (
        f"Each headline figure over that of {first}; above 1 is better. Times are compared where the work is the same."
    )
    return _dots("side-by-side-ratios", f"Over {first}", caption, rows, found, x, 1.0)


def _share(cell: Cell) -> float | None:
    of = cell.of_limit or cell.mean_of_limit
    return of.value if of else None


def _row(headline: Headline, column: str, cell: Cell) -> dict[str, Any]:
    shown = cell.figure or cell.mean
    return {"row": headline.title, "series": column, "figure": shown.text if shown else "", "how": cell.settings}


def _dots(
    name: str, title: str, caption: str, rows: list[dict[str, Any]], found: SideBySide, x: alt.X, rule: float
) -> Drawn:
    every = list(dict.fromkeys(row["row"] for row in rows))
    order = every[:_MOST]
    rows = [row for row in rows if row["row"] in set(order)]
    columns = [column.name for column in found.columns]
    scales = series_scales(columns)  # the same colours where a run has no point
    y = alt.Y(
        "row:N",
        sort=order,
        title=None,
        axis=alt.Axis(domain=False, ticks=False, grid=True, labelColor="var(--ink)", labelLimit=170),
    )
    colour = alt.Color("series:N", scale=scales["color"], legend=legend_of(columns), sort=None)
    shape = alt.Shape("series:N", scale=scales["shape"], legend=legend_of(columns), sort=None)
    tips = [
        alt.Tooltip(f"{field}:N", title=told)
        for field, told in {"series": "run", "row": "of", "figure": "figure", "shown": "so", "how": "with"}.items()
    ]
    line = alt.Chart(inline([{"x": rule}])).mark_rule(color="var(--faint)", strokeDash=[5, 4])
    points = alt.Chart(inline(rows)).mark_point(filled=True, size=60, opacity=1)
    offset = alt.YOffset("series:N", sort=columns, scale=alt.Scale(padding=0.5))
    layers = [
        line.encode(x=x),
        points.encode(x=x, y=y, yOffset=offset, color=colour, shape=shape, tooltip=tips),
    ]
    description = f"{title}: {len(order)} figures of {', '.join(columns)}."
    left_out = f" The first {_MOST} of {len(every)} are drawn." if len(every) > _MOST else ""
    chart = alt.layer(*layers).properties(width="container", height=max(_ROW, 12 * len(columns) + 8) * len(order))
    return Drawn(name, title, description, caption + left_out, chart)
