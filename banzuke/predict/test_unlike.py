"""Tests that predictions without comparable public figures have no stated probability, and say why."""

from dataclasses import replace
from pathlib import Path

import pytest

from banzuke.errors import BanzukeError
from banzuke.machine.cluster import Network
from banzuke.machine.site import Interface, NodeType, Partition
from banzuke.plan.catalogue import find
from banzuke.predict.contradictions import contradictions
from banzuke.predict.find import predicted_machine
from banzuke.predict.interconnect import is_ethernet
from banzuke.predict.model import Call, forecast
from banzuke.results.store import Store
from banzuke.words.language import words


@pytest.mark.parametrize(
    ("benchmark", "machine", "call", "scale", "why"),
    [
        ("hpl", "frontera", {}, 1.0, ""),
        ("hpl", "frontera", {"n": 300_000}, 1.0, ""),
        ("hpl", "frontera", {"n": 100_000}, 1.0, "that fill at least 15% of the memory"),
        ("hpl", "frontera", {}, 20.0, "scaled by more than 10"),
        ("hpl", "frontera", {}, 5.0, ""),
        ("hpcg", "frontera", {}, 1.0, ""),
        ("hpcg", "frontera", {"code": "banzuke"}, 1.0, "not of banzuke"),
        ("hpcg", "frontera", {"px": 14, "py": 4, "pz": 2}, 1.0, ""),
        ("hpcg", "frontera", {"px": 112, "py": 1, "pz": 1}, 1.0, "not of 112 x 1 x 1"),
    ],
)
def test_calls_that_no_public_figure_is_like(
    tmp_path: Path, benchmark: str, machine: str, call: Call, scale: float, why: str
) -> None:
    described = replace(predicted_machine(machine, Store(tmp_path), ["16"]), changes={"flops": scale})
    made = forecast(find(benchmark), described, call, upgrades=False)
    said = [text for text in map(words(), made.estimate.remarks) if "no stated probability" in text]
    assert (made.probability is None) == bool(said) == bool(why)
    assert all(why in words()(remark) for remark in said)
    assert made.low < made.estimate.figure < made.high


def test_unlike_nodes_have_no_stated_probability(tmp_path: Path) -> None:
    described = predicted_machine("tsubame", Store(tmp_path), ["tsubame-node=330", "tsubasa=68"])
    made = forecast(find("hpl"), described, {}, upgrades=False)
    assert made.probability is None
    assert any("unlike nodes" in words()(remark) for remark in made.estimate.remarks)


@pytest.mark.parametrize(
    ("machine", "line", "said"),
    [
        ("frontera", "node.processors.0.nominal_hz=20e9", "the nominal clock is 20 GHz, outside"),
        ("frontera", "node.processors.0.maximum_hz=2.7e6", "the highest clock is 2.7 MHz, outside"),
        ("frontera", "node.processors.0.vector_hz=0.3e9", "far below the nominal 2.7 GHz"),
        ("frontera", "node.processors.0.cores=2", "flops of a core and cycle, outside 0.5 to 128"),
        ("frontera", "network.bandwidth=1", "network.bandwidth is 1 B/s, outside 100 kB/s to"),
        ("frontera", "network.latency=2", "network.latency is 2 s, outside"),
        ("frontera", "node.memory.total=10_000_000_000_000_000", "node.memory.total is 8.88 PiB, outside"),
        ("frontera", 'node.peaks."memory.bytes" = { value = 281, unit = "B/s" }', "is 281 B/s, outside"),
        ("frontera", "node.memory.fast=64_000_000_000", "without its bandwidth"),
        ("frontera", "node.memory.fast_bandwidth=1e12", "without its size"),
        ("oakforest-pacs-knl", "node.memory.fast_bandwidth=50e9", "no more than the other"),
    ],
)
def test_what_cannot_be_is_named_and_has_no_stated_probability(
    tmp_path: Path, machine: str, line: str, said: str
) -> None:
    described = predicted_machine(machine, Store(tmp_path), ["16"], [line])
    named = contradictions(described.site.partitions["nodes"], "It")
    assert any(said in sentence for sentence in named)
    assert forecast(find("hpl"), described, {"n": 1000, "p": 4, "q": 8}, upgrades=False).probability is None


@pytest.mark.parametrize(("link", "near"), [("16e9", False), ("400e9", True)])
def test_a_slow_link_is_not_that_of_one_memory(tmp_path: Path, link: str, *, near: bool) -> None:
    lines = [f"node.devices.0={{unified=true, host_bandwidth={link}}}"]
    described = predicted_machine("alps-gh200", Store(tmp_path), lines=lines)
    said = contradictions(described.site.partitions["nodes"], "It")
    assert near or "shares the processors' memory" in said[0]
    assert near == (not said)


@pytest.mark.parametrize(
    "line",
    [
        "node.processors.0.cores=0",
        "node.processors.0.nominal_hz=0",
        "node.processors.0.sockets=0",
        'node.peaks."memory.bytes" = { value = 0, unit = "B/s" }',
        'node.processors.0.peaks."flops.fp64" = { value = 0, unit = "flop/s" }',
    ],
)
def test_zeros_of_processors_are_refused(tmp_path: Path, line: str) -> None:
    described = predicted_machine("frontera", Store(tmp_path), lines=[line])
    with pytest.raises(BanzukeError, match="= 0"):
        forecast(find("hpl"), described, {}, upgrades=False)


@pytest.mark.parametrize(
    ("name", "link", "ethernet"),
    [
        ("10GbE", 1.25e9, True),
        ("1GbE", 1.25e8, True),
        ("25 GbE", 3.1e9, True),
        ("10GE", 1.25e9, True),
        ("10GigE", 1.25e9, True),
        ("GigE", 1.25e8, True),
        ("Gigabit", 1.25e8, True),
        ("cluster network", 1.25e8, True),
        ("cluster network", 1.25e9, False),
        ("RoCE over 100GbE", 12.5e9, False),
        ("Slingshot-11 Ethernet", 25e9, False),
        ("InfiniBand EDR; 10GbE for storage", 12.5e9, False),
        ("Custom torus", 1.25e8, False),
        ("Large network", 1e9, False),
    ],
)
def test_ethernet_has_many_names(name: str, link: float, *, ethernet: bool) -> None:
    assert is_ethernet(Partition(node=NodeType(), interconnect=name, network=Network()), link) is ethernet


def test_an_unnamed_interconnect_is_told_by_its_interfaces() -> None:
    node = NodeType(interfaces=[Interface(name="eth0", kind="ethernet", bits_per_second=1e10)])
    assert is_ethernet(Partition(node=node), 1.25e9)
