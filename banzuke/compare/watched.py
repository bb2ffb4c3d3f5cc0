"""Figures as they were measured again and again: in each state of the machine by itself, with their lasting changes.

Runs less than half an hour apart count as one, as in comparisons, and launches that other processes disturbed do not
count. Only the distance of processors makes a state here: what a figure does in the other one says nothing about this
one. A lower clock or other pages that last are changes to report, so they make no states.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from banzuke.compare.apart import A
from banzuke.compare.blocks import Block, blocks
from banzuke.compare.changes import WEEK, Reference, changes, is_suspected, reference
from banzuke.compare.explained import Difference
from banzuke.compare.history import HistoryPoint, HistorySeries
from banzuke.compare.matching import gather
from banzuke.compare.settings import further_labels
from banzuke.compare.statistics import median
from banzuke.compare.verdict import median_of
from banzuke.plan.benchmark import Metric
from banzuke.plan.wording import layout_of
from banzuke.record.model import Record
from banzuke.record.state import State, States, taken
from banzuke.words import Fact, Message, message


@dataclass(frozen=True)
class WatchedRun:
    """A run, or runs in quick succession."""

    run: str
    """The run's name, or that of the first; not always the one in its records, because folders may be renamed."""
    record: Record
    """The first launch."""
    began: datetime
    ended: datetime
    value: float
    """Median of its launches' medians, in the metric's unit."""


@dataclass(frozen=True)
class Alarm:
    """A lasting change."""

    since: WatchedRun
    """First run after it."""
    before: WatchedRun
    """Last run before it."""
    confirmed: WatchedRun
    times_better: float
    """How many times better the figures after it are than those before."""


@dataclass(frozen=True)
class WatchedSeries:
    """A figure of one case on one machine in one state, oldest run first."""

    machine: str
    """Fingerprint."""
    metric: Metric
    record: Record
    """A launch of the newest run."""
    state: State
    runs: tuple[WatchedRun, ...]
    alarms: tuple[Alarm, ...]
    reference: Reference | None
    """What the next runs are held against; None: too few runs since the last change."""
    suspected: bool
    """Whether the newest runs differ, which the next run confirms or dismisses."""
    finds: float | None = None
    """Smallest relative change that a week of daily runs would show; None: too few runs."""

    @property
    def newest(self) -> WatchedRun:
        return self.runs[-1]

    @property
    def level(self) -> float:
        """Median of the runs since the last change."""
        begin = self.alarms[-1].since.began if self.alarms else self.runs[0].began
        return median([run.value for run in self.runs if run.began >= begin])

    def is_new(self, alarm: Alarm, since: datetime | None) -> bool:
        """Return whether it was confirmed then or later; None: by the newest run."""
        return alarm.confirmed.ended >= since if since else alarm.confirmed == self.newest


@dataclass(frozen=True)
class WatchedFigure:
    """A series with what is shown beside it."""

    series: WatchedSeries
    machine: str
    case: Fact
    """What tells it from other series of its benchmark."""
    explanations: Mapping[int, Sequence[Difference]]
    """What differs at each alarm, by the alarm's `id`."""

    @property
    def alarmed(self) -> bool:
        return bool(self.series.alarms or self.series.suspected)


def watch(series: HistorySeries, metric: Metric, figures: int = 1) -> Iterator[WatchedSeries]:
    """Yield the series of each state in which the figure, one of so many, was measured undisturbed and is positive."""
    launches = [(point.run, record) for point in series.steps for record in _undisturbed(point)]
    states = States(record for _, record in launches)
    by_state: dict[State, list[_Launch]] = {}
    for name, record in launches:
        value = median_of(record, metric.name)
        if value is not None and value > 0 and (state := _state(states, record)):
            by_state.setdefault(state, []).append((name, record, value))
    for state, measured in by_state.items():
        yield _watched(series.machine, metric, state, measured, figures)


def is_positive(series: HistorySeries, metric: Metric) -> bool:
    """Return whether any launch has a positive figure: nothing is relative to 0."""
    return any((median_of(record, metric.name) or 0) > 0 for point in series.steps for record in point.case.measured)


_Launch = tuple[str, Record, float]
"""The name of the run, the record, and the median."""


def _undisturbed(point: HistoryPoint) -> list[Record]:
    return [record for record in point.case.measured if not taken(record).disturbed]


def _state(states: States, record: Record) -> State | None:
    """Return the state by the distance alone; None: it changed during the launch."""
    state = replace(states.of(record), clock=None, pages=None, policy=None)
    return None if state.distance == "moved" else state


def _watched(machine: str, metric: Metric, state: State, measured: Sequence[_Launch], figures: int) -> WatchedSeries:
    _, newest, _ = max(measured, key=lambda launch: launch[1].started)
    launches = {record.started: (name, record) for name, record, _ in measured}
    runs = tuple(_run(block, launches) for block in blocks({A: [(record, value) for _, record, value in measured]}))
    better = [watched_run.value if metric.better == "higher" else 1 / watched_run.value for watched_run in runs]
    lasting = list(changes(better, figures))
    alarms = tuple(
        Alarm(runs[change.onset], runs[change.onset - 1], runs[change.confirmed], change.ratio) for change in lasting
    )
    begin = lasting[-1].onset if lasting else 0
    held = reference(better[begin:])
    suspected = is_suspected(better[begin:], figures)
    finds = held.finds(WEEK, figures) if held else None
    return WatchedSeries(machine, metric, newest, state, runs, alarms, held, suspected, finds)


def _run(block: Block, launches: Mapping[datetime, tuple[str, Record]]) -> WatchedRun:
    name, record = launches[block.began]
    return WatchedRun(name, record, block.began, block.ended, median(block.medians))


def series_labels(watched: Sequence[WatchedSeries]) -> list[Message]:
    """Return `stream, 2 threads, far` for each: what tells it from the other series of its benchmark."""
    labels = further_labels([series.record for series in watched])
    return [
        message(
            "watch-case",
            benchmark=series.record.benchmark,
            layout=layout_of(series.record),
            more=label or "none",
            state=series.state.distance or "none",
        )
        for series, label in zip(watched, labels, strict=True)
    ]


@dataclass(frozen=True)
class Vanished:
    """A figure that was measured, and that the newest run of its program on its machine lacks."""

    machine: str
    benchmark: str
    backend: str
    metric: Metric
    run: str
    reason: str


def vanished(
    lines: Iterable[tuple[HistorySeries, Metric]], readings: Sequence[tuple[str, Sequence[Record]]]
) -> Iterator[Vanished]:
    """Yield the figures of `lines` that are missing from the newest of the runs (oldest first) of their program."""
    newest: dict[Hashable, tuple[str, list[Record]]] = {}
    for name, records in readings:
        own: dict[Hashable, list[Record]] = defaultdict(list)
        for record in records:
            own[_program(record)].append(record)
        newest |= {program: (name, of_program) for program, of_program in own.items()}
    for program, metric in dict.fromkeys((_program(line.steps[-1].case.record), metric) for line, metric in lines):
        name, records = newest[program]
        cases = gather(records)
        if any(case.units(metric.name) == {metric.unit} for case in cases):
            continue
        reasons = [f"{case.record.status}: {case.record.reason}" for case in cases if not case.measured]
        units = sorted({unit for case in cases for unit in case.units(metric.name)})
        reason = (
            reasons[0] if reasons else f"in {', '.join(units)}, not {metric.unit}" if units else f"no {metric.name}"
        )
        yield Vanished(*program, metric, name, reason)


def _program(record: Record) -> tuple[str, str, str]:
    """Return the machine, the benchmark and the backend."""
    return record.provenance.machine if record.provenance else "", record.benchmark, record.backend
