"""Tests of rendered jobs on the tests' own Grid Engine, from submission to their end."""

import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from banzuke.batch import systems
from banzuke.batch.job import ENDED, Chunk, Job, State, Status, Submitted
from banzuke.errors import BanzukeError
from banzuke.machine.cluster import Batch
from tests.clusters import on_login, waiting
from tests.grid_engine import GridEngine

Submit = Callable[..., Submitted]


@pytest.fixture
def submit(gridengine: GridEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Submit:
    """Return a function that submits a job whose command is a line of shell, with commands on the login node."""
    names = ("qsub", "qstat", "qdel", "qconf")
    commands = on_login(tmp_path / "commands", gridengine.hosts, gridengine.variables, names)
    monkeypatch.setenv("PATH", str(commands), prepend=":")

    def given(
        line: str, nodes: int = 1, *, exclusive: bool = False, after: Sequence[str] = (), **fields: Any
    ) -> Submitted:
        batch = Batch(system="gridengine", queue="all.q", parallel_environment="two", exclusive=exclusive)
        chunks = (Chunk("nodes", batch, nodes, 2),)
        seconds = fields.pop("seconds", 600)
        output = fields.pop("output", tmp_path / "out")
        job = Job("try", chunks, ("bash", "-c", line), tmp_path, output, seconds, **fields)
        script = tmp_path / "job.sh"
        script.write_text(systems.render(job))
        return systems.submit(job, script, after)

    return given


def state(job: Submitted) -> State:
    return systems.statuses("gridengine", [job])[job.id].state


def ending(job: Submitted) -> Status:
    waiting(lambda: state(job) in ENDED, f"job {job.id} did not end", job.output.parent)
    return systems.statuses("gridengine", [job])[job.id]


SLOW = f"""exec {sys.executable} -c '
import signal, sys, time
signal.signal(signal.SIGTERM, signal.default_int_handler)
try:
    print("ready", flush=True)
    time.sleep(100)
except KeyboardInterrupt:
    print("kept")
    sys.exit(130)'"""


def until_ready(job: Submitted) -> None:
    waiting(lambda: job.output.exists() and "ready" in job.output.read_text(), "it did not start", job.output.parent)


def test_a_job_gets_what_it_asks_for(submit: Submit, tmp_path: Path) -> None:
    job = submit("pwd; echo $V; cut -d' ' -f1,2 $PE_HOSTFILE | sort", nodes=2, variables={"V": "5"})
    assert ending(job) == Status("done")
    assert job.output.read_text().splitlines() == [str(tmp_path), "5", "n1 2", "n2 2"]


def test_an_array_of_which_one_fails_and_a_job_that_waits_for_it(submit: Submit, tmp_path: Path) -> None:
    job = submit("echo $BANZUKE_ELEMENT; exit $((BANZUKE_ELEMENT == 3))", elements=3, at_once=3)
    later = submit(f"cat {tmp_path}/out.[123]", after=[job.id], output=tmp_path / "later")
    assert ending(later) == Status("done")
    assert later.output.read_text() == "1\n2\n3\n"
    assert ending(job) == Status("failed", "exit status 1")
    assert [Path(f"{job.output}.{at}").read_text() for at in (1, 2, 3)] == ["1\n", "2\n", "3\n"]


def test_a_cancelled_job_keeps_what_is_finished(submit: Submit) -> None:
    job = submit(SLOW)
    until_ready(job)
    assert state(job) == "running"
    systems.cancel("gridengine", [job])
    assert ending(job).state == "cancelled"
    waiting(lambda: job.output.read_text() == "ready\nkept\n", "it kept nothing", job.output.parent)


def test_a_job_that_is_cancelled_while_it_waits(submit: Submit) -> None:
    job = submit("true", begin=datetime(2100, 1, 1, tzinfo=UTC))
    assert state(job) == "queued"
    systems.cancel("gridengine", [job])
    assert ending(job) == Status("cancelled")


def test_a_job_over_its_time_limit_keeps_what_is_finished(submit: Submit) -> None:
    job = submit(SLOW, seconds=10)
    assert ending(job) == Status("timed-out", "exit status 130")
    assert job.output.read_text() == "ready\nkept\n"


def test_what_the_site_does_not_have_is_refused(submit: Submit) -> None:
    with pytest.raises(BanzukeError, match="`exclusive = false`"):
        submit("true", exclusive=True)
