"""Tests of HPCG end to end: the official input and report, its rules, and refusals that name what is legal."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from benchmarks.hpcg.model import CODES, FLOPS
from tests.conftest import SCRIPTS, Banzuke

HPCG_DAT = """\
HPCG benchmark input file
Sandia National Laboratories; University of Tennessee, Knoxville
{nx} {ny} {nz}
0
{grid}
"""
RATING = re.compile(r"^Final Summary::HPCG result is VALID with a GFLOP/s rating of=(\S+)$", re.MULTILINE)
SHORT = [word for name in ("nx", "ny", "nz") for word in ("--set", f"{name}=16")] + ["--set", "seconds=0"]


def written(folder: Path, nx: int = 16, ny: int = 24, nz: int = 16, grid: str = "1 2 1") -> Path:
    file = folder / "hpcg.dat"
    file.write_text(HPCG_DAT.format(nx=nx, ny=ny, nz=nz, grid=grid))
    return file


def test_the_official_report_is_printed_and_written(
    banzuke: Banzuke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = banzuke("run", "hpcg", "--input", written(tmp_path), "--threads", "1", "--oversubscribe")
    assert done.returncode == 0, done.stderr
    lines = dict(line.rsplit("=", 1) for line in done.stdout.splitlines()[1:])
    assert lines["Machine Summary::Distributed Processes"] == "2"
    assert [lines[f"Processor Dimensions::np{axis}"] for axis in "xyz"] == ["1", "2", "1"]
    assert [lines[f"Global Problem Dimensions::Global n{axis}"] for axis in "xyz"] == ["16", "48", "16"]
    assert lines["Linear System Information::Number of Nonzero Terms"] == str((3 * 16 - 2) ** 2 * (3 * 48 - 2))
    assert lines["Iteration Count Information::Total number of reference iterations"] == "50"
    assert all(value == "PASSED" for key, value in lines.items() if key.endswith("::Result"))
    assert "nan" not in done.stdout
    assert "0 s is the official code's quick path" in done.stderr
    assert "VALID, but not an official result" in done.stderr
    (report,) = tmp_path.glob("HPCG-Benchmark_3.1_*.txt")
    assert report.read_text() == done.stdout


def test_unequal_boxes_are_labelled_in_the_official_report(banzuke: Banzuke) -> None:
    words = ("--set", "nz=32", "--set", "px=1", "--set", "py=1", "--set", "pz=2", "--set", "deal=1:3", "--official")
    done = banzuke(
        "run", "hpcg", *SHORT[:4], *words, "--set", "seconds=0", "--ranks", "2", "--threads", "1", "--oversubscribe"
    )
    assert done.returncode == 0, done.stderr
    lines = dict(line.rsplit("=", 1) for line in done.stdout.splitlines()[1:])
    assert lines["Global Problem Dimensions::Global nz"] == "64"
    assert lines["Linear System Information::Number of Nonzero Terms"] == str((3 * 16 - 2) ** 2 * (3 * 64 - 2))
    zones = [
        line.rsplit("=", 1)[1] for line in done.stdout.splitlines() if line.startswith("Local Domain Dimensions::nz=")
    ]
    assert zones == ["16", "48"]
    label = "Results are valid but layers of processes along z have unequal boxes of planes"
    assert lines[f"Final Summary::{label}"] == "16:48"
    assert lines["Final Summary::Official results must have"] == "equal boxes"
    assert "unequal boxes instead of equal boxes on all ranks" in done.stderr


def test_without_a_grid_line_the_problem_is_the_official_codes(
    banzuke: Banzuke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = written(tmp_path, nx=24, ny=40, nz=16, grid="")
    done = banzuke("run", "hpcg", "--input", file, "--ranks", "2", "--threads", "1", "--oversubscribe")
    assert done.returncode == 0, done.stderr
    assert "Processor Dimensions::npx=2" in done.stdout
    nonzeros = (3 * 48 - 2) * (3 * 40 - 2) * (3 * 16 - 2)
    assert f"Linear System Information::Number of Nonzero Terms={nonzeros}\n" in done.stdout


def test_the_rating_is_the_records(banzuke: Banzuke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = banzuke("run", "hpcg", "--input", written(tmp_path), "--threads", "1", "--oversubscribe", "--json")
    assert done.returncode == 0, done.stderr
    (record,) = json.loads(done.stdout)["records"]
    (report,) = tmp_path.glob("HPCG-Benchmark_3.1_*.txt")
    (rating,) = RATING.findall(report.read_text())
    assert float(rating) == pytest.approx(record["metrics"]["flop_rate"]["value"] / 1e9, rel=1e-5)
    conditions = record["conditions"]
    counted = sum(conditions[f"flops_{part}"] for part in ("ddot", "waxpby", "spmv", "mg"))
    counted *= conditions["reference_iterations"] / conditions["optimized_iterations"]
    overhead = conditions["sets"] * (conditions["setup_seconds"] + conditions["optimization_seconds"]) / 10
    (timed,) = re.findall(r"^Benchmark Time Summary::Total=(\S+)$", report.read_text(), re.MULTILINE)
    assert float(rating) == pytest.approx(counted / (float(timed) + overhead) / 1e9, rel=1e-4)


@pytest.mark.parametrize(("ordering", "ranks", "threads"), [("levels", "1", "2"), ("colours", "2", "1")])
def test_every_ordering_verifies(banzuke: Banzuke, ordering: str, ranks: str, threads: str) -> None:
    layout = ("--ranks", ranks, "--threads", threads, "--oversubscribe")
    done = banzuke("run", "hpcg", *SHORT, "--set", f"ordering={ordering}", *layout)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--set", "nx=100", "--set", "ny=104", "--set", "nz=104"], "no local grid of 100 x 104 x 104"),
        (
            ["--set", "nx=100", "--set", "ny=104", "--set", "nz=104"],
            "Nearest: nx=96 ny=104 nz=104 or nx=104 ny=104 nz=104",
        ),
        (
            [*SHORT, "--ranks", "2", "--set", "px=3"],
            "no grid of 3 x 0 x 0 processes (0: chosen) has 2 ranks). Nearest: px=0 py=0 pz=0",
        ),
        ([*SHORT, "--ranks", "11", "--threads", "1", "--oversubscribe"], "Nearest: 10 ranks"),
        (["--seconds", "9", "--set", "seconds=5"], "--seconds has no effect: --set seconds=... sets the time"),
    ],
)
def test_what_breaks_the_rules_is_refused(banzuke: Banzuke, words: list[str], error: str) -> None:
    done = banzuke("run", "hpcg", *words)
    assert done.returncode == 2, done.stdout
    assert error in " ".join(done.stderr.split())


def test_an_illegal_file_is_named_with_its_line(banzuke: Banzuke, tmp_path: Path) -> None:
    done = banzuke("run", "hpcg", "--input", written(tmp_path, nx=20))
    assert done.returncode == 2
    assert "hpcg.dat, line 3" in done.stderr
    assert "Nearest: nx=16 ny=24 nz=16 or nx=24 ny=24 nz=16" in " ".join(done.stderr.split())


def test_a_run_of_official_length_is_planned_for_the_memory(banzuke: Banzuke) -> None:
    done = banzuke("run", "hpcg", "--seconds", "30m", "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "--seconds 1800" in done.stdout


def test_progress_never_goes_back_and_the_model_has_the_programs_bytes() -> None:
    words = [word for name in ("nx", "ny", "nz") for word in (f"--{name}", "16")]
    done = subprocess.run(
        [SCRIPTS / "banzuke-hpcg-omp", *words, "--seconds", "0.5", "--progress"],
        env=os.environ | {"OMP_NUM_THREADS": "1"},  # threads that wait for each other spin
        capture_output=True,
        text=True,
        check=True,
    )
    shares = [int(done) / int(total) for done, total in re.findall(r"^progress (\d+) (\d+)", done.stderr, re.MULTILINE)]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    rate = json.loads(done.stdout)["metrics"]["raw_flop_rate"]
    (least,) = (part["amount"] for part in rate["demand"] if part["resource"] == "memory.bytes")
    assert 0.92 < least / rate["counted"] * FLOPS / CODES["banzuke"].bytes < 1.0  # some slots have offsets
