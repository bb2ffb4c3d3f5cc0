"""Tests that a site's drawing shows what its description says, and no more."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from banzuke import paths
from banzuke.charts.style import FONT, LIGHT
from banzuke.document import Drawing
from banzuke.document.drawing import drawing_svg, wrapped
from banzuke.machine.published import read
from banzuke.machine.site import CoreKind, Device, NodeType, Partition, Processor, Site
from banzuke.report.first.node import node_panel
from banzuke.report.first.site import WIDTH, machine_drawing, site_drawing
from banzuke.report.testing import HOSTILE, rich
from banzuke.testing import machine
from banzuke.words.language import LANGUAGES, words

SITES = sorted(paths.MACHINES.glob("*.toml"))


def drawn(drawing: Drawing) -> ET.Element:
    return ET.fromstring(drawing_svg(drawing, LIGHT, FONT))  # noqa: S314  (of our own making)


def texts(drawing: Drawing) -> str:
    return " ".join("".join(element.itertext()) for element in drawn(drawing).iter() if element.tag.endswith("text"))


def cores(drawing: Drawing) -> list[bool]:
    """Return for each core whether it is filled."""
    rectangles = [element for element in drawn(drawing).iter() if element.tag.endswith("rect")]
    return [element.get("fill") == LIGHT["c1"] for element in rectangles if element.get("rx") == "1"]


@pytest.mark.parametrize("path", SITES, ids=lambda path: path.stem)
@pytest.mark.parametrize("language", LANGUAGES)
def test_published_sites_are_drawn_whole(path: Path, language: str) -> None:
    site = read(path)
    drawing = site_drawing(site, words(language))
    assert len(drawing.panels) == 1 + sum(partition.node != NodeType() for partition in site.partitions.values())
    assert all(panel.width <= WIDTH for panel in drawing.panels)
    shown = texts(drawing)
    for key, partition in site.partitions.items():
        assert (partition.name or key if len(site.partitions) > 1 else site.name) in shown
        assert all(device.name.split()[0] in shown for device in partition.node.devices)
    assert "var(--" not in drawing_svg(drawing, LIGHT, FONT)


def test_each_core_is_a_square_and_those_of_the_job_are_filled() -> None:
    node = NodeType(processors=[Processor(sockets=2, cores=8)])
    whole = Site(name="here", partitions={"nodes": Partition(node=node, nodes=3)})
    assert cores(site_drawing(whole, words())) == [True] * 8
    allotment = machine().allotment.model_copy(
        update={"partition": "nodes", "allowed_cores": 3, "one_per_core": [0, 4, 5], "packages": [[0], [4, 5]]}
    )
    mine = site_drawing(whole, words(), allotments=[allotment])
    assert cores(mine) == [True, False, False, False, True, True, False, False]
    assert "3 of 8 cores" in texts(mine)


def test_each_kind_of_core_has_a_box_of_its_own() -> None:
    kinds = {
        "performance": CoreKind(cores=2, cpus=[0, 1, 2, 3], nominal_hz=3.2e9, maximum_hz=5.1e9),
        "efficiency, 0.9 GHz": CoreKind(cores=4, cpus=[4, 5, 6, 7], nominal_hz=9e8, maximum_hz=2e9),
    }
    node = NodeType(processors=[Processor(model="Hybrid", sockets=1, cores=6, kinds=kinds)])
    site = Site(name="here", partitions={"nodes": Partition(node=node, nodes=1)})
    one_per_core = {"partition": "nodes", "allowed_cores": 3, "one_per_core": [2, 4, 7]}
    drawing = site_drawing(site, words(), allotments=[machine().allotment.model_copy(update=one_per_core)])
    assert cores(drawing) == [True, False, True, True, False, False]
    assert "2 cores: performance · 3.2 GHz · at most 5.1 GHz" in texts(drawing)
    assert "4 cores: efficiency, 0.9 GHz · at most 2 GHz" in texts(drawing)
    assert "3 of 6 cores" in texts(drawing)
    assert "高効率、0.9 GHz" in texts(site_drawing(site, words("ja")))


@pytest.mark.parametrize("sockets", [17, 100_000_000])
def test_of_very_many_sockets_some_are_drawn(sockets: int) -> None:
    node = NodeType(processors=[Processor(sockets=sockets, cores=8 * sockets)])
    panel = node_panel(Partition(node=node), "n", words(), WIDTH)
    assert panel
    assert panel.body.count("<rect") == 16 * (1 + 8)


def test_devices_that_were_found_one_by_one_are_drawn_together() -> None:
    devices = [Device(name="A", memory=1 << 36)] * 3 + [Device(name="B")]
    node = NodeType(devices=devices, facts={"local_storage": "6.4 TB"})
    shown = texts(site_drawing(Site(name="here", partitions={"nodes": Partition(node=node)}), words()))
    assert "3 × A" in shown
    assert "1 × B" in shown
    assert shown.count("64 GiB") == 3
    assert "local storage: 6.4 TB" in shown


def test_the_evaluation_adds_what_it_measured() -> None:
    shown = texts(machine_drawing(rich(), words()))
    assert "GB/s measured" in shown
    assert "GB/s theoretical" not in shown


def test_what_is_unknown_of_a_partition_is_said() -> None:
    description = site_drawing(Site(name="here", partitions={"nodes": Partition(nodes=4)}), words()).description
    assert "processors unknown, cores of a node unknown; memory of a node unknown" in description


def test_hostile_names_stay_text() -> None:
    partition = Partition(name=HOSTILE, title=HOSTILE, interconnect=HOSTILE, node=NodeType(processors=[]))
    site = Site(name=HOSTILE, partitions={"a": partition, "b": partition})
    drawing = site_drawing(site, words())
    root = drawn(drawing)
    assert not [element for element in root.iter() if "script" in element.tag]
    assert "<script>" in " ".join(root.itertext())
    assert "\x1b" not in drawing_svg(drawing, LIGHT, FONT)


def test_text_is_broken_to_fit() -> None:
    assert wrapped("one two", 1000, 10, 2) == ["one two"]
    assert wrapped("one two three four", 45, 10, 2) == ["one two", "three…"]
    assert wrapped("速い計算機", 31, 10, 3) == ["速い計", "算機"]
    assert not wrapped("", 10, 10, 2)
