"""Tests of how much longer messages take on a network than on the hosts' own cables."""

import shutil

import numpy as np
import pytest

from banzuke.placement.compare import OrderComparison, compare
from banzuke.placement.congestion import (
    at_one_switch,
    congestion,
    host_rate,
    modelled_congestion,
    simulated_congestion,
    with_host_rate,
)
from banzuke.placement.pattern import as_pattern
from banzuke.placement.readers.read import parse
from banzuke.placement.testing import MEASURED, two_switches
from banzuke.plan.catalogue import declared_flows

PATTERN = next(pattern for pattern in map(as_pattern, declared_flows()) if pattern.computes)


def placed(order: list[int]) -> OrderComparison:
    """Return a grid of 2 x 2 on two switches with two hosts each, whose cables are as fast as the one between."""
    return compare(two_switches(hosts=2, uplinks=1), PATTERN, (2, 2), np.array(order), seconds=0, size=2000)


@pytest.mark.parametrize(
    ("order", "factors"), [([0, 1, 2, 3], {"panels": 2, "rows": 1}), ([0, 2, 1, 3], {"panels": 1, "rows": 2})]
)
def test_messages_that_share_a_cable_take_twice_as_long(order: list[int], factors: dict[str, float]) -> None:
    comparison = placed(order)
    assert congestion(comparison, comparison.named("scheduler")) == factors


def test_at_one_switch_nothing_is_congested() -> None:
    topology = at_one_switch(two_switches(hosts=2, uplinks=1))
    comparison = compare(topology, PATTERN, (2, 2), np.arange(4), seconds=0, size=2000)
    assert congestion(comparison, comparison.named("scheduler")) == {"panels": 1, "rows": 1}
    assert len(topology.hosts) == 4


def test_the_steps_take_longer_by_what_was_measured() -> None:
    """Between eight hosts at two switches HPL took 24.4 s by number and 14.1 s with rows by switch; computation 0.3."""
    topology = parse(MEASURED, "two.toml")
    comparison = compare(topology, PATTERN, (2, 4), np.arange(8), seconds=0, size=2304)
    scheduler, rows = (modelled_congestion(comparison, comparison.named(name), 7.6e9) for name in ("number", "rows"))
    assert scheduler
    assert rows
    assert scheduler / rows == pytest.approx(24.4 / 14.1, rel=0.1)
    assert rows > 2
    faster = with_host_rate(comparison, 1e12)
    assert modelled_congestion(faster, comparison.named("number"), 7.6e9) == pytest.approx(1, abs=0.01)
    assert host_rate(faster.topology) == pytest.approx(1e12)


@pytest.mark.skipif(not shutil.which("smpirun"), reason="SimGrid is not installed (libsimgrid-dev)")
def test_simulated_messages_that_share_a_cable_take_longer_but_not_twice_as_long() -> None:
    """Only panels share it."""
    comparison = placed([0, 1, 2, 3])
    assert 1.2 < simulated_congestion(comparison, comparison.named("scheduler"), 1e15) < 2
