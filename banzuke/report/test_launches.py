"""A case with several launches is one case in every form of the report."""

import csv
from pathlib import Path

import pytest

from banzuke.record.statistics import median
from banzuke.report.charts.samples import WIDEST, samples_chart
from banzuke.report.content import Case, Content
from banzuke.report.model import Evaluation
from banzuke.report.tables import markdown
from banzuke.report.test_report import Page
from banzuke.report.testing import only, stream
from banzuke.report.testing.launches import launched, launches, together
from banzuke.report.write import compose, write
from banzuke.units import quantity, span


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    return launches()


@pytest.fixture(scope="module")
def content(evaluation: Evaluation) -> Content:
    return compose(evaluation)[0]


@pytest.fixture(scope="module")
def folder(evaluation: Evaluation, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("launches")
    write(evaluation, made)
    return made


def cases(content: Content) -> list[Case]:
    return [entry for section in content.sections for entry in section.cases]


def test_each_case_is_counted_once_and_its_launches_beside(content: Content) -> None:
    assert (content.measured, content.verified, content.launches) == (6, 5, 3 + 3 + 1 + 3 + 2 + 3)
    assert [len(entry.launches) for entry in cases(content)] == [3, 3, 0, 3, 2, 3]
    assert [section.columns for section in content.sections] == [["threads"], ["n"], []]


def test_every_figure_is_the_median_of_its_launches(content: Content, evaluation: Evaluation) -> None:
    for entry, assessment in zip(cases(content), evaluation.assessments, strict=True):
        for m in entry.measurements:
            of = [median(r.metrics[m.metric].samples) for r in assessment.records if r.status == "ok"]
            assert m.median.value == median(of)
            assert m.medians == (of if len(of) > 1 else [])
            assert (
                m.count.value
                == len(m.samples)
                == sum(len(r.metrics[m.metric].samples) for r in assessment.records if r.metrics)
            )


def test_intervals_between_launches_and_within_one_are_never_the_same_thing(content: Content) -> None:
    for entry in cases(content):
        for m in entry.measurements:
            several = len(m.medians) > 1
            assert (m.between_low is not None) == (m.between_high is not None) == (len(m.medians) > 2)
            assert (m.between_spread is not None) == several
            assert (m.low is not None) == (m.spread is not None) == (not several and len(m.samples) > 1)
            low, high = m.interval or (m.median.value, m.median.value)
            assert low <= m.median.value <= high


def test_a_failed_launch_is_listed_and_named_in_the_verdict(content: Content) -> None:
    told = {(problem.label, problem.reason, problem.log) for problem in content.problems}
    assert told == {
        ("n 4,096, launch 2 of 3", "killed by signal 9", "out of memory"),
        ("n 2,048, launch 1 of 2, launch 2 of 2", "killed by signal 9", "out of memory"),
    }
    (verdict,) = [line for line in content.verdicts if line.benchmark == "dgemm"]
    assert verdict.sentence.endswith("2 of 3 launches verified; 1 failed: killed by signal 9")
    assert (verdict.verified, verdict.cases) == (1, 2)


def test_a_disturbed_launch_is_a_cause_with_what_was_different(content: Content) -> None:
    (note,) = [note for note in content.sections[0].causes if "stands out" in note.what]
    (seen,) = note.occurrences
    assert seen.case == "threads 1"
    assert "other processes used 41% of the processors' time (during the others 0%)" in seen.evidence


def test_the_page_has_a_row_a_case_and_the_checks_of_every_launch(folder: Path, content: Content) -> None:
    text = (folder / "report.html").read_text(encoding="utf-8")
    page = Page(text)
    shown = {
        (a["data-case"], a["data-metric"]): float(a["data-value"])
        for a, _ in page.figures
        if a["data-stat"] == "median"
    }
    assert shown == {(entry.id, m.metric): m.median.value for entry in cases(content) for m in entry.measurements}
    checked = {a["data-case"] for a, _ in page.figures if a["data-stat"] == "check"}
    assert checked == {launch.id for entry in cases(content) for launch in entry.launches if launch.checks} | {
        entry.id for entry in cases(content) if not entry.launches
    }
    assert "2 of 3 launches" in text
    assert "in 15 launches and " in text
    assert "1 planned launch has no record, of cases that have one" in text
    assert "in the median of 3 launches</caption>" in text
    for entry in cases(content):
        assert all(f"{launch.name}" in text and launch.id in text for launch in entry.launches)


def test_markdown_and_csv_have_a_row_a_case(folder: Path, content: Content) -> None:
    text = (folder / "report.md").read_text(encoding="utf-8")
    triad = next(m for m in content.sections[0].cases[0].measurements if m.headline)
    assert triad.between_low
    assert triad.between_high
    between = span(triad.between_low.value, triad.between_high.value, "B/s")
    assert f"| {triad.median.text} | 3 | {between} |" in text
    assert f">{between}</td>" in (folder / "report.html").read_text(encoding="utf-8")
    assert "within it |" in text
    assert "launch 2 of 3: failed, killed by signal 9, " in text
    with (folder / "report.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["metric"] == "triad_bandwidth"]
    assert [row["launches"] for row in rows] == ["3", "3", "1"]
    assert float(rows[0]["between_launches_low"]) == triad.between_low.value
    assert [bool(row["within_launch_low"]) for row in rows] == [False, False, True]
    assert [bool(row["between_launches_spread"]) for row in rows] == [True, True, False]
    assert "launch 3 of 3: relative error " in rows[0]["verification"]


def test_a_report_of_single_launches_speaks_of_none() -> None:
    content, _ = compose(only(stream(1, 2, 0.98)))
    text = markdown(content)
    assert "| Launches |" not in text
    assert "several launches, the interval" not in text
    assert content.sections[0].cases[0].launches == []


def test_an_interval_far_beyond_all_samples_is_cut_and_that_is_said() -> None:
    wide = together(launched(stream(1, 2, 0.98).record, 1.0, 0.7, 0.3))
    section = compose(only(*wide))[0].sections[0]
    drawn = samples_chart(section)
    assert drawn
    assert "cut where it goes far beyond" in drawn.caption
    layer, *_ = drawn.spec()["layer"]
    farthest = max(100 * abs(s / m.median.value - 1) for m in section.cases[0].measurements for s in m.samples)
    assert max(row["high"] for row in layer["data"]["values"]) <= WIDEST * farthest


def test_numbers_keep_their_origin(content: Content) -> None:
    known = {launch.id for entry in cases(content) for launch in entry.launches} | {
        entry.id for entry in cases(content)
    }
    numbers = [n for entry in cases(content) for launch in entry.launches for n in launch.medians.values()]
    assert all(n.case in known and n.text == quantity(n.value, n.unit) for n in numbers)
