"""Tests of one problem on nodes of two partitions of a real Slurm, whose processor time is limited unlike."""

import contextlib
import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.clusters import Slurm
from tests.conftest import Result
from tests.control_groups import ControlGroup, control_group

Called = Callable[..., Result]
SITE = """
name = "here"
[partitions.main]
nodes = 2
hosts = ["n[1-2]"]
[partitions.main.batch]
system = "slurm"
options = ["--nodelist=n1"]
[partitions.main.node]
processors = [{ cores = 2 }]
[partitions.large]
nodes = 2
hosts = ["n[3-4]"]
[partitions.large.batch]
system = "slurm"
queue = "large"
[partitions.large.node]
processors = [{ cores = 2 }]
"""
SMALL = ("--set", "n=960", "--set", "nb=96")
QUOTAS = {"n1": 1.5, "n3": 0.7}
"""Processors' worth of time of each node. How fast they then are depends on what else runs on these processors."""


@pytest.fixture
def banzuke(slurm: Slurm, results: Path, programs: Path, tmp_path: Path) -> Called:
    """Return a function that calls `banzuke` on the login node."""
    site = tmp_path / "site.toml"
    site.write_text(SITE)

    def call(*words: str | Path, **variables: str) -> Result:
        ours = {
            "BANZUKE_SITE": str(site),
            "BANZUKE_LIBEXEC": str(programs),
            "BANZUKE_RESULTS": str(results),
            "BANZUKE_TUNED": str(results.parent / "tuned"),
        }
        return slurm.banzuke(*words, **(ours | variables))

    return call


@pytest.fixture
def unlike(slurm: Slurm) -> Iterator[None]:
    """Limit the processor time of two nodes."""
    with contextlib.ExitStack() as stack:
        for node, quota in QUOTAS.items():
            group = stack.enter_context(control_group(("cpu",), partial(ControlGroup.limit_time, processors=quota)))
            slurm.daemons.kill(node)
            slurm.daemons.start(node, "slurmd -D", first=f"set -e\n{group.join()}")
        slurm.restore()
        yield
        for node in QUOTAS:
            slurm.daemons.kill(node)
    slurm.restore()


def records(results: Path, pattern: str) -> list[dict[str, Any]]:
    files = sorted(results.glob(f"{pattern}/records-*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def nodes_of(record: dict[str, Any]) -> dict[str, tuple[str, int]]:
    """Return the hosts and the ranks of each partition."""
    return {group["partition"]: (group["hosts"][0]["names"], group["ranks"]) for group in record["groups"]}


@pytest.mark.usefixtures("unlike")
def test_a_job_solves_one_problem_on_unlike_nodes_of_two_partitions(banzuke: Called, results: Path) -> None:
    done = banzuke("submit", "hpl", *SMALL, "--partition", "main+large", "--nodes", "1+1", "--wait")
    output = "".join(file.read_text() for file in results.glob("submissions/*/*.out"))
    assert done.returncode == 0, done.stdout + done.stderr + output
    launches = records(results, "*-n1-1")
    assert [record["status"] for record in launches] == ["ok"] * len(launches), [
        record["reason"] for record in launches
    ]
    used = [nodes_of(record) for record in launches]
    assert {tuple(parts) for parts in used} == {("main", "large"), ("main",), ("large",)}
    for parts in used:
        assert {name: host for name, (host, _) in parts.items()}.items() <= {"main": "n1", "large": "n3"}.items()
    one_each = used.index({"main": ("n1", 1), "large": ("n3", 1)})
    together = launches[one_each]
    assert len(together["conditions"]["column_rates"]) == 2
    assert together["metrics"]["flop_rate"]["bounds"][0]["source"].startswith("the sum of the ranks' rates")
    assert len({record["conditions"]["pivots"] for record in launches}) == 1, "the pivots do not depend on the shares"
    assert re.search(
        r"HPL: (Ranks per node: .* on main .* on large|Left out of the first case)", " ".join(output.split())
    )
    (run,) = results.glob("*-n1-1")
    kept = [json.loads(line) for line in (run / "ceilings.jsonl").read_text().splitlines()]
    assert {group["partition"] for record in kept for group in record["groups"]} == {"main", "large"}
    report = banzuke("report", run.name, "--results", results)
    assert report.returncode == 0, report.stderr
    page = (run / "report.html").read_text()
    assert "Each partition alone, and together" in page
    assert "1 node of main and 1 node of large" in page


def test_what_cannot_be_is_refused_before_anything_is_submitted(banzuke: Called, results: Path) -> None:
    for words, said in (
        (("hpl", "--partition", "main+large"), "--nodes 1 does not give a number of nodes for each partition"),
        (("hpl", "--partition", "main+large", "--nodes", "2"), "Write as many numbers as names"),
        (("hpl", "--partition", "main+large", "--nodes", "1+9"), "partition large has 2"),
        (("hpl", "--partition", "main", "--nodes", "1+1"), "does not give a number of nodes for each partition"),
        (("hpl", "--partition", "main+", "--nodes", "1+1"), "a name is empty"),
        (("hpl", "--partition", "main+main", "--nodes", "1+1"), "names main twice"),
        (("hpl", "--partition", "main+largo", "--nodes", "1+1"), "Did you mean 'large'?"),
        (("hpl", "--partition", "main+large", "--nodes", "1+x"), "--nodes '1+x' is not understood"),
        (("stream", "--partition", "main+large", "--nodes", "1+1"), "stream cannot run on nodes of main and large"),
        (("hpl", "--partition", "main+large", "--nodes", "1+1", "--groups", "0+1"), "--groups is for one partition"),
        (("hpl", "--partition", "main+large", "--nodes", "1+1", "--hosts", "n1"), "--hosts is for jobs on one"),
        (("--partition", "main+large", "--nodes", "1+1", "--evaluate"), "an evaluation is of one partition"),
    ):
        done = banzuke("submit", *words)
        assert (done.returncode, said in " ".join(done.stderr.split())) == (2, True), (words, done.stderr)
    assert not (results / "submissions").exists()


def test_the_script_has_a_part_for_each_partition(banzuke: Called) -> None:
    done = banzuke("submit", "hpl", "--partition", "main+large", "--nodes", "1+2", "--dry-run")
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.split("#SBATCH hetjob\n")
    assert "#SBATCH --nodes=1\n" in first
    assert "#SBATCH --partition=large\n" in second
    assert "#SBATCH --nodes=2\n" in second
    assert "--nodes 1+2" in " ".join(second.split())
    assert "--partition main+large" in " ".join(second.split())
