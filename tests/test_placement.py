"""Tests of orders of ranks with real launchers and real congestion: two switches with a slow cable between them."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from banzuke.launch.launcher import find_launcher
from banzuke.launch.start import Start
from banzuke.placement.compare import compare
from banzuke.placement.readers.read import parse
from banzuke.placement.write import order_file
from banzuke.plan.catalogue import declared_flows
from banzuke.results.run import Run
from tests.clusters import Slurm
from tests.conftest import SCRIPTS, on_all, or_skipped
from tests.namespaces import NETWORK, TOOLS, Divided, joined_hosts
from tests.patience import PATIENCE

SLOW = """
name = "two switches"
rate = 1e9
[switches]
first = { hosts = "a[1-2]", up = [{ to = "second", rate = 2.5e6 }] }
second = { hosts = "b[1-2]" }
"""
"""A network whose cable between switches has 20 Mbit/s; the others are as fast as memory."""
MESSAGE = 1 << 18


WORST = ("a1", "b1", "a2", "b2")
"""An order in which each message of a ring passes the slow cable."""


@pytest.mark.alone
def test_the_proposed_order_beats_the_worst_by_what_the_model_says(tmp_path: Path, programs: Path) -> None:
    """A ring that crosses the slow cable once each way is compared with one that does at every step."""
    topology = tmp_path / "slow.toml"
    topology.write_text(SLOW)
    network = parse(SLOW, topology.name)
    pattern = next(pattern for pattern in declared_flows() if pattern.name == "allgather")
    comparison = compare(network, pattern, (4,), np.array(network.find(WORST)), seconds=1, size=MESSAGE)
    expected = comparison.named("scheduler").score.seconds / comparison.proposed.score.seconds
    assert expected == 2
    sizes = (f"min_size={MESSAGE}", f"max_size={MESSAGE}", "iterations=3")
    settings = [word for value in ("operation=allgather", *sizes) for word in ("--set", value)]
    how = ["--order", "node,random:1,place", "--topology", topology, "--wait", "0", "--oversubscribe"]
    with or_skipped(TOOLS, joined_hosts(tmp_path, WORST, Divided(("b1", "b2"), "20mbit"))) as hosts:
        banzuke = on_all(hosts, tmp_path / "results", programs)
        done = banzuke("run", "collectives", "--placement", "4-nodes-1", *settings, *how, **NETWORK)
    assert done.returncode == 0, done.stderr
    times: dict[str, float] = {}
    (run,) = (tmp_path / "results").glob("2*")
    for record in Run(run).read().records:
        assert record.provenance
        order = record.provenance.variant.get("rank_order", "node")
        placed = [name for _, name in sorted((rank, host.name) for host in record.hosts for rank in host.ranks)]
        assert (placed == list(WORST)) is (order == "node")
        assert record.curve
        (point,) = record.curve.points
        times[order] = min(point.metrics["slowest_latency"].samples)  # the cable's time: other load only adds to it
    assert list(times) == ["node", "random:1", "place"]
    assert times["node"] / times["place"] == pytest.approx(expected, rel=0.15)


ORDER = ["h3", "h1", "h2", "h1", "h3", "h2"]
"""An order in which hosts repeat after others."""


@pytest.mark.parametrize("library", ["mpi", "openmpi", "intelmpi"])
def test_a_run_starts_ranks_in_its_order(library: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """The order is in the words that start a case, as a list of words or a file."""
    homes = {"mpi": SCRIPTS.parent} if library == "mpi" else request.getfixturevalue("other_mpis")
    if library not in homes:
        pytest.skip(f"there is no {library} for this processor")
    home = homes[library]
    variable = "OMPI_COMM_WORLD_RANK" if library == "openmpi" else "PMI_RANK"
    ask = ["sh", "-c", f"echo ${variable} $(hostname)"]
    launcher = find_launcher(str(home / "lib" / "libmpi.so"))
    words, files = launcher.render([Start(ask, 6, ["h1", "h2", "h3"], 2, {}, ORDER)], [], tmp_path)
    for file, text in files.items():
        file.write_text(text)
    with or_skipped(TOOLS, joined_hosts(tmp_path, sorted(set(ORDER)))) as hosts:
        environment = os.environ | hosts.variables | NETWORK | dict(launcher.variables)
        environment["PATH"] = f"{home / 'bin'}:{os.environ['PATH']}"
        on = hosts.on("h1", *words)
        done = subprocess.run(on, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    started = dict(line.split() for line in done.stdout.splitlines())
    assert [started[str(rank)] for rank in range(6)] == ORDER


def test_open_mpi_starts_ranks_where_a_rankfile_says(other_mpis: dict[str, Path], tmp_path: Path) -> None:
    """The other file is Slurm's, with one host per line, which also starts a run's order."""
    file, names, order = tmp_path / "order", ["h1", "h2", "h3"], np.array([2, 0, 1, 0, 2, 1])
    file.write_text(order_file(names, order, "rankfile"))
    home = other_mpis["openmpi"]
    how = ["--map-by", f"rankfile:file={file}", "--host", "h1:2,h2:2,h3:2"]
    ask = ["-n", "6", "sh", "-c", "echo $OMPI_COMM_WORLD_RANK $(hostname)"]
    with or_skipped(TOOLS, joined_hosts(tmp_path, names)) as hosts:
        words = hosts.on("h1", home / "bin" / "mpirun", "--allow-run-as-root", *how, *ask)
        environment = os.environ | hosts.variables | NETWORK | {"PATH": f"{home / 'bin'}:{os.environ['PATH']}"}
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    started = dict(line.split() for line in done.stdout.splitlines())
    assert [started[str(rank)] for rank in range(6)] == [names[number] for number in order]


def test_slurm_starts_ranks_where_the_file_says(slurm: Slurm, tmp_path: Path) -> None:
    order = np.array([2, 0, 1, 0, 2, 1])
    file = tmp_path / "order"
    file.write_text(order_file(["n1", "n2", "n3"], order, "slurm"))
    words = (
        "srun",
        "--distribution=arbitrary",
        "-n",
        "6",
        "--overcommit",
        "sh",
        "-c",
        "echo $SLURM_PROCID $(hostname)",
    )
    done = slurm.run(*words, SLURM_HOSTFILE=str(file))
    assert done.returncode == 0, done.stderr
    started = dict(line.split() for line in done.stdout.splitlines())
    assert [started[str(rank)] for rank in range(6)] == ["n3", "n1", "n2", "n1", "n3", "n2"]
