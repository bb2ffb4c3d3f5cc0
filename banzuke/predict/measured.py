"""A machine that was measured, for predictions: its description with what a run's benchmarks sustained on it as rates.

A node is what a job was given of it: the allowed cores, their peaks, the memory that sizes of cases follow from,
whatever else was in use when it was looked at.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from banzuke.amounts import amount
from banzuke.limit.capacity import Serving, Usage, scaled, serving
from banzuke.limit.model import Ceiling
from banzuke.machine.model import Machine
from banzuke.machine.site import Device, Network, Partition, Peaks
from banzuke.predict.hardware import PredictedMachine
from banzuke.record.figures import Demand
from banzuke.record.model import Record

LINK = "link.bytes"
OF_NODES = ("flops.fp64", "memory.bytes")
"""Resources whose rates models take of processors and of devices."""


def measured_machine(machine: Machine, ceilings: Sequence[Ceiling], record: Record | None = None) -> PredictedMachine:
    """All that the job was given; with a record what its ranks used of it: so many hosts, cores and devices.

    Of how many nodes there could be, nothing is known: any number may be predicted.
    """
    parts = _parts(machine) if record is None else _used(machine, record)
    partitions = {each.key: _partition(each, ceilings) for each in parts}
    site = machine.site.having(partitions={**machine.site.partitions, **partitions})
    return PredictedMachine(machine.name, site, {each.key: each.usage.hosts for each in parts})


def rates_taken(ceilings: Sequence[Ceiling]) -> list[Ceiling]:
    """Of each resource, partition and kind of device the first, the best: those that take the place of constants."""
    found: dict[tuple[str, str | None, str | None], Ceiling] = {}
    for one in ceilings:
        if one.kind == "measured" and not one.above and one.resource.name in (*OF_NODES, LINK):
            found.setdefault((one.resource.name, one.partition, one.device), one)
    return list(found.values())


@dataclass(frozen=True)
class _Part:
    """Of the machine, what is in use of one partition."""

    machine: Machine
    usage: Usage
    memory: int
    """Bytes of a host that may be used."""
    devices: Sequence[Device]

    @property
    def key(self) -> str:
        return self.machine.allotment.partition


def _parts(machine: Machine) -> list[_Part]:
    """What the job was given."""
    found = []
    for given in machine.allotments:
        hosts, cores = max(1, len(given.hosts)), max(1, given.allowed_cores)
        of = machine.of(given.partition)
        found.append(_Part(of, Usage(hosts * cores, hosts * cores, hosts), given.reference_memory, of.node.devices))
    return found


def _used(machine: Machine, record: Record) -> list[_Part]:
    """What the record's ranks used."""
    alike: dict[tuple[str | None, bool], list[Serving]] = {}
    for of in serving(record, machine):
        alike.setdefault((of.partition, of.device is None), []).append(of)
    return [
        _Part(
            parts[0].machine,
            parts[0].usage,
            parts[0].machine.allotment.memory_allowed,
            [device for of in parts for device in _driven(of)],
        )
        for parts in alike.values()
    ]


def _driven(of: Serving) -> Sequence[Device]:
    """The kind of device, as many as it served with on a host; none where the kind is unknown."""
    found = [each for each in of.machine.node.devices if each.name == of.device]
    return [each.having(count=of.usage.of_one_host.devices) for each in found[:1]]


def _partition(of: _Part, ceilings: Sequence[Ceiling]) -> Partition:
    machine, each = of.machine, of.usage.of_one_host
    measured = [one for one in rates_taken(ceilings) if one.partition in (None, of.key)]
    rates = _rates([one for one in measured if not one.devices], each, machine)
    of_devices = {
        kind: _rates([one for one in measured if one.device == kind], Usage(1, 1, devices=1), machine)
        for kind in machine.device_kinds
    }
    node = machine.node
    peaks = {name: peak for name, peak in node.peaks.items() if not name.startswith("flops.")}
    processor = node.processor.having(
        cores=each.cores,
        nominal_hz=machine.allotment.vector_hz or node.processor.nominal_hz,  # as fast as it runs under load
        peaks=_flop_peaks(machine, each),
    )
    changed = {
        "processors": [processor],  # the allotment's peaks are of all kinds together
        "memory": node.memory.having(usable=of.memory),
        "peaks": peaks | {name: peak for name, peak in machine.peaks.items() if not name.startswith("flops.")},
        "rates": {**node.rates, **{name: rate for name, rate in rates.items() if name in OF_NODES}},
        "devices": [one.having(rates={**one.rates, **of_devices[one.name]}) for one in of.devices],
    }
    network = machine.partition.network
    if LINK in rates:
        network = (network or Network()).having(rates={LINK: rates[LINK]})
    own = node.having(**changed)
    return machine.partition.having(node=own, nodes=None, network=network)


def _rates(ceilings: Sequence[Ceiling], share: Usage, machine: Machine) -> dict[str, float]:
    """Of one host or device, scaled to the cores in use as limits are; of each resource the first, the best."""
    found: dict[str, float] = {}
    for one in ceilings:
        name = one.resource.name
        if name not in found:
            found[name] = scaled(one, Demand(resource=name, amount=1.0), share, machine).rate
    return found


def _flop_peaks(machine: Machine, share: Usage) -> Peaks:
    """Of the cores in use."""
    part_of_all = share.cores / share.available
    return {
        name: peak if peak.value is None else peak.having(value=amount(peak.value * part_of_all))
        for name, peak in machine.peaks.items()
        if name.startswith("flops.")
    }
