"""The probe of MPI libraries with real ones: one program loads each, whichever binary interface it has."""

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from banzuke.launch.launcher import launcher_of
from banzuke.launch.start import Start
from banzuke.machine.discover import discover
from tests.conftest import SCRIPTS
from tests.patience import PATIENCE

PROBE = SCRIPTS / "banzuke-messages"
OWN = SCRIPTS.parent


def start(home: Path, library: Path, ranks: int) -> subprocess.CompletedProcess[str]:
    """Start the probe by the launcher of `home`, all ranks on the first processor: nothing here is timed."""
    launcher = launcher_of(home / "bin" / "mpiexec")
    cpu = discover(measure=False).allotment.one_per_core[0]
    words = [str(PROBE), str(library), ",".join([str(cpu)] * ranks)]
    command, _ = launcher.render([Start(words, ranks, (), ranks, {})], (), Path())
    variables = {**os.environ, **launcher.variables}
    return subprocess.run(command, env=variables, capture_output=True, text=True, timeout=PATIENCE, check=False)


def check(home: Path, library: str, interface: str, name: str) -> None:
    done = start(home, home / "lib" / library, 3)
    assert done.returncode == 0, done.stderr
    answer: Mapping[str, Any] = json.loads(done.stdout)
    assert (answer["interface"], answer["ranks"]) == (interface, 3)
    assert answer["version"].startswith(name)
    assert min(answer[figure] for figure in ("latency", "bandwidth", "allreduce")) > 0


@pytest.mark.parametrize(("library", "interface"), [("libmpi.so.12", "mpich"), ("libmpi_abi.so.1", "standard")])
def test_the_installations_library_is_probed_by_both_its_interfaces(library: str, interface: str) -> None:
    if not (OWN / "lib" / library).is_file():
        pytest.skip("the MPI library is the machine's own")
    check(OWN, library, interface, "MPICH")


def test_other_libraries_are_probed_by_the_same_program(other_mpis: Mapping[str, Path]) -> None:
    check(other_mpis["openmpi"], "libmpi.so.40", "openmpi", "Open MPI")
    if home := other_mpis.get("intelmpi"):
        check(home, "libmpi.so.12", "mpich", "Intel(R) MPI")
        check(home, "libmpi_abi.so.1", "standard", "Intel(R) MPI")


def test_ranks_that_do_not_see_each_other_are_an_error(other_mpis: Mapping[str, Path]) -> None:
    """As with the launcher of another library, whose ranks would each send messages to nobody."""
    done = start(OWN, other_mpis["openmpi"] / "lib" / "libmpi.so.40", 2)
    assert done.returncode != 0
    assert "the launcher is not that of this MPI library" in done.stderr


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["/no/such/libmpi.so", "0,1"], "cannot load the MPI library: /no/such/libmpi.so"),
        (["/lib/x", "0,-1"], "'0,-1' is no list of processors"),
        (["/lib/x", "0"], "two processors at least"),
        ([], "usage: mpiexec"),
    ],
)
def test_a_wrong_call_says_why(words: Sequence[str], why: str) -> None:
    done = subprocess.run([PROBE, *words], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 1
    assert why in done.stderr
