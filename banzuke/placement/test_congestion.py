"""Tests of how much longer messages take on a network than on the hosts' own cables."""

import shutil

import numpy as np
import pytest

from banzuke.placement.compare import OrderComparison, compare
from banzuke.placement.congestion import at_one_switch, congestion, simulated_congestion
from banzuke.placement.testing import two_switches
from banzuke.plan.catalogue import declared_flows

PATTERN = next(pattern for pattern in declared_flows() if pattern.computes)


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


@pytest.mark.skipif(not shutil.which("smpirun"), reason="SimGrid is not installed (libsimgrid-dev)")
def test_simulated_messages_that_share_a_cable_take_longer_but_not_twice_as_long() -> None:
    """Only panels share it."""
    comparison = placed([0, 1, 2, 3])
    assert 1.2 < simulated_congestion(comparison, comparison.named("scheduler"), 1e15) < 2
