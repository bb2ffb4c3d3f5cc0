"""PBS Professional and OpenPBS: qsub(1B), qstat(1B), qdel(1B)."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from banzuke.batch.commands import CommandError, ask
from banzuke.batch.job import Chunk, Job, State, Status
from banzuke.batch.script import mebibytes, render
from banzuke.batch.system import nonsense, refuse_shapes
from banzuke.errors import BanzukeError

_STATES: dict[str, State] = {
    **dict.fromkeys("HMQTW", "queued"),
    **dict.fromkeys("BERSU", "running"),
}
"""pbs_job_attributes(7B), job_state; jobs in F and X have ended."""
_WALLTIME = -29
"""JOB_EXEC_KILL_WALLTIME: PBS Professional Reference Guide, "Job Exit Status"."""
_SIGNALLED = 256
"""Added to the number of the signal that ended a job; same source."""
_TERM, _KILL = 15, 9


class Pbs:
    title = "PBS"
    program = "pbsnodes"  # Grid Engine has a qsub, too
    asking = ("qstat", "-B")
    limits_arrays = True

    def render(self, job: Job) -> str:
        refuse_shapes(self.title, job)
        places = {(chunk.batch.queue, chunk.batch.account, chunk.batch.exclusive) for chunk in job.chunks}
        if len(places) > 1:
            raise BanzukeError(
                "a job of PBS is in one queue",
                why="the partitions of this one differ in queue, account or exclusive use",
                remedy="Describe them with the same in the site file, or submit two jobs",
            )
        return render("pbs", job, {"quoted": quoted, "select": select})

    def submission(self, job: Job, script: Path, after: Sequence[str] = ()) -> tuple[str, ...]:
        del job
        waiting = ("-W", f"depend=afterany:{':'.join(after)}") if after else ()
        return ("qsub", *waiting, str(script))

    def submit(self, job: Job, script: Path, after: Sequence[str] = ()) -> str:
        said = ask(self.submission(job, script, after))
        match = re.search(r"^\d+(\[\])?(\.\S+)?$", said, re.MULTILINE)  # hooks of a site may print something before
        if not match:
            raise nonsense("qsub", said)
        return match[0]

    def states(self, ids: Sequence[str]) -> dict[str, Status]:
        said = _qstat(("-x",), ids)
        try:
            jobs = json.loads(said).get("Jobs", {}) if said else {}
            return {wanted: _status(jobs[name]) for wanted in ids for name in jobs if _same(wanted, name)}
        except (ValueError, AttributeError, TypeError) as error:
            raise CommandError("qstat answered nonsense", why=f"it says: {said[:200]}") from error

    def cancel(self, ids: Sequence[str]) -> None:
        try:
            ask(("qdel", *ids))
        except CommandError as error:
            if not re.search("has finished|Unknown Job", error.said):
                raise

    def draining(self, hosts: Sequence[str], reason: str) -> tuple[str, ...]:
        return ("pbsnodes", "-o", "-C", reason, *hosts)


def _same(wanted: str, name: str) -> bool:
    """Return whether two names are of one job: qsub prints the server's full name, qstat perhaps without domain."""
    return wanted.partition(".")[0] == name.partition(".")[0]


def quoted(value: object) -> str:
    """Return one word of a #PBS line, quoted by either kind of quotes if needed. Raises BanzukeError."""
    text = str(value)
    if re.fullmatch(r"[\w./:,@%+=\[\]-]+", text, re.ASCII):
        return text
    quote = next((mark for mark in "\"'" if mark not in text), None)
    if quote is None or ":" in text:
        raise BanzukeError(
            f"PBS cannot take '{text}'", why="it has a colon, or quotes of both kinds", remedy="Use another folder"
        )
    return f"{quote}{text}{quote}"


def select(job: Job) -> str:
    """Return the selection by pbs_resources(7B), "Requesting Resources": N chunks, alike or each on its own host."""
    return "+".join(f"{count}:{resources}" for chunk in job.chunks for count, resources in _chunks(chunk))


def _chunks(chunk: Chunk) -> list[tuple[int, str]]:
    resources = [f"ncpus={chunk.tasks * chunk.threads}", f"mpiprocs={chunk.tasks}", f"ompthreads={chunk.threads}"]
    if chunk.devices:
        resources.append(f"ngpus={chunk.devices}")
    if chunk.memory:
        resources.append(f"mem={mebibytes(chunk.memory)}mb")
    alike = ":".join(resources)
    return [(1, f"{alike}:host={host}") for host in chunk.hosts] or [(chunk.nodes, alike)]


def _qstat(history: Sequence[str], ids: Sequence[str]) -> str:
    try:
        return ask(("qstat", *history, "-f", "-F", "json", *ids))
    except CommandError as error:
        if history and "history" in error.said:  # the server keeps no history: qstat(1B), -x
            return _qstat((), ids)
        if re.search("Unknown Job|has finished", error.said):  # some jobs are unknown; the others are shown
            return error.output
        raise


def _status(job: dict[str, Any]) -> Status:
    letter, why = str(job.get("job_state", "")), str(job.get("comment", ""))
    if letter not in {"F", "X"}:
        return Status(_STATES.get(letter, "running"), why if letter in "HQW" else "")
    number = int(job.get("Exit_status", 0))
    if number == 0:
        return Status("done")
    if number == _WALLTIME:
        return Status("timed-out")
    if number in {_SIGNALLED + _TERM, _SIGNALLED + _KILL}:
        return Status("cancelled", f"killed by signal {number - _SIGNALLED}")
    return Status("failed", f"exit status {number}")
