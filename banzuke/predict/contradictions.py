"""Finds numbers of a description that cannot all be right. They are reported with each figure but used as they are."""

import math
from collections.abc import Iterator, Mapping

from banzuke.amounts import amount
from banzuke.machine.site import Partition, Peaks, Processor
from banzuke.predict.families import family_of_processor
from banzuke.units import number, quantity

CYCLE = (0.5, 128.0)
"""Smallest and largest number of FP64 flops per core and cycle of any processor."""
CLOCKS = (50e6, 10e9)
"""Smallest and largest clock in Hz."""
SLOWEST = 0.3
"""Least share of the nominal clock: no processor is slower than that with wide vectors."""
FAR = 0.25
"""Share of the memory's rate below which a link cannot lead to that shared memory."""
MEMORY = (1 << 20, 1 << 50)
"""Smallest and largest memory of a node or device in bytes."""
MEMORY_RATE = (1e7, 1e15)
"""Smallest and largest bandwidth of a node's or device's memory in B/s."""
LINK_RATE = (1e5, 1e13)
"""Smallest and largest bandwidth of a link in B/s: 1 Mb/s is slower than any Ethernet."""
LATENCY = (1e-8, 1e-1)
"""Smallest and largest latency of a message in seconds."""
UNITS = {"flops.fp64": "flop/s", "memory.bytes": "B/s"}
"""Units of the peaks that models read. A peak in another unit is taken as if it were in this one."""


def contradictions(partition: Partition, name: str) -> list[str]:
    """Return sentences about the partition's contradictions, each beginning with its `name`."""
    return [f"{name}: {problem}" for problem in _contradictions(partition)]


def _contradictions(partition: Partition) -> Iterator[str]:
    node = partition.node
    engines = [("processors", _processor_peaks(partition), node.rates)]
    engines += [(device.name, device.peaks, device.rates) for device in node.devices]
    for engine, peaks, rates in engines:
        yield from _above_peak(engine, {key: peak.value or 0.0 for key, peak in peaks.items()}, rates)
    for peaks in (node.peaks, *(part.peaks for part in node.processors), *(part.peaks for part in node.devices)):
        yield from (
            f"a peak of {key} is given in {peaks[key].unit}, and taken to be in {unit}"
            for key, unit in UNITS.items()
            if key in peaks and peaks[key].unit != unit
        )
    total, usable = node.memory.total, node.memory.usable
    if total and usable and usable > total:
        yield f"{quantity(usable, 'B')} of memory are usable, but there are {quantity(total, 'B')}"
    yield from _implausible(partition)
    yield from _parts(partition)
    network = partition.network
    if network and network.bisection and network.bisection > 1:
        yield f"the bisection passes {number(network.bisection)} of what is sent, which is more than all"
    if network and network.bandwidth and network.rates.get("link.bytes", 0.0) > network.links * network.bandwidth:
        theory = quantity(network.links * network.bandwidth, "B/s")
        yield f"links sustain {quantity(network.rates['link.bytes'], 'B/s')}, more than their {theory}"


def _implausible(partition: Partition) -> Iterator[str]:
    """Check for numbers that no machine has, such as a bandwidth in GB/s instead of B/s."""
    node, network = partition.node, partition.network
    numbers: list[tuple[str, float | None, str, tuple[float, float]]] = [
        ("node.memory.total", node.memory.total, "B", MEMORY),
        ("node.memory.usable", node.memory.usable, "B", MEMORY),
        ("the memory bandwidth of a node", _bandwidth(partition), "B/s", MEMORY_RATE),
        ("node.memory.fast_bandwidth", node.memory.fast_bandwidth, "B/s", MEMORY_RATE),
    ]
    for i, device in enumerate(node.devices):
        peak = device.peaks.get("memory.bytes")
        numbers += [
            (f"node.devices.{i}.memory", device.memory, "B", MEMORY),
            (f"the memory bandwidth of {device.name}", peak.value if peak else None, "B/s", MEMORY_RATE),
            (f"node.devices.{i}.host_bandwidth", device.host_bandwidth, "B/s", LINK_RATE),
            (f"node.devices.{i}.peer_bandwidth", device.peer_bandwidth, "B/s", LINK_RATE),
        ]
    if network:
        numbers += [
            ("network.bandwidth", network.bandwidth, "B/s", LINK_RATE),
            ("network.latency", network.latency, "s", LATENCY),
        ]
    for what, value, unit, (low, high) in numbers:
        if value and not low <= value <= high:
            yield (
                f"{what} is {quantity(value, unit)}, outside {quantity(low, unit)} to {quantity(high, unit)}: "
                f"is it in {unit}?"
            )


def _parts(partition: Partition) -> Iterator[str]:
    """Check clocks, fast memory and matrix units."""
    node = partition.node
    total = node.memory.total
    if total and node.memory.fast and node.memory.fast > total:
        yield f"{quantity(node.memory.fast, 'B')} of memory are fast, but there are {quantity(total, 'B')}"
    yield from _fast(partition)
    for processor in node.processors:
        yield from _of_a_core(processor)
        most = processor.maximum_hz or math.inf
        for what, clock in (("clock under vector load", processor.vector_hz), ("nominal clock", processor.nominal_hz)):
            if clock and clock > most:
                yield f"the {what} is {quantity(clock, 'Hz')}, above the highest, {quantity(most, 'Hz')}"
        if processor.vector_hz and processor.nominal_hz and processor.vector_hz > 2 * processor.nominal_hz:
            yield f"the clock under vector load is more than twice the nominal {quantity(processor.nominal_hz, 'Hz')}"
    reached = _bandwidth(partition)
    for device in node.devices:
        share = (reached or 0.0) / device.count
        if device.unified and device.host_bandwidth and device.host_bandwidth < FAR * share:
            link, whole = quantity(device.host_bandwidth, "B/s"), quantity(share, "B/s")
            yield f"{device.name} shares the processors' memory, {whole} for each, but reaches it with {link}"
        plain, matrix = (
            device.peaks[name].value if name in device.peaks else None for name in ("flops.fp64", "flops.fp64_matrix")
        )
        if plain and matrix and matrix < plain:
            yield f"{device.name} has {quantity(matrix, 'flop/s')} with matrix units, less than without"


def _bandwidth(partition: Partition) -> float | None:
    """Return the B/s of a node's memory, without its fast memory."""
    node = partition.node
    return node.peaks["memory.bytes"].value if "memory.bytes" in node.peaks else node.memory.peak_bandwidth


def _fast(partition: Partition) -> Iterator[str]:
    """Check for fast memory that is not fast, or only half described."""
    memory, slow = partition.node.memory, _bandwidth(partition)
    if memory.fast_bandwidth and slow and memory.fast_bandwidth <= slow:
        fast, other = quantity(memory.fast_bandwidth, "B/s"), quantity(slow, "B/s")
        yield f"the fast memory has {fast}, no more than the other with {other}"
    family = family_of_processor(partition.node.processor)
    if memory.fast and not memory.fast_bandwidth and not family.fast_bandwidth > 0:
        yield "fast memory is described without its bandwidth (node.memory.fast_bandwidth), and left out"
    if memory.fast_bandwidth and not memory.fast and not family.fast_memory > 0:
        yield "a bandwidth of fast memory is described without its size (node.memory.fast), and left out"


def _of_a_core(processor: Processor) -> Iterator[str]:
    """Check for clocks and flops per cycle that no core has."""
    clocks = {
        "nominal clock": processor.nominal_hz,
        "highest clock": processor.maximum_hz,
        "clock under vector load": processor.vector_hz,
    }
    low, high = CLOCKS
    for what, clock in clocks.items():
        if clock and not low <= clock <= high:
            yield f"the {what} is {quantity(clock, 'Hz')}, outside {quantity(low, 'Hz')} to {quantity(high, 'Hz')}"
    if processor.vector_hz and processor.nominal_hz and processor.vector_hz < SLOWEST * processor.nominal_hz:
        theirs = quantity(processor.nominal_hz, "Hz")
        yield f"the clock under vector load is {quantity(processor.vector_hz, 'Hz')}, far below the nominal {theirs}"
    peak = processor.peaks["flops.fp64"].value if "flops.fp64" in processor.peaks else None
    cycles = (processor.cores or 0) * (processor.nominal_hz or 0.0)
    if peak and cycles and not CYCLE[0] <= peak / cycles <= CYCLE[1]:
        yield (
            f"{quantity(peak, 'flop/s')} of {processor.cores} cores are {number(peak / cycles)} flops of a core and "
            f"cycle, outside {number(CYCLE[0])} to {number(CYCLE[1])}"
        )


def _processor_peaks(partition: Partition) -> Peaks:
    """Return the node's peaks, with the processors' total flop rate where they state it."""
    node = partition.node
    own = [processor.peaks["flops.fp64"] for processor in node.processors if "flops.fp64" in processor.peaks]
    if len(own) != len(node.processors) or not own:
        return node.peaks if not node.devices else {key: node.peaks[key] for key in node.peaks if key != "flops.fp64"}
    together = sum(peak.value or 0.0 for peak in own)
    return {**node.peaks, "flops.fp64": own[0].having(value=amount(together))}


def _above_peak(engine: str, peaks: Mapping[str, float], rates: Mapping[str, float]) -> Iterator[str]:
    for key, unit in UNITS.items():
        peak, rate = peaks.get(key, 0.0), rates.get(key, 0.0)
        if rate > peak > 0:
            yield f"{engine} sustain {quantity(rate, unit)} of {key}, more than their peak of {quantity(peak, unit)}"
