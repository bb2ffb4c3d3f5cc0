"""Tests that wrong calls are refused quickly, before the probe, which would take seconds, is asked anything."""

import contextlib
import functools
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from banzuke.cli import app
from banzuke.errors import BanzukeError
from banzuke.machine.discover import discover
from banzuke.machine.software import software
from banzuke.plan.catalogue import benchmarks
from tests.conftest import SCRIPTS
from tests.test_input_file import written

PROBE = """#!/bin/sh
[ "$1" = devices ] || echo "$@" >> "$0.asked"
exit 1
"""
"""A probe that fails when it measures; looking for devices measures nothing."""


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the installed programs, with a probe that fails and logs its calls; the working folder is empty."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for program in SCRIPTS.glob("banzuke-*"):
        (folder / program.name).symlink_to(program)
    (folder / "banzuke-probe").unlink()
    (folder / "banzuke-probe").write_text(PROBE)
    (folder / "banzuke-probe").chmod(0o755)
    (tmp_path / "file").touch()
    (tmp_path / "empty").mkdir()
    (tmp_path / "HPL.dat").write_text("no such file")
    monkeypatch.setenv("BANZUKE_LIBEXEC", str(folder))
    monkeypatch.setenv("BANZUKE_TUNED", str(tmp_path / "tuned"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.fixture(scope="module", autouse=True)
def versions() -> Iterator[None]:
    """Ask compilers and launchers once, because that takes longer than the rest of a refusal."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("banzuke.machine.discover.software", functools.cache(software))
        yield


@pytest.fixture(autouse=True)
def affinity() -> Iterator[None]:
    """Restore the affinity, because isolation binds the process, which here is that of the tests."""
    before = os.sched_getaffinity(0)
    yield
    os.sched_setaffinity(0, before)


def asked(programs: Path) -> list[str]:
    """Return what the probe was asked."""
    with contextlib.suppress(FileNotFoundError):
        return (programs / "banzuke-probe.asked").read_text().splitlines()
    return []


@pytest.mark.parametrize(
    ("call", "error"),
    [
        # hosts
        ("run stream --hosts nonexist.invalid", "there is no host nonexist.invalid (nonexist.invalid: "),
        ("run pt2pt --hosts localhost,nonexist.invalid", "there is no host nonexist.invalid ("),
        ("evaluate --only stream --hosts x[1-3].invalid", "there is no host x1.invalid and 2 other hosts ("),
        ("screen --hosts localhost,nonexist.invalid", "there is no host nonexist.invalid ("),
        # parameters
        ("run nothing", "unknown benchmark 'nothing'"),
        ("run hpl --set n=abc", "hpl cannot run with these parameters (n: 'abc' is not a whole number)"),
        ("run hpl --set n=0", "(n: 0 is outside 1 to "),
        ("run hpl --set n=1,0", "(n: 0 is outside 1 to "),
        ("run hpl --set split=0.95", "(split: 0.95 is outside 0 to 0.9)"),
        ("run noise --set quantum=1e-9", "noise cannot run with these parameters (quantum: 1e-09 is shorter than"),
        ("run hpl --set broadcast=pigeon", "(broadcast: 'pigeon' is none of ring, "),
        ("run hpl --set N=5", "hpl has no parameter 'N'. Did you mean 'n'?"),
        ("run hpl stream --set m=5", "hpl has no parameter 'm'"),
        ("run hpl --set rows=2", "hpl has no parameter 'rows'. Did you mean 'p' (rows of the process grid)?"),
        (
            "run hpl --set shares=1:0",
            "(shares: 1:0 is neither equal nor rates, and no share for each column of the grid",
        ),
        ("run stream --set shares=1:3", "stream has no parameter 'shares'"),
        ("run hpl --set n", "--set 'n' is not understood"),
        (
            "run hpl --set p=2 --set q=2",
            "a grid of p x q = 2 x 2 takes 4 ranks, but there is 1). Nearest: 4 ranks or p=1 q=1",
        ),
        ("run hpl --set n=9999999", "is the largest that fits"),
        ("run dgemm --set m=1e6 --set n=1e6 --set k=1e6", "is the largest that fits"),
        ("run dgemm spmv --set file=nowhere", "there is no file or folder nowhere"),
        ("run spmv dgemm --set file=empty", "empty holds no matrices"),
        ("run dgemm spmv --set family=royal", "spmv has no family 'royal'"),
        ("run hpl --dry-run --set n=abc", "(n: 'abc' is not a whole number)"),
        ("run hpl --tune --set n=abc", "(n: 'abc' is not a whole number)"),
        # how and where
        ("run dgemm --backend nothing", "dgemm has no backend 'nothing'"),
        ("run dgemm --threads 100000", "need 100,000 processors"),
        ("run dgemm --placement all", "dgemm takes no --placement"),
        ("run pt2pt dgemm --placement nowhere", "dgemm takes no --placement"),
        ("run pt2pt --placement nowhere", "there is no placement 'nowhere' here"),
        ("run pt2pt --placement all --ranks 2", "--placement already sets --ranks"),
        ("run dgemm --environment nothing", "there is no environment 'nothing'"),
        ("run dgemm --environment container:nothing", "there is no environment 'container:nothing'"),
        ("run dgemm --environment container --image nowhere/", "there is no image"),
        ("run dgemm --image file", "--image file has no effect"),
        ("run dgemm --os-cores 0", "--os-cores has no effect"),
        ("run dgemm --environment isolated --os-cores x", "--os-cores 'x' is not a list of processors"),
        ("run dgemm --neighbours many", "--neighbours 'many' is not a number"),
        ("run dgemm --library nothing", "there is no library 'nothing' here"),
        ("run stream --cores 0-9999", "may not be used here"),
        pytest.param("run stream --cores 0-8388607", "may not be used here", marks=pytest.mark.thorough),  # seconds
        ("run stream --cores x", "--cores 'x' is not a list of processors"),
        ("run stream --memory near", "--memory 'near' is not a memory policy"),
        ("run stream --memory bind:4000", "there is no NUMA node 4000 here"),
        ("run stream --pages huge", "there are no pages 'huge'"),
        ("run stream --env A", "--env 'A' is not understood"),
        ("run stream --env OMP_NUM_THREADS=1", "--env OMP_NUM_THREADS cannot be varied"),
        ("run stream --launcher-options '", "is not understood (No closing quotation)"),
        ("run stream --tune --pages base,transparent --cores 0", "--tune searches on all cores"),
        ("run dgemm --blas nowhere", "no BLAS library at nowhere"),
        ("run dgemm --hosts ,", "names no host"),
        ("run dgemm --timeout 0", "'0' is not a length of time"),
        # time, tuning, official codes
        ("run pt2pt --seconds 5", "pt2pt takes no --seconds"),
        ("run dgemm --seconds never", "'never' is not a length of time"),
        ("run dgemm --seconds 5 --set m=9 --set n=9 --set k=9", "--seconds has no effect"),
        ("run dgemm --tune", "dgemm cannot be tuned"),
        ("run dgemm --tune --dry-run", "dgemm cannot be tuned"),
        ("run hpl --tune --backend blas,mkl", "--tune searches with one backend"),
        ("run dgemm --official", "dgemm has no official code"),
        ("run hpl --official --json", "--official and --json exclude each other"),
        ("run dgemm --input HPL.dat", "dgemm reads no input file"),
        ("run hpl --input nowhere", "cannot read nowhere"),
        ("run hpl --input HPL.dat", "HPL.dat"),
        # results
        ("run dgemm --results /proc/results", "cannot write /proc/results"),
        ("run dgemm --results file", ""),
        ("run dgemm --results file/results", "cannot write file/results"),
        ("evaluate --results file/results", "cannot write file/results"),
        ("evaluate --only nothing", "unknown benchmark 'nothing'"),
        ("evaluate --only stream,steam", "Did you mean 'stream'"),
        ("evaluate --only stream,", "--only has an empty name"),
        ("evaluate --without steam", "Did you mean 'stream'"),
        ("evaluate --only stream,hpl --without hpl", "--only and --without both name hpl"),
        (
            f"evaluate --without {','.join(benchmarks())}",
            "--without leaves no benchmark",
        ),
        ("evaluate --minutes 0", "--minutes '0' is not a number of minutes"),
        ("evaluate --minutes=-5", "--minutes '-5' is not a number of minutes"),
        ("evaluate --minutes nan", "--minutes 'nan' is not a number of minutes"),
        ("evaluate --minutes inf", "--minutes 'inf' is not a number of minutes"),
        ("evaluate --minutes 1e9", "--minutes '1e9' is not a number of minutes"),
        ("evaluate --minutes five", "--minutes 'five' is not a number of minutes"),
        ("evaluate --minutes 0.0001", "too short for any benchmark"),
        ("evaluate --blas nowhere", "no BLAS library at nowhere"),
        ("evaluate --environment nothing", "there is no environment 'nothing'"),
        ("evaluate --environment container --image nowhere/", "there is no image"),
        ("evaluate --library nothing", "there is no library 'nothing' here"),
        ("evaluate --cores x", "--cores 'x' is not a list of processors"),
        ("evaluate --env A", "--env 'A' is not understood"),
        ("evaluate --neighbours many", "--neighbours 'many' is not a number"),
        # commands that measure nothing compute nothing either
        ("predict noise --period 1ms --length 1us --interval 1s --chart file/of.svg", "cannot write file"),
        ("isolate", "there is nothing to do"),
        ("isolate --check --restore", "exclude each other"),
        ("isolate --os-cores x -- true", "--os-cores 'x' is not a list of processors"),
        ("isolate -- nowhere/nothing", "cannot start 'nowhere/nothing'"),
    ],
)
def test_nothing_is_measured_before_a_refusal(programs: Path, call: str, error: str) -> None:
    done = CliRunner().invoke(app, call.split())
    assert isinstance(done.exception, BanzukeError | SystemExit)
    if error:
        assert error in str(done.exception)
        assert not str(done.exception).startswith("banzuke-")
    else:
        assert done.exit_code == 2, "what Typer refuses"
    assert not done.stdout
    assert asked(programs) == []


def test_an_output_that_cannot_be_written_is_refused_too(programs: Path, tmp_path: Path) -> None:
    input_file = written(tmp_path, output="file/HPL.out", device=8, q=1)
    done = CliRunner().invoke(app, ["run", "hpl", "--input", str(input_file)])
    assert str(done.exception).startswith("cannot write file (")
    assert asked(programs) == []


def test_what_measuring_decides_is_measured(programs: Path, tmp_path: Path) -> None:
    kinds = {"clock", "blas"}
    CliRunner().invoke(app, ["run", "dgemm", "--set", "m=1e6"])
    assert asked(programs) == [], "sizes beside it follow from what the machine is"

    tuned = tmp_path / "tuned" / f"{discover(measure=False).fingerprint}-hpl-blas-OpenBLAS.json"
    tuned.parent.mkdir()
    tuned.touch()
    CliRunner().invoke(app, ["run", "hpl", "--set", "p=2", "--set", "q=1"])
    assert {words.split()[0] for words in asked(programs)} == kinds, "the layout tuned with a library may have 2 ranks"
    (programs / "banzuke-probe.asked").unlink()
    done = CliRunner().invoke(app, ["run", "hpl", "--untuned", "--set", "p=2", "--set", "q=1"])
    assert "a grid of p x q" in str(done.exception)
    assert asked(programs) == []
