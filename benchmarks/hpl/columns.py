"""Shows the columns of HPL's grid: rates, shares of the matrix, and times spent computing, moving data and waiting."""

from collections.abc import Sequence

from banzuke.document import Block, Cell, Charts, Column, Heading, Row, Table
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.record.model import Record
from banzuke.units import percent, quantity
from banzuke.views.view import View, ViewCase, ViewSection
from banzuke.words import Listed, Message, Quantity, Share, message
from banzuke.words.language import Words

from .shared_matrix import SharedMatrix, shared_matrix

MOST_NAMED = 4
"""Most columns of the grid that a sentence lists with rates and shares."""


class GridColumns(View[SharedMatrix]):
    name = "columns"
    warns = True

    def judge(self, record: Record, machine: Machine) -> SharedMatrix | None:  # noqa: ARG002
        return shared_matrix(record)

    def remark(self, seen: SharedMatrix, launches: Sequence[SharedMatrix]) -> Message:  # noqa: ARG002
        """Return a sentence that says why the columns have their shares."""
        rates = Listed(tuple(Quantity(column.rate, "flop/s") for column in seen.columns), MOST_NAMED)
        reached, total = Share(seen.rate / seen.sum_of_rates), Quantity(seen.sum_of_rates, "flop/s")
        if seen.alike:
            return message("hpl-dealt-equally", rates=rates, reached=reached, sum=total)
        shares = Listed(tuple(Share(column.share) for column in seen.columns), MOST_NAMED)
        if seen.by_rates:
            return message("hpl-dealt", shares=shares, rates=rates, reached=reached, sum=total)
        return message("hpl-dealt-as-given", shares=shares, rates=rates, reached=reached, sum=total)

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


def _table(words: Words, cases: Sequence[tuple[ViewCase, SharedMatrix]]) -> Table:
    titles = (
        message("hpl-products"),
        message("hpl-columns-of-matrix"),
        message("hpl-computed"),
        message("hpl-moved"),
        message("hpl-waited"),
    )
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
    columns = (*heads, *(Column(words(title), numeric=True) for title in titles))
    return Table(columns, tuple(rows), words(message("hpl-columns-caption")), file="hpl-columns", heads=len(heads))
