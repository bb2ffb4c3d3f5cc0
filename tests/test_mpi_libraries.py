"""Tests of benchmarks with several MPI libraries at once: builds for PyPI's Open MPI and Intel MPI beside the first."""

import json
import platform
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from scripts.add_build import install
from tests.conftest import MESSENGERS, SCRIPTS, Banzuke

WORDS = {"default": "", "openmpi": "Open MPI", "intelmpi": "Intel(R) MPI Library"}
"""Each build's library's name for itself."""
QUICK = ("--set", "iterations=5", "--set", "min_size=8", "--set", "max_size=16384")


@pytest.fixture(scope="module")
def libexec(
    tmp_path_factory: pytest.TempPathFactory, other_mpis: Mapping[str, Path], compiled: Callable[[str], Path]
) -> str:
    """Return a folder of this installation's programs, and builds for the other libraries of what sends messages."""
    prefix = tmp_path_factory.mktemp("libraries")
    (prefix / "bin").mkdir()
    for program in SCRIPTS.glob("banzuke-*"):
        (prefix / "bin" / program.name).symlink_to(program)
    for name in other_mpis:
        made = tmp_path_factory.mktemp(name)
        (made / "bin").mkdir()
        for messenger in MESSENGERS:
            shutil.copy(compiled(name) / "bin" / messenger, made / "bin")
        install(name, made, prefix)
    return str(prefix / "bin")


def builds() -> str:
    return "default,openmpi,intelmpi" if platform.machine() == "x86_64" else "default,openmpi"


@pytest.mark.parametrize(
    ("benchmark", "settings"),
    [("pt2pt", ["--set", "test=latency,bandwidth"]), ("collectives", ["--set", "operation=allreduce"])],
    ids=["pt2pt", "collectives"],
)
def test_libraries_run_in_turn_each_with_its_own_launcher(
    banzuke: Banzuke, libexec: str, benchmark: str, settings: list[str]
) -> None:
    done = banzuke("run", benchmark, *settings, *QUICK, "--build", builds(), "--json", BANZUKE_LIBEXEC=libexec)
    assert done.returncode == 0, done.stdout + done.stderr
    records: list[dict[str, Any]] = json.loads(done.stdout)["records"]
    for record in records:
        (group,) = record["groups"]
        assert record["backend"] == "mpi"
        assert group["software"]["mpi"].startswith(WORDS[group["build"]]), group
    asked = len(settings[1].split("=")[1].split(","))
    assert [record["groups"][0]["build"] for record in records] == builds().split(",") * asked


def test_a_library_is_named_as_its_vendor_is(banzuke: Banzuke, libexec: str) -> None:
    settings = ("--set", "test=latency", *QUICK, "--mpi", "openmpi")
    done = banzuke("run", "pt2pt", *settings, "--json", BANZUKE_LIBEXEC=libexec)
    assert done.returncode == 0, done.stdout + done.stderr
    records: list[dict[str, Any]] = json.loads(done.stdout)["records"]
    assert {record["groups"][0]["build"] for record in records} == {"openmpi"}
    said = json.loads(banzuke("list", "--json", BANZUKE_LIBEXEC=libexec).stdout)["builds"]
    named = {build["name"]: build["mpi_name"] for build in said}
    assert named.pop("default") not in ("none", "other")
    assert named == {"openmpi": "openmpi", "intelmpi": "intel"} if len(named) > 1 else {"openmpi": "openmpi"}
