"""Tests of waiting for quiet before measuring, with processes that use the processors."""

import os
import re
import subprocess
import sys
import threading
import time

import pytest

from banzuke.cli.console import errors
from banzuke.evaluation import reserve
from banzuke.evaluation.reserve import await_quiet
from banzuke.launch.guard import Measuring
from banzuke.launch.test_quiet import burning

ALLOWED = sorted(os.sched_getaffinity(0))


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the looks, and hide runs that other tests have at the same time."""
    for name in ("GLANCE", "LOOK", "AGAIN"):
        monkeypatch.setattr(reserve, name, 0.1)
    monkeypatch.setattr(reserve, "measuring", list)


def said(capsys: pytest.CaptureFixture[str]) -> str:
    return " ".join(capsys.readouterr().err.split())


def test_who_is_busy_is_named_and_waited_for_no_longer_than_asked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reserve, "MOST_NAMED", 100)  # others may be busy beside the tests
    text = ""
    with burning("[red]x\x1b[2J") as process:
        named = rf"'\[red\]x\\x1b\[2J' of \S+, process {process.pid}: [\d.]+%"
        os.sched_setaffinity(process.pid, ALLOWED[:1])
        until = time.monotonic() + 30
        while not re.search(named, text) and time.monotonic() < until:  # it gets the time that others leave
            await_quiet(0.2, ALLOWED[:1], errors)
            text = said(capsys)
    assert re.search(named, text)
    assert re.match(r"not quiet: other processes use \d+% of the processors \(.*Waiting up to 200 ms", text)
    assert "warning: not quiet after" in text
    assert "\x1b" not in text


def test_quiet_is_waited_for_and_told(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("banzuke.launch.quiet.LOUD", 0.0)

    def end() -> None:
        process.kill()
        monkeypatch.setattr("banzuke.launch.quiet.LOUD", 1.0)  # even if other processes run beside the tests

    with burning() as process:
        threading.Timer(0.3, end).start()
        await_quiet(60, ALLOWED, errors)
    text = said(capsys)
    assert "not quiet: other processes use" in text
    assert re.search(r"waited [\d.]+ (m?s), quiet now$", text)


def test_nothing_is_looked_at_without_waiting(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reserve, "measuring", lambda: pytest.fail("looked"))
    with burning():
        await_quiet(0, ALLOWED, errors)
    assert said(capsys) == ""


def test_an_earlier_run_on_the_same_processors_is_waited_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("banzuke.launch.quiet.LOUD", 1.0)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        runs = [Measuring(process.pid, "alice", earlier=True), Measuring(process.pid, "bob", earlier=False)]
        monkeypatch.setattr(reserve, "measuring", lambda: runs)
        await_quiet(0.2, ALLOWED, errors)
        text = said(capsys)
        assert f"not quiet: another banzuke of alice is measuring (process {process.pid}). Waiting up to" in text
        assert "bob" not in text
        assert "quiet now" not in text
        if len(ALLOWED) > 1:
            os.sched_setaffinity(process.pid, ALLOWED[:1])
            await_quiet(0.2, ALLOWED[1:], errors)
            assert said(capsys) == ""
        process.communicate(b"\n")
