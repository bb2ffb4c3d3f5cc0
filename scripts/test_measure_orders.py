"""Tests that model and simulation agree with the times of real runs that docs/placement.md has."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scripts.measure_orders import MEASUREMENTS, Platform, expected
from scripts.packages import ROOT
from tests.patience import PATIENCE

MEASURED = Platform(11.9e6, 2.39e6, 25e-6, 7.6e9)
"""The platform of the runs in docs/placement.md."""
PAGE = Path(__file__).parent.parent / "docs" / "placement.md"


@pytest.mark.skipif(not shutil.which("smpirun"), reason="SimGrid is not installed (libsimgrid-dev)")
@pytest.mark.parametrize(
    ("what", "name"), [(what, name) for what in ("hpl", "alltoall") for name in MEASUREMENTS[what].orders]
)
def test_model_and_simulation_are_within_15_percent_of_real_runs(what: str, name: str) -> None:
    row = re.search(rf"^\| {name} \| ([0-9.]+) s .*\| ([0-9.]+) s \| ([0-9.]+) s \|", PAGE.read_text(), re.MULTILINE)
    assert row
    measured, model, simulated = map(float, row.groups())
    times = expected(MEASURED, MEASUREMENTS[what], MEASUREMENTS[what].orders[name])
    assert times == pytest.approx((measured, measured), rel=0.15)
    assert times == pytest.approx((model, simulated), rel=0.02)  # as the page says


KILLED = """
import subprocess
from scripts import measure_orders

def measure(*_, **__):
    rank = subprocess.Popen(["sleep", "600"], start_new_session=True)
    print(rank.pid, flush=True)
    rank.wait()

measure_orders.shorten_slices = lambda: None
measure_orders.measure = measure
measure_orders.main()
"""


def test_ranks_end_with_a_measurement_that_is_killed() -> None:
    words = [sys.executable, "-c", KILLED, "halo"]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as measuring:
        assert measuring.stdout
        rank = int(measuring.stdout.readline())
        measuring.kill()
    until = time.monotonic() + PATIENCE
    while (left := runs(rank)) and time.monotonic() < until:
        time.sleep(0.01)
    if left:
        os.kill(rank, signal.SIGKILL)
    assert not left


def runs(process: int) -> bool:
    """Return whether the process has a command line: one that nobody has waited for yet has none."""
    try:
        return bool(Path(f"/proc/{process}/cmdline").read_bytes())
    except OSError:
        return False
