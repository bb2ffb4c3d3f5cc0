"""Finds the machine that a command names: its hosts, devices, partitions and storage areas, not measured yet."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from banzuke.errors import BanzukeError
from banzuke.evaluation import examined
from banzuke.evaluation.listener import RunListener
from banzuke.evaluation.partitions import found_on, hosts_of, places_of
from banzuke.machine.allocation import doubts
from banzuke.machine.areas import with_areas, with_described, with_folder
from banzuke.machine.described import Place, placed
from banzuke.machine.model import Machine
from banzuke.machine.partitions import joined
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.groups import Groups, devices_of_groups
from banzuke.plan.on_devices import with_devices
from banzuke.results.store import Store
from banzuke.units import duration

SECONDS_PER_PROBE = 0.6


@dataclass(frozen=True, kw_only=True)
class Where:
    """Where a command measures; empty and None: everywhere that this job may."""

    site: Path | None = None
    """File that describes the site."""
    partition: str | None = None
    together: tuple[str, ...] = ()
    """Names of several partitions that work together."""
    counts: tuple[int, ...] = ()
    """Number of nodes of each of these."""
    hosts: Sequence[str] = ()
    devices: str | None = None
    groups: Groups = ()
    blas: str | None = None
    areas: Sequence[str] | None = None
    name: str | None = None
    """Name of the machine in the report."""


def look(specs: Mapping[str, Benchmark], where: Where, listener: RunListener) -> Machine:
    """Return this machine with the chosen devices, not measured yet, as a partition of the described site.

    Raises BanzukeError.
    """
    places = places_of(where.site, where.together) if where.together else []
    place = None if where.together else place_of(where.site, where.partition)
    with looking(listener):
        machine = examined.find_machine(
            blas_path=where.blas if needs_blas(specs) else None, hosts=where.hosts, benchmarks=specs.values()
        )
    tell_doubts(machine, listener)
    if places:
        return _on_partitions(places, machine, where, listener)
    names = None if where.devices is None else [name.strip() for name in where.devices.split(",")]
    machine = with_devices(machine, names)
    if driven := devices_of_groups(where.groups):
        machine = with_devices(machine, driven, "--groups")
    return as_described(machine, place, listener)


def needs_blas(specs: Mapping[str, Benchmark]) -> bool:
    return any(spec.libraries.blas for spec in specs.values())


def needs_mpi(specs: Mapping[str, Benchmark]) -> bool:
    """Return whether a benchmark's figures are about messages, so that it matters which MPI library sends them."""
    return any(spec.messages for spec in specs.values())


@contextmanager
def looking(listener: RunListener) -> Iterator[Callable[[int, int], None]]:
    """Show that the machine is being examined; the yielded function shows how many libraries are left to probe."""
    with listener.busy("examining the machine ...") as say:

        def report(done: int, total: int) -> None:
            left = duration(round((total - done) * SECONDS_PER_PROBE))
            say(f"probing libraries: {done + 1} of {total}, about {left} left")

        yield report


def _on_partitions(places: Sequence[Place], here: Machine, where: Where, listener: RunListener) -> Machine:
    """Return what the job has of several partitions, measured, since plans follow from their speeds. Raises
    BanzukeError.
    """
    parts = hosts_of(places, here, where.hosts, where.counts)
    with looking(listener) as report:
        here = examined.measured_anew(here, report)
    machines = found_on(parts, here, listener)
    return joined([as_described(machine, place, listener) for machine, place in zip(machines, places, strict=True)])


def tell_doubts(machine: Machine, listener: RunListener) -> None:
    """Warn if this process has less of the machine than its job."""
    for doubt in doubts(os.environ, len(machine.allotment.allowed), machine.allotment.allowed_cores):
        listener.warn(doubt)


def place_of(site: Path | None, partition: str | None) -> Place | None:
    """Return the place that --site and --partition name. Raises BanzukeError."""
    if site:
        return Place.find(site, partition)
    if partition:
        raise BanzukeError(f"--partition {partition} belongs to no site", remedy="Add --site FILE, which describes it")
    return None


def as_described(discovered: Machine, place: Place | None, listener: RunListener) -> Machine:
    """Return this machine in its site, and warn where it contradicts the description."""
    if place is None:
        return discovered
    machine, contradictions = placed(discovered, place)
    for contradiction in contradictions:
        listener.warn(f"{place.file}, partition {place.key}: {contradiction}. What was found is used")
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
