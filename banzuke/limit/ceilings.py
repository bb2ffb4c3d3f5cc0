"""Finds the rates that nothing on this machine exceeds: the best verified ones, and the theoretical peaks."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from banzuke.limit.areas import area_peaks
from banzuke.limit.capacity import noted
from banzuke.limit.model import Ceiling
from banzuke.limit.rates import Choice, choose, measured_here
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.resource import KnownRate, Resource
from banzuke.record.model import Record
from banzuke.record.state import State, States
from banzuke.words import Derived, Duration, Message, Quantity, message


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

    `others`, from other runs or measured for this purpose, stand in for what the records do not measure, or only
    with doubt.
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
        sizes = {*benchmark.sizing.parameters, *benchmark.sizing.method}
        for resource in benchmark.resources.measures:
            mine, theirs = (
                {
                    choice.best.whose: choice
                    for choice in choose(resource, by.get(benchmark.name, ()), machine, sizes, states.around)
                }
                for by in (usable, standing_in)
            )
            measured = []
            for whose in dict.fromkeys((*mine, *theirs)):
                choice, elsewhere = _preferred(mine.get(whose), theirs.get(whose))
                if choice:
                    ceiling = _ceiling(resource, choice, states.around(choice.best.record))
                    measured.append(_from(choice.best.record, began, own, ceiling) if elsewhere else ceiling)
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


def _preferred(mine: Choice | None, theirs: Choice | None) -> tuple[Choice | None, bool]:
    """Return the run's own choice or, where there is none or theirs is less doubtful, that of the others; and whether
    it is the others'.
    """
    if not theirs:
        return mine, False
    if not mine:
        return theirs, True
    choice = mine.or_better(theirs)
    return choice, choice.best is not mine.best


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


def _ceiling(resource: Resource, choice: Choice, state: State) -> Ceiling:
    rate = choice.best
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
    if rate.where and choice.doubt.cached:
        size, cache = Quantity(rate.where.working_set, "B"), Quantity(rate.where.cache, "B")
        times = resource.beyond_caches
        source = noted(source, message("limit-small-for-caches", size=size, times=times, cache=cache))
    if choice.doubt.disturbed:
        source = noted(source, message("limit-others-used"))
    ceiling = Ceiling(
        resource,
        rate.value,
        "measured",
        source,
        None if rate.devices else used,
        area=rate.area,
        partition=share.partition,
        device=share.device if rate.devices else None,
        doubt=choice.doubt,
        other=choice.other,
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
