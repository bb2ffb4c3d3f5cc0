"""Tests of the cluster of four Slurm nodes itself: what clusters.py promises to other tests."""

import os
import sys
from pathlib import Path

from tests.clusters import NODES, Slurm


def submitted(slurm: Slurm, folder: Path, script: str, *options: str) -> str:
    """Submit a job, and return its number."""
    file = folder / "job.sh"
    file.write_text(f"#!/bin/bash\n{script}\n")
    return slurm.ask("sbatch", "--parsable", f"--chdir={folder}", f"--output={folder}/output", *options, file).strip()


def test_each_node_is_a_host_of_its_own(slurm: Slurm) -> None:
    assert sorted(slurm.ask("srun", "--nodes=4", "hostname").split()) == list(NODES)


def test_a_node_that_dies_takes_its_jobs_along(slurm: Slurm, tmp_path: Path) -> None:
    step = "srun sh -c 'touch $SLURMD_NODENAME; exec sleep 10000'"
    job = submitted(slurm, tmp_path, step, "--nodelist=n1,n2", "--no-requeue")
    slurm.wait_for(lambda: all((tmp_path / node).exists() for node in ("n1", "n2")), "the job's step does not begin")
    slurm.cut_off("n2")
    slurm.wait_for_job(job, "NODE_FAIL", "FAILED")
    slurm.wait_for(lambda: slurm.nodes()["n2"].startswith("down"), "n2 is up")


def test_jobs_outlive_their_controller(slurm: Slurm, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "go")
    job = submitted(slurm, tmp_path, "read < go; hostname")
    slurm.wait_for_job(job, "RUNNING")
    slurm.shut_down_controller()
    (tmp_path / "go").write_text("\n")
    slurm.start_controller()
    slurm.wait_for_job(job, "COMPLETED")
    assert (tmp_path / "output").read_text() == "n1\n"


def test_its_configuration_says_whether_energies_are_accounted(slurm: Slurm) -> None:
    """There is no database, so a stand-in tests what sacct answers (banzuke/power/test_accounting.py)."""
    asked = "from banzuke.power.accounting import Accounting as A; print(A.of_job({'SLURM_JOB_ID': '1'}))"
    assert slurm.ask(sys.executable, "-c", asked) == "None\n"
    slurm.configure("AcctGatherEnergyType=acct_gather_energy/rapl\n")
    assert "plugin='acct_gather_energy/rapl'" in slurm.ask(sys.executable, "-c", asked)
