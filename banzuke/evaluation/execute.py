"""Carries a plan out: launches and records each case, goes on after failures, and continues interrupted runs."""

import math
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import Protocol

from banzuke.errors import BanzukeError
from banzuke.evaluation.again import StateWatch
from banzuke.evaluation.needed import Needed
from banzuke.evaluation.options import MissingEnvironmentError, Options, time_limit
from banzuke.evaluation.prepared import Prepared
from banzuke.launch import process
from banzuke.launch.command import MissingLibraryError
from banzuke.launch.complete import OUT_OF_TIME, CaseOrigin, complete, unmeasured
from banzuke.launch.neighbours import beside
from banzuke.machine import probe
from banzuke.machine.model import Machine
from banzuke.plan.budget import Schedule
from banzuke.plan.case import Case, key
from banzuke.plan.catalogue import benchmarks
from banzuke.plan.on_devices import as_planned
from banzuke.program.installed import backends
from banzuke.record.model import Record
from banzuke.results.run import Run
from banzuke.results.store import Store
from banzuke.ulimits import explained

MOST_LIMITS = 10
"""Most time limits that a case may take if it progresses or others use the processors; --timeout is kept exactly."""


class Observer(Protocol):
    """Callbacks that follow a run."""

    def begin(self, case: Case, number: int, total: int) -> None: ...
    def progress(self, reported: process.Progress) -> None: ...
    def again(self, case: Case) -> None:
        """Note that a limit is measured again, because the machine has changed."""

    def measured_again(self, case: Case, record: Record) -> None: ...

    def end(self, case: Case, record: Record) -> None: ...


def run_of(
    store: Store,
    prepared: Prepared,
    identity: str,
    name: str | None,
    *,
    fresh: bool,
    repeat: int,
    report: Callable[[str], None],
) -> tuple[Run, Prepared]:
    """Return the run of this name or the newest one, if it is an interrupted run of the same call; otherwise a new run.

    A continued run keeps the machine as it was described then. `report` is told why another one's run is not continued.
    Raises BanzukeError.
    """
    machine = prepared.machine
    if name:
        run = store.named(name, machine, identity)
        if run and fresh:
            raise BanzukeError(f"there is a run {name}", remedy="Leave --fresh out to continue it, or use another name")
    else:
        run = None if fresh else store.unfinished(machine, identity, report)
    if run is None:
        repetitions = 1 if prepared.budget else repeat
        return store.create(machine, prepared.cases, repetitions, identity, prepared.budget, name), prepared
    described = run.machine().changed(allotment={"hosts": machine.allotment.hosts})
    return run, Prepared(described, prepared.specs)


def execute_all(
    run: Run, prepared: Prepared, needed: Needed, observer: Observer, options: Options, begun: float
) -> None:
    """Execute what the run's limits need, then the cases that lack records, or as many as fit its budget."""
    measure_needed(run, prepared.machine, needed, observer, options)
    planned = run.plan()
    if planned and planned.budget:
        execute_within(run, prepared, observer, options, begun)
    else:
        execute(run, prepared, observer, options)


def execute_within(run: Run, prepared: Prepared, observer: Observer, options: Options, begun: float) -> None:
    """Execute what fits the budget of the run's plan; `begun`: when this process began, by `time.monotonic`.

    What an interrupted evaluation measured before counts.
    """
    planned = run.plan()
    if planned is None or planned.budget is None:
        return
    schedule = Schedule(planned.cases, planned.budget)
    here_since = datetime.now(UTC) - timedelta(seconds=time.monotonic() - begun)
    kept = run.read().records  # of earlier processes, perhaps on hosts whose clocks differ
    earlier = 0.0
    for number, record in enumerate((*kept, *run.ceilings())):
        took = (record.ended - record.started).total_seconds()
        if record.provenance and record.provenance.run == run.name:
            earlier += took if number < len(kept) or record.started < here_since else 0.0
            if number < len(kept):
                schedule.ended(record.provenance.case, took)
    number = 0
    watch = watching(run, prepared.machine)
    while launch := schedule.next(spent := earlier + time.monotonic() - begun):
        case, repetition = launch
        observer.begin(case, number, number + schedule.pending)
        origin = CaseOrigin(run.name, prepared.machine.fingerprint, repetition, batch=options.batch)
        within = schedule.most(spent)
        started = time.monotonic()
        record = measure(case, prepared, observer, options, origin, within=within)
        schedule.ended(key(case), time.monotonic() - started)
        run.append(record)
        observer.end(case, record)
        left = planned.budget.seconds - earlier - (time.monotonic() - begun)
        measure_again(run, watch.changed(record, left), watch, prepared.machine, observer, options)
        number += 1
    run.keep_plan(planned.having(budget=schedule.over()))


def execute(run: Run, prepared: Prepared, observer: Observer, options: Options) -> None:
    """Execute what `run` has no record of, repetition by repetition, so that cases compare in the same minutes."""
    missing = run.missing()
    watch = watching(run, prepared.machine)
    for number, (case, repetition) in enumerate(missing):
        observer.begin(case, number, len(missing))
        origin = CaseOrigin(run.name, prepared.machine.fingerprint, repetition, batch=options.batch)
        record = measure(case, prepared, observer, options, origin)
        run.append(record)
        observer.end(case, record)
        measure_again(run, watch.changed(record, math.inf), watch, prepared.machine, observer, options)


def measure_needed(run: Run, machine: Machine, needed: Needed, observer: Observer, options: Options) -> None:
    """Measure what sets limits of the run; it is stored apart from the run's records."""
    prepared = Prepared(machine, needed.missing)
    cases = needed.cases()
    for number, case in enumerate(cases):
        observer.begin(case, number, len(cases))
        origin = CaseOrigin(run.name, prepared.machine.fingerprint, batch=options.batch)
        record = measure(case, prepared, observer, options, origin)
        run.keep_ceilings([record])
        observer.end(case, record)


def watching(run: Run, machine: Machine) -> StateWatch:
    """Return a watch that knows everything the run has measured so far, and what sets its limits."""
    installed = {name: spec for name, spec in benchmarks().items() if backends(name)}
    return StateWatch(machine, installed, [*run.ceilings(), *run.read().records])


def measure_again(
    run: Run, cases: Iterable[Case], watch: StateWatch, machine: Machine, observer: Observer, options: Options
) -> None:
    """Measure by short cases what limits figures after a launch showed that the machine has changed its state."""
    for case in cases:
        observer.again(case)
        prepared = Prepared(machine, {case.benchmark: benchmarks()[case.benchmark]})
        origin = CaseOrigin(run.name, machine.fingerprint, batch=options.batch)
        record = measure(case, prepared, observer, options, origin)
        if record.status == "ok":
            run.keep_ceilings([record])
            watch.keep(record)
        else:
            watch.give_up(case.benchmark)
        observer.measured_again(case, record)


def measure(
    case: Case,
    prepared: Prepared,
    observer: Observer,
    options: Options,
    origin: CaseOrigin,
    *,
    within: float = math.inf,
) -> Record:
    """Run one case and return its record, however it ends. After `within` seconds it is ended and counts as skipped."""
    try:
        command = prepared.command(case, options)
    except MissingEnvironmentError as error:
        return unmeasured(case, origin, str(error), skipped=True, missing=case.variant.environment)
    except BanzukeError as error:
        return unmeasured(case, origin, str(error), skipped=not isinstance(error, MissingLibraryError))
    limit = time_limit(case, options, options.environment(case, prepared.machine).slowness)
    allowed = 1 if options.timeout else MOST_LIMITS
    most = max(1, int(min(allowed, within / limit)))
    try:
        with leaving_nothing(case), beside(case.variant.neighbours):
            outcome = process.run(command, timeout=min(limit, within), progress=observer.progress, most=most)
    except (OSError, BanzukeError) as error:
        return unmeasured(case, origin, explained(f"cannot be started: {error}"), command=command)
    if outcome.timed_out and outcome.limits == most and within < limit * allowed:
        return unmeasured(case, origin, OUT_OF_TIME, skipped=True, command=command)
    record = complete(case, command, outcome, origin, limit)
    on_processors = not case.groups[0].devices
    if on_processors and as_planned(prepared.specs[case.benchmark], case).libraries.blas and record.software:
        choice = {"blas_choice": " ".join((prepared.machine.software.blas_choice or "unknown").split())}
        first = record.groups[0].having(software={**record.groups[0].software, **choice})
        record = record.having(groups=[first, *record.groups[1:]])
    return options.recorder.completed(record) if options.recorder else record


@contextmanager
def leaving_nothing(case: Case) -> Iterator[None]:
    """Remove the files of a program that was killed before it could do so itself."""
    try:
        yield
    finally:
        for folder in case.places.values():
            with suppress(BanzukeError):  # the next launch there tries again
                probe.clear(str(folder))
