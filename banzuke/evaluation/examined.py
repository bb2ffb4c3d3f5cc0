"""Examines this machine: what it is, how fast its clocks are, and which of its BLAS libraries is the fastest."""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from banzuke.errors import BanzukeError
from banzuke.files import read_whole, whose, write_whole
from banzuke.files.own import cache_path
from banzuke.launch.command import library_path
from banzuke.launch.conditions import between, snapshot
from banzuke.machine import blas
from banzuke.machine.discover import discover, measured, with_blas
from banzuke.machine.model import Machine
from banzuke.machine.site import Blas
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


def measure_machine(machine: Machine, *, needs_blas: bool, report: Callable[[int, int], None], keep: bool) -> Machine:
    """Return the machine with its clocks, and its BLAS libraries probed if a benchmark needs one; `report`: their
    progress.

    `keep`: store what was probed in the user's cache for later runs.
    """
    machine = measured(machine)
    if not needs_blas:
        return machine
    return _with_probed(machine, *_probed(machine, machine.software.blas, report, keep=keep))


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


def _probed(
    machine: Machine, libraries: list[Blas], report: Callable[[int, int], None], *, keep: bool
) -> tuple[list[Blas], float]:
    """Return what `probe_libraries` does, or what an earlier run here stored, if nothing has changed since."""
    adapter = TypeAdapter(list[Blas])
    try:
        file: Path | None = cache_path() / f"blas-{_digest(machine, libraries)}.json"
    except BanzukeError:
        file = None
    if file and not whose(file):
        with suppress(BanzukeError, ValidationError):
            return adapter.validate_json(read_whole(file)), 0.0
    probed, busy = probe_libraries(machine, libraries, report)
    if file and keep and busy < QUIET and probed and probed[0].flop_rate:
        with suppress(BanzukeError):  # no space for it
            write_whole(file, adapter.dump_json(probed, indent=1) + b"\n")
    return probed, busy


def _digest(machine: Machine, libraries: Sequence[Blas]) -> str:
    def stamp(path: str) -> tuple[str, float]:
        try:
            return path, Path(path).stat().st_mtime
        except OSError:
            return path, 0.0

    steering = {name: os.environ[name] for library in libraries for name in blas.steering(library.name, os.environ)}
    fields = list(Blas.model_fields)  # another version may have stored fewer
    parts = [fields, machine.fingerprint, machine.allotment.one_per_core, [stamp(b.path) for b in libraries], steering]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:12]
