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
    summary = f"Success={int(outcome.status == 'ok')}\n"
    summary += "".join(f"{key}={value}\n" for key, value in values(outcome).items())
    ended = f"Current time ({outcome.started.timestamp():.0f}) is {time.ctime(outcome.started.timestamp())}\n"
    return (
        f"Begin of PTRANS section.\n{section([outcome])}{ended}\nEnd of PTRANS section.\n"
        f"Begin of Summary section.\n{summary}End of Summary section.\n{RULE}\n"
    )


def section(outcomes: Sequence[Outcome]) -> str:
    """Return a row for each transposition, below one heading, and the reasons of failed cases."""
    text, tests = "", 0
    for outcome in outcomes:
        if outcome.status != "ok":
            continue
        n, nb = (int(outcome.parameters.get(name, 0)) for name in ("n", "nb"))
        p, q = _grid(outcome)
        times = outcome.samples.get("time", [outcome.values["time"]])
        if not tests:
            text += f"M: {n}\nN: {n}\nMB: {nb}\nNB: {nb}\nP: {p}\nQ: {q}\n{HEADING}"
        tests += len(times)
        for seconds in times:
            of_each = f"{seconds:8.2f} PASSED {8e-9 * n * n / seconds:8.3f} {0.0:5.2f}"
            text += f"WALL {n:5d} {n:5d} {nb:3d} {nb:3d} {p:3d} {q:3d} {of_each}\n"
    if tests:
        text += (
            f"\nFinished {tests:4d} tests, with the following results:\n"
            f" {tests:4d} tests completed and passed residual checks.\n"
            "    0 tests completed and failed residual checks.\n"
            "    0 tests skipped because of illegal input values.\n\n"
            "END OF TESTS.\n"
        )
    return text + "".join(f"{outcome.reason}\n" for outcome in outcomes if outcome.status != "ok")


def values(outcome: Outcome) -> dict[str, str]:
    """Return the summary's values, by key; a failed case has no rate."""
    n, nb = (int(outcome.parameters.get(name, 0)) for name in ("n", "nb"))
    p, q = _grid(outcome)
    rates = (
        {
            "PTRANS_GBs": f"{outcome.values['transpose_rate'] / 1e9:g}",
            "PTRANS_time": f"{outcome.values['time']:g}",
            "PTRANS_residual": "0",
        }
        if outcome.status == "ok"
        else {}
    )
    return {**rates, "PTRANS_n": f"{n}", "PTRANS_nb": f"{nb}", "PTRANS_nprow": f"{p}", "PTRANS_npcol": f"{q}"}


def _grid(outcome: Outcome) -> tuple[int, int]:
    """Return the grid that was used, or asked for; 0: left to the program, which did not get so far."""
    used = ((outcome.number("grid_rows"), "p"), (outcome.number("grid_columns"), "q"))
    rows, columns = (int(outcome.parameters.get(name, 0)) if value is None else int(value) for value, name in used)
    return rows, columns
