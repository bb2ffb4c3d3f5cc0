"""Tables of the hardware and software of a site's partitions and nodes, independent of any job."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from banzuke.cpu_lists import format_cpus
from banzuke.machine.mpi import named
from banzuke.machine.site import (
    Blas,
    Cache,
    CoreKind,
    Device,
    Interface,
    Mpi,
    NodeType,
    Partition,
    Peaks,
    Processor,
    Site,
    StorageArea,
)
from banzuke.report.fact_table import SpecificationGroup, SpecificationRow, amount, row
from banzuke.report.peaks import peak_of, peak_rows
from banzuke.words import Derived, Duration, Fact, Listed, Quantity, message
from banzuke.words.written import kernel_title, kernel_value


def site_groups(site: Site) -> list[SpecificationGroup]:
    """Return all that is known about a site."""
    about = (
        row(message("report-machine-name"), site.name, site.title),
        row(message("report-machine-institution"), site.institution),
        *_remarks(site.note, site.flags, site.facts),
        *peak_rows(site.peaks),
    )
    groups = [SpecificationGroup(message("report-machine-site"), about)]
    for key, partition in site.partitions.items():
        tables = (partition_group(partition), *node_groups(partition.node), *software_groups(partition))
        if len(site.partitions) > 1:
            name = partition.name or key
            tables = tuple(
                replace(group, title=message("report-machine-part", name=name, what=group.title)) for group in tables
            )
        groups += tables
    links = tuple(
        row(" – ".join(link.between), amount(link.bits_per_second, "bit/s"), link.kind) for link in site.links
    )
    groups += [storage(site.areas, {}), SpecificationGroup(message("report-machine-links"), links)]
    described = [
        replace(group, rows=tuple(entry for entry in group.rows if entry.value is not None)) for group in groups
    ]
    return [group for group in described if group.rows]


def partition_group(partition: Partition, *, here: bool = False) -> SpecificationGroup:
    """Return the table of a partition. `here`: it was inspected, so that anything not seen is absent."""
    totals = [] if partition.nodes in (None, 1) else [("flops.fp64", "flop/s"), ("memory.bytes", "B/s")]
    return SpecificationGroup(
        message("report-machine-partition"),
        (
            *([row(message("report-machine-title"), partition.title)] if partition.title else []),
            row(message("report-machine-nodes"), partition.number),
            row(message("report-machine-interconnect"), partition.interconnect),
            row(message("report-machine-topology"), partition.topology),
            *_reached(partition),
            row(message("report-machine-launcher"), partition.launcher),
            row(message("report-machine-power-sensor"), partition.power_sensor),
            row(
                message("report-machine-hypervisor"),
                partition.hypervisor or (message("report-machine-none-seen") if here else None),
            ),
            row(message("report-machine-file-systems"), ", ".join(partition.mounts)),
            *(
                row(peak_of(name, message("report-peak-of-nodes")), amount(partition.total(name), unit))
                for name, unit in totals
            ),
            *_remarks(partition.note, partition.flags, partition.facts),
        ),
    )


def _reached(partition: Partition) -> list[SpecificationRow]:
    """Return how its nodes are reached: by name, and by a batch system."""
    rows = [row(message("report-machine-hosts"), ", ".join(partition.hosts))] if partition.hosts else []
    if batch := partition.batch:
        longest = message("report-machine-longest", time=Duration(batch.longest)) if batch.longest else None
        queue = message("report-machine-queue", name=batch.queue) if batch.queue else None
        system = message("report-machine-batch-name", system=batch.system)
        rows.append(row(message("report-machine-batch"), system, queue, longest))
    return rows


def node_groups(node: NodeType) -> list[SpecificationGroup]:
    groups = [*(_processor(processor) for processor in node.processors), _memory(node), _peaks(node), _attached(node)]
    return [group for group in groups if group.rows]


def software_groups(partition: Partition) -> list[SpecificationGroup]:
    """Return compilers, MPI and BLAS libraries, then the kernel's settings."""
    software = partition.software
    rows = [row(message("report-machine-compiler", command=name), text) for name, text in software.compilers.items()]
    rows += [row(message("report-machine-mpi", launcher=name), text) for name, text in software.mpi.items()]
    rows += [
        row(message("report-machine-mpi-library", library=named(library)), _messages(library), *_use(library))
        for library in software.mpi_libraries
    ]
    rows += [
        row(message("report-machine-blas", library=library.name), library.version, _probed(library), library.path)
        for library in software.blas
    ]
    kernel = [
        row(kernel_title(key), kernel_value(value)) for key, value in partition.kernel.items() if key != "release"
    ]
    return [
        SpecificationGroup(message("report-machine-software"), tuple(rows)),
        SpecificationGroup(message("report-machine-kernel-settings"), tuple(kernel)),
    ]


def storage(areas: Mapping[str, StorageArea], free: Mapping[str, int]) -> SpecificationGroup:
    rows = (
        row(area.name or name, amount(area.capacity, "B"), *_area(area, free.get(name))) for name, area in areas.items()
    )
    return SpecificationGroup(message("report-machine-storage"), tuple(rows))


def caches(levels: Iterable[Cache]) -> list[SpecificationRow]:
    return [
        row(
            message("report-machine-cache", level=str(cache.level), kind=cache.kind),
            message("report-machine-cache-size", size=Quantity(cache.bytes, "B"), number=cache.instances),
            message("report-machine-cache-shared", processors=cache.shared_by),
        )
        for cache in sorted(levels, key=lambda cache: (cache.level, cache.kind))
    ]


def _processor(cpu: Processor) -> SpecificationGroup:
    threads = None
    if cpu.cores and cpu.logical:
        per_core = cpu.logical / cpu.cores
        threads = message("report-machine-smt-threads", number=int(per_core) if per_core.is_integer() else per_core)
    fma = None
    if cpu.fma_units is not None:
        fma = message("report-machine-fma-units", number=cpu.fma_units, bits=cpu.vector_bits or 0)
    per_cycle = cpu.fma_per_cycle
    measured = message("report-machine-fma-measured", rate=per_cycle) if per_cycle is not None else None
    whole = message("report-machine-whole-node")
    return SpecificationGroup(
        message("report-machine-processor"),
        (
            row(message("report-machine-model"), cpu.model),
            row(message("report-machine-architecture"), cpu.architecture),
            row(message("report-machine-microarchitecture"), cpu.microarchitecture),
            row(message("report-machine-sockets"), cpu.sockets),
            row(message("report-machine-cores"), cpu.cores, whole if cpu.cores else None),
            *(_core_kind(name, kind, cpu) for name, kind in cpu.kinds.items()),
            *([row(message("report-machine-assistant-cores"), cpu.assistant_cores)] if cpu.assistant_cores else []),
            row(message("report-machine-logical"), cpu.logical, whole if cpu.logical else None),
            *(_of_all(cpu, threads) if not cpu.kinds else ()),
            row(message("report-machine-simd"), cpu.simd),
            *([] if cpu.kinds else [row(message("report-machine-fma"), fma, measured)]),
        ),
    )


def _of_all(cpu: Processor, threads: Fact | None) -> Sequence[SpecificationRow]:
    """Return what all cores have in common, if they are of one kind."""
    return (
        row(message("report-machine-smt"), threads),
        row(message("report-machine-nominal-clock"), amount(cpu.nominal_hz, "Hz")),
        row(message("report-machine-maximum-clock"), amount(cpu.maximum_hz, "Hz")),
    )


def _core_kind(name: str, kind: CoreKind, cpu: Processor) -> SpecificationRow:
    """Return the properties of one kind of core."""
    processors = None
    if kind.cpus:
        processors = message("report-machine-processors", names=format_cpus(kind.cpus))
    elif kind.logical:
        processors = message("report-machine-kind-logical", number=kind.logical)
    nominal, maximum = (Quantity(hz, "Hz") if hz else None for hz in (kind.nominal_hz, kind.maximum_hz))
    bits = kind.vector_bits or cpu.vector_bits or 0
    peak = kind.peaks.get("flops.fp64")
    return row(
        message("report-machine-kind", kind=Derived(name)),
        kind.cores,
        processors,
        message("report-machine-kind-nominal", clock=nominal) if nominal else None,
        message("report-machine-kind-maximum", clock=maximum) if maximum else None,
        message("report-machine-kind-fma", number=kind.fma_units, bits=bits) if kind.fma_units else None,
        message("report-machine-kind-fma-measured", rate=kind.fma_per_cycle) if kind.fma_per_cycle else None,
        *(
            message(
                "report-machine-kind-cache",
                level=str(cache.level),
                kind=cache.kind,
                size=Quantity(cache.bytes, "B"),
                number=cache.instances,
            )
            for cache in kind.caches
        ),
        message("report-machine-kind-peak", peak=Quantity(peak.value, peak.unit)) if peak and peak.value else None,
    )


def _memory(node: NodeType) -> SpecificationGroup:
    memory = node.memory
    nodes = [
        row(
            message("report-machine-numa-node", number=str(domain.node)),
            amount(domain.bytes, "B"),
            message("report-machine-processors", names=format_cpus(domain.cpus))
            if domain.cpus
            else message("report-machine-memory-alone", kind=domain.kind or "unknown", number=str(domain.node)),
        )
        for domain in node.numa
        if len(node.numa) > 1
    ]
    sides = [
        row(message("report-machine-memory-side", number=str(domain.node)), amount(domain.cache, "B"))
        for domain in node.numa
        if domain.cache
    ]
    return SpecificationGroup(
        message("report-machine-memory"),
        (
            row(message("report-machine-capacity"), amount(memory.total, "B")),
            *([row(message("report-machine-capacity-jobs"), amount(memory.usable, "B"))] if memory.usable else []),
            row(message("report-machine-memory-kind"), memory.kind),
            row(message("report-machine-numa-nodes"), len(node.numa) or None),
            *nodes,
            *sides,
            *caches(node.caches),
            *_remarks(node.note, node.flags, node.facts),
        ),
    )


def _peaks(node: NodeType) -> SpecificationGroup:
    """Return the peaks. The node's replace its processors', unless devices add to the node's."""
    of_processors: Peaks = {} if node.devices else node.processor.peaks
    rows = peak_rows({name: peak for name, peak in of_processors.items() if name not in node.peaks} | node.peaks)
    if node.devices:
        rows += peak_rows(node.processor.peaks, message("report-peak-of-processors"))
    for device in node.devices:
        rows += peak_rows(device.peaks, message("report-peak-of-device", name=device.name))
    flops, bandwidth = node.total("flops.fp64"), node.total("memory.bytes")
    balance = bandwidth / flops if flops and bandwidth else None
    meaning = message("report-machine-balance-note") if balance else None
    return SpecificationGroup(
        message("report-machine-peaks"), (*rows, row(message("report-machine-balance"), balance, meaning))
    )


def _attached(node: NodeType) -> SpecificationGroup:
    devices = [
        row(
            message("report-machine-accelerator"),
            message("report-machine-several", name=device.name, number=device.count),
            *_device(device),
        )
        for device in node.devices
    ]
    network = [
        row(
            message("report-machine-network", name=interface.name),
            amount(interface.bits_per_second, "bit/s"),
            *_interface(interface),
        )
        for interface in node.interfaces
    ]
    return SpecificationGroup(message("report-machine-attached"), (*devices, *network))


def _device(device: Device) -> Sequence[Fact | None]:
    clock, memory_clock = amount(device.maximum_hz, "Hz"), amount(device.memory_hz, "Hz")
    return [
        amount(device.memory, "B"),
        None if device.ecc is None else message("report-machine-device-ecc", on="yes" if device.ecc else "no"),
        message("report-machine-multiprocessors", number=device.multiprocessors, vendor=device.vendor or "other")
        if device.multiprocessors
        else None,
        message("report-machine-capability", version=device.capability, vendor=device.vendor or "other")
        if device.capability
        else None,
        message("report-machine-device-clock", clock=clock) if clock else None,
        message("report-machine-device-memory-clock", clock=memory_clock) if memory_clock else None,
        message("report-machine-driver", version=device.driver, toolkit=device.toolkit or "none")
        if device.driver
        else None,
        device.host_link,
        device.peer_link,
        amount(device.power, "W"),
        *map(str, device.facts.values()),
    ]


def _probed(library: Blas) -> Fact | None:
    if library.problem or not library.flop_rate:
        return library.problem
    return message("report-machine-probed", rate=Quantity(library.flop_rate, "flop/s"))


def _messages(library: Mpi) -> Fact | None:
    """Return the probed figures of an MPI library, else why there are none."""
    if library.latency is None or library.bandwidth is None or library.allreduce is None:
        return library.problem
    return message(
        "report-machine-messages",
        latency=Quantity(library.latency, "s"),
        rate=Quantity(library.bandwidth, "B/s"),
        allreduce=Quantity(library.allreduce, "s"),
    )


def _use(library: Mpi) -> Sequence[Fact | None]:
    builds = message("report-machine-of-builds", names=Listed(tuple(library.builds))) if library.builds else None
    return [builds, message("report-machine-standard-mpi") if library.standard else None, library.path]


def _interface(interface: Interface) -> Sequence[Fact | None]:
    numa = interface.numa_node
    return [interface.kind, message("report-machine-at-numa", number=str(numa)) if numa is not None else None]


def _area(area: StorageArea, free: int | None) -> Sequence[Fact | None]:
    """Return notes on an area; a file system without a device has its kind as the source, which is not repeated."""
    source = None if area.source in (area.kind, "none") else area.source
    return [
        message("report-machine-area", kind=area.kind, source=source) if area.kind and source else area.kind or source,
        message("report-machine-area-usable", size=Quantity(area.usable, "B")) if area.usable else None,
        message("report-machine-area-best", rate=Quantity(area.bandwidth, "B/s")) if area.bandwidth else None,
        message("report-machine-area-free", size=Quantity(free, "B")) if free is not None else None,
        *map(str, area.facts.values()),
        area.note,
        *(f"⚑ {flag}" for flag in area.flags),
    ]


def _remarks(note: str, flags: Iterable[str], facts: Mapping[str, object]) -> list[SpecificationRow]:
    rows = [row(topic.replace("_", " ").capitalize(), str(fact)) for topic, fact in facts.items()]
    return rows + ([row(message("report-note"), note)] if note else []) + [row("⚑", flag) for flag in flags]
