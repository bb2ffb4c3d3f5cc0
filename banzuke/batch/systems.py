"""The batch systems, and how a submitted job is followed on any of them."""

import re
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeGuard

from banzuke.batch.flux import Flux
from banzuke.batch.gridengine import GridEngine
from banzuke.batch.job import ENDED, Job, State, Status, Submitted
from banzuke.batch.pbs import Pbs
from banzuke.batch.pjm import Pjm
from banzuke.batch.slurm import Slurm
from banzuke.batch.system import System, worst
from banzuke.errors import BanzukeError
from banzuke.files import read_whole, unlink, write_whole
from banzuke.machine.cluster import BatchSystem
from banzuke.machine.command import output

SYSTEMS: dict[BatchSystem, System] = {
    "slurm": Slurm(),
    "gridengine": GridEngine(),
    "pbs": Pbs(),
    "pjm": Pjm(),
    "flux": Flux(),
}

_ANSWER = 20.0
"""Seconds within which a system must answer; its commands wait for a controller that is down."""
_HIDING = "SINFO_"
"""Prefix of variables by which users choose what Slurm shows, such as `SINFO_PARTITION`, which may hide everything."""
_MARK = 64
"""Most bytes of a file in which a script states how it ended."""


def here() -> list[BatchSystem]:
    """Return the systems whose commands are on PATH."""
    return [name for name, system in SYSTEMS.items() if shutil.which(system.program)]


def answering() -> list[BatchSystem]:
    """Return those of them that answer; commands may be installed without a controller."""
    return [name for name in here() if output(SYSTEMS[name].asking, timeout=_ANSWER, without=_HIDING)]


def system(job: Job) -> System:
    """Return the system of all its chunks. Raises BanzukeError."""
    names = {chunk.batch.system for chunk in job.chunks}
    if len(names) != 1:
        raise BanzukeError(
            "a job cannot be on two batch systems", why=" and ".join(sorted(names)), remedy="Submit one for each"
        )
    return SYSTEMS[job.batch.system]


def render(job: Job) -> str:
    """Return the script. Raises BanzukeError."""
    return system(job).render(job)


def submit(job: Job, script: Path, after: Sequence[str] = ()) -> Submitted:
    """Submit a job; `after`: numbers of jobs that must end before it begins.

    Raises BanzukeError; if a command hung, the job may have been submitted all the same.
    """
    for mark in marks(job.output, job.elements):  # of an earlier job with the same output
        with suppress(OSError):
            unlink(mark)
    return Submitted(system(job).submit(job, script, after), job.output, job.elements)


def statuses(name: BatchSystem, jobs: Sequence[Submitted]) -> dict[str, Status]:
    """Return the status of each job, by its number, asking once for all. Raises BanzukeError: ask again later."""
    if not jobs:
        return {}
    states = SYSTEMS[name].states([job.id for job in jobs])
    return {job.id: status(job, states.get(job.id)) for job in jobs}


def cancel(name: BatchSystem, jobs: Sequence[Submitted]) -> None:
    """Cancel jobs. Raises BanzukeError.

    Their end is written for those that do not run yet, since Grid Engine and others then no longer know them; scripts
    of running jobs write it themselves.
    """
    if not jobs:
        return
    SYSTEMS[name].cancel([job.id for job in jobs])
    for job in jobs:
        for mark in marks(job.output, job.elements):
            if not mark.exists():
                write_whole(mark, b"cancelled 0\n")


def marks(output: Path, elements: int) -> list[Path]:
    """Return the files in which the script of a job, or of each element, writes how it ended."""
    outputs = [str(output)] if elements == 1 else [f"{output}.{at + 1}" for at in range(elements)]
    return [Path(f"{file}.end") for file in outputs]


def status(job: Submitted, system_says: Status | None) -> Status:
    """Combine both: the batch system knows best why it ended a job; the script, why it ended itself."""
    if system_says and (
        system_says.state not in ENDED or system_says.state in {"timed-out", "cancelled", "node-failed"}
    ):
        return system_says
    script_says = [_read(mark) for mark in marks(job.output, job.elements)]
    ends = [status for status in script_says if status]
    if len(ends) == len(script_says):
        return worst(ends)
    return system_says or Status("vanished")


def _read(mark: Path) -> Status | None:
    try:
        text = read_whole(mark, _MARK).decode("ascii", "replace")
    except BanzukeError:
        return None
    match = re.fullmatch(r"(\S+) (\d+)\n", text)
    if not match or not _is_end(match[1]):
        return None
    return Status(match[1], "" if match[2] == "0" else f"exit status {match[2]}")


def _is_end(word: str) -> TypeGuard[State]:
    return word in ENDED
