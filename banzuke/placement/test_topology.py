import math

import pytest

from banzuke.errors import BanzukeError
from banzuke.placement.shapes import dragonfly, fat_tree, torus
from banzuke.placement.testing import two_switches
from banzuke.placement.topology import Cable, topology_of


def test_cables_become_links_in_both_directions() -> None:
    network = two_switches(2, 3)
    assert network.switches == ("switch-a", "switch-b")
    assert network.hosts == ("a0", "a1", "b0", "b1")
    assert network.source.size == 2 * (4 + 3)
    assert [network.vertex(int(v)) for v in network.source[network.port_up]] == ["a0", "a1", "b0", "b1"]
    assert [network.vertex(int(v)) for v in network.target[network.port_down]] == ["a0", "a1", "b0", "b1"]
    assert list(network.switch_of_host) == [0, 0, 1, 1]


def test_receivers_are_ranked_by_their_numbers() -> None:
    cables = [Cable("a", "s", 1.0, receiver=30), Cable("b", "s", 1.0, receiver=7), Cable("c", "s", 1.0, receiver=12)]
    assert list(topology_of("n", cables, ["a", "b", "c"]).receiver) == [2, 0, 1]
    without = [*cables[:2], Cable("c", "s", 1.0)]
    assert list(topology_of("n", without, ["a", "b", "c"]).receiver) == [0, 1, 2]


def test_unknown_rates_are_alike() -> None:
    network = topology_of("n", [Cable("a", "s", math.nan), Cable("b", "s", 5.0)], ["a", "b"])
    assert not network.rated
    assert set(network.rate) == {1.0}


def test_hosts_are_found_without_domain_and_case() -> None:
    assert two_switches().find(["B1.example.org", "a3"]) == [5, 3]
    with pytest.raises(BanzukeError, match="has no host 'c9' and 1 others of 3"):
        two_switches().find(["c9", "a0", "d1"])


@pytest.mark.parametrize(
    ("cables", "hosts", "problem"),
    [
        ([Cable("a", "s", 1.0)], [], "no hosts"),
        ([Cable("a", "s", 1.0)], ["a", "b"], "b is at no switch"),
        ([Cable("a", "b", 1.0)], ["a", "b"], "without a switch"),
        ([Cable("s", "s", 1.0), Cable("a", "s", 1.0)], ["a"], "leads back"),
        ([Cable("a", "s", 1.0), Cable("b", "t", 1.0)], ["a", "b"], "2 parts have hosts"),
    ],
)
def test_what_is_no_network_is_refused(cables: list[Cable], hosts: list[str], problem: str) -> None:
    with pytest.raises(BanzukeError, match=problem):
        topology_of("n", cables, hosts)


def test_a_fat_tree_has_simgrids_numbers_of_switches_and_cables() -> None:
    """`2;8,8;1,8;1,1`: 64 hosts on 8 switches below 8."""
    hosts = [f"n{number}" for number in range(64)]
    network = topology_of("tree", fat_tree(hosts, [8, 8], [1, 8], [1, 1], 1.0), hosts)
    assert len(network.switches) == 16
    assert network.source.size == 2 * (64 + 64)


def test_a_dragonfly_joins_all_groups() -> None:
    hosts = [f"n{number}" for number in range(72)]
    cables = dragonfly(hosts, 9, 4, 2, 1.0, 0.5)
    network = topology_of("fly", cables, hosts)
    assert len(network.switches) == 36
    far = {frozenset((c.left.partition("-")[0], c.right.partition("-")[0])) for c in cables if c.rate == 0.5}
    assert len(far) == 36, "each pair of nine groups has a cable"
    ends = [end for c in cables if c.rate == 0.5 for end in (c.left, c.right)]
    assert all(ends.count(switch) == 2 for switch in network.switches)
    with pytest.raises(BanzukeError, match="do not reach"):
        dragonfly(hosts, 9, 4, 1, 1.0, 1.0)


def test_a_torus_has_two_neighbours_in_each_dimension() -> None:
    hosts = [f"n{number}" for number in range(24)]
    network = topology_of("torus", torus(hosts, [4, 3, 2], 1.0), hosts)
    size = len(network.switches)
    between = network.source[(network.source < size) & (network.target < size)]
    assert [int((between == switch).sum()) for switch in range(size)] == [5] * 24
