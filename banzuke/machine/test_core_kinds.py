"""Machines with unlike cores, and some that only look so, from what people posted of their Linux systems."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from banzuke.cpu_lists import parse_cpus
from banzuke.machine import probe, published
from banzuke.machine.conftest import Plant
from banzuke.machine.discover import PARTITION, discover, measured
from banzuke.machine.model import Machine
from banzuke.machine.processor_names import ARM
from banzuke.machine.site import Processor
from banzuke.machine.toml import toml
from banzuke.machine.tree import Tree

CPU = "sys/devices/system/cpu"
X86 = "processor\t: {0}\nvendor_id\t: {1}\ncpu family\t: 6\nmodel\t\t: {2}\nmodel name\t: {3}\nflags\t\t: avx2 fma\n"
AARCH64 = "processor\t: {0}\nFeatures\t: fp asimd asimdhp\nCPU implementer\t: {1}\nCPU part\t: {2}\n"
MAX, BASE, CAPACITY = "cpufreq/cpuinfo_max_freq", "cpufreq/base_frequency", "cpu_capacity"


@dataclass(frozen=True)
class Known:
    x86: tuple[str, int, str] | None = None
    """Vendor, model number and name."""
    parts: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Implementer and part of Arm's cores, by processors."""
    told: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Contents of a file, by processors."""
    pairs: str = ""
    """Processors that share a core in pairs."""
    counters: Mapping[str, str] = field(default_factory=dict)
    caches: Mapping[tuple[int, str, int], str] = field(default_factory=dict)
    """Groups of processors that share a cache, by level, type and KiB."""

    def files(self) -> dict[str, str]:
        blocks: dict[int, str] = {}
        for cpus, (implementer, part) in self.parts.items():
            blocks |= {cpu: AARCH64.format(cpu, implementer, part) for cpu in parse_cpus(cpus)}
        if self.x86:
            vendor, model, name = self.x86
            listed = [cpu for cpus in next(iter(self.told.values())) for cpu in parse_cpus(cpus)]
            blocks = {cpu: X86.format(cpu, vendor, model, name) for cpu in listed}
        files = {"proc/cpuinfo": "\n".join(blocks[cpu] for cpu in sorted(blocks))}
        files |= {"proc/sys/kernel/arch": "x86_64" if self.x86 else "aarch64", f"{CPU}/online": f"0-{max(blocks)}"}
        for name, values in self.told.items():
            files |= {
                f"{CPU}/cpu{cpu}/{name}": str(value) for cpus, value in values.items() for cpu in parse_cpus(cpus)
            }
        pairs = parse_cpus(self.pairs)
        for cpu in blocks:
            first = cpu - pairs.index(cpu) % 2 if cpu in pairs else cpu
            siblings = f"{first}-{first + 1}" if cpu in pairs else f"{cpu}"
            files |= {f"{CPU}/cpu{cpu}/topology/core_cpus_list": siblings}
            files |= {f"{CPU}/cpu{cpu}/topology/package_cpus_list": f"0-{max(blocks)}"}
        for index, ((level, kind, size), groups) in enumerate(self.caches.items()):
            for group in groups.split():
                for cpu in parse_cpus(group):
                    cache = f"{CPU}/cpu{cpu}/cache/index{index}"
                    files |= {f"{cache}/level": str(level), f"{cache}/type": kind, f"{cache}/size": f"{size}K"}
                    files |= {f"{cache}/shared_cpu_list": group}
        return files | {f"sys/devices/{name}/cpus": cpus for name, cpus in self.counters.items()}


# https://github.com/JuliaParallel/Hwloc.jl/pull/80
I9_12900K = Known(
    x86=("GenuineIntel", 151, "12th Gen Intel(R) Core(TM) i9-12900K"),
    told={MAX: {"0-15": 5100000, "16-23": 3900000}, BASE: {"0-15": 3200000, "16-23": 2400000}},
    pairs="0-15",
    counters={"cpu_core": "0-15", "cpu_atom": "16-23"},
    caches={
        (2, "Unified", 1280): "0-1 2-3 4-5 6-7 8-9 10-11 12-13 14-15",
        (2, "Unified", 2048): "16-19 20-23",
        (3, "Unified", 30720): "0-23",
    },
)
# hwloc, tests/hwloc/linux/20em64t-hybrid-1p6c2t+2ca4co1t: favoured cores aside, its clocks
I7_12700H = Known(
    x86=("GenuineIntel", 154, "12th Gen Intel(R) Core(TM)"),
    told={MAX: {"0-11": 5000000, "12-19": 3900000}, BASE: {"0-11": 1900000, "12-19": 1400000}},
    pairs="0-11",
    counters={"cpu_core": "0-11", "cpu_atom": "12-19"},
)
# https://github.com/anrieff/libcpuid/issues/198 (processors, L3) and https://github.com/intel/intel-lpmd/issues/37;
# clocks by Intel's specification of the Core Ultra 7 155H
ULTRA_155H = Known(
    x86=("GenuineIntel", 170, "Intel(R) Core(TM) Ultra 7 155H"),
    told={
        MAX: {"0-11": 4800000, "12-19": 3800000, "20-21": 2500000},
        BASE: {"0-11": 1400000, "12-19": 900000, "20-21": 700000},
    },
    pairs="0-11",
    counters={"cpu_core": "0-11", "cpu_atom": "12-21"},
    caches={(3, "Unified", 24576): "0-19"},
)
# Clocks that Intel prints of the Core Ultra 7 265K
ULTRA_265K = Known(
    x86=("GenuineIntel", 198, "Intel(R) Core(TM) Ultra 7 265K"),
    told={MAX: {"0-7": 5500000, "8-19": 4600000}, BASE: {"0-7": 3900000, "8-19": 3300000}},
    counters={"cpu_core": "0-7", "cpu_atom": "8-19"},
)
# https://github.com/hrw/arm-socs-table/issues/18 and https://github.com/MichaIng/DietPi/issues/6989
RK3588 = Known(
    parts={"0-3": ("0x41", "0xd05"), "4-7": ("0x41", "0xd0b")},
    told={MAX: {"0-3": 1800000, "4-5": 2400000, "6-7": 2304000}, CAPACITY: {"0-3": 530, "4-7": 1024}},
)
# https://github.com/hrw/arm-socs-table/issues/19, clocks of the Snapdragon 865
SNAPDRAGON_865 = Known(
    parts={"0-3": ("0x51", "0x805"), "4-7": ("0x41", "0xd0d")},
    told={MAX: {"0-3": 1804800, "4-6": 2419200, "7": 2841600}},
)
# https://github.com/ThomasKaiser/sbc-bench/issues/47: an M1 Pro
M1_PRO = Known(parts={"0-1": ("0x61", "0x024"), "2-9": ("0x61", "0x025")}, told={MAX: {"0-1": 2064000, "2-9": 3036000}})
# https://github.com/pytorch/cpuinfo/issues/380
M1 = Known(parts={"0-3": ("0x61", "0x022"), "4-7": ("0x61", "0x023")})
# hwloc, tests/hwloc/linux/nvidia-dgx-gb10
GB10 = Known(
    parts={"0-4,10-14": ("0x41", "0xd87"), "5-9,15-19": ("0x41", "0xd85")},
    told={CAPACITY: {"0-4": 718, "5-9": 997, "10-14": 731, "15-18": 1017, "19": 1024}},
)
# https://github.com/hrw/arm-socs-table/issues/124
SNAPDRAGON_X = Known(parts={"0-7": ("0x51", "0x001")}, told={MAX: {"0-7": 2976000}})
# https://github.com/hrw/arm-socs-table/issues/96
PI_5 = Known(parts={"0-3": ("0x41", "0xd0b")}, told={MAX: {"0-3": 2400000}})
# https://github.com/nviennot/core-to-core-latency/issues/49
ALTRA = Known(parts={"0-79": ("0x41", "0xd0c")}, told={MAX: {"0-79": 3000000}})
# https://github.com/open-mpi/hwloc/issues/634
GRACE = Known(
    parts={"0-71": ("0x41", "0xd4f")},
    told={MAX: {"0-35": 3366000, "36-71": 3447000}, CAPACITY: {"0-35": 1007, "36-71": 1024}},
)
# The clocks that AMD prints of the Ryzen AI 9 HX 370, in whose folder hwloc has only CPUID
HX_370 = Known(
    x86=("AuthenticAMD", 36, "AMD Ryzen AI 9 HX 370 w/ Radeon 890M"),
    told={MAX: {"0-3,12-15": 5157895, "4-11,16-23": 3300000}},
    caches={(3, "Unified", 16384): "0-3,12-15", (3, "Unified", 8192): "4-11,16-23"},
)
# https://github.com/hardinfo2/hardinfo2/issues/150 (clock, larger cache) and
# https://rmnr.net/blog/9950x3d-vcache-pinning-cachyos/ (processors, caches): a Ryzen 9 9950X3D
R9_9950X3D = Known(
    x86=("AuthenticAMD", 68, "AMD Ryzen 9 9950X3D 16-Core Processor"),
    told={MAX: {"0-31": 5756000}},
    caches={(3, "Unified", 98304): "0-7,16-23", (3, "Unified", 32768): "8-15,24-31"},
)
# https://github.com/open-mpi/hwloc/issues/690
THREADRIPPER = Known(
    x86=("AuthenticAMD", 24, "AMD Ryzen Threadripper PRO 7975WX 32-Cores"),
    told={
        MAX: {
            "0-15": 5352000, "23": 5517000, "22": 5677000, "16": 5837000, "18": 6001000, "19": 6161000,
            "17": 6321000, "20": 6482000, "21": 6642000,
        }
    },
)  # fmt: skip
# https://github.com/open-mpi/hwloc/issues/502: an i9-10920X; its favoured cores
I9_10920X = Known(
    x86=("GenuineIntel", 85, "Intel(R) Core(TM) i9-10920X CPU @ 3.50GHz"),
    told={MAX: {"0-7": 4600000, "8-9": 4700000, "10-11": 4800000}, BASE: {"0-11": 3500000}},
)
# A Xeon whose favoured cores go far beyond the others: one clock is guaranteed for all
XEON = Known(
    x86=("GenuineIntel", 106, "Intel(R) Xeon(R) Gold 6330 CPU @ 2.00GHz"),
    told={MAX: {"0-1": 4400000, "2-15": 3100000}, BASE: {"0-15": 2000000}},
)


def told(processor: Processor) -> list[tuple[str, int | None, str, float | None, float | None, int | None]]:
    return [
        (
            name,
            kind.cores,
            f"{kind.cpus[0]}-{kind.cpus[-1]}",
            kind.nominal_hz and kind.nominal_hz / 1e9,
            kind.maximum_hz and kind.maximum_hz / 1e9,
            kind.fma_units,
        )
        for name, kind in processor.kinds.items()
    ]


@pytest.mark.parametrize(
    ("example", "kinds"),
    [
        (I9_12900K, [("performance", 8, "0-15", 3.2, 5.1, 2), ("efficiency", 8, "16-23", 2.4, 3.9, 1)]),
        (I7_12700H, [("performance", 6, "0-11", 1.9, 5.0, 2), ("efficiency", 8, "12-19", 1.4, 3.9, 1)]),
        (
            ULTRA_155H,
            [
                ("performance", 6, "0-11", 1.4, 4.8, 2),
                ("efficiency, 0.9 GHz", 8, "12-19", 0.9, 3.8, 1),
                ("efficiency, 0.7 GHz", 2, "20-21", 0.7, 2.5, 1),
            ],
        ),
        (
            ULTRA_265K,
            [("performance", 8, "0-7", 3.9, 5.5, 2), ("efficiency", 12, "8-19", 3.3, 4.6, 2)],
        ),
        (RK3588, [("Cortex-A55", 4, "0-3", None, 1.8, 1), ("Cortex-A76", 4, "4-7", None, 2.304, 2)]),
        (
            SNAPDRAGON_865,
            [
                ("Kryo 4XX Silver", 4, "0-3", None, 1.8048, None),
                ("Cortex-A77, up to 2.4192 GHz", 3, "4-6", None, 2.4192, None),
                ("Cortex-A77, up to 2.8416 GHz", 1, "7-7", None, 2.8416, None),
            ],
        ),
        (
            M1_PRO,
            [("Icestorm (M1 Pro)", 2, "0-1", None, 2.064, None), ("Firestorm (M1 Pro)", 8, "2-9", None, 3.036, None)],
        ),
        (M1, [("Icestorm (M1)", 4, "0-3", None, None, None), ("Firestorm (M1)", 4, "4-7", None, None, None)]),
        (GB10, [("Cortex-A725", 10, "0-14", None, None, None), ("Cortex-X925", 10, "5-19", None, None, None)]),
        (
            HX_370,
            [("up to 5.15789 GHz", 8, "0-15", None, 5.157895, None), ("up to 3.3 GHz", 16, "4-23", None, 3.3, None)],
        ),
    ],
    ids=["12900K", "12700H", "155H", "265K", "RK3588", "865", "M1 Pro", "M1", "GB10", "HX 370"],
)
def test_each_kind_of_core_is_described(example: Known, kinds: list[tuple[object, ...]], plant: Plant) -> None:
    machine = discover(root=plant(example.files()).root)
    assert told(machine.node.processor) == kinds
    assert (machine.node.processor.nominal_hz, machine.node.processor.maximum_hz) == (None, None)
    assert {name: len(cpus) for name, cpus in machine.kinds.items()} == {kind[0]: kind[1] for kind in kinds}


def test_dies_of_equal_clocks_differ_in_their_last_cache(plant: Plant) -> None:
    alike = replace(R9_9950X3D, caches={(3, "Unified", 98304): "0-7,16-23 8-15,24-31"})
    assert not discover(root=plant(alike.files()).root).node.processor.kinds
    kinds = discover(root=plant(R9_9950X3D.files()).root).node.processor.kinds
    assert {name: (kind.cores, kind.cpus[8]) for name, kind in kinds.items()} == {
        "cache of 96 MiB": (16, 16),
        "cache of 32 MiB": (16, 24),
    }


@pytest.mark.parametrize(
    ("example", "maximum"),
    [
        (SNAPDRAGON_X, 2.976e9),
        (PI_5, 2.4e9),
        (ALTRA, 3.0e9),
        (GRACE, 3.366e9),
        (THREADRIPPER, 5.352e9),
        (I9_10920X, 4.6e9),
        (XEON, 3.1e9),
    ],
    ids=["Snapdragon X", "Pi 5", "Altra", "Grace", "7975WX", "10920X", "Xeon"],
)
def test_like_cores_are_of_one_kind(example: Known, maximum: float, plant: Plant) -> None:
    machine = discover(root=plant(example.files()).root)
    assert (machine.node.processor.kinds, machine.node.processor.maximum_hz) == ({}, maximum)
    assert machine.kinds == {}


def test_caches_are_those_of_a_kind_where_unlike(plant: Plant) -> None:
    kinds = discover(root=plant(I9_12900K.files()).root).node.processor.kinds
    caches = {
        name: [(cache.level, cache.bytes, cache.instances) for cache in kind.caches] for name, kind in kinds.items()
    }
    assert caches == {"performance": [(2, 1280 << 10, 8)], "efficiency": [(2, 2 << 20, 2)]}


def test_a_kind_may_have_fewer_levels_of_cache(plant: Plant) -> None:
    kinds = discover(root=plant(ULTRA_155H.files()).root).node.processor.kinds
    assert [[cache.level for cache in kind.caches] for kind in kinds.values()] == [[3], [3], []]


def test_the_peak_is_the_sum_over_kinds(plant: Plant) -> None:
    """It is not the peak of sixteen performance cores."""
    processor = discover(root=plant(I9_12900K.files()).root).node.processor
    peak = processor.peaks["flops.fp64"]
    assert peak.value == 8 * 3.2e9 * 4 * 2 * 2 + 8 * 2.4e9 * 4 * 2 * 1
    assert peak.derivation == (
        "8 cores (performance) x 3.200 GHz (nominal) x 4 lanes (AVX2) x 2 flop x 2 FMA units + "
        "8 cores (efficiency) x 2.400 GHz (nominal) x 4 lanes (AVX2) x 2 flop x 1 FMA unit"
    )
    assert [kind.peaks["flops.fp64"].value for kind in processor.kinds.values()] == [409.6e9, 153.6e9]
    assert processor.peaks["flops.fp32"].value == 2 * peak.value


def test_the_peak_of_a_job_is_that_of_the_cores_that_it_was_given(plant: Plant) -> None:
    status = {"proc/self/status": "Cpus_allowed_list:\t0-3,16"}
    machine = discover(root=plant(I9_12900K.files() | status).root)
    peak = machine.peaks["flops.fp64"]
    assert peak.value == 2 * 3.2e9 * 16 + 1 * 2.4e9 * 8
    assert "2 cores (performance, of 8) x" in peak.derivation
    assert "1 core (efficiency, of 8) x" in peak.derivation
    machine = discover(root=plant({"proc/self/status": "Cpus_allowed_list:\t16-17"}).root)
    assert machine.peaks["flops.fp64"].value == 2 * 2.4e9 * 8
    assert "performance" not in machine.peaks["flops.fp64"].derivation


def test_the_peak_is_unknown_where_one_kinds_is(plant: Plant) -> None:
    peak = discover(root=plant(RK3588.files()).root).node.processor.peaks["flops.fp64"]
    assert peak.value is None
    assert "4 cores (Cortex-A55) x clock x lanes x 2 x FMA units; unknown: clock; not measured + 4" in peak.derivation


def clock(**of_cores: tuple[float, float, float]) -> probe.Clock:
    """By processor: Hz, flop/s, FMA instructions per cycle; alone it is 5% faster."""
    cpus = [
        probe.CpuClock(cpu=int(name[1:]), vector_hz=hz, fma_rate=rate, fma_per_cycle=per_cycle)
        for name, (hz, rate, per_cycle) in of_cores.items()
    ]
    return probe.Clock(
        simd="NEON",
        vector_bits=128,
        scalar_hz=cpus[0].vector_hz,
        single_vector_hz=cpus[0].vector_hz,
        vector_hz=min(core.vector_hz for core in cpus),
        fma_rate=sum(core.fma_rate for core in cpus),
        fma_per_cycle=max(core.fma_per_cycle for core in cpus),
        cpus=cpus,
        alone=[
            probe.AloneClock(cpu=core.cpu, scalar_hz=1.05 * core.vector_hz, vector_hz=core.vector_hz) for core in cpus
        ],
    )


def test_each_kind_is_measured(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    little, big = (1.8e9, 7.2e9, 1.0), (2.3e9, 18.4e9, 2.0)
    answer = clock(**{f"c{cpu}": little if cpu < 4 else big for cpu in range(8)})

    def probed(cpus: list[int], alone: list[int]) -> probe.Clock:
        asked.append((cpus, alone))
        return answer

    monkeypatch.setattr(probe, "clock", probed)
    machine = measured(discover(root=plant(RK3588.files()).root))
    assert asked == [(list(range(8)), [0, 4])], "one of each kind alone"
    kinds, rates = machine.node.processor.kinds, machine.allotment.kinds
    assert [(kind.fma_units, kind.fma_per_cycle) for kind in kinds.values()] == [(1, 1.0), (2, 2.0)]
    assert (machine.node.processor.fma_units, machine.node.processor.fma_per_cycle) == (None, None)
    assert [(kind.scalar_hz, kind.vector_hz, kind.fma_rate) for kind in rates.values()] == [
        (1.05 * 1.8e9, 1.8e9, 7.2e9),
        (1.05 * 2.3e9, 2.3e9, 18.4e9),
    ]
    peak = machine.peaks["flops.fp64"]
    assert peak.value == pytest.approx(4 * 7.2e9 + 4 * 18.4e9)
    assert "4 cores (Cortex-A76) x 2.300 GHz (measured under vector load) x" in peak.derivation
    place = f"partitions.{PARTITION}.node.processors.0.kinds"
    for path, how in ((f"{place}.Cortex-A76.fma_units", "measured"), (f"{place}.Cortex-A76.cpus", "read")):
        source = machine.site.source(path)
        assert source
        assert source.how == how


def test_units_that_were_not_measured_are_assumed(plant: Plant) -> None:
    machine = discover(root=plant(RK3588.files()).root)
    source = machine.site.source(f"partitions.{PARTITION}.node.processors.0.kinds.Cortex-A55.fma_units")
    assert source
    assert (source.how, "cpufp" in source.where) == ("assumed", True)


def test_kinds_are_read_again(plant: Plant, tmp_path: Path) -> None:
    machine = discover(root=plant(ULTRA_155H.files()).root)
    assert Machine.model_validate_json(machine.document()) == machine
    file = tmp_path / "site.toml"
    file.write_text(toml(machine.site))
    assert published.read(file).partitions == machine.site.partitions
    assert Processor.model_validate({"cores": 4}).kinds == {}


def test_numbers_of_parts_are_written_as_the_kernel_writes_them() -> None:
    for implementer, (vendor, models) in ARM.items():
        assert vendor
        assert implementer == f"{int(implementer, 16):#04x}"
        assert [number for number in models if number != f"0x{int(number, 16):03x}"] == []


def test_a_tree_without_processors_has_no_kinds(plant: Plant) -> None:
    tree: Tree = plant({"sys/devices/cpu_core/cpus": "", "sys/devices/cpu_atom/cpus": "0-3"})
    assert discover(root=tree.root).node.processor.kinds == {}
