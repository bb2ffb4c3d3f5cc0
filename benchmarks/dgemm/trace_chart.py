"""A chart of the groups' rates on top of each other over the timed calls."""

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

import altair as alt

from banzuke.charts.place import nice_ceiling
from banzuke.charts.style import HEIGHT, Drawn, inline, legend_of, limit_line, series_scales
from banzuke.units import scale
from banzuke.views.view import ViewSection
from banzuke.words import Quantity, Share, message

from .shared_product import SharedCase

MOST_CALLS = 20
"""Number of calls from which their ends are no longer drawn."""


def trace_chart(
    section: ViewSection, shared: SharedCase, seconds: float, rates: Mapping[str, Sequence[float]], name: str
) -> Drawn:
    """Draw the chart; `name` ends its name."""
    words, names = section.words, list(rates)
    together = [sum(parts) for parts in zip(*rates.values(), strict=True)]
    factor, unit = scale(max(together), "flop/s")
    top = nice_ceiling(max(*together, shared.parts.value) / factor * 1.02)
    by_time = list(zip(*rates.values(), strict=True))
    rows: list[dict[str, Any]] = []
    for place, parts in enumerate([*by_time, by_time[-1]]):
        edges = pairwise(accumulate(parts, initial=0.0))
        at = _short(place * seconds / len(by_time))
        for group, (low, high) in zip(names, edges, strict=True):
            rows.append({"x": at, "low": _short(low / factor), "high": _short(high / factor), "group": group})
    x_title = words(message("dgemm-axis-seconds"))
    x = alt.X("x:Q", title=x_title, scale=alt.Scale(domain=[0, seconds], nice=False), axis=alt.Axis(grid=False))
    y = alt.Y("low:Q", title=unit, scale=alt.Scale(domain=[0, top], nice=False), axis=alt.Axis(tickCount=5))
    colour = alt.Color("group:N", scale=series_scales(names)["color"], legend=legend_of(names), sort=None)
    bands = alt.Chart(inline(rows)).mark_area(interpolate="step-after", opacity=0.85)
    calls = list(accumulate(shared.case.assessment.record.metrics["flop_rate"].seconds))[:-1]
    ends = [{"x": end} for end in calls] if len(calls) < MOST_CALLS else []
    limit = words(message("dgemm-sum-line", rate=Quantity(shared.parts.value, "flop/s")))
    layers: list[Any] = [
        bands.encode(x=x, y=y, y2=alt.Y2("high:Q"), color=colour),
        *([alt.Chart(inline(ends)).mark_rule(color="var(--paper)").encode(x=alt.X("x:Q"))] if ends else []),
        *limit_line(shared.parts.value / factor, limit, together[0] / factor, together[-1] / factor),
    ]
    label = shared.case.label
    return Drawn(
        f"{section.slug}-trace-{name}",
        words(message("dgemm-trace", label=label or "none")),
        words(message("dgemm-trace-drawn", least=Share(min(together) / max(together)))),
        words(message("dgemm-trace-caption")),
        alt.layer(*layers).properties(width="container", height=HEIGHT),
    )


def _short(value: float) -> float:
    """Round to as many digits as can be seen."""
    return float(f"{value:.6g}")
