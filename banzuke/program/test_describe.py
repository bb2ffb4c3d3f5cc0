"""Tests of what programs report about themselves, with shell scripts as programs."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from banzuke.errors import BanzukeError
from banzuke.program.describe import RefusedError, ask, describe

PARAMETERS = [
    {"name": "n", "type": "integer", "help": "size", "value": 5, "minimum": 1, "maximum": 10**9},
    {"name": "kind", "type": "string", "help": "", "value": "plain", "choices": ["plain", "fancy"]},
]
DESCRIPTION = {
    "benchmark": "stream",
    "backend": "omp",
    "schema_version": 2,
    "parameters": PARAMETERS,
    "problem": None,
    "compiler": "c",
    "flags": "f",
    "mpi": "none",
    "mpi_name": "none",
}
PROBLEM = {"footprint": 8e9, "facts": {"px": 2, "points": 1e12, "shape": "round"}}
REFUSAL = {"why": "n: 0 is too small", "remedy": "Nearest: n=1 or 2 ranks", "nearest": [{"n": 1}, {"ranks": 2}]}
Install = Callable[[str], Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Return a function that installs a program which runs a shell script."""
    monkeypatch.setenv("BANZUKE_LIBEXEC", str(tmp_path))

    def write(script: str) -> Path:
        program = tmp_path / "banzuke-stream-omp"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        return program

    return write


def said(words: object) -> str:
    return f"echo '{json.dumps(words)}'"


def test_parameters_are_described_with_what_is_set(install: Install) -> None:
    install(said(DESCRIPTION))
    description = describe("stream", "omp", {"n": 5})
    assert description.values == {"n": 5, "kind": "plain"}
    assert description.parameters[1].choices == ["plain", "fancy"]
    assert description.problem is None


def test_a_problem_is_one_of_so_many_ranks(install: Install) -> None:
    install(f'[ "$*" = "--n 7 --ranks 3 --threads 2 --describe" ] && {said(DESCRIPTION | {"problem": PROBLEM})}')
    problem = ask("stream", "omp", 3, 2, {"n": 7}).problem
    assert problem.footprint == 8e9
    assert problem.facts == {"px": 2, "points": 1e12, "shape": "round"}
    assert problem.number("points") == 1e12


def test_a_call_is_one_with_its_devices(install: Install) -> None:
    install(
        f'[ "$*" = "--ranks 1 --threads 1 --devices GPU-1,GPU-2 --describe" ] && '
        f"{said(DESCRIPTION | {'problem': PROBLEM})}"
    )
    assert ask("stream", "omp", 1, 1, {}, devices=("GPU-1", "GPU-2")).problem.footprint == 8e9


def test_a_programs_own_words_are_passed_on(install: Install) -> None:
    install(f"{said({'refused': REFUSAL})}; exit 2")
    for _ in range(2):
        with pytest.raises(RefusedError) as refused:
            ask("stream", "omp", 1, 1, {"n": 0})
        refusal = "stream cannot run with these parameters (n: 0 is too small). Nearest: n=1 or 2 ranks"
        assert str(refused.value) == refusal
        assert refused.value.nearest == [{"n": 1}, {"ranks": 2}]


@pytest.mark.parametrize(
    "script",
    [said({}), said(DESCRIPTION), "echo", "exit 2", f"{said(REFUSAL)}; exit 2", "echo 'n: 0 is too small' >&2; exit 2"],
)
def test_a_foreign_program_is_named(install: Install, script: str) -> None:
    install(script)
    with pytest.raises(BanzukeError, match=r"banzuke-stream-omp has an unknown description.*another version"):
        ask("stream", "omp", 1, 1, {})


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo 'libmpi.so.12: cannot open shared object file' >&2; exit 127", "libmpi.so.12: cannot open"),
        ("exit 3", "it ended with status 3"),
        ("kill -ILL $$", "it ended with status -4"),
    ],
)
def test_a_program_that_cannot_start_is_named(install: Install, script: str, why: str) -> None:
    install(script)
    with pytest.raises(BanzukeError, match=rf"^banzuke-stream-omp cannot be started \({why}"):
        describe("stream", "omp")


def test_a_program_of_another_architecture_is_named(install: Install) -> None:
    install("").write_bytes(b"\x7fELF of a machine that there is not")
    with pytest.raises(BanzukeError, match=r"^banzuke-stream-omp cannot be started \(.*Exec format error"):
        describe("stream", "omp")


def test_a_program_that_is_not_installed_is_named(install: Install) -> None:
    install("")
    with pytest.raises(BanzukeError, match=r"no backend 'opm' \(no banzuke-stream-opm in .*\). Did you mean 'omp'"):
        ask("stream", "opm", 1, 1, {})


def test_a_program_that_may_not_be_executed_is_named(install: Install) -> None:
    install("").chmod(0o644)
    with pytest.raises(BanzukeError, match=r"banzuke-stream-omp may not be executed\. .*chmod"):
        ask("stream", "omp", 1, 1, {})


def test_where_no_program_is_installed_none_is_offered(install: Install) -> None:
    path = install("")
    path.unlink()
    path.mkdir()
    with pytest.raises(BanzukeError, match=r"no backend 'omp'.*None of its programs is installed: install Banzuke"):
        ask("stream", "omp", 1, 1, {})


def test_the_same_question_is_asked_once_of_the_same_program(install: Install) -> None:
    program = install(f"echo x >> $0.asked; {said(DESCRIPTION | {'problem': PROBLEM})}")
    asked = program.with_suffix(".asked")
    for _ in range(3):
        describe("stream", "omp", {"n": 5})
    assert asked.read_text() == "x\n"
    describe("stream", "omp", {"n": 6})
    ask("stream", "omp", 1, 1, {"n": 6})
    ask("stream", "omp", 2, 1, {"n": 6})
    os.utime(program, (1, 1))
    ask("stream", "omp", 2, 1, {"n": 6})
    ask("stream", "omp", 2, 3, {"n": 6})
    assert asked.read_text() == "x\n" * 6
