"""DGEMM's part of the HPC Challenge: each rank's own product, on all ranks at once and on one.

The official code prints the average of the ranks' rates; here the flops of all ranks are divided by the time of the
slowest, and by the ranks.
"""

import math
from collections.abc import Mapping, Sequence

from banzuke.plan.official import InputCases, Outcome
from banzuke.plan.suite import PartCase, PartLines, SuitePart, SuiteProblem

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


def lines(outcomes: Mapping[str, Sequence[Outcome]]) -> PartLines:
    """Return the sections and the values of the summary."""
    sections: dict[str, str] = {}
    values: dict[str, str] = {}
    for role, (outcome, *_) in outcomes.items():
        if outcome.status != "ok":
            sections[role] = f"{outcome.reason}\n"
            continue
        rate = outcome.values["flop_rate"] / outcome.ranks / 1e9
        values |= {f"{role}_Gflops": f"{rate:g}", "DGEMM_N": str(outcome.parameters["n"])}
        title = "Average Gflop/s" if role == STAR else "Node selected 0\nSingle DGEMM Gflop/s"
        sections[role] = f"Node(s) with error 0\n{title} {rate:.6f}\n"
    return PartLines(sections, values)


PART = SuitePart(cases, lines)
