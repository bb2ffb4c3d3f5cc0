"""Compares where the time of each case went."""

import textwrap
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import altair as alt

from banzuke.charts.place import LINE, nice_ceiling
from banzuke.charts.style import Drawn, inline, legend_of, series_scales
from banzuke.document import Block, Cell, Column, Row, Table
from banzuke.plan.wording import benchmark_title
from banzuke.units import quantity, scale
from banzuke.views.breakdown.times import Times, cells, columns
from banzuke.views.view import ViewCase, ViewSection
from banzuke.words import message

TimesByCase = Sequence[tuple[ViewCase, Times]]
MOST_CASES = 24
"""Most cases in a chart."""
LABEL = 28
"""Characters in a line of a label, so that there is room for bars on a telephone, too."""


def compared(section: ViewSection, times_by_case: TimesByCase) -> list[Block]:
    """Return a row for each phase of each case, and a bar for each case."""
    words = section.words
    rows = [
        Row((Cell(case.label, above=place > 0), *cells(case, phase, words)))
        for case, times in times_by_case
        for place, phase in enumerate(times)
    ]
    titled = (Column(words(message("views-case"))), *columns(words))
    table = Table(titled, tuple(rows), words(message("views-phases-of-cases")), file=f"{section.slug}-phases")
    return [table, _bars(section, times_by_case).block] if len(times_by_case) <= MOST_CASES else [table]


def _bars(section: ViewSection, times_by_case: TimesByCase) -> Drawn:
    words = section.words
    every = sorted((phase for _, times in times_by_case for phase in times), key=lambda phase: not phase.useful)
    names = list(dict.fromkeys(words(phase.title) for phase in every))
    labels = {case.label: textwrap.fill(case.label, LABEL) for case, _ in times_by_case}
    longest = max(sum(phase.seconds for phase in times) for _, times in times_by_case)
    factor, shown = scale(longest, "s")
    rows: list[dict[str, Any]] = []
    for case, times in times_by_case:
        seconds = {words(phase.title): phase.seconds / factor for phase in times}
        edges = accumulate((seconds.get(name, 0.0) for name in names), initial=0.0)
        rows += [
            {
                "case": labels[case.label],
                "phase": name,
                "low": low,
                "high": high,
                "time": quantity(factor * (high - low), "s"),
            }
            for name, (low, high) in zip(names, pairwise(edges), strict=True)
            if name in seconds
        ]
    lines = max(text.count("\n") + 1 for text in labels.values())
    broken = "split(datum.label, '\\n')"
    axis = alt.Axis(domain=False, ticks=False, labelColor="var(--ink)", labelLimit=330, labelExpr=broken)
    tips = [alt.Tooltip("case:N", title=words(message("views-case"))), "phase:N", "time:N"]
    bars = alt.Chart(inline(rows)).mark_bar(height=15, opacity=0.85)
    encoded = bars.encode(
        y=alt.Y("case:N", sort=list(labels.values()), title=None, axis=axis),
        x=alt.X(
            "low:Q",
            title=shown,
            scale=alt.Scale(domain=[0, nice_ceiling(longest / factor)], nice=False),
            axis=alt.Axis(tickCount=5),
        ),
        x2=alt.X2("high:Q"),
        color=alt.Color("phase:N", scale=series_scales(names)["color"], legend=legend_of(names), title=None),
        tooltip=tips,
    )
    return Drawn(
        f"{section.slug}-phases",
        words(message("views-phases-drawn", benchmark=benchmark_title(section.benchmark))),
        words(message("views-phases-description", cases=len(times_by_case), longest=quantity(longest, "s"))),
        words(message("views-phases-caption")),
        alt.layer(encoded).properties(width="container", height=(LINE * lines + 11) * len(times_by_case)),
    )
