"""Draws a bar for each part of the ranks, divided into the times spent computing, moving data and waiting."""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import altair as alt

from banzuke.charts.style import Drawn, inline, legend_of, series_scales
from banzuke.units import quantity
from banzuke.views.view import ViewCase, ViewSection
from banzuke.words import Share, message

from .parts import PartTerms, SharedProblem

MOST_BARS = 24
_BAR = 24
"""Pixels from one bar to the next."""


def work_chart(section: ViewSection, terms: PartTerms, cases: Sequence[tuple[ViewCase, SharedProblem]]) -> Drawn:
    """Return a chart with a bar for each part in each case, at most `MOST_BARS`."""
    words = section.words
    spent = [words(kind) for kind in terms.spent.values()]
    bars = [(case, part) for case, seen in cases for part in seen.parts]
    rows: list[dict[str, Any]] = [
        {"who": words(message("views-dealt-bar", case=case.label, part=part.name)), "kind": kind}
        | {"low": low, "high": high, "seconds": quantity(high - low, "s")}
        for case, part in bars[:MOST_BARS]
        for times in [[part.seconds[place] for place in terms.spent]]
        for kind, (low, high) in zip(spent, pairwise(accumulate(times, initial=0.0)), strict=True)
    ]
    y = alt.Y("who:N", title=None, sort=None, axis=alt.Axis(labelLimit=260, labelPadding=6, domain=False, ticks=False))
    x = alt.X("low:Q", title="s", scale=alt.Scale(nice=False))
    colour = alt.Color("kind:N", scale=series_scales(spent)["color"], legend=legend_of(spent), sort=None)
    tips = [alt.Tooltip(f"{field}:N", title=" ") for field in ("who", "kind", "seconds")]
    drawn = alt.Chart(inline(rows)).mark_bar(height=_BAR - 8)
    most = max(part.seconds[2] / (sum(part.seconds) or 1.0) for _, part in bars)
    return Drawn(
        f"{section.slug}-dealt",
        words(message("views-dealt-work", parts=terms.parts)),
        words(message("views-dealt-work-drawn", parts=terms.parts, most=Share(most))),
        words(message("views-dealt-work-caption", parts=terms.parts, more=max(0, len(bars) - MOST_BARS))),
        alt.layer(drawn.encode(x=x, x2=alt.X2("high:Q"), y=y, color=colour, tooltip=tips)).properties(
            width="container", height=_BAR * min(len(bars), MOST_BARS)
        ),
    )
