"""PTRANS's part of the HPC Challenge: every grid, order and block size; the best is in the summary."""

from collections.abc import Mapping, Sequence

from banzuke.plan.official import InputCases, Outcome
from banzuke.plan.suite import PartCase, PartLines, SuitePart, SuiteProblem

from .hpcc_out import section, values
from .hpccinf import read

ROLE = "PTRANS"


def cases(problem: SuiteProblem, asked: InputCases | None) -> list[PartCase]:
    """Return the file's cases, each on as many of the ranks as its grid has."""
    listed = asked.cases if asked else ()
    return [PartCase(ROLE, ranks or problem.ranks, problem.threads, parameters) for ranks, parameters in listed]


def lines(outcomes: Mapping[str, Sequence[Outcome]]) -> PartLines:
    every = outcomes.get(ROLE, ())
    verified = [outcome for outcome in every if outcome.status == "ok"]
    best = max(verified, key=lambda outcome: outcome.values["transpose_rate"], default=None)
    return PartLines({ROLE: section(every)} if every else {}, values(best) if best else {})


PART = SuitePart(cases, lines, read)
