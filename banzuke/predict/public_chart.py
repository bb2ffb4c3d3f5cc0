"""Chart of public figures: predictions by fits without each machine, over what was published."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from banzuke.charts.style import COLOURS, Drawn, inline, legend_of
from banzuke.machine.public import public_machines
from banzuke.plan.benchmark import Benchmark
from banzuke.predict.left_out import LeftOut, errors_of
from banzuke.units import percent

FARTHEST = 3.0
"""Ratio at which the chart ends; points beyond are drawn at its edge."""
HEIGHT = 260
"""Height in pixels."""


def public_chart(figures: Sequence[LeftOut], benchmarks: Mapping[str, Benchmark]) -> Drawn:
    """Draw predicted over published by year of the list, each without its machine; 1 means that they agree."""
    years = {machine.id: _year(machine.figure[0].where) for machine in public_machines()}
    rows: list[dict[str, Any]] = []
    for figure in figures:
        if figure.machine not in years:
            continue  # from a report, which the other chart shows
        ratio = min(FARTHEST, max(1 / FARTHEST, 1 + figure.error("machine_out")))
        kind = f"{benchmarks[figure.benchmark].title} on {figure.kind}"
        rows.append({"year": years[figure.machine], "ratio": ratio, "kind": kind})
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    colours = alt.Scale(domain=kinds, range=list(COLOURS[: len(kinds)]))
    points = (
        alt.Chart(inline(rows))
        .mark_point(filled=True, size=42, opacity=0.8)
        .encode(
            x=alt.X("year:Q", title="edition of the list", axis=alt.Axis(format="d"), scale=alt.Scale(zero=False)),
            y=alt.Y(
                "ratio:Q",
                title="predicted over published, log scale",
                scale=alt.Scale(type="log", domain=[1 / FARTHEST, FARTHEST], nice=False),
                axis=alt.Axis(values=[0.4, 0.6, 0.8, 1, 1.25, 1.6, 2.5], format="~g"),
            ),
            color=alt.Color("kind:N", sort=None, scale=colours, legend=legend_of(kinds)),
            shape=alt.Shape("kind:N", sort=None, legend=None),
        )
    )
    exact = alt.Chart(inline([{"ratio": 1}])).mark_rule(color="var(--ink)").encode(y=alt.Y("ratio:Q"))
    chart = alt.layer(exact, points).properties(width="container", height=HEIGHT)
    caption = (
        "Machines of public lists: predictions over published figures, each without its own machine; 1: they meet."
    )
    medians = "; ".join(
        f"{benchmarks[name].title} {percent(errors.median, 2)}"
        for name in dict.fromkeys(figure.benchmark for figure in figures)
        if (errors := errors_of([figure for figure in figures if figure.benchmark == name], "machine_out"))
    )
    return Drawn("public", "Predicted and published", f"{caption} Median errors: {medians}.", caption, chart)


def _year(edition: str) -> float:
    """Return 2020.8 for `2020-11, rank 1`."""
    year, month = edition.split(",", maxsplit=1)[0].split("-")
    return int(year) + (int(month) - 1) / 12
