"""A test of large networks: the work for an order grows with its messages, not with pairs of ranks."""

import numpy as np
import pytest

from banzuke.placement.compare import compare
from banzuke.placement.pattern import as_pattern
from banzuke.placement.routes import Routes
from banzuke.placement.shapes import fat_tree
from banzuke.placement.topology import Indices, topology_of
from banzuke.plan.catalogue import declared_flows

RANKS = 2000


@pytest.mark.parametrize(("name", "flows"), [("hpl", 2 + 6 + 8), ("halo", 6), ("fft", 32), ("alltoall", 32)])
def test_the_messages_that_are_routed_for_two_thousand_nodes_are_few_for_each(
    name: str, flows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`flows`: of a rank, in the sum of phases and in the steps; 15 orders at most are scored, and one is searched."""
    routed = []
    paths = Routes.paths

    def counted(routes: Routes, source: Indices, target: Indices) -> tuple[Indices, Indices]:
        routed.append(source.size)
        return paths(routes, source, target)

    monkeypatch.setattr(Routes, "paths", counted)
    hosts = [f"n{number}" for number in range(RANKS)]
    network = topology_of("tree", fat_tree(hosts, [50, 40], [1, 25], [1, 1], 1e9), hosts)
    pattern = next(pattern for pattern in map(as_pattern, declared_flows()) if pattern.name == name)
    grid = pattern.grid(RANKS)
    size = pattern.computes.least_size(grid) if pattern.computes else None
    comparison = compare(network, pattern, grid, np.arange(RANKS), seconds=0, size=size)
    assert comparison.proposed.time <= comparison.named("scheduler").time
    assert 5 * flows * RANKS < sum(routed) <= 20 * flows * RANKS
