"""Tests of jobs of a real Slurm on several hosts, with each launcher, and with failures of the cluster meanwhile."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.clusters import NODES, Slurm
from tests.conftest import SMALL, Result, Wrapped

Called = Callable[..., Result]
SITE = """
name = "tests"
[partitions.main]
nodes = 4
launcher = "{launcher}"
[partitions.main.batch]
system = "slurm"
"""
ORDERS = "node,random:1"
PAIR = ("pt2pt", "--nodes", "2", "--set", "test=latency")


@pytest.fixture(scope="module")
def shared_results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return one folder, so that the link between the hosts is measured once."""
    return tmp_path_factory.mktemp("slurm-runs") / "results"


@pytest.fixture
def banzuke(slurm: Slurm, shared_results: Path, programs: Path, tmp_path: Path) -> Called:
    """Return a function that calls `banzuke` on the login node, for a site with this launcher."""

    def call(*words: str, launcher: str = "srun", **variables: str) -> Result:
        site = tmp_path / "site.toml"
        site.write_text(SITE.format(launcher=launcher))
        folders = {
            "BANZUKE_SITE": str(site),
            "BANZUKE_LIBEXEC": str(programs),
            "BANZUKE_RESULTS": str(shared_results),
            "BANZUKE_TUNED": str(shared_results.parent / "tuned"),
        }
        return slurm.banzuke(*words, **(folders | variables))

    return call


@pytest.mark.parametrize(
    ("benchmark", "launcher", "parameters"),
    [
        ("hpl", "srun", ["n=512", "nb=64"]),
        ("fft", "mpiexec", ["n=32"]),
    ],
)
def test_a_benchmark_runs_on_two_nodes(
    benchmark: str, launcher: str, parameters: list[str], banzuke: Called, shared_results: Path
) -> None:
    sets = [word for text in parameters for word in ("--set", text)]
    done = banzuke("submit", benchmark, "--nodes", "2", *sets, "--order", ORDERS, "--wait", launcher=launcher)
    assert done.returncode == 0, done.stderr
    (run,) = shared_results.glob(f"{done.stdout.partition(':')[0]}")
    lines = [line for file in run.glob("records-*.jsonl") for line in file.read_text().splitlines()]
    records = [line for line in map(json.loads, lines) if line["benchmark"] == benchmark]
    for record, order in zip(records, ORDERS.split(","), strict=True):
        assert record["status"] == "ok", record["reason"]
        assert Path(record["provenance"]["command"][0]).name == launcher
        hosts = {entry["names"]: entry["ranks"] for entry in record["groups"][0]["hosts"]}
        assert record["provenance"]["variant"].get("rank_order", "node") == order
        assert (set(hosts) == {"n[1-2]"}) is (order == "node"), hosts


def test_a_job_goes_on_when_its_controller_restarts_and_its_nodes_were_drained(slurm: Slurm, banzuke: Called) -> None:
    for node in NODES:
        slurm.drain(node)
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(banzuke, "submit", "stream", *SMALL, "--wait")
        slurm.wait_for(lambda: bool(slurm.ask("squeue", "--noheader")), "no job is queued")
        slurm.shut_down_controller()
        slurm.start_controller()
        slurm.resume(NODES)
        done = waiting.result()
    assert done.returncode == 0, done.stderr
    assert "1 job done" in done.stderr


@pytest.mark.thorough  # half a minute; test_slurm.py has a node that dies
def test_a_job_whose_node_dies_says_so_and_goes_on_when_it_is_submitted_again(
    slurm: Slurm, banzuke: Called, wrapped: Wrapped
) -> None:
    """Its ranks sleep, because real ones would take a processor each until the node is known to be dead."""
    hangs = wrapped("exec sleep 10000", "banzuke-pt2pt-mpi")
    submission = banzuke("submit", *PAIR, **hangs).stderr.split("submissions/")[1].split()[0]
    slurm.wait_for(lambda: "banzuke-" in slurm.ask("squeue", "--steps", "--noheader"), "no step runs")
    slurm.cut_off("n2")
    done = banzuke("jobs", "--wait", submission)
    assert done.returncode == 1
    assert "node-failed (NodeDown)" in done.stderr
    slurm.restore()
    assert banzuke("jobs", "--resubmit", submission, **hangs).returncode == 0
    slurm.wait_for(lambda: "banzuke-" in slurm.ask("squeue", "--steps", "--noheader"), "no step runs")
    assert banzuke("jobs", "--cancel", submission).returncode == 0
    slurm.wait_for(lambda: not slurm.ask("squeue", "--noheader"), "the job runs on")
    assert "cancelled" in banzuke("jobs", submission).stdout
