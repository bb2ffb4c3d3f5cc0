"""Prints the official code's results, figure for figure, so that scripts that read them keep working.

The letters of a variant say what ran: panels are factorised right-looking by halves (R2R). A failed case has neither
time nor rate; its line ends before them.
"""

import math
import time
from collections.abc import Sequence

from banzuke.plan.official import Outcome

from .hpl_dat import BROADCASTS, ORDERS

DOUBLE = "=" * 80
SINGLE = "-" * 80
HEADING = f"{DOUBLE}\nT/V                N    NB     P     Q               Time                 Gflops\n{SINGLE}\n"
RESIDUAL = "||Ax-b||"
"""Start of the verified quantity's name."""


def results(outcomes: Sequence[Outcome]) -> str:
    """Return a block for each case and the closing count."""
    passed = sum(outcome.status == "ok" for outcome in outcomes)
    failed = sum(outcome.status == "failed" for outcome in outcomes)
    return "".join(map(_block, outcomes)) + (
        f"{DOUBLE}\n\n"
        f"Finished {len(outcomes):6d} tests with the following results:\n"
        f"         {passed:6d} tests completed and passed residual checks,\n"
        f"         {failed:6d} tests completed and failed residual checks,\n"
        f"         {len(outcomes) - passed - failed:6d} tests skipped because of illegal input values.\n"
        f"{SINGLE}\n\nEnd of Tests.\n{DOUBLE}\n"
    )


def _block(outcome: Outcome) -> str:
    text = HEADING + _variant(outcome)
    if outcome.status == "ok":
        taken = outcome.values["time"]
        begun = outcome.started.timestamp() + (outcome.number("generation_seconds") or 0.0)
        text += f" {taken:18.2f}    {outcome.values['flop_rate'] / 1e9:19.4e}\n"
        text += (
            f"HPL_pdgesv() start time {time.ctime(begun)}\n\nHPL_pdgesv() end time   {time.ctime(begun + taken)}\n\n"
        )
    else:
        text += "\n"
    residual = _residual(outcome)
    if residual is None:
        return f"{text}{outcome.reason}\n"
    verdict = "PASSED" if outcome.status == "ok" else "FAILED"
    return f"{text}{SINGLE}\n||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)= {residual:16.8e} ...... {verdict}\n"


def _variant(outcome: Outcome) -> str:
    """Return a variant such as `WR11R2R4` with N, NB, P and Q.

    The letters are mapping, look-ahead, broadcast, and the panel's RFACT, NDIV, PFACT and NBMIN.
    """
    has = outcome.parameters
    letter = "RC"[ORDERS.index(str(has["order"]))]
    broadcast = BROADCASTS.index(str(has["broadcast"]))
    variant = f"W{letter}{has['lookahead']}{broadcast}R2R{has['nbmin']}"
    return f"{variant}{int(has['n']):12d} {int(has['nb']):5d} {int(has['p']):5d} {int(has['q']):5d}"


def _residual(outcome: Outcome) -> float | None:
    """Return the residual; None if there is none."""
    for quantity, value in outcome.checks.items():
        if quantity.startswith(RESIDUAL):
            return math.nan if value is None else value
    return None
