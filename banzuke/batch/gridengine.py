"""Grid Engine: qsub(1), qstat(1), qdel(1) of Son of Grid Engine, which its older and commercial relatives share."""

import getpass
import re
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

from banzuke.batch.commands import CommandError, ask
from banzuke.batch.job import Job, Status
from banzuke.batch.script import render
from banzuke.batch.system import nonsense, refuse_chunks, refuse_shapes, worst
from banzuke.errors import BanzukeError


class GridEngine:
    title = "Grid Engine"
    program = "qconf"  # PBS has a qsub too
    asking = ("qconf", "-sh")
    limits_arrays = True

    def render(self, job: Job) -> str:
        refuse_shapes(self.title, job)
        refuse_chunks(self.title, job)
        chunk = job.chunks[0]
        if chunk.nodes * chunk.tasks * chunk.threads > 1 and not chunk.batch.parallel_environment:
            raise BanzukeError(
                f"partition {chunk.partition} names no parallel environment",
                why="Grid Engine gives several processors to a job only in one",
                remedy="Set 'parallel_environment' in the site file; `qconf -spl` lists them",
            )
        return render("gridengine", job, {})

    def submission(self, job: Job, script: Path, after: Sequence[str] = ()) -> tuple[str, ...]:
        del job
        waiting = ("-hold_jid", ",".join(after)) if after else ()
        return ("qsub", "-terse", *waiting, str(script))

    def submit(self, job: Job, script: Path, after: Sequence[str] = ()) -> str:
        """Submit the job and return qsub's number; explain a site without the resource `exclusive`."""
        try:
            said = ask(self.submission(job, script, after))
        except CommandError as error:
            if 'unknown resource "exclusive"' not in error.said:
                raise
            raise BanzukeError(
                "this Grid Engine cannot give a job nodes of its own",
                why="no resource `exclusive` is defined: complex(5), EXCL",
                remedy="Write `exclusive = false` into the partition's batch table of the site file",
            ) from error
        match = re.search(r"^(\d+)(\.\d+-\d+:\d+)?$", said, re.MULTILINE)  # hooks of a site may print something before
        if not match:
            raise nonsense("qsub", said)
        return match[1]

    def states(self, ids: Sequence[str]) -> dict[str, Status]:
        """Return the states of jobs that have not ended; Grid Engine soon forgets the others."""
        said = ask(("qstat", "-xml", "-u", getpass.getuser()))
        try:
            jobs = list(ET.fromstring(said).iter("job_list"))  # noqa: S314  (of the batch system)
        except ET.ParseError as error:
            raise CommandError("qstat answered nonsense", why=f"it says: {said[:200]}") from error
        statuses: dict[str, list[Status]] = {}
        for job in jobs:
            number, letters = job.findtext("JB_job_number", ""), job.findtext("state", "")
            if number in ids:
                statuses.setdefault(number, []).append(_status(letters))
        return {number: worst(parts) for number, parts in statuses.items()}

    def cancel(self, ids: Sequence[str]) -> None:
        ask(("qdel", *ids))

    def draining(self, hosts: Sequence[str], reason: str) -> tuple[str, ...]:
        """Return the command; it stores no reasons."""
        del reason
        return ("qmod", "-d", ",".join(f"*@{host}" for host in hosts))


def _status(letters: str) -> Status:
    """Return the status by the letters of qstat(1), "status of the job": d, E, h, r, R, s, S, t, T, w, q."""
    if "E" in letters:
        return Status("failed", f"state {letters}: `qstat -explain E` says why it could not start")
    return Status("queued" if "w" in letters else "running", "" if letters in {"qw", "r"} else f"state {letters}")
