"""Preparation of a run: the machine, what is missing for its limits, and whether the request is possible."""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from banzuke.cli.console import errors, out, warn, write_json
from banzuke.cli.orders import orders_of
from banzuke.cli.partitions import check_together, found_on, hosts_of, places_of
from banzuke.cli.progress import looking
from banzuke.cli.quiet import USUAL, await_quiet
from banzuke.cli.run_options import RunOptions
from banzuke.cli.tune import with_stored
from banzuke.cli.variants import make_environments_ready
from banzuke.environment import cross_memory
from banzuke.environment.registry import kind_of
from banzuke.errors import BanzukeError
from banzuke.evaluation import examined
from banzuke.evaluation.needed import Needed, find_needed
from banzuke.evaluation.options import MissingEnvironmentError, Options
from banzuke.evaluation.prepared import Prepared
from banzuke.files import check_folder
from banzuke.files.own import for_commands
from banzuke.launch.guard import guard, measuring
from banzuke.launch.loader import loader_variables, preloaded
from banzuke.limit.ceilings import age
from banzuke.machine import mpi, user_variables
from banzuke.machine.allocation import doubts, elsewhere, nowhere
from banzuke.machine.areas import with_areas, with_described, with_folder
from banzuke.machine.described import Place, placed
from banzuke.machine.model import Machine
from banzuke.machine.partitions import joined
from banzuke.machine.probe import clock
from banzuke.plan.axes import without_effect
from banzuke.plan.benchmark import Benchmark, Case
from banzuke.plan.catalogue import find
from banzuke.plan.groups import check_groups, devices_of_groups, ranks_by_rates, read_groups
from banzuke.plan.on_devices import with_devices
from banzuke.plan.request import Request, on_one_host
from banzuke.results.store import Store
from banzuke.tuning.stored import kept
from banzuke.units import count, duration, quantity
from banzuke.words import Listed, Quantity, message
from banzuke.words.language import words

MOST_HOSTS = 4
"""Most hosts that a warning or error names."""


def needs_blas(specs: Mapping[str, Benchmark]) -> bool:
    return any(spec.libraries.blas for spec in specs.values())


def needs_mpi(specs: Mapping[str, Benchmark]) -> bool:
    """Return whether a benchmark's figures are about messages, so that it matters which MPI library sends them."""
    return any(spec.messages for spec in specs.values())


def look(specs: Mapping[str, Benchmark], options: RunOptions) -> Machine:
    """Return this machine with the chosen devices, not measured yet, as a partition of the described site.

    Raises BanzukeError.
    """
    together = bool(options.partitions)
    places = places_of(options) if together else []
    place = None if together else place_of(options.site, options.partition)
    with looking():
        machine = examined.find_machine(
            blas_path=options.blas if needs_blas(specs) else None,
            hosts=options.hosts.names if options.hosts else (),
            benchmarks=specs.values(),
        )
    tell_doubts(machine)
    if together:
        return on_partitions(places, machine, specs, options)
    names = None if options.devices is None else [name.strip() for name in options.devices.split(",")]
    machine = with_devices(machine, names)
    if driven := devices_of_groups(read_groups(options.groups)) if options.groups else []:
        machine = with_devices(machine, driven, "--groups")
    return as_described(machine, place)


def on_partitions(
    places: Sequence[Place], here: Machine, specs: Mapping[str, Benchmark], options: RunOptions
) -> Machine:
    """Return what the job has of several partitions, measured, since plans follow from their speeds. Raises
    BanzukeError.
    """
    check_together(specs.values(), options)
    parts = hosts_of(places, here, options)
    with looking() as report:
        here = examined.measured_anew(here, report)
    machines = found_on(parts, here)
    return joined([as_described(machine, place) for machine, place in zip(machines, places, strict=True)])


def tell_doubts(machine: Machine) -> None:
    """Warn if this process has less of the machine than its job."""
    for doubt in doubts(os.environ, len(machine.allotment.allowed), machine.allotment.allowed_cores):
        warn(doubt)


def place_of(site: Path | None, partition: str | None) -> Place | None:
    """Return the place that --site and --partition name. Raises BanzukeError."""
    if site:
        return Place.find(site, partition)
    if partition:
        raise BanzukeError(f"--partition {partition} belongs to no site", remedy="Add --site FILE, which describes it")
    return None


def as_described(discovered: Machine, place: Place | None) -> Machine:
    """Return this machine in its site, and warn where it contradicts the description."""
    if place is None:
        return discovered
    machine, doubts = placed(discovered, place)
    for doubt in doubts:
        warn(f"{place.file}, partition {place.key}: {doubt}. What was found is used")
    return machine


def in_areas(machine: Machine, specs: Mapping[str, Benchmark], asked: Sequence[str] | None, store: Store) -> Machine:
    """Return the machine with the storage areas to be measured: those asked for, the site's, or that of the results
    folder. Raises BanzukeError.
    """
    if not any(spec.storage for spec in specs.values()):
        if asked:
            raise BanzukeError(
                "--area has no effect",
                why=f"{' and '.join(specs)} {'use' if len(specs) > 1 else 'uses'} no storage",
                remedy="Leave it out",
            )
        return machine
    return with_areas(machine, asked) if asked else with_described(machine) or with_folder(machine, store.folder)


def tell_needed(needed: Needed) -> None:
    """Print which ceilings come from earlier runs, and which are measured first."""
    now = datetime.now(UTC)
    newest = {(record.benchmark, record.provenance.run if record.provenance else ""): record for record in needed.known}
    for (benchmark, run), record in newest.items():
        rates = find(benchmark).resources.measures[0].title
        errors.say((f"{rates}: from run {run}, {words()(age(now - record.started))}", "dim"))
    for case in needed.cases():
        took = f"about {duration(round(case.seconds))}"
        rates = find(case.benchmark).resources.measures[0].title
        errors.say(f"{rates}: no good measurement on this machine yet; measured first, {took}")


def tell_copies(planned: Sequence[Case]) -> None:
    """Warn if ranks of a host cannot copy from each other's memory and some case has several of them."""
    if any(case.per_host > 1 and kind_of(case.variant.environment).watched for case in planned) and (
        why := cross_memory.refusal()
    ):
        warn(
            f"cross-memory attach is forbidden here ({why}), so messages between ranks of a host are copied twice. "
            f"{cross_memory.REMEDY} if the machine's own figures are wanted"
        )


def tell_variables(planned: Sequence[Case]) -> None:
    """Warn of shell variables whose effect on these cases may not be the expected one."""
    first = {(case.benchmark, case.backend): case for case in reversed(planned)}
    used = [  # OMP_NUM_THREADS: batch systems set it to the cores of the job
        {number for group in case.groups for number in (group.threads, group.per_host * group.threads)}
        for case in first.values()
    ]
    bound = all(group.placement for case in planned for group in case.groups)
    for note in user_variables.remarks(os.environ, used, bound=bound):
        warn(note)


def tell_alone(specs: Mapping[str, Benchmark], request: Request) -> None:
    if alone := on_one_host(specs.values(), request):
        errors.say(f"{', '.join(alone)}: on one host each, because no case of theirs spans several")


def launching_of(options: RunOptions, store: Store) -> Options:
    """Return how cases are launched."""
    return Options(
        timeout=options.timeout,
        oversubscribe=options.oversubscribe,
        folder=for_commands(store.folder),
        dry_run=options.dry_run,
        batch=options.batch,
        orders=orders_of(options.axes),
    )


def make_ready(
    specs: Mapping[str, Benchmark],
    request: Request,
    launching: Options,
    options: RunOptions,
    store: Store,
    *,
    strict: bool = False,
    written: Sequence[Path] = (),
    seconds: float | None = None,
) -> tuple[Prepared, Needed, float]:
    """Return what is to be measured (within `seconds`, if given), the ceilings it needs, and how long this waited.

    `strict`: the cases themselves must be possible; `written`: folders to write besides the results. Raises
    BanzukeError for what is impossible, before anything is measured.
    """
    stored = not (options.tune or options.untuned)
    machine = in_areas(look(specs, options), specs, options.area, store)
    request = with_rates(specs, machine, request)
    standard = Prepared.planned(specs, machine, request)
    refuse(standard, launching, strict=strict, stored=stored)
    tell_why(specs, machine)
    prepared = standard if seconds is None else standard.fitted(seconds, options.repeat)
    waited = reserve(
        store,
        () if options.dry_run else (store.folder, *written),
        wait=0.0 if elsewhere(machine.allotment.hosts) else USUAL if options.wait is None else options.wait,
        processors=machine.allotment.allowed,
    )
    needed = find_needed(store, standard)
    machine = prepare(machine, {**needed.missing, **specs}, keep=not options.dry_run)
    prepared = prepared.on(machine, with_stored(specs, machine, options.backend) if stored else specs)
    if options.name:
        prepared = replace(prepared, machine=machine.named(options.name))
    tell_needed(needed)
    tell_copies(prepared.cases)
    tell_variables(prepared.cases)
    return prepared, needed, waited


def with_rates(specs: Mapping[str, Benchmark], machine: Machine, request: Request) -> Request:
    """Return the request with the measured rates of its groups, if a benchmark chooses their ranks by these, and print
    what it chooses.
    """
    choosing = [spec for spec in specs.values() if spec.ranks_of_groups]
    if not choosing or not request.groups or devices_of_groups(request.groups):
        return request
    check_groups(request.groups, machine)
    cpus = sorted({cpu for group in request.groups for cpu in group.cpus})
    try:
        rates = {core.cpu: core.fma_rate for core in clock(cpus).cpus}
    except BanzukeError as error:
        warn(f"the rates of the groups are not known, so that each is one rank: {error}")
        return request
    measured = tuple(sum(rates.get(cpu, 0.0) for cpu in group.cpus) for group in request.groups)
    if not all(measured):
        return request
    request = replace(request, group_rates=measured)
    for spec in choosing:
        chosen = ranks_by_rates(spec, request.groups, measured)
        sentences = [
            message("plan-ranks-of-group", ranks=ranks, group=group.name, rate=Quantity(rate, "flop/s"))
            for group, ranks, rate in zip(request.groups, chosen, measured, strict=True)
        ]
        why = message("plan-ranks-of-groups", groups=Listed(tuple(sentences)), most=max(chosen))
        errors.say(f"{spec.title}: {words()(why)}")
    return request


def tell_why(specs: Mapping[str, Benchmark], machine: Machine) -> None:
    """Print how nodes of several partitions work together, and why."""
    for spec in specs.values():
        if spec.over_partitions and len(machine.allotments) > 1:
            for reason in spec.over_partitions(machine).reasons:
                errors.say(f"{spec.title}: {words()(reason)}")


def refuse(prepared: Prepared, options: Options, *, strict: bool = False, stored: bool = False) -> None:
    """Raise BanzukeError for what is impossible, as far as an unmeasured machine shows.

    `strict`: the cases themselves must be possible. With `stored`, settings that were tuned with the fastest BLAS
    library are not checked yet, because which that is has to be measured.
    """
    machine, specs = prepared.machine, prepared.specs
    for note in without_effect(prepared.request.variants, prepared.cases, specs, machine):
        errors.say(note)
    make_environments_ready(prepared.cases, machine, options)
    if strict:
        prepared.refuse(options, lambda case: stored and kept(specs[case.benchmark], case.backend, machine))
    if not options.dry_run:  # a dry run may be for hosts that are not known here
        check_hosts([host for allotment in machine.allotments for host in allotment.hosts])


def check_hosts(hosts: Sequence[str]) -> None:
    """Raise BanzukeError if some hosts cannot be reached: their names are mistyped."""
    if missing := nowhere(hosts):
        names = list(missing)
        several = f" and {count(len(names) - 1, 'other host')}" if len(names) > 1 else ""
        raise BanzukeError(
            f"there is no host {names[0]}{several}",
            why=f"{', '.join(names[:MOST_HOSTS])}{', ...' if len(names) > MOST_HOSTS else ''}: {missing[names[0]]}",
            remedy="Name hosts of this job, or others that are known here: `getent hosts NAME` shows their addresses",
        )


def reserve(store: Store, written: Sequence[Path], *, wait: float = 0.0, processors: Sequence[int] = ()) -> float:
    """Reserve the results folder on this host until this process ends, and end what killed runs left.

    Then wait up to `wait` seconds until these processors are quiet. Return the seconds waited. Raises BanzukeError if
    one of the folders to be `written` cannot be; if there are none, nothing is reserved.
    """
    if not written:
        return 0.0
    for folder in written:
        check_folder(folder, "--results" if folder == store.folder else "")

    def waiting(process: int) -> None:
        errors.say(f"waiting for process {process}, which is measuring into {store.folder}")

    begun = time.monotonic()
    left = guard(store.folder, waiting)
    if left:
        errors.say(f"stopped {count(left, 'process')} left behind by a killed run")
    await_quiet(wait, processors)
    waited = time.monotonic() - begun
    for other in measuring():
        warn(
            f"another banzuke of {other.user} is measuring on this host (process {other.process}); "
            "each disturbs the other"
        )
    if os.geteuid() == 0 and (why := store.whose()):
        warn(f"{why}, so root neither continues runs there nor takes settings from it")
    return waited


def prepare(machine: Machine, specs: Mapping[str, Benchmark], *, keep: bool) -> Machine:
    """Return the measured machine, and print what takes a moment; `keep`: probe results may go to the user's cache."""
    for note in preloaded(loader_variables()):
        warn(note)
    several = len(machine.allotments) > 1  # these were measured when they were found
    if not several:
        with looking() as report:
            machine = examined.measure_machine(
                machine, needs_blas=needs_blas(specs), needs_mpi=needs_mpi(specs), report=report, keep=keep
            )
    hosts = machine.allotment.hosts
    if elsewhere(hosts) and not several:
        warn(
            f"{machine.name} is not one of the hosts to run on "
            f"({', '.join(hosts[:MOST_HOSTS])}{', ...' if len(hosts) > MOST_HOSTS else ''}), "
            "but its processors, memory and peaks are assumed for them. Start banzuke on one of them"
        )
    for number, line in enumerate((machine.software.blas_choice or "").splitlines()):
        errors.say((f"{'      ' if number else 'BLAS: '}{line}", "dim"))
    for number, line in enumerate(mpi.explain(machine.software.mpi_libraries).splitlines()):
        errors.say((f"{'     ' if number else 'MPI: '}{line}", "dim"))
    return machine


def print_commands(prepared: Prepared, options: Options, needed: Needed, *, repeat: int = 1, json: bool) -> None:
    """Print the commands, and the time and memory they take: each case `repeat` times, or what fits the budget."""
    largest, commands = 0.0, []
    limits, first = Prepared(prepared.machine, needed.missing), needed.cases()
    for owner, case in (*((limits, case) for case in first), *((prepared, case) for case in prepared.cases)):
        try:
            command = owner.command(case, options)
        except MissingEnvironmentError:
            continue  # this was already printed for all its cases
        except BanzukeError as error:
            errors.say(("would be skipped:", "yellow"), f" {error}")
            continue
        largest = max(largest, owner.memory(case))
        commands.append(command.text())
    budget = prepared.budget
    launches = budget.launches if budget else [repeat] * len(prepared.cases)
    seconds = sum(case.seconds for case in first)
    seconds += sum(case.seconds * count for case, count in zip(prepared.cases, launches, strict=True))
    seconds = min(seconds, budget.seconds) if budget else seconds
    if json:
        write_json({"commands": commands, "seconds": seconds, "memory": largest})
    else:
        for text in commands:
            out.say(text)
    errors.say(
        f"would take {f'about {duration(round(seconds))}' if seconds >= 1 else 'less than a second'} "
        f"and up to {quantity(largest, 'B')} of memory; nothing was run"
    )
