"""Draws a bar for each column of HPL's grid, divided into the times spent computing, moving data and waiting."""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import altair as alt

from banzuke.charts.style import Drawn, inline, legend_of, series_scales
from banzuke.units import quantity
from banzuke.views.view import ViewCase, ViewSection
from banzuke.words import Share, message

from .shared_matrix import SharedMatrix

MOST_BARS = 24
_BAR = 24
"""Pixels from one bar to the next."""


def work_chart(section: ViewSection, cases: Sequence[tuple[ViewCase, SharedMatrix]]) -> Drawn:
    """Return a chart with a bar for each column of the grid in each case, at most `MOST_BARS`."""
    words = section.words
    kinds = [words(kind) for kind in (message("hpl-computed"), message("hpl-moved"), message("hpl-waited"))]
    bars = [(case, column) for case, seen in cases for column in seen.columns]
    rows: list[dict[str, Any]] = [
        {"who": words(message("hpl-bar", case=case.label, column=column.name)), "kind": kind, "low": low, "high": high}
        | {"seconds": quantity(high - low, "s")}
        for case, column in bars[:MOST_BARS]
        for kind, (low, high) in zip(kinds, pairwise(accumulate(column.seconds, initial=0.0)), strict=True)
    ]
    y = alt.Y("who:N", title=None, sort=None, axis=alt.Axis(labelLimit=260, labelPadding=6, domain=False, ticks=False))
    x = alt.X("low:Q", title="s", scale=alt.Scale(nice=False))
    colour = alt.Color("kind:N", scale=series_scales(kinds)["color"], legend=legend_of(kinds), sort=None)
    tips = [alt.Tooltip(f"{field}:N", title=" ") for field in ("who", "kind", "seconds")]
    drawn = alt.Chart(inline(rows)).mark_bar(height=_BAR - 8)
    most = max(column.seconds[2] / (sum(column.seconds) or 1.0) for _, column in bars)
    return Drawn(
        f"{section.slug}-columns",
        words(message("hpl-work")),
        words(message("hpl-work-drawn", most=Share(most))),
        words(message("hpl-work-caption", more=max(0, len(bars) - MOST_BARS))),
        alt.layer(drawn.encode(x=x, x2=alt.X2("high:Q"), y=y, color=colour, tooltip=tips)).properties(
            width="container", height=_BAR * min(len(bars), MOST_BARS)
        ),
    )
