"""Tests of names that determine a family, and of names that only look similar."""

import math

import pytest

from banzuke.machine.site import Device, Peak, Processor
from banzuke.predict.families import family_of_device, family_of_processor

CORES, HERTZ = 16, 2.5e9


@pytest.mark.parametrize(
    ("model", "per_cycle", "family"),
    [
        ("Intel Xeon E7-4870", 4, "Nehalem and Westmere"),
        ("Intel Xeon E7- 8837 @ 2.67GHz", 4, "Nehalem and Westmere"),
        ("Intel Xeon E7-8837", 4, "Nehalem and Westmere"),
        ("Intel Xeon E7-8890 v2", 8, "Sandy Bridge and Ivy Bridge"),
        ("Intel Xeon E7-8890 v4", 16, "Haswell and Broadwell"),
        ("Intel Xeon E5-2670", 8, "Sandy Bridge and Ivy Bridge"),
        ("Xeon X5670 6C 2.93GHz", 4, "Nehalem and Westmere"),
        ("Intel Pentium D 940", 2, "NetBurst"),
        ("Intel Pentium Gold 7505", 16, ""),
        ("Intel Pentium III", 1, "Pentium Pro to III"),
        ("Intel Xeon 3.06 GHz", 2, "NetBurst"),
        ("Xeon 2.7 GHz", 32, ""),
        ("Intel Xeon Gold 6130", 16, "Skylake and Cascade Lake"),
        ("Xeon Platinum 8280", 4, ""),
        ("IBM Power10", 16, "Power10"),
        ("POWER7 8C 3.84GHz", 8, "POWER"),
        ("AMD Ryzen 9 7950X", 16, "Ryzen"),
        ("AMD Ryzen Threadripper PRO 5995WX zen3", 16, "Ryzen"),
        ("12th Gen Intel(R) Core(TM) i7-12700H", 9, "Core i"),
        ("Amlogic S905X3", 4, "Cortex-A53 and A55"),
        ("Rockchip RK3568", 4, "Cortex-A53 and A55"),
        ("Ampere Altra Q80-30", 8, "Ampere"),
        ("AMD EPYC 7551", 8, "EPYC 7001"),
        ("AMD Opteron 2356", 4, "Opteron K10"),
        ("Alphabetical", 2, ""),
        ("AMD Chrome 12", 8, ""),
    ],
)
def test_processors_that_only_look_alike_are_of_no_family(model: str, per_cycle: float, family: str) -> None:
    peaks = {"flops.fp64": Peak(value=CORES * HERTZ * per_cycle, unit="flop/s")}
    assert family_of_processor(Processor(model=model, cores=CORES, nominal_hz=HERTZ, peaks=peaks)).name == family


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("AMD Radeon Instinct MI25", "GCN"),
        ("AMD Instinct MI250X", "CDNA 2"),
        ("AMD Instinct MI325X", "CDNA 3"),
        ("AMD Instinct MI355X", "CDNA 4"),
        ("NVIDIA RTX A1000", ""),
        ("NVIDIA Quadro P1000", ""),
        ("NVIDIA GeForce RTX 3090 Ampere", ""),
        ("NVIDIA A100-SXM4-80GB", "Ampere"),
        ("NVIDIA GH200 480GB", "Hopper"),
        ("Tesla P100-PCIE-16GB", "Pascal"),
        ("Tesla K20Xm", "Kepler"),
        ("Dynamic accelerator", ""),
        ("Xeon Phi 31S1P", "Xeon Phi x100"),
    ],
)
def test_devices_that_only_look_alike_are_of_no_family(name: str, family: str) -> None:
    assert family_of_device(Device(name=name)).name == family


@pytest.mark.parametrize(
    ("name", "vendor", "group"),
    [
        ("Rubin", "NVIDIA", "matrix-nvidia"),
        ("NVIDIA Rubin", None, "matrix-nvidia"),
        ("AMD Instinct MI900", None, "matrix-others"),
        ("Rubin", None, ""),
    ],
)
def test_the_group_of_an_unknown_device_is_told_by_its_vendor(name: str, vendor: str | None, group: str) -> None:
    peaks = {"flops.fp64_matrix": Peak(value=1e14, unit="flop/s"), "memory.bytes": Peak(value=1e13, unit="B/s")}
    assert family_of_device(Device(name=name, vendor=vendor, peaks=peaks)).group == group


@pytest.mark.parametrize(
    ("name", "peak", "memory", "taken", "placed"),
    [
        ("AMD Instinct MI300X", 81.7e12, 206e9, 163.4e12, True),
        ("AMD Instinct MI300X", 163.4e12, 206e9, 163.4e12, True),
        ("AMD Instinct MI300A", 61.3e12, 137e9, 122.6e12, True),
        ("AMD Instinct MI355X", 78.6e12, 309e9, 78.6e12, True),
        ("AMD Instinct MI300X", 20e12, 206e9, 20e12, False),
        ("NVIDIA H100 SXM5", 1e12, 80e9, 1e12, False),
    ],
)
def test_a_peak_that_no_unit_has_is_told(name: str, peak: float, memory: float, taken: float, *, placed: bool) -> None:
    family = family_of_device(Device(name=name))
    assert family.dgemm_peak(peak, math.nan, memory) == pytest.approx(taken)
    assert family.placed(peak, math.nan, memory) is placed
