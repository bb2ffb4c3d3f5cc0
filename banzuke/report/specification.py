"""The machine's specification table, in the order in which centres print theirs."""

from collections.abc import Iterable

from banzuke.machine.model import Blas, Cache, FileSystem, Interface, Machine
from banzuke.machine.tree import format_cpus
from banzuke.report.content import Group, Row
from banzuke.units import UNKNOWN, count, percent, quantity


def specification(machine: Machine) -> list[Group]:
    groups = [_system(machine), _processor(machine), _memory(machine), _peaks(machine), _attached(machine)]
    groups += [_storage(machine), _software(machine), _kernel(machine)]
    return [group for group in groups if group.rows]


def row(name: str, value: object | None, note: str = "") -> Row:
    text = UNKNOWN if value is None or value == "" else str(value)
    return Row(name=name, value=text, note=note, known=text != UNKNOWN)


def _system(machine: Machine) -> Group:
    return Group(
        title="System",
        rows=[
            row("Name", machine.name),
            row("Architecture", machine.cpu.architecture),
            row("Operating system kernel", machine.kernel.get("release")),
            row("Hypervisor", machine.hypervisor or "none seen"),
            row("Fingerprint", machine.fingerprint, "hash of the hardware, the same after a reboot"),
            row("Topology read from", machine.topology_source),
        ],
    )


def _processor(machine: Machine) -> Group:
    cpu = machine.cpu
    usable = f"{count(cpu.allowed_cores, 'core')}, {count(len(cpu.allowed), 'logical processor')}"
    quota = f"a cgroup quota allows the time of {count(cpu.quota, 'processor')}" if cpu.quota is not None else ""
    smt = None
    if cpu.cores:
        per_core = cpu.logical / cpu.cores
        smt = "off or absent" if per_core == 1 else f"{count(per_core, 'hardware thread')} per core"
    fma = None
    if cpu.fma_units is not None:
        fma = count(cpu.fma_units, "unit") + (f" of {cpu.vector_bits} bits" if cpu.vector_bits else "")
    measured = f"{cpu.fma_per_cycle:.3g} FMA per cycle measured" if cpu.fma_per_cycle is not None else ""
    return Group(
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
            row("Clock measured, one core", quantity(cpu.scalar_hz, "Hz"), "integer work"),
            row("Clock measured, one core", quantity(cpu.single_vector_hz, "Hz"), "vector FMA"),
            row("Clock measured, all cores", quantity(cpu.vector_hz, "Hz"), "vector FMA, slowest core"),
            row("SIMD extension", cpu.simd),
            row("Vector FMA per core", fma, measured),
            *_caches(machine.caches),
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


def _memory(machine: Machine) -> Group:
    memory = machine.memory
    nodes = [
        row(f"NUMA node {node.node}", quantity(node.bytes, "B"), f"processors {format_cpus(node.cpus) or 'none'}")
        for node in machine.numa
        if len(machine.numa) > 1
    ]
    return Group(
        title="Memory",
        rows=[
            row("Capacity", quantity(memory.total, "B")),
            row("Usable capacity", quantity(memory.allowed, "B"), "after cgroup limits"),
            row("Free at the start", quantity(memory.available, "B")),
            row("Kind", memory.kind),
            row("NUMA nodes", len(machine.numa) or None),
            *nodes,
        ],
    )


def _peaks(machine: Machine) -> Group:
    flops, bandwidth = machine.peaks.get("peak_flop_rate"), machine.peaks.get("peak_memory_bandwidth")
    names = {
        "peak_flop_rate": "Theoretical peak, double precision",
        "peak_memory_bandwidth": "Theoretical memory bandwidth",
    }
    rows = [
        row(names.get(key, key.replace("_", " ")), quantity(peak.value, peak.unit), peak.derivation)
        for key, peak in machine.peaks.items()
    ]
    if flops and flops.value and flops.unit == "flop/s" and machine.cpu.allowed_cores:
        each = quantity(flops.value / machine.cpu.allowed_cores, "flop/s")
        rows.append(row("Theoretical peak per core", each, f"over {count(machine.cpu.allowed_cores, 'usable core')}"))
    balance = bandwidth.value / flops.value if flops and bandwidth and flops.value and bandwidth.value else None
    rows.append(row("B/F ratio", None if balance is None else f"{balance:.3g}", "bytes per flop, theoretical"))
    rate = machine.cpu.fma_rate
    share = f"{percent(rate / flops.value)} of the theoretical peak" if rate and flops and flops.value else ""
    rows.append(row("FMA rate measured, registers only", quantity(rate, "flop/s"), share))
    return Group(title="Theoretical peaks", rows=rows)


def _attached(machine: Machine) -> Group:
    gpus = [row("GPU", gpu.name, ", ".join(_gpu(gpu.memory, gpu.driver))) for gpu in machine.gpus]
    links = [
        row(f"Network {link.name}", quantity(link.bits_per_second, "bit/s"), _link(link)) for link in machine.network
    ]
    return Group(
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


def _storage(machine: Machine) -> Group:
    return Group(
        title="Storage",
        rows=[
            row(fs.mount, quantity(fs.total, "B"), f"{_of_filesystem(fs)}, {quantity(fs.free, 'B')} free")
            for fs in machine.filesystems
        ],
    )


def _of_filesystem(fs: FileSystem) -> str:
    """`ext4 on /dev/vda`; a file system without a device repeats its kind in place of one."""
    return fs.kind if fs.source in (fs.kind, "none") else f"{fs.kind} on {fs.source}"


def _software(machine: Machine) -> Group:
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
    return Group(title="Software", rows=compilers + mpi + blas)


def _probed(library: Blas) -> str:
    return f"DGEMM at {quantity(library.flop_rate, 'flop/s')} when probed" if library.flop_rate else ""


def _kernel(machine: Machine) -> Group:
    settings = [(key, value) for key, value in machine.kernel.items() if key != "release"]
    return Group(title="Kernel settings", rows=[row(key.replace("_", " "), value) for key, value in settings])
