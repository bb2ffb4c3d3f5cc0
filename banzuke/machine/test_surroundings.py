"""Kernel settings, devices, hypervisor, software: everything around the processor."""

from pathlib import Path

import pytest

from banzuke.machine.command import output
from banzuke.machine.conftest import Plant
from banzuke.machine.devices import gpus, interfaces
from banzuke.machine.hypervisor import hypervisor
from banzuke.machine.kernel import settings
from banzuke.machine.software import mpi_version, software, version_in


def test_kernel_settings(plant: Plant) -> None:
    cpu = "sys/devices/system/cpu"
    values = settings(
        plant(
            {
                "proc/sys/kernel/osrelease": "5.14.0",
                "proc/sys/kernel/version": "#1 SMP PREEMPT_DYNAMIC Mon",
                "proc/cmdline": "ro isolcpus=2-3 nohz_full=2-3 preempt=none",
                "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
                f"{cpu}/cpu0/cpufreq/scaling_governor": "performance",
                f"{cpu}/cpu1/cpufreq/scaling_governor": "powersave",
                f"{cpu}/nohz_full": "(null)",
                f"{cpu}/isolated": "2-3",
                f"{cpu}/vulnerabilities/meltdown": "Not affected",
                f"{cpu}/vulnerabilities/spectre_v1": "Mitigation: usercopy",
                f"{cpu}/vulnerabilities/mds": "Vulnerable: no microcode",
                "proc/cpuinfo": "processor\t: 0\nmicrocode\t: 0xa101144\n\nprocessor\t: 1\nmicrocode\t: 0x1\n",
                "sys/class/dmi/id/bios_version": "1.7",
                "sys/class/dmi/id/bios_date": "02/01/2026",
                "etc/os-release": 'NAME="x"\nPRETTY_NAME="Rocky Linux 9.4"',
            }
        )
    )
    assert values["preemption"] == "dynamic, none"
    assert values["transparent_hugepages"] == "madvise"
    assert values["governor"] == "performance, powersave"
    assert (values["isolated_cpus"], values["nohz_full"]) == ("2-3", "2-3")
    assert values["mitigations"] == "on: spectre_v1; vulnerable: mds"
    assert values["distribution"] == "Rocky Linux 9.4"
    assert (values["firmware"], values["microcode"]) == ("1.7 of 02/01/2026", "0xa101144")
    assert "swappiness" not in values


def test_a_container_shows_by_its_mark_unless_the_root_is_a_disk(plant: Plant) -> None:
    files = {".dockerenv": "x", "proc/self/mountinfo": "1 0 0:1 / / rw - overlay overlay rw"}
    assert settings(plant(files))["container"] == "docker"
    disk = {"proc/self/mountinfo": "1 0 0:1 / / rw - ext4 /dev/vda rw", "proc/1/environ": "A=b\0HOME=/\0"}
    assert settings(plant(disk))["container"] == "none"
    assert settings(plant({"proc/1/environ": b"A=b\0container=lxc\0"}))["container"] == "lxc"


def test_gpus_without_their_tools(plant: Plant) -> None:
    pci = "sys/bus/pci/devices"
    devices = gpus(
        plant(
            {
                "proc/driver/nvidia/version": "NVRM version: NVIDIA UNIX Kernel Module  535.129.03  Thu",
                "proc/driver/nvidia/gpus/0000:01:00.0/information": "Model: \t Tesla P100-PCIE-16GB\nIRQ: 5",
                f"{pci}/0000:01:00.0/class": "0x030200",
                f"{pci}/0000:01:00.0/vendor": "0x10de",
                f"{pci}/0000:02:00.0/class": "0x030000",
                f"{pci}/0000:02:00.0/vendor": "0x1a03",
                f"{pci}/0000:03:00.0/class": "0x120000",
                f"{pci}/0000:03:00.0/vendor": "0x1002",
                f"{pci}/0000:03:00.0/device": "0x74a1",
                f"{pci}/0000:03:00.0/mem_info_vram_total": "1024",
            }
        )
    )
    assert [(gpu.name, gpu.memory, gpu.driver) for gpu in devices] == [
        ("Tesla P100-PCIE-16GB", None, "535.129.03"),
        ("AMD 0x74a1", 1024, None),
    ]


def test_interfaces(plant: Plant) -> None:
    net, ib = "sys/class/net", "sys/class/infiniband/mlx5_0/ports/1"
    ports = interfaces(
        plant(
            {
                f"{net}/lo/type": "772",
                f"{net}/eno1/type": "1",
                f"{net}/eno1/device/numa_node": "0",
                f"{net}/eno1/speed": "25000",
                f"{net}/eno2/type": "1",
                f"{net}/eno2/device/numa_node": "-1",
                f"{net}/eno2/speed": "-1",
                f"{net}/docker0/type": "1",
                f"{net}/docker0/operstate": "up",
                f"{ib}/rate": "200 Gb/sec (4X HDR)",
                f"{ib}/link_layer": "InfiniBand",
                "sys/class/infiniband/mlx5_0/device/numa_node": "1",
            }
        )
    )
    assert [(port.name, port.kind, port.bits_per_second, port.numa_node) for port in ports] == [
        ("eno1", "ethernet", 25e9, 0),
        ("eno2", "ethernet", None, None),
        ("mlx5_0:1", "infiniband", 200e9, 1),
    ]


def test_virtual_interfaces_count_in_a_container(plant: Plant) -> None:
    tree = plant({"sys/class/net/eth0/type": "1", "sys/class/net/eth0/operstate": "up"})
    assert [port.kind for port in interfaces(tree)] == ["virtual"]


VIRTUAL = frozenset({"lm", "hypervisor"})
METAL = frozenset({"lm"})


@pytest.mark.parametrize(
    ("files", "flags", "name"),
    [
        ({"sys/class/dmi/id/sys_vendor": "VMware, Inc."}, VIRTUAL, "VMware"),
        ({"sys/class/dmi/id/sys_vendor": "QEMU"}, frozenset({"asimd"}), "QEMU"),
        ({"sys/class/dmi/id/product_name": "KVM Switch Server"}, METAL, None),
        ({"sys/hypervisor/type": "xen"}, METAL, "Xen"),
        (
            {"sys/devices/system/clocksource/clocksource0/available_clocksource": "kvm-clock tsc"},
            VIRTUAL,
            "KVM",
        ),
        ({}, VIRTUAL, "unknown"),
        ({}, METAL, None),
    ],
)
def test_hypervisors(plant: Plant, files: dict[str, str], flags: frozenset[str], name: str | None) -> None:
    assert hypervisor(plant(files), flags) == name


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("gcc (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright (C) 2022", "12.2.0"),
        ("Debian clang version 14.0.6\nTarget: x86_64-pc-linux-gnu", "14.0.6"),
        ("nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 13.0, V13.0.88", "13.0.88"),
        ("FCC (FCC) 4.8.0 20220701", "4.8.0"),
        ("Intel(R) oneAPI DPC++/C++ Compiler 2025.1.0 (2025.1.0.20250317)", "2025.1.0"),
        ("no digits", None),
    ],
)
def test_compiler_versions(text: str, version: str | None) -> None:
    assert version_in(text) == version


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("HYDRA build details:\n    Version:                                 5.0.2\n", "MPICH 5.0.2"),
        ("mpirun (Open MPI) 5.0.11\n\nReport bugs", "Open MPI 5.0.11"),
        ("Intel(R) MPI Library for Linux* OS, Version 2021.18 Build 20260101", "Intel MPI 2021.18"),
        ("something else 1.0", None),
        ("", None),
    ],
)
def test_mpi_versions(text: str, version: str | None) -> None:
    assert mpi_version(text) == version


def write_command(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_software_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_command(tmp_path / "gcc", "echo gcc 13.1.0")
    write_command(tmp_path / "frt", "exit 1")
    write_command(tmp_path / "mpirun", "echo 'mpirun (Open MPI) 4.1.4'")
    (tmp_path / "mpiexec").symlink_to("mpirun")
    monkeypatch.setenv("PATH", str(tmp_path))
    here = software()
    assert here.compilers == {"gcc": "13.1.0"}
    assert [path for path, version in here.mpi.items() if version == "Open MPI 4.1.4"] == [f"{tmp_path}/mpiexec"]


def test_commands_that_fail_hang_or_are_absent(tmp_path: Path) -> None:
    write_command(tmp_path / "slow", "exec sleep 5")
    write_command(tmp_path / "quiet", "exit 0")
    write_command(tmp_path / "shouts", "echo hello >&2")
    assert output([str(tmp_path / "slow")], timeout=0.1) is None
    assert output([str(tmp_path / "quiet")]) is None
    assert output([str(tmp_path / "nowhere")]) is None
    assert output([str(tmp_path / "shouts")]) == "hello"
