"""A table of the rates of all operations, with a row for each case, as in mdtest's own summary."""

from collections.abc import Sequence
from typing import Literal

from banzuke.compare.settings import figure_text
from banzuke.document import Block, Cell, Column, Origin, Row, Table
from banzuke.machine.model import Machine
from banzuke.plan.wording import metric_title
from banzuke.record.model import Record
from banzuke.views.stragglers import Stragglers
from banzuke.views.sweep import Sweep
from banzuke.views.sweep.plot import Plot
from banzuke.views.view import View, ViewCase, ViewSection
from banzuke.words import message
from banzuke.words.language import Words

from .operations import WHAT

KINDS = ("directory", "file", "tree")
CACHED = "cached_"


class OperationTable(View[Literal[True]]):
    name = "operations"
    tabulates = True

    def judge(self, record: Record, machine: Machine) -> Literal[True]:  # noqa: ARG002
        return True

    def show(self, section: ViewSection) -> Sequence[Block]:
        cases = [case for case in section.cases if case.assessment.figures]
        return [table for kind in KINDS if (table := _table(kind, section, cases))]


def _table(kind: str, section: ViewSection, cases: Sequence[ViewCase]) -> Table | None:
    """Return the table of operations on files, on directories, or on the tree."""
    words = section.words
    seen = {figure.metric.removeprefix(CACHED) for case in cases for figure in case.assessment.figures}
    metrics = [metric for metric in section.benchmark.metrics if metric.name in seen and metric.name.startswith(kind)]
    if not metrics:
        return None
    titles = [words(metric_title(section.benchmark.name, metric)) for metric in metrics]
    named = any(case.label for case in cases)
    columns = tuple(Column(title, numeric=True) for title in titles)
    rows = [(case.label, [_cell(case, metric.name, words) for metric in metrics]) for case in cases]
    return Table(
        (Column(words(message("mdtest-case"))), *columns) if named else columns,
        tuple(Row((Cell(label), *cells) if named else tuple(cells)) for label, cells in rows),
        caption=words(message("mdtest-operations-caption", of=kind)),
        file=f"operations-{kind}",
        heads=int(named),
    )


def _cell(case: ViewCase, metric: str, words: Words) -> Cell:
    """Return the rate, with a remark if the client answered without the server."""
    figures = {figure.metric: figure for figure in case.assessment.figures}
    figure = figures.get(metric) or figures.get(CACHED + metric)
    if figure is None:
        return Cell("–")
    rate = figure_text(figure.value, figure.unit)
    text = words(message("mdtest-cached", rate=rate)) if figure.metric.startswith(CACHED) else rate
    return Cell(text, figure.value, figure.unit, Origin(case.id, figure.metric, "median"))


VIEWS = (
    OperationTable(),
    Sweep(
        Plot(
            "Operations over clients",
            ("file_create_rate", "file_stat_rate", "file_remove_rate", "directory_create_rate"),
            x="ranks",
            series="area",
            alike=("items", "directories", "backend"),
        )
    ),
    Stragglers(*(f"{kind}_{call}_rate" for kind, calls in WHAT.items() for call in calls)),
)
