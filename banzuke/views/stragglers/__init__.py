"""Judges and shows ranks that were slower than the others, named with their hosts."""

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
"""Ratio of the median rank's rate to a slower one's from which that rank is reported."""
FEWEST = 3
"""Fewest ranks: of two, neither is the norm."""
SHOWN = 3
"""Most ranks that are named in one statement."""


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
        return tuple(straggler for straggler in self.slowest if straggler.rate * SLOW <= self.median)

    @property
    def ratio(self) -> float:
        """The median rank's rate over the slowest one's."""
        return self.median / self.slowest[0].rate

    @property
    def who(self) -> Message:
        return message(
            "views-straggling-ranks", ranks=Listed(tuple(straggler.message for straggler in self.late[:SHOWN]))
        )


Seen = tuple[Straggling, ...]


class Stragglers(View[Seen]):
    """Shows the condition `ranks`, which has by metric the median rank's rate and the ranks with the lowest rates."""

    name = "stragglers"
    warns = True

    def __init__(self, *metrics: str) -> None:
        """`metrics`: those to be shown; others take too little time to judge a rank."""
        self.metrics = metrics

    def judge(self, record: Record, machine: Machine) -> Seen | None:  # noqa: ARG002
        condition = record.conditions.get("ranks")
        by_metric = condition if isinstance(condition, Mapping) else {}
        stragglings = (_read(record, metric, by_metric.get(metric)) for metric in self.metrics)
        return tuple(filter(None, stragglings)) or None

    def findings(self, seen: Seen, evidence: Evidence) -> Iterator[Finding]:  # noqa: ARG002
        """Report the late ranks of each metric; they cost the slowest one's difference from the median."""
        for straggling in seen:
            if straggling.late:
                sentence = message(
                    "views-straggling",
                    metric=straggling.metric,
                    who=straggling.who,
                    slowest=Quantity(straggling.slowest[0].rate, straggling.unit),
                    median=Quantity(straggling.median, straggling.unit),
                    ratio=straggling.ratio,
                )
                yield Finding(1 - 1 / straggling.ratio, sentence, odd=True, against="peers")

    def remark(self, seen: Seen, launches: Sequence[Seen]) -> Message | None:  # noqa: ARG002
        several = [straggling for straggling in seen if straggling.late]
        late = max(several, key=lambda straggling: straggling.ratio, default=None)
        if late is None:
            return None
        return message("views-straggler", who=late.late[0].message, metric=late.metric, ratio=late.ratio)

    def method(self) -> Message:
        return message("views-method-of-stragglers", ratio=SLOW)

    def show(self, section: ViewSection) -> Sequence[Block]:
        """Return a row for each late rank, or a sentence that there is none."""
        words = section.words
        seen = [(case, measured) for case in section.cases if (measured := self.of(case.assessment))]
        if not seen:
            return ()
        rows = tuple(
            row for case, measured in seen for straggling in measured for row in _rows(section, case, straggling)
        )
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


def _rows(section: ViewSection, case: ViewCase, straggling: Straggling) -> Iterator[Row]:
    words = section.words
    for straggler in straggling.late:
        ratio = straggling.median / straggler.rate
        yield Row(
            (
                Cell(case.label),
                Cell(words(straggling.metric)),
                Cell(quantity(straggling.median, straggling.unit), straggling.median, straggling.unit),
                Cell(words(straggler.message)),
                Cell(quantity(straggler.rate, straggling.unit), straggler.rate, straggling.unit),
                Cell(number(ratio), ratio),
            )
        )


def _read(record: Record, metric: str, condition: object) -> Straggling | None:
    """Return the ranks of a metric; None: the condition does not describe ranks, or there is no figure."""
    samples = record.metrics.get(metric)
    if samples is None or not isinstance(condition, Mapping):
        return None
    middle, listed = condition.get("median"), condition.get("slowest")
    every = [entry for entry in listed if isinstance(entry, Mapping)] if isinstance(listed, Sequence) else []
    slowest = tuple(
        Straggler(rank, str(entry.get("host", "")), float(rate))
        for entry in every
        if isinstance(rank := entry.get("rank"), int)
        and isinstance(rate := entry.get("rate"), int | float)
        and rate > 0
    )
    if not isinstance(middle, int | float) or not middle > 0 or not slowest or record.ranks < FEWEST:
        return None
    title = declared(code(record.benchmark, "metric", metric), metric.replace("_", " "))
    return Straggling(title, samples.unit, float(middle), slowest)
