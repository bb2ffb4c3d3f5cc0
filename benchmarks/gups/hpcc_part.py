"""GUPS's part of the HPC Challenge: a table over all ranks, one of each rank, and one on a single rank."""

from collections.abc import Mapping

from banzuke.plan.official import InputCases, Outcome
from banzuke.plan.suite import AVERAGE, PartCase, SuitePart, SuiteProblem, by_role, star_rates

WORD = 8
UPDATES = 4
"""Updates of each word."""
TIME_BOUND = 60.0
"""Seconds: the official code's TIME_BOUND. A quarter of HPL's time would count if it were longer, but HPL runs last."""
TOGETHER, STAR, SINGLE = "MPIRandomAccess", "StarRandomAccess", "SingleRandomAccess"
GIGA = 1e9


def power(most: int) -> int:
    """Return the largest power of two that is at most `most`, but at least 2."""
    return 1 << max(1, most.bit_length() - 1)


def cases(problem: SuiteProblem, _read: InputCases | None) -> list[PartCase]:
    """Return the cases; only a power of two of ranks share a table."""
    own = {"n": power(problem.rank_bytes // WORD)}
    sharing = 1 << (problem.ranks.bit_length() - 1)
    shared = power(problem.rank_bytes * problem.ranks // WORD)
    return [
        PartCase(TOGETHER, sharing, 1, {"n": max(2, shared // sharing), "time_bound": TIME_BOUND}, "mpi"),
        PartCase(STAR, problem.ranks, problem.threads, own, "omp"),
        PartCase(SINGLE, 1, problem.threads, own, "omp"),
    ]


def tell(role: str, outcome: Outcome) -> tuple[str, dict[str, str]]:
    """Return the section of a role, and its values of the summary."""
    if role == TOGETHER:
        return _together(outcome)
    own = star_rates(outcome, "update_rate", outcome.values["update_rate"])
    rates = {word: rate / GIGA for word, rate in own.items()}
    words = int(outcome.parameters["n"])
    single = f"Node(s) with error 0\nNode selected 0\nSingle GUP/s {rates[AVERAGE]:.6f}\n"
    section = _star(words, outcome, rates) if role == STAR else single
    return section, {f"{role}_GUPs": f"{rates[AVERAGE]:g}", "RandomAccess_N": str(words)}


def _star(words: int, outcome: Outcome, rates: Mapping[str, float]) -> str:
    exponent, rate = words.bit_length() - 1, rates[AVERAGE]
    spread = "".join(f"{word} GUP/s {value:.6f}\n" for word, value in rates.items())
    return (
        f"Main table size   = 2^{exponent} = {words} words\n"
        f"Number of updates = {UPDATES * words}\n"
        f"Real time used = {UPDATES * words / rate / GIGA:.6f} seconds\n"
        f"{rate:.9f} Billion(10^9) Updates    per second [GUP/s]\n"
        f"Found {round(_wrong(outcome) * words)} errors in {words} locations (passed).\n"
        f"Node(s) with error 0\n{spread}"
    )


def _together(outcome: Outcome) -> tuple[str, dict[str, str]]:
    """Return the section and the values of the table over all ranks."""
    ranks, own = outcome.ranks, int(outcome.parameters["n"])
    words, rate, wrong = own * ranks, outcome.values["update_rate"], _wrong(outcome)
    updates = round(float(str(outcome.conditions["updates"])))
    checked = float(str(outcome.conditions["check_seconds"]))
    text = (
        f"Running on {ranks} processors (PowerofTwo)\n"
        f"Total Main table size = 2^{words.bit_length() - 1} = {words} words\n"
        f"PE Main table size = 2^{own.bit_length() - 1} = {own} words/PE\n"
        f"Default number of updates (RECOMMENDED) = {UPDATES * words}\n"
        f"Number of updates EXECUTED = {updates} (for a TIME BOUND of {TIME_BOUND:.2f} secs)\n"
        f"Real time used = {updates / rate:.6f} seconds\n"
        f"{rate / GIGA:.9f} Billion(10^9) Updates    per second [GUP/s]\n"
        f"{rate / ranks / GIGA:.9f} Billion(10^9) Updates/PE per second [GUP/s]\n"
        f"Verification:  Real time used = {checked:.6f} seconds\n"
        f"Found {round(wrong * words)} errors in {words} locations (passed).\n"
    )
    return text, {
        "MPIRandomAccess_N": str(words),
        "MPIRandomAccess_time": f"{updates / rate:g}",
        "MPIRandomAccess_CheckTime": f"{checked:g}",
        "MPIRandomAccess_Errors": str(round(wrong * words)),
        "MPIRandomAccess_ErrorsFraction": f"{wrong:g}",
        "MPIRandomAccess_ExeUpdates": str(updates),
        "MPIRandomAccess_GUPs": f"{rate / GIGA:g}",
        "MPIRandomAccess_TimeBound": f"{TIME_BOUND:g}",
    }


def _wrong(outcome: Outcome) -> float:
    """Return the share of wrong words."""
    return next((value or 0.0 for name, value in outcome.checks.items() if name.startswith("share of wrong")), 0.0)


PART = SuitePart(cases, by_role(tell))
