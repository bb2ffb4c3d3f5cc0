"""A table of the chunks that pipelines were tried with, the fastest first."""

from collections.abc import Mapping, Sequence
from statistics import median

from banzuke.compare.settings import figure_text
from banzuke.document import Block, Cell, Column, Heading, Row, Table
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.record.model import Record
from banzuke.units import quantity
from banzuke.views.curve import Curves
from banzuke.views.pairs import RankPairs
from banzuke.views.view import View, ViewCase, ViewSection
from banzuke.words import message
from banzuke.words.language import Words

CHUNK = "chunk"
"""Name of the curve over tried chunks, and of the condition that holds the chosen one."""


class Chunks(View[Mapping[float, str]]):
    """The figure of each chunk, that of the chosen one first."""

    name = "chunks"

    def judge(self, record: Record, machine: Machine) -> Mapping[float, str] | None:  # noqa: ARG002
        tried, chosen = record.curves.get(CHUNK), record.conditions.get(CHUNK)
        if tried is None or not isinstance(chosen, int):
            return None
        figures = {
            point.at: figure_text(median(samples.samples), samples.unit)
            for point in tried.points
            for samples in point.metrics.values()
        }
        return {chunk: figures[chunk] for chunk in sorted(figures, key=lambda chunk: chunk != chosen)}

    def show(self, section: ViewSection) -> Sequence[Block]:
        seen = [(case, chunks) for case in section.cases if (chunks := self.of(case.assessment))]
        return [Heading(section.words(message("transfer-chunks"))), _table(section.words, seen)] if seen else []

    def brief(self, benchmark: Benchmark, case: ViewCase, words: Words) -> Sequence[Block]:  # noqa: ARG002
        chunks = self.of(case.assessment)
        return [_table(words, [(case, chunks)])] if chunks else []


def _table(words: Words, seen: Sequence[tuple[ViewCase, Mapping[float, str]]]) -> Table:
    """Return a table with a row for each chunk, the fastest first."""
    titles = (message("transfer-case"), message("transfer-chunk"), message("transfer-figure"))
    rows = [
        Row((Cell(case.label, above=index > 0), Cell(quantity(chunk, "B"), chunk), Cell(text)))
        for case, chunks in seen
        for index, (chunk, text) in enumerate(chunks.items())
    ]
    columns = tuple(Column(words(title), numeric=index > 0) for index, title in enumerate(titles))
    return Table(columns, tuple(rows), words(message("transfer-chunks-caption")), file="transfer-chunks")


VIEWS = (
    Curves(
        hidden=("min_size", "max_size"),
        compared=("path", "direction", "other"),
        along="transfer size",
        noun="transfer",
        nouns="Transfers",
    ),
    Chunks(),
    RankPairs(),
)
