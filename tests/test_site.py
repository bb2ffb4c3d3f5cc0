"""Tests of site files from a real Slurm and a real Grid Engine, on a login node that is none of their nodes."""

import json
import os
import sys
import tomllib
from pathlib import Path

from tests.clusters import Result, Slurm
from tests.grid_engine import GridEngine

BANZUKE = Path(sys.executable).with_name("banzuke")


def site(slurm: Slurm, *words: str | Path) -> Result:
    return slurm.banzuke("site", *words)


def test_slurm_partitions_of_unlike_nodes_become_partitions_of_the_site(slurm: Slurm, tmp_path: Path) -> None:
    file = tmp_path / "site.toml"
    written = site(slurm, "init", file)
    assert written.returncode == 0, written.stderr
    content = tomllib.loads(file.read_text())
    assert content["name"] == "login"
    partitions = content["partitions"]
    assert {key: (partition["nodes"], partition["hosts"]) for key, partition in partitions.items()} == {
        "large": (2, ["n[3-4]"]),
        "main-1": (2, ["n[1-2]"]),
    }
    assert partitions["large"]["batch"] == {"system": "slurm", "queue": "large", "longest": 7200.0}
    assert partitions["main-1"]["batch"]["options"] == ["--exclude=n[3-4]"]
    assert partitions["main-1"]["node"]["memory"]["usable"] == 4000 << 20
    assert '# queue "main" has the same nodes, at most 1 h 0 min' in file.read_text()
    checked = site(slurm, "check", file)
    assert (checked.returncode, checked.stdout.strip()) == (
        0,
        f"{file} describes login: large (2 nodes), main-1 (2 nodes)",
    )
    again = site(slurm, "init", file)
    assert (again.returncode, "exists" in again.stderr) == (2, True)


def test_a_file_that_differs_from_slurm_is_told(slurm: Slurm, tmp_path: Path) -> None:
    file = tmp_path / "site.toml"
    file.write_text(
        'name = "x"\n[partitions.a]\nnodes = 9\nhosts = ["n[1-9]"]\n'
        'batch = { system = "slurm", queue = "main", longest = 7200 }\n'
        '[partitions.b]\nbatch = { system = "slurm", queue = "lorge" }\n'
        '[partitions.c]\nhosts = ["n3"]\n'
        'batch = { system = "slurm", queue = "main" }\nnode.memory.usable = 4194304000\n'
    )
    checked = site(slurm, "check", file)
    assert checked.returncode == 1
    assert checked.stdout.splitlines() == [
        "a: longest: 2 h 0 min here, at most 1 h 0 min in queue 'main'",
        "a: nodes: 9 here, 4 in queue 'main'",
        "a: hosts: n[5-9] not in queue 'main'",
        "b: there is no queue 'lorge'. Did you mean 'large'?",
        "c: node memory.usable: 4194304000 here, 8388608000 by the batch system",
    ]


def test_a_controller_that_does_not_answer_leaves_no_file(slurm: Slurm, tmp_path: Path) -> None:
    slurm.crash_controller()
    written = site(slurm, "init", tmp_path / "site.toml")
    assert written.returncode == 2
    assert "no batch system answers:" in written.stderr
    assert not list(tmp_path.iterdir())


def test_a_job_is_run_as_its_partition(slurm: Slurm, tmp_path: Path) -> None:
    """The partition is that of the host; srun starts the command there."""
    file = tmp_path / "site.toml"
    assert site(slurm, "init", file).returncode == 0
    shown = slurm.run(
        "srun", "--partition=large", "--nodes=1", BANZUKE, "machine", "--no-measure", "--json", "--site", file
    )
    assert shown.returncode == 0, shown.stderr
    assert json.loads(shown.stdout)["allotments"][0]["partition"] == "large"


def test_a_heterogeneous_job_has_the_hosts_of_its_own_part(slurm: Slurm, tmp_path: Path) -> None:
    script = tmp_path / "job.sh"
    code = "from banzuke.machine.allocation import *; import os; print(groups(os.environ), allocation(os.environ))"
    script.write_text(f"#!/bin/bash\n{sys.executable} -c '{code}'\n")
    parts = ("--nodelist=n1,n2", ":", "--partition=large", "--nodes=1")
    done = slurm.run("sbatch", "--wait", f"--output={tmp_path}/output", *parts, script)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "output").read_text() == "[['n1', 'n2'], ['n3']] ['n1', 'n2']\n"


def test_grid_engine_s_queues_become_partitions_of_the_site(gridengine: GridEngine, tmp_path: Path) -> None:
    gridengine.change(tmp_path, "-sq all.q", "-Mq", h_rt="24:00:00,[n2=12:00:00]")
    file = tmp_path / "site.toml"
    written = gridengine.banzuke("site", "init", file)
    assert written.returncode == 0, written.stderr
    (partition,) = tomllib.loads(file.read_text())["partitions"].values()
    assert (partition["nodes"], partition["hosts"]) == (2, ["n[1-2]"])
    assert partition["batch"] == {
        "system": "gridengine", "queue": "all.q", "longest": 86400.0, "parallel_environment": "two"
    }  # fmt: skip
    assert partition["node"]["processors"][0]["logical"] == os.cpu_count()
    assert gridengine.banzuke("site", "check", file).returncode == 0


def test_jobs_keep_to_the_nodes_of_their_partition(slurm: Slurm, tmp_path: Path) -> None:
    """Slurm accepts scripts from a site file exactly as it was written."""
    file = tmp_path / "site.toml"
    assert site(slurm, "init", file).returncode == 0
    words = ("submit", "stream", "--nodes", "1", "--dry-run", "--results", tmp_path / "results")
    slurm.drain("n1")
    for partition, node in (("main-1", "n2"), ("large", "n3")):
        shown = slurm.banzuke(*words, "--site", file, "--partition", partition)
        assert shown.returncode == 0, shown.stderr
        script = tmp_path / f"{partition}.sh"
        script.write_text(shown.stdout)
        tried = slurm.run("sbatch", "--test-only", script)
        assert f"on nodes {node} in partition" in tried.stderr
    slurm.drain("n2")
    assert "n3" not in slurm.run("sbatch", "--test-only", tmp_path / "main-1.sh").stderr


def test_srun_may_start_banzuke(slurm: Slurm, tmp_path: Path) -> None:
    """As in an interactive job, the program is not a rank of that step."""
    words = ("run", "stream", "--set", "n=100000", "--results", tmp_path / "results")
    done = slurm.run("srun", "--nodes=1", BANZUKE, *words)
    assert done.returncode == 0, done.stderr
