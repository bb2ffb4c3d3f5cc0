"""Compares the text with HPL 2.3's own output, with the figures of these cases."""

import re
import time
from dataclasses import replace
from datetime import UTC, datetime

from banzuke.plan.benchmark import Scalar
from banzuke.plan.catalogue import find
from banzuke.plan.official import Outcome

PRINT = find("hpl").official.output
QUANTITY = "||Ax-b|| / (eps (||A|| ||x|| + ||b||) N)"
OK = Outcome(
    parameters={
        "n": 300,
        "nb": 32,
        "p": 1,
        "q": 1,
        "order": "column",
        "lookahead": 1,
        "broadcast": "ring",
        "nbmin": 16,
        "swap": "mixed",
    },
    status="ok",
    reason=None,
    started=datetime.fromtimestamp(0, UTC),
    values={"flop_rate": 1.0194e10, "time": 0.0018},
    checks={QUANTITY: 6.53477326e-03},
    conditions={"generation_seconds": 86400.0},
)
HEADING = (
    "=" * 80 + "\nT/V                N    NB     P     Q               Time                 Gflops\n" + "-" * 80 + "\n"
)
PASSED = (
    HEADING
    + f"""\
WC10R2R16         300    32     1     1               0.00             1.0194e+01
HPL_pdgesv() start time {time.ctime(86400)}

HPL_pdgesv() end time   {time.ctime(86400)}

"""
    + "-" * 80
    + """
||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=   6.53477326e-03 ...... PASSED
"""
)
END = (
    "=" * 80
    + """

Finished      4 tests with the following results:
              1 tests completed and passed residual checks,
              2 tests completed and failed residual checks,
              1 tests skipped because of illegal input values.
"""
    + "-" * 80
    + "\n\nEnd of Tests.\n"
    + "=" * 80
    + "\n"
)


def results(*outcomes: Outcome) -> str:
    assert PRINT is not None
    return PRINT(outcomes)


def test_a_passed_case_is_byte_for_byte_the_official_block() -> None:
    assert results(OK).startswith(PASSED + "=" * 80)


def test_a_figure_is_withheld_where_the_residual_is_too_large() -> None:
    failed = replace(OK, status="failed", reason="verification failed", values={}, checks={QUANTITY: 1e9})
    block = results(failed).split("=" * 80)[1]
    assert "WC10R2R16         300    32     1     1\n" in block
    assert "1.00000000e+09 ...... FAILED" in block
    assert "             nan ...... FAILED" in results(replace(failed, checks={QUANTITY: None}))


def test_the_closing_block_counts() -> None:
    failed = replace(OK, status="failed", reason="verification failed", values={}, checks={QUANTITY: 17.0})
    crashed = replace(OK, status="failed", reason="killed by signal 9 (SIGKILL)", values={}, checks={})
    skipped = replace(OK, status="skipped", reason="does not fit", values={}, checks={})
    text = results(OK, failed, crashed, skipped)
    assert "killed by signal 9 (SIGKILL)\n" in text
    assert text.endswith("does not fit\n" + END)
    assert len(re.findall("^W[RC]", text, re.MULTILINE)) == 4
    assert len(re.findall("PASSED$", text, re.MULTILINE)) == 1


def test_the_variant_says_what_ran() -> None:
    changes: dict[str, Scalar] = {
        "order": "row",
        "lookahead": 0,
        "broadcast": "long-modified",
        "nbmin": "4",
        "p": 2,
        "q": 3,
    }
    other = replace(OK, parameters={**OK.parameters, **changes})
    assert "\nWR05R2R4         300    32     2     3  " in results(other)


def test_the_end_is_the_start_and_the_time() -> None:
    longer = replace(OK, values={**OK.values, "time": 7200.4})
    assert f"end time   {time.ctime(86400 + 7200)}\n" in results(longer)
    assert "            7200.40             1.0194e+01\n" in results(longer)
