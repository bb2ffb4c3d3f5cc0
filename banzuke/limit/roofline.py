"""The roofline of one metric's own work: the best possible time, which the resource sets that takes longest.

A limit stays an upper bound when a ceiling is unknown, but it may then be far too high. So an unknown ceiling is left
out only where it could bind on no machine, by what its resource declares.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from banzuke.limit.model import Ceiling
from banzuke.machine.model import Machine
from banzuke.machine.site import Cache
from banzuke.plan.benchmark import Resource
from banzuke.record.figures import Demand, Samples
from banzuke.record.model import Record
from banzuke.units import number, quantity

CACHE_FACTOR = 4
"""STREAM's rule: work on less than this many last-level caches may be served by them."""
NOISE = 0.02
"""A median this far above its limit is still noise: ceilings are best samples, and runs repeat to 1-2%."""


def last_level_cache(caches: Sequence[Cache], cores: int | None = None) -> int | None:
    """Bytes of the last cache level that the allowed processors reach, or so many cores spread over its instances."""
    data = [cache for cache in caches if cache.kind != "instruction"]
    last = max((cache.level for cache in data), default=None)
    found = [cache for cache in data if cache.level == last]
    return sum(cache.bytes * min(cache.instances, cores or cache.instances) for cache in found) or None


@dataclass(frozen=True)
class Share:
    """The part of the machine that a record, or one of its groups, used, over all its hosts."""

    cores: int
    available: int
    hosts: int = 1
    devices: int = 0

    @classmethod
    def of(cls, record: Record, machine: Machine, group: int | None = None) -> "Share":
        groups = record.groups if group is None else [record.groups[group]]
        hosts = max(1, len({host.name for one in groups for hosts in one.hosts for host in hosts.each}))
        available = max(1, machine.allotment.allowed_cores) * hosts
        cores = sum(one.ranks * one.threads for one in groups)
        devices = {device for one in groups for binding in one.binding for device in binding.devices}
        return cls(min(cores, available), available, hosts, len(devices))

    @property
    def whole(self) -> bool:
        return self.cores >= self.available

    def __str__(self) -> str:
        return f"{self.cores} of {self.available} cores"


@dataclass(frozen=True)
class Roof:
    """A ceiling as it stands for one demand of a record."""

    rate: float
    """In the resource's unit; of a bound of its own samples a second."""
    source: str
    resource: Resource | None = None
    """None: the program itself found it out beside the figure."""
    title: str = ""


def roof(ceiling: Ceiling, demand: Demand, share: Share, machine: Machine) -> Roof:
    """By the scope of its resource, for as much of the machine as serves the demand."""
    rate, source = ceiling.value, ceiling.text
    match ceiling.resource.scope:
        case "core":
            rate, source = _of_cores(ceiling, share, machine)
        case "host" | "link":
            hosts = 1 if demand.busiest else share.hosts
            rate *= hosts
            source += f"; times {hosts} hosts" if hosts > 1 else ""
            source += f"; the whole machine's, while {share} were used" if not share.whole else ""
        case "device":
            devices = 1 if demand.busiest == "device" else max(1, share.devices)
            rate *= devices
            source += f"; times {devices} devices" if devices > 1 else ""
        case "area":
            source += f", of {demand.area}" if demand.area else ""
    return Roof(rate, source, ceiling.resource, ceiling.name)


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


@dataclass(frozen=True)
class Bound:
    """Best possible time of one sample's work and the roof that sets it; None: unknown, see `reason`."""

    seconds: float | None
    roof: Roof | None = None
    reason: str = ""

    @property
    def resource(self) -> str:
        """What binds; empty: unknown, or the program found the bound out itself."""
        return self.roof.resource.name if self.roof and self.roof.resource else ""

    @property
    def compute(self) -> bool:
        return self.resource.startswith("flops.")

    @property
    def memory(self) -> bool:
        return self.resource.startswith("memory.")

    @property
    def own(self) -> bool:
        return self.roof is not None and self.roof.resource is None


def own_bound(samples: Samples, kind: str) -> Bound | None:
    """The tightest of a kind; None: the program found none out."""
    known = [own for own in samples.bounds if own.kind == kind]
    if not known:
        return None
    tightest = max(known, key=lambda own: own.seconds)
    return Bound(tightest.seconds, Roof(1 / tightest.seconds, tightest.source))


@dataclass(frozen=True)
class Asked:
    """A demand with the roof that stands for it."""

    amount: float
    resource: str
    roof: Roof | str
    """Text: unknown, and the text says why."""
    within: str = ""
    at_least: Mapping[str, float] = field(default_factory=dict)

    def takes_less_than(self, other: "Asked") -> bool:
        """On any machine, or by what stands for it."""
        return other.resource == self.within or self.amount <= self.at_least.get(other.resource, 0.0) * other.amount


def bound(asked: Sequence[Asked]) -> Bound:
    """The largest of amount / rate over what is asked for; an unknown rate that could bind leaves it unknown."""
    asked = [one for one in asked if one.amount]
    times = [(one.amount / one.roof.rate, one.roof) for one in asked if isinstance(one.roof, Roof)]
    seconds, found = max(times, key=lambda timed: timed[0], default=(0.0, None))
    for one in asked:
        if isinstance(one.roof, str) and not any(one.takes_less_than(other) for other in asked):
            return Bound(None, reason=one.roof)
    return Bound(seconds, found) if seconds else Bound(None, reason="nothing that it asks for has a known rate")
