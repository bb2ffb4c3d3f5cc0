"""Charts of a collection with a point for each problem.

Colour and shape show the family, and the filling shows where the data was. A click on a family in the legend, or on a
point, highlights that family.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import altair as alt

from banzuke.charts.place import CHARACTER, OFFSETS, Box, decades, free_sides, nice_ceiling
from banzuke.charts.style import COLOURS, SHAPES, Drawn, inline
from banzuke.judge.collection import Member, Ratio, family_ratios
from banzuke.judge.ratios import cached
from banzuke.plan.benchmark import Collection
from banzuke.plan.wording import benchmark_title, collection_noun, statistic_title
from banzuke.units import percent, quantity, scale
from banzuke.views.collection.facts import choice_of, fact_text, number_of, place_of
from banzuke.views.collection.ratio_study import RatioStudy
from banzuke.views.view import ViewSection
from banzuke.words import Listed, Message, Quantity, Share, message
from banzuke.words.language import Words

_FULLNESS = {"in cache": 0.0, "partly in cache": 0.45, "in memory": 1.0, "both": 0.0, "one": 0.45, "neither": 1.0}
"""Filling by where the data was; for ratios, by which sides' caches held it."""
_PLACES = {
    "in cache": message("views-in-cache"),
    "partly in cache": message("views-partly-in-cache"),
    "in memory": message("views-in-memory"),
    "both": message("views-held-by-both"),
    "one": message("views-held-by-one"),
    "neither": message("views-held-by-neither"),
}
_LOOKS = {0.0: "○", 0.45: "◐", 1.0: "●"}
_LOG_SPAN = 30.0
_DECADE = 10.0
"""Ratio of sizes up to which margins are wider, so that ticks fall into the range."""
_FAINT = 0.08
_HEIGHT = 300
_WIDTH = 320
"""Width of the plot on a telephone in pixels: labels that do not overlap there do not on a desktop either."""
_POINT = 4.0
"""Pixels from the centre of a point to its edge."""


@dataclass(frozen=True)
class _Axis:
    title: str
    values: Sequence[float]
    rules: Mapping[float, str] = field(default_factory=dict)
    """Values at which horizontal lines are drawn, with their labels."""
    ratio: bool = False
    """Whether the scale is logarithmic and includes 1."""
    names: Mapping[int, str] = field(default_factory=dict)
    """Labels of points by their index in `values`, the most important first."""

    @property
    def domain(self) -> list[float]:
        """Range of the axis of a ratio."""
        every = [*self.values, *self.rules, 1.0]
        margin = max(1.15, (max(every) / min(every)) ** 0.07)  # room for a name above the highest line
        return [min(every) / 1.15, max(every) * margin]


@dataclass(frozen=True)
class _Drawing:
    """The data that all charts of a collection share."""

    section: ViewSection
    collection: Collection
    families: tuple[str, ...]
    """Families of all problems, in their order."""

    @property
    def noun(self) -> Message:
        return collection_noun(self.section.benchmark.name, self.collection)

    @property
    def along(self) -> Message:
        return statistic_title(self.section.benchmark.name, self.collection.along)

    def at(self, member: Member) -> float:
        """Return the position along the axis; 0: the problem has none."""
        value = number_of(member.assessment.record, self.collection.along)
        return float(value) if isinstance(value, int | float) else 0.0

    def point(self, member: Member, y: float) -> dict[str, Any]:
        """Return a point with its tooltip, by titles in the reader's language."""
        words, name = self.section.words, self.section.benchmark.name
        facts = (self.collection.along, *self.collection.statistics)
        record, choice = member.assessment.record, choice_of(self.collection, member)
        return (
            {"x": self.at(member), "y": y, "family": member.problem.family, "place": member.place or "in memory"}
            | {words(message("views-problem")): member.problem.name}
            | {words(statistic_title(name, fact)): fact_text(record, fact) for fact in facts}
            | {words(message("views-data")): words(place_of(member))}
            | ({words(message("views-format")): choice} if choice else {})
        )


def charts(section: ViewSection, collection: Collection, problems: Sequence[Member]) -> list[Drawn]:
    """Return charts for the first problem's solver: its rates, and the shares of the limit by memory."""
    drawing, words = _drawing(section, collection, problems), section.words
    solver = problems[0].solver
    rated = [
        (member, figure)
        for member in problems
        if member.solver == solver and drawing.at(member) > 0
        if (figure := member.figure) and figure.value > 0
    ]
    limited = [
        (member, figure.fraction_of_limit)
        for member, figure in rated
        if figure.fraction_of_limit and member.from_memory
    ]
    title = words(benchmark_title(section.benchmark))
    title = words(message("views-with-solver", benchmark=title, solver=solver)) if solver else title
    drawn = []
    if rated:
        unit, values = rated[0][1].unit, [figure.value for _, figure in rated]
        factor, shown = scale(max(values), unit)
        points = [
            drawing.point(member, figure.value / factor)
            | {
                words(benchmark_title(section.benchmark)): quantity(figure.value, unit),
                words(message("views-best")): quantity(figure.best, unit),
                words(message("views-of-limit")): percent(figure.fraction_of_limit)
                if figure.fraction_of_limit
                else words(message("views-no-memory-limit")),
            }
            for member, figure in rated
        ]
        over = message("views-problems-over", title=title, along=drawing.along)
        low, high = Quantity(min(values), unit), Quantity(max(values), unit)
        summary = message("views-problems-range", number=len(rated), problems=drawing.noun, low=low, high=high)
        axis = _Axis(shown, [point["y"] for point in points])
        drawn.append(_scatter(drawing, f"{section.slug}-rates", words(over), points, axis, summary))
    if limited:
        shares = [share for _, share in limited]
        points = [drawing.point(member, 100 * share) for member, share in limited]
        least, most = Share(min(shares)), Share(max(shares))
        summary = message("views-problems-limited", number=len(limited), problems=drawing.noun, low=least, high=most)
        axis = _Axis(words(message("views-axis-percent-of-limit")), [point["y"] for point in points], rules={100.0: ""})
        of_limit = words(message("views-problems-of-limit", title=title))
        drawn.append(_scatter(drawing, f"{section.slug}-limits", of_limit, points, axis, summary))
    return drawn


def scatter_of_ratios(section: ViewSection, study: RatioStudy, name: str) -> Drawn | None:
    """Draw the ratios of the first solver, or run, to the other; None: no problem has a position along the axis."""
    ratios, words = study.ratios, section.words
    drawing = _drawing(section, study.collection, [ratio.member for ratio in ratios])
    solver, other = ratios[0].solver, ratios[0].other
    better = words(message("views-axis-times-better"))
    placed = [ratio for ratio in ratios if drawing.at(ratio.member) > 0]
    points = [
        drawing.point(ratio.member, ratio.ratio)
        | {better: f"{ratio.ratio:.3g}", solver: _figure(ratio.member), other: _figure(ratio.against)}
        | {words(message("views-data")): _where(ratio, words), "place": _HELD[cached(ratio)]}
        for ratio in placed
    ]
    if not points:
        return None
    summary = message(
        "views-better-for",
        solver=solver,
        better=sum(ratio.ratio > 1 for ratio in ratios),
        number=len(ratios),
        problems=drawing.noun,
        ratio=family_ratios(ratios)[-1].mean,
    )
    rules = {1.0: ""}
    for line in study.lines:
        if line.value is not None:
            named = words(message("views-ratio-line-name", of=line.of, ratio=line.value))
            rules[line.value] = ", ".join(filter(None, (rules.get(line.value), named)))
    axis = _Axis(
        better,
        [point["y"] for point in points],
        rules=rules,
        ratio=True,
        names={placed.index(ratio): ratio.problem.name for ratio in study.named},
    )
    return _scatter(drawing, name, words(message("views-beside", solver=solver, other=other)), points, axis, summary)


_HELD = {"": "neither", "neither": "neither", "mine": "one", "theirs": "one", "both": "both"}


def _where(ratio: Ratio, words: Words) -> str:
    """Return where the data was on both sides."""
    sides = ((ratio.solver, ratio.member), (ratio.other, ratio.against))
    return "; ".join(f"{name}: {words(place_of(member))}" for name, member in sides)


def _drawing(section: ViewSection, collection: Collection, problems: Sequence[Member]) -> _Drawing:
    return _Drawing(section, collection, tuple(dict.fromkeys(member.problem.family for member in problems)))


def _figure(member: Member) -> str:
    return quantity(member.figure.value, member.figure.unit) if member.figure else ""


def _scatter(
    drawing: _Drawing, name: str, title: str, points: list[dict[str, Any]], axis: _Axis, summary: Message
) -> Drawn:
    words, order = drawing.section.words, drawing.families
    names = [family for family in order if any(point["family"] == family for point in points)]
    places = [place for place in _FULLNESS if any(point["place"] == place for point in points)]
    data = [{**point, "full": _FULLNESS[point["place"]]} for point in points]
    colours = alt.Scale(domain=names, range=[COLOURS[order.index(family) % len(COLOURS)] for family in names])
    shapes = alt.Scale(
        domain=names, range=[SHAPES[order.index(family) // len(COLOURS) % len(SHAPES)] for family in names]
    )
    chosen = alt.selection_point(name="chosen", fields=["family"], bind="legend", on="click")
    sizes = [point["x"] for point in points]
    margin = 1.2 if max(sizes) / min(sizes) > _DECADE else 2.0
    span = [min(sizes) / margin, max(sizes) * margin]
    x = alt.X(
        "x:Q",
        title=words(message("views-axis-log", title=drawing.along)),
        scale=alt.Scale(type="log", domain=span, nice=False),
        axis=alt.Axis(values=decades(*span), format="~s", grid=False, labelOverlap=True),
    )
    legend = alt.Legend(columns=4, offset=24, symbolOpacity=1)
    hidden = {"x", "y", "full", "family", "place"}
    tips = [name for name in dict.fromkeys(key for row in data for key in row) if name not in hidden]
    marks = (
        alt.Chart(inline(data), name="points")
        .mark_point(size=46, strokeWidth=1.2)
        .encode(
            x=x,
            y=_y(drawing, axis),
            stroke=alt.Stroke("family:N", scale=colours, legend=legend, sort=names),
            fill=alt.Fill("family:N", scale=colours, legend=legend, sort=names),
            shape=alt.Shape("family:N", scale=shapes, legend=legend, sort=names),
            fillOpacity=alt.FillOpacity("full:Q", scale=alt.Scale(domain=[0, 1], range=[0, 1]), legend=None),
            opacity=alt.condition(chosen, alt.value(1.0), alt.value(_FAINT)),
            tooltip=[
                alt.Tooltip("family:N", title=words(message("views-family"))),
                *(alt.Tooltip(f"{_escaped(field)}:N", title=field) for field in tips),
            ],
        )
        .add_params(chosen)
    )
    layers: list[Any] = [*_lines(axis), marks]
    if axis.ratio:
        layers += _labels(points, axis, span)
    caption = [summary, message("views-highlight")]
    if len(places) > 1:
        looks = tuple(f"{_LOOKS[_FULLNESS[place]]} {words(_PLACES[place])}" for place in places)
        caption.append(message("views-where-data", looks=Listed(looks)))
    chart = alt.layer(*layers).properties(width="container", height=_HEIGHT)
    return Drawn(name, title, words(summary), words.sentences(caption), chart)


def _lines(axis: _Axis) -> Iterator[alt.Chart]:
    """Return horizontal lines; those with a name are solid, and dashed ones mark what a figure is compared with."""
    for value, text in axis.rules.items():
        dash, colour = ([1, 0], "var(--soft)") if text else ([5, 4], "var(--faint)")
        mark = alt.Chart(inline([{"y": value}])).mark_rule(color=colour, strokeDash=dash)
        yield mark.encode(y=alt.Y("y:Q"))


def _labels(points: Sequence[Mapping[str, Any]], axis: _Axis, span: Sequence[float]) -> Iterator[alt.Chart]:
    """Return labels of lines, at the end that covers fewer points, and of outliers, where there is room."""
    (left, right), (low, high) = span, axis.domain

    def up(value: float) -> float:
        return _HEIGHT * (1 - math.log(value / low) / math.log(high / low))

    pixels = [(_WIDTH * math.log(point["x"] / left) / math.log(right / left), up(point["y"])) for point in points]
    marks: list[Box] = [(x - _POINT, y - _POINT, x + _POINT, y + _POINT) for x, y in pixels]
    named = sorted((value, text) for value, text in axis.rules.items() if text)
    taken: list[Box] = [(0, up(value) - 1, _WIDTH, up(value) + 1) for value, _ in named]
    for place, (value, text) in enumerate(named):
        above, length = place == len(named) - 1, CHARACTER * len(text)
        top = up(value) - 16 if above else up(value) + 4
        ends = {"left": (0, top, length, top + 12), "right": (_WIDTH - length, top, _WIDTH, top + 12)}
        covered = {end: sum(_touch(box, mark) for mark in marks) for end, box in ends.items()}
        end: Literal["left", "right"] = "left" if covered["left"] <= covered["right"] else "right"
        taken.append(ends[end])
        label = alt.Chart(inline([{"y": value, "text": text}])).mark_text(
            align=end, baseline="bottom" if above else "top", dy=-4 if above else 4, color="var(--soft)"
        )
        yield label.encode(y=alt.Y("y:Q"), text=alt.Text("text:N"), x=alt.value(0 if end == "left" else "width"))
    sides = free_sides([pixels[place] for place in axis.names], [*axis.names.values()], (_WIDTH, _HEIGHT), taken, marks)
    for (place, text), side in zip(axis.names.items(), sides, strict=True):
        if side is not None:
            align, dx, dy = OFFSETS[side]
            values = [{"x": points[place]["x"], "y": points[place]["y"], "text": text}]
            mark = alt.Chart(inline(values), name=f"named-{place}")
            mark = mark.mark_text(align=align, dx=dx, dy=dy, baseline="middle")
            yield mark.encode(x=alt.X("x:Q"), y=alt.Y("y:Q"), text=alt.Text("text:N"))


def _touch(a: Box, b: Box) -> bool:
    return min(a[2], b[2]) > max(a[0], b[0]) and min(a[3], b[3]) > max(a[1], b[1])


def _y(drawing: _Drawing, axis: _Axis) -> alt.Y:
    low, high = min(axis.values), max(axis.values)
    if axis.ratio:
        ticks = alt.Axis(values=decades(*axis.domain), format="~g")
        return alt.Y("y:Q", title=axis.title, scale=alt.Scale(type="log", domain=axis.domain, nice=False), axis=ticks)
    top = nice_ceiling(max(high, *axis.rules, 0.0) * 1.02)
    if high / low > _LOG_SPAN:
        domain = [low / 1.3, top]
        log = drawing.section.words(message("views-axis-log", title=axis.title))
        ticks = alt.Axis(values=decades(*domain))
        return alt.Y("y:Q", title=log, scale=alt.Scale(type="log", domain=domain, nice=False), axis=ticks)
    return alt.Y("y:Q", title=axis.title, scale=alt.Scale(domain=[0, top], nice=False), axis=alt.Axis(tickCount=5))


def _escaped(field: str) -> str:
    """Return the field with escapes for Vega-Lite, where dots and brackets mean paths and a colon the type."""
    return "".join(f"\\{character}" if character in ".[]:" else character for character in field)
