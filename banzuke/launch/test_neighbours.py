"""Busy neighbours, as real processes."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from banzuke.launch.neighbours import beside


def children() -> set[int]:
    return set(map(int, Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()))


def busy(pid: int) -> float:
    """Seconds of processor time."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return 0.0 if fields[0] == "Z" else (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_until(condition: object, what: str) -> None:
    end = time.monotonic() + 600
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end, what
        time.sleep(0.01)


@pytest.mark.parametrize("count", [0, 2])
def test_neighbours_compute_as_long_as_the_block_lasts(count: int) -> None:
    before = children()
    with beside(count):
        started = children() - before
        assert len(started) == count
        wait_until(lambda: all(busy(pid) > 0.1 for pid in started), "no time was used")
    assert children() == before


def test_they_are_not_bound_to_what_their_parent_keeps_to() -> None:
    allowed = os.sched_getaffinity(0)
    before = children()
    os.sched_setaffinity(0, {min(allowed)})
    try:
        with beside(1):
            (neighbour,) = children() - before
            wait_until(lambda: os.sched_getaffinity(neighbour) == allowed, "it stayed bound")
    finally:
        os.sched_setaffinity(0, allowed)


def test_they_end_with_a_parent_that_is_killed() -> None:
    printing = "import os; print(*open(f'/proc/self/task/{os.getpid()}/children').read().split(), flush=True)"
    script = f"from banzuke.launch.neighbours import beside\nwith beside(1):\n {printing}; input()"
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout
        neighbour = int(parent.stdout.readline())
        wait_until(lambda: busy(neighbour) > 0.05, "it never ran")
        parent.send_signal(signal.SIGKILL)
    last = busy(neighbour)
    wait_until(lambda: busy(neighbour) == 0.0, f"it goes on after {last} s")
