"""Charts of rates over the time of a phase."""

from collections.abc import Mapping
from typing import Any

import altair as alt

from banzuke.charts.place import nice_ceiling
from banzuke.charts.style import HEIGHT, Drawn, inline, legend_of, series_scales
from banzuke.plan.wording import benchmark_title
from banzuke.units import scale
from banzuke.views.over_time.course import Course, Seen
from banzuke.views.view import ViewCase, ViewSection
from banzuke.words import Message, Quantity, message
from banzuke.words.language import Words


def course_chart(section: ViewSection, case: ViewCase, seen: Seen, titles: Mapping[str, Message], name: str) -> Drawn:
    """Draw the rate of all ranks together, and the slowest one's times their number.

    The latter is the rate if all ranks were as slow. `name`: end of the chart's name.
    """
    words, ranks = section.words, case.assessment.record.ranks
    highest = max(rate * _times(course, ranks) for course in seen for rate in course.rates)
    factor, unit = scale(highest, seen[0].unit)
    rows = [row for course in seen for row in _rows(words, course, titles, ranks, factor)]
    names = list(dict.fromkeys(str(row["series"]) for row in rows))
    scales, legend = series_scales(names), legend_of(names, "stroke")
    top = nice_ceiling(highest / factor * 1.02)
    chart = alt.layer(
        alt.Chart(inline(rows))
        .mark_line(strokeWidth=1.75, interpolate="step-before")
        .encode(
            x=alt.X("x:Q", title=words(message("views-axis-seconds")), axis=alt.Axis(grid=False)),
            y=alt.Y("y:Q", title=unit, scale=alt.Scale(domain=[0, top], nice=False), axis=alt.Axis(tickCount=5)),
            color=alt.Color("series:N", scale=scales["color"], legend=legend, sort=None),
            strokeDash=alt.StrokeDash("series:N", scale=scales["dash"], legend=legend, sort=None),
        )
    ).properties(width="container", height=HEIGHT)
    title = message("views-over-time", benchmark=benchmark_title(section.benchmark))
    whole = [course for course in seen if course.rank is None] or list(seen)
    low, high = (
        Quantity(pick(rate for course in whole for rate in course.rates), whole[0].unit) for pick in (min, max)
    )
    full_title = f"{words(title)}: {case.label}" if case.label else words(title)
    return Drawn(
        f"{section.slug}-over-time-{name}",
        full_title,
        words(message("views-over-time-drawn", low=low, high=high)),
        words(message("views-over-time-caption")),
        chart,
    )


def _times(course: Course, ranks: int) -> int:
    return 1 if course.rank is None else ranks


def _rows(
    words: Words, course: Course, titles: Mapping[str, Message], ranks: int, factor: float
) -> list[dict[str, Any]]:
    title = titles[course.phase]
    said = title if course.rank is None else message("views-course-of-rank", phase=title, rank=course.rank, ranks=ranks)
    times = _times(course, ranks)
    steps = [(0.0, course.rates[0]), *zip(course.ends, course.rates, strict=True)]
    return [{"x": end, "y": rate * times / factor, "series": words(said)} for end, rate in steps]
