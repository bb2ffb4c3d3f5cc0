"""DGEMM's part of the HPC Challenge: each rank's own product, on all ranks at once and on one."""

import math

from banzuke.plan.official import InputCases, Outcome
from banzuke.plan.suite import AVERAGE, PartCase, SuitePart, SuiteProblem, by_role, star_rates

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
    rates = star_rates(outcome, "flop_rate", outcome.values["flop_rate"])
    if role == STAR:
        printed = "".join(f"{word} Gflop/s {rate / 1e9:.6f}\n" for word, rate in rates.items())
    else:
        printed = f"Node selected 0\nSingle DGEMM Gflop/s {rates[AVERAGE] / 1e9:.6f}\n"
    values = {f"{role}_Gflops": f"{rates[AVERAGE] / 1e9:g}", "DGEMM_N": str(outcome.parameters["n"])}
    return f"Node(s) with error 0\n{printed}", values


PART = SuitePart(cases, by_role(tell))
