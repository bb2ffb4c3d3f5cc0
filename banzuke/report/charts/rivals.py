"""This machine among published ones."""

import math
from typing import Any

import altair as alt

from banzuke.charts.place import decades, nice_ceiling
from banzuke.charts.style import Drawn, inline
from banzuke.report.content import Comparison, Rival
from banzuke.units import quantity, scale

_LOG_SPAN = 30.0
_LIMIT = 40
_TWO_LINES = {"condition": {"test": "indexof(datum.label, ', ') >= 0", "value": "bottom"}, "value": "middle"}


def rival_charts(comparison: Comparison) -> list[Drawn]:
    if not comparison.headline or not all(math.isfinite(rival.value) for rival in comparison.rivals):
        return []
    drawn = [_values(comparison)]
    shares = [rival for rival in comparison.rivals if rival.fraction_of_peak is not None]
    if len(shares) > 1:
        drawn.append(_shares(comparison, shares))
    return drawn


def _values(comparison: Comparison) -> Drawn:
    rivals = _with_this(comparison.rivals)
    per_node = all(rival.per_node is not None for rival in rivals)
    values = [rival.per_node if per_node and rival.per_node is not None else rival.value for rival in rivals]
    factor, shown = scale(max(values), comparison.unit)
    wide = min(values) > 0 and max(values) / min(values) > _LOG_SPAN
    texts = [quantity(value, comparison.unit) for value in values]
    title = f"{comparison.title}{' per node' if per_node else ''}"
    low, high = 0.0, 0.0
    if wide:
        low, high = (
            10 ** math.floor(math.log10(min(values) / factor)),
            10 ** math.ceil(math.log10(max(values) / factor)),
        )
        x_scale = alt.Scale(type="log", domain=[low, high * 3], nice=False)
    else:
        x_scale = alt.Scale(domain=[0, nice_ceiling(max(values) / factor * 1.22)], nice=False)
    axis_title = f"{shown}{' per node' if per_node else ''}{', log scale' if wide else ''}"
    axis = alt.Axis(values=decades(low, high)) if wide else alt.Axis(tickCount=5)
    x = alt.X("x:Q", title=axis_title, scale=x_scale, axis=axis)
    scaled = [value / factor for value in values]
    name = comparison.anchor
    description = f"{title}: {len(rivals)} machines, from {texts[-1]} to {texts[0]}; {_place(rivals)}."
    return Drawn(
        name,
        title,
        description,
        _caption(comparison, rivals, wide=wide),
        _chart(rivals, scaled, texts, x, bars=not wide),
    )


def _shares(comparison: Comparison, rivals: list[Rival]) -> Drawn:
    ordered = sorted(_with_this(rivals), key=lambda rival: -(rival.fraction_of_peak or 0))
    values = [100 * (rival.fraction_of_peak or 0) for rival in ordered]
    top = max(100.0, nice_ceiling(max(values)))
    shares = alt.Axis(values=[top * step / 5 for step in range(6)])
    x = alt.X(
        "x:Q",
        title="% of theoretical peak",
        scale=alt.Scale(domain=[0, top * 1.18], nice=False),
        axis=shares,
    )
    texts = [rival.fraction_text for rival in ordered]
    title = f"{comparison.title}, share of theoretical peak"
    description = f"{title}: from {texts[-1]} to {texts[0]}; {_place(ordered)}."
    caption = "Where a printed percentage does not follow from its own report, the recomputed one is drawn."
    return Drawn(f"{comparison.anchor}-peak", title, description, caption, _chart(ordered, values, texts, x, bars=True))


def _chart(
    rivals: list[Rival], values: list[float], texts: list[str], x: alt.X, *, bars: bool
) -> alt.LayerChart | alt.FacetChart:
    labels = [_label(rival) for rival in rivals]
    rows: list[dict[str, Any]] = [
        {
            "machine": f"{label} ({labels[:i].count(label) + 1})" if label in labels[:i] else label,
            "x": value,
            "text": text,
            "this": rival.this,
            "where": f"[{rival.reference}] {rival.source}" if rival.reference else rival.source,
        }
        for i, (rival, label, value, text) in enumerate(zip(rivals, labels, values, texts, strict=True))
    ]
    order = [row["machine"] for row in rows]
    y = alt.Y(
        "machine:N",
        sort=order,
        title=None,
        axis=alt.Axis(
            domain=False,
            ticks=False,
            grid=not bars,
            labelColor="var(--ink)",
            labelExpr="split(datum.label, ', ')",
            labelBaseline=_TWO_LINES,
        ),
    )
    colour = alt.condition("datum.this", alt.value("var(--accent)"), alt.value("var(--c7)"))
    tips = [
        alt.Tooltip("machine:N"),
        alt.Tooltip("text:N", title="value"),
        alt.Tooltip("where:N", title="source"),
    ]
    base = alt.Chart(inline(rows)).encode(y=y)
    if bars:
        mark = base.mark_bar(height=13).encode(x=x, color=colour, tooltip=tips)
    else:
        shape = alt.condition("datum.this", alt.value("diamond"), alt.value("circle"))
        mark = base.mark_point(filled=True, size=80, opacity=1).encode(x=x, color=colour, shape=shape, tooltip=tips)
    plain = base.transform_filter("!datum.this").mark_text(align="left", dx=8, color="var(--soft)")
    bold = base.transform_filter("datum.this").mark_text(align="left", dx=8, color="var(--accent)", fontWeight="bold")
    layers = [mark, plain.encode(x="x:Q", text="text:N"), bold.encode(x="x:Q", text="text:N")]
    return alt.layer(*layers).properties(
        width="container", height=(28 if any("," in row["machine"] for row in rows) else 21) * len(rows)
    )


def _label(rival: Rival) -> str:
    nodes = f", {rival.nodes:,} nodes" if rival.nodes and rival.nodes > 1 else ""
    return f"▸ {rival.machine}{nodes}" if rival.this else f"{rival.machine}{nodes}"


def _with_this(rivals: list[Rival]) -> list[Rival]:
    """The best, and this machine wherever it stands."""
    return [rival for index, rival in enumerate(rivals) if index < _LIMIT or rival.this]


def _place(rivals: list[Rival]) -> str:
    position = next((index for index, rival in enumerate(rivals, 1) if rival.this), None)
    return f"this machine is number {position} of {len(rivals)}" if position else "this machine has no such figure"


def _caption(comparison: Comparison, rivals: list[Rival], *, wide: bool) -> str:
    order = "higher is better" if comparison.better == "higher" else "lower is better"
    caption = f"▸ this machine; {order}."
    if wide:
        caption += " Logarithmic axis, so dots instead of bars."
    if len(rivals) < len(comparison.rivals):
        caption += f" The best {_LIMIT} of {len(comparison.rivals)} are drawn; the table lists all."
    return caption
