"""Where the time of a run went, and what of that likely holds its figure back."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from banzuke.document import Block, Cell, Column, Heading, Origin, Row, Table
from banzuke.limit.evidence import Evidence
from banzuke.limit.finding import Finding
from banzuke.limit.roofline import NOISE
from banzuke.limit.view import View, ViewCase, ViewSection
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.wording import code
from banzuke.record.model import Record
from banzuke.units import percent, quantity
from banzuke.views.breakdown.times import PhaseTime, Times
from banzuke.words import Listed, Message, Quantity, Share, declared, message
from banzuke.words.language import Words

MUCH = 0.03
"""Share of the time from which a phase that is not the work itself is worth naming."""


@dataclass(frozen=True)
class Phase:
    """A phase of a run's time that its record's breakdown names."""

    title: str
    """In the middle of a sentence: `panel factorisation`."""
    useful: bool = False
    """The work itself, which only a faster processor shortens; all else is what it costs to get there."""
    advice: str = ""
    """What to try when it takes too much of the time."""


@dataclass(frozen=True)
class TimeBreakdown(View[Times]):
    """Of the breakdown of a record's time; `phases` says what its names mean."""

    phases: Mapping[str, Phase]
    name = "breakdown"

    def judge(self, record: Record, machine: Machine) -> Times | None:  # noqa: ARG002
        if record.breakdown is None:
            return None
        whole = sum(record.breakdown.walls)
        found = [
            PhaseTime(
                name,
                _title(record.benchmark, name, phase),
                phase.useful,
                _advice(record.benchmark, name, phase) if phase.advice else None,
                tuple(seconds),
                sum(seconds) / whole,
            )
            for name, seconds in record.breakdown.seconds.items()
            if any(seconds)
            for phase in [self.phases.get(name, Phase(name.replace("_", " ")))]
        ]
        return tuple(sorted(found, key=lambda phase: not phase.useful)) or None

    def findings(self, seen: Times, evidence: Evidence) -> Iterator[Finding]:
        yield from _costly_phases(seen, evidence)
        yield from _slow_work(seen, evidence)

    def amounts(self, seen: Times) -> Mapping[str, Quantity]:
        return {f"breakdown.{phase.name}": Quantity(phase.seconds, "s") for phase in seen}

    def declared(self, benchmark: str) -> Sequence[Message]:
        titles = [_title(benchmark, name, phase) for name, phase in self.phases.items()]
        return [*titles, *(_advice(benchmark, name, phase) for name, phase in self.phases.items() if phase.advice)]

    def brief(self, benchmark: Benchmark, case: ViewCase, words: Words) -> Sequence[Block]:  # noqa: ARG002
        seen = self.of(case.assessment)
        return [_table(case, seen, words, words(message("views-where-time-went")))] if seen else []

    def show(self, section: ViewSection) -> Sequence[Block]:
        """Of the headline's case."""
        from banzuke.views.breakdown.charts import charts  # noqa: PLC0415  (see LATE in tests/test_architecture.py)

        case, words = section.cases[0], section.words
        seen = self.of(case.assessment)
        if not seen:
            return []
        verified = sum(launch.record.status == "ok" for launch in case.assessment.launches)
        caption = message("views-time-of-phases", launches=verified)
        return [
            Heading(words(message("views-where-time-went")), of=case.label if len(section.cases) > 1 else ""),
            _table(case, seen, words, words(caption)),
            *(drawn.block for drawn in charts(section, seen)),
        ]


def _title(benchmark: str, name: str, phase: Phase) -> Message:
    return declared(code(benchmark, "phase", name), phase.title)


def _advice(benchmark: str, name: str, phase: Phase) -> Message:
    return declared(code(benchmark, "phase", name, "advice"), phase.advice)


def _table(case: ViewCase, seen: Times, words: Words, caption: str) -> Table:
    columns = (
        Column(words(message("views-phase"))),
        Column(words(message("views-time")), numeric=True),
        Column(words(message("views-of-time")), numeric=True),
    )
    rows = [
        Row(
            (
                Cell(words(phase.title)),
                Cell(quantity(phase.seconds, "s"), phase.seconds, "s", Origin(case.id, phase.name, "seconds")),
                Cell(
                    percent(phase.share),
                    phase.share,
                    "1",
                    Origin(case.id, phase.name, "share_of_time"),
                    share=phase.share,
                ),
            )
        )
        for phase in seen
    ]
    return Table(columns, tuple(rows), caption)


def _costly_phases(seen: Times, e: Evidence) -> Iterator[Finding]:
    for phase in seen:
        if not phase.useful and phase.share > MUCH:
            advice = phase.advice or message("views-explain", benchmark=e.record.benchmark)
            found = message("views-costly-phase", phase=phase.title, share=Share(phase.share), advice=advice)
            yield Finding(phase.share, found)


def _slow_work(seen: Times, e: Evidence) -> Iterator[Finding]:
    """The work itself below the rate that the processors allow, whatever the other phases take."""
    work = [phase for phase in seen if phase.useful]
    seconds, ceiling = sum(phase.seconds for phase in work), e.flop_limit
    if e.record.breakdown is None or not seconds or not ceiling:
        return
    rate = sum(e.record.breakdown.flops) / seconds
    if rate < (1 - NOISE) * ceiling:
        yield Finding(
            sum(phase.share for phase in work) * (1 - rate / ceiling),
            message(
                "views-slow-work",
                phase=Listed(tuple(phase.title for phase in work)),
                rate=Quantity(rate, "flop/s"),
                share=Share(rate / ceiling),
                source=e.figure.limit_source,
                advice=next((phase.advice for phase in work if phase.advice), message("views-slow-work-advice")),
            ),
        )
