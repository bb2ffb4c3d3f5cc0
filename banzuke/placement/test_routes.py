from itertools import permutations

import numpy as np
import pytest

from banzuke.errors import BanzukeError
from banzuke.placement.routes import Routes
from banzuke.placement.shapes import fat_tree, torus
from banzuke.placement.testing import two_switches
from banzuke.placement.topology import Indices, NetworkTopology, Routing, topology_of


def vertices(topology: NetworkTopology, source: int, target: int) -> list[str]:
    """Return the vertices that a message passes between the first cables of two hosts, in order."""
    _, links = Routes(topology).paths(np.array([source]), np.array([target]))
    steps = {int(topology.source[link]): int(topology.target[link]) for link in links}
    path = [len(topology.switches) + source]
    while path[-1] in steps:
        path.append(steps[path[-1]])
    return [topology.vertex(number) for number in path]


def everyone(hosts: int) -> tuple[Indices, Indices]:
    pairs = np.array(list(permutations(range(hosts), 2)))
    return pairs[:, 0], pairs[:, 1]


def test_a_message_within_a_switch_leaves_it_at_once() -> None:
    assert vertices(two_switches(), 0, 1) == ["a0", "switch-a", "a1"]
    assert vertices(two_switches(), 0, 5) == ["a0", "switch-a", "switch-b", "b1"]


@pytest.mark.parametrize(
    ("routing", "expected"),
    [("destination", [2, 2]), ("blocks", [0, 4]), ("first", [4, 0]), ("adaptive", [2, 2])],
)
def test_each_rule_deals_receivers_to_cables(routing: Routing, expected: list[float]) -> None:
    """Four messages from one switch to the four hosts of the other, which have the numbers 4 to 7 of 8."""
    network = two_switches(4, 2, routing)
    loads = Routes(network).loads(np.arange(4), np.arange(4, 8), np.ones(4))
    between = (network.source == 0) & (network.target == 1)
    assert list(loads[between]) == expected


def test_receivers_that_share_a_factor_with_the_cables_share_cables() -> None:
    network = two_switches(16, 8)
    crossing = (network.source == 0) & (network.target == 1)
    for stride, used in ((1, 8), (2, 4), (4, 2)):
        targets = np.arange(16, 32, stride)
        loads = Routes(network).loads(np.zeros_like(targets), targets, np.ones(targets.size))[crossing]
        assert int((loads > 0).sum()) == used


@pytest.mark.parametrize("routing", ["destination", "blocks", "first", "adaptive"])
def test_all_that_is_sent_arrives(routing: Routing) -> None:
    """Hosts receive what hosts send, and each switch forwards what it receives."""
    hosts = [f"n{number}" for number in range(27)]
    network = topology_of("tree", fat_tree(hosts, [3, 3, 3], [1, 2, 2], [1, 2, 1], 1.0), hosts, routing=routing)
    source, target = everyone(27)
    amounts = np.linspace(1, 2, source.size)
    loads = Routes(network).loads(source, target, amounts)
    assert loads[network.port_up].sum() == pytest.approx(amounts.sum())
    assert loads[network.port_down] == pytest.approx(np.bincount(target, weights=amounts))
    for switch in range(len(network.switches)):
        coming, going = loads[network.target == switch].sum(), loads[network.source == switch].sum()
        assert coming == pytest.approx(going)


def test_d_mod_k_gives_each_cable_of_a_full_tree_as_many_receivers() -> None:
    """This is why D-mod-k exists: a shift by any number of hosts causes no collision."""
    hosts = [f"n{number}" for number in range(64)]
    network = topology_of("tree", fat_tree(hosts, [4, 4, 4], [1, 4, 4], [1, 1, 1], 1.0), hosts)
    everybody = np.arange(64)
    for shift in (1, 5, 16, 32):
        assert Routes(network).loads(everybody, (everybody + shift) % 64, np.ones(64)).max() == 1


def test_a_torus_goes_through_its_dimensions_in_order() -> None:
    hosts = [f"n{number}" for number in range(15)]
    network = topology_of("torus", torus(hosts, [5, 3], 1.0), hosts, routing="first")
    assert vertices(network, 0, 14) == ["n0", "at0,0", "at4,0", "at4,2", "n14"]
    assert vertices(network, 0, 7) == ["n0", "at0,0", "at1,0", "at2,0", "at2,1", "n7"]


def test_longer_ways_than_any_network_has_are_refused() -> None:
    hosts = [f"n{number}" for number in range(200)]
    network = topology_of("ring", torus(hosts, [200], 1.0), hosts, routing="first")
    with pytest.raises(BanzukeError, match="more than 64 switches"):
        Routes(network).paths(np.array([0]), np.array([100]))
