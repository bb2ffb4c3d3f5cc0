"""Tests of slow cables between switches: invented pairs on networks, with one cable slower than described."""

from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from banzuke.fleet.cables import Rounds
from banzuke.fleet.judge import judge
from banzuke.fleet.load import rounds_of
from banzuke.fleet.model import Fleet, Node, NodeFigure, Pair
from banzuke.fleet.verdict import FleetJudgement
from banzuke.placement.fairness import fair_rates
from banzuke.placement.readers.read import parse
from banzuke.placement.topology import NetworkTopology
from banzuke.record.figures import Pairs
from banzuke.results.network import KeptNetwork

FIGURE = NodeFigure("pt2pt-mpi:pairs:bandwidth:way", "bandwidth", "B/s", directed=True)
TREE = 'name = "t"\nrate = 1e9\nhosts = "n[01-16]"\nfat_tree = { down = [4, 4], up = [1, 2] }\n'
BRIDGES = 'name = "b"\nrate = 1e9\n[switches]\ncore = {}\n' + "".join(
    f's{number} = {{ hosts = "n[{3 * number - 2:02}-{3 * number:02}]", up = [{{ to = "core" }}] }}\n'
    for number in range(1, 5)
)


def together(hosts: list[str], partners: int = 0) -> dict[tuple[str, str], int]:
    """Return the rounds of all pairs; or of neighbours, and of some others in one round less than `partners`."""
    turning = len(hosts) - 1
    pairs = [
        (a, b)
        for a, b in combinations(range(len(hosts)), 2)
        if not partners or b == a ^ 1 or (a + b if b < turning else 2 * a) % turning < partners - 1
    ]
    both = pairs + [(b, a) for a, b in pairs]
    origins, targets = zip(*both, strict=True)
    matrix = Pairs.model_validate({"unit": "B/s", "from": origins, "to": targets, "values": [1.0] * len(both)})
    return dict(rounds_of(matrix, dict(enumerate(hosts))))


def measured(text: str, slow: tuple[str, str, int] | None = None, factor: float = 0.5, seed: int = 1) -> Fleet:
    """Return a fleet whose pairs get their fair share, to 1%, of cables of which one has a smaller rate."""
    network = parse(text, "net.toml")
    rounds = together(list(network.hosts))
    ends = list(rounds)
    source, target = (np.array(network.find([pair[side] for pair in ends])) for side in (0, 1))
    rate = network.rate.copy()
    if slow:
        rate[link(network, *slow)] *= factor
    shares = Rounds(
        replace(network, rate=rate), source, target, np.ones(len(ends)), np.array(list(rounds.values()))
    ).shares
    rates = 0.8 * shares * np.random.default_rng(seed).lognormal(0, 0.01, len(ends))
    pairs = [Pair(pair, {FIGURE.name: float(value)}, rounds[pair]) for pair, value in zip(ends, rates, strict=True)]
    switches = network.switch_of_host
    nodes = {host: Node(host, "kind", place=network.switches[switches[at]]) for at, host in enumerate(network.hosts)}
    return Fleet({FIGURE.name: FIGURE}, nodes, tuple(pairs), network=KeptNetwork(file="net.toml", topology=text))


def link(network: NetworkTopology, source: str, target: str, number: int) -> int:
    names = [network.vertex(at) for at in range(len(network.switches))]
    ends = (network.source == names.index(source)) & (network.target == names.index(target))
    return int(np.flatnonzero(ends)[number - 1])


def named(judged: FleetJudgement) -> list[tuple[str, str, int, bool]]:
    return [(cable.source, cable.target, cable.number, cable.alone) for cable in judged.cables]


@pytest.mark.parametrize("text", [TREE, BRIDGES])
def test_in_healthy_networks_no_cable_is_named(text: str) -> None:
    for seed in range(20):
        assert not judge(measured(text, seed=seed)).cables


@pytest.mark.parametrize("factor", [0.5, 0.8])
def test_one_slow_cable_of_several_is_named_alone_with_its_direction(factor: float) -> None:
    network = parse(TREE, "net.toml")
    leaf = network.switches[network.switch_of_host[5]]
    above = (network.source == network.switches.index(leaf)) & (network.target < len(network.switches))
    spine = network.switches[network.target[above][1]]
    up, down = (leaf, spine, 1), (spine, leaf, 1)
    for slow in (up, down):
        judged = judge(measured(TREE, slow, factor))
        assert named(judged) == [(*slow, False)]
        assert judged.exit_status == 1
        assert 100 * (1 - factor) - 8 < judged.cables[0].slow.percent < 100 * (1 - factor) + 3
        assert judged.document()["cables"][0]["from"] == slow[0]


def test_a_switchs_only_cable_is_named_with_the_switch() -> None:
    judged = judge(measured(BRIDGES, ("s2", "core", 1)))
    assert named(judged) == [("s2", "core", 1, True)]
    assert [remark.code for remark in judged.remarks if "routes" in remark.code] == ["fleet-routes"]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (('"t"', '"t"\nrouting = "adaptive"'), "fleet-routes-adaptive"),
        (("n[01-16]", "m[01-16]"), "fleet-no-routes"),
    ],
)
def test_where_routes_are_not_known_none_is_named_and_that_is_told(change: tuple[str, str], why: str) -> None:
    fleet = measured(TREE)
    kept = KeptNetwork(file="net.toml", topology=TREE.replace(*change))
    judged = judge(replace(fleet, network=kept))
    assert not judged.cables
    assert why in [remark.code for remark in judged.remarks]


def test_a_slow_host_is_not_taken_for_a_cable() -> None:
    fleet = measured(TREE)
    pairs = [
        replace(
            pair, values={name: value * (0.6 if pair.hosts[0] == "n06" else 1) for name, value in pair.values.items()}
        )
        for pair in fleet.pairs
    ]
    assert not judge(replace(fleet, pairs=tuple(pairs))).cables


@pytest.mark.parametrize(("hosts", "partners"), [(8, 0), (7, 0), (12, 0), (16, 5)])
def test_in_a_round_each_host_sends_to_one_other_at_most(hosts: int, partners: int) -> None:
    """As core/test_pair_schedule.cpp has it; both directions of a round are one after the other."""
    rounds = together([f"n{number}" for number in range(hosts)], partners)
    for side in (0, 1):
        assert max(Counter((pair[side], number) for pair, number in rounds.items()).values()) == 1
    assert len(set(rounds.values())) == 2 * (partners or hosts - 1 + hosts % 2)


def test_shares_are_fair() -> None:
    """Two messages share a cable of 1; one of them is limited to 0.2 elsewhere, and the other gets the rest."""
    shares = fair_rates(np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([1.0, 0.2]), 2)
    assert shares == pytest.approx([0.8, 0.2])


def test_pairs_share_cables_with_those_of_their_round_alone() -> None:
    """Three hosts send over one cable: two in one round, and the third in the next."""
    network = parse(BRIDGES, "net.toml")
    source, target = (np.array(network.find(hosts)) for hosts in (["n01", "n02", "n03"], ["n04", "n07", "n10"]))
    rounds = Rounds(network, source, target, np.ones(3), np.array([0, 0, 1]))
    assert rounds.shares == pytest.approx([5e8, 5e8, 1e9])
