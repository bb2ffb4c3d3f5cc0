"""What a program says of itself, and the checks that come before it runs."""

import subprocess
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark, Case, Scalar
from banzuke.plan.catalogue import find, nearest, program
from banzuke.units import quantity

ROOM = 0.95
"""Of the memory, for the largest size that is named: libraries and MPI have buffers of their own."""
SECONDS = 30
"""A program describes itself in milliseconds; on a cold parallel file system it may take some seconds."""


class RefusedError(BanzukeError):
    """A program's own words about its parameters."""


class Parameter(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    type: str
    help: str
    value: Scalar
    minimum: float | None = None
    maximum: float | None = None
    choices: list[str] = Field(default_factory=list)


class Description(BaseModel):
    """`--describe` of a program, with the given parameters set."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    benchmark: str
    backend: str
    schema_version: int
    parameters: list[Parameter]
    footprint: float = Field(description="bytes of one rank, of so many as were asked about")
    compiler: str
    flags: str
    mpi: str = Field(description="MPI library that the program was built with; none")


def describe(path: Path, parameters: Mapping[str, Scalar] | None = None, ranks: int = 1) -> Description:
    """Asks the program at `path`, once for the same question. Raises BanzukeError with the program's own words."""
    try:
        built = path.stat().st_mtime_ns
    except OSError as error:
        raise BanzukeError(f"{path.name} cannot be started", why=str(error)) from error
    return _described(path, built, (*arguments(parameters or {}), "--ranks", str(ranks)))


@lru_cache(maxsize=4096)
def _described(path: Path, _built: int, words: tuple[str, ...]) -> Description:
    command = [str(path), *words, "--describe"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BanzukeError(f"{path.name} cannot be started", why=str(error)) from error
    if done.returncode != 0:
        said = done.stderr.strip().removeprefix(f"{path.name}: ")
        raise RefusedError(said or f"{path.name} ended with status {done.returncode}")
    try:
        return Description.model_validate_json(done.stdout)
    except ValueError as error:
        raise BanzukeError(
            f"{path.name} describes itself in words that are not understood",
            why="it comes from another version",
            remedy="Build and install again",
        ) from error


def arguments(parameters: Mapping[str, Scalar]) -> list[str]:
    return [word for name, value in parameters.items() for word in (f"--{name}", str(value))]


def families(benchmark: Benchmark, backend: str) -> Sequence[str]:
    """Those of the benchmark's collection, which are the choices of a parameter. Raises BanzukeError."""
    known = describe(program(benchmark.name, backend)).parameters
    name = benchmark.collection.family if benchmark.collection else None
    return next((parameter.choices for parameter in known if parameter.name == name), ())


def check(case: Case, machine: Machine) -> list[Description]:
    """Refuses what cannot run before anything is allocated. Raises BanzukeError."""
    descriptions = described(case)
    check_ranks(case, descriptions)
    check_memory(case, machine, descriptions)
    return descriptions


def described(case: Case) -> list[Description]:
    """The program of each group with the parameters of `case`.

    Raises BanzukeError for a parameter that there is not, or a wrong value.
    """
    for path in _programs(case):
        known = [p.name for p in describe(path).parameters]
        for name in case.parameters:
            if name not in known:
                raise BanzukeError(f"{case.benchmark} has no parameter '{name}'", remedy=nearest(name, known))
    try:
        return _described_with(case, case.parameters)
    except RefusedError as error:
        raise BanzukeError(f"{case.benchmark} cannot run with these parameters", why=str(error)) from error


def memory(case: Case, descriptions: Sequence[Description]) -> float:
    """Bytes that the case takes of the host that needs the most."""
    return max(_memory(case, descriptions).values())


def _memory(case: Case, descriptions: Sequence[Description]) -> dict[str, float]:
    """Of the fullest host of each partition."""
    needed = dict.fromkeys(case.by_partition, 0.0)
    for group, one in zip(case.groups, descriptions, strict=True):
        needed[group.partition] += group.per_host * one.footprint
    return needed


def _programs(case: Case) -> list[Path]:
    return [program(case.benchmark, group.backend) for group in case.groups]


def _described_with(case: Case, parameters: Mapping[str, Scalar]) -> list[Description]:
    return [describe(path, parameters, case.ranks) for path in _programs(case)]


def check_ranks(case: Case, descriptions: Sequence[Description]) -> None:
    """Raises BanzukeError when so many ranks cannot have these parameters."""
    conflict = find(case.benchmark).conflict
    if conflict and (text := conflict(case.ranks, {p.name: p.value for p in descriptions[0].parameters})):
        raise BanzukeError(f"{case.benchmark} with {_brief(case.parameters)} cannot run", why=text)
    if case.ranks > 1 and any(one.mpi == "none" for one in descriptions):
        raise BanzukeError(
            f"{case.benchmark} cannot run with {case.ranks} ranks",
            why="this installation was built without MPI",
            remedy="Load an MPI module or `pip install mpich` into the environment, then install Banzuke again",
        )


def check_memory(case: Case, machine: Machine, descriptions: Sequence[Description]) -> None:
    """Raises BanzukeError naming the largest size that fits."""
    for partition, needed in _memory(case, descriptions).items():
        here = case.by_partition[partition][0].given(machine)
        usable = here.allotment.usable_memory
        if needed > usable:
            raise BanzukeError(
                f"{case.benchmark} with {_brief(case.parameters)} needs {quantity(needed, 'B', 4)} of memory",
                why=f"{quantity(usable, 'B', 4)} of {quantity(here.node.memory.total, 'B', 4)} may be used now",
                remedy=f"Choose a smaller size{_largest(case, descriptions[0], partition, usable)}",
            )


def _largest(case: Case, description: Description, partition: str, usable: float) -> str:
    """`: n=34000 is the largest that fits`, by bisection over what the programs say they need; empty: unknown."""
    benchmark = find(case.benchmark)
    asked = {p.name: int(p.value) for p in description.parameters if p.name in benchmark.size}
    fits, low, high = "", 0, max(asked.values(), default=0)
    while high - low > 1:
        middle = (low + high) // 2
        sizes = {
            name: _whole(value * middle // max(asked.values()), benchmark.multiple) for name, value in asked.items()
        }
        try:
            needed = _memory(case, _described_with(case, {**case.parameters, **sizes}))[partition]
        except BanzukeError:
            low = middle  # too small for the other parameters
            continue
        if needed > ROOM * usable:
            high = middle
        else:
            low, fits = middle, f": {_brief(sizes)} is the largest that fits"
    return fits


def _whole(value: int, multiple: int) -> int:
    """The largest multiple up to `value`, but at least one."""
    return max(multiple, value // multiple * multiple)


def _brief(parameters: Mapping[str, Any]) -> str:
    return " ".join(f"{name}={value}" for name, value in parameters.items())
