"""Charts of one product that groups share: rates compared with the sum of the parts, and the share of each group."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, cycle, pairwise
from statistics import median
from typing import Any

import altair as alt

from banzuke.charts.place import nice_ceiling, spread_out
from banzuke.charts.style import COLOURS, HEIGHT, SHAPES, Drawn, inline, legend_of, series_scales
from banzuke.units import percent, quantity, scale
from banzuke.views.view import ViewSection
from banzuke.words import Quantity, Share, message
from banzuke.words.language import Words

from .shared_product import SharedCase, SharedSweep, labels_of, shown_groups

Rows = list[dict[str, Any]]
MOST_BARS = 24
_BAR = 24
"""Pixels from one bar to the next."""
_LABELLED = 8
"""Smallest share of the columns, in percent, whose part of a bar has room for its text."""
_SUM = message("dgemm-sum")
_TOGETHER = ([1, 0], [2, 2], [8, 3, 2, 3])
"""Dashes of the ways to split, different from those of the sum."""


Lines = Mapping[str, Mapping[float, float]]
"""Rates in flop/s by title, then by extent."""


def rate_charts(section: ViewSection, sweeps: Sequence[SharedSweep]) -> list[Drawn]:
    """Draw a chart of rates for each sweep, all on one scale so that they can be compared."""
    drawn = [(sweep, _lines(section, sweep)) for sweep in sweeps]
    highest = max((rate for _, lines in drawn for rates in lines.values() for rate in rates.values()), default=0.0)
    return [_rates(section, *lines, highest, number) for number, lines in enumerate(drawn, 1)]


def _rates(section: ViewSection, sweep: SharedSweep, lines: Lines, highest: float, number: int) -> Drawn:
    """Draw the rate of all groups at once thick, the sum of the parts dashed, and each group alone in its colour."""
    words = section.words
    parts = [words(message("dgemm-alone", group=name)) for name in shown_groups(words, sweep.cases[0].product)]
    together = [name for name in lines if name not in (*parts, words(_SUM))]
    looks = {name: ("var(--ink)", dash, 2.5) for name, dash in zip(together, cycle(_TOGETHER), strict=False)}
    looks[words(_SUM)] = ("var(--faint)", [5, 4], 1.75)
    looks |= {name: (COLOURS[place % len(COLOURS)], [1, 0], 1.75) for place, name in enumerate(parts)}
    factor, unit = scale(highest, "flop/s")
    top = nice_ceiling(highest / factor * 1.02)
    rows: Rows = [
        {"x": place, "y": rate / factor, "series": name, "rate": quantity(rate, "flop/s")}
        for name, rates in lines.items()
        for place, rate in rates.items()
    ]
    places = sorted({row["x"] for row in rows})
    axis = alt.Axis(values=places, grid=False, format=",d", labelOverlap=True)
    x = alt.X("x:Q", title=sweep.along, scale=alt.Scale(type="log", nice=False), axis=axis)
    y = alt.Y("y:Q", title=unit, scale=alt.Scale(domain=[0, top], nice=False), axis=alt.Axis(tickCount=5))
    names = list(lines)
    colours = alt.Scale(domain=names, range=[looks[name][0] for name in names])
    dashes = alt.Scale(domain=names, range=[looks[name][1] for name in names])
    widths = alt.Scale(domain=names, range=[looks[name][2] for name in names])
    shapes = alt.Scale(domain=names, range=[SHAPES[place % len(SHAPES)] for place in range(len(names))])
    colour = alt.Color("series:N", scale=colours, legend=None)
    base = alt.Chart(inline(rows))
    line = base.mark_line().encode(
        x=x,
        y=y,
        color=colour,
        strokeDash=alt.StrokeDash("series:N", scale=dashes, legend=None),
        strokeWidth=alt.StrokeWidth("series:N", scale=widths, legend=None),
    )
    tips = [alt.Tooltip("series:N", title=" "), alt.Tooltip("x:Q", title=sweep.along), alt.Tooltip("rate:N", title=" ")]
    shape = alt.Shape("series:N", scale=shapes, legend=None)
    points = base.mark_point(filled=True, size=42, opacity=1).encode(x=x, y=y, color=colour, shape=shape, tooltip=tips)
    ends = [(name, rates[max(rates)] / factor) for name, rates in lines.items()]
    heights = spread_out([HEIGHT * (1 - value / top) for _, value in ends], 6, HEIGHT - 6)
    labels: Rows = [
        {"x": places[-1], "y": top * (1 - height / HEIGHT), "series": name}
        for (name, _), height in zip(ends, heights, strict=True)
    ]
    texts = alt.Chart(inline(labels)).mark_text(align="left", dx=9)
    named = texts.encode(x=alt.X("x:Q"), y=alt.Y("y:Q"), text=alt.Text("series:N"), color=colour)
    ratios = [case.of_sum for case in sweep.cases]
    return Drawn(
        f"{section.slug}-shared-{number}",
        words(message("dgemm-rates-over", along=sweep.along, label=sweep.label or "none")),
        words(message("dgemm-rates-drawn", low=Share(min(ratios)), high=Share(max(ratios)))),
        words(message("dgemm-rates-caption")),
        alt.layer(line, points, named).properties(width="container", height=HEIGHT),
    )


def _lines(section: ViewSection, sweep: SharedSweep) -> Lines:
    """Return the lines; a group's rate alone is the median, because it was measured beside each way to split."""
    seen: dict[str, dict[float, list[float]]] = {}
    for case in sweep.cases:
        for name, rate in _by_title(section.words, case):
            seen.setdefault(name, {}).setdefault(sweep.place(case), []).append(rate)
    return {
        name: {place: median(rates) for place, rates in sorted(by_place.items())} for name, by_place in seen.items()
    }


def _by_title(words: Words, case: SharedCase) -> Iterator[tuple[str, float]]:
    yield words(message("dgemm-together", split=case.split)), case.rate.value
    yield words(_SUM), case.parts.value
    for name, places in shown_groups(words, case.product).items():
        yield words(message("dgemm-alone", group=name)), sum(case.product.alone[place] for place in places)


def share_chart(section: ViewSection, cases: Sequence[SharedCase]) -> Drawn:
    """Draw a bar for each case, with a part for each group, and marks where parts would meet by the rates alone."""
    words = section.words
    drawn = cases[:MOST_BARS]
    parts: Rows = []
    marks: Rows = []
    for label, case in zip(labels_of(drawn), drawn, strict=True):
        groups = shown_groups(words, case.product)
        shares = [100 * sum(case.product.shares[place] for place in places) for places in groups.values()]
        for name, (low, high) in zip(groups, pairwise(accumulate(shares, initial=0.0)), strict=True):
            text = percent((high - low) / 100)
            seen = text if high - low >= _LABELLED else ""
            edges = {"low": low, "middle": (low + high) / 2, "high": high}
            parts.append({"case": label, **edges, "group": name, "share": text, "text": seen})
        alone = [sum(case.product.alone[place] for place in places) for places in groups.values()]
        marks += [{"case": label, "x": 100 * edge / sum(alone)} for edge in list(accumulate(alone))[:-1]]
    names = list(dict.fromkeys(str(part["group"]) for part in parts))
    y = alt.Y("case:N", title=None, sort=None, axis=alt.Axis(labelLimit=260, labelPadding=6, domain=False, ticks=False))
    x = alt.X("low:Q", title=words(message("dgemm-axis-share")), scale=alt.Scale(domain=[0, 100], nice=False))
    colour = alt.Color("group:N", scale=series_scales(names)["color"], legend=legend_of(names), sort=None)
    tips = [alt.Tooltip(f"{field}:N", title=" ") for field in ("case", "group", "share")]
    base = alt.Chart(inline(parts))
    bars = base.mark_bar(height=_BAR - 8).encode(x=x, x2=alt.X2("high:Q"), y=y, color=colour, tooltip=tips)
    texts = base.mark_text(color="var(--onbar)").encode(x=alt.X("middle:Q"), y=y, text=alt.Text("text:N"))
    ticks = alt.Chart(inline(marks)).mark_tick(color="var(--ink)", thickness=2.5, height=_BAR - 2)
    layers: list[Any] = [bars, texts, ticks.encode(x=alt.X("x:Q"), y=y)]
    best = max(cases, key=lambda case: case.of_sum)
    return Drawn(
        f"{section.slug}-shares",
        words(message("dgemm-shares")),
        words(message("dgemm-shares-drawn", rate=Quantity(best.rate.value, "flop/s"), share=Share(best.of_sum))),
        words(message("dgemm-shares-caption", more=len(cases) - len(drawn))),
        alt.layer(*layers).properties(width="container", height=_BAR * len(drawn)),
    )
