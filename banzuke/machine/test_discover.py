from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from banzuke.machine import probe
from banzuke.machine.conftest import Plant
from banzuke.machine.discover import PARTITION, discover, measured, with_blas
from banzuke.machine.model import Machine
from banzuke.machine.site import Blas, Source
from banzuke.machine.topology import parse_hwloc

CPU = "sys/devices/system/cpu"
NODE = f"partitions.{PARTITION}.node"


def xeon() -> dict[str, str | bytes]:
    """Two sockets of two cores with two threads each; processor 7 is not ours."""
    block = (
        "processor\t: {}\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 106\n"
        "model name\t: Intel(R) Xeon(R) Gold 6330 CPU @ 2.00GHz\nstepping\t: 6\n"
        "flags\t\t: fpu lm avx2 fma avx512f avx512dq avx512vl\n\n"
    )
    files: dict[str, str | bytes] = {
        "proc/cpuinfo": "".join(block.format(cpu) for cpu in range(8)),
        "proc/meminfo": "MemTotal:  8388608 kB\nMemAvailable:  4194304 kB",
        "proc/self/status": "Name:\tx\nCpus_allowed:\t7f\nCpus_allowed_list:\t0-6",
        "proc/sys/kernel/arch": "x86_64",
        "proc/sys/kernel/hostname": "node17",
        f"{CPU}/online": "0-7",
        f"{CPU}/cpu0/cpufreq/cpuinfo_max_freq": "3100000",
    }
    for cpu in range(8):
        core, socket = cpu % 4, cpu % 4 // 2
        files[f"{CPU}/cpu{cpu}/topology/core_cpus_list"] = f"{core},{core + 4}"
        files[f"{CPU}/cpu{cpu}/topology/physical_package_id"] = str(socket)
        for index, (level, kind, size, shared) in enumerate(
            [
                ("1", "Data", "48K", f"{core},{core + 4}"),
                (
                    "3",
                    "Unified",
                    "43008K",
                    f"{2 * socket}-{2 * socket + 1},{2 * socket + 4}-{2 * socket + 5}",
                ),
            ]
        ):
            folder = f"{CPU}/cpu{cpu}/cache/index{index}"
            files |= {f"{folder}/level": level, f"{folder}/type": kind, f"{folder}/size": size}
            files[f"{folder}/shared_cpu_list"] = shared
    for node in range(2):
        files[f"sys/devices/system/node/node{node}/cpulist"] = (
            f"{2 * node}-{2 * node + 1},{2 * node + 4}-{2 * node + 5}"
        )
        files[f"sys/devices/system/node/node{node}/meminfo"] = f"Node {node} MemTotal:  4194304 kB"
    return files


def a64fx() -> dict[str, str | bytes]:
    block = (
        "processor\t: {}\nBogoMIPS\t: 200.00\nFeatures\t: fp asimd atomics fphp sve\n"
        "CPU implementer\t: 0x46\nCPU architecture: 8\n"
        "CPU variant\t: 0x1\nCPU part\t: 0x001\nCPU revision\t: 0\n\n"
    )
    files: dict[str, str | bytes] = {
        "proc/cpuinfo": "".join(block.format(cpu) for cpu in range(8)),
        "proc/meminfo": "MemTotal:  33554432 kB\nMemFree:  33000000 kB",
        "proc/sys/abi/sve_default_vector_length": "64",
        "proc/sys/kernel/arch": "aarch64",
        f"{CPU}/online": "0-7",
        f"{CPU}/cpu0/cpufreq/cpuinfo_max_freq": "2200000",
    }
    for cpu in range(8):
        files[f"{CPU}/cpu{cpu}/topology/thread_siblings_list"] = str(cpu)
        files[f"{CPU}/cpu{cpu}/topology/physical_package_id"] = "0"
    for node in range(4):
        files[f"sys/devices/system/node/node{node}/cpulist"] = f"{2 * node}-{2 * node + 1}"
    return files


def test_two_socket_xeon(plant: Plant) -> None:
    machine = discover(root=plant(xeon()).root)
    cpu, allotment = machine.node.processor, machine.allotment
    assert (machine.name, machine.site.source(NODE)) == ("node17", Source(how="read", where="sysfs"))
    assert (cpu.sockets, cpu.cores, cpu.logical) == (2, 4, 8)
    assert (allotment.allowed, allotment.allowed_cores, allotment.one_per_core) == ([*range(7)], 4, [0, 1, 2, 3])
    assert allotment.siblings == [[0, 4], [1, 5], [2, 6], [3]]
    assert allotment.complexes == allotment.packages == [[0, 1, 4, 5], [2, 3, 6]]
    assert (cpu.vendor, cpu.architecture, cpu.simd, cpu.vector_bits) == (
        "GenuineIntel",
        "x86_64",
        "AVX-512",
        512,
    )
    assert (cpu.nominal_hz, cpu.maximum_hz) == (2.0e9, 3.1e9)
    assert [(c.level, c.kind, c.bytes, c.instances, c.shared_by) for c in machine.allotment.caches] == [
        (1, "data", 48 << 10, 4, 2),
        (3, "unified", 42 << 20, 2, 4),
    ]
    assert [node.bytes for node in machine.node.numa] == [4 << 30, 4 << 30]
    assert (machine.node.memory.total, machine.allotment.memory_available) == (8 << 30, 4 << 30)
    assert machine.partition.hypervisor is None
    peak = machine.peaks["flops.fp64"]
    assert peak.value is None
    assert "FMA units" in peak.derivation


def test_nominal_clock_of_the_frequency_driver_goes_first(plant: Plant) -> None:
    tree = plant(xeon() | {f"{CPU}/cpu0/cpufreq/base_frequency": "2400000"})
    assert discover(root=tree.root).node.processor.nominal_hz == 2.4e9


def test_a64fx(plant: Plant) -> None:
    machine = discover(root=plant(a64fx()).root)
    cpu, allotment = machine.node.processor, machine.allotment
    assert (cpu.vendor, cpu.model, cpu.microarchitecture) == ("Fujitsu", "A64FX", "a64fx")
    assert (cpu.architecture, cpu.simd, cpu.vector_bits) == ("aarch64", "SVE", 512)
    assert (cpu.sockets, cpu.cores, allotment.allowed_cores) == (1, 8, 8)
    assert (cpu.nominal_hz, cpu.maximum_hz) == (None, 2.2e9)
    assert (len(machine.node.numa), machine.node.numa[0].bytes) == (4, None)
    assert (machine.allotment.caches, allotment.complexes) == ([], [])
    assert allotment.packages == [allotment.allowed]
    assert machine.allotment.memory_available == 33000000 << 10


def test_cgroups_narrow_what_is_allowed(plant: Plant) -> None:
    groups = {
        "proc/self/mountinfo": "30 23 0:28 / /cg rw - cgroup2 cgroup2 rw",
        "proc/self/cgroup": "0::/job",
        "cg/job/cpuset.cpus.effective": "2,6-7",
        "cg/job/cpu.max": "50000 100000",
        "cg/job/memory.max": str(1 << 30),
    }
    machine = discover(root=plant(xeon() | groups).root)
    allotment = machine.allotment
    assert (allotment.allowed, allotment.one_per_core, allotment.quota) == ([2, 6], [2], 0.5)
    assert (machine.node.memory.total, allotment.memory_allowed) == (8 << 30, 1 << 30)
    assert [(cache.level, cache.instances) for cache in allotment.caches] == [(1, 1), (3, 1)]
    assert [(cache.level, cache.instances) for cache in machine.node.caches] == [(1, 4), (3, 2)]


def test_nothing_anywhere(plant: Plant) -> None:
    machine = discover(root=plant({}).root)
    cpu, node = machine.node.processor, machine.node
    assert (cpu.model, cpu.sockets, cpu.cores, cpu.simd) == (None,) * 4
    assert (machine.allotment.allowed, node.memory.total, node.devices, node.interfaces) == ([], None, [], [])
    assert machine.partition.hypervisor is None
    assert machine.partition.kernel == {}


def test_garbage_everywhere(plant: Plant) -> None:
    files = dict.fromkeys(xeon(), b"\xff\x00 garbage:\n\n:")
    machine = discover(root=plant(files).root)
    assert machine.node.processor.sockets is None
    assert machine.allotment.caches == []


def test_fingerprint_follows_the_hardware_only(plant: Plant) -> None:
    first = discover(root=plant(xeon()).root).fingerprint
    assert len(first) == 12
    renamed = {
        "proc/sys/kernel/hostname": "other",
        "proc/sys/kernel/osrelease": "6.9",
        "proc/meminfo": "MemTotal:  8388000 kB\nMemAvailable:  1 kB",
    }
    assert discover(root=plant(renamed).root).fingerprint == first
    more = discover(root=plant({"proc/meminfo": "MemTotal:  16777216 kB"}).root).fingerprint
    assert more != first
    plain = discover(root=plant({"proc/meminfo": "MemTotal:  8388608 kB"}).root)
    fewer = discover(root=plant({"proc/self/status": "Cpus_allowed_list:\t0"}).root)
    assert fewer.fingerprint != plain.fingerprint == first
    assert fewer.node.fingerprint == plain.node.fingerprint != plain.fingerprint


def test_this_machine_describes_itself_twice_alike() -> None:
    first, two = discover(measure=False), discover(measure=False)
    assert first.fingerprint == two.fingerprint
    assert first.allotment.allowed_cores >= 1
    assert 0 < first.allotment.memory_available <= first.allotment.memory_allowed <= (first.node.memory.total or 0)
    assert set(first.allotment.one_per_core) <= set(first.allotment.allowed)


def test_sources_tell_what_was_read_from_what_was_measured(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    rates = {"scalar_hz": 3e9, "single_vector_hz": 2.9e9, "vector_hz": 2.5e9, "fma_rate": 1e11, "fma_per_cycle": 2.0}
    clock = probe.Clock(simd="AVX-512", vector_bits=512, cpus=[], alone=[], **rates)
    monkeypatch.setattr(probe, "clock", lambda _: clock)
    read = discover(root=plant(xeon()).root)
    machine = with_blas(measured(read), [Blas(name="A", path="/a", flop_rate=1e11)])
    blas = f"partitions.{PARTITION}.software.blas.0.flop_rate"
    for part, path, how in (
        (read.site, f"{NODE}.processors.0.simd", "read"),
        (read.site, blas, "read"),
        (read.site, "areas./home.capacity", "read"),
        (read.allotment, "vector_hz", None),
        (machine.site, f"{NODE}.processors.0.simd", "measured"),
        (machine.site, f"{NODE}.processors.0.cores", "read"),
        (machine.site, f"{NODE}.processors.0.peaks.flops.fp64", "measured"),
        (machine.site, blas, "measured"),
        (machine.allotment, "vector_hz", "measured"),
        (machine.allotment, "quota", "read"),
    ):
        source = part.source(path)
        assert (source.how if source else None) == how, path


def test_vectors_narrower_than_the_processors_make_no_peak(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Xeon Phi, for whose vectors the probe has no program."""
    rates = {"scalar_hz": 3e9, "single_vector_hz": 2.9e9, "vector_hz": 2.5e9, "fma_rate": 1e11, "fma_per_cycle": 2.0}
    monkeypatch.setattr(probe, "clock", lambda _: probe.Clock(simd="AVX2", vector_bits=256, cpus=[], alone=[], **rates))
    machine = measured(discover(root=plant(xeon()).root))
    assert machine.node.processor.simd == "AVX2"
    assert machine.peaks["flops.fp64"].value is None


def test_the_launcher_is_the_first_mpi_that_was_found() -> None:
    partition = discover(measure=False).partition
    assert partition.launcher == next((Path(path).name for path in partition.software.mpi), None)


NUMBERS = st.sampled_from(["-1", "0", "1", str(2**31), str(2**63), str(2**70), "9" * 400, "9" * 5000, "1.2.3", "x", ""])
ODD = {
    "proc/meminfo": "MemTotal: {} kB\nMemAvailable: {} kB",
    "proc/cpuinfo": "processor\t: 0\nmodel name\t: X @ {}GHz\nflags\t: sve\n",
    "proc/sys/abi/sve_default_vector_length": "{}",
    "proc/self/mountinfo": "30 23 0:28 / /cg rw - cgroup2 cgroup2 rw",
    "proc/self/cgroup": "0::/job",
    "proc/self/status": "Cpus_allowed_list:\t{}",
    "cg/job/cpu.max": "{} {}",
    "cg/job/memory.max": "{}",
    "cg/job/memory.current": "{}",
    "cg/job/memory.stat": "inactive_file {}",
    f"{CPU}/online": "0",
    f"{CPU}/cpu0/cpufreq/base_frequency": "{}",
    f"{CPU}/cpu0/cpufreq/cpuinfo_max_freq": "{}",
    f"{CPU}/cpu0/topology/physical_package_id": "{}",
    f"{CPU}/cpu0/cache/index0/level": "{}",
    f"{CPU}/cpu0/cache/index0/type": "Unified",
    f"{CPU}/cpu0/cache/index0/size": "{}K",
    "sys/devices/system/node/node0/cpulist": "0",
    "sys/devices/system/node/node0/meminfo": "Node 0 MemTotal: {} kB",
    "sys/class/net/e/type": "1",
    "sys/class/net/e/speed": "{}",
    "sys/class/net/e/device/numa_node": "{}",
    "sys/class/infiniband/m/ports/1/rate": "{} Gb/sec",
    "sys/bus/pci/devices/a/class": "0x030000",
    "sys/bus/pci/devices/a/vendor": "0x1002",
    "sys/bus/pci/devices/a/mem_info_vram_total": "{}",
}
"""Files with places for numbers, each of which may be anything."""


@given(st.data())
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_a_number_is_the_machine_is_described_and_read_again(
    plant: Plant, monkeypatch: pytest.MonkeyPatch, data: st.DataObject
) -> None:
    monkeypatch.setattr(probe, "devices", lambda _: probe.FoundDevices())
    usual = data.draw(NUMBERS)

    def number() -> str:
        return data.draw(st.just("1") | st.just(usual) | NUMBERS)

    files = {name: text.format(*(number() for _ in range(text.count("{}")))) for name, text in ODD.items()}
    machine = discover(root=plant(files).root)
    assert Machine.model_validate_json(machine.document()) == machine


def test_one_odd_number_leaves_all_others(plant: Plant) -> None:
    usual = {name: text.replace("{}", "2") for name, text in ODD.items()}
    before = discover(root=plant(usual).root)
    after = discover(
        root=plant(usual | {f"{CPU}/cpu0/cpufreq/base_frequency": "-3", "sys/class/net/e/speed": "9" * 30}).root
    )
    assert (before.node.processor.nominal_hz, after.node.processor.nominal_hz) == (2e3, None)
    assert [interface.bits_per_second for interface in after.node.interfaces] == [None, 2e9]
    assert after.node.having(processors=before.node.processors, interfaces=before.node.interfaces) == before.node


@pytest.mark.parametrize("odd", ["NaN", "-1.0", "1e300", "Infinity", "null"])
def test_an_odd_clock_is_no_clock(plant: Plant, monkeypatch: pytest.MonkeyPatch, odd: str) -> None:
    clock = f'{{"simd": "AVX2", "vector_bits": 256, "scalar_hz": 1e9, "single_vector_hz": 1e9, "vector_hz": {odd}'
    answer = f'{clock}, "fma_rate": 1e9, "fma_per_cycle": 1.0, "cpus": []}}'
    monkeypatch.setattr(probe, "_run", lambda *_, **__: answer)
    machine = measured(discover(root=plant(xeon()).root))
    assert machine.allotment.vector_hz is None
    assert "invalid answer" in machine.peaks["flops.fp64"].derivation
    assert Machine.model_validate_json(machine.document()) == machine


def test_odd_caches_of_hwloc_are_unknown() -> None:
    text = (
        '<topology version="2.0"><object type="Machine"><object type="L2Cache" cpuset="0x1" cache_size="{}" depth="{}" '
        'cache_type="0"><object type="Core" cpuset="0x1"/></object></object></topology>'
    )
    for values in ([str(2**70), "2"], ["1", str(2**40)], ["9" * 5000] * 2):
        topology = parse_hwloc(text.format(*values))
        assert topology
        assert (topology.cores, topology.caches([0])) == ([[0]], [])
