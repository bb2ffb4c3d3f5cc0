"""Prints the transform's results line for line as the official code does, so that scripts that read it keep working.

A failed case has the reason instead of a rate, and `Success=0` in the summary.
"""

import math
import time
from collections.abc import Sequence

from banzuke.plan.official import Outcome

INVERSE = "max |inverse - x|"
"""Start of the verified quantity's name."""
EPSILON = 2.0**-53
"""HPCC's epsilon; the verified quantity is a multiple of it."""
RULE = "#" * 72


def results(outcomes: Sequence[Outcome]) -> str:
    """Return the section and the summary of each case."""
    return "".join(map(_block, outcomes))


def _block(outcome: Outcome) -> str:
    summary = f"Success={int(outcome.status == 'ok')}\n"
    summary += "".join(f"{key}={value}\n" for key, value in values(outcome).items())
    ended = f"Current time ({outcome.started.timestamp():.0f}) is {time.ctime(outcome.started.timestamp())}\n"
    return (
        f"Begin of MPIFFT section.\n{section(outcome)}{ended}\nEnd of MPIFFT section.\n"
        f"Begin of Summary section.\n{summary}End of Summary section.\n{RULE}\n"
    )


def section(outcome: Outcome) -> str:
    """Return the lines of the section of all ranks together."""
    return f"Number of nodes: {outcome.ranks}\nVector size: {int(outcome.parameters['n']):20d}\n{details(outcome)}"


def details(outcome: Outcome) -> str:
    """Return the times, the error and the rate, or the reason of a failed case."""
    if outcome.status != "ok":
        return f"{outcome.reason}\n"
    return (
        f"Generation time: {outcome.number('generation_seconds') or 0.0:9.3f}\n"
        f"Tuning: {outcome.number('planning_seconds') or 0.0:9.3f}\n"
        f"Computing: {outcome.values['time']:9.3f}\n"
        f"Inverse FFT: {outcome.number('inverse_seconds') or 0.0:9.3f}\n"
        f"max(|x-x0|): {_error(outcome, int(outcome.parameters['n'])):9.3e}\n"
        f"Gflop/s: {outcome.values['flop_rate'] / 1e9:9.3f}\n"
    )


def values(outcome: Outcome) -> dict[str, str]:
    """Return the summary's values, by key; a failed case has no rate."""
    n = int(outcome.parameters["n"])
    rates = (
        {
            "MPIFFT_Gflops": f"{outcome.values['flop_rate'] / 1e9:g}",
            "MPIFFT_maxErr": f"{_error(outcome, n):g}",
        }
        if outcome.status == "ok"
        else {}
    )
    return {"MPIFFT_N": f"{n}", **rates, "MPIFFT_Procs": f"{outcome.ranks}"}


def _error(outcome: Outcome, n: int) -> float:
    """Return the largest difference, computed from the verified quantity."""
    verified = next((value for name, value in outcome.checks.items() if name.startswith(INVERSE)), None)
    return math.nan if verified is None else verified * EPSILON * math.log(n)
