"""Ranks that were slower than the others, named with their hosts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from banzuke.document import Block, Cell, Column, Heading, Paragraph, Row, Table
from banzuke.judge.evidence import Evidence
from banzuke.judge.finding import Finding
from banzuke.machine.model import Machine
from banzuke.plan.wording import code
from banzuke.record.model import Record
from banzuke.units import number, quantity
from banzuke.views.view import View, ViewCase, ViewSection
from banzuke.words import Listed, Message, Quantity, declared, message

SLOW = 1.5
"""Times slower than the median rank that is told."""
FEWEST = 3
"""Ranks: of two, neither is what others do."""
SHOWN = 3
"""Ranks that are named in one statement."""


@dataclass(frozen=True)
class Straggler:
    rank: int
    host: str
    rate: float

    @property
    def message(self) -> Message:
        return message("views-rank-on-host", rank=str(self.rank), host=self.host)


@dataclass(frozen=True)
class Straggling:
    """The slowest ranks of a metric, the slowest first."""

    metric: Message
    unit: str
    median: float
    slowest: tuple[Straggler, ...]

    @property
    def late(self) -> tuple[Straggler, ...]:
        return tuple(each for each in self.slowest if each.rate * SLOW <= self.median)

    @property
    def ratio(self) -> float:
        """Of the median rank's rate over the slowest one's."""
        return self.median / self.slowest[0].rate

    @property
    def who(self) -> Message:
        return message("views-straggling-ranks", ranks=Listed(tuple(each.message for each in self.late[:SHOWN])))


Seen = tuple[Straggling, ...]


class Stragglers(View[Seen]):
    """Of the condition `ranks`: by metric the median rank's own rate, and the ranks with the lowest."""

    name = "stragglers"
    warns = True

    def __init__(self, *metrics: str) -> None:
        """`metrics`: others take too little time to tell anything of a rank."""
        self.metrics = metrics

    def judge(self, record: Record, machine: Machine) -> Seen | None:  # noqa: ARG002
        told = record.conditions.get("ranks")
        found = told if isinstance(told, Mapping) else {}
        return tuple(one for metric in self.metrics if (one := _read(record, metric, found.get(metric)))) or None

    def findings(self, seen: Seen, evidence: Evidence) -> Iterator[Finding]:  # noqa: ARG002
        for one in seen:
            if one.late:
                told = message(
                    "views-straggling",
                    metric=one.metric,
                    who=one.who,
                    slowest=Quantity(one.slowest[0].rate, one.unit),
                    median=Quantity(one.median, one.unit),
                    ratio=one.ratio,
                )
                yield Finding(1 - 1 / one.ratio, told, odd=True, against="peers")

    def remark(self, seen: Seen, launches: Sequence[Seen]) -> Message | None:  # noqa: ARG002
        late = max((one for one in seen if one.late), key=lambda one: one.ratio, default=None)
        if late is None:
            return None
        return message("views-straggler", who=late.late[0].message, metric=late.metric, ratio=late.ratio)

    def method(self) -> Message:
        return message("views-method-of-stragglers", ratio=SLOW)

    def show(self, section: ViewSection) -> Sequence[Block]:
        words = section.words
        seen = [(case, found) for case in section.cases if (found := self.of(case.assessment))]
        if not seen:
            return ()
        rows = tuple(row for case, found in seen for one in found for row in _rows(section, case, one))
        heading = Heading(words(message("views-stragglers")))
        if not rows:
            return (heading, Paragraph(words(message("views-no-stragglers", ratio=SLOW))))
        titles = (
            message("views-case"),
            message("views-figure"),
            message("views-median"),
            message("views-straggling-rank"),
            message("views-straggling-rate"),
            message("views-straggling-ratio"),
        )
        columns = tuple(Column(words(title), numeric=place in (2, 4, 5)) for place, title in enumerate(titles))
        return (heading, Table(columns, rows, words(message("views-stragglers-caption", ratio=SLOW)), heads=2))


def _rows(section: ViewSection, case: ViewCase, of: Straggling) -> Iterator[Row]:
    words = section.words
    for each in of.late:
        ratio = of.median / each.rate
        yield Row(
            (
                Cell(case.label),
                Cell(words(of.metric)),
                Cell(quantity(of.median, of.unit), of.median, of.unit),
                Cell(words(each.message)),
                Cell(quantity(each.rate, of.unit), each.rate, of.unit),
                Cell(number(ratio), ratio),
            )
        )


def _read(record: Record, metric: str, told: object) -> Straggling | None:
    """None: it says nothing of ranks, or has no figure."""
    samples = record.metrics.get(metric)
    if samples is None or not isinstance(told, Mapping):
        return None
    middle, listed = told.get("median"), told.get("slowest")
    every = [each for each in listed if isinstance(each, Mapping)] if isinstance(listed, Sequence) else []
    slowest = tuple(
        Straggler(rank, str(each.get("host", "")), float(rate))
        for each in every
        if isinstance(rank := each.get("rank"), int) and isinstance(rate := each.get("rate"), int | float) and rate > 0
    )
    if not isinstance(middle, int | float) or not middle > 0 or not slowest or record.ranks < FEWEST:
        return None
    title = declared(code(record.benchmark, "metric", metric), metric.replace("_", " "))
    return Straggling(title, samples.unit, float(middle), slowest)
