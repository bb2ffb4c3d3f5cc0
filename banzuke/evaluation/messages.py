"""Probes the MPI libraries of this machine: how fast each is between processors of one host."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from banzuke.environment import cross_memory
from banzuke.errors import BanzukeError
from banzuke.launch import shared_memory
from banzuke.launch.command import inherited
from banzuke.launch.launcher import launcher_of
from banzuke.launch.start import Start
from banzuke.machine import mpi, probe
from banzuke.machine.allocation import elsewhere
from banzuke.machine.model import Machine
from banzuke.machine.site import Mpi
from banzuke.paths import executables
from banzuke.program.describe import of_build
from banzuke.program.installed import builds

ROUNDS = 2
SECONDS = 60.0
"""Seconds that a start of all ranks may take."""


def libraries() -> list[Mpi]:
    """Return the MPI libraries of this machine, not yet probed, with the builds whose programs load each; none if the
    program that probes them is not installed.
    """
    if not (executables() / probe.MESSAGES).is_file():
        return []
    files: dict[str, str] = {}
    for build in builds():
        with suppress(BanzukeError):  # its programs cannot be started, which the runs say
            file = next((name for name in of_build(build).mpi.split() if Path(name).is_file()), None)
            files |= {build: file} if file else {}
    return mpi.candidates(files)


def probe_messages(
    machine: Machine, every: Sequence[Mpi], report: Callable[[int, int], None] = lambda _done, _total: None
) -> list[Mpi]:
    """Return the libraries with the best of their figures, between the first two cores and over all; nothing is
    measured on one core.
    """
    cpus = machine.allotment.one_per_core
    if len(cpus) < 2:
        return [library.having(problem="one core sends no messages") for library in every]
    hosts = [host for host in machine.allotment.hosts if not elsewhere([host])][:1]
    if machine.allotment.hosts and not hosts:
        return [library.having(problem="the job's hosts are others") for library in every]
    total = ROUNDS * len(every)
    rounds: list[list[Mpi]] = [[] for _ in every]
    for number in range(total):  # in rounds, so that a disturbance does not affect one library alone
        report(number, total)
        place = number % len(every)
        rounds[place].append(_probed(every[place], cpus, hosts))
    return [_best(probed) for probed in rounds]


def _probed(library: Mpi, cpus: Sequence[int], hosts: Sequence[str]) -> Mpi:
    """Return the library as probed with a rank on each of `cpus`; `hosts`: this host by its name in the job."""
    words = [str(executables() / probe.MESSAGES), library.path, ",".join(map(str, cpus))]
    try:
        launcher = launcher_of(Path(library.launcher))
        command, _ = launcher.render([Start(words, len(cpus), hosts, len(cpus), {})], (), Path())
        around_it = cross_memory.variables() if cross_memory.refusal() else {}
        answer = probe.messages(command, {**inherited(), **around_it, **launcher.variables}, SECONDS)
    except BanzukeError as error:
        return library.having(problem="; ".join(filter(None, [str(error), shared_memory.room(len(cpus))])))
    figures = answer.model_dump(include={"version", "ranks", "latency", "bandwidth", "allreduce"})
    return library.having(problem=None, **figures)


def _best(probed: Sequence[Mpi]) -> Mpi:
    """Return the library with the best of each figure of several probes; unusable if one of them failed."""
    failed = next((library for library in probed if library.problem), None)
    if failed:
        return failed
    figures = {name: getattr(mpi.fastest(probed, name), name, None) for name in ("latency", "bandwidth", "allreduce")}
    return probed[0].having(**figures)
