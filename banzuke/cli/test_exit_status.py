"""Tests of the exit status of a command by the status of its records."""

import pytest

from banzuke.cli.measure_benchmarks import exit_status
from banzuke.judge.model import Assessment
from banzuke.judge.test_examples import record, triad
from banzuke.record.model import Record

OK = triad(20e9)
UNSUPPORTED, FAILED = (
    record("stream", {}, status=status, reason="because", verification=[]) for status in ("skipped", "failed")
)
SKIPPED = record("stream", {}, status="skipped", reason="because", verification=[], hosts=[], binding=[])


@pytest.mark.parametrize(
    ("records", "run", "evaluate"),
    [
        ([OK, OK], 0, 0),
        ([OK, SKIPPED], 1, 0),
        ([SKIPPED], 1, 1),
        ([OK, UNSUPPORTED], 0, 0),
        ([UNSUPPORTED], 1, 1),
        ([OK, UNSUPPORTED, SKIPPED], 1, 0),
        ([OK, UNSUPPORTED, FAILED], 1, 1),
        ([OK, FAILED], 1, 1),
        ([OK, SKIPPED, FAILED], 1, 1),
    ],
)
def test_an_evaluation_may_skip_but_not_everything(records: list[Record], run: int, evaluate: int) -> None:
    assessments = [Assessment(record, ()) for record in records]
    assert exit_status(assessments) == run
    assert exit_status(assessments, may_skip=True) == evaluate
