"""Submission, states and cancelling on stand-ins for PBS, PJM and Flux."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from banzuke.batch import systems
from banzuke.batch.conftest import Make
from banzuke.batch.job import ENDED, Job, Status, Submitted
from banzuke.batch.testing import install
from banzuke.machine.cluster import BatchSystem

NAMES: list[BatchSystem] = ["pbs", "pjm", "flux"]


@pytest.fixture(params=NAMES)
def system(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BatchSystem:
    name: BatchSystem = request.param
    monkeypatch.setenv("PATH", str(install(name, tmp_path / "stand-in")), prepend=":")
    return name


def submitted(job: Job) -> Submitted:
    script = job.folder / "job.sh"
    script.write_text(systems.render(job))
    return systems.submit(job, script)


def until(wanted: Callable[[], bool]) -> None:
    end = time.monotonic() + 600
    while not wanted():
        assert time.monotonic() < end
        time.sleep(0.02)


def ending(system: BatchSystem, job: Submitted) -> Status:
    until(lambda: systems.statuses(system, [job])[job.id].state in ENDED)
    return systems.statuses(system, [job])[job.id]


def test_a_job_from_submission_to_its_end(system: BatchSystem, job: Make) -> None:
    done = submitted(job(system, command=("bash", "-c", "pwd; echo $V"), variables={"V": "a b"}))
    assert ending(system, done) == Status("done")
    assert done.output.read_text() == f"{done.output.parent}\na b\n"


def test_states_of_several_jobs_come_at_once(system: BatchSystem, job: Make, tmp_path: Path) -> None:
    commands = {"good": "true", "bad": "exit 3", "long": "sleep 600"}
    jobs = {
        name: submitted(job(system, command=("bash", "-c", line), output=tmp_path / name))
        for name, line in commands.items()
    }
    ending(system, jobs["good"]), ending(system, jobs["bad"])
    gone = Submitted({"pbs": "99.server", "pjm": "99", "flux": "f99"}[system], tmp_path / "gone")
    states = systems.statuses(system, [*jobs.values(), gone])
    assert [status.state for status in states.values()] == ["done", "failed", "running", "vanished"]
    systems.cancel(system, [jobs["long"]])
    assert ending(system, jobs["long"]).state == "cancelled"


def test_an_array(system: BatchSystem, job: Make) -> None:
    line = "echo $BANZUKE_ELEMENT; exit $((BANZUKE_ELEMENT == 2))"
    array = submitted(job(system, command=("bash", "-c", line), elements=3))
    assert ending(system, array).state == "failed"
    assert [Path(f"{array.output}.{at}").read_text() for at in (1, 2, 3)] == ["1\n", "2\n", "3\n"]


def test_a_job_that_is_forgotten_has_ended_as_it_said(system: BatchSystem, job: Make, tmp_path: Path) -> None:
    bad = submitted(job(system, command=("bash", "-c", "exit 5")))
    ending(system, bad)
    for file in (tmp_path / "stand-in").glob("1.*"):
        file.unlink()
    assert systems.statuses(system, [bad])[bad.id] == Status("failed", "exit status 5")
