"""Tests of screens of a real Slurm's nodes: all healthy, then with a slow, a hung, and a dead one. Their figures are
stand-ins.
"""

import json
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.clusters import LOGIN, NODES, Slurm
from tests.conftest import SCRIPTS, Result
from tests.patience import PATIENCE
from tests.screening import Screened

pytestmark = pytest.mark.first  # a screen waits for a hung node and a dead one
BANZUKE = str(SCRIPTS / "banzuke")
HANGS = (20, 100, 300)
"""Seconds after which a program on a node counts as hung; beside other tests a healthy one takes a few, seldom more."""


class Jobs:
    def __init__(self, slurm: Slurm, screened: Screened) -> None:
        self.slurm, self.screened, self.folder = slurm, screened, screened.folder

    def screen(self, meanwhile: Callable[[], None] = lambda: None, timeout: int = PATIENCE) -> tuple[int, Any]:
        """Return exit status and document of a screen of all nodes, which begins after `meanwhile`.

        `timeout`: seconds after which a program counts as hung; if one does, the test waits for all of it.
        """
        go = self.folder / "go"
        go.unlink(missing_ok=True)
        os.mkfifo(go)
        script = self.folder / "job.sh"
        command = f"{shlex.quote(BANZUKE)} screen --json --minutes 0.01 --timeout {timeout}"
        script.write_text(f"#!/bin/bash\nread < {go}\n{command} > out 2> err\n")
        options = ("--parsable", "--no-kill", "--nodes=4", f"--chdir={self.folder}", "--output=job.out")
        number = self.run("sbatch", *options, script).stdout.strip()
        self.slurm.wait_for_job(number, "RUNNING")
        meanwhile()
        go.write_text("\n")
        job = self.slurm.wait_for_job(number, "COMPLETED", "FAILED")
        text = (self.folder / "out").read_text()
        assert text, (self.folder / "err").read_text()
        return int(job["ExitCode"].partition(":")[0]), json.loads(text)

    def run(self, *words: str | Path, on: str = LOGIN) -> Result:
        return self.slurm.run(*words, on=on, **self.screened.variables)


@pytest.fixture
def jobs(slurm: Slurm, programs: Path, tmp_path: Path) -> Jobs:
    return Jobs(slurm, Screened(tmp_path, programs))


def verdicts(document: Any) -> dict[str, str]:
    return {node["host"]: node["verdict"] for node in document["nodes"]}


def test_slow_hung_and_dead_nodes_are_named_and_the_epilog_drains_a_slow_one(jobs: Jobs) -> None:
    status, document = jobs.screen()
    assert verdicts(document) == dict.fromkeys(NODES, "pass"), json.dumps(document["nodes"])
    assert status == 0
    learnt = jobs.run(BANZUKE, "screen", "--learn")
    assert "of 4 nodes" in learnt.stdout, learnt.stderr

    jobs.screened.fault(slow="n2")
    epilog(jobs)
    assert jobs.run("srun", "--nodes=4", "true").returncode == 0
    jobs.slurm.wait_for(lambda: drained_by_a_job(jobs, "n2"), "n2 is not drained")
    jobs.slurm.wait_for(lambda: list(jobs.slurm.nodes().values()).count("idle") == 3, "other nodes are not idle")
    *_, line = (jobs.folder / "epilog.n2").read_text().splitlines()
    (node,) = json.loads(line)["nodes"]
    assert (node["host"], node["verdict"]) == ("n2", "fail")
    jobs.slurm.restore()

    jobs.screened.fault(slow="n2", hung="n3")
    failing = dict.fromkeys(NODES, "fail") | {"n1": "pass"}
    for hangs in HANGS:
        status, document = jobs.screen(meanwhile=lambda: jobs.slurm.cut_off("n4", patience=12), timeout=hangs)
        nodes = {node["host"]: node for node in document["nodes"]}
        if verdicts(document) == failing and nodes["n2"]["reasons"]:
            break
        jobs.slurm.restore()
    nodes = {node["host"]: node for node in document["nodes"]}
    assert verdicts(document) == failing, json.dumps(document["nodes"])
    assert status == 1
    assert {round(reason["percent"]) for reason in nodes["n2"]["reasons"]} == {30}
    assert "did not end within" in nodes["n3"]["action"]["text"]
    assert "could not be started" in nodes["n4"]["action"]["text"]
    assert document["drain"].startswith("scontrol update 'NodeName=n[2-4]' State=DRAIN")


def drained_by_a_job(jobs: Jobs, node: str) -> bool:
    """Return whether the node is drained; if it waits for jobs, give it another one.

    An epilog does not judge a node while other processes, here other tests, use its processors.
    """
    state = jobs.slurm.nodes()[node]
    if state == "idle":
        jobs.run("srun", f"--nodelist={node}", "true")
    return state.startswith("drain")


def epilog(jobs: Jobs) -> None:
    """Run what docs/screen.md shows as an epilog."""
    script = jobs.folder / "epilog.sh"
    variables = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in jobs.screened.variables.items())
    call = f"timeout {PATIENCE} {shlex.quote(BANZUKE)} screen --epilog >> {jobs.folder}/epilog.$SLURMD_NODENAME"
    script.write_text(f"#!/bin/sh\nexport PATH={shlex.quote(os.environ['PATH'])}\n{variables}{call}\n[ $? -ne 1 ]\n")
    script.chmod(0o755)
    jobs.slurm.configure(f"Epilog={script}\n")
