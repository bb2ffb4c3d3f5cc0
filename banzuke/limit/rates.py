"""Finds the rates at which records used a resource, and which of them shows best what the machine has.

A rate may be too high where caches served a part of the data: it counts only where no other was measured on as many
cores. It may be too low where others used the processors: it counts if it is the highest, because the machine reached
it, but it is in doubt if no undisturbed launch shows what the machine does alone.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from banzuke.limit.areas import impossible
from banzuke.limit.capacity import Serving, serving
from banzuke.limit.model import Doubt, OtherRate, Residence
from banzuke.limit.residence import residence
from banzuke.machine.model import Machine
from banzuke.plan.resource import Resource
from banzuke.record.model import Record
from banzuke.record.state import taken

APART = 1.1
"""Ratio from which two rates disagree: runs repeat to 1-2%, and a cache adds at most 9% to data that are 12 times as
large."""


def measured_here(record: Record, machine: Machine) -> bool:
    """Return whether the record is a verified figure of this kind of machine; without provenance it counts as local."""
    local = record.provenance is None or record.provenance.machine == machine.fingerprint
    return record.status == "ok" and local


@dataclass(frozen=True)
class Rate:
    """The rate at which a record's samples used a resource."""

    record: Record
    metric: str
    area: str | None
    share: Serving
    """The part of the machine whose rate it is; for a link or an area, the part that used it."""
    devices: int
    """Number of devices that reached it; 0: hosts did."""
    value: float
    """Amount per second of a host, a device or the area."""
    where: Residence | None

    @property
    def whose(self) -> Hashable:
        """Return the storage area, or the partition and its kind of device, whose rate it is."""
        return self.area, self.share.partition, self.share.device if self.devices else None

    @property
    def cached(self) -> bool:
        return self.where is not None and self.where.place != "in memory"

    @property
    def disturbed(self) -> bool:
        return taken(self.record).disturbed

    @property
    def is_sound(self) -> bool:
        return not self.cached and not self.disturbed

    @property
    def cores(self) -> int:
        """Return the cores of each host that reached it; 0 for devices, whose number does not matter."""
        used = self.record.cores // self.record.nodes
        return 0 if self.devices else max(1, min(used, self.share.machine.allotment.allowed_cores))


@dataclass(frozen=True)
class Choice:
    """The rate that counts."""

    best: Rate
    doubt: Doubt
    other: OtherRate | None = None
    """One that differs much from it and does not count."""

    def or_better(self, theirs: "Choice") -> "Choice":
        """Return theirs where it has less doubt; if caches served both or neither, the higher of the two, which then is
        without the doubt: an undisturbed launch shows nothing higher.
        """
        if not theirs.doubt < self.doubt or theirs.best.cores < self.best.cores:
            return self
        if self.doubt.cached == theirs.doubt.cached:
            return replace(max(self, theirs, key=lambda choice: choice.best.value), doubt=theirs.doubt)
        return Choice(theirs.best, theirs.doubt, _higher(self.best, theirs.best) or theirs.other)


def choose(
    resource: Resource,
    records: Iterable[Record],
    machine: Machine,
    sizes: Collection[str] = (),
    state: Callable[[Record], Hashable] = lambda _: None,
) -> list[Choice]:
    """Return the best rate of each storage area, or of a host or a device of each kind in each partition.

    `sizes`: parameters of the benchmark that only change the size of its problem; `state`: returns the machine's state
    during a launch, because rates of different states are expected to differ.
    """
    rates: dict[Hashable, list[Rate]] = defaultdict(list)
    for record in records:
        if _measures(resource, record):
            for rate in _rates(resource, record, machine):
                rates[rate.whose].append(rate)
    return [_choice(resource, alike, sizes, state) for alike in rates.values()]


def _choice(
    resource: Resource, rates: Sequence[Rate], sizes: Collection[str], state: Callable[[Record], Hashable]
) -> Choice:
    """Return the highest rate; of a core's own cache the highest of a core, because all have the same."""
    most = max((rate.cores for rate in rates if not rate.cached), default=-1)
    counting = [rate for rate in rates if not rate.cached or rate.cores > most]
    alike = not any(rate.share.machine.kinds for rate in rates)
    own_cache = resource.cache and resource.scope == "core" and alike

    def reached(rate: Rate) -> float:
        return rate.value / max(1, rate.cores) if own_cache else rate.value

    best = max(counting, key=reached)
    alone = any(rate.cores >= best.cores and not rate.disturbed for rate in counting)
    doubt = Doubt(cached=best.cached, disturbed=not alone)
    if other := _higher(max(rates, key=reached), best):
        return Choice(best, doubt, other)
    lowest = min(_of_other_sizes(best, rates, sizes, state), key=lambda rate: rate.value, default=best)
    return Choice(best, doubt, OtherRate(lowest.value, "size") if lowest.value * APART < best.value else None)


def _higher(cached: Rate, best: Rate) -> OtherRate | None:
    """Return the rate that does not count, if it is much higher."""
    return OtherRate(cached.value, "cached") if cached.value > APART * best.value else None


def _of_other_sizes(
    best: Rate, rates: Iterable[Rate], sizes: Collection[str], state: Callable[[Record], Hashable]
) -> Iterable[Rate]:
    """Return the best rate of each other size at which the case of the best rate was measured in the same state."""
    if best.where is None or not best.is_sound:
        return ()

    def case(rate: Rate) -> Hashable:
        kept = {name: value for name, value in rate.record.parameters.items() if name not in sizes}
        return rate.record.backend, rate.record.layout, tuple(sorted(kept.items())), state(rate.record)

    fastest: dict[float, Rate] = {}
    for rate in rates:
        if rate.where and rate.is_sound and rate.metric == best.metric and case(rate) == case(best):
            size = rate.where.working_set
            fastest[size] = max(rate, fastest.get(size, rate), key=lambda rate: rate.value)
    return fastest.values()


def _measures(resource: Resource, record: Record) -> bool:
    """Return whether the record's case shows the rate, and is not only judged by it."""
    return all(record.parameters.get(name) in values for name, values in resource.measured_by.items())


def _rates(resource: Resource, record: Record, machine: Machine) -> Iterator[Rate]:
    """Yield the rates at which the record's samples used the resource.

    Data in caches shows nothing about the memory behind them, and different processors or devices working together show
    the rate of neither.
    """
    shares = serving(record, machine)
    of_kinds = resource.scope in ("core", "host", "device")
    if len({(share.partition, share.device is None, share.device if of_kinds else None) for share in shares}) > 1:
        return
    share = shares[0]
    amounts = [samples.demanded(resource.name) for samples in record.metrics.values()]
    most = max(amounts, default=0.0)
    factor = resource.beyond_caches
    where = residence(record, share.machine, most, factor) if factor else None
    if where and where.place == "in cache":
        return
    devices = share.usage.devices if of_kinds else 0
    for name, samples in record.metrics.items():
        for demand in samples.demand:
            asked = demand.resource == resource.name and resource.metric in ("", name)
            if not asked or not demand.amount or not samples.seconds:
                continue
            if demand.group is not None and len(record.groups) > 1:
                continue  # the hosts and devices are those of all groups
            sharing = devices or record.nodes
            if demand.busiest == "host":
                sharing = max(1, devices // record.nodes)
            elif demand.busiest == "device" or resource.scope == "area":
                sharing = 1
            value = demand.amount / min(samples.seconds) / sharing
            if resource.scope == "area" and impossible(resource, machine, demand.area, value, record.nodes):
                continue
            yield Rate(record, name, demand.area, share, devices, value, where)
