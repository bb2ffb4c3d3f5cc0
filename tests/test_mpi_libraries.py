"""The same benchmarks with several MPI libraries at once: PyPI's Open MPI and Intel MPI beside the one of the build."""

import json
import os
import platform
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from scripts import add_mpi
from tests.conftest import SCRIPTS, Banzuke

WORDS = {"mpi": "", "openmpi": "Open MPI", "intelmpi": "Intel(R) MPI Library"}
"""How each library calls itself."""
QUICK = ("--set", "iterations=5", "--set", "min_size=8", "--set", "max_size=16384")


@pytest.fixture(scope="module")
def libexec(tmp_path_factory: pytest.TempPathFactory, other_mpis: Mapping[str, Path]) -> Path:
    """A folder with this installation's programs and those for the other libraries."""
    prefix = tmp_path_factory.mktemp("libraries")
    (prefix / "bin").mkdir()
    for program in SCRIPTS.glob("banzuke-*"):
        (prefix / "bin" / program.name).symlink_to(program)
    for name, home in other_mpis.items():
        add_mpi.add(home, name, prefix)
    return prefix / "bin"


def backends() -> str:
    return "mpi,openmpi,intelmpi" if platform.machine() == "x86_64" else "mpi,openmpi"


@pytest.mark.parametrize(
    ("benchmark", "settings"),
    [("pt2pt", ["--set", "test=latency,bandwidth"]), ("collectives", ["--set", "operation=allreduce"])],
    ids=["pt2pt", "collectives"],
)
def test_libraries_run_in_turn_each_with_its_own_launcher(
    banzuke: Banzuke, libexec: Path, benchmark: str, settings: list[str]
) -> None:
    done = banzuke("run", benchmark, *settings, *QUICK, "--backend", backends(), "--json", BANZUKE_LIBEXEC=str(libexec))
    assert done.returncode == 0, done.stdout + done.stderr
    records: list[dict[str, Any]] = json.loads(done.stdout)["records"]
    for record in records:
        library = record["groups"][0]["software"]["mpi"]
        assert library.startswith(WORDS[record["backend"]]), library
    asked = len(settings[1].split("=")[1].split(","))
    assert [record["backend"] for record in records] == backends().split(",") * asked


def test_an_mpi_without_its_files_is_refused_before_anything_is_built(tmp_path: Path) -> None:
    done = subprocess.run(
        ["make", "mpi", f"MPI={tmp_path}", "NAME=other"],
        cwd=Path(__file__).parent.parent,
        env={**os.environ, "MAKEFLAGS": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "holds no MPI" in done.stderr
