"""Flux: flux-batch(1), flux-submit(1), flux-jobs(1), flux-cancel(1)."""

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from banzuke.batch.commands import CommandError, ask
from banzuke.batch.job import Job, State, Status
from banzuke.batch.script import moment, render
from banzuke.batch.system import nonsense, refuse_chunks, refuse_shapes, worst
from banzuke.errors import BanzukeError
from banzuke.machine.hosts import folded

_STATES: dict[str, State] = {
    **dict.fromkeys(("DEPEND", "PRIORITY", "SCHED"), "queued"),
    **dict.fromkeys(("RUN", "CLEANUP"), "running"),
    "COMPLETED": "done",
    "FAILED": "failed",
    "CANCELED": "cancelled",
    "TIMEOUT": "timed-out",
}
"""flux-jobs(1), field `status`."""
_ID = re.compile(r"^\s*([fƒ][1-9A-HJ-NP-Za-km-z]+)\s*$", re.MULTILINE)
"""An ID as in RFC 19, F58."""


class Flux:
    """Flux. A job array is several of its jobs, so the number of an array is theirs, joined by commas."""

    title = "Flux"
    program = "flux"
    asking = ("flux", "resource", "list")
    limits_arrays = False

    def render(self, job: Job) -> str:
        """Return the script; for an array, without options, which are in the command. Raises BanzukeError."""
        refuse_shapes(self.title, job)
        refuse_chunks(self.title, job)
        if job.reservation:
            raise BanzukeError("Flux has no option for a reservation", remedy="Name the queue that was reserved")
        if "{" in f"{job.folder}{job.output}":
            raise BanzukeError(
                "Flux replaces what stands in braces in a path", why=str(job.output), remedy="Use another folder"
            )
        options = [] if job.elements > 1 else [shlex.quote(option) for option in _options(job, "nslots", "slot")]
        options += [] if job.elements > 1 else job.batch.options
        return render("flux", job, {}, options=options, submission=shlex.join(self.submission(job, Path("FILE"))))

    def submission(self, job: Job, script: Path, after: Sequence[str] = ()) -> tuple[str, ...]:
        """Return the command; several jobs have their options in it, not in the script, as `flux batch` takes
        no --cc.
        """
        waiting = [f"--dependency=afterany:{part}" for number in after for part in number.split(",")]
        if job.elements == 1:
            return ("flux", "batch", *waiting, str(script))
        options = [
            *_options(job, "ntasks", "task"),
            *(word for line in job.batch.options for word in shlex.split(line)),
        ]
        return ("flux", "submit", f"--cc=1-{job.elements}", *waiting, *options, "flux", "broker", str(script))

    def submit(self, job: Job, script: Path, after: Sequence[str] = ()) -> str:
        said = ask(self.submission(job, script, after))
        ids = _ID.findall(said)
        if len(ids) != job.elements:
            raise nonsense("flux", said)
        return ",".join(ids)

    def states(self, ids: Sequence[str]) -> dict[str, Status]:
        """Return the states of arrays whose jobs are all known; unknown ones are not an error."""
        parts = {number: number.split(",") for number in ids}
        command = ("flux", "jobs", "--no-header", "--format={id.f58plain} {status} {returncode}")
        try:
            said = ask((*command, *(part for numbers in parts.values() for part in numbers)))
        except CommandError as error:
            if "unknown" not in error.said:  # some jobs are unknown; the others are shown
                raise
            said = error.output
        shown = {line.split()[0]: _status(line.split()) for line in said.splitlines() if len(line.split()) >= 2}
        by_job = {
            number: [shown[_plain(part)] for part in numbers if _plain(part) in shown]
            for number, numbers in parts.items()
        }
        return {number: worst(statuses) for number, statuses in by_job.items() if len(statuses) == len(parts[number])}

    def cancel(self, ids: Sequence[str]) -> None:
        try:
            ask(("flux", "cancel", *(part for number in ids for part in number.split(","))))
        except CommandError as error:
            if "inactive" not in error.said:
                raise

    def draining(self, hosts: Sequence[str], reason: str) -> tuple[str, ...]:
        return ("flux", "resource", "drain", folded(hosts), reason)


def _options(job: Job, count: str, unit: str) -> list[str]:
    """Return options for one slot or task per node, whose instance of Flux has all of the node for the ranks."""
    chunk = job.chunks[0]
    batch = chunk.batch
    options = [f"--job-name={job.name}"]
    options += [f"--queue={batch.queue}"] if batch.queue else []
    options += [f"--bank={batch.account}"] if batch.account else []
    options += [f"--begin-time={moment(job.begin, '%Y-%m-%d %H:%M:%S')}"] if job.begin else []
    options += [f"--time-limit={int(job.seconds)}s", f"--nodes={chunk.nodes}", f"--{count}={chunk.nodes}"]
    options += [f"--cores-per-{unit}={chunk.tasks * chunk.threads}"]
    options += [f"--gpus-per-{unit}={chunk.devices}"] if chunk.devices else []
    options += ["--exclusive"] if batch.exclusive else []
    options += [f"--requires=hosts:{folded(chunk.hosts)}"] if chunk.hosts else []
    return [*options, f"--cwd={job.folder}", f"--output={job.output}{'.{cc}' if job.elements > 1 else ''}"]


def _plain(number: str) -> str:
    return number.replace("ƒ", "f")


def _status(fields: Sequence[str]) -> Status:
    word = _STATES.get(fields[1], "running")
    return Status(word, f"exit status {fields[2]}" if word == "failed" and len(fields) > 2 else "")
