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
    n = int(outcome.parameters["n"])
    text = f"Begin of MPIFFT section.\nNumber of nodes: {outcome.ranks}\nVector size: {n:20d}\n"
    summary = f"Success={int(outcome.status == 'ok')}\nMPIFFT_N={n}\n"
    if outcome.status == "ok":
        error, rate = _error(outcome, n), outcome.values["flop_rate"] / 1e9
        text += (
            f"Generation time: {outcome.number('generation_seconds') or 0.0:9.3f}\n"
            f"Tuning: {outcome.number('planning_seconds') or 0.0:9.3f}\n"
            f"Computing: {outcome.values['time']:9.3f}\n"
            f"Inverse FFT: {outcome.number('inverse_seconds') or 0.0:9.3f}\n"
            f"max(|x-x0|): {error:9.3e}\n"
            f"Gflop/s: {rate:9.3f}\n"
        )
        summary += f"MPIFFT_Gflops={rate:g}\nMPIFFT_maxErr={error:g}\n"
    else:
        text += f"{outcome.reason}\n"
    ended = f"Current time ({outcome.started.timestamp():.0f}) is {time.ctime(outcome.started.timestamp())}\n"
    return (
        f"{text}{ended}\nEnd of MPIFFT section.\n"
        f"Begin of Summary section.\n{summary}MPIFFT_Procs={outcome.ranks}\nEnd of Summary section.\n{RULE}\n"
    )


def _error(outcome: Outcome, n: int) -> float:
    """Return the largest difference, computed from the verified quantity."""
    verified = next((value for name, value in outcome.checks.items() if name.startswith(INVERSE)), None)
    return math.nan if verified is None else verified * EPSILON * math.log(n)
