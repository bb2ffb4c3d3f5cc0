"""Tests of what only some benchmarks need: official rules, charts of comparable cases, a node's balance."""

from pathlib import Path

import pytest

from banzuke.judge.model import Assessment
from banzuke.plan.official import Violation
from banzuke.report import testing
from banzuke.report.testing import documents
from banzuke.report.testing.documents import items
from banzuke.report.testing.solver import KNOWN, solved
from banzuke.report.write import write

SHORT = (Violation("at least 60 s", "3 s"),)


def test_rulings_are_reported_once_with_the_cases() -> None:
    evaluation = testing.only(
        solved(1, violations=SHORT),
        solved(2, colours=8, violations=SHORT),
        solved(3, colours=16, violations=()),
        benchmarks=KNOWN,
    )
    said = [item.text for item in items(documents.section(evaluation, "benchmark-geofem")) if "VALID" in item.text]
    assert len(said) == 2
    assert "requires at least 60 s: 3 s" in said[0]
    assert "and 1 more case" in said[0]
    assert "more case" not in said[1]


def test_without_rules_nothing_is_said(tmp_path: Path) -> None:
    write(testing.only(solved(1), benchmarks=KNOWN), tmp_path)
    assert "official" not in (tmp_path / "report.html").read_text()


def test_checks_are_folded(tmp_path: Path) -> None:
    write(testing.only(solved(1), benchmarks=KNOWN), tmp_path)
    page = (tmp_path / "report.html").read_text()
    folded = page[page.index("<details><summary>The result was checked and is correct</summary>") :]
    assert "✓</span> error a" in folded[: folded.index("</details>")]


@pytest.mark.parametrize(("case", "columns"), [(solved(1), ["Value"]), (testing.stream(1, 2, 1.0), ["Median", "Best"])])
def test_single_samples_have_no_statistics(case: Assessment, columns: list[str]) -> None:
    shown = documents.section(testing.only(case, benchmarks=KNOWN), f"benchmark-{case.record.benchmark}")
    titles = [column.title for column in documents.tables(shown)[0].columns]
    assert [name for name in ("Value", "Median", "Best") if name in titles] == columns
