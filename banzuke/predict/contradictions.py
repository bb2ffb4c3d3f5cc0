"""Numbers of a description that cannot all be right. They are told with each figure, and computed with as they are."""

import math
from collections.abc import Iterator, Mapping

from banzuke.amounts import amount
from banzuke.machine.site import Partition, Peaks
from banzuke.units import number, quantity

UNITS = {"flops.fp64": "flop/s", "memory.bytes": "B/s"}
"""Units of the peaks that models read. A peak in another unit is taken to be in this one."""


def contradictions(partition: Partition, name: str) -> list[str]:
    """Sentences about the partition's contradictions, each led by its `name` as people write it."""
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
    yield from _parts(partition)
    network = partition.network
    if network and network.bisection and network.bisection > 1:
        yield f"the bisection passes {number(network.bisection)} of what is sent, which is more than all"
    if network and network.bandwidth and network.rates.get("link.bytes", 0.0) > network.links * network.bandwidth:
        theory = quantity(network.links * network.bandwidth, "B/s")
        yield f"links sustain {quantity(network.rates['link.bytes'], 'B/s')}, more than their {theory}"


def _parts(partition: Partition) -> Iterator[str]:
    """Clocks, fast memory and matrix units."""
    node = partition.node
    total = node.memory.total
    if total and node.memory.fast and node.memory.fast > total:
        yield f"{quantity(node.memory.fast, 'B')} of memory are fast, but there are {quantity(total, 'B')}"
    for processor in node.processors:
        most = processor.maximum_hz or math.inf
        for what, clock in (("clock under vector load", processor.vector_hz), ("nominal clock", processor.nominal_hz)):
            if clock and clock > most:
                yield f"the {what} is {quantity(clock, 'Hz')}, above the highest, {quantity(most, 'Hz')}"
        if processor.vector_hz and processor.nominal_hz and processor.vector_hz > 2 * processor.nominal_hz:
            yield f"the clock under vector load is more than twice the nominal {quantity(processor.nominal_hz, 'Hz')}"
    for device in node.devices:
        plain, matrix = (
            device.peaks[name].value if name in device.peaks else None for name in ("flops.fp64", "flops.fp64_matrix")
        )
        if plain and matrix and matrix < plain:
            yield f"{device.name} has {quantity(matrix, 'flop/s')} with matrix units, less than without"


def _processor_peaks(partition: Partition) -> Peaks:
    """The node's peaks, with the flop rate that all processors have together where they say it."""
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
