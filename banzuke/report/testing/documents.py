"""Parts of composed reports, for tests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from altair.utils.schemapi import debug_mode

from banzuke.document import Block, Chart, Document, FindingEntry, Findings, Item, Items, Section, Table, inside
from banzuke.report.benchmark import tables_of, views_of
from banzuke.report.chapter import Chapter, chapters
from banzuke.report.compose import compose, runs_of
from banzuke.report.model import Evaluation
from banzuke.report.summary import SummaryLine, summary_lines
from banzuke.views.view import tabulated
from banzuke.words.language import words


def document(*evaluations: Evaluation) -> Document:
    """Compose a report. Altair does not validate its charts part by part, which takes a third of the time: tests of
    each view do, and test_drawn.py validates all charts of a rich report as a whole.
    """
    with debug_mode(arg=False):
        return compose(runs_of(evaluations, words()), words())


def section(evaluation: Evaluation, anchor: str) -> Section:
    return next(section for section in document(evaluation).sections if section.anchor == anchor)


def blocks(whole: Document) -> list[Block]:
    return [block for section in whole.sections for block in inside(section.blocks)]


def charts(whole: Document) -> list[Chart]:
    return [block for block in blocks(whole) if isinstance(block, Chart)]


def tables(part: Section) -> list[Table]:
    return [block for block in inside(part.blocks) if isinstance(block, Table)]


def texts(table: Table) -> list[list[str]]:
    return [[cell.text for cell in row.cells] for row in table.rows]


def findings(part: Section) -> list[FindingEntry]:
    return [entry for block in part.blocks if isinstance(block, Findings) for entry in block.findings]


def items(part: Section) -> list[Item]:
    return [item for block in inside(part.blocks) if isinstance(block, Items) for item in block.items]


def chapters_of(evaluation: Evaluation) -> list[Chapter]:
    return chapters(evaluation, words())


def summary(evaluation: Evaluation) -> list[SummaryLine]:
    return summary_lines(evaluation, chapters_of(evaluation), words())


@dataclass(frozen=True)
class Shown:
    """The part of a report that a benchmark's views add."""

    blocks: Sequence[Block]
    tables: Mapping[str, Table]
    """Tables by the end of their name."""
    tabulated: bool


def shown(evaluation: Evaluation, name: str, language: str = "en") -> Shown:
    (chapter,) = (chapter for chapter in chapters(evaluation, words(language)) if chapter.name == name)
    named = tables_of(chapter, evaluation.machine, words(language))
    return Shown(
        views_of(chapter, evaluation.machine, words(language)),
        {file.removeprefix(f"{chapter.slug}-").removesuffix(".csv"): table for file, table in named.items()},
        any(tabulated(case.assessment, chapter.benchmark) for case in chapter.cases),
    )
