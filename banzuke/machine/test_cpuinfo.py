"""Processors of many makers in /proc/cpuinfo, from public dumps of it."""

from collections.abc import Mapping

import pytest

from banzuke.machine.conftest import Plant
from banzuke.machine.cpuinfo import cpuinfo
from banzuke.machine.discover import discover
from banzuke.machine.site import CoreKind

CPU = "sys/devices/system/cpu"
LOONGSON = """system type\t\t: generic-loongson-machine

processor\t\t: 0
package\t\t\t: 0
core\t\t\t: 0
{0} {1}\t\t: Loongson-64bit
{2} {3}\t\t: {4}
CPU Revision\t\t: 0x10
FPU Revision\t\t: 0x00
CPU MHz\t\t\t: {5}
BogoMIPS\t\t: 5000.00
{6}\t\t: cpucfg lam ual fpu {7} crc32 lvz lbt_x86
"""
LOONGSON_MIPS = """system type\t\t: generic-loongson-machine
processor\t\t: 0
cpu model\t\t: ICT Loongson-3 V0.13  FPU V0.1
model name\t\t: Loongson-3A R3 (Loongson-3B3000) @ 1450MHz @ 1450MHz
ASEs implemented\t: vz msa
"""
IBM_Z = """vendor_id       : IBM/S390
# processors    : 2
bogomips per cpu: 21881.00
max thread id   : 0
features\t: esan3 zarch stfle msa ldisp eimm dfp edat etf3eh highgprs te {0}
cache0          : level=1 type=Data scope=Private size=128K line_size=256 associativity=8
processor 0: version = FF,  identification = 0618E8,  machine = {1}
processor 1: version = FF,  identification = 0618E8,  machine = {1}

cpu number      : 0
cpu MHz dynamic : 5200
cpu MHz static  : 5200
"""
POWER = "processor\t: 0\ncpu\t\t: {}\nclock\t\t: {}MHz\nrevision\t: 2.1 (pvr 004e 1201)\n\n"
RISC_V = "processor\t: 0\nhart\t\t: 0\n{}isa\t\t: {}\nmmu\t\t: sv39\n{}\nmarchid\t\t: 0x0\n"


def arm(*kinds: tuple[str, str], name: str = "") -> str:
    blocks = [
        f"processor\t: {number}\n{name}BogoMIPS\t: 48.00\nFeatures\t: fp asimd crc32\n"
        f"CPU implementer\t: {implementer}\nCPU architecture: 8\nCPU variant\t: 0x0\n"
        f"CPU part\t: {part}\nCPU revision\t: 1\n"
        for number, (implementer, part) in enumerate(kinds)
    ]
    return "\n".join(blocks)


def x86(vendor: str, name: str, flags: str) -> str:
    return f"processor\t: 0\nvendor_id\t: {vendor}\ncpu MHz\t\t: 1203.5\nmodel name\t: {name}\nflags\t\t: {flags}\n"


@pytest.mark.parametrize(
    ("text", "vendor", "model", "simd", "nominal"),
    [
        (
            LOONGSON.format("CPU", "Family", "Model", "Name", "Loongson-3A5000-HV", "2500.00", "Features", "lsx lasx"),
            "Loongson",
            "Loongson-3A5000-HV",
            ("LASX", 256),
            2.5e9,
        ),
        (
            LOONGSON.format("cpu", "family", "model", "name", "Loongson-3A5000LL", "2300.00", "features", "lsx"),
            "Loongson",
            "Loongson-3A5000LL",
            ("LSX", 128),
            2.3e9,
        ),
        (
            LOONGSON_MIPS,
            "Loongson",
            "Loongson-3A R3 (Loongson-3B3000) @ 1450MHz @ 1450MHz",
            ("MSA", 128),
            1.45e9,
        ),
        (IBM_Z.format("vx vxd vxe", "8561"), "IBM", "z15 (8561)", ("VX", 128), 5.2e9),
        (IBM_Z.format("", "9999"), "IBM", "machine (9999)", ("scalar", 64), 5.2e9),
        (POWER.format("POWER9, altivec supported", "3450.000000"), "IBM", "POWER9", ("VSX", 128), 3.45e9),
        (POWER.format("POWER10 (raw), altivec supported", "2000.0"), "IBM", "POWER10", ("VSX", 128), 2e9),
        # https://github.com/open-power/op-test/pull/883
        (POWER.format("Power11 (architected), altivec supported", "3450.0"), "IBM", "POWER11", ("VSX", 128), 3.45e9),
        (POWER.format("POWER6 (raw), altivec supported", "4000.0"), "IBM", "POWER6", ("scalar", 64), 4e9),
        (
            RISC_V.format("model name\t: Spacemit(R) X60\n", "rv64imafdcv_zicbom_zba", "mvendorid\t: 0x710"),
            "SpacemiT",
            "Spacemit(R) X60",
            ("RVV", None),
            None,
        ),
        (
            RISC_V.format("", "rv64imafdc_zicntr_zba_zbb", "uarch\t\t: sifive,u74-mc\nmvendorid\t: 0x489"),
            "SiFive",
            "sifive,u74-mc",
            ("scalar", 64),
            None,
        ),
        (RISC_V.format("", "rv64imafdcv", "mvendorid\t: 0x5b7"), "T-Head", None, ("RVV", None), None),
        (arm(("0x41", "0xd8e")), "ARM", "Neoverse N3", ("NEON", 128), None),
        (
            arm(("0x41", "0xfff"), name="model name\t: ARMv8 rev 1 (v8l)\n"),
            "ARM",
            "ARM part 0xfff",
            None,
            None,
        ),
        (arm(("0x99", "0x001")), None, "implementer 0x99 part 0x001", ("NEON", 128), None),
        (arm(("0x70", "0x862"), name="model name\t: Phytium,D3000\n"), "Phytium", "Phytium,D3000", None, None),
        (arm(("0x48", "0xd02")), "HiSilicon", "Kunpeng 920", None, None),
        (
            x86("  Shanghai  ", "ZHAOXIN KaiSheng KH-40000/16@2.2GHz", "avx avx2 fma"),
            "Shanghai",
            "ZHAOXIN KaiSheng KH-40000/16@2.2GHz",
            ("AVX2", 256),
            2.2e9,
        ),
        (
            x86("GenuineIntel", "Intel(R) Xeon Phi(TM) CPU 7250 @ 1.40GHz", "avx2 fma avx512f avx512pf avx512er"),
            "GenuineIntel",
            "Intel(R) Xeon Phi(TM) CPU 7250 @ 1.40GHz",
            ("AVX-512", 512),
            1.4e9,
        ),
        (
            x86("HygonGenuine", "Hygon C86 7185 32-core Processor", "avx2 fma"),
            "HygonGenuine",
            "Hygon C86 7185 32-core Processor",
            ("AVX2", 256),
            None,
        ),
    ],
)
def test_processors_of_many_makers(
    text: str,
    vendor: str | None,
    model: str | None,
    simd: tuple[str, int | None] | None,
    nominal: float | None,
    plant: Plant,
) -> None:
    processor = cpuinfo(plant({"proc/cpuinfo": text}), "x")
    assert (processor.vendor, processor.model, processor.nominal_hz, processor.kinds) == (vendor, model, nominal, {})
    assert simd is None or (processor.simd, processor.vector_bits) == simd


def test_the_clock_of_the_moment_is_not_the_nominal_one(plant: Plant) -> None:
    files = {"proc/cpuinfo": POWER.format("POWER9, altivec supported", "2300.0"), f"{CPU}/cpu0/cpufreq/driver": "x"}
    assert cpuinfo(plant(files), "ppc64le").nominal_hz is None
    files[f"{CPU}/cpu0/cpufreq/cpuinfo_nominal_freq"] = "3450000"
    assert cpuinfo(plant(files), "ppc64le").nominal_hz == 3.45e9


RK3588 = (arm(*[("0x41", "0xd05")] * 4, *[("0x41", "0xd0b")] * 4), {"Cortex-A55": 4, "Cortex-A76": 4})
GB10 = (arm(*[("0x41", "0xd87")] * 10, *[("0x41", "0xd85")] * 10), {"Cortex-A725": 10, "Cortex-X925": 10})
INTEL = "\n".join(x86("GenuineIntel", "12th Gen Intel(R) Core(TM) i7-12700", "avx2 fma") for _ in range(4))


def logical(kinds: Mapping[str, CoreKind]) -> dict[str, int | None]:
    return {name: kind.logical for name, kind in kinds.items()}


@pytest.mark.parametrize(("text", "kinds"), [RK3588, GB10])
def test_unlike_cores_are_named_by_kind_and_have_no_common_clock(
    text: str, kinds: dict[str, int], plant: Plant
) -> None:
    number = sum(kinds.values())
    files = {"proc/cpuinfo": text, f"{CPU}/online": f"0-{number - 1}"}
    for cpu in range(number):
        files[f"{CPU}/cpu{cpu}/cpufreq/cpuinfo_max_freq"] = "1800000" if cpu < number // 2 else "2400000"
    machine = discover(root=plant(files).root)
    processor = machine.node.processor
    assert logical(processor.kinds) == kinds
    assert processor.model == " + ".join(f"{count} x {name}" for name, count in kinds.items())
    assert (processor.nominal_hz, processor.maximum_hz, processor.microarchitecture) == (None, None, None)
    for peak in (machine.peaks["flops.fp64"], processor.peaks["flops.fp64"]):
        assert peak.value is None
        assert all(f"{count} cores ({name}) x clock" in peak.derivation for name, count in kinds.items())


@pytest.mark.parametrize(("clusters", "sockets"), [((0, 1), None), ((0, 0), 1)])
def test_clusters_of_unlike_cores_are_no_sockets(clusters: tuple[int, int], sockets: int | None, plant: Plant) -> None:
    files = {"proc/cpuinfo": RK3588[0], "proc/sys/kernel/arch": "aarch64", f"{CPU}/online": "0-7"}
    files |= {f"{CPU}/cpu{cpu}/topology/physical_package_id": str(clusters[cpu // 4]) for cpu in range(8)}
    assert discover(root=plant(files).root).node.processor.sockets == sockets


@pytest.mark.parametrize("counters", [True, False])
def test_intels_hybrids(counters: bool, plant: Plant) -> None:  # noqa: FBT001
    files = {"proc/cpuinfo": INTEL, f"{CPU}/online": "0-3"}
    files |= {f"{CPU}/cpu{cpu}/cpufreq/base_frequency": "2100000" if cpu < 2 else "1500000" for cpu in range(4)}
    if counters:
        files |= {"sys/devices/cpu_core/cpus": "0-1", "sys/devices/cpu_atom/cpus": "2-3"}
    processor = discover(root=plant(files).root).node.processor
    assert processor.nominal_hz is None
    assert processor.model == "12th Gen Intel(R) Core(TM) i7-12700"
    kinds = {"performance": 2, "efficiency": 2} if counters else {"2.1 GHz": 2, "1.5 GHz": 2}
    assert logical(processor.kinds) == kinds
    assert [kind.nominal_hz for kind in processor.kinds.values()] == [2.1e9, 1.5e9]


def test_cores_that_assist_are_in_no_peak(plant: Plant) -> None:
    """The FX1000's nodes for I/O have two of them."""
    files = {"proc/cpuinfo": arm(*[("0x46", "0x001")] * 50), f"{CPU}/online": "0-49"}
    processor = discover(root=plant(files).root).node.processor
    assert (processor.cores, processor.assistant_cores, processor.logical) == (48, "2", 50)
    assert processor.peaks["flops.fp64"].derivation.startswith("48 cores x")


@pytest.mark.parametrize(
    ("highest", "kinds", "maximum"),
    [
        ([5100000, 5100000, 3300000, 3300000], {"up to 5.1 GHz": 2, "up to 3.3 GHz": 2}, None),
        ([3300000, 3300000, 3300000, 5100000], {"up to 5.1 GHz": 1, "up to 3.3 GHz": 3}, None),
        ([5700000, 5500000, 3500000, 3300000], {"up to 5.7 GHz": 2, "up to 3.5 GHz": 2}, None),
        ([5700000, 5400000, 5400000, 5600000], {}, 5.4e9),
        ([4000000] * 4, {}, 4e9),
    ],
    ids=["fast first", "slow first", "favoured in each", "favoured", "alike"],
)
def test_the_first_cores_clock_is_not_that_of_all(
    highest: list[int], kinds: dict[str, int], maximum: float | None, plant: Plant
) -> None:
    """AMD's processors have two kinds of cores under one name; among cores of one kind, some may be favoured."""
    text = "\n".join(x86("AuthenticAMD", "AMD Ryzen AI 9 HX 370", "avx2 fma") for _ in highest)
    files = {"proc/cpuinfo": text, f"{CPU}/online": "0-3"}
    files |= {f"{CPU}/cpu{cpu}/cpufreq/cpuinfo_max_freq": str(clock) for cpu, clock in enumerate(highest)}
    processor = cpuinfo(plant(files), "x86_64")
    assert (logical(processor.kinds), processor.maximum_hz) == (kinds, maximum)
    assert processor.model == "AMD Ryzen AI 9 HX 370"


def test_cores_of_one_part_and_two_clocks_are_of_two_kinds(plant: Plant) -> None:
    files = {"proc/cpuinfo": arm(*[("0x41", "0xd03")] * 4)}
    files |= {f"{CPU}/cpu{cpu}/cpufreq/cpuinfo_max_freq": "1500000" if cpu < 2 else "2000000" for cpu in range(4)}
    processor = cpuinfo(plant(files), "aarch64")
    assert (processor.model, logical(processor.kinds)) == ("Cortex-A53", {"up to 2 GHz": 2, "up to 1.5 GHz": 2})
    assert (processor.maximum_hz, processor.nominal_hz) == (None, None)


def test_cores_that_the_scheduler_does_not_take_for_alike(plant: Plant) -> None:
    text = RISC_V.format("", "rv64imafdc", "mvendorid\t: 0x710")
    files = {"proc/cpuinfo": text} | {f"{CPU}/cpu{cpu}/cpu_capacity": "1024" if cpu else "512" for cpu in range(3)}
    assert logical(cpuinfo(plant(files), "riscv64").kinds) == {"capacity 512": 1, "capacity 1024": 2}
    files = {"proc/cpuinfo": arm(*[("0x41", "0xd4f")] * 4)}  # Neoverse V2, of which some are favoured
    for cpu, (clock, capacity) in enumerate([("3500000", "1024"), ("3400000", "995")] * 2):
        files |= {f"{CPU}/cpu{cpu}/cpufreq/cpuinfo_max_freq": clock, f"{CPU}/cpu{cpu}/cpu_capacity": capacity}
    processor = cpuinfo(plant(files), "aarch64")
    assert (processor.kinds, processor.maximum_hz) == ({}, 3.4e9)


def test_clocks_and_abilities_are_those_that_all_processors_have(plant: Plant) -> None:
    power = "\n".join(POWER.format("POWER9", clock) for clock in ("3450.0", "2300.0"))
    assert cpuinfo(plant({"proc/cpuinfo": power}), "ppc64le").nominal_hz is None
    unlike = "\n".join(x86("GenuineIntel", "x", flags) for flags in ("avx2 fma avx512f avx512dq avx512vl", "avx2 fma"))
    processor = cpuinfo(plant({"proc/cpuinfo": unlike}), "x86_64")
    assert (set(processor.flags), processor.simd) == ({"avx2", "fma"}, "AVX2")
