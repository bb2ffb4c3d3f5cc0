"""How the columns of HPL's grid share the matrix where they are unlike, and what each did: computed, moved, waited."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from statistics import median

from banzuke.document import Block, Cell, Charts, Column, Heading, Row, Table
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.record.model import Record
from banzuke.units import percent, quantity
from banzuke.views.view import View, ViewCase, ViewSection
from banzuke.words import Fact, Listed, Message, Quantity, Share, message
from banzuke.words.language import Words

MOVES = ("swap", "transfer")
WAITS = ("pivot_exchange", "broadcast_wait", "swap_wait", "thread_wait")
"""Phases; all others are work."""
MOST_NAMED = 4
"""Columns of the grid whose rates and shares stand in a sentence."""


@dataclass(frozen=True)
class GridColumn:
    name: Message
    rate: float
    """flop/s of its ranks' products, measured while all ranks measured."""
    share: float
    """Of the matrix's columns."""
    seconds: tuple[float, float, float]
    """That it computed, moved rows or panels in memory, and waited: means over its ranks."""


@dataclass(frozen=True)
class SharedMatrix:
    columns: tuple[GridColumn, ...]
    sum_of_rates: float
    """Of all ranks, in flop/s."""
    rate: float
    """HPL's."""
    by_rates: bool
    """Whether shares follow them; else they were given."""

    @property
    def alike(self) -> bool:
        return len({column.share for column in self.columns}) == 1


class GridColumns(View[SharedMatrix]):
    name = "columns"
    warns = True

    def judge(self, record: Record, machine: Machine) -> SharedMatrix | None:  # noqa: ARG002
        return shared_matrix(record)

    def remark(self, seen: SharedMatrix, launches: Sequence[SharedMatrix]) -> Message:  # noqa: ARG002
        """Why the columns have what they have."""
        rates = Listed(tuple(Quantity(column.rate, "flop/s") for column in seen.columns), MOST_NAMED)
        reached: dict[str, Fact] = {
            "reached": Share(seen.rate / seen.sum_of_rates),
            "sum": Quantity(seen.sum_of_rates, "flop/s"),
        }
        if seen.alike:
            return message("hpl-dealt-equally", rates=rates, **reached)
        shares = Listed(tuple(Share(column.share) for column in seen.columns), MOST_NAMED)
        return message("hpl-dealt" if seen.by_rates else "hpl-dealt-as-given", shares=shares, rates=rates, **reached)

    def brief(self, benchmark: Benchmark, case: ViewCase, words: Words) -> Sequence[Block]:  # noqa: ARG002
        seen = self.of(case.assessment)
        return [_table(words, [(case, seen)])] if seen else []

    def show(self, section: ViewSection) -> Sequence[Block]:
        from .columns_chart import work_chart  # noqa: PLC0415  (see LATE in tests/test_architecture.py)

        cases = [(case, seen) for case in section.cases if (seen := self.of(case.assessment))]
        if not cases:
            return ()
        return (
            Heading(section.words(message("hpl-columns"))),
            Charts((work_chart(section, cases).block,)),
            _table(section.words, cases),
        )


def shared_matrix(record: Record) -> SharedMatrix | None:
    """None: no rates were measured, or it is not as our program writes it."""
    conditions = record.conditions
    rates, shares = (_amounts(conditions.get(name)) for name in ("column_rates", "column_shares"))
    total = _amounts([conditions.get("sum_of_rates")])
    figure = record.metrics.get("flop_rate")
    if not rates or len(shares) != len(rates) or not total or figure is None or not figure.samples:
        return None
    phases = conditions.get("column_seconds")
    seconds = _by_kind(phases if isinstance(phases, dict) else {}, len(rates))
    columns = map(GridColumn, _names(record, len(rates)), rates, shares, seconds)
    by_rates = record.parameters.get("deal") == "rates"
    return SharedMatrix(tuple(columns), total[0], median(figure.samples), by_rates)


def _names(record: Record, number: int) -> Sequence[Message]:
    """By their processors, where each is a group that `--groups` named."""
    groups = (record.provenance.placement or "").split("+") if record.provenance else []
    if len(groups) == number:
        return [message("hpl-processors", cpus=cpus) for cpus in groups]
    return [message("hpl-column", number=place) for place in range(number)]


def _by_kind(phases: Mapping[str, object], number: int) -> Sequence[tuple[float, float, float]]:
    """Of each column of the grid."""
    by_kind = [[0.0, 0.0, 0.0] for _ in range(number)]
    for name, values in phases.items():
        kind = 1 if name in MOVES else 2 if name in WAITS else 0
        for seconds, value in zip(by_kind, _amounts(values), strict=False):
            seconds[kind] += value
    return [(computed, moved, waited) for computed, moved, waited in by_kind]


def _amounts(values: object) -> Sequence[float]:
    """Empty where they are none, as in a record that others wrote."""
    listed = values if isinstance(values, list) else []
    amounts = [float(value) for value in listed if isinstance(value, int | float) and isfinite(value) and value >= 0]
    return amounts if len(amounts) == len(listed) else []


def _table(words: Words, cases: Sequence[tuple[ViewCase, SharedMatrix]]) -> Table:
    titles = ("hpl-products", "hpl-columns-of-matrix", "hpl-computed", "hpl-moved", "hpl-waited")
    rows = [
        Row(
            (
                Cell(case.label),
                Cell(words(column.name)),
                Cell(quantity(column.rate, "flop/s"), column.rate, "flop/s"),
                Cell(percent(column.share), column.share),
                *(Cell(quantity(seconds, "s"), seconds, "s") for seconds in column.seconds),
            )
        )
        for case, seen in cases
        for column in seen.columns
    ]
    heads = (Column(words(message("hpl-case"))), Column(words(message("hpl-grid-column"))))
    columns = (*heads, *(Column(words(message(title)), numeric=True) for title in titles))
    return Table(columns, tuple(rows), words(message("hpl-columns-caption")), file="hpl-columns", heads=len(heads))
