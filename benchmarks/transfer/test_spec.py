"""Tests of the transfers that are planned on machines with few and many devices."""

from collections.abc import Sequence
from itertools import pairwise

import pytest

from banzuke.machine.allotment import AllottedDevice
from banzuke.machine.model import Machine
from banzuke.machine.site import Device
from banzuke.plan.benchmark import Layout, Scalar
from banzuke.plan.catalogue import find
from banzuke.plan.on_devices import on_devices, parts
from banzuke.testing import machine

TRANSFER = find("transfer")
GIB = 1 << 30


def with_devices(
    count: int, *, device_memory: int = 80 * GIB, memory: int = 256 * GIB, paths: Sequence[str] = ()
) -> Machine:
    """Return a machine; `paths` lead from the first device to each of the others."""
    names = [f"GPU-{number}" for number in range(count)]
    distances = [dict(zip(names[1:], paths, strict=False))] + [{}] * count
    devices = [
        AllottedDevice(
            identity=name,
            name="H100",
            vendor="NVIDIA",
            memory=device_memory,
            memory_available=device_memory,
            paths=distances[number],
        )
        for number, name in enumerate(names)
    ]
    return machine(memory=memory).changed(allotment={"devices": devices})


def cases(here: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    planned = on_devices(TRANSFER, "cuda").sweep(here)
    return [(layout, {**TRANSFER.defaults(here, layout), **case}) for layout, case in planned]


def of(here: Machine, **wanted: Scalar) -> list[dict[str, Scalar]]:
    return [case for _, case in cases(here) if wanted.items() <= case.items()]


def test_without_a_device_there_is_nothing() -> None:
    assert cases(with_devices(0)) == []
    assert TRANSFER.sweep(with_devices(8)) == []
    assert parts(TRANSFER, with_devices(0), []) == []


def test_one_device_and_the_host_each_way_first() -> None:
    here = with_devices(1)
    first, second = (case for _, case in cases(here)[:2])
    assert [(case["path"], case["direction"]) for case in (first, second)] == [
        ("pinned", "to-device"),
        ("pinned", "to-host"),
    ]
    assert {case.get("path") for _, case in cases(here)} == {"pinned", "pageable", "kernel", "local"}
    assert not of(here, test="pairs")


@pytest.mark.parametrize("count", [2, 8, 100])
def test_several_devices_have_every_path_and_the_matrix(count: int) -> None:
    here = with_devices(count)
    assert {layout.devices for layout, _ in cases(here)} == {count}
    paths = {case.get("path") for _, case in cases(here)}
    assert paths >= {"staged", "pipelined", "peer", "peer-write", "peer-read", "nccl"}
    assert len(of(here, test="pairs")) == 1
    assert len(of(here, path="peer", direction="to-device", test="bandwidth")) == 1, "nothing is known of distances"


def test_each_distance_has_a_device() -> None:
    here = with_devices(8, paths=["node", "nvlink", "nvlink", "system", "system", "system", "system"])
    others = [case["other"] for case in of(here, path="peer", direction="to-device", test="bandwidth")]
    assert others == [2, 1, 4], "nvlink, then on one socket, then on another"


def test_the_number_of_cases_does_not_grow_with_that_of_devices() -> None:
    assert len(cases(with_devices(100))) == len(cases(with_devices(2)))


@pytest.mark.parametrize(
    ("device_memory", "memory", "largest"),
    [(80 * GIB, 256 * GIB, GIB), (GIB, 256 * GIB, GIB // 4), (80 * GIB, 4 * GIB, GIB // 2), (100, 256 * GIB, 32)],
)
def test_transfers_are_as_large_as_the_memories_allow(device_memory: int, memory: int, largest: int) -> None:
    here = with_devices(2, device_memory=device_memory, memory=memory)
    assert TRANSFER.defaults(here, Layout(1, 1, devices=2)) == {"max_size": largest}


def test_the_estimate_grows_with_the_work() -> None:
    here = with_devices(8)
    layout = Layout(1, 1, devices=8)
    sized = [TRANSFER.seconds(here, layout, {"test": "bandwidth", "max_size": 1 << i}) for i in (10, 20, 28, 30)]
    assert all(small < large for small, large in pairwise(sized))
    assert TRANSFER.seconds(here, layout, {"test": "latency"}) < sized[-1] < 30
    staged, pipelined, chosen = (
        TRANSFER.seconds(here, layout, {"path": path, "chunk": chunk, "max_size": 1 << 30})
        for path, chunk in (("staged", 0), ("pipelined", 0), ("pipelined", "1048576"))
    )
    assert staged == chosen < pipelined, "chunks are tried"
    matrices = [
        TRANSFER.seconds(with_devices(count), Layout(1, 1, devices=count), {"test": "pairs"}) for count in (2, 8, 64)
    ]
    assert all(small < large for small, large in pairwise(matrices))
    many = TRANSFER.seconds(with_devices(100), Layout(1, 1, devices=100), {"test": "pairs"})
    assert many < matrices[-1], "above 64 devices each meets some others"


def test_what_a_device_reports_of_its_links_is_their_peak() -> None:
    device = Device(
        name="H100",
        host_link="PCI Express gen5 x16",
        host_bandwidth=63e9,
        peer_link="NVLink, 18 links",
        peer_bandwidth=450e9,
    )
    peaks = {measure.name: measure.of_device(device) for measure in TRANSFER.resources.measures if measure.of_device}
    assert {name: peak and peak.value for name, peak in peaks.items()} == {"link.host": 63e9, "link.peer": 450e9}
    assert all(
        measure.of_device and measure.of_device(Device(name="X")) is None for measure in TRANSFER.resources.measures
    )
