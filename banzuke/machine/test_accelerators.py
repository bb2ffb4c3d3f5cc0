"""A job's devices, from the probe's answer about those of the host."""

from pathlib import Path
from typing import Any

import pytest

from banzuke.errors import BanzukeError
from banzuke.machine import probe
from banzuke.machine.accelerators import Accelerators, accelerators, named
from banzuke.machine.tree import Tree

GIB = 1 << 30
H100: dict[str, Any] = {
    "vendor": "NVIDIA",
    "name": "H100",
    "memory": 80 * GIB,
    "memory_free": 79 * GIB,
    "capability": "9.0",
    "cores": 16896,
    "memory_bits": 5120,
    "clock_max": 1.98e9,
    "memory_clock_max": 2.619e9,
    "link_generation_max": 5,
    "link_width_max": 16,
    "link_generation_now": 1,
    "link_width_now": 16,
    "numa_node": 1,
    "adapter": "mlx5_1",
    "power_limit": 700.0,
}


def host(*devices: dict[str, Any], **more: Any) -> probe.FoundDevices:
    fields = [
        {"number": number, "identity": f"GPU-{number}{number}", **H100, **device}
        for number, device in enumerate(devices)
    ]
    return probe.FoundDevices.model_validate({"driver": "580.1", "cuda": "13.0", "devices": fields, **more})


@pytest.fixture
def detect(monkeypatch: pytest.MonkeyPatch) -> Any:
    def look(*devices: dict[str, Any], more: dict[str, Any] | None = None, **environ: str) -> Accelerators:
        monkeypatch.setattr(probe, "devices", lambda _root: host(*devices, **(more or {})))
        return accelerators(Tree(), environ)

    return look


def identities(seen: Accelerators) -> list[str]:
    return [device.identity for device in seen.allotted]


def test_alike_devices_are_one_kind_and_each_is_given(detect: Any) -> None:
    seen = detect({}, {}, {"name": "A100", "capability": "8.0"})
    assert [(kind.name, kind.count) for kind in seen.kinds] == [("H100", 2), ("A100", 1)]
    assert seen.kinds[0].multiprocessors == 132
    assert seen.kinds[0].host_bandwidth == pytest.approx(63e9, rel=1e-2)
    assert seen.problem is None
    first = seen.allotted[0]
    assert (first.identity, first.memory, first.memory_available) == ("GPU-00", 80 * GIB, 79 * GIB)
    assert (first.numa_node, first.adapter, first.link_generation, first.power_limit) == (1, "mlx5_1", 1, 700)


@pytest.mark.parametrize(
    ("variable", "left"),
    [
        ("0", ["GPU-00"]),
        ("2,0", ["GPU-22", "GPU-00"]),
        ("GPU-1", ["GPU-11"]),
        (" GPU-22 , 1", ["GPU-22", "GPU-11"]),
        ("1,9,0", ["GPU-11"]),
        ("GPU", []),
        ("-1", []),
        ("", []),
    ],
)
def test_the_visible_ones_in_their_order(detect: Any, variable: str, left: list[str]) -> None:
    seen = detect({}, {}, {}, CUDA_VISIBLE_DEVICES=variable)
    assert identities(seen) == left
    assert ("which leaves none of 3 devices" in (seen.problem or "")) is not bool(left)
    assert seen.kinds[0].count == 3


def test_one_that_is_made_visible_twice_is_a_problem(detect: Any) -> None:
    seen = detect({}, {}, CUDA_VISIBLE_DEVICES="1,GPU-11")
    assert not seen.allotted
    assert "CUDA_VISIBLE_DEVICES names GPU-11 twice" in seen.problem


def test_amds_variables_hold_for_amds_devices_one_after_the_other(detect: Any) -> None:
    amd = {"vendor": "AMD", "name": "MI250X", "capability": None}
    seen = detect(amd, amd, {}, ROCR_VISIBLE_DEVICES="1,0", HIP_VISIBLE_DEVICES="0", CUDA_VISIBLE_DEVICES="0")
    assert identities(seen) == ["GPU-11", "GPU-22"]
    assert seen.kinds[0].driver is None
    assert seen.kinds[0].peaks["flops.fp64"].value is None


def test_slices_are_devices_with_their_share_of_the_multiprocessors(detect: Any) -> None:
    parts = [
        {"identity": f"MIG-{n}", "name": "H100 MIG 1g.10gb", "memory": 10 * GIB, "memory_free": 9 * GIB}
        | {"multiprocessors": 16}
        for n in range(2)
    ]
    seen = detect({"sliced": True, "slices": parts}, {})
    assert identities(seen) == ["MIG-0", "MIG-1", "GPU-11"]
    kind = seen.kinds[0]
    assert (kind.name, kind.count, kind.multiprocessors) == ("H100 MIG 1g.10gb", 2, 16)
    assert kind.peaks["flops.fp64"].value == pytest.approx(33.45e12 * 16 / 132, rel=1e-3)
    assert kind.peaks["memory.bytes"].value is None
    assert seen.allotted[0].memory_available == 9 * GIB


def test_a_device_that_does_not_answer_is_there_and_not_given(detect: Any) -> None:
    lost = {"problem": "GPU is lost (NVML error 15)", "identity": None, "name": None, "memory": None}
    seen = detect({}, lost)
    assert identities(seen) == ["GPU-00"]
    assert seen.problem == "device 1: GPU is lost (NVML error 15)"
    assert [kind.count for kind in seen.kinds] == [1, 1]


def test_links_to_one_other_device_and_to_a_switch(detect: Any) -> None:
    direct = [{"number": n, "version": 6, "peer": "0000:02:00.0"} for n in range(4)]
    others = [{"number": n, "version": 6, "peer": "0000:03:00.0"} for n in range(4, 6)]
    pair = detect({"bus": "0000:01:00.0", "links": direct + others}, {"bus": "0000:02:00.0"}, {"bus": "0000:03:00.0"})
    assert pair.kinds[0].peer_bandwidth == 4 * 25e9
    switched = detect({"links": [{"number": n, "version": 6, "peer": "0000:ff:00.0"} for n in range(18)]}, {})
    assert switched.kinds[0].peer_bandwidth == 18 * 25e9
    assert switched.kinds[0].peer_link == "NVLink, 18 links of 25 GB/s each way"


def test_ways_to_other_devices(detect: Any) -> None:
    seen = detect({"paths": ["", "nvlink", "system"]}, {"paths": ["nvlink", "", "node"]}, {"paths": ["", "", ""]})
    assert seen.allotted[0].paths == {"GPU-11": "nvlink", "GPU-22": "system"}
    assert seen.allotted[2].paths == {}


def test_without_a_probe_the_kernels_files_tell_the_kinds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_root: str) -> probe.FoundDevices:
        raise BanzukeError("cannot run banzuke-probe")

    monkeypatch.setattr(probe, "devices", refuse)
    folder = tmp_path / "proc/driver/nvidia/gpus/0000:01:00.0"
    folder.mkdir(parents=True)
    (folder / "information").write_text("Model: \t Tesla P100-PCIE-16GB\n")
    seen = accelerators(Tree(tmp_path), {})
    assert [kind.name for kind in seen.kinds] == ["Tesla P100-PCIE-16GB"]
    assert (seen.allotted, seen.problem) == ([], "cannot run banzuke-probe")


def test_a_name_means_one_device(detect: Any) -> None:
    devices = detect({}, {"identity": "GPU-01"}).allotted
    assert named("1", devices) is devices[1]
    assert named("GPU-01", devices) is devices[1]
    for unknown in ("2", "GPU-0", "", "-1", "x"):
        assert named(unknown, devices) is None
