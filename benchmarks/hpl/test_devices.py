"""Tests of HPL's cases on devices."""

import pytest

from banzuke.machine.allotment import AllottedDevice
from banzuke.machine.model import Machine
from banzuke.machine.site import Device, Peak
from banzuke.plan.benchmark import Layout, Scalar, Setting
from banzuke.plan.cases import plan
from banzuke.plan.catalogue import find
from banzuke.plan.on_devices import on_devices
from banzuke.plan.request import Request
from banzuke.testing import machine

HPL = on_devices(find("hpl"), "cuda")
RATE = 60e12


def with_devices(count: int, memory: int = 80 << 30, cores: int = 8) -> Machine:
    kind = Device(name="Large", count=count, peaks={"flops.fp64": Peak(value=RATE, unit="flop/s")})
    devices = [
        AllottedDevice(identity=f"GPU-{i}", name="Large", vendor="NVIDIA", memory=memory, memory_available=memory)
        for i in range(count)
    ]
    return machine(cores=cores).changed(node={"devices": [kind]}, allotment={"devices": devices})


def test_one_device_has_all_cores_for_panels_and_all_devices_share_them() -> None:
    cases = plan(HPL, with_devices(4, 64 << 30), Request())
    layouts = [(case.ranks, case.threads, case.groups[0].devices) for case in cases]
    assert layouts == [(1, 8, 1), (4, 2, 1), (1, 8, 1), (1, 8, 1)]
    single, four, half, quarter = (float(case.parameters["n"]) for case in cases)
    assert single < four
    assert half == pytest.approx(single / 2, rel=0.05)
    assert quarter == pytest.approx(single / 4, rel=0.05)
    assert (cases[1].parameters["p"], cases[1].parameters["q"]) == (2, 2)
    assert [(case.parameters["nb"], case.parameters.get("inner", 0)) for case in cases] == [
        (1024, 128),
        (512, 0),
        (256, 0),
        (256, 0),
    ]


@pytest.mark.parametrize("memory", [1 << 20, 1 << 30, 16 << 30, 80 << 30])
def test_the_matrix_fills_the_devices_memory_where_there_is_time(memory: int) -> None:
    for count in (1, 4):
        layout = Layout(count, 2, devices=1, seconds=1e9)
        n = float(HPL.defaults(with_devices(count, memory), layout)["n"])
        assert 8 * n**2 <= 0.9 * count * memory
        assert n < 16 * 1024 or 8 * n**2 > 0.75 * count * memory


@pytest.mark.parametrize("wanted", [1.0, 5.0, 20.0])
def test_it_takes_the_time_that_is_wanted(wanted: float) -> None:
    here, layout = with_devices(1), Layout(1, 8, devices=1, seconds=wanted)
    values = HPL.defaults(here, layout)
    assert 2 / 3 * float(values["n"]) ** 3 / RATE < wanted
    assert 0.5 * wanted < HPL.seconds(here, layout, values) < wanted + 5


def test_a_small_device_has_one_block() -> None:
    values = HPL.defaults(with_devices(1, 1 << 20), Layout(1, 8, devices=1))
    assert values["n"] == values["nb"]
    assert len(HPL.sweep(with_devices(1, 1 << 20))) == 1


def test_blocks_and_parts_are_tried_and_layouts_are_not() -> None:
    values: dict[str, Scalar] = {"n": 50000, "nb": 512, "p": 1, "q": 1, "lookahead": 1, "inner": 128}
    at = Setting(Layout(1, 8, devices=1), values)
    blocks = HPL.tuning.axes["block size"](with_devices(1), at)
    assert [other.parameters["nb"] for other in blocks] == [384, 768]
    parts = HPL.tuning.axes["panel parts"](with_devices(1), at)
    assert [other.parameters["inner"] for other in parts] == [64, 256]
    assert [other.parameters["lookahead"] for other in HPL.tuning.axes["look-ahead"](with_devices(1), at)] == [0]
    assert not HPL.tuning.axes["layout"](with_devices(1), at)
    assert not HPL.tuning.axes["panel parts"](with_devices(1), Setting(Layout(2, 4, devices=1), values | {"p": 2}))
    assert not HPL.tuning.axes["panel parts"](with_devices(1), Setting(Layout(1, 8), values))
