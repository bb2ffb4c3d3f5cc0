"""Orders of ranks on real launchers, and real congestion: two switches with a slow cable between them."""

import json
import os
import statistics
import subprocess
from pathlib import Path

import numpy as np
import pytest

from banzuke.placement.compare import compare
from banzuke.placement.readers.read import parse
from banzuke.placement.write import Launcher, order_file
from banzuke.plan.catalogue import declared_flows
from banzuke.record.model import Record
from tests.clusters import Slurm
from tests.conftest import SCRIPTS, or_skipped
from tests.namespaces import NETWORK, TOOLS, Divided, Hosts, joined_hosts
from tests.patience import PATIENCE

NODES = ("a1", "a2", "b1", "b2")
SLOW = """
name = "two switches"
rate = 1e9
[switches]
first = { hosts = "a[1-2]", up = [{ to = "second", rate = 2.5e6 }] }
second = { hosts = "b[1-2]" }
"""
"""The cable between them has 20 Mbit/s; the others are as fast as memory."""
MESSAGE = 1 << 20


def gathered(hosts: Hosts, programs: Path, machinefile: Path) -> tuple[list[str], float]:
    """The hosts of the ranks in their order, and the seconds of MPI_Allgather until the last one has all."""
    sizes = ("--min_size", str(MESSAGE), "--max_size", str(MESSAGE), "--iterations", "3")
    command: list[str | Path] = [
        SCRIPTS / "mpiexec",
        "-f",
        machinefile,
        "-n",
        "4",
        programs / "banzuke-collectives-mpi",
    ]
    words = hosts.on(hosts.names[0], *command, "--operation", "allgather", *sizes)
    environment = os.environ | hosts.variables | NETWORK
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("{")]
    record = json.loads(line)
    placed = sorted((rank, host.name) for host in Record.model_validate(record).hosts for rank in host.ranks)
    (point,) = record["curves"]["size"]["points"]
    return [name for _, name in placed], statistics.median(point["metrics"]["slowest_latency"]["samples"])


@pytest.mark.alone
def test_the_proposed_order_beats_the_worst_by_what_the_model_says(tmp_path: Path, programs: Path) -> None:
    """A ring that crosses the slow cable once each way, against one that does at every step."""
    network = parse(SLOW, "slow.toml")
    pattern = next(pattern for pattern in declared_flows() if pattern.name == "allgather")
    worst = np.array(network.find(["a1", "b1", "a2", "b2"]))
    comparison = compare(network, pattern, (4,), worst, seconds=1, size=MESSAGE)
    expected = comparison.named("scheduler").score.seconds / comparison.proposed.score.seconds
    assert expected == 2
    times = []
    with or_skipped(TOOLS, joined_hosts(tmp_path, NODES, Divided(("b1", "b2"), "20mbit"))) as hosts:
        for order in (comparison.proposed.order, worst):
            machinefile = tmp_path / "machinefile"
            machinefile.write_text(order_file(network.hosts, order, "mpich"))
            ranks, seconds = gathered(hosts, programs, machinefile)
            assert ranks == [network.hosts[number] for number in order]
            times.append(seconds)
    assert times[1] / times[0] == pytest.approx(expected, rel=0.15)


@pytest.mark.parametrize("launcher", ["openmpi", "rankfile"])
def test_open_mpi_starts_ranks_where_the_file_says(
    launcher: Launcher, other_mpis: dict[str, Path], tmp_path: Path
) -> None:
    file, names, order = tmp_path / "order", ["h1", "h2", "h3"], np.array([2, 0, 1, 0, 2, 1])
    file.write_text(order_file(names, order, launcher))
    home = other_mpis["openmpi"]
    how = ["--map-by", "seq", "--hostfile", str(file)]
    if launcher == "rankfile":
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
