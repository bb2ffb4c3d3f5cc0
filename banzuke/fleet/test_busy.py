"""The present load is distinguished from that of the last minutes."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from banzuke.fleet import measure
from banzuke.fleet.busy import LEAST_BUSY, busy_between, busy_processors
from banzuke.fleet.measure import Screen
from banzuke.fleet.model import Node
from banzuke.launch import conditions
from banzuke.launch.conditions import Snapshot, between, snapshot
from banzuke.launch.fan_out import Way
from banzuke.results.run import Run

SECOND = os.sysconf("SC_CLK_TCK")


@pytest.fixture
def counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Snapshot]:
    """Return a snapshot of a kernel with these counts."""
    monkeypatch.setattr(conditions, "PROC", tmp_path)
    times = count()

    def at(*ticks: int) -> Snapshot:
        (tmp_path / "stat").write_text(f"cpu {' '.join(map(str, ticks))}\n" if ticks else "")
        return replace(snapshot(), time=next(times))

    return at


def test_idle_time_and_that_of_other_guests_is_not_busy(counted: Callable[..., Snapshot]) -> None:
    before = counted(*[100] * 10)
    busy = counted(100 + 2 * SECOND, 100, 100 + SECOND, 900, 200, 100, 100, 900, 100, 100)
    assert busy_between(before, busy) == 3
    before = counted(*[100] * 10)
    assert busy_between(before, counted(*[100] * 3, 100 + 8 * SECOND, *[100] * 6)) == 0


@pytest.mark.parametrize("ticks", [(), (0,) * 10])
def test_where_nothing_is_counted_nobody_knows(ticks: tuple[int, ...], counted: Callable[..., Snapshot]) -> None:
    before, after = counted(*ticks), counted(*ticks)
    assert busy_between(before, after) is None
    assert not {"other_busy_fraction", "steal_fraction"} & set(between(before, after))


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
