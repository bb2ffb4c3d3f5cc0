"""Tests of devices in a machine's description, which a stand-in for NVML reports and `banzuke machine` shows."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from banzuke.machine.accelerators import Accelerators, accelerators
from banzuke.machine.discover import PARTITION
from banzuke.machine.tree import Tree
from banzuke.report.fact_table import note_text
from banzuke.report.specification import specification
from banzuke.testing import machine as example
from banzuke.words.language import words
from tests.conftest import installed
from tests.scripted_devices import Scripted

GIB = 1 << 30
PEER = "P2PStatus"


@pytest.fixture
def scripted(tmp_path: Path) -> Callable[[int], Scripted]:
    """Return a function that makes this many equal devices, known by their PCI addresses."""

    def make(count: int) -> Scripted:
        script = Scripted(tmp_path / "nvml", count)
        for number in range(count):
            script.change(
                number,
                UUID=f"GPU-{number}{number}",
                Name="NVIDIA H100 80GB HBM3",
                PciInfo=f"00000000:{16 + number:02X}:00.0",
                MemoryInfo=f"{80 * GIB} {79 * GIB}",
                CudaComputeCapability="9 0",
                NumGpuCores=16896,
                MaxClockInfo__2=2619,
                TotalEccErrors__1=0,
            )
        return script

    return make


@pytest.fixture
def probed(stand_in: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Accelerators]:
    """Return a function that probes; keyword arguments are variables of the job."""
    monkeypatch.setenv("BANZUKE_NVML", str(tmp_path / "nvml"))
    monkeypatch.setenv("LD_LIBRARY_PATH", str(stand_in))
    return lambda **environ: accelerators(Tree(), environ)


def identities(devices: Accelerators) -> list[str]:
    return [device.identity for device in devices.allotted]


def shown(devices: Accelerators) -> str:
    """Return the devices as `banzuke machine` and the report show them."""
    allotment = {"devices": devices.allotted, "devices_problem": devices.problem}
    groups = specification(example().changed(node={"devices": devices.kinds}, allotment=allotment))
    return "\n".join(
        f"{words().fact(row.name)}: {row.value}: {note_text(words(), row)}"
        for group in groups
        if group.title.code in ("report-machine-devices", "report-machine-attached")
        for row in group.rows
    )


def test_what_is_told_of_a_device_is_kept_and_shown(
    scripted: Callable[[int], Scripted], probed: Callable[..., Accelerators]
) -> None:
    scripted(1).change(
        0,
        GpuMaxPcieLinkGeneration=6,
        CurrPcieLinkGeneration=1,
        CurrPcieLinkWidth=8,
        EnforcedPowerLimit=400_000,
        ApplicationsClock__1=1200,
        TotalEccErrors__1=2,
        RemappedRows="1 0",
        ComputeMode=3,
        PersistenceMode=0,
    )
    (device,) = probed().allotted
    assert {
        "bus": "0000:10:00.0",
        "link_generation": 1,
        "link_width": 8,
        "link_generation_most": 5,
        "link_width_most": 16,
        "link_generation_device": 6,
        "power_limit": 400.0,
        "clock_set": 1.2e9,
        "ecc_corrected": 3,
        "ecc_uncorrected": 2,
        "repair": "pending",
        "compute_mode": "exclusive",
        "persistent": False,
    }.items() <= device.model_dump().items()
    text = shown(probed())
    for said in (
        "80 GiB, ECC on, 132 multiprocessors, compute capability 9.0, up to 1.98 GHz, memory up to 2.62 GHz",
        "driver 580.95.05 (CUDA up to 13.0), PCI Express gen5 x16",
        "79 GiB free",
        "PCI Express gen1 x8 now (gen5 x16 possible)",
        "the device could have gen6 in a newer slot",
        "power limit 400 W instead of 700 W",
        "clock set to 1.2 GHz",
        "3 corrected and 2 uncorrected",
        "memory with errors waits for a reset to be replaced",
        "compute mode exclusive: one process at a time",
        "persistence mode off",
    ):
        assert said in text


def test_a_device_as_it_comes_has_nothing_to_be_told(
    scripted: Callable[[int], Scripted], probed: Callable[..., Accelerators]
) -> None:
    scripted(1).change(0, ApplicationsClock__1=1980, RemappedRows="0 0", ComputeMode=0)
    text = shown(probed())
    for said in ("instead of", "possible", "slot", "clock set", "reset", "compute mode", "persistence", "direct"):
        assert said not in text
    assert "PCI Express gen5 x16 now" in text


def test_links_say_where_they_end(scripted: Callable[[int], Scripted], probed: Callable[..., Accelerators]) -> None:
    """Two devices are joined; a third can be reached only over the processors' links."""
    script = scripted(3)
    joined = {f"NvLinkState__{link}": 1 for link in range(4)} | {f"NvLinkVersion__{link}": 6 for link in range(4)}
    for number, other in ((0, 1), (1, 0)):
        peers = {f"NvLinkRemotePciInfo__{link}": f"00000000:{16 + other:02X}:00.0" for link in range(4)}
        reach = {f"{PEER}__{other}__{index}": 0 for index in range(3)} | {f"{PEER}__2__{index}": 5 for index in (0, 1)}
        script.change(number, **joined, **peers, **reach, TopologyCommonAncestor__2=50)
    script.change(2, NvLinkState__0=1, NvLinkVersion__0=6, NvLinkRemoteDeviceType__0=2)
    first, second, third = probed().allotted
    assert (first.links, first.paths, first.access) == (
        {"GPU-11": 4},
        {"GPU-11": "nvlink", "GPU-22": "system"},
        {"GPU-11": True, "GPU-22": False},
    )
    assert second.links == {"GPU-00": 4}
    assert (third.links, third.access) == ({"switch": 1}, {})
    text = shown(probed())
    assert "NVLink, 4 links of 25 GB/s each way" in text
    assert (
        "4 NVLinks to 1, to 1 by NVLink, to 2 by the link between NUMA nodes, direct access to the memory of 1, "
        "no direct access to the memory of 2"
    ) in text
    assert "1 NVLink to a switch" in text
    left = probed(CUDA_VISIBLE_DEVICES="0")
    assert identities(left) == ["GPU-00"]
    assert "4 NVLinks to GPU-11, which the job may not use" in shown(left)


def test_what_all_have_in_common_is_shown_once(
    scripted: Callable[[int], Scripted], probed: Callable[..., Accelerators]
) -> None:
    script = scripted(8)
    for number in range(8):
        links = {f"NvLinkState__{link}": 1 for link in range(18)} | {
            f"NvLinkRemoteDeviceType__{i}": 2 for i in range(18)
        }
        others = [other for other in range(8) if other != number]
        script.change(number, **links, **{f"{PEER}__{other}__{index}": 0 for other in others for index in range(3)})
    text = shown(probed())
    assert text.count("18 NVLinks to a switch") == 1
    assert text.count("to all others by NVLink, direct access to the memory of all others") == 1
    assert text.count("GPU-33") == 1


def test_slices_stand_for_their_device(
    scripted: Callable[[int], Scripted], probed: Callable[..., Accelerators]
) -> None:
    script = scripted(2)
    script.change(0, MigMode="1 1", MaxMigDeviceCount=2)
    for number, part in enumerate(("3g.40gb", "1g.10gb")):
        lines: dict[str, object] = {
            "UUID": f"MIG-{number}",
            "Name": f"NVIDIA H100 MIG {part}",
            "MemoryInfo": f"{40 * GIB} {39 * GIB}",
            "Attributes": "60 3",
        }
        script.extra[f"0.{number}"] = lines
    script.write()
    assert [(device.identity, device.slice_of) for device in probed().allotted] == [
        ("MIG-0", "GPU-00"),
        ("MIG-1", "GPU-00"),
        ("GPU-11", None),
    ]
    assert "NVIDIA H100 MIG 1g.10gb, slice of GPU-00" in shown(probed())
    for visible, left in (("MIG-1", ["MIG-1"]), ("1", ["GPU-11"]), ("0", ["MIG-0"]), ("", []), ("-1", [])):
        assert identities(probed(CUDA_VISIBLE_DEVICES=visible)) == left


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"lost": 15}, "device 1: GPU is lost (NVML error 15)"),
        ({"unreachable": 1}, "device 1: GPU is lost (NVML error 15)"),
        ({"ComputeMode": 2}, "device 1: its compute mode is prohibited"),
        ({"MigMode": "1 1"}, "device 1: MIG is on, but it has no slices"),
    ],
)
def test_a_device_that_cannot_be_used_is_shown_with_the_reason(
    scripted: Callable[[int], Scripted], probed: Callable[..., Accelerators], change: dict[str, Any], problem: str
) -> None:
    scripted(2).change(1, **change)
    assert identities(probed()) == ["GPU-00"]
    assert f"Not usable: {problem}" in shown(probed())


def test_a_driver_that_does_not_answer_is_a_problem(
    scripted: Callable[[int], Scripted], probed: Callable[..., Accelerators]
) -> None:
    script = scripted(1)
    script.general["init"] = 18
    script.write()
    assert probed().allotted == []
    assert "Not usable: Driver/library version mismatch (NVML error 18)" in shown(probed())


def test_a_machine_without_a_driver_has_no_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("banzuke.machine.accelerators.gpus", lambda _tree: [])
    assert accelerators(Tree(), {}).problem is None


def test_the_command_line_shows_devices(
    scripted: Callable[[int], Scripted], stand_in: Path, tmp_path: Path, results: Path
) -> None:
    scripted(2)
    call = installed(results)
    variables = {"BANZUKE_NVML": str(tmp_path / "nvml"), "LD_LIBRARY_PATH": str(stand_in), "COLUMNS": "200"}
    done = call("machine", "--no-measure", **variables)
    assert done.returncode == 0, done.stderr
    assert "GPU-11" in done.stdout
    done = call("machine", "--no-measure", "--json", **variables)
    assert [device["link_width"] for device in json.loads(done.stdout)["allotments"][0]["devices"]] == [16, 16]
    done = call("machine", "--no-measure", "--toml", **variables)
    (kind,) = tomllib.loads(done.stdout)["partitions"][PARTITION]["node"]["devices"]
    assert (kind["count"], kind["toolkit"], kind["memory_hz"]) == (2, "13.0", 2619e6)
