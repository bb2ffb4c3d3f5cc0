"""Tests of the probe's answers about a node and its sensors, from made trees of the kernel's files."""

import json
import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from banzuke.paths import executables
from tests.patience import PATIENCE

PROBE = executables() / "banzuke-probe"
PROCESSOR = "devices/system/cpu/cpu"
TREE = {
    "proc/cpuinfo": "processor\t: 0\nmodel name\t: AMD EPYC 9654\nmicrocode\t: 0xa101144\n\nmodel name\t: other\n",
    "proc/meminfo": "MemTotal:       396089344 kB\nMemAvailable:   104857600 kB\n",
    "proc/loadavg": "1.25 0.5 0.1 2/300 77\n",
    "proc/uptime": "3600.5 7000\n",
    "proc/sys/kernel/osrelease": "5.14.0-427\n",
    "proc/sys/kernel/numa_balancing": "1\n",
    "proc/self/status": "Name:\tx\nCpus_allowed_list:\t0-2\n",
    "proc/self/cgroup": "4:cpu,cpuacct:/a/b\n0::/jobs/7\n",
    "proc/self/mountinfo": "32 20 0:27 /a /sys/fs/v1 rw - cgroup cgroup rw,cpu,cpuacct\n"
    "31 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
    "sys/fs/cgroup/jobs/cpu.max": "300000 100000\n",
    "sys/fs/cgroup/jobs/7/cpu.max": "max 100000\n",
    "sys/fs/v1/b/cpu.cfs_quota_us": "150000\n",
    "sys/fs/v1/b/cpu.cfs_period_us": "100000\n",
    "sys/class/dmi/id/bios_version": "1.7\n",
    "sys/class/dmi/id/bios_date": "02/01/2026\n",
    "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n",
    **{
        f"sys/{PROCESSOR}{cpu}/{name}": text
        for cpu in range(4)
        for name, text in {
            "topology/physical_package_id": str(cpu // 2),
            "topology/thread_siblings_list": str(cpu),
            "cpufreq/scaling_governor": "powersave" if cpu == 3 else "performance",
            "cpufreq/scaling_max_freq": str(2_400_000 - 100_000 * cpu),
            "thermal_throttle/core_throttle_count": str(cpu),
            "thermal_throttle/package_throttle_count": str(10 + cpu // 2),
        }.items()
    },
    "sys/devices/system/cpu/cpufreq/boost": "0\n",
    "sys/devices/system/cpu/cpufreq/policy0/name": "no processor\n",
    "sys/devices/system/cpu/vulnerabilities/mds": "Not affected\n",
    "sys/devices/system/cpu/vulnerabilities/spectre_v2": "Mitigation: IBRS\n",
    "sys/bus/pci/devices/0000:01:00.0/class": "0x020000\n",
    "sys/bus/pci/devices/0000:01:00.0/infiniband/mlx5_0/x": "",
    "sys/bus/pci/devices/0000:01:00.0/current_link_width": "8\n",
    "sys/bus/pci/devices/0000:01:00.0/max_link_width": "16\n",
    "sys/bus/pci/devices/0000:01:00.0/current_link_speed": "16.0 GT/s PCIe\n",
    "sys/bus/pci/devices/0000:01:00.0/max_link_speed": "Unknown\n",
    "sys/bus/pci/devices/0000:41:00.0/class": "0x030200\n",
    "sys/bus/pci/devices/0000:41:00.0/vendor": "0x10de\n",
    "sys/bus/pci/devices/0000:41:00.0/device": "0x2330\n",
    "sys/bus/pci/devices/0000:41:00.0/current_link_width": "255\n",
    "sys/class/infiniband/mlx5_0/ports/1/state": "4: ACTIVE\n",
    "sys/class/infiniband/mlx5_0/ports/1/rate": "200 Gb/sec (4X HDR)\n",
    "sys/class/infiniband/mlx5_1/ports/1/state": "1: DOWN\n",
    "sys/class/infiniband/mlx5_1/ports/1/rate": "10 Gb/sec (4X SDR)\n",
    "sys/class/net/eth0.5/speed": "10000\n",
    "sys/class/net/eno1/speed": "25000\n",
    "sys/class/net/eno1/device/x": "",
    "sys/class/net/eno2/speed": "-1\n",
    "sys/class/net/eno2/device/x": "",
    "sys/devices/system/edac/mc/mc0/ce_count": "3\n",
    "sys/devices/system/edac/mc/mc0/dimm0/size": "32768\n",
    "sys/devices/system/edac/mc/mc0/dimm1/size": "0\n",
    "sys/class/hwmon/hwmon0/name": "k10temp\n",
    "sys/class/hwmon/hwmon0/temp1_input": "61500\n",
    "sys/class/hwmon/hwmon1/name": "nvme\n",
    "sys/class/hwmon/hwmon1/temp1_input": "99000\n",
    "sys/class/powercap/intel-rapl:0/name": "package-0\n",
    "sys/class/powercap/intel-rapl:0/constraint_0_power_limit_uw": "180000000\n",
    "sys/class/powercap/intel-rapl:0/energy_uj": "5000000\n",
    "sys/class/powercap/intel-rapl:0/max_energy_range_uj": "262143328850\n",
    "sys/class/powercap/intel-rapl:0:0/name": "core\n",
    "sys/class/powercap/intel-rapl:0:0/energy_uj": "1\n",
    "sys/class/powercap/intel-rapl:0:1/name": "dram\n",
    "sys/class/powercap/intel-rapl:0:1/energy_uj": "nothing\n",
}  # fmt: skip
FACTS = {
    "type.processor": "AMD EPYC 9654",
    "type.sockets": 2,
    "type.cores": 4,
    "type.devices": "0x10de:0x2330",
    "setting.devices": "1 x 0x10de:0x2330",
    "setting.microcode": "0xa101144",
    "setting.kernel": "5.14.0-427",
    "setting.bios": "1.7 of 02/01/2026",
    "setting.governor": "performance, powersave",
    "setting.thp": "madvise",
    "setting.boost": False,
    "setting.mitigations": "spectre_v2",
    "setting.numa_balancing": 1,
    "link.mlx5_0.width": 8,
    "link.mlx5_0.width_max": 16,
    "link.mlx5_0.speed": 16,
    "link.mlx5_0.state": "ACTIVE",
    "link.mlx5_0.rate": 200e9,
    "link.mlx5_1.state": "DOWN",
    "link.eno1.rate": 25e9,
    "memory.total": 377,
    "memory.modules": 1,
    "memory.corrected_errors": 3,
    "state.throttled": 0 + 1 + 2 + 3 + 10 + 11,
    "state.temperature": 61.5,
    "state.power_cap": 180,
    "state.load": 1.25,
    "state.clock_maximum": 2.1e9,
    "state.uptime": 3600.5,
    "state.memory_available": 100,
    "state.quota": 1.5,
    "state.allowed": 3,
}


def made(root: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return root


def survey(root: Path) -> dict[str, Any]:
    run = subprocess.run([PROBE, "survey", "--root", root], capture_output=True, check=True, timeout=PATIENCE)
    facts: dict[str, Any] = json.loads(run.stdout)["facts"]
    return facts


def test_a_survey_has_what_the_kernel_says_and_nothing_else(tmp_path: Path) -> None:
    assert survey(made(tmp_path, TREE)) == FACTS


def test_the_narrowest_quota_of_all_control_groups_counts(tmp_path: Path) -> None:
    group = "sys/fs/cgroup/jobs"
    assert survey(made(tmp_path / "inner", {**TREE, f"{group}/7/cpu.max": "50000 100000"}))["state.quota"] == 0.5
    assert survey(made(tmp_path / "outer", {**TREE, f"{group}/cpu.max": "25000 100000"}))["state.quota"] == 0.25


def test_memory_modules_are_those_of_the_firmware_s_table(tmp_path: Path) -> None:
    table = (Path(__file__).parents[1] / "core/probe/fuzz_dmi/server").read_bytes()
    facts = survey(made(tmp_path, {**TREE, "sys/firmware/dmi/tables/DMI": table}))
    memory = {name: value for name, value in facts.items() if name.startswith("memory.") and "errors" not in name}
    assert memory == {
        "memory.total": 377,
        "memory.modules": 3,
        "memory.slots": 4,
        "memory.installed": 16 + 64,
        "memory.speed": 4800,
        "memory.empty": "DIMM A1",
    }


def test_a_node_of_which_nothing_can_be_read_says_so(tmp_path: Path) -> None:
    damaged = dict.fromkeys(TREE, b"\xff\x00: /\n[\n" * 20)
    nothing = {"type.devices": "none", "setting.devices": "none"}
    assert survey(tmp_path / "missing") == nothing
    assert nothing.keys() <= survey(made(tmp_path, damaged)).keys()


def test_a_survey_of_this_node_names_it() -> None:
    run = subprocess.run([PROBE, "survey"], capture_output=True, check=True, timeout=PATIENCE)
    answer = json.loads(run.stdout)
    assert answer["host"] == os.uname().nodename
    assert answer["facts"]["setting.kernel"] == os.uname().release
    assert answer["facts"]["state.allowed"] == len(os.sched_getaffinity(0))


Lines = Iterator[dict[str, Any]]


@contextmanager
def power(root: Path, interval: float = 0.001) -> Iterator[tuple["subprocess.Popen[bytes]", Lines]]:
    command = [str(PROBE), "power", "--interval", str(interval), "--root", str(root)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        limit = threading.Timer(60, process.kill)  # ends whoever waits for a line or an end
        limit.start()
        try:
            yield process, (json.loads(line) for line in process.stdout)
        finally:
            limit.cancel()
            process.kill()


def test_sensors_are_described_with_what_they_cover(tmp_path: Path) -> None:
    files = {
        "sys/class/hwmon/hwmon2/name": "power_meter",
        "sys/class/hwmon/hwmon2/power1_average": "312000000",
        "sys/class/hwmon/hwmon2/power1_input": "1",
        "sys/class/hwmon/hwmon3/name": "amd_energy",
        "sys/class/hwmon/hwmon3/energy1_label": "Ecore000",
        "sys/class/hwmon/hwmon3/energy1_input": "7",
        "sys/class/hwmon/hwmon3/energy2_label": "Esocket0",
        "sys/class/hwmon/hwmon3/energy2_input": "8000000",
        "sys/class/hwmon/hwmon4/name": "nct6775",
        "sys/class/hwmon/hwmon4/power1_input": "1",
        "sys/cray/pm_counters/energy": "4711 J 1700000000 us",
        "sys/cray/pm_counters/accel1_energy": "12 J",
        "sys/cray/pm_counters/power": "500 W",
    }
    with power(made(tmp_path, {**TREE, **files})) as (_, lines):
        first, second = next(lines), next(lines)
    sensors = {sensor.pop("id"): tuple(sensor.values()) for sensor in first["sensors"]}
    assert sensors == {
        "powercap/intel-rapl:0": ("energy", "package", "package-0", 262143.32885),
        "hwmon/hwmon2/power1": ("power", "node", "power_meter", None),
        "hwmon/hwmon3/energy2": ("energy", "package", "amd_energy Esocket0", None),
        "cray/energy": ("energy", "node", "energy", None),
        "cray/accel1_energy": ("energy", "device", "accel1_energy", None),
    }
    assert first["refused"] == ["powercap/intel-rapl:0:1"]
    values = {"cray/energy": 4711.0, "cray/accel1_energy": 12.0, "hwmon/hwmon2/power1": 312.0}
    assert second["values"] == {"powercap/intel-rapl:0": 5.0, "hwmon/hwmon3/energy2": 8.0, **values}


@pytest.mark.parametrize(
    ("name", "files"), [("", ""), ("", "device/"), ("device/", "device/")], ids=["now", "before", "long before"]
)
def test_meters_of_acpi_are_where_the_kernel_has_them(tmp_path: Path, name: str, files: str) -> None:
    """Grace's meters: the module's includes the GPU, and the processor's includes the others."""
    meters: dict[str, str] = {}
    for number, label in enumerate(("Module Power", "Grace Power", "CPU Power", "SysIO Power", "DRAM Power")):
        folder = f"sys/class/hwmon/hwmon{number}"
        meters[f"{folder}/{name}name"] = "power_meter"
        meters[f"{folder}/{files}power1_average"] = "90000000"
        meters[f"{folder}/{files}power1_oem_info"] = f"{label} Socket 0"
    with power(made(tmp_path, meters)) as (_, lines):
        first = next(lines)
    assert {sensor["id"]: sensor["covers"] for sensor in first["sensors"]} == {"hwmon/hwmon1/power1": "package"}


@pytest.mark.parametrize(("measured", "covers"), [("total", ["node"]), ("CPU", [])])
def test_meters_of_node_managers_are_the_nodes_where_they_say_so(
    tmp_path: Path, measured: str, covers: list[str]
) -> None:
    folder = "sys/class/hwmon/hwmon0"
    meter = {
        "name": "power_meter",
        "power1_model_number": "Intel(R) Node Manager",
        "power1_oem_info": f"Meter measures {measured} domain",
        "power1_average": "312000000",
    }
    with power(made(tmp_path, {f"{folder}/{name}": text for name, text in meter.items()})) as (_, lines):
        assert [sensor["covers"] for sensor in next(lines)["sensors"]] == covers


def test_readings_follow_the_sensor_and_leave_out_what_it_does_not_say(tmp_path: Path) -> None:
    root = made(tmp_path, TREE)
    counter = root / "sys/class/powercap/intel-rapl:0/energy_uj"
    with power(root) as (_, lines):
        assert next(lines)["host"] == os.uname().nodename
        assert next(lines)["values"] == {"powercap/intel-rapl:0": 5.0}
        counter.write_text("6000000\n")
        assert any(line["values"] == {"powercap/intel-rapl:0": 6.0} for line in lines)
        counter.write_text("broken\n")
        assert any(line["values"] == {} for line in lines)


@pytest.mark.parametrize("end", ["input", "signal", "reader"])
def test_readings_end_with_the_input_a_signal_or_the_reader(tmp_path: Path, end: str) -> None:
    with power(made(tmp_path, TREE), interval=0.001 if end == "reader" else 3600) as (process, lines):
        assert process.stdin
        assert process.stdout
        next(lines)
        started = next(lines)["time"]
        if end == "input":
            process.stdin.write(b"words are not an end\n")
            process.stdin.close()
        elif end == "signal":
            process.send_signal(signal.SIGTERM)
        else:
            process.stdout.close()
        if end != "reader":  # one more reading at the end
            assert [line["time"] >= started for line in lines] == [True]
        assert process.wait(timeout=PATIENCE) == 0


def test_without_sensors_the_readings_end_at_once(tmp_path: Path) -> None:
    with power(tmp_path) as (process, lines):
        assert [line["sensors"] for line in lines] == [[]]
        assert process.wait(timeout=PATIENCE) == 0


def test_a_wrong_interval_is_refused(tmp_path: Path) -> None:
    for text in ("0", "-1", "nan", "1s", "", "1e9"):
        run = subprocess.run(
            [PROBE, "power", "--interval", text, "--root", tmp_path], capture_output=True, check=False, timeout=60
        )
        assert run.returncode == 2, text
        assert b"interval" in run.stderr


def test_some_processors_are_also_measured_alone() -> None:
    cpus = sorted(os.sched_getaffinity(0))[:2]
    listed = ",".join(map(str, cpus))
    command: list[str | Path] = [PROBE, "clock", "--cpus", listed, "--alone", listed]
    answer = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=PATIENCE).stdout)
    assert [core["cpu"] for core in answer["alone"]] == [core["cpu"] for core in answer["cpus"]] == cpus
    assert all(core["scalar_hz"] > 0 and core["vector_hz"] > 0 for core in answer["alone"])
    assert (answer["scalar_hz"], answer["single_vector_hz"]) == (
        answer["alone"][0]["scalar_hz"],
        answer["alone"][0]["vector_hz"],
    )
    without = json.loads(subprocess.run(command[:4], capture_output=True, check=True, timeout=PATIENCE).stdout)
    assert [core["cpu"] for core in without["alone"]] == cpus[:1]


def test_a_processor_that_is_not_allowed_cannot_be_measured_alone() -> None:
    first, beyond = min(os.sched_getaffinity(0)), max(os.sched_getaffinity(0)) + 500
    command: list[str | Path] = [PROBE, "clock", "--cpus", str(first), "--alone", str(beyond)]
    run = subprocess.run(command, capture_output=True, check=False, timeout=PATIENCE)
    assert (run.returncode, b"bind" in run.stderr) == (1, True)
