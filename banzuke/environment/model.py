"""What an environment is: words around a command, so that what is run can be shown and typed."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from banzuke.machine.model import Machine


@dataclass(frozen=True)
class Wanted:
    """The environment that was asked for."""

    kind: str
    variant: str = ""
    """What follows the colon of `container:podman`, `vm:tcg` or `isolated:session`; empty: whatever is available."""
    image: str = ""
    os_cores: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.kind}:{self.variant}" if self.variant else self.kind


GIVEN = "job"
"""The variant of an environment that the batch system set up around the whole job: `container:job`."""


class Environment(Protocol):
    """An environment, complete when made: what takes time or may fail (a trial, unpacking an image) has been done.

    Its methods are pure; they take and return words, never text for a shell.
    """

    @property
    def name(self) -> str:
        """As it was asked for: `container:podman`."""

    @property
    def details(self) -> Mapping[str, str]:
        """For the record: tool, version, image, kernel, ..."""

    @property
    def warning(self) -> str:
        """Why times may mean little; empty: no reason is known."""

    @property
    def slowness(self) -> float:
        """How many times longer than natively a case may take; for time limits, so overestimated."""

    def inner(self, words: list[str], variables: Mapping[str, str]) -> list[str]:
        """Return the words around each rank's program; `variables` are set for it, and an empty value removes one."""

    def outer(self, words: list[str], variables: Mapping[str, str], memory: float) -> list[str]:
        """Return the words around the launcher; `memory`: bytes that all ranks of a host need together."""

    def cpu(self, number: int) -> int:
        """Return the number of a processor of the host in the environment."""


class Find(Protocol):
    def __call__(self, asked: Wanted, machine: Machine, prefix: Path, *, dry_run: bool) -> Environment:
        """Find the tool, check the image and try both; `prefix`: the installation, whose programs run everywhere.

        A dry run only needs the words: nothing is tried and nothing is written. Raises BanzukeError: what is missing,
        why, and what to do.
        """


@dataclass(frozen=True)
class Kind:
    """What an environment's module declares about it, known before it is looked for."""

    name: str
    find: Find
    variants: tuple[str, ...] = ()
    """What may follow the name and a colon: a tool, an accelerator, or whose processes are moved."""
    takes_image: bool = False
    isolates: bool = False
    """Whether the job has processors of its own and the operating system keeps the others (`Wanted.os_cores`)."""
    one_host: bool = False
    """Whether it exists only on the host where the launcher starts."""
    watched: bool = True
    """Whether its processes are this kernel's, so that they can be watched from outside."""
    around_job: Find | None = None
    """Finds it if it already surrounds this whole job (`GIVEN`); None: nothing sets it up so."""
