"""Fujitsu's Job Operation Software (Technical Computing Suite): pjsub(1), pjstat(1), pjdel(1)."""

import math
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from banzuke.batch.commands import ask
from banzuke.batch.job import Chunk, Job, State, Status
from banzuke.batch.script import render
from banzuke.batch.system import nonsense, refuse_chunks
from banzuke.errors import BanzukeError

_STATES: dict[str, State] = {
    **dict.fromkeys(("ACC", "QUE", "RNA", "HLD", "SPD"), "queued"),
    **dict.fromkeys(("RNP", "RUN", "RNE", "RNO", "SPP", "RSM"), "running"),
    "EXT": "done",
    "CCL": "cancelled",
    **dict.fromkeys(("RJT", "ERR"), "failed"),
}
"""States by the End-user's Guide, appendix A.1, "ST"."""
_ELAPSED, _NODE_DOWN = "11", "20"
"""PJM codes by the Fugaku User's Guide, 5.16.1."""
_SHAPE = re.compile(r"(\d+(?:x\d+){0,2})(?::(mesh|torus|noncont))?|(mesh|torus|noncont)?", re.ASCII)


class Pjm:
    title = "PJM"
    program = "pjsub"
    asking = ("pjstat",)
    limits_arrays = False

    def render(self, job: Job) -> str:
        refuse_chunks(self.title, job)
        if job.reservation:
            raise BanzukeError(
                "PJM has no option for a reservation", remedy="Name the resource group that was reserved as the queue"
            )
        if job.chunks[0].hosts:
            raise BanzukeError("PJM does not let a job choose its nodes", remedy="Leave --hosts out")
        command = shlex.join(self.submission(job, Path("FILE")))
        return render("pjm", job, {"shape": shape}, submission=command)

    def submission(self, job: Job, script: Path, after: Sequence[str] = ()) -> tuple[str, ...]:
        if after:
            raise BanzukeError(
                "PJM cannot let this job wait for others",
                why="it takes dependencies only between step jobs (pjsub --step)",
                remedy="Submit again with fewer nodes or a higher --power-cap, or when the other jobs have ended",
            )
        bulk = ("--bulk", "--sparam", f"1-{job.elements}") if job.elements > 1 else ()
        return ("pjsub", *bulk, str(script))

    def submit(self, job: Job, script: Path, after: Sequence[str] = ()) -> str:
        said = ask(self.submission(job, script, after))
        match = re.search(r"pjsub Job (\d+) submitted", said)
        if not match:
            raise nonsense("pjsub", said)
        return match[1]

    def states(self, ids: Sequence[str]) -> dict[str, Status]:
        statuses = _pjstat((), ids)
        if missing := [number for number in ids if number not in statuses]:  # ended jobs are only shown with -H
            statuses |= _pjstat(("-H",), missing)
        return statuses

    def cancel(self, ids: Sequence[str]) -> None:
        ask(("pjdel", *ids))

    def draining(self, hosts: Sequence[str], reason: str) -> tuple[str, ...]:
        """Return no command; the manuals of its administrators' commands are not available."""
        del hosts, reason
        return ()


def shape(chunk: Chunk) -> str:
    """Return `node=` of -L, User's Guide 5.9.2: number or extents, and arrangement: `12`, `12:mesh`, `2x3x2:torus`."""
    match = _SHAPE.fullmatch(chunk.shape)
    if not match:
        raise BanzukeError(
            f"'{chunk.shape}' is no shape", why="a shape is 12:mesh, 2x3x2:torus, 12:noncont, or torus alone"
        )
    extents, network, alone = match.groups()
    if extents and math.prod(map(int, extents.split("x"))) != chunk.nodes:
        raise BanzukeError(
            f"shape {chunk.shape} does not have {chunk.nodes} nodes", remedy="Let extents and --nodes agree"
        )
    return ":".join(filter(None, (extents or str(chunk.nodes), network or alone)))


def _pjstat(history: Sequence[str], ids: Sequence[str]) -> dict[str, Status]:
    """Return statuses by number; a bulk job has the combined state of its sub-jobs."""
    command = ("pjstat", *history, "-v", "--choose", "jid,st,ec,pc", "--filter", f"jid={'+'.join(ids)}")
    lines = re.findall(r"^\s*(\d+)\s+([A-Z]{3})\s+(\S+)\s+(\S+)\s*$", ask(command), re.MULTILINE)
    return {number: _status(*rest) for number, *rest in lines}


def _status(state: str, exit_status: str, code: str) -> Status:
    word = _STATES.get(state, "running")
    if code == _ELAPSED:
        return Status("timed-out")
    if code == _NODE_DOWN:
        return Status("node-failed")
    if word == "done" and (exit_status, code) != ("0", "0"):
        return Status("failed", f"exit status {exit_status}, PJM code {code}")
    return Status(word)
