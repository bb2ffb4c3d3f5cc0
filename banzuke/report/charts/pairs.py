"""A figure of every pair of ranks as a map of squares: the stronger the colour, the slower."""

import math
from bisect import bisect
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Any

import altair as alt

from banzuke.report.charts.style import HEAT, Drawn, inline
from banzuke.report.content import Section
from banzuke.report.curve_content import Pairs
from banzuke.units import number, quantity, scale

_MOST = 96
"""Squares along a side; of more ranks each square is a block of them, and has the slowest of its figures."""
_WRITTEN = 10
"""Ranks up to which the figures are written into the squares."""
_SIDE = 420
_LEAST_SPAN = 1.2
"""Ratio of the slowest to the fastest below which they are drawn alike: colours shall not make much of noise."""


def pairs_chart(section: Section, pairs: Pairs) -> Drawn | None:
    """None where there are no two pairs to tell apart, with figures."""
    ranks = len(pairs.values)
    if ranks < 3:
        return None
    block = -(-ranks // _MOST)
    rate = pairs.unit.endswith("/s")
    slowest = min if rate else max
    squares: dict[tuple[int, int], list[float]] = {}
    for a, row in enumerate(pairs.values):
        for b, value in enumerate(row):
            if value > 0:
                for square in {(a // block, b // block), (b // block, a // block)}:
                    squares.setdefault(square, []).append(value)
    if not squares:
        return None
    marked = {(x // block, y // block) for a, b in pairs.marked for x, y in ((a, b), (b, a))}
    values = {square: slowest(found) for square, found in squares.items()}
    thresholds = _thresholds(values.values())
    factor, unit = scale(math.sqrt(min(values.values()) * max(values.values())), pairs.unit)
    steps = _steps([value / factor for value in thresholds], unit)
    rows = [
        {
            "x": x * block,
            "y": y * block,
            "step": steps[at],
            "strong": 2 * (len(steps) - 1 - at if rate else at) >= len(steps),
            "text": f"{value / factor:.3g}",
            "figure": quantity(value, pairs.unit),
            "between": _named(pairs, x, block),
            "and": _named(pairs, y, block),
            "slow": (x, y) in marked,
        }
        for (x, y), value in sorted(values.items())
        for at in [bisect(thresholds, value)]
    ]
    places = [place * block for place in range(-(-ranks // block))]
    title = f"{section.title}: {pairs.title.lower()} between all ranks"
    caption = "The stronger the colour, the slower."
    caption += f" A square is {block} by {block} ranks and has the slowest of their figures." if block > 1 else ""
    caption += f" Framed: {'; '.join(one.who for one in pairs.slow[:4])}." if pairs.slow else ""
    told = f"{title}: {ranks} ranks, from {quantity(min(values.values()), pairs.unit)} to "
    told += f"{quantity(max(values.values()), pairs.unit)}. "
    told += f"{len(pairs.slow)} stand out: {pairs.slow[0].who} first." if pairs.slow else "No pair stands out."
    return Drawn(
        f"{section.slug}-pairs-{pairs.slug}",
        title,
        told,
        caption,
        _map(rows, places, steps[::-1] if rate else steps, written=ranks <= _WRITTEN),
    )


def _named(pairs: Pairs, square: int, block: int) -> str:
    first, last = square * block, min(square * block + block, len(pairs.ranks)) - 1
    return pairs.ranks[first] if first == last else f"{pairs.ranks[first]} to {pairs.ranks[last]}"


def _map(
    rows: list[dict[str, Any]], places: list[int], steps: list[str], *, written: bool
) -> alt.LayerChart | alt.FacetChart:
    """`steps`: from the fastest on."""
    ticks = places[:: -(-len(places) // 12)]
    axis = alt.Axis(values=ticks, labelAngle=0, domain=False, ticks=False, labelOverlap=True)
    x = alt.X("x:O", title="rank", axis=axis, scale=alt.Scale(domain=places, paddingInner=0.04, paddingOuter=0))
    y = alt.Y("y:O", title="rank", axis=axis, scale=alt.Scale(domain=places, paddingInner=0.04, paddingOuter=0))
    used = [step for step in steps if any(row["step"] == step for row in rows)]
    fill = alt.Color(
        "step:N",
        sort=None,
        scale=alt.Scale(domain=used, range=[HEAT[steps.index(step)] for step in used]),
        legend=alt.Legend(symbolType="square", symbolSize=120, columns=3, offset=26),
    )
    tips = [alt.Tooltip(f"{field}:N") for field in ("between", "and", "figure")]
    base = alt.Chart(inline(rows))
    layers: list[Any] = [base.mark_rect().encode(x=x, y=y, color=fill, tooltip=tips)]
    framed = base.transform_filter("datum.slow").mark_rect(fillOpacity=0, stroke="var(--accent)", strokeWidth=1.5)
    layers.append(framed.encode(x=x, y=y, tooltip=tips))
    if written:
        ink = alt.condition("datum.strong", alt.value("var(--onheat)"), alt.value("var(--ink)"))
        layers.append(base.mark_text(fontSize=10).encode(x=x, y=y, text="text:N", color=ink))
    side = max(120, min(_SIDE, 46 * len(places)))
    drawn: alt.LayerChart | alt.FacetChart = alt.layer(*layers).properties(width="container", height=side)
    return drawn


def _thresholds(values: Collection[float]) -> list[float]:
    """Even steps of a logarithmic scale from the least to the greatest, one fewer than there are colours."""
    low, high = min(values), max(values)
    middle = math.sqrt(low * high)
    spread = max(high / low, _LEAST_SPAN)
    return [middle * spread ** (step / len(HEAT) - 0.5) for step in range(1, len(HEAT))]


def _steps(thresholds: Sequence[float], unit: str) -> list[str]:
    """What each colour stands for, from the least figure on."""
    ends = [number(value, 2) for value in thresholds]
    between = [f"{low} to {high} {unit}" for low, high in pairwise(ends)]
    return [f"below {ends[0]} {unit}", *between, f"from {ends[-1]} {unit}"]
