"""Judges and shows where the time of a run went, and which parts of it likely hold its figure back."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from banzuke.document import Block, Heading, Row, Table
from banzuke.judge.evidence import Evidence
from banzuke.judge.finding import Finding
from banzuke.limit.best_time import NOISE
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.wording import code
from banzuke.record.model import Record
from banzuke.views.breakdown.times import PhaseTime, Times, cells, columns
from banzuke.views.view import View, ViewCase, ViewSection
from banzuke.words import Listed, Message, Quantity, Share, declared, message
from banzuke.words.language import Words

MUCH = 0.03
"""Share of the time from which a phase other than the work itself is reported."""


@dataclass(frozen=True)
class Phase:
    """A phase of a run's time, named in its record's breakdown."""

    title: str
    """Title for the middle of a sentence: `panel factorisation`."""
    useful: bool = False
    """Whether it is the work itself, which only a faster processor shortens; all else is overhead."""
    advice: str = ""
    """What to try when it takes too much of the time."""


@dataclass(frozen=True)
class TimeBreakdown(View[Times]):
    """Shows the breakdown of a record's time; `phases` explains its names."""

    phases: Mapping[str, Phase]
    name = "breakdown"

    def judge(self, record: Record, machine: Machine) -> Times | None:  # noqa: ARG002
        """Return the phases that took time, the work itself first; None: there is no breakdown, or no time."""
        if record.breakdown is None:
            return None
        whole = sum(record.breakdown.walls)
        times = [
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
        return tuple(sorted(times, key=lambda phase: not phase.useful)) or None

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
        """Return the breakdown of the first case that has one, then a comparison of all of them."""
        from banzuke.views.breakdown.charts import charts  # noqa: PLC0415  (see LATE in tests/test_architecture.py)
        from banzuke.views.breakdown.compared import compared  # noqa: PLC0415

        words = section.words
        times_by_case = [(case, seen) for case in section.cases if (seen := self.of(case.assessment))]
        if not times_by_case:
            return []
        case, seen = times_by_case[0]
        verified = sum(launch.record.status == "ok" for launch in case.assessment.launches)
        caption = message("views-time-of-phases", launches=verified)
        return [
            Heading(words(message("views-where-time-went")), of=case.label if len(section.cases) > 1 else ""),
            _table(case, seen, words, words(caption)),
            *(drawn.block for drawn in charts(section, case.assessment, seen)),
            *(compared(section, times_by_case) if len(times_by_case) > 1 else []),
        ]


def _title(benchmark: str, name: str, phase: Phase) -> Message:
    return declared(code(benchmark, "phase", name), phase.title)


def _advice(benchmark: str, name: str, phase: Phase) -> Message:
    return declared(code(benchmark, "phase", name, "advice"), phase.advice)


def _table(case: ViewCase, seen: Times, words: Words, caption: str) -> Table:
    return Table(columns(words), tuple(Row(cells(case, phase, words)) for phase in seen), caption)


def _costly_phases(seen: Times, e: Evidence) -> Iterator[Finding]:
    for phase in seen:
        if not phase.useful and phase.share > MUCH:
            advice = phase.advice or message("views-explain", benchmark=e.record.benchmark)
            sentence = message("views-costly-phase", phase=phase.title, share=Share(phase.share), advice=advice)
            yield Finding(phase.share, sentence, against="time", phase=phase.name)


def _slow_work(seen: Times, e: Evidence) -> Iterator[Finding]:
    """Report the work itself if it is below the rate that the processors allow, whatever the other phases take."""
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
            against="limit",
        )
