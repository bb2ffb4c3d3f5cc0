"""Tests of rendered jobs on the tests' own Slurm, from submission to their end."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from banzuke.batch import systems
from banzuke.batch.job import ENDED, Chunk, Job, Status, Submitted
from banzuke.machine.cluster import Batch
from tests.clusters import Slurm, on_login

Submit = Callable[..., Submitted]


@pytest.fixture
def submit(slurm: Slurm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Submit:
    """Return a function that submits a job whose command is a line of shell, with commands on the login node."""
    commands = on_login(tmp_path / "commands", slurm.hosts, slurm.variables, ("sbatch", "squeue", "sacct", "scancel"))
    monkeypatch.setenv("PATH", str(commands), prepend=":")

    def given(line: str, partitions: Mapping[str, int] | None = None, name: str = "try", **fields: Any) -> Submitted:
        chunks = tuple(
            Chunk(partition, Batch(system="slurm", queue=partition), nodes, 1)
            for partition, nodes in (partitions or {"main": 1}).items()
        )
        folder = fields.pop("folder", tmp_path)
        seconds = fields.pop("seconds", 60.0)
        job = Job(name, chunks, ("bash", "-c", line), folder, folder / "out", seconds, **fields)
        script = tmp_path / "job.sh"
        script.write_text(systems.render(job))
        return systems.submit(job, script)

    return given


def ending(slurm: Slurm, job: Submitted) -> Status:
    slurm.wait_for(lambda: systems.statuses("slurm", [job])[job.id].state in ENDED, "it did not end")
    return systems.statuses("slurm", [job])[job.id]


def test_a_job_gets_what_it_asks_for(slurm: Slurm, submit: Submit, tmp_path: Path) -> None:
    job = submit(
        "hostname; pwd; echo $V $SLURM_JOB_NUM_NODES; srun hostname 2>srun | sort", {"large": 2}, variables={"V": "5"}
    )
    assert ending(slurm, job) == Status("done")
    assert job.output.read_text().split() == ["n3", str(tmp_path), "5", "2", "n3", "n4"]
    properties = slurm.job(job.id)
    assert (properties["OverSubscribe"], properties["Requeue"], properties["TimeLimit"]) == ("NO", "0", "00:01:00")


def test_states_of_several_jobs_come_at_once(slurm: Slurm, submit: Submit, tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("a", "b", "c")]
    for folder in folders:
        folder.mkdir()
    good, bad, long = (
        submit(line, folder=folder) for line, folder in zip(("true", "exit 3", "sleep 60"), folders, strict=True)
    )
    ending(slurm, good), ending(slurm, bad)
    slurm.wait_for(lambda: systems.statuses("slurm", [long])[long.id].state == "running", "it did not begin")
    gone = Submitted("999999", tmp_path / "nowhere")
    states = systems.statuses("slurm", [good, bad, long, gone])
    assert [states[job.id].state for job in (good, bad, long, gone)] == ["done", "failed", "running", "vanished"]
    systems.cancel("slurm", [long])
    assert ending(slurm, long).state == "cancelled"
    assert systems.statuses("slurm", [gone])[gone.id].state == "vanished"


def test_an_array_is_one_job(slurm: Slurm, submit: Submit) -> None:
    job = submit("hostname >/dev/null; echo $BANZUKE_ELEMENT; exit $((BANZUKE_ELEMENT == 3))", elements=3)
    assert ending(slurm, job).state == "failed"
    assert [Path(f"{job.output}.{at}").read_text() for at in (1, 2, 3)] == ["1\n", "2\n", "3\n"]


def test_a_job_over_unlike_partitions(slurm: Slurm, submit: Submit) -> None:
    line = "srun --het-group=0 hostname : --het-group=1 hostname 2>srun | sort"
    job = submit(line, {"main": 2, "large": 1}, name="x-hetjob-packjob")
    assert ending(slurm, job) == Status("done")
    names = job.output.read_text().split()
    assert len(names) == len(set(names)) == 3
    assert set(names) & {"n3", "n4"}
    assert slurm.job(job.id)["JobName"] == "x-hetjob-packjob"


SLOW = f"""exec {sys.executable} -c '
import signal, sys, time
signal.signal(signal.SIGTERM, signal.default_int_handler)
try:
    print("ready", flush=True)
    time.sleep(100)
except KeyboardInterrupt:
    print("kept")
    sys.exit(130)'"""


def test_a_job_near_its_time_limit_keeps_what_is_finished(slurm: Slurm, submit: Submit) -> None:
    """The signal is sent by hand, because the controller checks time limits only every half minute."""
    job = submit(SLOW, seconds=3600)
    slurm.wait_for(lambda: job.output.exists() and "ready" in job.output.read_text(), "it did not start")
    slurm.ask("scancel", "--batch", "--signal=INT", job.id)
    assert ending(slurm, job) == Status("timed-out", "exit status 130")
    assert job.output.read_text() == "ready\nkept\n"


def test_names_of_folders_add_nothing(slurm: Slurm, submit: Submit, tmp_path: Path) -> None:
    folder = tmp_path / "#x '--nodes=4' \"%j\" $(touch bad) é hetjob"
    folder.mkdir()
    job = submit("pwd; echo $SLURM_JOB_NUM_NODES", folder=folder)
    assert ending(slurm, job) == Status("done")
    assert job.output.read_text() == f"{folder}\n1\n"
