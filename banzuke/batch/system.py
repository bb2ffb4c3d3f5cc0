"""What every batch system can do."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from banzuke.batch.commands import CommandError
from banzuke.batch.job import ENDED, Job, State, Status
from banzuke.errors import BanzukeError


class System(Protocol):
    """A batch system, through its own commands. All methods raise BanzukeError."""

    @property
    def title(self) -> str: ...
    @property
    def program(self) -> str:
        """The command by which the system is recognized."""

    @property
    def asking(self) -> tuple[str, ...]:
        """A command that succeeds and prints something if the system answers."""

    @property
    def limits_arrays(self) -> bool:
        """Whether it respects `Job.at_once`."""

    def render(self, job: Job) -> str:
        """Return the script, which a person can submit as it is."""

    def submission(self, job: Job, script: Path, after: Sequence[str] = ()) -> tuple[str, ...]:
        """Return the command that submits it; `after`: numbers of jobs that must end first, in whatever way."""

    def submit(self, job: Job, script: Path, after: Sequence[str] = ()) -> str:
        """Submit it and return the job's number."""

    def states(self, ids: Sequence[str]) -> dict[str, Status]:
        """Return states of the jobs that the system still knows, asking once for all; the others are missing."""

    def cancel(self, ids: Sequence[str]) -> None:
        """Cancel jobs; those that have ended count as cancelled."""

    def draining(self, hosts: Sequence[str], reason: str) -> tuple[str, ...]:
        """Return the administrators' command that keeps further jobs from these hosts; empty: unknown."""


_WORST: tuple[State, ...] = ("node-failed", "failed", "timed-out", "cancelled", "vanished", "done")


def worst(parts: Sequence[Status]) -> Status:
    """Return the status of a job with several parts: it runs while any part does, and waits until one has begun."""
    states = {part.state for part in parts}
    if states <= ENDED:
        return next(part for state in _WORST for part in parts if part.state == state)
    if states == {"queued"}:
        return parts[0]
    return Status("running")


def refuse_shapes(title: str, job: Job) -> None:
    for chunk in job.chunks:
        if chunk.shape:
            raise BanzukeError(
                f"{title} cannot give the shape '{chunk.shape}'",
                why="only Fujitsu's PJM lets a job choose how its nodes lie in the network",
                remedy="Leave --shape out",
            )


def refuse_chunks(title: str, job: Job) -> None:
    if len(job.chunks) > 1:
        partitions = " and ".join(chunk.partition for chunk in job.chunks)
        raise BanzukeError(
            f"{title} cannot give a job nodes of several partitions",
            why=f"this one spans {partitions}",
            remedy="Submit one for each",
        )


def nonsense(command: str, said: str) -> CommandError:
    return CommandError(
        f"{command} did not print the job's number",
        why=f"it says: {said[-500:]}" if said else "it says nothing",
        remedy="Check whether the job was submitted, and cancel it",
    )
