"""Prints the transposition's results line for line as HPCC does, so that scripts that read it keep working.

A failed case has the reason instead of a row, and `Success=0` in the summary.
"""

import time
from collections.abc import Sequence

from banzuke.plan.official import Outcome

RULE = "#" * 72
HEADING = (
    "TIME   M     N    MB  NB  P   Q     TIME   CHECK   GB/s   RESID\n"
    "---- ----- ----- --- --- --- --- -------- ------ -------- -----\n"
)


def results(outcomes: Sequence[Outcome]) -> str:
    """Return the section and the summary of each case."""
    return "".join(map(_block, outcomes))


def _block(outcome: Outcome) -> str:
    n, nb = (int(outcome.parameters.get(name, 0)) for name in ("n", "nb"))
    p, q = _grid(outcome)
    ok = outcome.status == "ok"
    text = "Begin of PTRANS section.\n"
    summary = f"Success={int(ok)}\n"
    if ok:
        took, rate = outcome.values["time"], outcome.values["transpose_rate"] / 1e9
        times = outcome.samples.get("time", [took])
        text += f"M: {n}\nN: {n}\nMB: {nb}\nNB: {nb}\nP: {p}\nQ: {q}\n{HEADING}"
        for seconds in times:
            of_each = f"{seconds:8.2f} PASSED {8e-9 * n * n / seconds:8.3f} {0.0:5.2f}"
            text += f"WALL {n:5d} {n:5d} {nb:3d} {nb:3d} {p:3d} {q:3d} {of_each}\n"
        text += (
            f"\nFinished {len(times):4d} tests, with the following results:\n"
            f" {len(times):4d} tests completed and passed residual checks.\n"
            "    0 tests completed and failed residual checks.\n"
            "    0 tests skipped because of illegal input values.\n\n"
            "END OF TESTS.\n"
        )
        summary += f"PTRANS_GBs={rate:g}\nPTRANS_time={took:g}\nPTRANS_residual=0\n"
    else:
        text += f"{outcome.reason}\n"
    summary += f"PTRANS_n={n}\nPTRANS_nb={nb}\nPTRANS_nprow={p}\nPTRANS_npcol={q}\n"
    ended = f"Current time ({outcome.started.timestamp():.0f}) is {time.ctime(outcome.started.timestamp())}\n"
    return (
        f"{text}{ended}\nEnd of PTRANS section.\nBegin of Summary section.\n{summary}End of Summary section.\n{RULE}\n"
    )


def _grid(outcome: Outcome) -> tuple[int, int]:
    """Return the grid that was used, or asked for; 0: left to the program, which did not get so far."""
    used = ((outcome.number("grid_rows"), "p"), (outcome.number("grid_columns"), "q"))
    rows, columns = (int(outcome.parameters.get(name, 0)) if value is None else int(value) for value, name in used)
    return rows, columns
