"""FFT's part of the HPC Challenge: a transform over all ranks, one of each rank, and one on a single rank."""

from collections.abc import Mapping, Sequence

from banzuke.plan.official import InputCases, Outcome
from banzuke.plan.suite import AVERAGE, PartCase, PartLines, SuitePart, SuiteProblem, star_rates

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
    """Return the lines of each role."""
    sections: dict[str, str] = {}
    of_all: dict[str, str] = {}
    for role, (outcome, *_) in outcomes.items():
        if role == TOGETHER:
            sections[role], of_all = section(outcome), of_all | values(outcome)
        elif outcome.status != "ok":
            sections[role] = f"{outcome.reason}\n"
        else:
            rates = star_rates(outcome, "flop_rate", outcome.values["flop_rate"])
            of_all |= {f"{role}_Gflops": f"{rates[AVERAGE] / 1e9:g}", "FFT_N": str(outcome.parameters["n"])}
            if role == STAR:
                sections[role] = _star(outcome, rates)
            else:
                single = f"Single FFT Gflop/s {rates[AVERAGE] / 1e9:.6f}"
                sections[role] = f"Node(s) with error 0\nNode selected 0\n{single}\n"
    return PartLines(sections, of_all)


def _star(outcome: Outcome, rates: Mapping[str, float]) -> str:
    spread = "".join(f"{word} Gflop/s {rate / 1e9:.6f}\n" for word, rate in rates.items())
    return f"Vector size: {outcome.parameters['n']}\n{details(outcome)}Node(s) with error 0\n{spread}"


PART = SuitePart(cases, lines)
