"""Scales ceilings to the part of the machine that serves a demand."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from banzuke.limit.model import Ceiling
from banzuke.machine.core_speeds import core_speeds
from banzuke.machine.model import Machine
from banzuke.plan.resource import Resource
from banzuke.plan.wording import resource_title
from banzuke.record.figures import Demand
from banzuke.record.model import Group, Record
from banzuke.words import Derived, Listed, Message, Quantity, Share, message

Resources = Mapping[str, tuple[Resource, str]]
"""Resources by name, each with the benchmark that measures it."""


@dataclass(frozen=True)
class Usage:
    """The part of the machine that groups of ranks used, over all their hosts."""

    cores: int
    available: int
    hosts: int = 1
    devices: int = 0
    weight: float | None = None
    """Where cores are unlike: the used cores' share of a host's speed, summed over hosts; None: not known."""

    @classmethod
    def of(cls, groups: Sequence[Group], machine: Machine) -> "Usage":
        hosts = max(1, len({host.name for group in groups for listed in group.hosts for host in listed.each}))
        available = max(1, machine.allotment.allowed_cores) * hosts
        cores = sum(group.ranks * group.threads for group in groups)
        weight = _weight(groups, machine)
        weight = None if weight is None else min(weight, hosts)
        return cls(min(cores, available), available, hosts, len(driven(groups)), weight)

    @property
    def of_one_host(self) -> "Usage":
        """Return the part on each host, if all hosts are used alike."""
        cores, devices = math.ceil(self.cores / self.hosts), math.ceil(self.devices / self.hosts)
        weight = None if self.weight is None else self.weight / self.hosts
        return Usage(cores, self.available // self.hosts, devices=devices, weight=weight)

    @property
    def whole(self) -> bool:
        return self.cores >= self.available


@dataclass(frozen=True)
class Roof:
    """A ceiling, or several added up, scaled to one demand of a record."""

    rate: float
    """Rate in the resource's unit; in samples per second where the program itself reported the bound."""
    source: Message
    resource: Resource | None = None
    """None: the program itself reported the bound beside the figure."""
    title: Message | None = None
    run: str = ""
    """Another run that measured it, or one of several."""
    itself: bool = False
    """Whether the benchmark that is judged by it measured it, or a part of it."""
    cached: bool = False
    """Whether caches may have served a part of what measured it, or of a part of it."""


def _weight(groups: Sequence[Group], machine: Machine) -> float | None:
    """Return the weight of a `Usage`; None where cores are alike, threads are not bound, or the speed of a
    core is unknown.
    """
    kinds = {name: cpus for name, cpus in machine.kinds.items() if cpus}
    speeds = core_speeds(machine, kinds) if len(kinds) > 1 else None
    if speeds is None:
        return None
    of_cpu = {cpu: speeds.relative[name] for name in kinds for cpu in machine.node.processor.kinds[name].cpus}
    used = 0.0
    for binding in (binding for group in groups for binding in group.binding):
        threads = binding.processors
        if threads is None or not threads.keys() <= of_cpu.keys():
            return None
        used += sum(of_cpu[cpu] * number for cpu, number in threads.items())
    every = sum(speeds.relative[name] * len(cpus) for name, cpus in kinds.items())
    return used / every if used else None


def driven(groups: Sequence[Group]) -> set[str]:
    """Return the identities of the devices that the ranks drive."""
    return {device for group in groups for device in group.devices}


def device_kinds(record: Record, groups: Sequence[Group], machine: Machine) -> Mapping[str, int]:
    """Return how many devices of each kind the ranks drive, by the kind's name; an empty name: unknown.

    `machine`: with only the partition of the groups. For devices on its other hosts, the launch's variant
    gives the kind.
    """
    names_by_identity = {device.identity: device.name for device in machine.allotment.devices}
    names = machine.device_kinds
    launched = record.provenance.variant.get("device", "") if record.provenance else ""
    otherwise = launched or (names[0] if len(names) == 1 else "")
    return Counter(names_by_identity.get(identity, otherwise) for identity in sorted(driven(groups)))


@dataclass(frozen=True)
class Serving:
    """The part of the machine that serves demands of a record's ranks: hosts of a partition, or their
    devices of one kind.
    """

    partition: str | None
    device: str | None
    """Name of the kind, empty where that is unknown; None: the hosts' processors."""
    machine: Machine
    """The machine with only that partition."""
    usage: Usage


def kinds_driven(record: Record, machine: Machine) -> Sequence[str]:
    """Return the names of the kinds of devices that a record's ranks drive; none: they drive no devices."""
    return tuple(dict.fromkeys(share.device for share in serving(record, machine) if share.device is not None))


def serving(record: Record, machine: Machine, groups: Sequence[Group] | None = None) -> Sequence[Serving]:
    """Return each part of the machine that serves all groups of ranks of a record, or only `groups`."""
    groups_by_part: dict[tuple[str | None, bool], list[Group]] = {}
    for group in record.groups if groups is None else groups:
        groups_by_part.setdefault((group.partition, bool(driven([group]))), []).append(group)
    shares: list[Serving] = []
    for (partition, drives), alike in groups_by_part.items():
        here = partition_alone(machine, partition)
        usage = Usage.of(alike, here)
        kinds: Mapping[Any, int] = device_kinds(record, alike, here) if drives else {None: 0}
        shares += [Serving(partition, kind, here, replace(usage, devices=count)) for kind, count in kinds.items()]
    return shares


def partition_alone(machine: Machine, partition: str | None) -> Machine:
    """Return the machine with one partition alone; unchanged if that partition is unknown or none is named."""
    is_known = partition in {allotment.partition for allotment in machine.allotments}
    return machine.of(partition) if partition is not None and is_known else machine


@dataclass(frozen=True)
class Capacities:
    """The ceilings of the machine, as they bound one record."""

    record: Record
    machine: Machine
    ceilings: Sequence[Ceiling]
    resources: Resources

    def measures(self, resource: str) -> bool:
        """Return whether the record's own benchmark measures the resource."""
        return self.resources.get(resource, (None, ""))[1] == self.record.benchmark

    def roof(self, demand: Demand, kind: str) -> Roof | Message:
        """Return what serves the demand, which is of all groups together unless it names one; a message:
        unknown, and why.
        """
        groups = None if demand.group is None else [self.record.groups[demand.group]]
        roofs = []
        linked = set()
        for share in serving(self.record, self.machine, groups):
            ceilings = self._ceilings(demand, kind, share)
            if not ceilings:
                return self._missing(demand.resource, kind, share)
            if ceilings[0].resource.scope == "link":  # a link belongs to the hosts, whichever of their devices use it
                if (share.partition, share.device is None) in linked:
                    continue
                linked.add((share.partition, share.device is None))
            roofs.append(
                min((self._scaled(ceiling, demand, share) for ceiling in ceilings), key=lambda roof: roof.rate)
            )
        if demand.busiest or demand.area:
            return min(roofs, key=lambda roof: roof.rate)  # the busiest may be the slowest; an area is shared by all
        sources = tuple(dict.fromkeys(roof.source for roof in roofs))
        source = sources[0] if len(sources) == 1 else message("limit-sources", sources=Listed(sources))
        run = max(roof.run for roof in roofs)
        itself, cached = any(roof.itself for roof in roofs), any(roof.cached for roof in roofs)
        return Roof(sum(roof.rate for roof in roofs), source, roofs[0].resource, roofs[0].title, run, itself, cached)

    def _scaled(self, ceiling: Ceiling, demand: Demand, share: Serving) -> Roof:
        itself = ceiling.kind == "measured" and not ceiling.above and self.measures(demand.resource)
        return replace(scaled(ceiling, demand, share.usage, share.machine), itself=itself)

    def _ceilings(self, demand: Demand, kind: str, share: Serving) -> Sequence[Ceiling]:
        """Return the measured rate; for the benchmark that measures it, what bounds that rate, if the
        resource declares it.

        Empty: unknown. A storage area may have several ceilings; the lowest applies.
        """
        matching = [
            ceiling
            for ceiling in self.ceilings
            if (ceiling.resource.name, ceiling.kind) == (demand.resource, kind)
            and ceiling.area in (None, demand.area)
            and ceiling.partition in (None, share.partition)
            and _of_kind(ceiling, share.device)
        ]
        above = [ceiling for ceiling in matching if ceiling.above]
        # The rate of a device can only be measured by the benchmark itself.
        own = share.device is None and kind == "measured" and self.measures(demand.resource)
        if own and self.resources[demand.resource][0].above:
            return above[:1]
        rates = [ceiling for ceiling in matching if not ceiling.above] or above
        return rates if demand.area else rates[:1]

    def _missing(self, name: str, kind: str, share: Serving) -> Message:
        resource, benchmark = self.resources.get(name, (None, ""))
        if resource is None:
            return message("limit-unmeasured", resource=name, kind=kind)
        if share.device is not None and len(share.machine.device_kinds) > 1:
            return _missing_of_kind(resource, benchmark, kind, share)
        if kind == "measured":
            if self.measures(name) and resource.above:
                return message("limit-unknown-above", rate=resource_title(resource))
            return message("limit-unknown-rate", rate=resource_title(resource), benchmark=benchmark)
        peak = resource.peak(share.machine) if resource.peak else None
        if peak and not peak.value:
            return message("limit-unknown-peak-why", rate=resource_title(resource), why=Derived(peak.derivation))
        return message("limit-unknown-peak", rate=resource_title(resource))


def _of_kind(ceiling: Ceiling, device: str | None) -> bool:
    """Return whether it can be the ceiling of this kind of device; None: of hosts."""
    match ceiling.resource.scope:
        case "core" | "host":
            return ceiling.device == device
        case "device":
            return device is None or ceiling.device in (None, device)
        case _:
            return True


def _missing_of_kind(resource: Resource, benchmark: str, kind: str, share: Serving) -> Message:
    """Return the message for an unknown ceiling where a node has several kinds of devices."""
    if not share.device:
        return message("limit-unknown-kind-of-device", rate=resource_title(resource))
    if kind == "theoretical":
        return message("limit-unknown-peak-of-device", rate=resource_title(resource), device=share.device)
    devices = share.machine.allotment.devices
    number = next((str(index) for index, device in enumerate(devices) if device.name == share.device), "none")
    return message(
        "limit-unknown-rate-of-device",
        rate=resource_title(resource),
        device=share.device,
        benchmark=benchmark,
        number=number,
    )


def scaled(ceiling: Ceiling, demand: Demand, share: Usage, machine: Machine) -> Roof:
    """Return the ceiling scaled, by the resource's scope, to the part of the machine that serves the demand."""
    share = share.of_one_host if demand.busiest == "host" else share
    rate, source = ceiling.value, ceiling.message
    match "device" if ceiling.devices else ceiling.resource.scope:
        case "core":
            rate, source = _of_cores(ceiling, share, machine)
        case "host" | "link":
            rate *= share.hosts
            if share.hosts > 1:
                source = noted(source, message("limit-times-hosts", hosts=share.hosts))
            if not share.whole and ceiling.resource.scope == "host":
                source = noted(source, message("limit-whole-machine", cores=share.cores, available=share.available))
        case "device":
            devices = 1 if demand.busiest == "device" else max(1, share.devices)
            rate *= devices
            if devices > 1:
                source = noted(source, message("limit-times-devices", devices=devices))
        case "area":
            if demand.area:
                source = noted(source, message("limit-of-area", area=demand.area))
    return Roof(rate, source, ceiling.resource, ceiling.name, ceiling.run, cached=ceiling.doubt.cached)


def noted(source: Message, note: Message) -> Message:
    return message("limit-noted", source=source, note=note)


def _of_cores(ceiling: Ceiling, share: Usage, machine: Machine) -> tuple[float, Message]:
    """Return the rate of the used cores: it scales with their number, and few cores may clock higher
    than all at once.
    """
    reached_by = ceiling.threads or share.available // share.hosts
    rate, source = ceiling.value * share.cores / reached_by, ceiling.message
    weighted = share.weight is not None and not share.whole and reached_by == share.available // share.hosts
    if share.cores == reached_by and not weighted:
        return rate, source
    source = noted(source, message("limit-scaled", reached=reached_by, cores=share.cores))
    if share.weight is not None and weighted:
        rate = ceiling.value * share.weight
        source = noted(source, message("limit-scaled-kinds", part=Share(share.weight / share.hosts)))
    alone, together = _clocks(machine)
    if ceiling.kind == "measured" and alone and together and alone > together:
        if share.cores < reached_by:
            rate *= alone / together
            clocks = message("limit-scaled-clock", alone=Quantity(alone, "Hz"), together=Quantity(together, "Hz"))
            source = noted(source, clocks)
        elif reached_by == 1 and share.whole:
            rate *= together / alone
            clocks = message("limit-scaled-clock-all", alone=Quantity(alone, "Hz"), together=Quantity(together, "Hz"))
            source = noted(source, clocks)
    return rate, source


def _clocks(machine: Machine) -> tuple[float | None, float | None]:
    """Return a core's clock alone and while all work; where cores are unlike, of the kind that gains the most alone."""
    kinds = machine.allotment.kinds.values()
    pairs = [(kind.single_vector_hz, kind.vector_hz) for kind in kinds if kind.single_vector_hz and kind.vector_hz]
    if pairs:
        return max(pairs, key=lambda pair: pair[0] / pair[1])
    return machine.allotment.single_vector_hz, machine.allotment.vector_hz
