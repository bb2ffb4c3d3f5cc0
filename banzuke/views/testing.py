"""Shows artificial cases in views, for tests."""

from collections.abc import Mapping, Sequence
from typing import Any

from banzuke.document import Block, Chart, Table, inside
from banzuke.judge.model import Assessment
from banzuke.plan.benchmark import Benchmark
from banzuke.report.testing.parts import machine
from banzuke.views.view import View, ViewCase, ViewSection, views
from banzuke.words.language import words


def section(benchmark: Benchmark, *assessments: Assessment, language: str = "en") -> ViewSection:
    """Return a section whose cases are named `case 1`, ..."""
    cases = [
        ViewCase(
            assessment, assessment.record.provenance.id if assessment.record.provenance else f"{place}", f"case {place}"
        )
        for place, assessment in enumerate(assessments, 1)
    ]
    return ViewSection(benchmark, machine(), benchmark.name, cases, words(language))


def view(benchmark: Benchmark, name: str) -> View[Any]:
    return next(candidate for candidate in views(benchmark) if candidate.name == name)


def shown(benchmark: Benchmark, name: str, *assessments: Assessment, language: str = "en") -> Sequence[Block]:
    return view(benchmark, name).show(section(benchmark, *assessments, language=language))


def charts(blocks: Sequence[Block]) -> Mapping[str, Chart]:
    return {block.id: block for block in inside(blocks) if isinstance(block, Chart)}


def tables(blocks: Sequence[Block]) -> Sequence[Table]:
    return [block for block in inside(blocks) if isinstance(block, Table)]


def texts(table: Table) -> Sequence[Sequence[str]]:
    return [[cell.text for cell in row.cells] for row in table.rows]
