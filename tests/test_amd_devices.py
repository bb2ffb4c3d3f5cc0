"""Tests of AMD's devices in a machine's description, from files laid out as amdkfd and amdgpu write them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from banzuke.machine import probe
from banzuke.machine.accelerators import Accelerators, from_probe
from banzuke.report.fact_table import note_text
from banzuke.report.specification import specification
from banzuke.testing import machine as example
from banzuke.words.language import words

XGMI, PCIE = 11, 2
PACKAGE, DIRECT = 13, 15
"""Weights of a link inside a package, and of one between packages."""
IN_PACKAGE = 819_200
"""Rate that the kernel reports for such a link, in MB/s."""


@dataclass(frozen=True)
class Link:
    to: int
    least: int = 0
    most: int = 0
    kind: int = XGMI
    weight: int = DIRECT


@dataclass(frozen=True)
class Node:
    """A node of the topology, in the kernel's units: clocks in MHz."""

    simds: int
    target: int
    clock: int
    memory_clock: int
    width: int = 4096
    bus: int = 0xC1
    domain: int = 0
    location: int = 0
    """Offset added to the bus's location."""
    links: Sequence[Link] = ()
    name: str = "Instinct"
    size: int = 64 << 30
    others: Mapping[str, str] = field(default_factory=dict)
    """Further files of the PCI device."""

    @property
    def address(self) -> str:
        return f"{self.domain:04x}:{self.bus:02x}:00.0"


MI100 = Node(480, 90008, 1502, 1200, name="MI100", size=32 << 30)
MI210 = Node(416, 90010, 1700, 1600, name="MI210")
MI250X = Node(440, 90010, 1700, 1600, name="MI250X")
MI300X = Node(1216, 90402, 2100, 1300, 8192, name="MI300X", size=192 << 30)


def properties(**values: int) -> str:
    return "".join(f"{name} {value}\n" for name, value in values.items())


def files(nodes: Sequence[Node]) -> dict[str, str]:
    """Return the files of a host with one processor, which is the topology's node 0, and these devices."""
    topology = "sys/class/kfd/kfd/topology/nodes"
    tree = {f"{topology}/0/properties": properties(cpu_cores_count=64, simd_count=0, gfx_target_version=0)}
    for number, node in enumerate(nodes, 1):
        folder = f"{topology}/{number}"
        tree[f"{folder}/properties"] = properties(
            cpu_cores_count=0,
            simd_count=node.simds,
            mem_banks_count=1,
            io_links_count=len(node.links),
            max_waves_per_simd=8,
            wave_front_size=64,
            array_count=32,
            simd_per_cu=4,
            gfx_target_version=node.target,
            vendor_id=4098,
            location_id=(node.bus << 8) + node.location,
            domain=node.domain,
            hive_id=1234567,
            unique_id=(1 << 63) + number,
            max_engine_clk_fcompute=node.clock,
            local_mem_size=0,
            max_engine_clk_ccompute=3400,
        )
        tree[f"{folder}/mem_banks/0/properties"] = properties(
            heap_type=1, size_in_bytes=node.size, flags=0, width=node.width, mem_clk_max=node.memory_clock
        )
        for place, link in enumerate(node.links):
            tree[f"{folder}/io_links/{place}/properties"] = properties(
                type=link.kind,
                version_major=0,
                version_minor=0,
                node_from=number,
                node_to=link.to,
                weight=link.weight,
                min_latency=0,
                max_latency=0,
                min_bandwidth=link.least,
                max_bandwidth=link.most,
                recommended_transfer_size=0,
                flags=1,
            )
        device = f"sys/bus/pci/devices/{node.address}"
        tree |= {
            f"{device}/vendor": "0x1002\n",
            f"{device}/product_name": f"{node.name}\n",
            f"{device}/unique_id": f"{node.domain:04x}{node.bus:04x}\n",
            f"{device}/mem_info_vram_total": f"{node.size}\n",
            f"{device}/mem_info_vram_used": "0\n",
            f"{device}/max_link_speed": "16.0 GT/s PCIe\n",
            f"{device}/max_link_width": "16\n",
            **{f"{device}/{name}": text for name, text in node.others.items()},
        }
    return tree


@pytest.fixture
def probed(tmp_path: Path) -> Callable[..., Accelerators]:
    """Return a function that probes such a host; a file whose text is None does not exist."""

    def look(*nodes: Node, **changed: str | None) -> Accelerators:
        for name, text in (files(nodes) | changed).items():
            if text is None:
                continue
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        seen = probe.devices(str(tmp_path))
        return from_probe(
            seen.model_copy(update={"devices": [device for device in seen.devices if device.vendor == "AMD"]})
        )

    return look


def shown(devices: Accelerators) -> str:
    """Return the devices as `banzuke machine` and the report show them."""
    groups = specification(example().changed(node={"devices": devices.kinds}, allotment={"devices": devices.allotted}))
    return "\n".join(
        f"{words().fact(row.name)}: {row.value}: {note_text(words(), row)}"
        for group in groups
        if group.title.code in ("report-machine-devices", "report-machine-attached")
        for row in group.rows
    )


@pytest.mark.parametrize(
    ("node", "units", "printed"),
    [
        # AMD's data sheets.
        (MI100, 120, {"flops.fp64": 11.5e12, "flops.fp32_matrix": 46.1e12, "memory.bytes": 1.23e12}),
        (MI210, 104, {"flops.fp64": 22.6e12, "flops.fp64_matrix": 45.3e12, "memory.bytes": 1.64e12}),
        (MI250X, 110, {"flops.fp64": 23.95e12, "flops.fp64_matrix": 47.9e12, "flops.fp16_matrix": 191.5e12}),
        (
            MI300X,
            304,
            {"flops.fp64": 81.7e12, "flops.fp64_matrix": 163.4e12, "flops.fp32": 163.4e12, "memory.bytes": 5.3e12},
        ),
    ],
    ids=lambda value: value.name if isinstance(value, Node) else "",
)
def test_peaks_are_those_that_are_printed(
    probed: Callable[..., Accelerators], node: Node, units: int, printed: Mapping[str, float]
) -> None:
    (kind,) = probed(node).kinds
    assert kind.multiprocessors == units
    for name, value in printed.items():
        assert kind.peaks[name].value == pytest.approx(value, rel=0.01), name
    assert ("flops.fp64_matrix" in kind.peaks) is (node is not MI100)


def test_a_derivation_names_the_operands(probed: Callable[..., Accelerators]) -> None:
    (kind,) = probed(MI300X).kinds
    assert kind.peaks["flops.fp64_matrix"].derivation == (
        "304 compute units x 2.100 GHz (highest) x 2 flop x 128 multiply-adds per clock of the matrix cores (gfx942)"
    )
    assert kind.peaks["memory.bytes"].derivation == "8192 bit x 1.300 GHz (highest) x 4"
    text = shown(probed(MI300X))
    assert "192 GiB, 304 compute units, gfx942, up to 2.1 GHz, memory up to 1.3 GHz" in text


def test_the_drivers_own_clocks_come_first(probed: Callable[..., Accelerators]) -> None:
    lowered = Node(416, 90010, 1700, 1600, others={"pp_dpm_sclk": "0: 500Mhz\n1: 1650Mhz *\n"})
    (kind,) = probed(lowered).kinds
    assert (kind.maximum_hz, kind.memory_hz) == (1.65e9, 1.6e9)


@pytest.mark.parametrize(
    ("node", "name", "missing"),
    [
        (Node(384, 110000, 2482, 1249), "flops.fp64", "multiply-adds per clock of gfx1100"),
        (Node(384, 110000, 2482, 1249), "memory.bytes", "transfers per clock"),
        (Node(416, 90010, 100, 100), "flops.fp64", "highest clock"),
        (Node(416, 90010, 100, 100), "memory.bytes", "clock"),
        (Node(416, 90010, 10**14, 1600), "flops.fp64", "highest clock"),
        (Node(416, 90010, 1700, 10**14), "memory.bytes", "clock"),
        (Node(416, 90010, 1700, 1600, width=0), "memory.bytes", "width"),
        (Node(416, 999999, 1700, 1600), "flops.fp64", "architecture"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_unknown_gives_no_peak_and_is_named(
    probed: Callable[..., Accelerators], node: Node, name: str, missing: str
) -> None:
    (kind,) = probed(node).kinds
    assert kind.peaks[name].value is None
    assert kind.peaks[name].derivation.endswith(f"unknown: {missing}")


def test_without_the_compute_driver_there_are_no_peaks(probed: Callable[..., Accelerators]) -> None:
    node = "sys/class/kfd/kfd/topology/nodes/1"
    (kind,) = probed(MI210, **{f"{node}/properties": None}).kinds
    assert kind.peaks["flops.fp64"].derivation.endswith("unknown: architecture, compute units, highest clock")
    assert (kind.capability, kind.multiprocessors) == (None, None)


@pytest.mark.parametrize("text", ["", "\0" * 100, "simd_count -4\nsimd_per_cu 4\n", "simd_count 1e300\nsimd_per_cu 0"])
def test_nonsense_is_unknown(probed: Callable[..., Accelerators], text: str) -> None:
    (kind,) = probed(MI210, **{"sys/class/kfd/kfd/topology/nodes/1/properties": text}).kinds
    assert kind.peaks["flops.fp64"].value is None


def test_a_device_whose_memory_is_all_in_use_has_none_to_give(probed: Callable[..., Accelerators]) -> None:
    used = f"sys/bus/pci/devices/{MI210.address}/mem_info_vram_used"
    (device,) = probed(MI210, **{used: f"{MI210.size}\n"}).allotted
    assert device.memory_available == 0


def test_more_memory_in_use_than_there_is_says_nothing_of_what_is_free(probed: Callable[..., Accelerators]) -> None:
    used = f"sys/bus/pci/devices/{MI210.address}/mem_info_vram_used"
    (device,) = probed(MI210, **{used: f"{MI210.size + 4096}\n"}).allotted
    assert device.memory_available == device.memory == MI210.size


def test_each_device_has_its_own_node(probed: Callable[..., Accelerators]) -> None:
    """Nodes are matched by domain and address, because their order differs from the bus's."""
    seen = probed(MI300X, Node(416, 90010, 1700, 1600, bus=0x05, name="MI210"), Node(440, 90010, 1700, 1600, domain=1))
    assert [(kind.name, kind.multiprocessors) for kind in seen.kinds] == [
        ("MI210", 104),
        ("MI300X", 304),
        ("Instinct", 110),
    ]


@pytest.mark.parametrize("shift", [0, 28], ids=["older kernels", "newer kernels"])
def test_of_a_partition_no_peak_is_told(probed: Callable[..., Accelerators], shift: int) -> None:
    parts = [
        Node(
            152,
            90402,
            2100,
            1300,
            8192,
            location=part << shift,
            name="MI300X",
            links=[Link(1, IN_PACKAGE, IN_PACKAGE, weight=PACKAGE)],
        )
        for part in range(8)
    ]
    (kind,) = probed(*parts).kinds
    assert (kind.multiprocessors, kind.peer_link) == (304, None)
    assert {peak.value for peak in kind.peaks.values()} == {None}
    assert "partitioned into 8" in kind.peaks["flops.fp64"].derivation


def die(bus: int, *links: Link) -> Node:
    return Node(440, 90010, 1700, 1600, bus=bus, name="MI250X", links=[Link(0, 31_508, 31_508, kind=PCIE), *links])


def test_xgmi_links_say_where_they_end(probed: Callable[..., Accelerators]) -> None:
    """Two dies of a package are joined by four links; one link joins one of them to a third, which the other reaches
    through it.
    """
    seen = probed(
        die(0xC1, Link(2, 50_000, 200_000), Link(3, 50_000, 50_000)),
        die(0xC6, Link(1, 50_000, 200_000), Link(3, 50_000, 0, weight=2 * DIRECT)),
        die(0xC9, Link(1, 50_000, 50_000), Link(2, 50_000, 0, weight=2 * DIRECT)),
    )
    first, second, third = (device.identity for device in seen.allotted)
    assert [device.links for device in seen.allotted] == [{second: 4, third: 1}, {first: 4}, {first: 1}]
    assert [device.paths for device in seen.allotted] == [
        {second: "xgmi", third: "xgmi"},
        {first: "xgmi", third: "xgmi"},
        {first: "xgmi", second: "xgmi"},
    ]
    assert [kind.peer_bandwidth for kind in seen.kinds] == [200e9, 50e9]
    assert seen.kinds[0].host_link == "PCI Express gen4 x16"
    text = shown(seen)
    for said in (
        "XGMI, up to 4 links of 50 GB/s each way to another",
        "XGMI, 1 link of 50 GB/s each way to another",
        "4 XGMI links to 1, 1 XGMI link to 2",
        "to all others by XGMI",
    ):
        assert said in text


@pytest.mark.parametrize("rate", [50_000, 64_000], ids=["older kernels", "newer kernels"])
def test_the_rate_of_a_link_is_its_architectures(probed: Callable[..., Accelerators], rate: int) -> None:
    """Some kernels report MI200's rate for links of MI300."""
    nodes = [
        Node(1216, 90402, 2100, 1300, 8192, bus=bus, name="MI300X", links=[Link(other, rate, rate)])
        for bus, other in ((0x05, 2), (0x26, 1))
    ]
    (kind,) = probed(*nodes).kinds
    assert (kind.count, kind.peer_bandwidth) == (2, 64e9)


def test_links_that_the_kernel_does_not_count_have_no_rate(probed: Callable[..., Accelerators]) -> None:
    nodes = [Node(480, 90008, 1502, 1200, bus=bus, links=[Link(other)]) for bus, other in ((0x05, 2), (0x26, 1))]
    seen = probed(*nodes)
    assert [device.links for device in seen.allotted] == [{}, {}]
    assert seen.allotted[0].paths == {seen.allotted[1].identity: "xgmi"}
    assert (seen.kinds[0].peer_link, seen.kinds[0].peer_bandwidth) == (None, None)


def test_xgmi_to_the_processor_takes_the_place_of_pci_express(probed: Callable[..., Accelerators]) -> None:
    seen = probed(Node(440, 90010, 1700, 1600, links=[Link(0, 50_000, 50_000)]))
    assert (seen.kinds[0].host_link, seen.kinds[0].host_bandwidth) == ("XGMI", None)
    assert seen.allotted[0].links == {"processor": 1}
    assert "1 XGMI link to a processor" in shown(seen)
