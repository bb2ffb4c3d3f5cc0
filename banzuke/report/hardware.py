"""Tables of what a site's partitions and their nodes are, and what is installed there, whoever uses them."""

from collections.abc import Iterable, Mapping, Sequence

from banzuke.machine.site import (
    Blas,
    Cache,
    Device,
    Interface,
    NodeType,
    Partition,
    Peaks,
    Processor,
    Site,
    StorageArea,
)
from banzuke.machine.tree import format_cpus
from banzuke.report.content import Row, SpecificationTable
from banzuke.units import UNKNOWN, count, quantity

_PEAKS = {
    "flops.fp64": "Theoretical peak, double precision",
    "flops.fp32": "Theoretical peak, single precision",
    "flops.fp16": "Theoretical peak, half precision",
    "flops.fp16_matrix": "Theoretical peak, FP16 matrix units",
    "flops.bf16_matrix": "Theoretical peak, BF16 matrix units",
    "memory.bytes": "Theoretical memory bandwidth",
}
_NONE, _NONE_SEEN = "none", "none seen"


def row(name: str, value: object | None, note: str = "") -> Row:
    text = UNKNOWN if value is None or value == "" else str(value)
    return Row(name=name, value=text, note=note, known=text != UNKNOWN)


def site_groups(site: Site) -> list[SpecificationTable]:
    """All that a site has, as far as it is known."""
    about = [
        row("Name", site.name, site.title or ""),
        row("Institution", site.institution),
        *_told(site.note, site.flags, site.facts),
        *peak_rows(site.peaks),
    ]
    groups = [SpecificationTable(title="Site", rows=about)]
    for key, partition in site.partitions.items():
        named = f"{partition.name or key}: " if len(site.partitions) > 1 else ""
        groups += [
            group.model_copy(update={"title": f"{named}{group.title}"})
            for group in (partition_group(partition), *node_groups(partition.node), *software_groups(partition))
        ]
    links = [
        row(" – ".join(link.between), quantity(link.bits_per_second, "bit/s"), link.kind or "") for link in site.links
    ]
    groups += [storage(site.areas, {}), SpecificationTable(title="Links", rows=links)]
    known = [[one for one in group.rows if one.value not in (UNKNOWN, _NONE, _NONE_SEEN)] for group in groups]
    return [SpecificationTable(title=group.title, rows=rows) for group, rows in zip(groups, known, strict=True) if rows]


def partition_group(partition: Partition) -> SpecificationTable:
    totals = [] if partition.nodes in (None, 1) else [("flops.fp64", "flop/s"), ("memory.bytes", "B/s")]
    return SpecificationTable(
        title="Partition",
        rows=[
            *([row("Title", partition.title)] if partition.title else []),
            row("Nodes", partition.nodes or len(partition.hosts) or None),
            row("Interconnect", partition.interconnect),
            row("Topology of the network", partition.topology),
            row("Launcher of MPI programs", partition.launcher),
            row("Power sensor", partition.power_sensor),
            row("Hypervisor", partition.hypervisor or _NONE_SEEN),
            row("File systems", ", ".join(partition.mounts)),
            *(row(f"{_PEAKS[name]}, all nodes", quantity(partition.total(name), unit)) for name, unit in totals),
            *_told(partition.note, partition.flags, partition.facts),
        ],
    )


def node_groups(node: NodeType) -> list[SpecificationTable]:
    return [*(_processor(each) for each in node.processors), _memory(node), _peaks(node), _attached(node)]


def software_groups(partition: Partition) -> list[SpecificationTable]:
    software = partition.software
    rows = [row(f"Compiler {command}", version) for command, version in software.compilers.items()]
    rows += [row(f"MPI {launcher}", version) for launcher, version in software.mpi.items()]
    rows += [
        row(f"BLAS {library.name}", library.version, "; ".join(filter(None, (_probed(library), library.path))))
        for library in software.blas
    ]
    settings = [(key, value) for key, value in partition.kernel.items() if key != "release"]
    kernel = [row(key.replace("_", " "), value) for key, value in settings]
    return [SpecificationTable(title="Software", rows=rows), SpecificationTable(title="Kernel settings", rows=kernel)]


def peak_rows(peaks: Peaks, of: str = "") -> list[Row]:
    return [
        row(f"{_PEAKS.get(name, name)}{of}", quantity(peak.value, peak.unit), peak.derivation)
        for name, peak in peaks.items()
    ]


def storage(areas: Mapping[str, StorageArea], free: Mapping[str, int]) -> SpecificationTable:
    return SpecificationTable(
        title="Storage",
        rows=[
            row(area.name or name, quantity(area.capacity, "B"), _area(area, free.get(name)))
            for name, area in areas.items()
        ],
    )


def caches(found: Iterable[Cache]) -> list[Row]:
    rows = []
    for cache in sorted(found, key=lambda c: (c.level, c.kind)):
        shared = "private" if cache.shared_by == 1 else f"shared by {count(cache.shared_by, 'logical processor')}"
        text = (
            f"{quantity(cache.bytes, 'B')} × {cache.instances}" if cache.instances > 1 else quantity(cache.bytes, "B")
        )
        kind = "" if cache.kind == "unified" else f" {cache.kind}"
        rows.append(row(f"L{cache.level}{kind} cache", text, shared))
    return rows


def _processor(cpu: Processor) -> SpecificationTable:
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
            row("Architecture", cpu.architecture),
            row("Microarchitecture", cpu.microarchitecture),
            row("Sockets", cpu.sockets),
            row("Cores", cpu.cores, "whole node"),
            *([row("Assistant cores", cpu.assistant_cores)] if cpu.assistant_cores else []),
            row("Logical processors", cpu.logical, "whole node"),
            row("SMT", smt),
            row("Nominal clock", quantity(cpu.nominal_hz, "Hz")),
            row("Maximum clock", quantity(cpu.maximum_hz, "Hz")),
            row("SIMD extension", cpu.simd),
            row("Vector FMA per core", fma, measured),
        ],
    )


def _memory(node: NodeType) -> SpecificationTable:
    memory = node.memory
    nodes = [
        row(f"NUMA node {each.node}", quantity(each.bytes, "B"), f"processors {format_cpus(each.cpus) or 'none'}")
        for each in node.numa
        if len(node.numa) > 1
    ]
    return SpecificationTable(
        title="Memory and caches",
        rows=[
            row("Capacity", quantity(memory.total, "B")),
            *([row("Capacity for jobs", quantity(memory.usable, "B"))] if memory.usable else []),
            row("Kind", memory.kind),
            row("NUMA nodes", len(node.numa) or None),
            *nodes,
            *caches(node.caches),
            *_told(node.note, node.flags, node.facts),
        ],
    )


def _peaks(node: NodeType) -> SpecificationTable:
    """Those of the node stand for those of its processors, unless it has devices that add to them."""
    of_processors: Peaks = {} if node.devices else node.processor.peaks
    rows = peak_rows({name: peak for name, peak in of_processors.items() if name not in node.peaks} | node.peaks)
    if node.devices:
        rows += peak_rows(node.processor.peaks, ", processors")
    for device in node.devices:
        rows += peak_rows(device.peaks, f", each {device.name}")
    flops, bandwidth = node.total("flops.fp64"), node.total("memory.bytes")
    balance = f"{bandwidth / flops:.3g}" if flops and bandwidth else None
    return SpecificationTable(
        title="Theoretical peaks of a node", rows=[*rows, row("B/F ratio", balance, "bytes per flop, theoretical")]
    )


def _attached(node: NodeType) -> SpecificationTable:
    devices = [row("Accelerator", _several(device), ", ".join(_device(device))) for device in node.devices]
    network = [
        row(f"Network {each.name}", quantity(each.bits_per_second, "bit/s"), _interface(each))
        for each in node.interfaces
    ]
    return SpecificationTable(
        title="Accelerators and network",
        rows=(devices or [row("Accelerator", _NONE)]) + (network or [row("Network", None)]),
    )


def _several(device: Device) -> str:
    return device.name if device.count == 1 else f"{device.count} × {device.name}"


def _device(device: Device) -> Sequence[str]:
    told = [
        device.memory and quantity(device.memory, "B"),
        device.driver and f"driver {device.driver}",
        device.host_link,
        device.peer_link,
        device.power and quantity(device.power, "W"),
        *map(str, device.facts.values()),
    ]
    return [str(text) for text in told if text]


def _probed(library: Blas) -> str | None:
    if library.problem or not library.flop_rate:
        return library.problem
    return f"DGEMM at {quantity(library.flop_rate, 'flop/s')} when probed"


def _interface(found: Interface) -> str:
    return found.kind + (f", at NUMA node {found.numa_node}" if found.numa_node is not None else "")


def _area(area: StorageArea, free: int | None) -> str:
    """`ext4 on /dev/vda`; a file system without a device repeats its kind in place of one."""
    source = "" if area.source in (None, area.kind, "none") else f"on {area.source}"
    told = [
        " ".join(filter(None, (area.kind, source))),
        area.usable and f"{quantity(area.usable, 'B')} usable",
        area.bandwidth and f"{quantity(area.bandwidth, 'B/s')} at best",
        free is not None and f"{quantity(free, 'B')} free",
        *map(str, area.facts.values()),
        area.note,
        *(f"⚑ {flag}" for flag in area.flags),
    ]
    return ", ".join(str(text) for text in told if text)


def _told(note: str, flags: Iterable[str], facts: Mapping[str, object]) -> list[Row]:
    rows = [row(topic.replace("_", " ").capitalize(), fact) for topic, fact in facts.items()]
    return rows + ([row("Note", note)] if note else []) + [row("⚑", flag) for flag in flags]
