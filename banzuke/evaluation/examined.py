"""Examines this machine: what it is, how fast its clocks are, and which of its BLAS and MPI libraries is fastest."""

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from banzuke.errors import BanzukeError
from banzuke.evaluation import messages
from banzuke.files import read_whole, whose, write_whole
from banzuke.files.own import cache_path
from banzuke.launch.command import library_path
from banzuke.launch.conditions import between, snapshot
from banzuke.machine import blas
from banzuke.machine.discover import discover, measured, with_blas
from banzuke.machine.model import Machine
from banzuke.machine.site import Blas, Mpi
from banzuke.plan.benchmark import Benchmark
from banzuke.units import percent

QUIET = 0.1
"""Largest share of the processors' time used by others with which a probe is kept; ranking needs quiet."""


def find_machine(*, blas_path: str | None, hosts: Sequence[str] = (), benchmarks: Iterable[Benchmark] = ()) -> Machine:
    """Return this machine, not yet measured; if the user names a BLAS library, it has only that one.

    `hosts` replace those of the allocation. The libraries with which benchmarks compare themselves are included. Raises
    BanzukeError if there is no such BLAS library.
    """
    machine = discover(measure=False, hosts=hosts)
    compared = [spec for spec in benchmarks if spec.libraries.compared]
    every = [spec.libraries.by_backend for spec in compared]
    every += [spec.devices.selectable for spec in compared if spec.devices]
    paths = {library.name: library_path(library) for libraries in every for library in libraries.values()}
    update: dict[str, Any] = {"libraries": {name: path for name, path in paths.items() if path}}
    if blas_path:
        update["blas"] = blas.candidates(blas_path)[:1]
    return machine.changed(partition={"software": machine.software.having(**update)})


def measure_machine(
    machine: Machine,
    *,
    needs_blas: bool,
    needs_mpi: bool = False,
    report: Callable[[int, int], None],
    keep: bool,
) -> Machine:
    """Return the machine with its clocks, and its BLAS and MPI libraries probed if a benchmark needs them; `report`:
    their progress. A single MPI library is not probed, as there is nothing to compare it with.

    `keep`: store what was probed in the user's cache for later runs.
    """
    machine = measured(machine)
    if needs_blas:
        machine = _with_probed(machine, *_probed(machine, machine.software.blas, report, keep=keep))
    libraries = messages.libraries() if needs_mpi else []
    return with_mpi(machine, _probed_mpi(machine, libraries, report, keep=keep)) if len(libraries) > 1 else machine


def with_mpi(machine: Machine, libraries: list[Mpi]) -> Machine:
    """Return the machine with these MPI libraries."""
    return machine.changed(partition={"software": machine.software.having(mpi_libraries=libraries)})


def measured_anew(machine: Machine, report: Callable[[int, int], None]) -> Machine:
    """Return the machine with its clocks and probed BLAS libraries as they are now, so that the rates of several nodes
    compare: what an earlier run stored may be of a node of the same kind that had more processor time.
    """
    machine = measured(machine)
    return _with_probed(machine, *probe_libraries(machine, machine.software.blas, report))


def _with_probed(machine: Machine, probed: list[Blas], busy: float) -> Machine:
    """Return the machine with these libraries, and why the first is the fastest. `busy`: see `doubts_of_order`."""
    return with_blas(machine, probed, "\n".join([blas.explain(probed), *doubts_of_order(busy)]))


def doubts_of_order(busy: float) -> list[str]:
    """Return a warning about a ranking of libraries during which others used this share of the processors."""
    if busy < QUIET:
        return []
    return [f"Other processes used {percent(busy)} of the processors meanwhile: the order may be wrong."]


def probe_libraries(
    machine: Machine, libraries: Sequence[Blas], report: Callable[[int, int], None]
) -> tuple[list[Blas], float]:
    """Return the probed libraries and the share of the processors that others took meanwhile."""
    before = snapshot()
    probed = blas.probe(libraries, machine.allotment.one_per_core, report=report)
    return probed, between(before, snapshot()).get("other_busy_fraction", 0.0)


def probe_mpi(
    machine: Machine, libraries: Sequence[Mpi], report: Callable[[int, int], None]
) -> tuple[list[Mpi], float]:
    """Return the probed MPI libraries and the share of the processors that others took meanwhile."""
    before = snapshot()
    probed = messages.probe_messages(machine, libraries, report)
    return probed, between(before, snapshot()).get("other_busy_fraction", 0.0)


def _probed(
    machine: Machine, libraries: list[Blas], report: Callable[[int, int], None], *, keep: bool
) -> tuple[list[Blas], float]:
    """Return what `probe_libraries` does, or what an earlier run here stored, if nothing has changed since."""
    steering = {name: os.environ[name] for library in libraries for name in blas.steering(library.name, os.environ)}
    digest = _digest(machine, list(Blas.model_fields), [library.path for library in libraries], steering)
    return _stored(
        f"blas-{digest}.json",
        TypeAdapter(list[Blas]),
        lambda: probe_libraries(machine, libraries, report),
        lambda probed: keep and bool(probed and probed[0].flop_rate),
    )


def _probed_mpi(machine: Machine, libraries: list[Mpi], report: Callable[[int, int], None], *, keep: bool) -> list[Mpi]:
    """Return what `probe_mpi` does, or what an earlier run here stored, if nothing has changed since."""
    settings = {name: value for name, value in sorted(os.environ.items()) if _OF_MPI.match(name)}
    files = [path for library in libraries for path in (library.path, library.launcher)]
    builds = {library.path: " ".join(library.builds) for library in libraries}
    probed, _ = _stored(
        f"mpi-{_digest(machine, list(Mpi.model_fields), files, settings | builds)}.json",
        TypeAdapter(list[Mpi]),
        lambda: probe_mpi(machine, libraries, report),
        lambda probed: keep and any(library.latency for library in probed),
    )
    return probed


_OF_MPI = re.compile("MPI(R|CH|EXEC)?_|I_MPI_|OMPI_|PRTE_|UCX_|FI_|HYDRA_")
"""Variables by which a user steers an MPI library."""
_T = TypeVar("_T")


def _stored(
    name: str, adapter: TypeAdapter[_T], probe: Callable[[], tuple[_T, float]], keep: Callable[[_T], bool]
) -> tuple[_T, float]:
    """Return what the user's cache holds under this name, else what `probe` returns: values, and the share of the
    processors that others took meanwhile. It is stored if that was little and `keep` wants it.
    """
    try:
        file: Path | None = cache_path() / name
    except BanzukeError:
        file = None
    if file and not whose(file):
        with suppress(BanzukeError, ValidationError):
            return adapter.validate_json(read_whole(file)), 0.0
    probed, busy = probe()
    if file and busy < QUIET and keep(probed):
        with suppress(BanzukeError):  # no space for it
            write_whole(file, adapter.dump_json(probed, indent=1) + b"\n")
    return probed, busy


def _digest(machine: Machine, fields: Sequence[str], files: Sequence[str], settings: Mapping[str, str]) -> str:
    """Return a digest of what a probe depends on; `fields`: another version may have stored fewer."""

    def stamp(path: str) -> tuple[str, float]:
        try:
            return path, Path(path).stat().st_mtime
        except OSError:
            return path, 0.0

    parts = [fields, machine.fingerprint, machine.allotment.one_per_core, [stamp(path) for path in files], settings]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:12]
