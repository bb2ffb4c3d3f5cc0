"""Draws a figure across the history of the public list that ranks machines by it."""

from typing import Any

import altair as alt

from banzuke.charts.place import decades
from banzuke.charts.style import HEIGHT, Drawn, inline, legend_of, limit_line, series_scales
from banzuke.compare.settings import figure_text
from banzuke.document import Block, Cell, Column, Details, Row, Table
from banzuke.judge.model import Figure
from banzuke.plan.wording import list_title
from banzuke.ranking.editions import Ranking, edition_name, ranking_of, standing
from banzuke.report.chapter import Chapter
from banzuke.report.nearest import ranked_figure
from banzuke.units import quantity
from banzuke.words import Message, message
from banzuke.words.language import Words

_MIDDLE = 100, 10
"""Candidates for the place drawn between first and last: the first of them within every edition is taken."""
_STEPS = 8
"""Number of ticks wanted on the axis of years."""


def ranking_blocks(chapter: Chapter, words: Words) -> list[Block]:
    """Return a chart of the list over the years with the figure as a line across, and a table of its places."""
    ranking = ranking_of(chapter.benchmark) if chapter.benchmark else None
    if chapter.benchmark is None or ranking is None:
        return []
    ranked = ranked_figure([case.assessment for case in chapter.cases], chapter.benchmark)
    if ranked is None or ranked[1].value <= 0:
        return []
    title = words(message("rank-history", list=list_title(ranking.title)))
    blocks: list[Block] = [_chart(ranking, ranked[1], chapter.slug, title, words).block]
    if places := ranking.places(ranked[1].value):
        table = _table(ranking, places, ranked[1].unit, f"{chapter.slug}-places", words)
        summary = message("rank-places", list=list_title(ranking.title), count=len(places))
        blocks.append(Details(words(summary), (table,)))
    return blocks


def _chart(ranking: Ranking, figure: Figure, slug: str, title: str, words: Words) -> Drawn:
    names = {index: words(name) for index, name in _series(ranking).items()}
    rows: list[dict[str, Any]] = [
        {
            "x": _year(edition),
            "y": figures[index],
            "series": name,
            "edition": words(edition_name(edition)),
            "shown": quantity(figures[index], figure.unit),
        }
        for edition, figures in ranking.editions.items()
        for index, name in names.items()
    ]
    values = [figure.value, *(row["y"] for row in rows)]
    low, high = min(values) / 2, max(values) * 2
    y = alt.Y(
        "y:Q",
        title=words(message("peers-axis", unit=figure.unit, per="whole", scale="log")),
        scale=alt.Scale(type="log", domain=[low, high], nice=False),
        axis=alt.Axis(values=decades(low, high), format="~s"),
    )
    years = [row["x"] for row in rows]
    x = alt.X(
        "x:Q",
        title=None,
        scale=alt.Scale(domain=[min(years), max(years)], nice=False, padding=6),
        axis=alt.Axis(tickCount=_STEPS, format="d", grid=False, labelOverlap=True),
    )
    scales = series_scales(list(names.values()))
    colour = alt.Color("series:N", scale=scales["color"], legend=legend_of(list(names.values()), "stroke"), sort=None)
    dash = alt.StrokeDash("series:N", scale=scales["dash"], legend=None, sort=None)
    tips = [alt.Tooltip(f"{name}:N", title=" ") for name in ("series", "edition", "shown")]
    lines = alt.Chart(inline(rows)).mark_line(strokeWidth=1.75, interpolate="step-after")
    own = words(message("rank-own", figure=figure_text(figure.value, figure.unit)))
    first, *_, last = ranking.editions.values()
    layers = [lines.encode(x=x, y=y, color=colour, strokeDash=dash, tooltip=tips)]
    layers += limit_line(figure.value, own, first[-1], last[-1], colour="var(--accent)")
    listed = list_title(ranking.title)
    said = words.joined(standing(ranking, figure.value, figure.unit))
    return Drawn(
        f"{slug}-history",
        title,
        words(message("rank-described", list=listed, figure=figure_text(figure.value, figure.unit), said=said)),
        words(message("rank-caption", list=listed, said=said)),
        alt.layer(*layers).properties(width="container", height=HEIGHT),
    )


def _series(ranking: Ranking) -> dict[int, Message]:
    """Return the names of the series that are drawn, by index into an edition's figures."""
    lengths = {len(figures) for figures in ranking.editions.values()}
    middle = next((place for place in _MIDDLE if place < min(lengths)), None)
    places = {0: message("rank-place", place=1)}
    if middle:
        places[middle - 1] = message("rank-place", place=middle)
    places[-1] = message("rank-place", place=lengths.pop()) if len(lengths) == 1 else message("rank-last-place")
    return places


def _year(edition: str) -> float:
    year, _, month = edition.partition("-")
    return int(year) + (int(month) - 1) / 12


def _table(ranking: Ranking, places: dict[str, int], unit: str, file: str, words: Words) -> Table:
    titles = {
        "place": message("rank-column-place"),
        "first": message("rank-column-first"),
        "last": message("rank-column-last"),
    }
    columns = (
        Column(words(message("rank-column-edition")), name="edition"),
        *(Column(words(title), numeric=True, name=name) for name, title in titles.items()),
    )
    rows = []
    for edition, place in places.items():
        figures = ranking.editions[edition]
        ends = (Cell(quantity(value, unit), value, unit) for value in (figures[0], figures[-1]))
        rows.append(Row((Cell(words(edition_name(edition)), edition), Cell(f"{place:,}", place), *ends)))
    return Table(columns, tuple(rows), file=file)
