"""Ceilings scaled to the part of the machine that serves a demand."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from banzuke.limit.model import Ceiling
from banzuke.machine.model import Machine
from banzuke.plan.resource import Resource
from banzuke.record.figures import Demand
from banzuke.record.model import Group, Record
from banzuke.units import number, quantity

Resources = Mapping[str, tuple[Resource, str]]
"""By name, with the benchmark that measures it."""


@dataclass(frozen=True)
class Share:
    """The part of the machine that groups of ranks used, over all their hosts."""

    cores: int
    available: int
    hosts: int = 1
    devices: int = 0

    @classmethod
    def of(cls, groups: Sequence[Group], machine: Machine) -> "Share":
        hosts = max(1, len({host.name for group in groups for listed in group.hosts for host in listed.each}))
        available = max(1, machine.allotment.allowed_cores) * hosts
        cores = sum(group.ranks * group.threads for group in groups)
        return cls(min(cores, available), available, hosts, len(driven(groups)))

    @property
    def of_one_host(self) -> "Share":
        """What each host has of it, where they are used alike."""
        cores, devices = math.ceil(self.cores / self.hosts), math.ceil(self.devices / self.hosts)
        return Share(cores, self.available // self.hosts, devices=devices)

    @property
    def whole(self) -> bool:
        return self.cores >= self.available

    def __str__(self) -> str:
        return f"{self.cores} of {self.available} cores"


@dataclass(frozen=True)
class Roof:
    """A ceiling, or several added up, scaled to one demand of a record."""

    rate: float
    """In the resource's unit; samples per second where the program itself found the bound."""
    source: str
    resource: Resource | None = None
    """None: the program itself found it out beside the figure."""
    title: str = ""
    run: str = ""
    """The other run that measured it, or one of them."""


def driven(groups: Sequence[Group]) -> set[str]:
    """Identities of the devices that the ranks drive."""
    return {device for group in groups for binding in group.binding for device in binding.devices}


def alike(groups: Sequence[Group]) -> Mapping[tuple[str | None, bool], Sequence[Group]]:
    """By partition and by whether the ranks drive devices: what serves their demands."""
    found: dict[tuple[str | None, bool], list[Group]] = {}
    for group in groups:
        found.setdefault((group.partition, bool(driven([group]))), []).append(group)
    return found


def part(machine: Machine, partition: str | None) -> Machine:
    """With one partition alone, where it is known."""
    known = partition in {allotment.partition for allotment in machine.allotments}
    return machine.of(partition) if partition is not None and known else machine


@dataclass(frozen=True)
class Capacities:
    """Of the machine, for one record."""

    record: Record
    machine: Machine
    ceilings: Sequence[Ceiling]
    resources: Resources

    def measures(self, resource: str) -> bool:
        """Whether it is the record's own benchmark that measures the resource."""
        return self.resources.get(resource, (None, ""))[1] == self.record.benchmark

    def roof(self, demand: Demand, kind: str) -> Roof | str:
        """What serves the demand, all groups' together unless it names one; text: unknown, and why."""
        groups = self.record.groups if demand.group is None else [self.record.groups[demand.group]]
        roofs = []
        for (partition, devices), of in alike(groups).items():
            machine = part(self.machine, partition)
            ceiling = self._ceiling(demand, kind, partition, devices=devices)
            if ceiling is None:
                return self._missing(demand.resource, kind, machine)
            roofs.append(scaled(ceiling, demand, Share.of(of, machine), machine))
        if demand.busiest or demand.area:
            return min(roofs, key=lambda one: one.rate)  # the busiest may be the slowest; an area is one for all
        sources = " and ".join(dict.fromkeys(one.source for one in roofs))
        run = max(one.run for one in roofs)
        return Roof(sum(one.rate for one in roofs), sources, roofs[0].resource, roofs[0].title, run)

    def _ceiling(self, demand: Demand, kind: str, partition: str | None, *, devices: bool) -> Ceiling | None:
        """The measured rate; for the benchmark that measures it what bounds that, if the resource declares it."""
        found = [
            one
            for one in self.ceilings
            if (one.resource.name, one.kind) == (demand.resource, kind)
            and one.area in (None, demand.area)
            and one.partition in (None, partition)
            and (one.devices == devices or one.resource.scope not in ("core", "host"))
        ]
        above = [one for one in found if one.above]
        if kind == "measured" and self.measures(demand.resource) and self.resources[demand.resource][0].above:
            return next(iter(above), None)
        return next(iter([one for one in found if not one.above] or above), None)

    def _missing(self, name: str, kind: str, machine: Machine) -> str:
        resource, benchmark = self.resources.get(name, (None, ""))
        if resource is None:
            return f"the {kind} rate of {name} is unknown: no benchmark here measures it"
        if kind == "measured":
            if self.measures(name) and resource.above:
                return f"what bounds the {resource.title} is unknown: `banzuke machine` measures it"
            return f"the measured {resource.title} is unknown: `banzuke run {benchmark}` measures it"
        peak = resource.peak(machine) if resource.peak else None
        why = peak.derivation if peak and not peak.value else ""
        return f"the theoretical {resource.title} is unknown" + (f": {why}" if why else "")


def scaled(ceiling: Ceiling, demand: Demand, share: Share, machine: Machine) -> Roof:
    """Scaled by the resource's scope to the part of the machine that serves the demand."""
    share = share.of_one_host if demand.busiest == "host" else share
    rate, source = ceiling.value, ceiling.text
    match "device" if ceiling.devices else ceiling.resource.scope:
        case "core":
            rate, source = _of_cores(ceiling, share, machine)
        case "host" | "link":
            rate *= share.hosts
            source += f"; times {share.hosts} hosts" if share.hosts > 1 else ""
            source += f"; the whole machine's, while {share} were used" if not share.whole else ""
        case "device":
            devices = 1 if demand.busiest == "device" else max(1, share.devices)
            rate *= devices
            source += f"; times {devices} devices" if devices > 1 else ""
        case "area":
            source += f", of {demand.area}" if demand.area else ""
    return Roof(rate, source, ceiling.resource, ceiling.name, ceiling.run)


def _of_cores(ceiling: Ceiling, share: Share, machine: Machine) -> tuple[float, str]:
    """It scales with the cores, and a few cores may clock higher than all of them at once."""
    reached_by = ceiling.threads or share.available // share.hosts
    rate, source = ceiling.value * share.cores / reached_by, ceiling.text
    if share.cores == reached_by:
        return rate, source
    source += f"; scaled from {number(reached_by)} to {number(share.cores)} cores"
    alone, together = machine.allotment.single_vector_hz, machine.allotment.vector_hz
    if ceiling.kind == "measured" and share.cores < reached_by and alone and together and alone > together:
        rate *= alone / together
        source += f" at the clock of one core, {quantity(alone, 'Hz')} instead of {quantity(together, 'Hz')}"
    return rate, source
