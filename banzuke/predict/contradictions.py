"""Numbers of a description that cannot all be right. They are told with each figure, and computed with as they are."""

from collections.abc import Iterator, Mapping

from banzuke.amounts import amount
from banzuke.machine.site import Partition, Peaks
from banzuke.units import number, quantity

UNITS = {"flops.fp64": "flop/s", "memory.bytes": "B/s"}
"""Of what models read. A peak in another unit is taken to be in this one."""


def contradictions(partition: Partition, name: str) -> list[str]:
    """`name`: of the partition, as people write it."""
    return [f"{name}: {found}" for found in _contradictions(partition)]


def _contradictions(partition: Partition) -> Iterator[str]:
    node = partition.node
    engines = [("processors", _of_processors(partition), node.rates)]
    engines += [(each.name, each.peaks, each.rates) for each in node.devices]
    for engine, peaks, rates in engines:
        yield from _above_peak(engine, {key: peak.value or 0.0 for key, peak in peaks.items()}, rates)
    for peaks in (node.peaks, *(each.peaks for each in node.processors), *(each.peaks for each in node.devices)):
        yield from (
            f"a peak of {key} is given in {peaks[key].unit}, and taken to be in {unit}"
            for key, unit in UNITS.items()
            if key in peaks and peaks[key].unit != unit
        )
    total, usable = node.memory.total, node.memory.usable
    if total and usable and usable > total:
        yield f"{quantity(usable, 'B')} of memory are usable, but there are {quantity(total, 'B')}"
    network = partition.network
    if network and network.bisection and network.bisection > 1:
        yield f"the bisection passes {number(network.bisection)} of what is sent, which is more than all"
    if network and network.bandwidth and network.rates.get("link.bytes", 0.0) > network.links * network.bandwidth:
        theory = quantity(network.links * network.bandwidth, "B/s")
        yield f"links sustain {quantity(network.rates['link.bytes'], 'B/s')}, more than their {theory}"


def _of_processors(partition: Partition) -> Peaks:
    """Those of the node, and the flop rate that all processors have together where they say it."""
    node = partition.node
    own = [each.peaks["flops.fp64"] for each in node.processors if "flops.fp64" in each.peaks]
    if len(own) != len(node.processors) or not own:
        return node.peaks if not node.devices else {key: node.peaks[key] for key in node.peaks if key != "flops.fp64"}
    together = sum(each.value or 0.0 for each in own)
    return {**node.peaks, "flops.fp64": own[0].having(value=amount(together))}


def _above_peak(engine: str, peaks: Mapping[str, float], rates: Mapping[str, float]) -> Iterator[str]:
    for key, unit in UNITS.items():
        peak, rate = peaks.get(key, 0.0), rates.get(key, 0.0)
        if rate > peak > 0:
            yield f"{engine} sustain {quantity(rate, unit)} of {key}, more than their peak of {quantity(peak, unit)}"
