"""FFT's part of the HPC Challenge: a transform over all ranks, one of each rank, and one on a single rank."""

from collections.abc import Mapping, Sequence

from banzuke.plan.official import InputCases, Outcome
from banzuke.plan.suite import PartCase, PartLines, SuitePart, SuiteProblem

from .hpcc_out import details, section, values
from .hpccinf import NUMBER, VECTORS

TOGETHER, STAR, SINGLE = "MPIFFT", "StarFFT", "SingleFFT"
OWN_VECTORS = 2
"""Vectors that the official code's transforms of single ranks keep in the memory of the largest matrix."""


def power(most: int) -> int:
    """Return the largest power of two that is at most `most`, but at least 2."""
    return 1 << max(1, most.bit_length() - 1)


def cases(problem: SuiteProblem, _read: InputCases | None) -> list[PartCase]:
    """Return the cases. Lengths and the ranks that share a transform are powers of two, as in the official code that is
    not compiled for other factors.
    """
    sharing = 1 << (problem.ranks.bit_length() - 1)
    shared = max(sharing**2, power(problem.rank_bytes * sharing // NUMBER // VECTORS))
    own = {"n": power(problem.rank_bytes // NUMBER // OWN_VECTORS)}
    return [
        PartCase(TOGETHER, sharing, problem.threads, {"n": shared}, "omp"),
        PartCase(STAR, problem.ranks, problem.threads, {**own, "transforms": "own"}, "omp"),
        PartCase(SINGLE, 1, problem.threads, own, "omp"),
    ]


def lines(outcomes: Mapping[str, Sequence[Outcome]]) -> PartLines:
    """Return the lines; the official code prints the average of the ranks' rates, here the numbers of all ranks are
    divided by the time of the slowest, and by the ranks.
    """
    sections: dict[str, str] = {}
    of_all: dict[str, str] = {}
    for role, (outcome, *_) in outcomes.items():
        if role == TOGETHER:
            sections[role], of_all = section(outcome), of_all | values(outcome)
        elif outcome.status != "ok":
            sections[role] = f"{outcome.reason}\n"
        else:
            rate = outcome.values["flop_rate"] / outcome.ranks / 1e9
            of_all |= {f"{role}_Gflops": f"{rate:g}", "FFT_N": str(outcome.parameters["n"])}
            vector = f"Vector size: {outcome.parameters['n']}\n{details(outcome)}" if role == STAR else ""
            title = "Average Gflop/s" if role == STAR else "Node selected 0\nSingle FFT Gflop/s"
            sections[role] = f"{vector}Node(s) with error 0\n{title} {rate:.6f}\n"
    return PartLines(sections, of_all)


PART = SuitePart(cases, lines)
