"""Tests that model and simulation agree with the times of real runs that docs/placement.md has."""

import re
import shutil
from pathlib import Path

import pytest

from scripts.measure_orders import MEASUREMENTS, Platform, expected

MEASURED = Platform(11.9e6, 2.39e6, 25e-6, 7.6e9)
"""The platform of the runs in docs/placement.md."""
PAGE = Path(__file__).parent.parent / "docs" / "placement.md"


@pytest.mark.skipif(not shutil.which("smpirun"), reason="SimGrid is not installed (libsimgrid-dev)")
@pytest.mark.parametrize("name", MEASUREMENTS["hpl"].orders)
def test_model_and_simulation_are_within_15_percent_of_real_runs(name: str) -> None:
    row = re.search(rf"^\| {name} \| ([0-9.]+) s .*\| ([0-9.]+) s \| ([0-9.]+) s \|", PAGE.read_text(), re.MULTILINE)
    assert row
    measured, model, simulated = map(float, row.groups())
    hpl = MEASUREMENTS["hpl"]
    times = expected(MEASURED, hpl, hpl.orders[name])
    assert times == pytest.approx((measured, measured), rel=0.15)
    assert times == pytest.approx((model, simulated), rel=0.02)  # as the page says
