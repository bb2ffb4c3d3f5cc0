"""Tests of runs of storage benchmarks that end badly: their folder is empty again in any case."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import SCRIPTS
from tests.file_systems import Place
from tests.storage import FOR_LONG, MDTEST, POSIX, Program, entries, processes_of, running

NAMES = {POSIX: "ior", MDTEST: "mdtest"}
End = Callable[["subprocess.Popen[str]", list[int]], object]
each_program = pytest.mark.parametrize("program", NAMES, ids=NAMES.get)


def ended(program: Program, tmp_path: Path, end: End, *words: str) -> tuple[int, str]:
    """Return the run's status and its output; `end` gets the front end's process and the ranks."""
    place = Place(tmp_path / "area")
    place.folder.mkdir()
    (place.folder / "thesis").write_text("of another")
    call = [
        "run",
        NAMES[program],
        "--backend",
        "posix",
        "--ranks",
        "2",
        "--threads",
        "1",
        "--area",
        f"x={place.folder}",
    ]
    for name, value in {**program.small, **FOR_LONG}.items():
        call += ["--set", f"{name}={value}"]
    with running([str(SCRIPTS / "banzuke"), *call, *words, "--results", str(tmp_path / "results")], place) as run:
        time.sleep(0.2)
        end(run.process, processes_of(program, place))
        done = run.end()
    assert entries(place.folder) == ["thesis"]
    return done.returncode, done.stdout + done.stderr


@each_program
def test_after_a_rank_was_killed(program: Program, tmp_path: Path) -> None:
    status, said = ended(program, tmp_path, lambda _, ranks: os.kill(ranks[-1], signal.SIGKILL))
    assert status == 1
    assert "killed by signal 9" in said


@each_program
def test_after_the_time_limit(program: Program, tmp_path: Path) -> None:
    status, said = ended(program, tmp_path, lambda _process, _ranks: None, "--timeout", "2")
    assert status == 1
    assert "exceeded its time limit" in said


@each_program
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_after_an_interruption(program: Program, sent: signal.Signals, tmp_path: Path) -> None:
    status, _ = ended(program, tmp_path, lambda process, _: process.send_signal(sent))
    assert status == 130
