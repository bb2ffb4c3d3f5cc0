"""Shows what was moved in each interval of a phase: whether a rate lasted, and how the slowest rank kept up."""

from collections.abc import Sequence

from banzuke.document import Block, Charts, Details
from banzuke.machine.model import Machine
from banzuke.plan.wording import code
from banzuke.record.model import Record
from banzuke.views.over_time.course import Seen, course_of
from banzuke.views.view import View, ViewSection
from banzuke.words import Message, declared, message

OPEN_CASES, MOST_CASES = 2, 8
"""Most cases whose charts are shown openly, and most cases drawn in all, the headline's first."""


class OverTime(View[Seen]):
    """Shows phases over time.

    `phases`: series of amounts in intervals that end at `times`, with titles such as `Writing`.
    """

    name = "over-time"

    def __init__(self, **phases: str) -> None:
        self.phases = phases

    def judge(self, record: Record, machine: Machine) -> Seen | None:  # noqa: ARG002
        courses = tuple(
            course
            for phase in self.phases
            if (series := record.series.get(phase))
            for line in series.lines
            if (course := course_of(phase, series.unit, series.resolution, line))
        )
        return courses or None

    def declared(self, benchmark: str) -> Sequence[Message]:
        return [phase_title(benchmark, phase, title) for phase, title in self.phases.items()]

    def show(self, section: ViewSection) -> Sequence[Block]:
        from banzuke.views.over_time.charts import course_chart  # noqa: PLC0415  (see LATE in test_architecture.py)

        titles = {phase: phase_title(section.benchmark.name, phase, title) for phase, title in self.phases.items()}
        seen = [(case, courses) for case in section.cases if (courses := self.of(case.assessment))][:MOST_CASES]
        drawn = [course_chart(section, *shown, titles, f"{place}").block for place, shown in enumerate(seen, 1)]
        blocks: list[Block] = [Charts(tuple(drawn[:OPEN_CASES]))] if drawn else []
        if more := drawn[OPEN_CASES:]:
            summary = section.words(message("views-more-over-time", number=len(more)))
            blocks.append(Details(summary, (Charts(tuple(more)),)))
        return blocks


def phase_title(benchmark: str, phase: str, title: str) -> Message:
    return declared(code(benchmark, "course", phase), title)
