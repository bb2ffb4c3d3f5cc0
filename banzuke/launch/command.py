"""Renders the command of a case before anything runs: a person could type it to the same effect."""

import os
import re
import shlex
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from banzuke.cpu_lists import format_cpus, parse_cpus
from banzuke.environment import cross_memory
from banzuke.environment.model import Environment
from banzuke.environment.native import Native
from banzuke.environment.registry import kind_of
from banzuke.errors import BanzukeError
from banzuke.launch.check import memory
from banzuke.launch.given_devices import devices_of
from banzuke.launch.launcher import YIELDING, Launcher, find_launcher
from banzuke.launch.resource_managers import starts_parts_by_srun
from banzuke.launch.start import Start
from banzuke.machine.allocation import elsewhere
from banzuke.machine.blas import candidates
from banzuke.machine.blas_paths import path_of
from banzuke.machine.hosts import short
from banzuke.machine.model import Machine
from banzuke.machine.site import Blas
from banzuke.machine.user_variables import placing, removed
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.capabilities import Library
from banzuke.plan.case import Case, RankGroup
from banzuke.plan.groups import claimed_twice
from banzuke.plan.placement import Placement, near_devices, shared_processors
from banzuke.plan.variant import NODE_ORDER, Variant
from banzuke.program.describe import Answer, arguments
from banzuke.program.installed import program

_OF_A_RANK = re.compile(r"PMI_(FD|ID|JOBID|PORT|RANK|SIZE|SPAWNED)|PMIX_(NAMESPACE|RANK|SERVER_\w+)")
"""Variables that `srun` sets for Banzuke's own rank: a program started without a launcher would believe them."""


NATIVE = Native()
Ordered = Callable[[Case, Sequence[str], Answer], Sequence[str]]
"""Returns the host of each rank of a case on these hosts, given its program's answer; empty: each host has a block of
ranks.
"""


def in_blocks(_case: Case, _hosts: Sequence[str], _answer: Answer) -> Sequence[str]:
    return ()


def inherited() -> dict[str, str]:
    """Return our own environment as a program that we start may have it."""
    return {name: value for name, value in os.environ.items() if not _OF_A_RANK.fullmatch(name)}


@dataclass(frozen=True)
class Command:
    words: list[str]
    variables: Mapping[str, str]
    """Set for the run; an empty value removes the variable."""
    files: Mapping[Path, str] = field(default_factory=dict)
    """Contents of files that must exist before it starts."""
    placements: Sequence[Placement | None] = ()
    """Placements of the case's groups, with processors numbered as in its environment."""
    cores: Sequence[int] = ()
    """Processors that the case keeps to, as its environment numbers them; empty: any."""
    devices: Sequence[Sequence[Sequence[str]]] = ()
    """Identities of the devices of each group's ranks on a host."""
    details: Mapping[str, str] = field(default_factory=dict)
    """Facts about its environment, for the record."""
    watched: bool = True
    """Whether the processes that it reports belong to this kernel."""
    order: Sequence[str] = ()
    """Host of each rank; empty: each host has a block of ranks."""
    small_shm: str = ""
    """Variables with which the MPI library of several ranks needs less of /dev/shm."""

    def text(self) -> str:
        """Return the command as a person types it, variables in front."""
        assigned = [f"{name}={shlex.quote(value)}" for name, value in self.variables.items() if value != ""]
        removed = [word for name, value in self.variables.items() if value == "" for word in ("-u", name)]
        return " ".join([*(["env", *removed] if removed else []), *assigned, shlex.join(self.words)])

    def environment(self) -> dict[str, str]:
        """Return the whole environment of the process."""
        merged = {**inherited(), **self.variables}
        return {name: value for name, value in merged.items() if self.variables.get(name) != ""}


def render(
    case: Case,
    machine: Machine,
    benchmark: Benchmark,
    answers: Sequence[Answer],
    *,
    limit: float,
    folder: Path,
    oversubscribe: bool = False,
    around: Environment = NATIVE,
    followed: bool = True,
    ordered: Ordered = in_blocks,
) -> Command:
    """Return the command of `case`, whose ranks say after `limit` seconds what they are doing; it reads files in
    `folder`.

    `answers`: those of each group's program; `followed`: programs report their progress; `ordered`: returns the host of
    each rank where the order is not the scheduler's. Raises BanzukeError when there are too few processors or hosts, or
    no launcher.
    """
    kind = kind_of(case.variant.environment)
    away = any(elsewhere(group.given(machine).allotment.hosts) for group in case.groups)
    if kind.one_host:
        _check_here(case, away=away)
    variant = case.variant
    machine = machine.keeping_to(variant.cores).driving(variant.device)
    launcher = _launcher(case, machine, answers) if case.ranks > 1 or away else None
    added = {**launcher.variables, **(YIELDING if oversubscribe else {})} if launcher else {}
    forbidden = cross_memory.refusal() if case.per_host > 1 and kind.watched and not away else ""
    around_it = _unvaried(cross_memory.variables(), variant) if forbidden else {}
    added |= around_it
    bindings = _bindings(case, machine, oversubscribe=oversubscribe)
    starts: list[Start] = []
    devices = devices_of(case, machine)
    order: Sequence[str] = ()
    for group, places, driven in zip(case.groups, bindings, devices, strict=True):
        words = [str(program(case.benchmark, group.backend, case.variant.build)), *arguments(case.call)]
        if places:
            words += ["--binding", "|".join(",".join(str(around.cpu(cpu)) for cpu in cpus) for cpus in places)]
        words += ["--devices", "|".join(",".join(names) for names in driven)] if driven else []
        words += ["--memory-policy", variant.memory] if variant.memory else []
        words += ["--pages", variant.pages] if variant.pages else []
        words += ["--shares", variant.shares] if variant.shares != "equal" else []
        words += ["--progress"] if followed else []
        words += ["--time-limit", f"{limit:g}"]
        variables = _with_users(_variables(group, group.given(machine), benchmark, variant.library), added, variant)
        hosts = _hosts(group, group.given(machine)) if launcher else []
        words = around.inner(words, variables | added)
        order = ordered(case, hosts, answers[0]) if variant.rank_order != NODE_ORDER else ()
        starts.append(Start(words, group.ranks, hosts, group.per_host, variables, order))
    shared, starts = _apart(starts)
    variables = {**shared, **added}
    files: Mapping[Path, str] = {}
    words = list(starts[0].words)
    if launcher:
        words, files = launcher.render(
            starts,
            [*(name for name, value in shared.items() if value != ""), *around_it],
            folder,
            shlex.split(variant.launcher),
        )
    return Command(
        around.outer(words, variables, memory(case, answers)),
        variables,
        files,
        placements=[_numbered(group.placement, around) for group in case.groups],
        cores=[around.cpu(cpu) for cpu in parse_cpus(variant.cores)],
        devices=devices,
        details={
            **around.details,
            **({"warning": around.warning} if around.warning else {}),
            **({cross_memory.REFUSED: forbidden} if forbidden else {}),
        },
        watched=kind.watched,
        order=order,
        small_shm=launcher.small_shm if launcher else "",
    )


def _check_here(case: Case, *, away: bool) -> None:
    """Raise BanzukeError if a case in an environment of this host needs other hosts; `away`: it is on none of its."""
    if case.nodes > 1:
        raise BanzukeError(
            f"{case.nodes} hosts cannot run in the environment {case.variant.environment}",
            why="it is set up only on this host",
            remedy="Prepare each host in the job's prologue, with `banzuke isolate --apply`, and run natively",
        )
    if away:
        raise BanzukeError(
            f"other hosts cannot run in the environment {case.variant.environment}",
            why="it is set up only on this host, which is not one of them",
            remedy="Start banzuke on one of them",
        )


def _launcher(case: Case, machine: Machine, answers: Sequence[Answer]) -> Launcher:
    """Return the partition's launcher for the MPI library for which all programs of the case are built. Raises
    BanzukeError.
    """
    named = case.groups[0].given(machine).partition.launcher or ""
    if len(machine.allotments) > 1 and starts_parts_by_srun(os.environ):
        named = named if named.startswith("srun") else "srun"
    launchers = {launcher.mpi: launcher for launcher in (find_launcher(answer.mpi, named) for answer in answers)}
    if len(launchers) > 1:
        programs = " and ".join(f"{case.benchmark}-{group.backend}" for group in case.groups)
        raise BanzukeError(
            f"{programs} cannot run together",
            why=f"they are built for different MPI libraries, with the launchers {' and '.join(map(str, launchers))}",
        )
    return next(iter(launchers.values()))


def _variables(group: RankGroup, machine: Machine, benchmark: Benchmark, library: str) -> dict[str, str]:
    """Return a group's own variables; `library`: one that the user named, or empty."""
    variables = {"OMP_NUM_THREADS": str(group.threads)}
    if group.devices and benchmark.devices:
        loaded = benchmark.devices.libraries.get(group.backend)
        if loaded and (loaded.name == library or library_path(loaded)):
            variables |= library_variables(loaded)
        return variables
    if benchmark.libraries.blas:
        variables |= blas_variables([blas for blas in machine.software.blas if library in ("", blas.name)])
    if called := benchmark.libraries.by_backend.get(group.backend):
        variables |= library_variables(called)
    return variables


def _with_users(own: Mapping[str, str], launchers: Mapping[str, str], variant: Variant) -> dict[str, str]:
    """Return a group's variables with those of the variant. Raises BanzukeError for one that the launch itself sets."""
    for name, _ in variant.variables:
        if value := {**own, **launchers}.get(name):
            raise BanzukeError(f"--env {name} cannot be varied", why=f"the launch itself sets {name}={value}")
    return {**dict.fromkeys(removed(os.environ), ""), **own, **dict(variant.variables)}


def _unvaried(variables: Mapping[str, str], variant: Variant) -> dict[str, str]:
    """Return the variables that the variant does not set itself."""
    return {name: value for name, value in variables.items() if name not in dict(variant.variables)}


def _apart(starts: Sequence[Start]) -> tuple[dict[str, str], list[Start]]:
    """Return the variables that are the same in all groups or removed by one, and the groups with only their others."""
    pairs = [set(start.variables.items()) for start in starts]
    removed = {(name, value) for variables in pairs for name, value in variables if value == ""}
    alike = set.intersection(*pairs) | removed
    shared = {name: value for start in starts for name, value in start.variables.items() if (name, value) in alike}
    own = [{name: value for name, value in start.variables.items() if (name, value) not in alike} for start in starts]
    return shared, [replace(start, variables=variables) for start, variables in zip(starts, own, strict=True)]


def _numbered(placement: Placement | None, around: Environment) -> Placement | None:
    """Return the placement with processors numbered as in the environment."""
    if placement is None:
        return None
    return replace(placement, cpus=tuple(tuple(around.cpu(cpu) for cpu in cpus) for cpus in placement.cpus))


def _bindings(case: Case, machine: Machine, *, oversubscribe: bool) -> Sequence[Sequence[Sequence[int]]]:
    """Return the processors of each group's ranks on a host; none: the user's own settings or the kernel place the
    threads.

    Raises BanzukeError when there are too few, or groups would share one.
    """
    own = placing(os.environ)
    free = oversubscribe or bool(own)
    if free and case.variant.cores:
        raise BanzukeError(
            f"--cores {case.variant.cores} binds every thread to a processor of its own",
            why=f"{own} places the threads" if own else "--oversubscribe lets them share processors",
            remedy=f"Unset {own}" if own else "Leave one of them out",
        )
    chosen = {
        partition: iter(_side_by_side(together, together[0].given(machine), free=free))
        for partition, together in case.by_partition.items()
    }
    return [next(chosen[group.partition]) for group in case.groups]


def _side_by_side(groups: Sequence[RankGroup], machine: Machine, *, free: bool) -> Sequence[Sequence[Sequence[int]]]:
    """Return the bindings of groups on the same hosts; `free`: only those with a placement are bound."""
    spread = [group for group in groups if group.placement is None]
    shapes = [(group.ranks, group.threads) for group in spread]
    near = near_devices(machine, spread[0].ranks, spread[0].threads, spread[0].devices) if len(spread) == 1 else None
    chosen = iter([()] * len(spread) if free else [near] if near else shared_processors(machine, shapes))
    bindings = [group.placement.cpus if group.placement else next(chosen) for group in groups]
    for driving in (False, True):  # a processor may compute and drive a device, for which none is reserved then
        owners = [
            {cpu for cpus in places for cpu in cpus}
            for group, places in zip(groups, bindings, strict=True)
            if bool(group.placement and group.devices) == driving
        ]
        if shared := claimed_twice(owners):
            raise BanzukeError(f"groups of the case would share the processors {format_cpus(shared)}")
    return bindings


def _hosts(group: RankGroup, machine: Machine) -> list[str]:
    """Return the hosts of the group's ranks, from those that may be used; empty: only this host is known."""
    wanted = group.placement.nodes if group.placement else 1
    if wanted > max(1, len(machine.allotment.hosts)):
        raise BanzukeError(
            f"{wanted} hosts are needed",
            why=f"{len(machine.allotment.hosts) or 'only this one'} may be used",
            remedy="Name them with --hosts, or request more from the batch system",
        )
    here = short(socket.gethostname())
    return sorted(machine.allotment.hosts, key=lambda host: short(host) != here)[:wanted]


def blas_variables(libraries: list[Blas]) -> dict[str, str]:
    """Return variables that make a program use the first library that works. Raises BanzukeError when none does."""
    usable = [blas for blas in libraries if blas.problem is None]
    if not usable:
        problems = "; ".join(f"{blas.path}: {blas.problem}" for blas in libraries)
        raise BanzukeError(
            "no working BLAS library was found",
            why=problems or "none was found",
            remedy="`pip install scipy-openblas32` into the environment, or name one with --blas PATH",
        )
    return {"BANZUKE_BLAS": usable[0].path, **dict.fromkeys(usable[0].unset, "")}


class MissingLibraryError(BanzukeError):
    """The error for a library that a case needs and that is not installed."""


def library_variables(library: Library) -> dict[str, str]:
    """Return the variable that names the library. Raises MissingLibraryError when there is none."""
    path = library_path(library)
    if path is None:
        raise MissingLibraryError(
            f"{library.name} was not found here",
            remedy=f"{library.install}, load its module, or set {library.variable} to the path of the library",
        )
    return {library.variable: path}


@cache
def library_path(library: Library) -> str | None:
    """Return the path of the library that the user named, or else of an installed one; None: there is none."""
    if named := os.environ.get(library.variable):
        return named
    if library.files:
        return path_of(library.files)
    return next((candidate.path for candidate in candidates() if candidate.name == library.name), None)
