"""Asks a program for its parameters, and for the problem that a number of ranks would have with them.

The program checks a call itself, without MPI and before anything is allocated, so its rules are not repeated here.
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
"""Seconds in which a program must describe itself: usually milliseconds, but seconds on a cold parallel file system."""
WRONG_CALL = 2
"""Exit status of a program that refuses its arguments."""
WITHOUT_HOOKS = {"UCX_MEM_MMAP_HOOK_MODE": "none"}
"""Environment that keeps UCX from patching the C library's mmap at start, which takes 17 of the program's 20 ms."""


class CannotStartError(BanzukeError):
    """A program that does not answer: it is damaged, built for other processors, or lacks a library."""


_NO_NUMBER = re.compile(r"(\w+): '(.*)' is not (?:a|a whole|a finite) number", re.DOTALL)
"""Message of programs, from core/parameters.cpp."""


class RefusedError(BanzukeError):
    """A call that the program refuses, in its own words."""

    def __init__(self, problem: str, refusal: "Refusal") -> None:
        super().__init__(problem, why=refusal.why, remedy=refusal.remedy)
        self.said = refusal
        self.nearest = refusal.nearest
        """The nearest calls that it would accept: values by parameter, and `ranks` where their number would differ."""
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
    """A program with all parameters set for a number of ranks, including those that it chose itself."""

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
    """Return what the program says; the same question is asked once.

    Raises BanzukeError; RefusedError for a wrong value.
    """
    path = program(benchmark, backend, build)
    return Description.model_validate_json(_asked(path, benchmark, arguments(parameters or {}), Description))


def drives(benchmark: str, backend: str) -> str:
    """Return whose devices the program drives, such as "NVIDIA"; empty: none, or the program cannot be asked."""
    if backend not in backends(benchmark):
        return ""
    try:
        return describe(benchmark, backend).devices
    except CannotStartError:  # the launch will report why
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
    """Return the program's answer for a number of ranks and of threads per rank. It may refuse the call as a whole.

    `devices`: identities of the first rank's devices; none: it drives none, or they are unknown. Raises BanzukeError.
    """
    path = program(benchmark, backend, build)
    words = [*arguments(parameters), "--ranks", str(ranks), "--threads", str(threads)]
    words += ["--devices", ",".join(devices)] if devices else []
    return Answer.model_validate_json(_asked(path, benchmark, words, Answer))


def of_build(build: str) -> Description:
    """Return what the programs of a build have in common: compiler, flags and MPI. Raises BanzukeError."""
    programs = benchmark_programs(build)
    if not programs:
        raise CannotStartError(f"the build '{build}' has no programs", why=f"none is in {folder(build)}")
    benchmark, _, backend = programs[0].name.removeprefix("banzuke-").rpartition("-")
    return describe(benchmark, backend, build=build)


def arguments(parameters: Mapping[str, Scalar]) -> list[str]:
    return [word for name, value in parameters.items() for word in (f"--{name}", str(value))]


def _asked(path: Path, benchmark: str, words: Sequence[str], kind: type[Description]) -> str:
    """Return the program's text, which is valid for `kind`."""
    try:
        built = path.stat().st_mtime_ns
    except OSError as error:
        raise CannotStartError(f"{path.name} cannot be started", why=str(error)) from error
    said = _said(path, built, tuple(words), kind)
    if isinstance(said, Refusal):
        raise RefusedError(f"{benchmark} cannot run with these parameters", _with_remedy(said, path, built))
    return said


def _with_remedy(said: Refusal, path: Path, built: int) -> Refusal:
    """Return the refusal, with a suggestion of what was meant where a value is not a number."""
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
