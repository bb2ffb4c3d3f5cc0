"""Follows a figure of one case over runs of one machine, oldest first, each compared with the run before."""

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from banzuke.compare.apart import undisturbed
from banzuke.compare.matching import CaseLaunches, gather, identity
from banzuke.compare.runs import Comparison, compare
from banzuke.compare.verdict import Side, measured, side
from banzuke.plan.benchmark import Metric
from banzuke.record.model import Record

NEAR = 50
"""Runs before and after a comparison whose launches show how runs vary; more would take quadratic time."""


@dataclass(frozen=True)
class HistoryPoint:
    """The case in one run."""

    run: str
    case: CaseLaunches
    side: Side
    """Figure of the undisturbed launches, as verdicts have it; of all, if each was disturbed."""
    before: Comparison | None = None
    """Comparison with the step before; None: it is the first."""
    changed: tuple[str, ...] = ()
    """Changes since the step before: `rounds 6 → 5`."""


@dataclass(frozen=True)
class HistorySeries:
    """Steps of one problem, which are comparable."""

    machine: str
    """Fingerprint."""
    steps: list[HistoryPoint] = field(default_factory=list)


@dataclass(frozen=True)
class History:
    lines: list[HistorySeries]
    without: list[str]
    """Runs without such a figure, each with the reason."""


def history(
    runs: Iterable[tuple[str, Sequence[Record]]], benchmark: str, metric: Metric, machines: Collection[str] = ()
) -> History:
    """Follow the figure as `follow` does, and compare each run with the one before."""
    past = follow(runs, benchmark, metric, machines)
    return replace(past, lines=[_compared(line, metric) for line in past.lines])


def follow(
    runs: Iterable[tuple[str, Sequence[Record]]], benchmark: str, metric: Metric, machines: Collection[str] = ()
) -> History:
    """Follow the headline cases of each run (name and records, oldest first), and cases that are headlines in others.

    `machines`: fingerprints to include; empty: all.
    """
    gathered: list[tuple[str, list[CaseLaunches]]] = []
    without = []
    for name, records in runs:
        own = [record for record in records if record.benchmark == benchmark]
        cases = [case for case in gather(own) if not machines or _machine(case) in machines]
        with_metric = [case for case in cases if case.units(metric.name) == {metric.unit}]
        if with_metric:
            gathered.append((name, with_metric))
        elif cases:
            failed = next((f"{case.record.status}: {case.record.reason}" for case in cases if not case.measured), "")
            without.append(f"{name}: {failed or f'no {metric.name}'}")
    wanted = {key for _, cases in gathered for case in _headlines(cases) for key in _keys(case)}
    series: dict[Hashable, list[HistorySeries]] = defaultdict(list)
    for name, cases in gathered:
        headlines = {id(case) for case in _headlines(cases)}
        for case in cases:
            if id(case) in headlines or wanted & _keys(case):
                _add(series[_machine(case), case.record.backend], name, case, metric)
    return History([line for lines in series.values() for line in lines], without)


class _LaunchesByCase:
    """All launches of a case by its hash; they show how launches vary if a run has only one."""

    def __init__(self, cases: Iterable[CaseLaunches]) -> None:
        self._by_case: dict[str, list[Record]] = defaultdict(list)
        for case in cases:
            if case.record.provenance:
                self._by_case[case.record.provenance.case] += case.records

    def __call__(self, cases: Collection[str]) -> list[Record]:
        return [record for case in cases for record in self._by_case.get(case, ())]


def _add(lines: list[HistorySeries], run: str, case: CaseLaunches, metric: Metric) -> None:
    quiet = measured(undisturbed(case), metric.name)
    step = HistoryPoint(run, case, side(quiet if quiet.launches else measured(case, metric.name)))
    for line in lines:
        last = line.steps[-1]
        if last.run != run and _keys(last.case) & _keys(case):
            line.steps.append(step)
            return
    lines.append(HistorySeries(_machine(case), [step]))


def _compared(line: HistorySeries, metric: Metric) -> HistorySeries:
    metrics = {(step.case.record.benchmark, metric.name): metric for step in line.steps}
    steps = line.steps[:1]
    for at, (last, step) in enumerate(pairwise(line.steps)):
        launched = _LaunchesByCase(near.case for near in line.steps[max(0, at - NEAR) : at + NEAR])
        compared = compare(last.case.records, step.case.records, metrics, (), launched, (last.run, step.run))
        before = next(comparison for comparison in compared if comparison.metric)
        steps.append(replace(step, before=before, changed=tuple(change.over_time for change in before.changes)))
    return replace(line, steps=steps)


def _headlines(cases: Sequence[CaseLaunches]) -> Iterator[CaseLaunches]:
    """Return the first case of each backend."""
    yield from {case.record.backend: case for case in reversed(cases)}.values()


def _keys(case: CaseLaunches) -> set[Hashable]:
    """Return the identity and hash of a case; cases of one machine are the same if they share either."""
    own = case.record.provenance
    return {(_machine(case), identity(case.record)), *([(_machine(case), own.case)] if own else [])}


def _machine(case: CaseLaunches) -> str:
    return case.record.provenance.machine if case.record.provenance else ""
