"""Slurm: sbatch(1), squeue(1), sacct(1), scancel(1)."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from banzuke.batch.commands import CommandError, ask, settings_of
from banzuke.batch.job import Job, State, Status
from banzuke.batch.script import render
from banzuke.batch.system import nonsense, refuse_shapes, worst
from banzuke.errors import BanzukeError
from banzuke.machine.hosts import folded

_STATES: dict[str, State] = {
    **dict.fromkeys(("PENDING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "RESV_DEL_HOLD", "SPECIAL_EXIT"), "queued"),
    **dict.fromkeys(
        ("CONFIGURING", "RUNNING", "COMPLETING", "SIGNALING", "STAGE_OUT", "STOPPED", "SUSPENDED"), "running"
    ),
    **dict.fromkeys(("RESIZING",), "running"),
    "COMPLETED": "done",
    **dict.fromkeys(("FAILED", "OUT_OF_MEMORY"), "failed"),
    **dict.fromkeys(("TIMEOUT", "DEADLINE"), "timed-out"),
    **dict.fromkeys(("CANCELLED", "PREEMPTED", "REVOKED"), "cancelled"),
    **dict.fromkeys(("NODE_FAIL", "BOOT_FAIL"), "node-failed"),
}
"""States by squeue(1), "JOB STATE CODES"."""
_OVERRIDING = (
    *("ARRAY_INX", "EXCLUSIVE", "EXPORT", "GRES", "HINT", "JOB_NAME", "MEM_PER_CPU", "MEM_PER_GPU", "MEM_PER_NODE"),
    *("NO_REQUEUE", "OPEN_MODE", "OVERCOMMIT", "PARTITION", "REQUEUE", "RESERVATION", "SIGNAL", "TIMELIMIT"),
)
"""Variables that override the script: sbatch(1), "INPUT ENVIRONMENT VARIABLES"."""

_NEEDED = {"SLURM_CONF", "SLURM_CLUSTERS"}
"""Variables of an allocation that a job submitted from within it keeps; its srun would obey the others."""


class Slurm:
    title = "Slurm"
    program = "sbatch"
    asking = ("sinfo", "--noheader")
    limits_arrays = True

    def render(self, job: Job) -> str:
        refuse_shapes(self.title, job)
        if job.elements > 1 and len(job.chunks) > 1:
            raise BanzukeError(
                "Slurm has no arrays of heterogeneous jobs",
                why="this one spans different partitions",
                remedy="Submit one",
            )
        return render("slurm", job, {"quoted": quoted, "pattern": pattern})

    def submission(self, job: Job, script: Path, after: Sequence[str] = ()) -> tuple[str, ...]:
        del job
        waiting = (f"--dependency=afterany:{':'.join(after)}",) if after else ()
        return ("sbatch", "--parsable", *waiting, str(script))

    def submit(self, job: Job, script: Path, after: Sequence[str] = ()) -> str:
        overriding = {f"SBATCH_{name}" for name in _OVERRIDING} | ({"SBATCH_ACCOUNT"} if job.batch.account else set())
        outer = {name for name in os.environ if name.startswith("SLURM_")} - _NEEDED
        said = ask(self.submission(job, script, after), without=overriding | outer)
        match = re.fullmatch(r"(\d+)(;\S+)?", said.splitlines()[-1].strip() if said else "")
        if not match:
            raise nonsense("sbatch", said)
        return match[1]

    def states(self, ids: Sequence[str]) -> dict[str, Status]:
        statuses = _parsed(_squeue(ids))
        if missing := [number for number in ids if number not in statuses]:
            statuses |= _parsed(_sacct(missing))
        return statuses

    def cancel(self, ids: Sequence[str]) -> None:
        ask(("scancel", *ids))

    def draining(self, hosts: Sequence[str], reason: str) -> tuple[str, ...]:
        return ("scontrol", "update", f"NodeName={folded(hosts)}", "State=DRAIN", f"Reason={reason}")


def quoted(text: object) -> str:
    """Return one word of a #SBATCH line: sbatch takes quotes, and a backslash before any character, also within quotes.

    A component of a heterogeneous job would start at `hetjob` or the older `packjob` anywhere in a line.
    """
    escaped = re.sub(r'(["\\])', r"\\\1", str(text))
    escaped = re.sub(r"(het|pack)(?=job)", r"\1\\", escaped, flags=re.IGNORECASE)
    return escaped if re.fullmatch(r"[\w./:,@%+=\[\]\\-]+", escaped, re.ASCII) else f'"{escaped}"'


def pattern(path: Path) -> str:
    """Return a path for sbatch(1), "filename pattern": a percent sign is doubled."""
    return str(path).replace("%", "%%")


def _squeue(ids: Sequence[str]) -> str:
    """Return what the controller still knows; it forgets ended jobs after MinJobAge (slurm.conf(5))."""
    try:
        command = ("squeue", "--noheader", "--states=all", "--format=%i|%T|%r", f"--jobs={','.join(ids)}")
        return ask(command, without=settings_of("squeue"))
    except CommandError as error:
        if "Invalid job id" in error.said:  # only if one job is asked for, and it is unknown
            return ""
        raise


def _sacct(ids: Sequence[str]) -> str:
    """Return what accounting knows; empty if the site has none, or it does not answer."""
    try:
        columns = "--format=JobID,State,ExitCode"
        command = ("sacct", "--noheader", "--parsable2", "--allocations", columns, f"--jobs={','.join(ids)}")
        return ask(command, without=settings_of("sacct"))
    except CommandError:
        return ""


def _parsed(table: str) -> dict[str, Status]:
    """Return statuses by job number; elements of an array and components of a heterogeneous job are parts of a job."""
    statuses: dict[str, list[Status]] = {}
    for line in table.splitlines():
        part, _, rest = line.partition("|")
        state, _, why = rest.partition("|")
        number = re.match(r"\d+", part.strip())
        if number and state.split():
            word = _STATES.get(state.split()[0].rstrip("+"), "running")  # "CANCELLED by 1000"
            statuses.setdefault(number[0], []).append(Status(word, "" if why in {"None", "0:0"} else why))
    return {number: worst(parts) for number, parts in statuses.items()}
