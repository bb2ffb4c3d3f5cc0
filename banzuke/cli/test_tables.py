"""Assessments as people and scripts read them."""

import dataclasses
import io
import json

from rich.console import Console

from banzuke.cli import tables
from banzuke.limit.model import Assessment
from banzuke.plan.benchmark import Breach
from banzuke.report.testing import hpl, stream


def printed(assessment: Assessment, *, verbose: bool = True) -> str:
    console = Console(file=io.StringIO(), width=160)
    with console.capture() as captured:
        tables.show([assessment], {}, verbose=verbose, console=console)
    return captured.get()


def test_where_the_time_went_is_told_when_asked() -> None:
    assessment = hpl(1, 20_000)
    assert "where the time went" not in printed(assessment, verbose=False)
    lines = printed(assessment).splitlines()
    start = next(i for i, line in enumerate(lines) if "where the time went" in line)
    rows = [line.split() for line in lines[start + 1 : start + 6]]
    assert [row[0] for row in rows] == ["update", "panel", "panel", "row", "waiting"]
    assert rows[0][1:] == ["26.3", "s", "95.8%"]


def test_a_part_that_no_time_went_to_has_no_row() -> None:
    assessment = hpl(1, 20_000)
    (work, *others) = assessment.spent
    idle = dataclasses.replace(work, title="idle", seconds=0.0)
    assert "idle" not in printed(dataclasses.replace(assessment, spent=(work, idle, *others)))


def test_a_case_without_a_breakdown_has_no_such_table() -> None:
    assert "where the time went" not in printed(stream(1, 2, 0.9))


def test_official_rules_are_told_of_the_headline_case() -> None:
    short = dataclasses.replace(stream(1, 2, 0.9), breaches=(Breach("at least 60 s", "3 s"),))
    console = Console(file=io.StringIO(), width=160)
    with console.capture() as captured:
        tables.show([short, dataclasses.replace(short, breaches=())], {}, verbose=False, console=console)
    assert "stream: VALID but no official result: 3 s instead of at least 60 s" in captured.get()
    assert "by all official rules" not in captured.get()
    assert "official" not in printed(stream(1, 2, 0.9))


def test_the_document_holds_the_breakdown() -> None:
    assessment = hpl(1, 20_000)
    (entry,) = json.loads(tables.document([assessment]))["records"]
    assert assessment.record.breakdown is not None
    assert entry["breakdown"] == assessment.record.breakdown.model_dump()
