"""Draws what each part of the ranks did: the times of computing, moving data and waiting, in all and over the run."""

import json
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
_BAND, _GAP = 56, 0.12
"""Pixels from the band of one part to the next, and the share of it that is empty."""
MOST_BANDS = 8


def work_chart(section: ViewSection, terms: PartTerms, cases: Sequence[tuple[ViewCase, SharedProblem]]) -> Drawn:
    """Return a chart with a bar for each part in each case, at most `MOST_BARS`."""
    words = section.words
    spent = [words(kind) for kind in terms.spent.values()]
    bars = [(case, part) for case, seen in cases for part in seen.parts]
    rows: list[dict[str, Any]] = [
        {"who": words(part.name if len(cases) == 1 else message("views-dealt-bar", case=case.label, part=part.name))}
        | {"kind": kind}
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


def steps_chart(section: ViewSection, terms: PartTerms, case: ViewCase, seen: SharedProblem) -> Drawn | None:
    """Return a chart with a band for each part of a case, at most `MOST_BANDS`, that shows how its time was spent from
    the first step to the last; None: the record does not have it.
    """
    words = section.words
    parts = [part for part in seen.parts[:MOST_BANDS] if part.intervals]
    if not parts:
        return None
    spent = [words(kind) for kind in terms.spent.values()]
    names = [words(part.name) for part in parts]
    rows: list[dict[str, Any]] = []
    for place, part in enumerate(parts):
        count = len(part.intervals)
        for at, seconds in enumerate(part.intervals):
            times = [seconds[kind] for kind in terms.spent]
            whole = sum(times) or 1.0
            edges = accumulate((time / whole for time in times), initial=0.0)
            rows += [
                {
                    "begin": 100 * at / count,
                    "end": 100 * (at + 1) / count,
                    "bottom": place + 1 - (1 - _GAP) * low,
                    "top": place + 1 - (1 - _GAP) * high,
                    "who": names[place],
                    "kind": kind,
                    "seconds": quantity(time, "s"),
                }
                for kind, time, (low, high) in zip(spent, times, pairwise(edges), strict=True)
            ]
    x = alt.X("begin:Q", title=words(message("views-dealt-steps-axis")), scale=alt.Scale(domain=[0, 100], nice=False))
    labels = alt.Axis(
        values=[place + 0.5 for place in range(len(parts))],
        labelExpr=f"{json.dumps(names)}[floor(datum.value)]",
        labelLimit=200,
        domain=False,
        ticks=False,
        grid=False,
    )
    y = alt.Y("bottom:Q", title=None, axis=labels, scale=alt.Scale(domain=[len(parts), 0], nice=False))
    colour = alt.Color("kind:N", scale=series_scales(spent)["color"], legend=legend_of(spent), sort=None)
    tips = [alt.Tooltip(f"{field}:N", title=" ") for field in ("who", "kind", "seconds")]
    drawn = (
        alt.Chart(inline(rows))
        .mark_rect()
        .encode(x=x, x2=alt.X2("end:Q"), y=y, y2=alt.Y2("top:Q"), color=colour, tooltip=tips)
    )
    return Drawn(
        f"{section.slug}-dealt-steps",
        words(message("views-dealt-steps", parts=terms.parts)),
        words(message("views-dealt-steps-drawn", parts=terms.parts, case=case.label)),
        words(message("views-dealt-steps-caption", case=case.label, more=max(0, len(seen.parts) - MOST_BANDS))),
        alt.layer(drawn).properties(width="container", height=_BAND * len(parts)),
    )
