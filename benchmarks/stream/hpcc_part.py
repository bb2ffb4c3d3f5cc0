"""STREAM's part of the HPC Challenge: each rank's own arrays, on all ranks at once and on one."""

from banzuke.plan.official import InputCases, Outcome
from banzuke.plan.suite import AVERAGE, PartCase, SuitePart, SuiteProblem, by_role, star_rates

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
    values = {"STREAM_VectorSize": str(outcome.parameters["n"]), "STREAM_Threads": str(outcome.threads)}
    printed = "" if role == STAR else "Node selected 0\n"
    for kernel in KERNELS:
        metric, name = f"{kernel}_bandwidth", kernel.capitalize()
        rates = star_rates(outcome, metric, max(outcome.samples[metric]))
        values[f"{role}_{name}"] = f"{rates[AVERAGE] / 1e9:g}"
        shown = rates if role == STAR else {"Single STREAM": rates[AVERAGE]}
        printed += "".join(f"{title} {name} GB/s {rate / 1e9:.6f}\n" for title, rate in shown.items())
    return f"Node(s) with error 0\n{printed}", values


PART = SuitePart(cases, by_role(tell))
