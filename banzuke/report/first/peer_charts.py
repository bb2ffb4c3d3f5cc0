"""Charts of this machine among published ones, by the value that ranks them."""

import math
import textwrap
from collections.abc import Sequence
from typing import Any

import altair as alt

from banzuke.charts.place import decades, nice_ceiling
from banzuke.charts.style import Drawn, inline
from banzuke.document import Chart
from banzuke.report.first.peers import Peer, PeerComparison
from banzuke.units import percent, quantity, scale
from banzuke.words import message
from banzuke.words.language import Words

_LOG_SPAN = 30.0
_MOST_MACHINES = 30
"""Most machines drawn; this one is always added."""
_CHARACTERS = 26
"""Most characters in a line of a label; a telephone has room for so many beside the bars."""
_LINE = 13
_SEVERAL_LINES = {"condition": {"test": "indexof(datum.label, '\\n') >= 0", "value": "bottom"}, "value": "middle"}
"""Baseline of labels, because Vega positions the first line of a label."""
Ranked = Sequence[tuple[Peer, float]]


def peer_charts(comparison: PeerComparison, words: Words) -> list[Chart]:
    ranked = comparison.ranked
    if not comparison.headline or comparison.position is None or not all(math.isfinite(value) for _, value in ranked):
        return []
    shares = [(peer, peer.of_peak) for peer in comparison.peers if peer.of_peak is not None]
    drawn = [_values(comparison, ranked, words)]
    if len(shares) > 1 and any(peer.own for peer, _ in shares):
        shares.sort(key=lambda pair: -pair[1])
        drawn.append(_shares(comparison, shares, words))
    return [chart.block for chart in drawn]


def _values(comparison: PeerComparison, ranked: Ranked, words: Words) -> Drawn:
    shown = _shown(ranked)
    values, per = [value for _, value in shown], comparison.per or "whole"
    factor, unit = scale(max(values), comparison.unit)
    wide = min(values) > 0 and max(values) / min(values) > _LOG_SPAN
    texts = [quantity(value, comparison.unit) for value in values]
    if wide:
        low, high = (
            round_(math.log10(end / factor)) for round_, end in ((math.floor, min(values)), (math.ceil, max(values)))
        )
        room = 10 ** (high + 0.3 * (high - low))
        x_scale = alt.Scale(type="log", domain=[10.0**low, room], nice=False)
        axis = alt.Axis(values=decades(10.0**low, 10.0**high))
    else:
        x_scale = alt.Scale(domain=[0, nice_ceiling(max(values) / factor * 1.35)], nice=False)
        axis = alt.Axis(tickCount=4)
    x = alt.X(
        "x:Q",
        title=words(message("peers-axis", unit=unit or "1", per=per, scale="log" if wide else "linear")),
        scale=x_scale,
        axis=axis,
    )
    left_out = len(comparison.peers) - len(ranked)
    caption = [message("peers-chart-caption", better=comparison.better)]
    caption += [message("peers-chart-log")] if wide else []
    caption += [message("peers-chart-unranked", count=left_out, per=per)] if left_out else []
    caption += [message("peers-chart-cut", shown=len(shown), all=len(ranked))] if len(shown) < len(ranked) else []
    title = words(message("peers-chart-title", title=comparison.title, per=per))
    return Drawn(
        comparison.anchor,
        title,
        _description(title, texts, ranked, words),
        words.sentences(caption),
        _chart(shown, [value / factor for value in values], texts, x, words, bars=not wide),
    )


def _shares(comparison: PeerComparison, ranked: Ranked, words: Words) -> Drawn:
    shown = _shown(ranked)
    values = [100 * share for _, share in shown]
    top = nice_ceiling(max(values))
    x = alt.X(
        "x:Q",
        title=words(message("peers-share-axis")),
        scale=alt.Scale(domain=[0, top * 1.2], nice=False),
        axis=alt.Axis(tickCount=3),
    )
    texts = [percent(share) for _, share in shown]
    title = words(message("peers-share-title", title=comparison.title))
    return Drawn(
        f"{comparison.anchor}-peak",
        title,
        _description(title, texts, ranked, words),
        words(message("peers-share-caption")),
        _chart(shown, values, texts, x, words, bars=True),
    )


def _chart(
    ranked: Ranked, values: Sequence[float], texts: Sequence[str], x: alt.X, words: Words, *, bars: bool
) -> alt.LayerChart | alt.FacetChart:
    labels: list[str] = []
    for peer, _ in ranked:
        label = "\n".join(_lines(peer, words))
        labels.append(label + "\u200b" * sum(earlier.rstrip("\u200b") == label for earlier in labels))
    rows: list[dict[str, Any]] = [
        {
            "machine": label,
            "x": value,
            "text": text,
            "this": peer.own,
            "where": f"[{peer.reference}] {peer.source}" if peer.reference else "",
        }
        for (peer, _), label, value, text in zip(ranked, labels, values, texts, strict=True)
    ]
    lines = max(label.count("\n") + 1 for label in labels)
    y = alt.Y(
        "machine:N",
        sort=labels,
        title=None,
        axis=alt.Axis(
            domain=False,
            ticks=False,
            grid=not bars,
            labelColor="var(--ink)",
            labelExpr="split(datum.label, '\\n')",
            labelLineHeight=_LINE,
            labelBaseline=_SEVERAL_LINES,
            labelLimit=170,
        ),
    )
    colour = alt.condition("datum.this", alt.value("var(--accent)"), alt.value("var(--c7)"))
    tips = [alt.Tooltip("machine:N", title=" "), alt.Tooltip("text:N", title=" "), alt.Tooltip("where:N", title=" ")]
    base = alt.Chart(inline(rows)).encode(y=y)
    if bars:
        mark = base.mark_bar(height=13).encode(x=x, color=colour, tooltip=tips)
    else:
        shape = alt.condition("datum.this", alt.value("diamond"), alt.value("circle"))
        mark = base.mark_point(filled=True, size=80, opacity=1).encode(x=x, color=colour, shape=shape, tooltip=tips)
    plain = base.transform_filter("!datum.this").mark_text(align="left", dx=8, color="var(--soft)")
    bold = base.transform_filter("datum.this").mark_text(align="left", dx=8, color="var(--accent)", fontWeight="bold")
    layers = [
        mark,
        plain.encode(x=alt.X("x:Q"), text=alt.Text("text:N")),
        bold.encode(x=alt.X("x:Q"), text=alt.Text("text:N")),
    ]
    return alt.layer(*layers).properties(width="container", height=(_LINE * lines + 9) * len(rows))


def _lines(peer: Peer, words: Words) -> list[str]:
    """Return the lines of a label: the machine, then the part that was measured."""
    about = words.fact(peer.part)
    if not about and peer.nodes and peer.nodes > 1:
        about = words(message("peers-on-nodes", nodes=peer.nodes))
    name = f"▸ {peer.machine}" if peer.own else words.fact(peer.title or peer.machine)
    return [line for text in (name, about) for line in textwrap.wrap(text, _CHARACTERS)]


def _shown(ranked: Ranked) -> Ranked:
    return [pair for index, pair in enumerate(ranked) if index < _MOST_MACHINES or pair[0].own]


def _description(title: str, texts: Sequence[str], ranked: Ranked, words: Words) -> str:
    place = next(place for place, (peer, _) in enumerate(ranked, 1) if peer.own)
    return words(
        message("peers-described", title=title, last=texts[-1], first=texts[0], place=place, count=len(ranked))
    )
