"""What only some benchmarks ask of a report: official rules, charts of like cases, the balance of a node."""

from pathlib import Path
from typing import Any

import pytest

from banzuke.charts.testing import layers, rows
from banzuke.limit.model import Assessment
from banzuke.plan.benchmark import Plot
from banzuke.plan.official import Violation
from banzuke.report import testing
from banzuke.report.charts.sweep import sweep_charts
from banzuke.report.content import BenchmarkData, Content
from banzuke.report.legacy import compose
from banzuke.report.testing import documents
from banzuke.report.testing.documents import items
from banzuke.report.testing.solver import KNOWN, SOLVER, solved
from banzuke.report.write import write

SHORT = (Violation("at least 60 s", "3 s"),)
LAYOUT, COLOURS = SOLVER.plots


def made(*assessments: Assessment, **more: Any) -> Content:
    return compose(testing.only(*assessments, benchmarks=KNOWN, **more))[0]


def section(*assessments: Assessment) -> BenchmarkData:
    return made(*assessments).sections[0]


def places(found: BenchmarkData, plot: Plot) -> list[str]:
    """Of a chart's bars or points."""
    (chart,) = sweep_charts(found, (plot,))
    spec = chart.spec()
    (layer,) = layers(spec, "bar" if plot is LAYOUT else "point")
    return [row.get("label") or f"{row['series']} {row['x']:g}" for row in rows(spec, layer)]


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


def test_layouts_are_compared_among_like_cases() -> None:
    found = section(
        solved(1),
        solved(2, ranks=1, threads=2),
        solved(3, ranks=1, threads=2, colours=8),
        solved(4, ranks=1, threads=4, n=20),
    )
    assert places(found, LAYOUT) == ["flat MPI", "hybrid 2 × 1"]
    assert found.charts[0] == "geofem-1"


def test_one_place_alone_is_no_comparison() -> None:
    assert sweep_charts(section(solved(1)), SOLVER.plots) == []


def test_colours_are_those_that_were_needed() -> None:
    found = section(
        solved(1),
        *[solved(2 + i, "mc", colours, ranks=1, threads=2) for i, colours in enumerate((2, 16, 64))],
        *[solved(5 + i, "cm-rcm", colours, ranks=1, threads=2) for i, colours in enumerate((2, 16, 64))],
    )
    points = ["mc 8", "mc 16", "mc 64", "cm-rcm 9", "cm-rcm 16", "cm-rcm 64"]
    assert places(found, COLOURS) == points


def test_checks_are_folded(tmp_path: Path) -> None:
    write(testing.only(solved(1), benchmarks=KNOWN), tmp_path)
    page = (tmp_path / "report.html").read_text()
    folded = page[page.index("<details><summary>The result was checked and is correct</summary>") :]
    assert "✓</span> error a" in folded[: folded.index("</details>")]


@pytest.mark.parametrize(("case", "columns"), [(solved(1), ["Value"]), (testing.stream(1, 2, 1.0), ["Median", "Best"])])
def test_single_samples_have_no_statistics(case: Assessment, columns: list[str]) -> None:
    found = documents.section(testing.only(case, benchmarks=KNOWN), f"benchmark-{case.record.benchmark}")
    titles = [column.title for column in documents.tables(found)[0].columns]
    assert [name for name in ("Value", "Median", "Best") if name in titles] == columns
