"""Tests of `banzuke screen --topology`: nodes by their switches."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from banzuke.cli.screen import network_of, switches_of
from banzuke.errors import BanzukeError
from banzuke.fleet.judge import judge
from banzuke.fleet.model import Fleet, Node, NodeFigure, Pair

TREE = "SwitchName=top Switches=s[1-4]\n" + "".join(
    f"SwitchName=s{number} Nodes=n[{4 * number - 3:02}-{4 * number:02}]\n" for number in range(1, 5)
)


@pytest.fixture
def topology(tmp_path: Path) -> str:
    file = tmp_path / "topology.conf"
    file.write_text(TREE)
    return str(file)


def test_hosts_are_at_their_switches_and_strangers_are_named(topology: str) -> None:
    assert switches_of(network_of(topology), ["n05.example.org", "n01"]) == {"n05.example.org": "s2", "n01": "s1"}
    with pytest.raises(BanzukeError, match="no host 'm7'"):
        switches_of(network_of(topology), ["n01", "m7"])


def rated(places: Mapping[str, str], slow: Mapping[str, float]) -> Fleet:
    """Return a fleet whose pairs across switches are as slow as the slower way; each pair varies by up to 1%."""
    figure = NodeFigure("bandwidth", "bandwidth", "B/s")
    names = list(places)

    def rate(left: str, right: str) -> float:
        ways = [slow.get(places[host], 1.0) for host in (left, right)] if places[left] != places[right] else [1.0]
        wobble = 1 + 0.002 * ((sum(map(ord, left + right)) * 7919) % 11 - 5)
        return min(ways) * wobble * 1e10

    pairs = [
        Pair((left, right), {figure.name: rate(left, right)}) for at, left in enumerate(names) for right in names[:at]
    ]
    nodes = {name: Node(name, "kind", place=place) for name, place in places.items()}
    return Fleet({figure.name: figure}, nodes, tuple(pairs))


NAMES = [f"n{number:02}" for number in range(1, 17)]


def test_a_switch_whose_cable_upwards_is_slow_is_named_and_no_node_of_it(topology: str) -> None:
    """Pairs that cross it are slow, pairs on either side are not."""
    judged = judge(rated(switches_of(network_of(topology), NAMES), {"s3": 0.6}))
    (slow,) = judged.crossings
    assert (slow.place, slow.hosts) == ("s3", ("n09", "n10", "n11", "n12"))
    assert slow.slow.percent == pytest.approx(40, abs=2)
    assert judged.exit_status == 1
    assert not judged.of("fail")
    assert [place["place"] for place in judged.document()["crossings"]] == ["s3"]


@pytest.mark.parametrize("slow", [{}, {"s3": 0.95}, {"s1": 0.5, "s2": 0.5, "s3": 0.5, "s4": 0.5}])
def test_switches_that_are_alike_are_not_named(topology: str, slow: Mapping[str, float]) -> None:
    assert not judge(rated(switches_of(network_of(topology), NAMES), slow)).crossings


def test_a_slow_node_is_not_taken_for_its_switch(topology: str) -> None:
    fleet = rated(switches_of(network_of(topology), NAMES), {})
    pairs = [
        Pair(pair.hosts, {name: value * (0.5 if "n09" in pair.hosts else 1) for name, value in pair.values.items()})
        for pair in fleet.pairs
    ]
    judged = judge(replace(fleet, pairs=tuple(pairs)))
    assert not judged.crossings
    assert [node.host for node in judged.of("fail")] == ["n09"]


def test_of_three_switches_nobody_knows_which_is_slow(topology: str) -> None:
    places = {host: switch for host, switch in switches_of(network_of(topology), NAMES).items() if switch != "s4"}
    assert not judge(rated(places, {"s3": 0.6})).crossings
