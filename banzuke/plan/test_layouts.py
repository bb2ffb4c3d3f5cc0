"""The grids and divisors that benchmarks choose from; layouts by NUMA node are tested with each of them."""

import math

from banzuke.machine.site import NumaNode
from banzuke.plan.layouts import divisors, factorisations, host_placements, rank_per_numa_node
from banzuke.testing import machine, with_hosts


def test_divisors_ascend() -> None:
    assert [divisors(value) for value in (1, 7, 12, 16)] == [[1], [1, 7], [1, 2, 3, 4, 6, 12], [1, 2, 4, 8, 16]]


def test_factorisations_are_all_of_them_once() -> None:
    grids = list(factorisations(12))
    assert len(grids) == len(set(grids)) == 18
    assert {math.prod(grid) for grid in grids} == {12}
    assert grids == sorted(grids)


def test_placements_over_hosts_use_processors_that_there_are() -> None:
    """Even if a damaged description has a wrong number of cores: records are judged by it."""
    placements = host_placements(machine(cores=3).changed(allotment={"hosts": ["n1", "n2"], "allowed_cores": 1726}))
    assert [place.ranks * len(place.cpus[0]) for place in placements if place.name == "2-nodes-numa"] == [6]


def test_memory_without_processors_takes_no_rank() -> None:
    """Two sockets, each with DRAM and HBM."""
    nodes = [NumaNode(node=number, cpus=cpus) for number, cpus in enumerate(([0, 1, 2, 3], [], [4, 5, 6, 7], []))]
    layout = rank_per_numa_node(with_hosts(machine(cores=8), 1).changed(node={"numa": nodes}))
    assert (layout.ranks, layout.threads) == (2, 4)
