"""Finds the rates that nothing on this machine exceeds: the best verified ones, and the theoretical peaks."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from banzuke.limit.areas import area_peaks, impossible
from banzuke.limit.capacity import Serving, noted, serving
from banzuke.limit.model import Ceiling, Residence
from banzuke.limit.residence import residence
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.resource import KnownRate, Resource
from banzuke.record.model import Record
from banzuke.record.state import State, States
from banzuke.words import Derived, Duration, Message, message


def ceilings(
    records: Sequence[Record],
    machine: Machine,
    benchmarks: Mapping[str, Benchmark],
    others: Sequence[Record] = (),
    states: States | None = None,
    counts: Callable[[Record], bool] = lambda _: True,
) -> tuple[Ceiling, ...]:
    """Return each resource's best measured rates, what bounds these, and its theoretical peaks, as far
    as they are known.

    `others`, from other runs or measured for this purpose, stand in for resources that the records do not measure.
    `states`: those of the machine, so that ceilings say in which one they were measured. `counts`: returns whether a
    record may set a ceiling.
    """
    states = states or States(())
    usable, standing_in = (_by_benchmark(filter(counts, sources), machine) for sources in (records, others))
    began = min((record.started for record in records), default=None)
    own = {record.provenance.run for record in records if record.provenance}
    names = [allotment.partition for allotment in machine.allotments]
    parts = [(name, machine.of(name)) for name in names] if len(names) > 1 else [(None, machine)]
    known_rates: list[Ceiling] = []
    peaks: list[Ceiling] = []
    for benchmark in benchmarks.values():
        for resource in benchmark.resources.measures:
            measured = [
                _ceiling(resource, rate, states.around(rate.record))
                for rate in best_rates(resource, usable.get(benchmark.name, ()), machine)
            ]
            measured = measured or [
                _from(rate.record, began, own, _ceiling(resource, rate, states.around(rate.record)))
                for rate in best_rates(resource, standing_in.get(benchmark.name, ()), machine)
            ]
            known_rates += measured
            for name, alone in parts:
                if resource.instead and not any(ceiling.partition in (None, name) for ceiling in measured):
                    known_rates += _known(resource, resource.instead(alone), name)
                if resource.above:
                    known_rates += _known(resource, resource.above(alone), name, above=True)
                peaks += _peak(resource, alone, name) if resource.scope != "area" else area_peaks(resource, alone, name)
                peaks += peak_of_devices(resource, alone, name)
    return (*known_rates, *peaks)


def _by_benchmark(records: Iterable[Record], machine: Machine) -> Mapping[str, Sequence[Record]]:
    by_benchmark: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        if measured_here(record, machine):
            by_benchmark[record.benchmark].append(record)
    return by_benchmark


def _from(record: Record, began: datetime | None, own: Collection[str], ceiling: Ceiling) -> Ceiling:
    """Return the ceiling with its origin: another run and its age, or a short case for this purpose."""
    run = record.provenance.run if record.provenance else ""
    if not run or run in own:
        return replace(ceiling, source=message("limit-short-case", source=ceiling.source))
    when = age(began - record.started) if began else message("limit-earlier-unknown")
    return replace(ceiling, source=message("limit-from-run", source=ceiling.source, age=when, run=run), run=run)


def age(passed: timedelta) -> Message:
    """Return `3 days earlier`, `2 h 5 min earlier`; `later` if the run began later, or a clock was set back."""
    when = "earlier" if passed >= timedelta() else "later"
    if passed.days > 0:
        return message("limit-days", days=passed.days)
    return message("limit-age", duration=Duration(round(abs(passed.total_seconds()))), when=when)


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


def best_rates(resource: Resource, records: Iterable[Record], machine: Machine) -> list[Rate]:
    """Return the best rate of each storage area, or of a host or a device of each kind in each partition."""
    fastest: dict[tuple[str | None, str | None, str | None], Rate] = {}
    measuring = [record for record in records if _measures(resource, record)]
    for rate in (rate for record in measuring for rate in _rates(resource, record, machine)):
        key = rate.area, rate.share.partition, rate.share.device if rate.devices else None
        if key not in fastest or rate.value > fastest[key].value:
            fastest[key] = rate
    return list(fastest.values())


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
    where = residence(record, share.machine, otherwise=most) if resource.cached else None
    if where and where.place == "in cache":
        return
    devices = share.usage.devices if of_kinds else 0
    for name, samples in record.metrics.items():
        for demand in samples.demand:
            if demand.resource != resource.name or not demand.amount or not samples.seconds:
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


def _ceiling(resource: Resource, rate: Rate, state: State) -> Ceiling:
    record, hosts, share = rate.record, rate.record.nodes, rate.share
    used = max(1, min(record.cores // hosts, share.machine.allotment.allowed_cores))
    named = share.device if rate.devices and len(share.machine.device_kinds) > 1 else None
    source = message(
        "limit-measured-by",
        benchmark=record.benchmark,
        metric=rate.metric,
        metrics=len(record.metrics),
        devices=rate.devices,
        device=named or "none",
        cores=used,
        hosts=1 if rate.devices else hosts,
    )
    if rate.where and rate.where.place == "partly in cache":
        source = noted(source, rate.where.message)
    ceiling = Ceiling(
        resource,
        rate.value,
        "measured",
        source,
        None if rate.devices else used,
        area=rate.area,
        partition=share.partition,
        device=share.device if rate.devices else None,
    )
    return replace(ceiling, state=state) if ceiling.varies else ceiling


def _known(
    resource: Resource, rate: KnownRate | None, partition: str | None, *, above: bool = False
) -> Iterator[Ceiling]:
    if rate:
        source = message("limit-known-on", source=rate.source, cores=rate.threads or 0)
        yield Ceiling(
            resource,
            rate.rate,
            "measured",
            source,
            rate.threads,
            rate.title,
            above,
            partition=partition,
        )


def peak_of_devices(
    resource: Resource, machine: Machine, partition: str | None, *, matrices: bool = True
) -> Iterator[Ceiling]:
    """Yield the peak of one device of each kind; the highest if several kinds have one name, because
    they look the same.

    `matrices`: also consider matrix units, which do the same arithmetic.
    """
    names = (resource.name, *((f"{resource.name}_matrix",) if matrices else ()))
    for kind in machine.device_kinds:
        alike = [device for device in machine.node.devices if device.name == kind]
        peaks = [device.peaks.get(name) for device in alike for name in names]
        if resource.of_device:
            peaks += [resource.of_device(device) for device in alike]
        known_peaks = [peak for peak in peaks if peak and peak.value]
        if known_peaks:
            peak = max(known_peaks, key=lambda peak: peak.value or 0.0)
            yield Ceiling(
                resource,
                peak.value or 0.0,
                "theoretical",
                message("limit-derived-of-device", device=kind, derivation=Derived(peak.derivation)),
                partition=partition,
                device=kind,
            )


def _peak(resource: Resource, machine: Machine, partition: str | None) -> Iterator[Ceiling]:
    peak = resource.peak(machine) if resource.peak else None
    if peak and peak.value:
        yield Ceiling(
            resource,
            peak.value,
            "theoretical",
            message("limit-derived", derivation=Derived(peak.derivation)),
            partition=partition,
        )
