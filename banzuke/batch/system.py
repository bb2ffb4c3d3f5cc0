"""What every batch system can be asked for."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from banzuke.batch.commands import CommandError
from banzuke.batch.job import ENDED, Job, State, Status
from banzuke.errors import BanzukeError


class System(Protocol):
    """One batch system, by its own commands. All methods raise BanzukeError."""

    @property
    def title(self) -> str: ...
    @property
    def program(self) -> str:
        """By which the system is found: the command that submits."""

    @property
    def asking(self) -> tuple[str, ...]:
        """A command that ends well, and says something, where the system answers."""

    @property
    def limits_arrays(self) -> bool:
        """Whether it keeps to `Job.at_once`."""

    def render(self, job: Job) -> str:
        """The script, which a person can submit as it is."""

    def submission(self, job: Job, script: Path, after: Sequence[str] = ()) -> tuple[str, ...]:
        """The command that submits it; `after`: numbers of jobs that have to end before it begins, however they do."""

    def submit(self, job: Job, script: Path, after: Sequence[str] = ()) -> str:
        """Submits it, and gives the job's number."""

    def states(self, ids: Sequence[str]) -> dict[str, Status]:
        """States of the jobs that the system still knows, all asked for at once; the others are missing."""

    def cancel(self, ids: Sequence[str]) -> None:
        """Those that ended already count as cancelled."""

    def draining(self, hosts: Sequence[str], reason: str) -> tuple[str, ...]:
        """The command by which an administrator keeps further jobs from these hosts; empty: none is known."""


_WORST: tuple[State, ...] = ("node-failed", "failed", "timed-out", "cancelled", "vanished", "done")


def worst(parts: Sequence[Status]) -> Status:
    """The status of a job with several parts: it runs as long as one does, and waits while none has begun."""
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
