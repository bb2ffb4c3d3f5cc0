"""Tests of devices while a case runs: scripted readings of a stand-in for NVML, with the real probe and recorder."""

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest

from banzuke.paths import executables
from banzuke.power import recorder as recording_of
from banzuke.power.recorder import Recorder, recording
from banzuke.power.sources import DEVICES, ThisHost
from banzuke.record.model import Binding, Record
from banzuke.report.testing import stream
from banzuke.testing import changed, patiently
from tests.patience import PATIENCE
from tests.scripted_devices import WATT, Scripted


@pytest.fixture
def scripted(stand_in: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Scripted]:
    monkeypatch.setattr(recording_of, "QUIET", 0.0)
    monkeypatch.setenv("BANZUKE_NVML", str(tmp_path / "nvml"))
    monkeypatch.setenv("LD_LIBRARY_PATH", str(stand_in))
    return lambda count: Scripted(tmp_path / "nvml", count)


@contextmanager
def watching() -> Iterator[Recorder]:
    with recording([ThisHost(DEVICES)], None, lambda _: None) as recorder:
        yield recorder


def case(begin: float, end: float, *devices: str, **changes: Any) -> Record:
    made = changed(
        stream(1, 1, 1.0).record,
        hosts=[],
        binding=[Binding(ranks="0", threads=["0"], devices=list(devices))],
        conditions={"timed_parts": [[begin, end]]},
    )
    times = {"started": datetime.fromtimestamp(begin, UTC), "ended": datetime.fromtimestamp(end, UTC)}
    return made.model_copy(update={**times, **changes})


def seen(record: Record, device: str = "GPU-0") -> Mapping[str, Any]:
    return cast("Mapping[str, Mapping[str, Any]]", record.conditions["devices"])[device]


def test_throttling_in_the_middle_alone(scripted: Callable[[int], Scripted]) -> None:
    def throttled(factor: float) -> None:
        script = scripted(1)
        script.change(0, ApplicationsClock__1=1980)
        with watching() as recorder:
            begin, _ = script.run(0.6 * factor)
            script.change(0, CurrentClocksEventReasons=6, ClockInfo__1=1200, EnforcedPowerLimit=400_000)
            script.run(0.6 * factor)
            later = {"Temperature": 71, "TotalEccErrors__0": 5, "RemappedRows": "1 0"}
            script.change(0, CurrentClocksEventReasons=0, ClockInfo__1=1980, **later)
            _, end = script.run(1.2 * factor)
            record = recorder.completed(case(begin, end, "GPU-0"))
        device = seen(record)
        share = pytest.approx(0.25, abs=0.1)
        assert device["throttled"] == {"power_cap": share, "clock_setting": share}
        assert (device["clock_set"], device["repair"]) == (1.98e9, "pending")
        assert (device["clock_minimum"], device["clock_median"]) == (1.2e9, 1.98e9)
        assert (device["temperature_maximum"], device["power_median"]) == (71, 300)
        assert device["covered"] == pytest.approx(1, abs=0.05)
        assert device["ecc_corrected_more"] == 2
        clock = record.series["device_clock"]
        (line,) = clock.lines
        assert (line.device, line.sensor) == ("GPU-0", "nvml")
        assert {value * clock.resolution for value in line.values} == {1.2e9, 1.98e9}

    patiently(throttled)


def test_energy_is_of_the_devices_that_the_case_drives(scripted: Callable[[int], Scripted]) -> None:
    def driven(factor: float) -> None:
        script = scripted(8)
        for number in range(8):
            script.change(number, TotalEnergyConsumption=0)
        with watching() as recorder:
            script.run(0.3)
            begin, end = script.run(2.0 * factor)
            script.run(0.2)
            record = recorder.completed(case(begin, end, "GPU-2", "GPU-5"))
            without = recorder.completed(case(begin, end))
        assert set(cast("Mapping[str, object]", record.conditions["devices"])) == {"GPU-2", "GPU-5"}
        assert record.energy
        assert record.energy.joule, record.energy
        assert record.energy.joule == pytest.approx(2 * WATT * (end - begin), rel=0.1)
        assert [(sensor.id, sensor.kind) for sensor in record.energy.sensors] == [
            ("nvml/2", "energy"),
            ("nvml/5", "energy"),
        ]
        assert without.energy
        assert (without.energy.unmeasured, "devices" in without.conditions) == ("no-sensor", False)

    patiently(driven)


def test_a_counter_that_goes_back_gives_no_energy_and_readings_of_power_do(scripted: Callable[[int], Scripted]) -> None:
    """NVML states no range after which a counter restarts, so that a decrease means the driver was loaded again."""

    def measured(factor: float) -> None:
        script = scripted(2)

        def vary() -> None:
            script.change(1, PowerUsage=int(1000 * (WATT + time.monotonic() % 1)))

        script.change(0, TotalEnergyConsumption=0)
        with watching() as recorder:
            begin, _ = script.run(0.6 * factor, vary)
            script.begun = time.monotonic()
            _, end = script.run(0.6 * factor, vary)
            script.run(0.2)
            back = recorder.completed(case(begin, end, "GPU-0")).energy
        assert back
        assert (back.joule, [sensor.refused for sensor in back.sensors]) == (None, ["goes-back"])
        with watching() as recorder:
            begin, end = script.run(factor, vary)
            script.run(0.2)
            power = recorder.completed(case(begin, end, "GPU-1")).energy
        assert power
        assert power.joule, power
        assert power.joule == pytest.approx(WATT * (end - begin), rel=0.05)
        assert [sensor.kind for sensor in power.sensors] == ["power"]

    patiently(measured)


def test_a_device_that_is_lost_is_told_until_when(scripted: Callable[[int], Scripted]) -> None:
    def lose(factor: float) -> None:
        script = scripted(2)
        with watching() as recorder:
            begin, lost = script.run(0.6 * factor)
            script.change(0, lost=15)
            _, end = script.run(0.6 * factor)
            broken: dict[str, Any] = {
                "status": "failed",
                "reason": "device error",
                "metrics": {},
                "series": {},
                "breakdown": None,
            }
            record = recorder.completed(case(begin, end, "GPU-0", "GPU-1", **broken, curves={}, distributions={}))
        device = seen(record)
        assert device["lost"] == "GPU is lost (NVML error 15)"
        assert device["lost_at"] == pytest.approx(lost, abs=0.3 * factor)
        assert device["covered"] == pytest.approx((lost - begin) / (end - begin), abs=0.2)
        assert "lost" not in seen(record, "GPU-1")
        assert (record.energy, record.series) == (None, {})

    patiently(lose)


def test_a_slow_library_gives_fewer_readings_and_delays_nothing(scripted: Callable[[int], Scripted]) -> None:
    def watched(factor: float) -> None:
        script = scripted(2)
        script.general["slow"] = 0.5
        script.write()
        before = time.monotonic()
        with watching() as recorder:
            begin, end = script.run(2.0 * factor)
            record = recorder.completed(case(begin, end, "GPU-0"))
            stopping = time.monotonic()
        assert 1 <= seen(record)["readings"] <= 1 + (end - begin)
        assert time.monotonic() - stopping < PATIENCE
        assert time.monotonic() - before < PATIENCE

    patiently(watched)


def test_what_may_not_be_read_is_left_out(scripted: Callable[[int], Scripted]) -> None:
    script = scripted(2)
    for name in ("PowerUsage", "EnforcedPowerLimit", "CurrentClocksEventReasons", "EccMode"):
        del script.devices[0][name]
    script.change(1, lost=4)

    def watched(factor: float) -> None:
        with watching() as recorder:
            begin, end = script.run(0.4 * factor)
            record = recorder.completed(case(begin, end, "GPU-0", "GPU-1"))
        assert seen(record)["clock_median"] == 1.98e9
        assert not {"power_median", "power_limit", "throttled", "ecc"} & seen(record).keys()
        assert "GPU-1" not in cast("Mapping[str, object]", record.conditions["devices"])
        assert record.energy
        assert record.energy.unmeasured == "no-sensor"
        assert "device_power" not in record.series

    patiently(watched)


def test_processes_that_were_there_before_the_case_are_others(scripted: Callable[[int], Scripted]) -> None:
    def watched(factor: float) -> None:
        script = scripted(1)
        script.change(0, ComputeRunningProcesses=os.getpid())  # a process that began before the recorder
        with watching() as recorder:
            begin, end = script.run(0.4 * factor)
            record = recorder.completed(case(begin, end, "GPU-0"))
        assert seen(record)["other_processes"] == 1
        script.change(0, ComputeRunningProcesses="")
        with watching() as recorder, subprocess.Popen(["sleep", str(PATIENCE)]) as program:
            script.change(0, ComputeRunningProcesses=program.pid)
            begin, end = script.run(1.2 * factor)
            program.kill()
            readings = recorder.listener.streams[0].observed["GPU-0"]
            record = recorder.completed(case(begin, end, "GPU-0"))
        assert any(reading.state.processes_began for reading in readings)
        assert seen(record)["other_processes"] == 0

    patiently(watched)


def test_amd_devices_are_told_of_by_the_kernel(tmp_path: Path) -> None:
    device = "sys/bus/pci/devices/0000:c1:00.0"
    for name, text in {
        f"{device}/vendor": "0x1002",
        f"{device}/mem_info_vram_total": "68702699520",
        f"{device}/unique_id": "1234abcd",
        f"{device}/current_link_speed": "16.0 GT/s PCIe",
        f"{device}/max_link_speed": "32.0 GT/s PCIe",
        f"{device}/current_link_width": "16",
        f"{device}/ras/umc_err_count": "ue: 1\nce: 12",
        f"{device}/hwmon/hwmon3/temp1_input": "54000",
        f"{device}/hwmon/hwmon3/freq1_input": "1700000000",
        f"{device}/hwmon/hwmon3/power1_average": "420000000",
        f"{device}/hwmon/hwmon3/power1_cap": "560000000",
    }.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text + "\n")
    words = [str(executables() / "banzuke-probe"), "watch", "--interval", "10", "--root", str(tmp_path)]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=True)
    first, reading = map(json.loads, done.stdout.splitlines())
    assert [(device["identity"], device["source"]) for device in first["devices"]] == [("GPU-1234abcd", "hwmon")]
    assert first["sensors"] == []
    assert reading["state"] == {
        "temperature": 54,
        "clock": 1.7e9,
        "power": 420,
        "power_limit": 560,
        "ecc_corrected": 12,
        "ecc_uncorrected": 1,
        "link_generation": 4,
        "link_width": 16,
    }
