"""Tells what a time budget cut short."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from banzuke.plan.budget import MARGIN, Budget, launched_together, minutes_text
from banzuke.plan.case import Case
from banzuke.words import Duration, Listed, Message, message


@dataclass(frozen=True)
class Cut:
    """The cases, launches and time that a benchmark lost to the budget."""

    benchmark: str
    cases: int
    """Cases that were launched."""
    of: int
    launches: int
    """Launches of its first case."""
    wanted: int
    seconds: float
    """Estimated seconds of its first case."""
    usual: float

    @property
    def shorter(self) -> bool:
        return self.seconds < 0.95 * self.usual

    @property
    def message(self) -> Message:
        what = []
        if self.cases < self.of:
            what.append(message("budget-cases", cases=self.cases, planned=self.of))
        if 0 < self.launches < self.wanted:
            what.append(message("budget-launches", launches=self.launches, planned=self.wanted))
        if self.launches and self.shorter:
            usual, seconds = Duration(round(self.usual)), Duration(round(self.seconds, 1))
            what.append(message("budget-shortened", usual=usual, seconds=seconds))
        return message("budget-cut", benchmark=self.benchmark, what=Listed(tuple(what)))


def cut_short(cases: Sequence[Case], budget: Budget) -> list[Cut]:
    """Return the benchmarks that did less; empty: the time sufficed for all."""
    cuts = []
    counted = list(zip(cases, budget.launches, budget.wanted, strict=True))
    for name in budget.weights:
        own = [(case, launches, wanted) for case, launches, wanted in counted if case.benchmark == name]
        launched = sum(launches > 0 for _, launches, _ in own)
        first, launches, wanted = own[0]
        standard = max(len(own), budget.standard[name])
        cut = Cut(name, launched, standard, launches, wanted, first.seconds, budget.usual[name])
        if launched < standard or launches < wanted or cut.shorter:
            cuts.append(cut)
    return cuts


def messages(cases: Sequence[Case], budget: Budget | None) -> list[Message]:
    """Return messages that something was cut short, with the time that all would take, and then one for each benchmark;
    empty: nothing was.
    """
    if budget is None:
        return []
    cuts = cut_short(cases, budget)
    if not cuts:
        return []
    whole = sum(budget.whole.values())
    minutes = minutes_text(whole)
    within = Duration(budget.seconds)
    first = message("budget-cut-short", budget=within, whole=Duration(round(whole)), minutes=minutes)
    return [first, *(cut.message for cut in cuts)]


def missing(cases: Sequence[Case], budget: Budget | None, late: Collection[str] = ()) -> Message | None:
    """Return a message naming the benchmarks without a figure for lack of time, and the minutes that would suffice.

    `late`: benchmarks whose launches were ended when the time was over. None: each was measured.
    """
    if budget is None:
        return None
    launched = {case.benchmark for case, count in zip(cases, budget.launches, strict=True) if count}
    names = [name for name in budget.weights if name not in launched or name in late]
    if not names:
        return None
    first = [next(launched_together([case for case in cases if case.benchmark == name])) for name in names]
    needed = budget.drift * sum(case.seconds for unit in first for case in unit)
    return message(
        "budget-incomplete",
        benchmarks=Listed(tuple(names)),
        number=len(names),
        budget=Duration(budget.seconds),
        minutes=minutes_text(MARGIN * (budget.seconds + needed)),
    )
