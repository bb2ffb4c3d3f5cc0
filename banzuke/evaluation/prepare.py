"""Prepares a call, step by step: the machine, the cases, what limits their figures, and refusals before anything is
measured.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from banzuke.errors import BanzukeError
from banzuke.evaluation import examined, stored
from banzuke.evaluation.listener import RunListener
from banzuke.evaluation.look import Where, in_areas, look, looking, needs_blas, needs_mpi
from banzuke.evaluation.needed import Needed, find_needed
from banzuke.evaluation.options import MissingEnvironmentError, Options
from banzuke.evaluation.prepared import Prepared
from banzuke.evaluation.reserve import USUAL, reserve
from banzuke.evaluation.stored import kept
from banzuke.evaluation.tell import tell_copies, tell_needed, tell_variables, tell_why
from banzuke.launch.loader import loader_variables, preloaded
from banzuke.machine import mpi
from banzuke.machine.allocation import elsewhere, nowhere
from banzuke.machine.model import Machine
from banzuke.machine.probe import clock
from banzuke.plan.axes import without_effect
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.case import Case
from banzuke.plan.groups import check_groups, devices_of_groups, ranks_by_rates
from banzuke.plan.request import Request
from banzuke.results.store import Store
from banzuke.units import count
from banzuke.words import Listed, Quantity, message
from banzuke.words.language import words

MOST_HOSTS = 4
"""Most hosts that a warning or error names."""


@dataclass(frozen=True, kw_only=True)
class Call:
    """What a command asks of an evaluation."""

    specs: Mapping[str, Benchmark]
    request: Request
    where: Where
    launching: Options
    store: Store
    strict: bool = False
    """Whether the cases themselves must be possible."""
    tuned: bool = True
    """Whether settings that `--tune` found earlier are applied."""
    written: Sequence[Path] = ()
    """Folders to write besides the results."""
    wait: float | None = None
    """Seconds to wait for quiet; None: the usual ones."""
    seconds: float | None = None
    """Time for all measurements; None: there is no budget."""
    repeat: int | None = None
    """Launches of every case within that time."""


@dataclass(frozen=True)
class Ready:
    """What is measured."""

    prepared: Prepared
    needed: Needed
    waited: float
    """Seconds that were waited for others."""


def prepare(call: Call, listener: RunListener) -> Ready:
    """Take the steps before the first launch. Raises BanzukeError for what is impossible, before anything is
    measured.
    """
    specs, dry_run = call.specs, call.launching.dry_run
    machine = in_areas(look(specs, call.where, listener), specs, call.where.areas, call.store)
    request = with_rates(specs, machine, call.request, listener)
    standard = Prepared.planned(specs, machine, request)
    refuse(standard, call, listener)
    tell_why(specs, machine, standard.cases, listener)
    prepared = standard if call.seconds is None else standard.fitted(call.seconds, call.repeat)
    waited = reserve(
        call.store,
        () if dry_run else (call.store.folder, *call.written),
        listener,
        wait=0.0 if elsewhere(machine.allotment.hosts) else USUAL if call.wait is None else call.wait,
        processors=machine.allotment.allowed,
    )
    needed = find_needed(call.store, standard)
    machine = measure_here(machine, {**needed.missing, **specs}, listener, keep=not dry_run)
    settled = with_stored(specs, machine, listener, request.backend) if call.tuned else specs
    prepared = prepared.on(machine, settled)
    if call.where.name:
        prepared = replace(prepared, machine=machine.named(call.where.name))
    tell_needed(needed, listener)
    tell_copies(prepared.cases, listener)
    tell_variables(prepared.cases, listener)
    return Ready(prepared, needed, waited)


def with_rates(specs: Mapping[str, Benchmark], machine: Machine, request: Request, listener: RunListener) -> Request:
    """Return the request with the measured rates of its groups, if a benchmark chooses their ranks by these, and tell
    what it chooses.
    """
    for spec in specs.values():
        if request.groups and spec.over_partitions and not spec.ranks_of_groups:
            parts = Listed(tuple(group.name for group in request.groups))
            listener.say(f"{spec.title}: {words()(message('plan-rank-on-each', where='groups', parts=parts))}")
    choosing = [spec for spec in specs.values() if spec.ranks_of_groups]
    if not choosing or not request.groups or devices_of_groups(request.groups):
        return request
    check_groups(request.groups, machine)
    cpus = sorted({cpu for group in request.groups for cpu in group.cpus})
    try:
        rates = {core.cpu: core.fma_rate for core in clock(cpus).cpus}
    except BanzukeError as error:
        listener.warn(f"the rates of the groups are not known, so that each is one rank: {error}")
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
        listener.say(f"{spec.title}: {words()(why)}")
    return request


def refuse(prepared: Prepared, call: Call, listener: RunListener) -> None:
    """Raise BanzukeError for what is impossible, as far as an unmeasured machine shows.

    If tuned settings are applied, those tuned with the fastest BLAS library are not checked yet, because which that is
    has to be measured.
    """
    machine, specs, options = prepared.machine, prepared.specs, call.launching
    for note in without_effect(prepared.request.variants, prepared.cases, specs, machine):
        listener.say(note)
    make_environments_ready(prepared.cases, machine, options, listener)
    if call.strict:
        prepared.refuse(options, lambda case: call.tuned and kept(specs[case.benchmark], case.backend, machine))
    if not options.dry_run:  # a dry run may be for hosts that are not known here
        check_hosts([host for allotment in machine.allotments for host in allotment.hosts])


def make_environments_ready(planned: Sequence[Case], machine: Machine, options: Options, listener: RunListener) -> None:
    """Make every environment of the cases ready, and warn of effects on times and of missing environments.

    Raises BanzukeError if all are missing.
    """
    missing: dict[str, MissingEnvironmentError] = {}
    cases = {case.variant.environment: case for case in planned}
    for name, case in cases.items():
        with listener.busy(f"making the environment {name} ready ..."):
            try:
                environment = options.environment(case, machine)
            except MissingEnvironmentError as error:
                missing[name] = error
                continue
        if environment.warning:
            listener.warn(f"{name}: {environment.warning}")
    if missing and len(missing) == len(cases):
        raise next(iter(missing.values()))
    for name, why in missing.items():
        listener.warn(f"{name} is skipped: {why}")


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


def with_stored(
    specs: Mapping[str, Benchmark], machine: Machine, listener: RunListener, backend: str | None = None
) -> dict[str, Benchmark]:
    """Return the benchmarks with settings tuned on this machine as defaults; tell these, and of broken files."""
    tuned: dict[str, Benchmark] = {}
    for name, spec in specs.items():
        try:
            settings = stored.load(spec, backend or spec.default_backend, machine)
        except BanzukeError as error:
            listener.say(("ignored:", "yellow"), f" {error}")
            settings = None
        if settings:
            text = f"{name}: tuned on {settings.date:%Y-%m-%d}: {settings.text()} (--untuned ignores it)"
            listener.say((text, "dim"))
        tuned[name] = stored.applied(spec, settings) if settings else spec
    return tuned


def measure_here(machine: Machine, specs: Mapping[str, Benchmark], listener: RunListener, *, keep: bool) -> Machine:
    """Return the measured machine, and tell what takes a moment; `keep`: probe results may go to the user's cache."""
    for note in preloaded(loader_variables()):
        listener.warn(note)
    several = len(machine.allotments) > 1  # these were measured when they were found
    if not several:
        with looking(listener) as report:
            machine = examined.measure_machine(
                machine, needs_blas=needs_blas(specs), needs_mpi=needs_mpi(specs), report=report, keep=keep
            )
    hosts = machine.allotment.hosts
    if elsewhere(hosts) and not several:
        listener.warn(
            f"{machine.name} is not one of the hosts to run on "
            f"({', '.join(hosts[:MOST_HOSTS])}{', ...' if len(hosts) > MOST_HOSTS else ''}), "
            "but its processors, memory and peaks are assumed for them. Start banzuke on one of them"
        )
    for number, line in enumerate((machine.software.blas_choice or "").splitlines()):
        listener.say((f"{'      ' if number else 'BLAS: '}{line}", "dim"))
    for number, line in enumerate(mpi.explain(machine.software.mpi_libraries).splitlines()):
        listener.say((f"{'     ' if number else 'MPI: '}{line}", "dim"))
    return machine
