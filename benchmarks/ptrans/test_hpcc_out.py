"""Compares the text with the lines that hpcc 1.5.0 prints."""

import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from banzuke.plan.catalogue import find
from banzuke.plan.official import Outcome

OFFICIAL = find("ptrans").official.output
DONE = Outcome(
    parameters={"n": 500, "nb": 80, "p": 0, "q": 0},
    conditions={"grid_rows": 2, "grid_columns": 2},
    status="ok",
    reason=None,
    started=datetime(2026, 11, 22, 23, 12, 5, tzinfo=UTC),
    values={"time": 0.00114, "transpose_rate": 1.75348e9},
    samples={"time": [0.00114, 1.0]},
    ranks=4,
)
SECTION = """\
Begin of PTRANS section.
M: 500
N: 500
MB: 80
NB: 80
P: 2
Q: 2
TIME   M     N    MB  NB  P   Q     TIME   CHECK   GB/s   RESID
---- ----- ----- --- --- --- --- -------- ------ -------- -----
WALL   500   500  80  80   2   2     0.00 PASSED    1.754  0.00
WALL   500   500  80  80   2   2     1.00 PASSED    0.002  0.00

Finished    2 tests, with the following results:
    2 tests completed and passed residual checks.
    0 tests completed and failed residual checks.
    0 tests skipped because of illegal input values.

END OF TESTS.
"""
SUMMARY = """\
Begin of Summary section.
Success=1
PTRANS_GBs=1.75348
PTRANS_time=0.00114
PTRANS_residual=0
PTRANS_n=500
PTRANS_nb=80
PTRANS_nprow=2
PTRANS_npcol=2
End of Summary section.
"""


def printed(*outcomes: Outcome) -> str:
    assert OFFICIAL is not None
    return OFFICIAL(outcomes)


def test_the_lines_are_the_official_ones() -> None:
    text = printed(DONE)
    assert text.startswith(SECTION + "Current time (1795389125) is ")
    assert f"\n\nEnd of PTRANS section.\n{SUMMARY}" in text


def test_each_case_has_its_section() -> None:
    text = printed(DONE, replace(DONE, parameters={**DONE.parameters, "n": 600}))
    assert re.findall(r"^PTRANS_n=(\d+)$", text, re.MULTILINE) == ["500", "600"]
    assert text.count("Begin of PTRANS section.") == 2


@pytest.mark.parametrize("status", ["failed", "skipped"])
def test_a_case_without_a_figure_says_why(status: str) -> None:
    failed = Outcome(parameters={"n": 100}, status=status, reason="out of memory", started=DONE.started)  # type: ignore[arg-type]
    text = printed(failed)
    assert "\nout of memory\n" in text
    assert "Success=0\n" in text
    assert "GBs" not in text
