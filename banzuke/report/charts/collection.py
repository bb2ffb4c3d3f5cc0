"""A collection: one point a problem, its family told by colour and shape, and where its data lay by how full it is.

A click on a family in the legend, or on a point, leaves that family alone in full colour.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from banzuke.charts.place import decades, nice_ceiling
from banzuke.charts.style import COLOURS, SHAPES, Drawn, inline
from banzuke.report.base import Number
from banzuke.report.content import Case, Collection, Measurement, Member, Section, Versus
from banzuke.units import number, quantity, scale

_FULLNESS = {"in cache": 0.0, "partly in cache": 0.45, "in memory": 1.0}
_LOOKS = {"in cache": "○", "partly in cache": "◐", "in memory": "●"}
_LOG_SPAN = 30.0
_DECADE = 10.0
"""A span of sizes below this has wider margins, so that ticks fall into it."""
_FAINT = 0.08
_HEIGHT = 300


@dataclass(frozen=True)
class _Axis:
    title: str
    values: Sequence[float]
    rule: float | None = None
    """Where a line is drawn across."""
    centred: bool = False
    """On 1, on a logarithmic scale: a ratio and its inverse are as far from it."""


def collection_charts(section: Section) -> list[Drawn]:
    """Of the way that the first problem was solved in: its rates, and the shares of the limit that memory sets."""
    collection = section.collection
    if collection is None:
        return []
    cases = {case.id: case for case in section.cases}
    first = collection.members[0].way
    rated = [
        (member, figure)
        for member in collection.members
        if member.way == first and member.along and member.along.value > 0
        if (figure := _headline(cases[member.case])) and figure.drawable and figure.median.value > 0
    ]
    limited = [
        (member, figure, figure.of_limit)
        for member, figure in rated
        if figure.of_limit and member.place in ("in memory", "")
    ]
    title = section.title + (f" with {first}" if first else "")
    charts = []
    if rated:
        unit = rated[0][1].unit
        factor, shown = scale(max(figure.median.value for _, figure in rated), unit)
        rows = [_row(section, collection, pair[0], pair[1], pair[1].median.value / factor) for pair in rated]
        values = [figure.median.value for _, figure in rated]
        charts.append(
            _scatter(
                f"{section.slug}-rates",
                f"{title} over {collection.along}",
                rows,
                collection,
                _Axis(shown, [row["y"] for row in rows]),
                f"{len(rows)} {collection.noun}, from {quantity(min(values), unit)} to {quantity(max(values), unit)}.",
            )
        )
    if limited:
        rows = [_row(section, collection, member, figure, 100 * of.value) for member, figure, of in limited]
        least, most = (pick(row["y"] for row in rows) for pick in (min, max))
        charts.append(
            _scatter(
                f"{section.slug}-limits",
                f"{title}: share of what the memory allows",
                rows,
                collection,
                _Axis("% of limit", [row["y"] for row in rows], rule=100.0),
                f"{len(rows)} {collection.noun} that are far larger than the caches, from {number(least)}% to "
                f"{number(most)}% of what the memory allows.",
            )
        )
    return charts


def scatter_of_ratios(section: Section, versus: Versus, name: str) -> Drawn:
    """Of the first way, or run, over the other; the section has the first one's members."""
    collection = section.collection
    if collection is None:
        raise ValueError("needs a collection")
    members = {member.case: member for member in collection.members}
    rows = [
        _facts(collection, members[ratio.case])
        | {
            "x": ratio.along,
            "y": ratio.ratio,
            "times better": ratio.text,
            versus.way: ratio.figure,
            versus.other: ratio.other_figure,
        }
        for ratio in versus.ratios
        if ratio.along > 0
    ]
    better = sum(ratio.ratio > 1 for ratio in versus.ratios)
    return _scatter(
        name,
        f"{versus.way} over {versus.other}",
        rows,
        collection,
        _Axis("times better", [row["y"] for row in rows], rule=1.0, centred=True),
        f"{versus.way} is better for {better} of {len(versus.ratios)} {collection.noun}, "
        f"{versus.mean.text} times in the geometric mean.",
    )


def _headline(case: Case) -> Measurement | None:
    return next((m for m in case.measurements if m.headline), case.measurements[0] if case.measurements else None)


def _row(section: Section, collection: Collection, member: Member, figure: Measurement, y: float) -> dict[str, Any]:
    return (
        {
            "x": member.along.value if member.along else 0.0,
            "y": y,
        }
        | _facts(collection, member)
        | {
            section.title: figure.median.text,
            "best": figure.best.text,
            "of limit": figure.of_limit.text if figure.of_limit else "not bounded by memory",
        }
    )


def _facts(collection: Collection, member: Member) -> dict[str, Any]:
    def text(fact: Number | None) -> str:
        return fact.text if fact else "unknown"

    own = {"name": member.name, "family": member.family, "full": _FULLNESS[member.place or "in memory"]}
    facts = dict(zip(collection.titles, map(text, member.facts), strict=True))
    how = {"data": member.place or "unknown"} | ({"solved by": member.choice} if member.choice else {})
    return own | {collection.along: text(member.along)} | facts | how


def _scatter(
    name: str, title: str, rows: list[dict[str, Any]], collection: Collection, axis: _Axis, summary: str
) -> Drawn:
    families = [family.family for family in collection.families]
    names = [family for family in dict.fromkeys(families) if any(row["family"] == family for row in rows)]
    order = list(dict.fromkeys(member.family for member in collection.members))
    places = [place for place in _FULLNESS if any(row["data"] == place for row in rows)]
    colours = alt.Scale(domain=names, range=[COLOURS[order.index(family) % len(COLOURS)] for family in names])
    shapes = alt.Scale(
        domain=names, range=[SHAPES[order.index(family) // len(COLOURS) % len(SHAPES)] for family in names]
    )
    chosen = alt.selection_point(name="chosen", fields=["family"], bind="legend", on="click")
    sizes = [row["x"] for row in rows]
    margin = 1.2 if max(sizes) / min(sizes) > _DECADE else 2.0
    span = [min(sizes) / margin, max(sizes) * margin]
    x = alt.X(
        "x:Q",
        title=f"{collection.along}, log scale",
        scale=alt.Scale(type="log", domain=span, nice=False),
        axis=alt.Axis(values=decades(*span), format="~s", grid=False, labelOverlap=True),
    )
    legend = alt.Legend(columns=4, offset=24, symbolOpacity=1)
    hidden = {"x", "y", "full"}
    tips = [name for name in dict.fromkeys(key for row in rows for key in row) if name not in hidden]
    points = (
        alt.Chart(inline(rows), name="points")
        .mark_point(size=46, strokeWidth=1.2)
        .encode(
            x=x,
            y=_y(axis),
            stroke=alt.Stroke("family:N", scale=colours, legend=legend, sort=names),
            fill=alt.Fill("family:N", scale=colours, legend=legend, sort=names),
            shape=alt.Shape("family:N", scale=shapes, legend=legend, sort=names),
            fillOpacity=alt.FillOpacity("full:Q", scale=alt.Scale(domain=[0, 1], range=[0, 1]), legend=None),
            opacity=alt.condition(chosen, alt.value(1.0), alt.value(_FAINT)),
            tooltip=[alt.Tooltip(f"{_escaped(field)}:N", title=field) for field in tips],
        )
        .add_params(chosen)
    )
    layers: list[Any] = [points]
    if axis.rule is not None:
        line = alt.Chart(inline([{"y": axis.rule}])).mark_rule(color="var(--faint)", strokeDash=[5, 4])
        layers = [line.encode(y="y:Q"), points]
    caption = f"{summary} A click on a family or a point brings that family out, a double click on the ground all."
    meaning = [f"{_LOOKS[place]} {place}" for place in places]
    caption += f" Its data lay {', '.join(meaning)}." if len(places) > 1 else ""
    chart = alt.layer(*layers).properties(width="container", height=_HEIGHT)
    return Drawn(name, title, f"{title}: {summary}", caption, chart)


def _y(axis: _Axis) -> alt.Y:
    low, high = min(axis.values), max(axis.values)
    if axis.centred:
        reach = max(high, 1 / low, 1.1) * 1.05
        domain = [1 / reach, reach]
        return alt.Y("y:Q", title=axis.title, scale=alt.Scale(type="log", domain=domain, nice=False))
    top = nice_ceiling(max(high, axis.rule or 0.0) * 1.02)
    if high / low > _LOG_SPAN:
        domain = [low / 1.3, top]
        ticks = alt.Axis(values=decades(*domain))
        return alt.Y(
            "y:Q", title=f"{axis.title}, log scale", scale=alt.Scale(type="log", domain=domain, nice=False), axis=ticks
        )
    return alt.Y("y:Q", title=axis.title, scale=alt.Scale(domain=[0, top], nice=False), axis=alt.Axis(tickCount=5))


def _escaped(field: str) -> str:
    """As Vega-Lite reads it: dots and brackets would be paths, a colon the type."""
    return "".join(f"\\{character}" if character in ".[]:" else character for character in field)
