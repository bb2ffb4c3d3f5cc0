"""HPL's part of the HPC Challenge, whose input file begins as HPL.dat does. The best case is in the summary."""

from collections.abc import Mapping, Sequence
from functools import partial

from banzuke.plan.official import InputCases, Outcome
from banzuke.plan.suite import PartCase, PartLines, SuitePart, SuiteProblem

from .hpl_dat import BROADCASTS, ORDERS, read
from .hpl_out import results

ROLE = "HPL"


def cases(problem: SuiteProblem, asked: InputCases | None) -> list[PartCase]:
    """Return the file's cases, each on as many of the ranks as it needs."""
    listed = asked.cases if asked else ()
    return [PartCase(ROLE, ranks or problem.ranks, problem.threads, parameters, "blas") for ranks, parameters in listed]


def lines(outcomes: Mapping[str, Sequence[Outcome]]) -> PartLines:
    every = outcomes.get(ROLE, ())
    verified = [outcome for outcome in every if outcome.status == "ok"]
    best = max(verified, key=lambda outcome: outcome.values["flop_rate"], default=None)
    return PartLines({ROLE: results(every)} if every else {}, _summary(best) if best else {})


def _summary(best: Outcome) -> dict[str, str]:
    has = best.parameters
    return {
        "HPL_Tflops": f"{best.values['flop_rate'] / 1e12:g}",
        "HPL_time": f"{best.values['time']:g}",
        "HPL_eps": f"{2.0**-53:g}",
        "HPL_N": str(has["n"]),
        "HPL_NB": str(has["nb"]),
        "HPL_nprow": str(has["p"]),
        "HPL_npcol": str(has["q"]),
        "HPL_depth": str(has["lookahead"]),
        "HPL_nbdiv": "2",
        "HPL_nbmin": str(has["nbmin"]),
        "HPL_cpfact": "R",
        "HPL_crfact": "R",
        "HPL_ctop": str(BROADCASTS.index(str(has["broadcast"]))),
        "HPL_order": "RC"[ORDERS.index(str(has["order"]))],
    }


PART = SuitePart(cases, lines, partial(read, within_suite=True))
