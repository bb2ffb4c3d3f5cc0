"""The rates that nothing on this machine exceeds: the best verified ones, and the theoretical peaks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from banzuke.limit.model import Ceiling
from banzuke.limit.roofline import (
    CACHE_FACTOR,
    FLOP_RATE,
    FMA_RATE,
    MEMORY_BANDWIDTH,
    last_level_cache,
    times,
)
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.record.model import Record
from banzuke.units import count, quantity

ARRAYS = 3
"""Arrays that the widest kernel of a bandwidth benchmark moves: its traffic over this is about one array."""
_PEAKS = {"peak_flop_rate": FLOP_RATE, "peak_memory_bandwidth": MEMORY_BANDWIDTH}


def ceilings(records: Sequence[Record], machine: Machine, benchmarks: Mapping[str, Benchmark]) -> tuple[Ceiling, ...]:
    """Measured ceilings, at most one per name, then the theoretical peaks that are known."""
    usable = [record for record in records if measured_here(record, machine) and record.benchmark in benchmarks]
    found = [
        _flop_rate(usable, machine, benchmarks),
        _fma_rate(machine),
        _memory_bandwidth(usable, machine, benchmarks),
    ]
    peaks = (
        Ceiling(name, peak.value, "theoretical", peak.derivation)
        for key, name in _PEAKS.items()
        if (peak := machine.peaks.get(key)) is not None and peak.value
    )
    return (*(ceiling for ceiling in found if ceiling is not None), *peaks)


def measured_here(record: Record, machine: Machine) -> bool:
    """Whether the record is a verified figure of this one machine; without provenance it counts as local."""
    local = record.provenance is None or record.provenance.machine == machine.fingerprint
    return record.status == "ok" and local and len({host.name for host in record.hosts}) <= 1


def _fma_rate(machine: Machine) -> Ceiling | None:
    rate, cores = machine.cpu.fma_rate, machine.cpu.allowed_cores
    if not rate:
        return None
    return Ceiling(FMA_RATE, rate, "measured", f"measured without memory access on {count(cores, 'core')}", cores)


def _flop_rate(records: Sequence[Record], machine: Machine, benchmarks: Mapping[str, Benchmark]) -> Ceiling | None:
    best: Ceiling | None = None
    for record in records:
        metric = benchmarks[record.benchmark].provides.get(FLOP_RATE)
        if metric is None or metric not in record.metrics:
            continue
        rate = max(record.metrics[metric].samples)
        if rate > 0 and (best is None or rate > best.value):
            used = min(record.ranks * record.threads, machine.cpu.allowed_cores)
            source = f"measured by {record.benchmark} on {count(used, 'core')}"
            best = Ceiling(FLOP_RATE, rate, "measured", source, used)
    return best or _probed_rate(machine)


def _probed_rate(machine: Machine) -> Ceiling | None:
    """Where no benchmark measured DGEMM: the short probe by which the library was chosen."""
    library = machine.software.blas[0] if machine.software.blas else None
    if library is None or not library.flop_rate:
        return None
    rate = max(library.flop_rate, *library.update_rates.values(), 0.0)
    cores = machine.cpu.allowed_cores
    return Ceiling(FLOP_RATE, rate, "measured", f"DGEMM probed with {library.name} on {count(cores, 'core')}", cores)


@dataclass(frozen=True)
class _Traffic:
    record: Record
    metric: str
    rate: float
    footprint: float
    """Bytes that the record's widest kernel moves."""


def _memory_bandwidth(
    records: Sequence[Record], machine: Machine, benchmarks: Mapping[str, Benchmark]
) -> Ceiling | None:
    seen = [
        traffic
        for record in records
        if MEMORY_BANDWIDTH in benchmarks[record.benchmark].provides
        for traffic in _traffic(record)
    ]
    if not seen:
        return None
    cache = last_level_cache(machine.caches)
    largest = max(traffic.footprint for traffic in seen)
    enough = CACHE_FACTOR * ARRAYS * cache if cache else largest
    best = max(
        (traffic for traffic in seen if traffic.footprint >= min(enough, largest)),
        key=lambda traffic: traffic.rate,
    )
    used = min(best.record.ranks * best.record.threads, machine.cpu.allowed_cores)
    source = f"measured by {best.record.benchmark}'s {best.metric} on {count(used, 'core')}"
    if cache and best.footprint < enough:
        source += (
            f", from arrays below {CACHE_FACTOR} times the last-level cache of {quantity(cache, 'B')}: "
            "part of the traffic may have stayed in it"
        )
    return Ceiling(MEMORY_BANDWIDTH, best.rate, "measured", source, used)


def _traffic(record: Record) -> Iterator[_Traffic]:
    footprint = max((samples.work.moved for samples in record.metrics.values() if samples.work), default=0.0)
    for name, samples in record.metrics.items():
        seconds = times(samples)
        if samples.unit == "B/s" and samples.work and samples.work.moved and seconds:
            yield _Traffic(record, name, samples.work.moved / min(seconds), footprint)
