"""Tests of orders of ranks with real launchers and real congestion: two switches with a slow cable between them."""

import os
import shlex
import subprocess
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

from banzuke.launch.launcher import find_launcher
from banzuke.launch.start import Start
from banzuke.placement.write import command, order_file
from tests.clusters import Slurm
from tests.conftest import SCRIPTS, or_skipped
from tests.namespaces import NETWORK, TOOLS, joined_hosts
from tests.patience import PATIENCE

ORDER = ["h3", "h1", "h2", "h1", "h3", "h2"]
"""An order in which hosts repeat after others."""


@pytest.mark.parametrize(
    "library", ["mpi", *(pytest.param(name, marks=pytest.mark.mpi) for name in ("openmpi", "intelmpi"))]
)
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


def test_mpich_starts_ranks_where_its_machine_file_says(tmp_path: Path) -> None:
    file, names, order = tmp_path / "order", ["h1", "h2", "h3"], np.array([2, 0, 1, 0, 2, 2])
    file.write_text(order_file(names, order, "mpich"))
    ask = ["-n", "6", "sh", "-c", "echo $PMI_RANK $(hostname)"]
    with or_skipped(TOOLS, joined_hosts(tmp_path, names)) as hosts:
        words = hosts.on("h1", SCRIPTS / "mpiexec", "-machinefile", file, *ask)
        environment = os.environ | hosts.variables | NETWORK
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    started = dict(line.split() for line in done.stdout.splitlines())
    assert [started[str(rank)] for rank in range(6)] == [names[number] for number in order]


@pytest.mark.thorough  # Debian has no Flux, so CI cannot start it
def test_flux_starts_ranks_where_the_file_says(tmp_path: Path) -> None:
    """Three brokers on this host, each with a host name of its own."""
    file, order = tmp_path / "order", np.array([2, 0, 1, 0, 2, 1])
    file.write_text(order_file(["n1", "n2", "n3"], order, "flux"))
    config, named = tmp_path / "flux.toml", tmp_path / "named"
    config.write_text('[resource]\nnoverify = true\n[[resource.config]]\nhosts = "n[1-3]"\ncores = "0-1"\n')
    named.write_text('#!/bin/sh\nexec unshare --uts sh -c \'hostname n$((PMI_RANK + 1)); exec "$@"\' sh "$@"\n')
    named.chmod(0o755)
    brokers = ("--test-size=3", "--test-hosts=n[1-3]", f"--wrap={named}", f"--config-path={config}")
    run = shlex.split(command("flux", str(file), order))[:-1]
    with or_skipped(["flux", "unshare"], nullcontext()):
        words = ["flux", "start", *brokers, *run, "sh", "-c", "echo $FLUX_TASK_RANK $(hostname)"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    started = dict(line.split() for line in done.stdout.splitlines())
    assert [started[str(rank)] for rank in range(6)] == ["n3", "n1", "n2", "n1", "n3", "n2"]


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
