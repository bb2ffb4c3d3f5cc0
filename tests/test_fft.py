"""Tests of FFT end to end: every backend and layout solves the same problem, and errors are reported."""

import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import SCRIPTS, Banzuke, Result
from tests.test_input_file import HPL_DAT

SHORT = ("--set", "rounds=2", "--threads", "1", "--oversubscribe", "--json")
PARTS = {"first", "second", "reorder", "exchange"}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return one folder for all tests, so that ceilings are measured once."""
    return tmp_path_factory.mktemp("fft") / "results"


def records(done: Result) -> list[dict[str, Any]]:
    assert done.returncode == 0, done.stderr
    launches: list[dict[str, Any]] = json.loads(done.stdout)["records"]
    return launches


def test_every_library_solves_the_problem_and_is_read_back(banzuke: Banzuke) -> None:
    launches = records(banzuke("run", "fft", "--set", "n=90000", "--library", "OWN,fftw,mkl", *SHORT))
    assert [record["backend"] for record in launches] == ["omp", "fftw", "mkl"]
    assert [record["provenance"]["variant"] for record in launches] == [{}, {"library": "FFTW"}, {"library": "MKL"}]
    loaded = [record["groups"][0]["software"].get("library_path", "") for record in launches]
    assert [Path(path).name.partition(".so")[0] for path in loaded] == ["", "libfftw3_omp", "libmkl_rt"]
    for record in launches:
        assert {check["passed"] for check in record["verification"]} == {True}
        assert len(record["verification"]) == 3
        assert record["conditions"]["planning_seconds"] > 0
        assert record["groups"][0]["software"]["kernels"]
        assert set(record["breakdown"]["seconds"]) == PARTS


def test_the_libraries_are_compared_and_the_best_is_told(banzuke: Banzuke) -> None:
    done = banzuke("run", "fft", "--set", "n=90000", "--library", "own,fftw", *SHORT[:-1])
    assert done.returncode == 0, done.stderr
    assert "Library: ratio to own (above 1 is better)" in done.stdout
    assert re.search(r"fft, FFT: (own|FFTW) is the best, .* times (own|FFTW), as far as one launch shows", done.stdout)


def test_a_library_of_one_rank_leaves_several_to_our_own(banzuke: Banzuke) -> None:
    words = ("--set", "n=90000", "--ranks", "2", "--library", "own,fftw", *SHORT)
    done = banzuke("run", "fft", *words)
    (record,) = records(done)
    assert record["backend"] == "omp"
    said = "--library FFTW does nothing for fft: ranks: this library's transforms are of 1 rank"
    assert said in " ".join(done.stderr.split())


@pytest.mark.parametrize("ranks", [2, 3, pytest.param(8, marks=pytest.mark.thorough)])
def test_both_orders_are_verified_on_several_ranks(banzuke: Banzuke, ranks: int) -> None:
    call = ("--set", f"n={900 * ranks**2}", "--set", "order=natural,cyclic", "--ranks", str(ranks))
    natural, cyclic = records(banzuke("run", "fft", *call, *SHORT))
    for record in (natural, cyclic):
        assert record["groups"][0]["ranks"] == ranks
        assert record["conditions"]["exchange_overlap_seconds"] >= 0
        spent = {name: sum(seconds) for name, seconds in record["breakdown"]["seconds"].items()}
        whole = sum(record["metrics"]["time"]["samples"])
        assert spent["exchange"] > 0
        assert (spent["reorder"] > 0) == (record is natural)
        assert sum(spent.values()) <= 1.01 * whole


def test_many_rounds_share_the_intervals_of_the_breakdown(banzuke: Banzuke) -> None:
    call = ("--set", "n=1000", "--set", "rounds=333", "--threads", "1", "--json")
    (record,) = records(banzuke("run", "fft", *call))
    assert len(record["metrics"]["flop_rate"]["samples"]) == 333
    parts = record["breakdown"]
    assert len(parts["ends"]) == 20
    assert parts["ends"][-1] == 1
    assert sum(parts["flops"]) == pytest.approx(333 * 5 * 1000 * math.log2(1000))
    assert sum(map(sum, parts["seconds"].values())) <= 1.01 * sum(record["metrics"]["time"]["samples"])


def test_the_official_codes_file_in_and_its_lines_out(
    banzuke: Banzuke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "hpccinf.txt"
    file.write_text(HPL_DAT.format(output="HPL.out", device=8, q=2))
    earlier = "what an earlier run found\n"
    (tmp_path / "hpccoutf.txt").write_text(earlier)
    monkeypatch.chdir(tmp_path)
    done = banzuke("run", "fft", "--input", file, "--set", "rounds=2", "--threads", "1", "--oversubscribe")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "hpccoutf.txt").read_text()
    assert text.startswith(earlier)
    assert text.removeprefix(earlier).startswith(
        "Begin of MPIFFT section.\nNumber of nodes: 2\nVector size:                 2700\n"
    )
    assert re.search(r"^max\(\|x-x0\|\): \d\.\d{3}e-1[5-7]$", text, re.MULTILINE)
    assert re.search(r"^MPIFFT_Gflops=\d", text, re.MULTILINE)
    assert "\nSuccess=1\nMPIFFT_N=2700\n" in text


def test_a_folder_in_the_place_of_the_output_is_refused_before_anything_runs(
    banzuke: Banzuke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hpccinf.txt").write_text(HPL_DAT.format(output="HPL.out", device=8, q=1))
    (tmp_path / "hpccoutf.txt").mkdir()
    monkeypatch.chdir(tmp_path)
    done = banzuke("run", "fft", "--input", "hpccinf.txt")
    assert done.returncode == 2
    assert "hpccoutf.txt is a folder" in done.stderr


def test_official_lines_go_to_the_output(banzuke: Banzuke) -> None:
    done = banzuke("run", "fft", "--set", "n=1000", "--set", "rounds=1", "--threads", "1", "--official")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Begin of MPIFFT section.\n")
    assert "\nMPIFFT_N=1000\n" in done.stdout


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--set", "n=1001"], "no prime factors but 2, 3 and 5). Nearest: n=1000 or n=1024"),
        (["--set", "n=7", "--ranks", "2"], "multiple of the square of the 2 ranks). Nearest: n=4 or n=8"),
        (["--set", "n=1"], "n"),
        (["--set", "n=1000", "--ranks", "2", "--set", "order=odd"], "order"),
        (["--ranks", "7"], "7 has prime factors other than 2, 3 and 5). Nearest: 6 ranks"),
        (["--set", "n=1000", "--ranks", "2", "--backend", "fftw"], "this library's transforms are of 1 rank"),
        (["--set", "n=4096000000000"], "is the largest that fits"),
    ],
)
def test_calls_that_cannot_run_are_refused(banzuke: Banzuke, words: list[str], error: str) -> None:
    done = banzuke("run", "fft", *words, "--oversubscribe")
    assert done.returncode == 2, done.stdout
    assert error in " ".join(done.stderr.split())


WITHOUT_LIBRARIES = """\
from banzuke.launch import command
command.path_of = lambda names: None  # as where none of the files is installed
from banzuke.cli import main
main()
"""


def test_of_several_libraries_one_may_be_missing(results: Path) -> None:
    words = ["run", "fft", "--set", "n=1000", *SHORT, "--results", str(results), "--library"]
    several, alone = (
        subprocess.run(
            [sys.executable, "-c", WITHOUT_LIBRARIES, *words, libraries],
            env={**os.environ, "BANZUKE_LIBEXEC": str(SCRIPTS)},
            capture_output=True,
            text=True,
            check=False,
        )
        for libraries in ("own,fftw", "fftw")
    )
    assert several.returncode == 1, several.stderr
    own, missing = json.loads(several.stdout)["records"]
    assert (own["status"], missing["status"]) == ("ok", "failed")
    assert not missing["metrics"]
    assert "libfftw3-double3" in missing["reason"]
    assert "BANZUKE_FFTW" in missing["reason"]
    assert alone.returncode == 2
    assert "FFTW was not found here" in alone.stderr


@pytest.mark.parametrize(
    ("library", "variable", "path"),
    [
        ("fftw", "BANZUKE_FFTW", "/nonexistent"),
        ("mkl", "BANZUKE_MKL", "libc.so.6"),
        ("fftw", "BANZUKE_FFTW", "the other"),
        ("mkl", "BANZUKE_MKL", "the other"),
        pytest.param("mkl", "BANZUKE_MKL", "/nonexistent", marks=pytest.mark.thorough),
        pytest.param("fftw", "BANZUKE_FFTW", "libc.so.6", marks=pytest.mark.thorough),
    ],
)
def test_a_library_that_cannot_serve_is_named(banzuke: Banzuke, library: str, variable: str, path: str) -> None:
    if path == "the other":
        path = {"mkl": "libfftw3_omp.so.3", "fftw": str(next((SCRIPTS.parent / "lib").glob("libmkl_rt.so.*")))}[library]
    done = banzuke("run", "fft", "--set", "n=1000", "--library", library, *SHORT, **{variable: path})
    assert done.returncode == 1, done.stdout
    (record,) = json.loads(done.stdout)["records"]
    assert record["status"] == "failed"
    assert not record["metrics"]
    assert variable in record["reason"]
    assert ("cannot load" if path == "/nonexistent" else "what was loaded is not") in record["reason"]
