"""Tests of GKV end to end: every kernel in both variants, several ranks, and refusals."""

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import SCRIPTS, Banzuke, Result

SMALL = tuple(word for name in ("nx=7", "ny=5", "nz=4", "nv=6", "nm=4", "rounds=2") for word in ("--set", name))
ALGORITHM = "MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM"
TRIED = ["auto", "brucks", "pairwise", "scattered"]
SHORT = (*SMALL, "--threads", "1", "--oversubscribe")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return one folder for all tests, so that ceilings are measured once."""
    return tmp_path_factory.mktemp("gkv") / "results"


def records(done: Result) -> list[dict[str, Any]]:
    assert done.returncode == 0, done.stderr
    launches: list[dict[str, Any]] = json.loads(done.stdout)["records"]
    return launches


def test_both_variants_of_each_kernel_are_verified(banzuke: Banzuke) -> None:
    call = ("--set", "kernel=intgrl,diff45,diff123", "--set", "variant=default,opt", *SHORT, "--json")
    launches = records(banzuke("run", "gkv", *call))
    assert len(launches) == 6
    for record in launches:
        assert {check["passed"] for check in record["verification"]} == {True}
        assert len(record["metrics"]["time"]["samples"]) == 2
        assert "breakdown" not in record or record["breakdown"] is None


@pytest.mark.parametrize("ranks", [1, pytest.param(2, marks=pytest.mark.thorough), 3])
def test_the_bracket_tells_where_its_time_goes(banzuke: Banzuke, ranks: int) -> None:
    (record,) = records(banzuke("run", "gkv", "--set", "kernel=fft", "--ranks", str(ranks), *SHORT, "--json"))
    spent = {name: sum(seconds) for name, seconds in record["breakdown"]["seconds"].items()}
    assert set(spent) == {"fft", "alltoall", "other"}
    assert spent["fft"] > 0
    assert sum(spent.values()) <= 1.01 * sum(record["metrics"]["time"]["samples"])


THOROUGH = pytest.mark.thorough  # the C++ tests of ranks also cover each kernel


@pytest.mark.parametrize(
    "kernel", [pytest.param("intgrl", marks=THOROUGH), pytest.param("diff45", marks=THOROUGH), "diff123"]
)
def test_ranks_share_the_velocities(banzuke: Banzuke, kernel: str) -> None:
    (record,) = records(banzuke("run", "gkv", "--set", f"kernel={kernel}", "--ranks", "4", *SHORT, "--json"))
    assert record["groups"][0]["ranks"] == 4
    assert {check["passed"] for check in record["verification"]} == {True}


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (("--set", "kernel=fft", "--set", "nxw=8"), "nx=5"),
        (("--set", "kernel=intgrl", "--ranks", "5"), "5 ranks cannot share 12 values of v evenly"),
        (("--set", "kernel=diff45", "--set", "nv=4000", "--set", "nx=4000", "--set", "ny=4000"), "memory"),
    ],
)
def test_what_cannot_run_is_refused_with_what_can(banzuke: Banzuke, call: tuple[str, ...], said: str) -> None:
    done = banzuke("run", "gkv", *SHORT, *call)
    assert done.returncode != 0
    assert said in " ".join(done.stderr.split())


def test_kernel_fft_has_no_opt_of_its_own(banzuke: Banzuke) -> None:
    (record,) = records(banzuke("run", "gkv", "--set", "kernel=fft", *SHORT, "--json"))
    assert record["parameters"]["variant"] == "default"
    refused = banzuke("run", "gkv", "--set", "kernel=fft", "--set", "variant=opt", *SHORT)
    assert refused.returncode == 2
    assert "Nearest: variant=default" in " ".join(refused.stderr.split())


READ = """
import ctypes, sys
library, handle = ctypes.CDLL(sys.argv[1]), ctypes.c_void_p()
index, count, value = (ctypes.c_int(-1) for _ in range(3))
assert library.MPI_T_init_thread(0, ctypes.byref(count)) == 0
assert library.MPI_T_cvar_get_index(sys.argv[2].encode(), ctypes.byref(index)) == 0
assert library.MPI_T_cvar_handle_alloc(index, None, ctypes.byref(handle), ctypes.byref(count)) == 0
assert library.MPI_T_cvar_read(handle, ctypes.byref(value)) == 0
print(value.value)
"""
"""MPICH's output about a variable."""


def test_the_library_takes_each_algorithm_and_refuses_others(banzuke: Banzuke) -> None:
    library = SCRIPTS.parent / "lib" / "libmpi.so.12"
    if not library.exists():
        pytest.skip("another MPI library than MPICH from PyPI")
    taken = {
        subprocess.run(
            [sys.executable, "-c", READ, library, ALGORITHM],
            env={**os.environ, ALGORITHM: name},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for name in TRIED
    }
    assert len(taken) == len(TRIED), taken
    call = ("--set", "kernel=fft", "--ranks", "2", *SHORT, "--env", f"{ALGORITHM}=auto,bruck", "--json")
    done = banzuke("run", "gkv", *call)
    assert done.returncode == 1
    launches = json.loads(done.stdout)["records"]
    assert [record["status"] for record in launches] == ["ok", "failed"]
    assert not launches[1]["metrics"]


def test_the_best_of_the_librarys_algorithms_is_opt_of_kernel_fft(banzuke: Banzuke, tmp_path: Path) -> None:
    call = ("--set", "kernel=fft", "--ranks", "3", *SHORT, "--env", f"{ALGORITHM}={','.join(TRIED)}")
    ran, written = banzuke("run", "gkv", *call), banzuke("report", "last", "--output", str(tmp_path))
    assert (ran.returncode, written.returncode) == (0, 0), ran.stderr + written.stderr
    assert re.search(rf"gkv omp, GKV: ({'|'.join(TRIED)}) is the best, .* times", " ".join(ran.stdout.split()))
    with (tmp_path / "report.json").open(encoding="utf-8") as file:
        launches = json.load(file)["records"]
    times = {launch["provenance"]["variables"][ALGORITHM]: launch["metrics"]["time"]["value"] for launch in launches}
    assert list(times) == TRIED
    with (tmp_path / "variants.csv").open(encoding="utf-8") as table:
        ((kernel, usual, best, ratio),) = list(csv.reader(table))[1:]
    assert kernel == "fft, 3 ranks x 1 threads"
    assert (float(usual), float(best)) == pytest.approx((times["auto"], min(times.values())))
    assert float(ratio) == pytest.approx(float(best) / float(usual))
    with (tmp_path / "gkv-phases.csv").open(encoding="utf-8") as table:
        assert len(list(csv.reader(table))) == 1 + 3 * len(TRIED)


def test_the_table_has_the_ratio_of_the_variants(banzuke: Banzuke, tmp_path: Path) -> None:
    call = ("--set", "kernel=diff45", "--set", "variant=default,opt", *SHORT)
    for done in (banzuke("run", "gkv", *call), banzuke("report", "last", "--output", str(tmp_path))):
        assert done.returncode == 0, done.stderr
    with (tmp_path / "variants.csv").open(encoding="utf-8") as table:
        ((kernel, written, tuned, ratio),) = list(csv.reader(table))[1:]
    assert kernel == "diff45"
    assert float(ratio) == pytest.approx(float(tuned) / float(written))
