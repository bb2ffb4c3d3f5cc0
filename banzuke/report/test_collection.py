"""Tests of the report of a collection: its summary, and where its problems are left out."""

from functools import cache
from pathlib import Path

import pytest

from banzuke.compare.statistics import geometric_mean, median
from banzuke.document import Chart
from banzuke.report.model import Evaluation
from banzuke.report.testing import rich
from banzuke.report.testing.documents import document, items, summary, tables
from banzuke.report.testing.documents import section as documents_section
from banzuke.report.testing.sparse import collection
from banzuke.report.write import write


@cache
def both() -> tuple[Evaluation]:
    return (collection(families=10, sizes=6),)


def rates(backend: str, family: str | None = None) -> dict[str, float]:
    """Return medians by id, straight from the records."""
    return {
        record.provenance.id: median(record.metrics["flop_rate"].samples)
        for assessment in both()[0].assessments
        if (record := assessment.record).status == "ok" and record.provenance and record.backend == backend
        if family in (None, record.parameters["family"])
    }


def test_the_summary_speaks_for_all_problems() -> None:
    evaluation = both()[0]
    (line,) = summary(evaluation)
    assert line.figure is None
    assert line.mean == pytest.approx(geometric_mean(rates("omp").values()))
    row = tables(documents_section(evaluation, "summary"))[-1].rows[0]
    assert row.cells[-1].text == "120 of 121 cases verified"
    assert len([item for item in items(documents_section(evaluation, "problems")) if "SpMV" in item.text]) == 1


def test_one_problem_has_no_mean() -> None:
    """The summary of an evaluation that was cut short said `geometric mean of 1 cases`."""
    (first, *_) = (assessment for assessment in both()[0].assessments if assessment.record.status == "ok")
    (line,) = summary(Evaluation(**{**vars(both()[0]), "assessments": (first,)}))
    assert line.title == "the only case that ran"


def test_no_problem_of_a_collection_is_under_the_roofs() -> None:
    evaluation = both()[0]
    under_roofs = Evaluation(**{**vars(evaluation), "ceilings": rich().ceilings})
    roofline = next(section for section in document(under_roofs).sections if section.anchor == "roofline")
    assert not [block for block in roofline.blocks if isinstance(block, Chart)]


def test_the_files_of_a_collection(tmp_path: Path) -> None:
    files = {path.name for path in write(both()[0], tmp_path).files}
    assert {"spmv.csv", "spmv-rates.svg", "spmv-limits.pdf", "spmv-ratio-1.svg"} <= files
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert 'id="case-spmv-1"' in text
    assert "omp over mkl" in (tmp_path / "report.md").read_text(encoding="utf-8")
