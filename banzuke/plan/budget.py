"""Plans an evaluation within a time budget: cases whose lengths fit, and which one is next while the clock runs."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from banzuke.amounts import Amount, Index
from banzuke.errors import BanzukeError
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.case import Case, key
from banzuke.units import duration, number

LAUNCHES = 3
"""Launches of a headline case, one at the beginning of each third of the time: if only two differ, either may be the
outlier.
"""
HEADLINES = 0.6
"""Share of a benchmark's time for all launches of its headline."""
STEPS = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)
"""Lengths in a decade. They are few, so that repeated evaluations of one machine have the same cases."""
LENGTHENED = 2.0
"""Multiple of the usual duration that makes a longer case worth it, although it cannot be compared with the usual
one.
"""
MARGIN = 1.5
"""Multiple of the estimated time that is suggested: what disturbed one evaluation disturbs the next."""
GRACE, LEAST_GRACE = 0.05, 5.0
"""Share of the budget, and least seconds, by which a case that was expected to fit may exceed it."""


@dataclass(frozen=True)
class Budget:
    """The time that an evaluation may take, and what it would do with enough."""

    seconds: Amount
    launches: tuple[Index, ...]
    """Launches of each case of the plan; after the evaluation, those that took place."""
    wanted: tuple[Index, ...]
    weights: Mapping[str, Amount]
    """Weight of each benchmark."""
    usual: Mapping[str, Amount]
    """Estimated seconds of each benchmark's first case at the usual length."""
    whole: Mapping[str, Amount]
    """Seconds that all launches of each benchmark would take at the usual lengths."""
    standard: Mapping[str, Index]
    """Number of cases of each benchmark at the usual lengths."""
    collections: tuple[str, ...] = ()
    """Benchmarks whose cases are problems of equal rank, instead of a headline and others."""
    drift: Amount = 1.0
    """After the evaluation: actual over estimated time of its launches."""


@dataclass(frozen=True)
class Fitted:
    """Cases whose lengths fit the budget."""

    cases: tuple[Case, ...]
    budget: Budget


Plan = Callable[[Benchmark], Sequence[Case]]
"""Returns the standard cases of a benchmark."""


def fit(chosen: Mapping[str, Benchmark], plan: Plan, seconds: float, repeat: int | None = None) -> Fitted:
    """Return the cases of all benchmarks, each as long as its share allows.

    `repeat`: launches of every case; None: `LAUNCHES` of each headline and one of the others. Raises BanzukeError where
    not even the shortest headline fits.
    """
    usual = {name: planned for name, benchmark in _first_things_first(chosen) if (planned := list(plan(benchmark)))}
    times = {name: _launches(chosen[name], cases, repeat) for name, cases in usual.items()}
    whole = {name: _total(cases, times[name]) for name, cases in usual.items()}
    weights = {name: chosen[name].sizing.weight for name in usual}
    wanted = {name: math.inf if chosen[name].sizing.lengths else whole[name] for name in usual}
    shares = divided(seconds, weights, wanted)
    fitted = {name: _fitted(chosen[name], plan, cases, shares[name], repeat) for name, cases in usual.items()}
    _check_least(fitted, seconds)
    cases = tuple(case for own in fitted.values() for case in own)
    launches = tuple(count for name, own in fitted.items() for count in _launches(chosen[name], own, repeat))
    first = {name: cases[0].seconds for name, cases in usual.items()}
    standard = {name: len(cases) for name, cases in usual.items()}
    collections = tuple(name for name in usual if chosen[name].collection)
    return Fitted(cases, Budget(seconds, launches, launches, weights, first, whole, standard, collections))


def _first_things_first(chosen: Mapping[str, Benchmark]) -> list[tuple[str, Benchmark]]:
    """Return first the benchmarks that measure limits, those that serve most others before the rest, then by weight.

    A short time may not suffice for all.
    """

    def serves(benchmark: Benchmark) -> int:
        own = {resource.name for resource in benchmark.resources.measures}
        return sum(not own.isdisjoint(other.resources.needs) for other in chosen.values())

    def place(pair: tuple[str, Benchmark]) -> tuple[bool, int, float]:
        return not pair[1].resources.measures, -serves(pair[1]), -pair[1].sizing.weight

    return sorted(chosen.items(), key=place)


def divided(total: float, weights: Mapping[str, float], wanted: Mapping[str, float]) -> dict[str, float]:
    """Return shares of the total by weight; what one benchmark does not want goes to the others."""
    shares: dict[str, float] = {}
    while len(shares) < len(weights):
        open_ = {name: weight for name, weight in weights.items() if name not in shares}
        unit = max(0.0, total - sum(shares.values())) / sum(open_.values())
        content = {name: wanted[name] for name, weight in open_.items() if wanted[name] <= unit * weight}
        shares |= content or {name: unit * weight for name, weight in open_.items()}
    return shares


def _total(cases: Sequence[Case], launches: Sequence[int]) -> float:
    return sum(case.seconds * count for case, count in zip(cases, launches, strict=True))


def _launches(benchmark: Benchmark, cases: Sequence[Case], repeat: int | None) -> list[int]:
    """Return the number of launches of each case: the first case on processors and the first on devices are headlines.

    The problems of a collection are judged together, so none of them is a headline.
    """
    if repeat or benchmark.collection:
        return [repeat or 1] * len(cases)
    counts: list[int] = []
    begun: set[bool] = set()
    for unit in launched_together(cases):
        place = any(group.devices for group in unit[0].groups)
        counts += [1 if place in begun else LAUNCHES] * len(unit)
        begun.add(place)
    return counts


def launched_together(cases: Sequence[Case]) -> Iterator[list[Case]]:
    """Yield consecutive cases that differ only in backend and variant as one unit, of which all or none run, in
    turn.
    """

    def problem(case: Case) -> tuple[object, ...]:
        layout = [(group.ranks, group.threads, group.placement, group.devices) for group in case.groups]
        return case.benchmark, layout, dict(case.parameters)

    for _, alike in groupby(cases, key=problem):
        yield list(alike)


def _fitted(benchmark: Benchmark, plan: Plan, usual: Sequence[Case], share: float, repeat: int | None) -> list[Case]:
    """Return the cases at the longest length whose headline, or collection, fits its part of the share; else at the
    shortest.

    The usual length is kept where it fits and the longest is not much longer.
    """

    def cost(cases: Sequence[Case]) -> float:
        counted = list(cases) if benchmark.collection else next(launched_together(cases))
        return _total(counted, _launches(benchmark, cases, repeat)[: len(counted)])

    if not benchmark.sizing.lengths:
        return list(usual)
    most = share * (1.0 if benchmark.collection else HEADLINES)
    tried = (list(plan(benchmark.at_length(length))) for length in lengths(*benchmark.sizing.lengths))
    shortest = next(tried)
    best = shortest
    for cases in tried:
        if cost(cases) > most:
            break
        best = cases
    fits = cost(usual) <= most
    return list(usual) if fits and cost(best) < LENGTHENED * cost(usual) else best


def lengths(shortest: float, longest: float) -> list[float]:
    """Return lengths in seconds, ascending: both ends and round ones between them."""
    decades = range(math.floor(math.log10(shortest)), math.ceil(math.log10(longest)) + 1)
    between = [step * 10.0**decade for decade in decades for step in STEPS]
    return [shortest, *(length for length in between if shortest < length < longest), longest]


def _check_least(fitted: Mapping[str, Sequence[Case]], seconds: float) -> None:
    least = {name: sum(case.seconds for case in next(launched_together(cases))) for name, cases in fitted.items()}
    if least and min(least.values()) > seconds:
        name = min(least, key=lambda name: least[name])
        raise BanzukeError(
            f"{duration(seconds)} is too short for any benchmark",
            why=f"the shortest, {name}, takes about {duration(least[name])}, and one launch of each "
            f"{duration(sum(least.values()))}",
            remedy=f"--minutes {minutes_text(sum(least.values()))}",
        )


def minutes_text(seconds: float) -> str:
    """Return the minutes as a number that can be typed, rounded up."""
    minutes = seconds / 60
    return number(math.ceil(minutes) if minutes > 1 else max(0.01, math.ceil(minutes * 100) / 100))


@dataclass(frozen=True)
class _Unit:
    cases: tuple[Case, ...]
    keys: tuple[str, ...]
    launches: int
    headline: bool
    """Whether it is a headline, or a problem of a collection."""
    begin: float = 0.0
    """Share of the time after which its first launch is due."""

    @property
    def benchmark(self) -> str:
        return self.cases[0].benchmark


class Schedule:
    """Chooses the next launch, by the time that the finished ones took.

    The launches of a case with several are spread evenly over the time, and headlines come before all else that is due.
    The problems of a collection are treated alike. In between, the next benchmark is the one that has used the least of
    its share. A case that does not fit is passed over.
    """

    def __init__(self, cases: Sequence[Case], budget: Budget) -> None:
        self._budget = budget
        launches = dict(zip((key(case) for case in cases), budget.wanted, strict=True))
        self.launched_together: list[_Unit] = []
        for unit in launched_together(cases):
            keys = tuple(key(case) for case in unit)
            first = unit[0].benchmark not in {other.benchmark for other in self.launched_together}
            self.launched_together.append(_Unit(tuple(unit), keys, launches[keys[0]], first))
        for name in budget.collections:
            problems = [index for index, unit in enumerate(self.launched_together) if unit.benchmark == name]
            for place, index in enumerate(problems):
                problem = self.launched_together[index]
                begin = place / len(problems) / max(1, problem.launches)
                self.launched_together[index] = replace(problem, headline=True, begin=begin)
        self._took: dict[str, list[float]] = defaultdict(list)
        self._used: dict[str, float] = defaultdict(float)
        self._estimated: dict[str, float] = defaultdict(float)
        self._estimates = {name: case.seconds for unit in self.launched_together for name, case in _named(unit)}
        self._of = {name: case.benchmark for unit in self.launched_together for name, case in _named(unit)}

    def ended(self, name: str, seconds: float) -> None:
        """Note that a launch of the case with this key took so long; cases outside the plan are ignored."""
        if name in self._of:
            self._took[name].append(seconds)
            self._used[self._of[name]] += seconds
            self._estimated[self._of[name]] += self._estimates[name]

    def drift(self, benchmark: str) -> float:
        """Return the ratio of actual to estimated time of a benchmark's launches."""
        return (self._used[benchmark] + 1.0) / (self._estimated[benchmark] + 1.0)

    @property
    def launches(self) -> tuple[int, ...]:
        """Return the number of launches of each case so far."""
        return tuple(len(self._took[name]) for unit in self.launched_together for name in unit.keys)

    def most(self, spent: float) -> float:
        """Return the seconds after which a launch that begins now is ended."""
        return self._budget.seconds - spent + max(GRACE * self._budget.seconds, LEAST_GRACE)

    @property
    def pending(self) -> int:
        """Return the number of launches that have not taken place."""
        return sum(unit.launches * len(unit.keys) for unit in self.launched_together) - sum(self.launches)

    def next(self, spent: float) -> tuple[Case, int] | None:
        """Return the next case and the index of its launch, `spent` seconds after the beginning; None: nothing more
        fits.
        """
        begun = next(
            (unit for unit in self.launched_together if len({len(self._took[name]) for name in unit.keys}) > 1), None
        )
        if begun:
            return self._launch(begun)
        left = self._budget.seconds - spent
        waiting = [unit for unit in self.launched_together if self._done(unit) < unit.launches]
        costs = {id(unit): self._cost(unit) for unit in waiting}
        end = spent + min(left, sum(costs[id(unit)] * (unit.launches - self._done(unit)) for unit in waiting))
        fitting = [unit for unit in waiting if costs[id(unit)] <= left]
        headlines = [unit for unit in fitting if unit.headline]
        due = [unit for unit in headlines if spent >= end * self._due(unit)]
        if due:
            return self._launch(min(due, key=self._due))
        kept = sum(costs[id(unit)] * (unit.launches - self._done(unit)) for unit in headlines)
        others = [unit for unit in fitting if not unit.headline and costs[id(unit)] <= left - kept]
        others = [unit for unit in others if spent >= end * self._due(unit)] or others
        if others:
            return self._launch(min(others, key=lambda unit: (self._share(unit.benchmark), self._done(unit))))
        return self._launch(min(headlines, key=self._due)) if headlines else None

    def _launch(self, unit: _Unit) -> tuple[Case, int]:
        done = self._done(unit)
        return next((case, done) for name, case in _named(unit) if len(self._took[name]) == done)

    def _due(self, unit: _Unit) -> float:
        """Return the share of the time after which its next launch is due."""
        return unit.begin + self._done(unit) / unit.launches

    def _done(self, unit: _Unit) -> int:
        return min(len(self._took[name]) for name in unit.keys)

    def _share(self, benchmark: str) -> float:
        return self._used[benchmark] / self._budget.weights.get(benchmark, 1.0)

    def _cost(self, unit: _Unit) -> float:
        return sum(self._expected(name) for name in unit.keys)

    def _expected(self, name: str) -> float:
        took = self._took[name]
        return sum(took) / len(took) if took else self._estimates[name] * self.drift(self._of[name])

    def over(self) -> Budget:
        """Return the budget with the launches that took place, and the time that all would take by the present
        estimates.
        """
        whole = {name: seconds * self.drift(name) for name, seconds in self._budget.whole.items()}
        took, estimated = sum(self._used.values()), sum(self._estimated.values())
        return replace(self._budget, launches=self.launches, whole=whole, drift=(took + 1.0) / (estimated + 1.0))


def _named(unit: _Unit) -> Iterator[tuple[str, Case]]:
    return zip(unit.keys, unit.cases, strict=True)
