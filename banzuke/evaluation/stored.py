"""Keeps the settings that searches found on a machine with a library, in the user's data folder for later runs."""

import os
import re
from dataclasses import replace
from pathlib import Path

from pydantic import AwareDatetime, ConfigDict, Field, ValidationError

from banzuke.amounts import Frozen, Positive, Scalar, Several
from banzuke.errors import BanzukeError
from banzuke.files import read_ours, refusal, write_whole
from banzuke.machine.model import Machine
from banzuke.plan.axes import checked, shown
from banzuke.plan.benchmark import Benchmark, Layout
from banzuke.plan.layouts import on_all_cores
from banzuke.plan.variant import Variant, Variants
from banzuke.program.describe import describe
from banzuke.units import count, layout


class Tuned(Frozen):
    """A setting that was faster than the default."""

    model_config = ConfigDict(revalidate_instances="always")  # the variant was made without validation

    benchmark: str
    backend: str
    machine: str = Field(description="fingerprint")
    blas: str | None = Field(description="name and version of the library; None: none is used")
    date: AwareDatetime
    banzuke: str
    commit: str | None
    run: str = Field(description="folder of the records that it follows from")
    hosts: Several = Field(default=1, description="that it was found on, and is for")
    ranks: Several = Field(description="of all hosts")
    threads: Several
    parameters: dict[str, Scalar]
    variant: Variant = Field(default_factory=Variant)
    gain: Positive | None = Field(description="over the default, in runs shorter than usual ones; None: not confirmed")

    def text(self) -> str:
        """Return `2 x 1, nb=192, 1.03x the default`."""
        match self.gain:
            case None:
                gain = "gain not confirmed"
            case 1.0:
                gain = "which is the default"
            case ratio:
                gain = f"{ratio:.2f}x the default"
        values = (f"{name}={value}" for name, value in self.parameters.items())
        return ", ".join([f"{self.ranks} x {self.threads}", *values, *shown(self.variant.values), gain])


def library(benchmark: Benchmark, machine: Machine) -> str | None:
    """Return the BLAS library that a benchmark uses on this machine; None: it uses none."""
    taken = machine.software.blas[:1] if benchmark.libraries.blas else []
    return " ".join(filter(None, (taken[0].name, taken[0].version))) if taken else None


def file(benchmark: Benchmark, backend: str, machine: Machine) -> Path:
    """Return the file of a tuned setting. Raises BanzukeError when there is no home folder."""
    return _folder() / f"{_name(machine.fingerprint, benchmark.name, backend, library(benchmark, machine))}.json"


def kept(benchmark: Benchmark, backend: str, machine: Machine) -> bool:
    """Return whether a setting is stored for this machine with any library: which one is used may not be known yet."""
    try:
        return any(_folder().glob(f"{_name(machine.fingerprint, benchmark.name, backend)}*.json"))
    except BanzukeError:
        return False


def _name(*parts: str | None) -> str:
    return re.sub(r"[^\w.-]+", "-", "-".join(filter(None, parts)))


def _folder() -> Path:
    """Return `BANZUKE_TUNED`, or the place for users' data."""
    chosen = os.environ.get("BANZUKE_TUNED")
    try:
        data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    except RuntimeError as error:
        raise BanzukeError("tuned settings cannot be stored", why=str(error), remedy="Set BANZUKE_TUNED") from error
    return Path(chosen) if chosen else data / "banzuke" / "tuned"


def save(benchmark: Benchmark, tuned: Tuned, machine: Machine) -> Path:
    """Store a setting, and return its file. Raises BanzukeError."""
    return write_whole(file(benchmark, tuned.backend, machine), tuned.document(indent=1))


def load(benchmark: Benchmark, backend: str, machine: Machine) -> Tuned | None:
    """Return the stored setting; None: nothing was tuned here. Raises BanzukeError naming a file that
    cannot be used.
    """
    path = file(benchmark, backend, machine)
    try:
        tuned = Tuned.model_validate_json(read_ours(path))
    except BanzukeError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return None
        raise
    except ValidationError as error:
        raise BanzukeError(f"{path} is not a tuned setting", why=refusal(error), remedy="Tune again") from error
    said = (tuned.benchmark, tuned.backend, tuned.machine, tuned.blas)
    if said != (benchmark.name, backend, machine.fingerprint, library(benchmark, machine)):
        raise BanzukeError(f"{path} is not of this machine", why="it was moved or edited", remedy="Tune again")
    cores = machine.allotment.usable_cores * tuned.hosts
    if tuned.ranks * tuned.threads != cores or (tuned.ranks > 1 and not machine.software.mpi):
        raise BanzukeError(
            f"{path} does not match what may be used now",
            why=f"it is for {layout(tuned.ranks, tuned.threads)}; {count(cores, 'core')} may be used"
            + ("" if machine.software.mpi else " and no MPI launcher"),
            remedy="Tune again, or use --untuned",
        )
    try:
        describe(benchmark.name, backend, tuned.parameters, tuned.variant.build)
        checked(Variants.only(tuned.variant), machine)
    except BanzukeError as error:
        raise BanzukeError(f"{path} does not match this installation", why=str(error), remedy="Tune again") from error
    return tuned


def applied(benchmark: Benchmark, tuned: Tuned) -> Benchmark:
    """Return the benchmark with the tuned setting as its default, also where its sweep repeats the default."""

    def same(layout: Layout) -> bool:
        return (layout.hosts, layout.ranks, layout.threads) == (tuned.hosts, tuned.ranks, tuned.threads)

    def defaults(machine: Machine, layout: Layout) -> dict[str, Scalar]:
        return benchmark.defaults(machine, layout) | (tuned.parameters if same(layout) else {})

    def variant(layout: Layout) -> Variant:
        return tuned.variant if same(layout) else benchmark.tuning.variant(layout)

    def sweep(machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
        """Return the standard cases; those that repeat the default have the tuned layout instead."""
        standard = benchmark.sweep(machine)
        usual = next((layout for layout, _ in standard if layout.hosts == tuned.hosts), None)
        if usual is None:
            return standard
        repeated = {(name, benchmark.defaults(machine, usual).get(name)) for name in tuned.parameters}
        moved = usual if same(usual) else on_all_cores(machine, tuned.threads, tuned.hosts)
        moved = replace(moved, seconds=usual.seconds)
        return [
            (moved, {name: value for name, value in overrides.items() if (name, value) not in repeated})
            if layout == usual
            else (layout, overrides)
            for layout, overrides in standard
        ]

    return replace(benchmark, defaults=defaults, sweep=sweep, tuning=replace(benchmark.tuning, variant=variant))
