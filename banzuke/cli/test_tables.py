"""Assessments as people and scripts read them."""

import io
import json

import pytest
from rich.console import Console

from banzuke.cli import tables
from banzuke.report.testing import hpl, stream


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    text = io.StringIO()
    monkeypatch.setattr(tables, "out", Console(file=text, width=160))
    return text


def test_where_the_time_went_is_told_when_asked(printed: io.StringIO) -> None:
    assessment = hpl(1, 20_000)
    tables.show([assessment], verbose=False)
    assert "where the time went" not in printed.getvalue()
    tables.show([assessment], verbose=True)
    lines = printed.getvalue().splitlines()
    start = next(i for i, line in enumerate(lines) if "where the time went" in line)
    rows = [line.split() for line in lines[start + 1 : start + 6]]
    assert [row[0] for row in rows] == ["update", "panel", "panel", "row", "waiting"]
    assert rows[0][1:] == ["26.3", "s", "95.8%"]


def test_a_case_without_a_breakdown_has_no_such_table(printed: io.StringIO) -> None:
    tables.show([stream(1, 2, 0.9)], verbose=True)
    assert "where the time went" not in printed.getvalue()


def test_the_document_holds_the_breakdown() -> None:
    assessment = hpl(1, 20_000)
    (entry,) = json.loads(tables.document([assessment]))["records"]
    assert assessment.record.breakdown is not None
    assert entry["breakdown"] == assessment.record.breakdown.model_dump()
