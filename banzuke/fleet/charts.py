"""Draws the charts of a fleet: each figure of each node, the nodes' distribution about the median, and their links."""

import json
from bisect import bisect
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import altair as alt
import numpy as np

from banzuke.charts.heat import HeatAxis, heat_map
from banzuke.charts.style import HEAT, Drawn, inline
from banzuke.compare.settings import figure_text
from banzuke.fleet.directions import link_name
from banzuke.fleet.model import Fleet, NodeFigure, Pair
from banzuke.fleet.shares import Shares, deviation
from banzuke.units import percent
from banzuke.words import Message, Share, message
from banzuke.words.language import Words

_STEPS = (0.5, 0.8, 0.9, 0.95, 0.97)
"""Shares of the median at which the colour changes, the worst first."""
_EACH = 64
"""Most nodes that each have a column of their own; in larger fleets named nodes do, and the others share columns."""
_GROUPS = 72
_NAMED = 24
"""Most nodes that have columns of their own in a larger fleet."""
_FEWEST = 3
"""Fewest nodes with figures; with fewer there is no comparison to draw."""
_BY_CHANCE = 3.0
"""Standard deviations (of logarithms) within which a share has the colour of the median, because it may be noise."""
_WRITTEN = 12
"""Most columns for which the shares are written into the squares."""
_ROW, _AROUND = 20, 10
"""Pixels of a figure's row, and of the margins around all rows."""
_BINS = 110
_FARTHEST = 0.3
"""Distance from the median, as a share of it, beyond which nodes are drawn at the edge."""
_FILLED = 0.86
"""Share of its row's height that the fullest bin takes."""
_MARKED = 300
"""Most nodes that are marked in the distributions."""
_BLOCKS = 80
"""Most squares along a side of the map of links; in larger fleets, a square is a block with its worst link."""
_SIDE = 420


@dataclass(frozen=True)
class _Group:
    """Nodes that share a column."""

    name: str
    columns: Sequence[int]
    named: bool = False


def nodes_chart(shares: Shares, named: Sequence[str], words: Words, slug: str) -> Drawn | None:
    """Draw the share of the median of each node and figure.

    `named`: slow hosts, the worst first. None: there is nothing to draw.
    """
    groups = list(_groups(shares, named, words))
    if _too_few(shares):
        return None
    places = range(len(groups), len(groups) + len(shares.figures))
    titles = [words(figure.title) for figure in shares.figures]
    written = len(groups) <= _WRITTEN
    rows = list(_squares(shares, groups, words, written=written))
    if not rows:
        return None
    names = dict(enumerate([group.name for group in groups] + titles))
    singly = len(groups) == len(shares.hosts)
    worst = min(rows, key=lambda row: row["share"])
    description = message(
        "fleet-map-shows",
        nodes=len(shares.hosts),
        figures=len(shares.figures),
        share=Share(worst["share"]),
        node=names[worst["x"]],
        figure=names[worst["y"]],
    )
    caption = [message("fleet-map-caption")]
    caption += [] if singly else [message("fleet-map-groups")]
    caption += [message("fleet-map-framed")] if named else []
    chart = heat_map(
        rows,
        HeatAxis("", range(len(groups)), dict(enumerate(group.name for group in groups))),
        HeatAxis("", places, dict(zip(places, titles, strict=True))),
        _steps(),
        tips={
            "name_x": words(message("fleet-node")),
            "name_y": words(message("fleet-figure")),
            "told": words(message("fleet-of-median")),
        },
        names=names,
        side=_ROW * len(shares.figures) + _AROUND,
        written=written,
    )
    return Drawn(f"{slug}-nodes", words(message("fleet-map")), words(description), words.sentences(caption), chart)


def _too_few(shares: Shares) -> bool:
    return int(np.isfinite(shares.of_median).any(axis=0).sum()) < _FEWEST


def _groups(shares: Shares, named: Sequence[str], words: Words) -> Iterator[_Group]:
    if len(shares.hosts) <= _EACH:
        yield from (_Group(host, [at], host in set(named)) for at, host in enumerate(shares.hosts))
        return
    columns = {host: at for at, host in enumerate(shares.hosts)}
    yield from (_Group(host, [columns[host]], named=True) for host in named[:_NAMED])
    of_place: dict[str, list[int]] = {}
    for at, place in enumerate(shares.places):
        of_place.setdefault(place, []).append(at)
    if len(of_place) < 2:
        size = -(-len(shares.hosts) // _GROUPS)
        chunks = [range(at, min(at + size, len(shares.hosts))) for at in range(0, len(shares.hosts), size)]
        yield from (_Group(_between(shares.hosts[chunk[0]], shares.hosts[chunk[-1]]), chunk) for chunk in chunks)
        return
    names = list(of_place)
    size = -(-len(names) // _GROUPS)
    for at in range(0, len(names), size):
        own = names[at : at + size]
        unknown = words(message("fleet-no-place"))
        members = [column for name in own for column in of_place[name]]
        yield _Group(_between(own[0] or unknown, own[-1] or unknown), members)


def _between(first: str, last: str) -> str:
    return first if first == last else f"{first} – {last}"


def _squares(shares: Shares, groups: Sequence[_Group], words: Words, *, written: bool) -> Iterator[dict[str, Any]]:
    """Yield a square for each group and figure: the median over the group's nodes, with the lowest as text."""
    steps = _steps()[::-1]
    spreads = [deviation(np.log(row)) for row in shares.of_median]
    for x, group in enumerate(groups):
        for row in range(len(shares.figures)):
            own = shares.of_median[row, group.columns]
            own = own[np.isfinite(own)]
            if own.size:
                share, lowest = float(np.median(own)), float(own.min())
                label = percent(share)
                if own.size > 1:
                    label = words(message("fleet-median-and-lowest", median=Share(share), lowest=Share(lowest)))
                least = np.exp(-_BY_CHANCE * spreads[row] / own.size**0.5)
                at = bisect(_STEPS, share) if share < least else len(_STEPS)
                text = {"text": f"{share * 100:.1f}", "strong": at <= len(_STEPS) // 2} if written else {}
                square = {"x": x, "y": len(groups) + row, "step": steps[at], "share": round(share, 4), "told": label}
                yield square | ({"slow": True} if group.named else {}) | text


def _steps() -> list[str]:
    """Return the labels of the colours, best first: `heat_map` colours them starting from the background."""
    ends = [f"{share * 100:.0f}%" for share in _STEPS]
    between = [f"{low} – {high}" for low, high in pairwise(ends)]
    return [f"≥ {ends[-1]}", *reversed(between), f"< {ends[0]}"][: len(HEAT)]


def distributions(shares: Shares, named: Mapping[str, Collection[str]], words: Words, slug: str) -> Drawn | None:
    """Draw a histogram of each figure over the nodes, one below the other.

    `named`: hosts, and the figures in which they are slow.
    """
    if _too_few(shares):
        return None
    finite = shares.of_median[np.isfinite(shares.of_median)]
    low = max(1 - _FARTHEST, min(0.95, float(finite.min()) - 0.01))
    high = min(1 + _FARTHEST, max(1.05, float(finite.max()) + 0.01))
    edges = np.linspace(low, high, _BINS + 1)
    bars: list[dict[str, Any]] = []
    marks: list[dict[str, Any]] = []
    last = len(shares.figures) - 1
    for row, figure in enumerate(shares.figures):
        own = np.clip(shares.of_median[row], low, high)
        counts, _ = np.histogram(own[np.isfinite(own)], edges)
        most = max(1, int(counts.max()))
        bars += [
            {
                "low": round(float(edges[at]) * 100, 3),
                "high": round(float(edges[at + 1]) * 100, 3),
                "base": last - row,
                "top": round(last - row + _FILLED * max(float(count) / most, 0.05), 3),
                "nodes": int(count),
                "figure": words(figure.title),
            }
            for at, count in enumerate(counts)
            if count
        ]
        marks += _marks(shares, row, named, own, last - row + _FILLED / 2)
    titles = {last - row: words(figure.title) for row, figure in enumerate(shares.figures)}
    chart = _ridges(bars, marks[:_MARKED], titles, (low * 100, high * 100), words)
    description = message(
        "fleet-distribution-shows",
        figures=len(shares.figures),
        low=Share(float(finite.min())),
        high=Share(float(finite.max())),
        named=len(named),
    )
    caption = message("fleet-distribution-caption", farthest=Share(_FARTHEST))
    title = words(message("fleet-distribution"))
    return Drawn(f"{slug}-distribution", title, words(description), words(caption), chart)


def _marks(
    shares: Shares, row: int, named: Mapping[str, Collection[str]], drawn: Any, height: float
) -> list[dict[str, Any]]:
    figure = shares.figures[row]
    return [
        {
            "x": round(float(drawn[at]) * 100, 3),
            "y": height,
            "node": host,
            "value": figure_text(float(shares.values[row, at]), figure.unit),
            "share": percent(float(shares.of_median[row, at])),
        }
        for at, host in enumerate(shares.hosts)
        if figure.name in named.get(host, ()) and np.isfinite(drawn[at])
    ]


def _ridges(
    bars: list[dict[str, Any]],
    marks: list[dict[str, Any]],
    titles: Mapping[int, str],
    ends: tuple[float, float],
    words: Words,
) -> alt.LayerChart | alt.FacetChart:
    x = alt.X("low:Q", title=words(message("fleet-percent-of-median")), scale=alt.Scale(domain=list(ends), nice=False))
    y = alt.Y(
        "base:Q",
        title=None,
        scale=alt.Scale(domain=[0, len(titles)], nice=False),
        axis=alt.Axis(
            values=list(titles),
            tickCount=len(titles),  # with more values than ticks, every other one is left out
            labelExpr=f"{json.dumps(titles)}[datum.value]",
            labelOffset=-9,
            labelLimit=150,
            labelOverlap=False,
        ),
    )
    figure = alt.Tooltip("figure:N", title=words(message("fleet-figure")))
    tips = [figure, alt.Tooltip("nodes:Q", title=words(message("fleet-nodes")))]
    drawn: list[Any] = [
        alt.Chart(inline(bars))
        .mark_rect(color="var(--c1)")
        .encode(x=x, x2=alt.X2("high:Q"), y=y, y2=alt.Y2("top:Q"), tooltip=tips)
    ]
    if marks:
        titles_of = {
            "node": message("fleet-node"),
            "value": message("fleet-value"),
            "share": message("fleet-of-median"),
        }
        mark_tips = [alt.Tooltip(f"{field}:N", title=words(title)) for field, title in titles_of.items()]
        points = alt.Chart(inline(marks)).mark_point(shape="diamond", filled=True, color="var(--accent)", size=45)
        drawn.append(points.encode(x=alt.X("x:Q"), y=alt.Y("y:Q"), tooltip=mark_tips))
    layered: alt.LayerChart | alt.FacetChart = alt.layer(*drawn).properties(
        width="container", height=26 * len(titles) + _AROUND
    )
    return layered


def links_chart(
    fleet: Fleet, figure: NodeFigure, shares: Shares, slow: Collection[tuple[str, str]], words: Words, slug: str
) -> Drawn | None:
    """Draw how fast each pair of nodes communicates; of a directed figure, what a row sends to a column.

    `slow`: links to mark. None: there are fewer than two links.
    """
    links = [(pair, pair.values[figure.name]) for pair in fleet.pairs if pair.values.get(figure.name, 0) > 0]
    if len(links) < 2:
        return None
    middle = float(np.median([value for _, value in links]))
    block = -(-len(shares.hosts) // _BLOCKS)
    block_of = {host: at // block for at, host in enumerate(shares.hosts)}
    squares: dict[tuple[int, int], tuple[float, Pair, float]] = {}
    marked: set[tuple[int, int]] = set()
    for pair, value in links:
        share = value / middle if figure.better == "higher" else middle / value
        a, b = (block_of[host] for host in pair.hosts)
        for square in ((b, a), (a, b))[: 1 if figure.directed else 2]:
            if square not in squares or share < squares[square][0]:
                squares[square] = share, pair, value
            if pair.hosts in slow:
                marked.add(square)
    steps = _steps()[::-1]
    rows = [
        {
            "x": x * block,
            "y": y * block,
            "step": steps[bisect(_STEPS, share)],
            "told": f"{figure_text(value, figure.unit)} ({percent(share)})",
            "link": link_name(pair.hosts, figure),
            "slow": (x, y) in marked,
        }
        for (x, y), (share, pair, value) in sorted(squares.items())
    ]
    places = range(0, len(shares.hosts), block)
    labels = {at: shares.hosts[at] for at in places}
    caption: list[Message] = [message("fleet-links-caption", middle=figure_text(middle, figure.unit))]
    caption += [message("fleet-links-blocks", nodes=block)] if block > 1 else []
    description = message(
        "fleet-links-shows", links=len(links), share=Share(min(share for share, *_ in squares.values()))
    )
    titles = (message("views-axis-to"), message("views-axis-from")) if figure.directed else ("", "")
    along, down = (HeatAxis(words(title) if title else "", places, labels) for title in titles)
    side = max(120, min(_SIDE, 30 * len(places)))
    tips = {"link": words(message("fleet-link")), "told": words(figure.title)}
    return Drawn(
        f"{slug}-links",
        words(message("fleet-links", figure=figure.title)),
        words(description),
        words.sentences(caption),
        heat_map(rows, along, down, _steps(), tips=tips, side=side),
    )
