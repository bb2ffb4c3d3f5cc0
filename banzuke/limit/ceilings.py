"""The rates that nothing on this machine exceeds: the best verified ones, and the theoretical peaks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from banzuke.limit.model import Ceiling, Residence
from banzuke.limit.residence import residence
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark, Known, Resource
from banzuke.record.model import Record
from banzuke.units import count


def ceilings(records: Sequence[Record], machine: Machine, benchmarks: Mapping[str, Benchmark]) -> tuple[Ceiling, ...]:
    """Of each resource what was measured, what bounds that, and the theoretical peak, as far as they are known."""
    usable = [record for record in records if measured_here(record, machine)]
    found: list[Ceiling] = []
    for benchmark in benchmarks.values():
        own = [record for record in usable if record.benchmark == benchmark.name]
        for resource in benchmark.measures:
            found += _measured(resource, own, machine)
            above = resource.above(machine) if resource.above else None
            found += [_known(resource, above, above=True)] if above else []
    return (*found, *(peak for benchmark in benchmarks.values() for peak in _peaks(benchmark, machine)))


def measured_here(record: Record, machine: Machine) -> bool:
    """Whether the record is a verified figure of this kind of machine; without provenance it counts as local."""
    local = record.provenance is None or record.provenance.machine == machine.fingerprint
    return record.status == "ok" and local


@dataclass(frozen=True)
class _Rate:
    record: Record
    metric: str
    area: str | None
    value: float
    """Of a host, or of the area."""
    where: Residence | None


def _measured(resource: Resource, records: Sequence[Record], machine: Machine) -> list[Ceiling]:
    """The best rate of each storage area, or of a host; else what is known without the benchmark."""
    best: dict[str | None, _Rate] = {}
    for rate in (rate for record in records for rate in _rates(resource, record, machine)):
        if rate.area not in best or rate.value > best[rate.area].value:
            best[rate.area] = rate
    if not best:
        instead = resource.instead(machine) if resource.instead else None
        return [_known(resource, instead)] if instead else []
    return [_ceiling(resource, rate, machine) for rate in best.values()]


def _rates(resource: Resource, record: Record, machine: Machine) -> Iterator[_Rate]:
    """At which its samples asked for the resource; what lay in the caches tells nothing of what is behind them."""
    asked = [samples.demanded(resource.name) for samples in record.metrics.values()]
    where = residence(record, machine, untold=max(asked, default=0.0)) if resource.cached else None
    if where and where.place == "in cache":
        return
    hosts = record.nodes
    for name, samples in record.metrics.items():
        for of in samples.demand:
            if of.resource == resource.name and of.amount and samples.seconds:
                shared = 1 if of.busiest or resource.scope == "area" else hosts
                yield _Rate(record, name, of.area, of.amount / min(samples.seconds) / shared, where)


def _ceiling(resource: Resource, rate: _Rate, machine: Machine) -> Ceiling:
    hosts = rate.record.nodes
    used = max(1, min(rate.record.cores // hosts, machine.allotment.allowed_cores))
    of = f"'s {rate.metric}" if len(rate.record.metrics) > 1 else ""
    source = f"measured by {rate.record.benchmark}{of} on {count(used, 'core')}"
    if hosts > 1:
        source += f" of each of {hosts} hosts"
    if rate.where and rate.where.place == "partly in cache":
        source += f"; {rate.where}"
    return Ceiling(resource, rate.value, "measured", source, used, area=rate.area)


def _known(resource: Resource, known: Known, *, above: bool = False) -> Ceiling:
    on = f" on {count(known.threads, 'core')}" if known.threads else ""
    return Ceiling(resource, known.rate, "measured", known.source + on, known.threads, known.title, above)


def _peaks(benchmark: Benchmark, machine: Machine) -> Iterator[Ceiling]:
    for resource in benchmark.measures:
        peak = resource.peak(machine) if resource.peak else None
        if peak and peak.value:
            yield Ceiling(resource, peak.value, "theoretical", peak.derivation)


def unknown_peak(resource: Resource, machine: Machine) -> str:
    """Why the theoretical rate is unknown; empty: nothing says why."""
    peak = resource.peak(machine) if resource.peak else None
    return peak.derivation if peak and not peak.value else ""
