"""Compares the text with the lines that hpcc 1.5.0 prints."""

import math
import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from banzuke.plan.catalogue import find
from banzuke.plan.official import Outcome

OFFICIAL = find("fft").official.output
DONE = Outcome(
    parameters={"n": 16384},
    status="ok",
    reason=None,
    started=datetime(2026, 11, 22, 23, 12, 5, tzinfo=UTC),
    values={"time": 0.0088, "flop_rate": 0.130044e9},
    checks={"max |inverse - x| / (eps ln n)": 1.04738e-15 / (2**-53 * math.log(16384))},
    conditions={"generation_seconds": 0.0004, "planning_seconds": 0.25, "inverse_seconds": 1.5},
    ranks=4,
)
LINES = """\
Begin of MPIFFT section.
Number of nodes: 4
Vector size:                16384
Generation time:     0.000
Tuning:     0.250
Computing:     0.009
Inverse FFT:     1.500
max(|x-x0|): 1.047e-15
Gflop/s:     0.130
"""
SUMMARY = """\
Begin of Summary section.
Success=1
MPIFFT_N=16384
MPIFFT_Gflops=0.130044
MPIFFT_maxErr=1.04738e-15
MPIFFT_Procs=4
End of Summary section.
"""


def printed(*outcomes: Outcome) -> str:
    assert OFFICIAL is not None
    return OFFICIAL(outcomes)


def test_the_lines_are_the_official_ones() -> None:
    text = printed(DONE)
    assert text.startswith(LINES + "Current time (1795389125) is ")
    assert f"\n\nEnd of MPIFFT section.\n{SUMMARY}" in text


def test_each_case_has_its_section() -> None:
    text = printed(DONE, replace(DONE, parameters={"n": 32768}))
    assert re.findall(r"^MPIFFT_N=(\d+)$", text, re.MULTILINE) == ["16384", "32768"]
    assert text.count("Begin of MPIFFT section.") == 2


@pytest.mark.parametrize("status", ["failed", "skipped"])
def test_a_case_without_a_figure_says_why(status: str) -> None:
    failed = Outcome(parameters={"n": 100}, status=status, reason="out of memory", started=DONE.started)  # type: ignore[arg-type]
    text = printed(failed)
    assert "\nout of memory\n" in text
    assert "Success=0\n" in text
    assert "Gflop" not in text


def test_what_is_not_known_is_no_number() -> None:
    assert "max(|x-x0|):       nan" in printed(replace(DONE, checks={}, conditions={}))
