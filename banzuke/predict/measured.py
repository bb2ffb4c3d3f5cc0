"""Makes a machine for predictions from one that was measured: its description, with measured rates.

A node is the part that a job got of it: the allowed cores, their peaks, and the memory that sizes of cases follow from,
regardless of what else was in use at the time.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from banzuke.amounts import amount
from banzuke.limit.capacity import Serving, Usage, scaled, serving
from banzuke.limit.model import Ceiling
from banzuke.machine.cluster import Network
from banzuke.machine.model import Machine
from banzuke.machine.site import Device, Partition, Peaks
from banzuke.predict.hardware import PredictedMachine
from banzuke.record.figures import Demand
from banzuke.record.model import Record

LINK = "link.bytes"
OF_NODES = ("flops.fp64", "memory.bytes")
"""Resources whose rates models use for processors and devices."""
WHERE_MEASURED = ("memory.loads", "flops.fft")
"""Resources of hosts whose rates some models use where a run measured them. Nothing stands in for them elsewhere."""
TAKEN = (*OF_NODES, *WHERE_MEASURED, LINK)


def measured_machine(machine: Machine, ceilings: Sequence[Ceiling], record: Record | None = None) -> PredictedMachine:
    """Return the machine as the job got it; with a record, the hosts, cores and devices that its ranks used.

    The number of nodes is left open, so that any number may be predicted.
    """
    parts = _parts(machine) if record is None else _used(machine, record)
    partitions = {part.key: _partition(part, ceilings) for part in parts}
    site = machine.site.having(partitions={**machine.site.partitions, **partitions})
    numbers = {part.key: part.usage.hosts for part in parts}
    return PredictedMachine(machine.name, site, numbers, measured=True)


def rates_taken(ceilings: Sequence[Ceiling]) -> list[Ceiling]:
    """Return the best ceiling for each resource, partition and kind of device; they replace the constants."""
    taken: dict[tuple[str, str | None, str | None], Ceiling] = {}
    for ceiling in ceilings:
        if ceiling.kind == "measured" and not ceiling.above and ceiling.resource.name in TAKEN:
            taken.setdefault((ceiling.resource.name, ceiling.partition, ceiling.device), ceiling)
    return list(taken.values())


@dataclass(frozen=True)
class _Part:
    """The part of one partition that is in use."""

    machine: Machine
    usage: Usage
    memory: int
    """Bytes of a host that may be used."""
    devices: Sequence[Device]

    @property
    def key(self) -> str:
        return self.machine.allotment.partition


def _parts(machine: Machine) -> list[_Part]:
    """Return what the job got."""
    parts = []
    for allotment in machine.allotments:
        hosts, cores = max(1, len(allotment.hosts)), max(1, allotment.allowed_cores)
        narrowed = machine.of(allotment.partition)
        parts.append(
            _Part(
                narrowed, Usage(hosts * cores, hosts * cores, hosts), allotment.reference_memory, narrowed.node.devices
            )
        )
    return parts


def _used(machine: Machine, record: Record) -> list[_Part]:
    """Return what the record's ranks used."""
    alike: dict[tuple[str | None, bool], list[Serving]] = {}
    for engine in serving(record, machine):
        alike.setdefault((engine.partition, engine.device is None), []).append(engine)
    return [
        _Part(
            parts[0].machine,
            parts[0].usage,
            parts[0].machine.allotment.memory_allowed,
            [device for own in parts for device in _driven(own)],
        )
        for parts in alike.values()
    ]


def _driven(engine: Serving) -> Sequence[Device]:
    """Return the kind of device with the number used on a host; none where the kind is unknown."""
    kinds = [device for device in engine.machine.node.devices if device.name == engine.device]
    return [device.having(count=engine.usage.of_one_host.devices) for device in kinds[:1]]


def _partition(part: _Part, ceilings: Sequence[Ceiling]) -> Partition:
    machine, share = part.machine, part.usage.of_one_host
    measured = [ceiling for ceiling in rates_taken(ceilings) if ceiling.partition in (None, part.key)]
    rates = _rates([ceiling for ceiling in measured if not ceiling.devices], share, machine)
    of_devices = {
        kind: _rates([ceiling for ceiling in measured if ceiling.device == kind], Usage(1, 1, devices=1), machine)
        for kind in machine.device_kinds
    }
    node = machine.node
    peaks = {name: peak for name, peak in node.peaks.items() if not name.startswith("flops.")}
    processor = node.processor.having(
        cores=share.cores,
        nominal_hz=machine.allotment.vector_hz or node.processor.nominal_hz,  # its clock under load
        peaks=_flop_peaks(machine, share),
    )
    changed = {
        "processors": [processor],  # the allotment's peaks are of all kinds together
        "memory": node.memory.having(usable=part.memory),
        "peaks": peaks | {name: peak for name, peak in machine.peaks.items() if not name.startswith("flops.")},
        "rates": {**node.rates, **{name: rate for name, rate in rates.items() if name != LINK}},
        "devices": [device.having(rates={**device.rates, **of_devices[device.name]}) for device in part.devices],
    }
    network = machine.partition.network
    if LINK in rates:
        network = (network or Network()).having(rates={LINK: rates[LINK]})
    own = node.having(**changed)
    return machine.partition.having(node=own, nodes=None, network=network)


def _rates(ceilings: Sequence[Ceiling], share: Usage, machine: Machine) -> dict[str, float]:
    """Return the best rates of one host or device by resource, scaled to the cores in use as limits are."""
    rates: dict[str, float] = {}
    for ceiling in ceilings:
        name = ceiling.resource.name
        if name not in rates:
            rates[name] = scaled(ceiling, Demand(resource=name, amount=1.0), share, machine).rate
    return rates


def _flop_peaks(machine: Machine, share: Usage) -> Peaks:
    """Return the peak flop rates of the cores in use."""
    part_of_all = share.cores / share.available
    return {
        name: peak if peak.value is None else peak.having(value=amount(peak.value * part_of_all))
        for name, peak in machine.peaks.items()
        if name.startswith("flops.")
    }
