"""DGEMM's part of the HPC Challenge: each rank's own product, on all ranks at once and on one.

The official code prints the average of the ranks' rates; here the flops of all ranks are divided by the time of the
slowest, and by the ranks.
"""

import math

from banzuke.plan.official import InputCases, Outcome
from banzuke.plan.suite import PartCase, SuitePart, SuiteProblem, by_role

MATRICES = 3
STAR, SINGLE = "StarDGEMM", "SingleDGEMM"


def order(rank_bytes: int) -> int:
    """Return the official code's order of three matrices that take this memory together."""
    return max(1, int(math.sqrt(rank_bytes // 8 // MATRICES + 0.25) - 0.5))


def cases(problem: SuiteProblem, _read: InputCases | None) -> list[PartCase]:
    n = order(problem.rank_bytes)
    return [
        PartCase(role, ranks, problem.threads, {"m": n, "n": n, "k": n})
        for role, ranks in ((STAR, problem.ranks), (SINGLE, 1))
    ]


def tell(role: str, outcome: Outcome) -> tuple[str, dict[str, str]]:
    """Return the section of a role, and its values of the summary."""
    rate = outcome.values["flop_rate"] / outcome.ranks / 1e9
    title = "Average Gflop/s" if role == STAR else "Node selected 0\nSingle DGEMM Gflop/s"
    section = f"Node(s) with error 0\n{title} {rate:.6f}\n"
    return section, {f"{role}_Gflops": f"{rate:g}", "DGEMM_N": str(outcome.parameters["n"])}


PART = SuitePart(cases, by_role(tell))
