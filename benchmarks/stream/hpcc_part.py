"""STREAM's part of the HPC Challenge: each rank's own arrays, on all ranks at once and on one.

The official code prints the average of the ranks' best rates; here all ranks' bytes are divided by the time of the
slowest, and by the ranks.
"""

from banzuke.plan.official import InputCases, Outcome
from banzuke.plan.suite import PartCase, SuitePart, SuiteProblem, by_role

KERNELS = ("copy", "scale", "add", "triad")
ARRAYS = 3
ROUNDS = 10
"""Passes of the official code, the best of which counts."""
STAR, SINGLE = "StarSTREAM", "SingleSTREAM"


def cases(problem: SuiteProblem, _read: InputCases | None) -> list[PartCase]:
    """Return both cases, whose arrays take the memory of the largest matrix together."""
    n = max(1, problem.rank_bytes // 8 // ARRAYS)
    parameters = {"n": n, "rounds": ROUNDS}
    return [PartCase(role, ranks, problem.threads, parameters) for role, ranks in ((STAR, problem.ranks), (SINGLE, 1))]


def tell(role: str, outcome: Outcome) -> tuple[str, dict[str, str]]:
    """Return the section of a role, and its values of the summary."""
    rates = {name.capitalize(): max(outcome.samples[f"{name}_bandwidth"]) / outcome.ranks / 1e9 for name in KERNELS}
    values = {f"{role}_{name}": f"{rate:g}" for name, rate in rates.items()}
    values |= {"STREAM_VectorSize": str(outcome.parameters["n"]), "STREAM_Threads": str(outcome.threads)}
    title = "Average" if role == STAR else "Single STREAM"
    chosen = "" if role == STAR else "Node selected 0\n"
    printed = "".join(f"{title} {name} GB/s {rate:.6f}\n" for name, rate in rates.items())
    return f"Node(s) with error 0\n{chosen}{printed}", values


PART = SuitePart(cases, by_role(tell))
