"""Tests that a case with several launches is one case in every form of the report."""

import csv
import json
from pathlib import Path

import pytest

from banzuke.document.markdown import document_markdown
from banzuke.report.charts.samples import WIDEST, samples_chart
from banzuke.report.compose import runs_of
from banzuke.report.data import report_json
from banzuke.report.figures import interval, interval_text, spread_cell
from banzuke.report.model import Evaluation
from banzuke.report.testing import only, stream
from banzuke.report.testing.documents import chapters_of, document, findings, items, section, tables
from banzuke.report.testing.launches import launched, launches, together
from banzuke.report.testing.pages import Page
from banzuke.report.write import write
from banzuke.units import quantity, span
from banzuke.views.view import ViewCase
from banzuke.words import message
from banzuke.words.language import words


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    return launches()


@pytest.fixture(scope="module")
def folder(evaluation: Evaluation, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("launches")
    write(evaluation, made)
    return made


def cases(evaluation: Evaluation) -> list[ViewCase]:
    return [case for chapter in chapters_of(evaluation) for case in chapter.cases]


def test_each_case_is_counted_once_and_its_launches_beside(evaluation: Evaluation) -> None:
    assert [len(case.assessment.launches) for case in cases(evaluation)] == [3, 3, 0, 3, 2, 3]
    assert [chapter.columns for chapter in chapters_of(evaluation)] == [(("threads",),), (("n",),), ()]
    data = json.loads(report_json(runs_of([evaluation], words())))
    assert (data["measured"], data["verified"], data["launches"]) == (6, 5, 3 + 3 + 1 + 3 + 2 + 3)


def test_intervals_between_launches_and_within_one_are_never_the_same_thing(evaluation: Evaluation) -> None:
    for case in cases(evaluation):
        for figure in case.assessment.figures:
            origin = spread_cell(case, figure).origin
            assert origin is None or origin.stat == ("between_spread" if figure.medians else "spread")
            assert ("within the launch" in interval_text(figure, words())) == (
                not figure.medians and len(figure.samples) > 1
            )
            low, high = interval(figure) or (figure.value, figure.value)
            assert low <= figure.value <= high


def test_a_failed_launch_is_listed_and_named_in_the_verdict(evaluation: Evaluation, folder: Path) -> None:
    problems = section(evaluation, "problems")
    failed = {item.text for item in items(problems)}
    assert {
        "DGEMM, n 4,096, launch 2 of 3: failed: killed by signal 9",
        "DGEMM, n 2,048, launch 1 of 2, launch 2 of 2: failed: killed by signal 9",
    } <= failed
    assert "out of memory" in (folder / "report.html").read_text(encoding="utf-8")
    rows = {row.cells[0].text: row for row in tables(section(evaluation, "summary"))[-1].rows}
    row = next(row for name, row in rows.items() if name.startswith("DGEMM"))
    assert "killed by signal 9" in row.cells[0].note
    assert row.cells[-1].text == "1 of 2 cases verified"
    assert {row.cells[-1].text for name, row in rows.items() if not name.startswith("DGEMM")} == {"verified"}


def test_a_disturbed_launch_is_a_cause_with_what_was_different(evaluation: Evaluation) -> None:
    (cause,) = (entry for entry in findings(section(evaluation, "benchmark-stream")) if "stands out" in entry.what)
    assert cause.of == "threads 1"
    assert "41%" in cause.evidence


def test_the_page_has_a_row_a_case_and_the_checks_of_every_launch(folder: Path, evaluation: Evaluation) -> None:
    text = (folder / "report.html").read_text(encoding="utf-8")
    page = Page(text)
    shown = {
        (a["data-case"], a["data-metric"]): float(a["value"]) for a, _ in page.figures if a["data-stat"] == "median"
    }
    every = cases(evaluation)
    assert shown == {(case.id, figure.metric): figure.value for case in every for figure in case.assessment.figures}
    checked = {a["data-case"] for a, _ in page.figures if a["data-stat"] == "check"}
    assert checked == {
        record.provenance.id
        for case in every
        for record in case.assessment.records
        if record.provenance and record.verification
    }
    assert "2 of 3</td>" in text
    assert "(15 launches)" in text
    assert "1 planned launch of a measured case has no record" in text
    for case in every:
        assert all(record.provenance and record.provenance.id in text for record in case.assessment.records)


def test_markdown_and_csv_have_a_row_a_case(folder: Path, evaluation: Evaluation) -> None:
    text = (folder / "report.md").read_text(encoding="utf-8")
    stream = next(chapter for chapter in chapters_of(evaluation) if chapter.name == "stream")
    triad = next(figure for figure in stream.cases[0].assessment.figures if figure.headline)
    assert triad.interval
    between = span(*triad.interval, "B/s")
    assert f"| {quantity(triad.value, triad.unit)} | 3 | {between} |" in text
    assert f">{between}</td>" in (folder / "report.html").read_text(encoding="utf-8")
    assert "within the launch |" in text
    assert "launch 2 of 3: failed, killed by signal 9, " in document_markdown(document(evaluation))
    with (folder / "report.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["metric"] == "triad_bandwidth"]
    assert [row["launches"] for row in rows] == ["3", "3", "1"]
    assert float(rows[0]["between_launches_low"]) == triad.interval.low
    assert [bool(row["within_launch_low"]) for row in rows] == [False, False, True]
    assert [bool(row["between_launches_spread"]) for row in rows] == [True, True, False]
    assert "launch 3 of 3: relative error " in rows[0]["verification"]


def test_a_report_of_single_launches_speaks_of_none() -> None:
    whole = document(only(stream(1, 2, 0.98)))
    text = document_markdown(whole)
    assert "| Launches |" not in text
    assert "With several launches, the interval" not in text


def test_an_interval_far_beyond_all_samples_is_cut_and_that_is_said() -> None:
    wide = together(launched(stream(1, 2, 0.98).record, 1.0, 0.7, 0.3))
    (chapter,) = chapters_of(only(*wide))
    drawn = samples_chart(chapter, words())
    assert drawn
    assert words()(message("report-samples-cut")) in drawn.caption
    layer, *_ = drawn.spec()["layer"]
    figures = chapter.cases[0].assessment.figures
    farthest = max(100 * abs(sample / figure.value - 1) for figure in figures for sample in figure.samples)
    assert max(row["high"] for row in layer["data"]["values"]) <= WIDEST * farthest * 1.001
