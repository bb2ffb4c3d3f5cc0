"""The rates that nothing on this machine exceeds: the best verified ones, and the theoretical peaks."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
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
from banzuke.words import Derived, Duration, Message, message


def ceilings(
    records: Sequence[Record],
    machine: Machine,
    benchmarks: Mapping[str, Benchmark],
    others: Sequence[Record] = (),
) -> tuple[Ceiling, ...]:
    """Of each resource what was measured, what bounds that, and the theoretical peak, as far as they are known.

    `others`, of other runs or measured for this purpose, stand in for resources that the records do not measure.
    """
    usable, standing_in = _by_benchmark(records, machine), _by_benchmark(others, machine)
    began = min((record.started for record in records), default=None)
    own = {record.provenance.run for record in records if record.provenance}
    names = [allotment.partition for allotment in machine.allotments]
    parts = [(name, machine.of(name)) for name in names] if len(names) > 1 else [(None, machine)]
    found: list[Ceiling] = []
    peaks: list[Ceiling] = []
    for benchmark in benchmarks.values():
        for resource in benchmark.resources.measures:
            measured = [_ceiling(resource, rate) for rate in best(resource, usable.get(benchmark.name, ()), machine)]
            measured = measured or [
                _from(rate.record, began, own, _ceiling(resource, rate))
                for rate in best(resource, standing_in.get(benchmark.name, ()), machine)
            ]
            found += measured
            for name, of in parts:
                if resource.instead and not any(one.partition in (None, name) for one in measured):
                    found += _known(resource, resource.instead(of), name)
                if resource.above:
                    found += _known(resource, resource.above(of), name, above=True)
                peaks += _peak(resource, of, name) if resource.scope != "area" else area_peaks(resource, of, name)
                peaks += peak_of_devices(resource, of, name)
    return (*found, *peaks)


def _by_benchmark(records: Sequence[Record], machine: Machine) -> Mapping[str, Sequence[Record]]:
    found: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        if measured_here(record, machine):
            found[record.benchmark].append(record)
    return found


def _from(record: Record, began: datetime | None, own: Collection[str], ceiling: Ceiling) -> Ceiling:
    """The ceiling with where it comes from: another run, and its age, or a short case for this purpose."""
    run = record.provenance.run if record.provenance else ""
    if not run or run in own:
        return replace(ceiling, source=message("limit-short-case", source=ceiling.source))
    when = age(began - record.started) if began else message("limit-earlier-unknown")
    return replace(ceiling, source=message("limit-from-run", source=ceiling.source, age=when, run=run), run=run)


def age(passed: timedelta) -> Message:
    """`3 days earlier`, `2 h 5 min earlier`; later where clocks or runs went the other way."""
    when = "earlier" if passed >= timedelta() else "later"
    if passed.days > 0:
        return message("limit-days", days=passed.days)
    return message("limit-age", duration=Duration(round(abs(passed.total_seconds()))), when=when)


def measured_here(record: Record, machine: Machine) -> bool:
    """Whether the record is a verified figure of this kind of machine; without provenance it counts as local."""
    local = record.provenance is None or record.provenance.machine == machine.fingerprint
    return record.status == "ok" and local


@dataclass(frozen=True)
class Rate:
    """At which a record's samples used a resource."""

    record: Record
    metric: str
    area: str | None
    of: Serving
    """Whose rate it is; of a link or an area, who used it."""
    devices: int
    """That reached it; 0: hosts did."""
    value: float
    """Of a host, of a device, or of the area."""
    where: Residence | None


def best(resource: Resource, records: Iterable[Record], machine: Machine) -> list[Rate]:
    """Of each storage area, or of a host or a device of each kind of each partition."""
    found: dict[tuple[str | None, str | None, str | None], Rate] = {}
    measuring = [record for record in records if _measures(resource, record)]
    for rate in (rate for record in measuring for rate in _rates(resource, record, machine)):
        key = rate.area, rate.of.partition, rate.of.device if rate.devices else None
        if key not in found or rate.value > found[key].value:
            found[key] = rate
    return list(found.values())


def _measures(resource: Resource, record: Record) -> bool:
    """Whether the record's case shows the rate, and is not only judged by it."""
    return all(record.parameters.get(name) in values for name, values in resource.measured_by.items())


def _rates(resource: Resource, record: Record, machine: Machine) -> Iterator[Rate]:
    """Rates at which its samples used the resource.

    Data in caches shows nothing of what lies behind them, and unlike processors or devices working together the rate of
    neither.
    """
    parts = serving(record, machine)
    of_kinds = resource.scope in ("core", "host", "device")
    if len({(of.partition, of.device is None, of.device if of_kinds else None) for of in parts}) > 1:
        return
    of_part = parts[0]
    asked = [samples.demanded(resource.name) for samples in record.metrics.values()]
    most = max(asked, default=0.0)
    where = residence(record, of_part.machine, otherwise=most) if resource.cached else None
    if where and where.place == "in cache":
        return
    devices = of_part.usage.devices if of_kinds else 0
    for name, samples in record.metrics.items():
        for of in samples.demand:
            if of.resource != resource.name or not of.amount or not samples.seconds:
                continue
            if of.group is not None and len(record.groups) > 1:
                continue  # the hosts and devices are those of all groups
            sharing = devices or record.nodes
            if of.busiest == "host":
                sharing = max(1, devices // record.nodes)
            elif of.busiest == "device" or resource.scope == "area":
                sharing = 1
            value = of.amount / min(samples.seconds) / sharing
            if resource.scope == "area" and impossible(resource, machine, of.area, value, record.nodes):
                continue
            yield Rate(record, name, of.area, of_part, devices, value, where)


def _ceiling(resource: Resource, rate: Rate) -> Ceiling:
    record, hosts, of = rate.record, rate.record.nodes, rate.of
    used = max(1, min(record.cores // hosts, of.machine.allotment.allowed_cores))
    named = of.device if rate.devices and len(of.machine.device_kinds) > 1 else None
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
    return Ceiling(
        resource,
        rate.value,
        "measured",
        source,
        None if rate.devices else used,
        area=rate.area,
        partition=of.partition,
        device=of.device if rate.devices else None,
    )


def _known(
    resource: Resource, known: KnownRate | None, partition: str | None, *, above: bool = False
) -> Iterator[Ceiling]:
    if known:
        source = message("limit-known-on", source=known.source, cores=known.threads or 0)
        yield Ceiling(
            resource,
            known.rate,
            "measured",
            source,
            known.threads,
            known.title,
            above,
            partition=partition,
        )


def peak_of_devices(
    resource: Resource, machine: Machine, partition: str | None, *, matrices: bool = True
) -> Iterator[Ceiling]:
    """Of one device of each kind; where several bear one name the highest, since nothing tells them apart.

    `matrices`: matrix units do the same arithmetic, where they are faster.
    """
    names = (resource.name, *((f"{resource.name}_matrix",) if matrices else ()))
    for kind in machine.device_kinds:
        alike = [device for device in machine.node.devices if device.name == kind]
        known = [device.peaks.get(name) for device in alike for name in names]
        if resource.of_device:
            known += [resource.of_device(device) for device in alike]
        found = [peak for peak in known if peak and peak.value]
        if found:
            peak = max(found, key=lambda one: one.value or 0.0)
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
