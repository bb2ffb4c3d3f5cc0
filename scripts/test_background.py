"""Tests of gates in the background."""

import fcntl
from pathlib import Path

import pytest

from scripts import background
from scripts.background import BackgroundGate, among_tests
from scripts.running import CheckError


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder in place of the clone, with a program that stands for the gates."""
    monkeypatch.setattr(background, "ROOT", tmp_path)
    monkeypatch.setattr(background, "TESTS", tmp_path / "tests")
    monkeypatch.setattr(background, "QUEUE", tmp_path / "queue")
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "check.py").write_text(
        "import sys\nprint('a line')\nprint('check: a part: 1.0 s')\n"
        "sys.exit('FAILED a part: its test' if sys.argv[1] == 'wrong' else 0)\n"
    )
    return tmp_path


def locks(file: Path) -> bool:
    with file.open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def test_a_test_that_runs_alone_waits_for_those_of_the_background(folder: Path) -> None:
    with among_tests():
        assert locks(folder / "queue")
        assert not locks(folder / "tests")
    assert locks(folder / "tests")


def test_a_gate_that_passed_shows_what_its_parts_took(capsys: pytest.CaptureFixture[str]) -> None:
    gate = BackgroundGate("right")
    gate.begin()
    gate.finish()
    assert capsys.readouterr().out == "check: a part: 1.0 s\n"


def test_a_gate_that_failed_shows_all_and_names_its_part(capsys: pytest.CaptureFixture[str]) -> None:
    gate = BackgroundGate("wrong")
    gate.begin()
    with pytest.raises(CheckError, match=r"^a part: its test$"):
        gate.finish()
    assert "a line\n" in capsys.readouterr().out


def test_a_gate_that_did_not_begin_fails(folder: Path) -> None:
    (folder / "build").mkdir()
    (folder / "build" / "right.log").touch()
    with pytest.raises(CheckError, match="ended with status 1"):
        BackgroundGate("right").finish()
