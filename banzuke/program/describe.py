"""What a program says of its parameters, and of the problem that so many ranks would have with them.

The program checks a call itself, without MPI and before anything is allocated, so nothing here repeats its rules.
"""

import os
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from pydantic import Field, ValidationError

from banzuke.amounts import Frozen, Scalar
from banzuke.child import captured
from banzuke.errors import BanzukeError
from banzuke.program.installed import DEFAULT, backends, benchmark_programs, folder, program
from banzuke.program.meant import meant

SECONDS = 30
"""A program describes itself in milliseconds; on a cold parallel file system it may take some seconds."""
WRONG_CALL = 2
"""Exit status."""
WITHOUT_HOOKS = {"UCX_MEM_MMAP_HOOK_MODE": "none"}
"""A program that is linked with UCX otherwise starts by patching the C library's mmap: 17 of its 20 ms."""


class CannotStartError(BanzukeError):
    """A program that says nothing: it is damaged, built for other processors, or lacks a library."""


_NO_NUMBER = re.compile(r"(\w+): '(.*)' is not (?:a|a whole|a finite) number", re.DOTALL)
"""What programs say, core/parameters.cpp."""


class RefusedError(BanzukeError):
    """A call that the program would not carry out, in its own words."""

    def __init__(self, problem: str, refusal: "Refusal") -> None:
        super().__init__(problem, why=refusal.why, remedy=refusal.remedy)
        self.nearest = refusal.nearest
        """What it would take instead: each values by parameter, `ranks` among them where it is another number."""
        self.without = refusal.without


class Parameter(Frozen):
    name: str
    type: str
    help: str
    value: Scalar
    minimum: float | None = None
    maximum: float | None = None
    choices: list[str] = Field(default_factory=list)


class Problem(Frozen):
    footprint: float = Field(description="bytes of the rank that needs most")
    device_footprint: float = Field(default=0.0, description="the same of the memory of each of its devices")
    facts: dict[str, Scalar] = Field(description="what follows from the parameters and the number of ranks")

    def number(self, fact: str) -> float:
        return float(self.facts[fact])


class Description(Frozen):
    """A program with the given parameters set."""

    benchmark: str
    backend: str
    devices: str = Field(default="", description="whose devices the program drives; empty: none, or it does not say")
    schema_version: int
    parameters: list[Parameter]
    problem: Problem | None = Field(description="None: it was not asked about a number of ranks")
    compiler: str
    flags: str
    mpi: str = Field(description="file of the MPI library that the program loads; none")
    mpi_name: str = Field(description="whose that is: mpich, openmpi, intel, ...; none")

    @property
    def values(self) -> dict[str, Scalar]:
        """The value of each parameter."""
        return {parameter.name: parameter.value for parameter in self.parameters}


class Answer(Description):
    """A program with all parameters set for so many ranks: those that were left to it are chosen."""

    problem: Problem


class Refusal(Frozen):
    why: str
    remedy: str
    nearest: list[dict[str, Scalar]]
    without: str = Field(default="", description="a parameter without which the call would be taken")


class _Refused(Frozen):
    refused: Refusal


def describe(
    benchmark: str, backend: str, parameters: Mapping[str, Scalar] | None = None, build: str = DEFAULT
) -> Description:
    """Asks the program, once for the same question. Raises BanzukeError; RefusedError for a wrong value."""
    path = program(benchmark, backend, build)
    return Description.model_validate_json(_asked(path, benchmark, arguments(parameters or {}), Description))


def drives(benchmark: str, backend: str) -> str:
    """Whose devices the program drives, "NVIDIA"; empty: none, as far as there is one that can be asked."""
    if backend not in backends(benchmark):
        return ""
    try:
        return describe(benchmark, backend).devices
    except CannotStartError:  # the launch says why
        return ""


def ask(
    benchmark: str,
    backend: str,
    ranks: int,
    threads: int,
    parameters: Mapping[str, Scalar],
    build: str = DEFAULT,
    devices: Sequence[str] = (),
) -> Answer:
    """Describes a call with so many ranks and threads of each, which the program may refuse as a whole.

    `devices`: identities of those of the first rank; none: it drives none, or they are not known.
    """
    path = program(benchmark, backend, build)
    words = [*arguments(parameters), "--ranks", str(ranks), "--threads", str(threads)]
    words += ["--devices", ",".join(devices)] if devices else []
    return Answer.model_validate_json(_asked(path, benchmark, words, Answer))


def of_build(build: str) -> Description:
    """What the programs of a build say alike: compiler, flags and MPI. Raises BanzukeError."""
    programs = benchmark_programs(build)
    if not programs:
        raise CannotStartError(f"the build '{build}' has no programs", why=f"none is in {folder(build)}")
    benchmark, _, backend = programs[0].name.removeprefix("banzuke-").rpartition("-")
    return describe(benchmark, backend, build=build)


def arguments(parameters: Mapping[str, Scalar]) -> list[str]:
    return [word for name, value in parameters.items() for word in (f"--{name}", str(value))]


def _asked(path: Path, benchmark: str, words: Sequence[str], kind: type[Description]) -> str:
    """Text that is valid for `kind`."""
    try:
        built = path.stat().st_mtime_ns
    except OSError as error:
        raise CannotStartError(f"{path.name} cannot be started", why=str(error)) from error
    said = _said(path, built, tuple(words), kind)
    if isinstance(said, Refusal):
        raise RefusedError(f"{benchmark} cannot run with these parameters", _with_remedy(said, path, built))
    return said


def _with_remedy(said: Refusal, path: Path, built: int) -> Refusal:
    """The refusal with what may have been meant, where a value is no number."""
    wrong = _NO_NUMBER.fullmatch(said.why)
    description = _said(path, built, (), Description) if wrong else said
    if wrong is None or isinstance(description, Refusal):
        return said
    for parameter in Description.model_validate_json(description).parameters:
        if parameter.name == wrong[1]:
            return said.having(
                remedy=meant(parameter.name, wrong[2], parameter.help, whole=parameter.type == "integer")
            )
    return said


@lru_cache(maxsize=4096)
def _said(path: Path, _built: int, words: tuple[str, ...], kind: type[Description]) -> str | Refusal:
    command = [str(path), *words, "--describe"]
    environment = os.environ | WITHOUT_HOOKS
    try:
        done = captured(command, seconds=SECONDS, variables=environment)
    except OSError as error:
        raise CannotStartError(f"{path.name} cannot be started", why=str(error)) from error
    if done.status not in (0, WRONG_CALL):
        said = done.complaint.strip() or f"it ended with status {done.status}"
        raise CannotStartError(f"{path.name} cannot be started", why=said)
    try:
        if done.status == WRONG_CALL:
            return _Refused.model_validate_json(done.output).refused
        kind.model_validate_json(done.output)
    except ValidationError as error:
        raise CannotStartError(
            f"{path.name} has an unknown description",
            why="it is from another version",
            remedy="Build and install again",
        ) from error
    return done.text
