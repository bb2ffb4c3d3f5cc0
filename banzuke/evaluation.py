"""Carries a plan out: launches each case, records it, goes on after a failure, and continues what was cut off."""

import hashlib
import json
import math
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

from pydantic import TypeAdapter, ValidationError

from banzuke import paths
from banzuke.compare.matching import gather
from banzuke.environment.model import Environment, Wanted
from banzuke.environment.registry import environment, wanted
from banzuke.errors import BanzukeError
from banzuke.files import read_whole, whose, write_whole
from banzuke.files.own import cache_path
from banzuke.launch import process
from banzuke.launch.check import check
from banzuke.launch.command import Command, MissingLibraryError, library_path, render
from banzuke.launch.complete import OUT_OF_TIME, CaseOrigin, complete, unmeasured
from banzuke.launch.conditions import between, snapshot
from banzuke.launch.neighbours import beside
from banzuke.limit.assess import assess_case
from banzuke.limit.ceilings import ceilings
from banzuke.limit.elsewhere import known as known_ceilings
from banzuke.limit.model import Assessment, Ceiling
from banzuke.limit.siblings import Siblings
from banzuke.machine import blas, probe
from banzuke.machine.discover import discover, measured, with_blas
from banzuke.machine.model import Machine
from banzuke.machine.site import Blas
from banzuke.plan.benchmark import Benchmark, Case
from banzuke.plan.budget import Fitted, Schedule, fit
from banzuke.plan.cases import Request, key, planner
from banzuke.plan.catalogue import families
from banzuke.plan.needs import needed, short_case
from banzuke.plan.on_devices import as_planned, driven_kinds, on_devices, usual
from banzuke.power.recorder import Recorder
from banzuke.program.describe import Answer, drives
from banzuke.program.installed import backends
from banzuke.record.model import Record
from banzuke.results.run import Run
from banzuke.results.store import Store
from banzuke.ulimits import explained
from banzuke.units import percent

QUIET = 0.1
"""Share of the processors' time that others may take for a probe to be kept: a ranking of libraries needs quiet."""
STARTING = 0.05
"""Seconds more for each host that a case goes to."""
SHORTEST_LIMIT = 60.0
SLOWNESS = 20.0
"""A case is ended after this many times its estimated duration, or `SHORTEST_LIMIT` seconds."""
MOST_LIMITS = 10
"""So many times the limit where it goes on, or others have the processors; --timeout is kept exactly."""


class MissingEnvironmentError(BanzukeError):
    """An environment that this system does not have."""


class Observer(Protocol):
    """Follows a run."""

    def begin(self, case: Case, number: int, total: int) -> None: ...
    def progress(self, reported: process.Progress) -> None: ...
    def end(self, case: Case, record: Record) -> None: ...


@dataclass(frozen=True)
class Options:
    """How cases are run."""

    timeout: float | None = None
    oversubscribe: bool = False
    folder: Path = Path()
    """For what commands read."""
    environments: dict[Wanted, "Environment | MissingEnvironmentError"] = field(default_factory=dict, compare=False)
    """Those that were found to work, and those that were not: a trial may take seconds."""
    dry_run: bool = False
    """Commands are rendered and none is run: nothing may be written."""
    batch: str | None = None
    """What its records have in common with those of other hosts, each measured by itself."""
    recorder: Recorder | None = field(default=None, compare=False)
    """Of the energy of cases; None: nobody looks for it."""

    def environment(self, case: Case, machine: Machine) -> Environment:
        """Raises BanzukeError; MissingEnvironmentError where there is none such here, which is no fault of the call."""
        asked = wanted(case.variant.environment, case.variant.image, case.variant.os_cores)
        if asked not in self.environments:
            try:
                self.environments[asked] = environment(asked, machine, paths.prefix(), dry_run=self.dry_run)
            except BanzukeError as error:
                if asked.image:  # the user may have mistyped it
                    raise
                self.environments[asked] = MissingEnvironmentError(error.problem, why=error.why, remedy=error.remedy)
        found = self.environments[asked]
        if isinstance(found, MissingEnvironmentError):
            raise found
        return found


def find_machine(*, blas_path: str | None, hosts: Sequence[str] = (), benchmarks: Iterable[Benchmark] = ()) -> Machine:
    """This machine, not measured yet; of the BLAS libraries the user's alone where one is named.

    `hosts` take the place of the allocation. With the libraries with which benchmarks compare themselves. Raises
    BanzukeError when there is no such BLAS library.
    """
    machine = discover(measure=False, hosts=hosts)
    compared = [spec for spec in benchmarks if spec.libraries.compared]
    every = [spec.libraries.by_backend for spec in compared]
    every += [spec.devices.selectable for spec in compared if spec.devices]
    found = {library.name: library_path(library) for libraries in every for library in libraries.values()}
    update: dict[str, Any] = {"libraries": {name: path for name, path in found.items() if path}}
    if blas_path:
        update["blas"] = blas.candidates(blas_path)[:1]
    return machine.changed(partition={"software": machine.software.having(**update)})


def measure_machine(machine: Machine, *, needs_blas: bool, report: Callable[[int, int], None], keep: bool) -> Machine:
    """The machine with its clocks, and its BLAS libraries probed when a benchmark needs one; `report`: their progress.

    `keep`: what was probed may be kept in the user's cache for later runs.
    """
    machine = measured(machine)
    if not needs_blas:
        return machine
    probed, busy = _probed(machine, machine.software.blas, report, keep=keep)
    return with_blas(machine, probed, "\n".join([blas.explain(probed), *doubts_of_order(busy)]))


def doubts_of_order(busy: float) -> list[str]:
    """What is to be said of a ranking of libraries while others used this share of the processors."""
    if busy < QUIET:
        return []
    return [f"Other processes used {percent(busy)} of the processors meanwhile: the order may be wrong."]


def probe_libraries(
    machine: Machine, found: Sequence[Blas], report: Callable[[int, int], None]
) -> tuple[list[Blas], float]:
    """Probed libraries and the share of the processors that others took meanwhile."""
    before = snapshot()
    probed = blas.probe(found, machine.allotment.one_per_core, report=report)
    return probed, between(before, snapshot()).get("other_busy_fraction", 0.0)


def _probed(
    machine: Machine, found: list[Blas], report: Callable[[int, int], None], *, keep: bool
) -> tuple[list[Blas], float]:
    """As `probe_libraries`.

    What an earlier run on this quiet machine probed is taken when nothing has changed since.
    """
    adapter = TypeAdapter(list[Blas])
    try:
        file: Path | None = cache_path() / f"blas-{_digest(machine, found)}.json"
    except BanzukeError:
        file = None
    if file and not whose(file):
        with suppress(BanzukeError, ValidationError):
            return adapter.validate_json(read_whole(file)), 0.0
    probed, busy = probe_libraries(machine, found, report)
    if file and keep and busy < QUIET and probed and probed[0].flop_rate:
        with suppress(BanzukeError):  # no room for it
            write_whole(file, adapter.dump_json(probed, indent=1) + b"\n")
    return probed, busy


def _digest(machine: Machine, found: Sequence[Blas]) -> str:
    def stamp(path: str) -> tuple[str, float]:
        try:
            return path, Path(path).stat().st_mtime
        except OSError:
            return path, 0.0

    steering = {name: os.environ[name] for library in found for name in blas.steering(library.name, os.environ)}
    known = list(Blas.model_fields)  # what another version kept may lack something
    parts = [known, machine.fingerprint, machine.allotment.one_per_core, [stamp(b.path) for b in found], steering]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:12]


def fit_all(
    chosen: Mapping[str, Benchmark], machine: Machine, request: Request, seconds: float, repeat: int | None
) -> Fitted:
    """Standard cases of all benchmarks, of lengths that fit the time. Raises BanzukeError."""
    return fit(chosen, planner(list(chosen.values()), machine, request, families), seconds, repeat)


def execute_within(
    run: Run, machine: Machine, benchmarks: Mapping[str, Benchmark], observer: Observer, options: Options, begun: float
) -> None:
    """Runs what fits the budget of the run's plan; `begun`: when this process's time began, of `time.monotonic`.

    What an interrupted evaluation has measured before counts.
    """
    planned = run.plan()
    if planned is None or planned.budget is None:
        return
    schedule = Schedule(planned.cases, planned.budget)
    here_since = datetime.now(UTC) - timedelta(seconds=time.monotonic() - begun)
    kept = run.read().records  # of processes before, perhaps on hosts whose clocks differ
    earlier = 0.0
    for number, record in enumerate((*kept, *run.ceilings())):
        took = (record.ended - record.started).total_seconds()
        if record.provenance and record.provenance.run == run.name:
            earlier += took if number < len(kept) or record.started < here_since else 0.0
            schedule.ended(record.provenance.case, took)
    number = 0
    while launch := schedule.next(spent := earlier + time.monotonic() - begun):
        case, repetition = launch
        observer.begin(case, number, number + schedule.pending)
        origin = CaseOrigin(run.name, machine.fingerprint, repetition, batch=options.batch)
        within = schedule.most(spent)
        started = time.monotonic()
        record = measure(case, machine, benchmarks[case.benchmark], observer, options, origin, within=within)
        schedule.ended(key(case), time.monotonic() - started)
        run.append(record)
        observer.end(case, record)
        number += 1
    run.keep_plan(planned.having(budget=schedule.over()))


def execute(
    run: Run, machine: Machine, benchmarks: Mapping[str, Benchmark], observer: Observer, options: Options
) -> None:
    """Runs what `run` has no record of yet, repetition by repetition so that cases compare in the same minutes."""
    missing = run.missing()
    for number, (case, repetition) in enumerate(missing):
        observer.begin(case, number, len(missing))
        origin = CaseOrigin(run.name, machine.fingerprint, repetition, batch=options.batch)
        record = measure(case, machine, benchmarks[case.benchmark], observer, options, origin)
        run.append(record)
        observer.end(case, record)


@dataclass(frozen=True)
class Needed:
    """What a run needs for its limits and does not measure itself."""

    known: tuple[Record, ...]
    """Of other runs."""
    missing: Mapping[str, Benchmark]
    """Those that measure what no run has measured."""
    short: tuple[tuple[Benchmark, Machine], ...]
    """The same as they are planned for processors, and for devices of each kind, which alone may be used."""

    def cases(self) -> list[Case]:
        """Short ones that measure what is missing. Raises BanzukeError."""
        return list(filter(None, (short_case(benchmark, machine) for benchmark, machine in self.short)))


def find_needed(
    store: Store,
    machine: Machine,
    chosen: Mapping[str, Benchmark],
    installed: Mapping[str, Benchmark],
    planned: Sequence[Case],
) -> Needed:
    """What earlier runs have measured, and what none has, of what serves the planned cases: processors or devices.

    `installed`: the benchmarks that can be run here.
    """
    resources = needed(chosen.values(), installed, len(machine.allotment.hosts))
    runs = store.runs() if resources else ()
    records: dict[str, Record] = {}
    missing: dict[str, Benchmark] = {}
    short: list[tuple[Benchmark, Machine]] = []
    for kind in dict.fromkeys(kind for case in planned for kind in driven_kinds(case, machine)):
        known = known_ceilings(resources, runs, machine, device=kind)
        records |= {one.provenance.id: one for found in known.values() for one in found if one.provenance}
        for name in dict.fromkeys(name for resource, (_, name) in resources.items() if resource not in known):
            benchmark = installed[name]
            if kind is None:
                short.append((replace(benchmark, devices=None), machine))
            else:
                short += [(of, machine.driving(kind)) for of in _on_devices(benchmark, machine, planned)]
            missing[name] = benchmark
    return Needed(tuple(records.values()), missing, tuple(short))


def _on_devices(benchmark: Benchmark, machine: Machine, planned: Sequence[Case]) -> list[Benchmark]:
    """With the backend of the planned cases where it has that, else a usual one; none: it has no program for them."""
    installed = backends(benchmark.name)
    driving = dict.fromkeys(group.backend for case in planned for group in case.groups if group.devices)
    asked = [name for name in driving if name in installed and drives(benchmark.name, name)]
    return [on_devices(benchmark, backend) for backend in (*asked, *usual(benchmark, machine))[:1]]


def measure_needed(run: Run, machine: Machine, needed: Needed, observer: Observer, options: Options) -> None:
    """Measures what sets limits of the run, which keeps it apart from its records."""
    cases = needed.cases()
    for number, case in enumerate(cases):
        observer.begin(case, number, len(cases))
        origin = CaseOrigin(run.name, machine.fingerprint, batch=options.batch)
        record = measure(case, machine, needed.missing[case.benchmark], observer, options, origin)
        run.keep_ceilings([record])
        observer.end(case, record)


def time_limit(case: Case, options: Options, slowness: float = 1.0) -> float:
    """Seconds after which a case is ended; `slowness`: how many times as long its environment may take."""
    starting = STARTING * case.nodes if case.nodes > 1 else 0.0
    return options.timeout or starting + max(SHORTEST_LIMIT, SLOWNESS * case.seconds) * slowness


def rendered(
    case: Case, machine: Machine, benchmark: Benchmark, answers: Sequence[Answer], options: Options
) -> Command:
    """Raises BanzukeError."""
    around = options.environment(case, machine)
    return render(
        case,
        machine,
        benchmark,
        answers,
        limit=time_limit(case, options, around.slowness),
        folder=options.folder,
        oversubscribe=options.oversubscribe,
        around=around,
    )


def measure(
    case: Case,
    machine: Machine,
    benchmark: Benchmark,
    observer: Observer,
    options: Options,
    origin: CaseOrigin,
    *,
    within: float = math.inf,
) -> Record:
    """Runs one case; however it ends, the record says so. After `within` seconds it is ended and counts as skipped."""
    try:
        answers = check(case, machine)
        command = rendered(case, machine, benchmark, answers, options)
    except MissingEnvironmentError as error:
        return unmeasured(case, origin, str(error), skipped=True, missing=case.variant.environment)
    except BanzukeError as error:
        return unmeasured(case, origin, str(error), skipped=not isinstance(error, MissingLibraryError))
    limit = time_limit(case, options, options.environment(case, machine).slowness)
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
    if as_planned(benchmark, case).libraries.blas and record.software:
        choice = {"blas_choice": " ".join((machine.software.blas_choice or "unknown").split())}
        first = record.groups[0].having(software={**record.groups[0].software, **choice})
        record = record.having(groups=[first, *record.groups[1:]])
    return options.recorder.completed(record) if options.recorder else record


@contextmanager
def leaving_nothing(case: Case) -> Iterator[None]:
    """A program clears up itself where it can; after a killed one that is done here, however it ended."""
    try:
        yield
    finally:
        for folder in case.places.values():
            with suppress(BanzukeError):  # the next launch there tries again
                probe.clear(str(folder))


def judge(
    records: Sequence[Record],
    machine: Machine,
    benchmarks: Mapping[str, Benchmark],
    others: Sequence[Record] = (),
) -> tuple[tuple[Assessment, ...], tuple[Ceiling, ...]]:
    """Each case, with its launches, against the ceilings that these records measured, or `others` where they do not."""
    found, siblings = ceilings(records, machine, benchmarks, others), Siblings(records, machine)
    return tuple(
        assess_case(case.records, siblings=siblings, machine=machine, benchmarks=benchmarks, ceilings=found)
        for case in gather(records)
    ), found
