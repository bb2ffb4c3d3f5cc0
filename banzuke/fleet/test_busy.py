"""What runs now is told from what ran in the last minutes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from banzuke.fleet import measure
from banzuke.fleet.busy import LEAST_BUSY, busy_between, busy_processors
from banzuke.fleet.measure import Screen
from banzuke.fleet.model import Node
from banzuke.launch.fan_out import Way
from banzuke.record.run import Run

SECOND = os.sysconf("SC_CLK_TCK")


def test_idle_time_and_that_of_other_guests_is_not_busy() -> None:
    before = [100] * 10
    assert busy_between(before, [100 + 2 * SECOND, 100, 100 + SECOND, 900, 200, 100, 100, 900, 100, 100], 1) == 3
    assert busy_between(before, [*[100] * 3, 100 + 8 * SECOND, *[100] * 6], 1) == 0
    assert busy_between(before, before, 1) is None
    assert busy_between([], before, 1) is None


def test_a_program_that_runs_is_busy() -> None:
    with subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) as other:
        busy = busy_processors()
        other.kill()
    assert busy is None or busy > LEAST_BUSY


@pytest.mark.parametrize(
    ("way", "load", "busy", "left"),
    [("here", 64.0, 0.02, 0.02), ("here", 64.0, 3.5, 64.0), ("here", 64.0, None, 64.0), ("ssh", 64.0, 0.02, 64.0)],
)
def test_the_load_of_what_has_ended_is_none(
    way: Way, load: float, busy: float | None, left: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure, "busy_processors", lambda: busy)
    screen = Screen(Run(tmp_path), ["n1"], way, nodes={"n1": Node("n1", "k", facts={"state.load": load})})
    screen.calm()
    assert screen.nodes["n1"].facts["state.load"] == left
