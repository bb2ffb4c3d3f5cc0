"""The machine's specification table, in the order in which centres print theirs."""

from collections.abc import Iterable

from banzuke.machine.model import Machine
from banzuke.machine.site import Area, Blas, Cache, Interface
from banzuke.machine.tree import format_cpus
from banzuke.report.content import Row, SpecificationTable
from banzuke.units import UNKNOWN, count, percent, quantity

_PEAKS = {
    "flops.fp64": "Theoretical peak, double precision",
    "flops.fp32": "Theoretical peak, single precision",
    "flops.fp16": "Theoretical peak, half precision",
    "flops.fp16_matrix": "Theoretical peak, FP16 matrix units",
    "flops.bf16_matrix": "Theoretical peak, BF16 matrix units",
    "memory.bytes": "Theoretical memory bandwidth",
}


def specification(machine: Machine) -> list[SpecificationTable]:
    groups = [_system(machine), _processor(machine), _memory(machine), _peaks(machine), _attached(machine)]
    groups += [_storage(machine), _software(machine), _kernel(machine)]
    return [group for group in groups if group.rows]


def row(name: str, value: object | None, note: str = "") -> Row:
    text = UNKNOWN if value is None or value == "" else str(value)
    return Row(name=name, value=text, note=note, known=text != UNKNOWN)


def _system(machine: Machine) -> SpecificationTable:
    source = machine.site.source(f"partitions.{machine.allotment.partition}.node")
    return SpecificationTable(
        title="System",
        rows=[
            row("Name", machine.name),
            row("Architecture", machine.node.processor.architecture),
            row("Operating system kernel", machine.partition.kernel.get("release")),
            row("Hypervisor", machine.partition.hypervisor or "none seen"),
            row("Fingerprint", machine.fingerprint, "hash of the hardware, the same after a reboot"),
            row("Topology read from", source.where if source else None),
        ],
    )


def _processor(machine: Machine) -> SpecificationTable:
    cpu, given = machine.node.processor, machine.allotment
    usable = f"{count(given.allowed_cores, 'core')}, {count(len(given.allowed), 'logical processor')}"
    quota = f"a cgroup quota allows the time of {count(given.quota, 'processor')}" if given.quota is not None else ""
    smt = None
    if cpu.cores and cpu.logical:
        per_core = cpu.logical / cpu.cores
        smt = "off or absent" if per_core == 1 else f"{count(per_core, 'hardware thread')} per core"
    fma = None
    if cpu.fma_units is not None:
        fma = count(cpu.fma_units, "unit") + (f" of {cpu.vector_bits} bits" if cpu.vector_bits else "")
    measured = f"{cpu.fma_per_cycle:.3g} FMA per cycle measured" if cpu.fma_per_cycle is not None else ""
    return SpecificationTable(
        title="Processor",
        rows=[
            row("Model", cpu.model),
            row("Microarchitecture", cpu.microarchitecture),
            row("Sockets", cpu.sockets),
            row("Cores", cpu.cores, "whole machine"),
            row("Logical processors", cpu.logical, "whole machine"),
            row("Usable by this evaluation", usable, quota),
            row("SMT", smt),
            row("Nominal clock", quantity(cpu.nominal_hz, "Hz")),
            row("Maximum clock", quantity(cpu.maximum_hz, "Hz")),
            row("Clock measured, one core", quantity(given.scalar_hz, "Hz"), "integer work"),
            row("Clock measured, one core", quantity(given.single_vector_hz, "Hz"), "vector FMA"),
            row("Clock measured, all cores", quantity(given.vector_hz, "Hz"), "vector FMA, slowest core"),
            row("SIMD extension", cpu.simd),
            row("Vector FMA per core", fma, measured),
            *_caches(machine.allotment.caches),
        ],
    )


def _caches(caches: Iterable[Cache]) -> list[Row]:
    rows = []
    for cache in sorted(caches, key=lambda c: (c.level, c.kind)):
        shared = "private" if cache.shared_by == 1 else f"shared by {count(cache.shared_by, 'logical processor')}"
        text = (
            f"{quantity(cache.bytes, 'B')} × {cache.instances}" if cache.instances > 1 else quantity(cache.bytes, "B")
        )
        kind = "" if cache.kind == "unified" else f" {cache.kind}"
        rows.append(row(f"L{cache.level}{kind} cache", text, shared))
    return rows


def _memory(machine: Machine) -> SpecificationTable:
    memory, given = machine.node.memory, machine.allotment
    nodes = [
        row(f"NUMA node {node.node}", quantity(node.bytes, "B"), f"processors {format_cpus(node.cpus) or 'none'}")
        for node in machine.node.numa
        if len(machine.node.numa) > 1
    ]
    return SpecificationTable(
        title="Memory",
        rows=[
            row("Capacity", quantity(memory.total, "B")),
            row("Usable capacity", quantity(given.memory_allowed, "B"), "after cgroup limits"),
            row("Free at the start", quantity(given.memory_available, "B")),
            row("Kind", memory.kind),
            row("NUMA nodes", len(machine.node.numa) or None),
            *nodes,
        ],
    )


def _peaks(machine: Machine) -> SpecificationTable:
    flops, bandwidth = machine.peaks.get("flops.fp64"), machine.peaks.get("memory.bytes")
    rows = [
        row(_PEAKS.get(key, key), quantity(peak.value, peak.unit), peak.derivation)
        for key, peak in machine.peaks.items()
    ]
    if flops and flops.value and flops.unit == "flop/s" and machine.allotment.allowed_cores:
        each = quantity(flops.value / machine.allotment.allowed_cores, "flop/s")
        rows.append(
            row("Theoretical peak per core", each, f"over {count(machine.allotment.allowed_cores, 'usable core')}")
        )
    balance = bandwidth.value / flops.value if flops and bandwidth and flops.value and bandwidth.value else None
    rows.append(row("B/F ratio", None if balance is None else f"{balance:.3g}", "bytes per flop, theoretical"))
    rate = machine.allotment.fma_rate
    share = f"{percent(rate / flops.value)} of the theoretical peak" if rate and flops and flops.value else ""
    rows.append(row("FMA rate measured, registers only", quantity(rate, "flop/s"), share))
    return SpecificationTable(title="Theoretical peaks", rows=rows)


def _attached(machine: Machine) -> SpecificationTable:
    gpus = [row("GPU", gpu.name, ", ".join(_gpu(gpu.memory, gpu.driver))) for gpu in machine.node.devices]
    links = [
        row(f"Network {link.name}", quantity(link.bits_per_second, "bit/s"), _link(link))
        for link in machine.node.interfaces
    ]
    return SpecificationTable(
        title="Accelerators and network",
        rows=(gpus or [row("GPU", "none")]) + (links or [row("Network", None)]),
    )


def _link(link: Interface) -> str:
    return link.kind + (f", at NUMA node {link.numa_node}" if link.numa_node is not None else "")


def _gpu(memory: int | None, driver: str | None) -> list[str]:
    return [
        quantity(memory, "B") if memory else "memory unknown",
        f"driver {driver}" if driver else "driver unknown",
    ]


def _storage(machine: Machine) -> SpecificationTable:
    free = machine.allotment.storage_available
    return SpecificationTable(
        title="Storage",
        rows=[
            row(name, quantity(area.capacity, "B"), f"{_of_area(area)}, {quantity(free.get(name), 'B')} free")
            for name, area in machine.site.areas.items()
        ],
    )


def _of_area(area: Area) -> str:
    """`ext4 on /dev/vda`; a file system without a device repeats its kind in place of one."""
    kind = area.kind or "unknown kind"
    return kind if area.source in (None, area.kind, "none") else f"{kind} on {area.source}"


def _software(machine: Machine) -> SpecificationTable:
    software = machine.software
    blas = [
        row(
            f"BLAS {library.name}",
            library.version,
            "; ".join(filter(None, (library.problem or _probed(library), library.path))),
        )
        for library in software.blas
    ]
    compilers = [row(f"Compiler {command}", version) for command, version in software.compilers.items()]
    mpi = [row(f"MPI {launcher}", version) for launcher, version in software.mpi.items()]
    return SpecificationTable(title="Software", rows=compilers + mpi + blas)


def _probed(library: Blas) -> str:
    return f"DGEMM at {quantity(library.flop_rate, 'flop/s')} when probed" if library.flop_rate else ""


def _kernel(machine: Machine) -> SpecificationTable:
    settings = [(key, value) for key, value in machine.partition.kernel.items() if key != "release"]
    return SpecificationTable(
        title="Kernel settings", rows=[row(key.replace("_", " "), value) for key, value in settings]
    )
