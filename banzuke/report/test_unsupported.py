"""Tests of cases that the system cannot run: skipped with a reason, and not failures of the run."""

import pytest

from banzuke.judge.model import Assessment
from banzuke.report import testing
from banzuke.report.testing.documents import document, items, section, summary, tables
from banzuke.report.testing.parts import record

WHY = "buffers=device is not available with this MPI: this MPI library says no"


def refused(status: str = "skipped") -> Assessment:
    return Assessment(record("osu", 90, {"bytes": 8, "buffers": "device"}, status=status, reason=WHY), ())


@pytest.mark.parametrize(("status", "mark"), [("skipped", "skipped"), ("failed", "failed")])
def test_what_the_system_cannot_do_is_told_as_skipped(status: str, mark: str) -> None:
    evaluation = testing.only(testing.pingpong(1, 8), refused(status))
    (item,) = items(section(evaluation, "problems"))
    assert item.mark == mark
    assert WHY in item.text
    (row,) = {row.cells[0].text: row for row in tables(section(evaluation, "summary"))[-1].rows[:1]}.values()
    assert (row.cells[-1].text, row.cells[-1].mark) == ("1 of 2 cases verified", mark)


def test_other_cases_follow_a_headline_that_the_system_cannot_do() -> None:
    shown = summary(testing.only(refused(), testing.pingpong(1, 8)))
    assert [line.figure.metric if line.figure else None for line in shown] == [None, "latency"]
    assert [line.figure for line in summary(testing.only(refused("failed"), testing.pingpong(1, 8)))] == [None]
    assert document(testing.only(refused())).sections
