"""Finds scaling studies in the records of any runs: cases that differ only in the number of nodes and what follows."""

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from banzuke.amounts import Scalar
from banzuke.compare.matching import CaseLaunches, gather, variant
from banzuke.compare.settings import varying
from banzuke.compare.statistics import median
from banzuke.plan.benchmark import Benchmark, Metric
from banzuke.record.model import Record
from banzuke.scaling.fit import Kind
from banzuke.scaling.model import Count, Scaling, ScalingStudy
from banzuke.units import layout
from banzuke.words import Listed, Message, Share, message

EQUAL = 1.05
"""Sizes within this factor are one problem: jobs that each choose their size for the same nodes differ by a little."""
OVERLAP = 0.5
"""Share of the shortest copy's time for which all copies have to run."""
_ROUNDING = 1e-9
"""Rounding of sums of logarithms."""


def scaling_studies(
    records: Iterable[Record],
    benchmarks: Mapping[str, Benchmark],
    metric: str | None = None,
    nodes: Mapping[str, int] | None = None,
) -> Scaling:
    """Studies by benchmark, then kind, then what tells them apart.

    `metric`: its name; None: the headline's. `nodes`: that there are, by the fingerprint of the machine.
    """
    eligible = {name: spec for name, spec in benchmarks.items() if not (spec.messages or spec.collection)}
    usable = [record for record in records if record.benchmark in eligible and record.groups]
    studies: list[ScalingStudy] = []
    without: list[str] = []
    for name, spec in eligible.items():
        own = [record for record in usable if record.benchmark == name]
        for wanted in _metrics(spec, metric):
            ours = list(_studies_of(own, spec, wanted))
            studies += [_remarked(_within(study, nodes or {})) for study in ours]
            if not ours:
                without += _reasons(own, spec, wanted)
    return Scaling(tuple(studies), tuple(without))


def _metrics(spec: Benchmark, name: str | None) -> list[Metric]:
    """Rates: the efficiency of anything else says nothing."""
    rates = [metric for metric in spec.metrics if metric.better == "higher"]
    return [metric for metric in rates if (metric.name == name if name else metric.headline)]


def _studies_of(records: Sequence[Record], spec: Benchmark, metric: Metric) -> Iterator[ScalingStudy]:
    groups: dict[Hashable, list[Record]] = defaultdict(list)
    for record in records:
        if not (record.provenance and record.provenance.batch):
            groups[_alike(record, spec)].append(record)
    studies = [
        study
        for cases in map(gather, groups.values())
        for study in (*_strong(cases, spec, metric), *_weak(cases, spec, metric))
    ]
    yield from _distinct([*studies, *_throughput(records, spec, metric)])


def _alike(record: Record, spec: Benchmark) -> Hashable:
    """All that a case is but the number of nodes, numbers that follow from it, and how a node's cores are shared."""
    return (
        record.benchmark,
        record.backend,
        record.partition,
        tuple(sorted(_named(record, spec).items())),
        tuple(sorted(variant(record).items())),
        record.cores / record.nodes,
        *_built(record).values(),
        *((record.provenance.machine, record.provenance.version) if record.provenance else ()),
    )


def _named(record: Record, spec: Benchmark) -> dict[str, Scalar]:
    """Parameters that are words and say what is solved: how it is, the program may choose by the ranks."""
    others = {name: value for name, value in record.parameters.items() if name not in spec.tuning.tunable}
    return {name: value for name, value in others.items() if isinstance(value, str | bool)}


def _built(record: Record) -> dict[str, str]:
    """What the programs were built with; the rest of what is known of software is remarks."""
    return {name: record.software.get(name, "") for name in ("compiler", "mpi", "blas")}


def _size(record: Record, spec: Benchmark) -> float:
    """Logarithm of the whole problem's size, since products may be large."""
    values = [record.parameters.get(name) for name in spec.sizing.parameters]
    numbers = [math.log(value) for value in values if isinstance(value, int | float) and value > 0]
    return sum(numbers) + (math.log(record.ranks) if spec.sizing.each_rank else 0.0)


def _count(case: CaseLaunches, spec: Benchmark, metric: Metric) -> Count | None:
    """None: no launch has a figure that a ratio can be made of."""
    measured = [record for record in case.measured if _rate(record, metric)]
    if not measured:
        return None
    record = measured[0]
    return Count(
        nodes=record.nodes,
        medians=tuple(_rate(launch, metric) for launch in measured),
        size=_size(record, spec),
        sizes={name: record.parameters[name] for name in spec.sizing.parameters if name in record.parameters},
        layout=layout(record.ranks // record.nodes, record.threads),
        seconds=median([(launch.ended - launch.started).total_seconds() for launch in measured]),
        records=tuple(launch.provenance.id for launch in measured if launch.provenance),
        failed=len(case.failed),
        launches=tuple(measured),
    )


def _rate(record: Record, metric: Metric) -> float:
    """0: it has none."""
    samples = record.metrics.get(metric.name)
    value = median(samples.samples) if samples and samples.unit == metric.unit else 0.0
    return value if math.isfinite(value) else 0.0


def _counts(cases: Iterable[CaseLaunches], spec: Benchmark, metric: Metric) -> list[Count]:
    return [count for case in cases if (count := _count(case, spec, metric))]


def _strong(cases: Sequence[CaseLaunches], spec: Benchmark, metric: Metric) -> Iterator[ScalingStudy]:
    """One for each size of which there are several numbers of nodes."""
    counts = sorted(_counts(cases, spec, metric), key=lambda count: count.size)
    groups: list[list[Count]] = []
    for count in counts:
        if groups and count.size - groups[-1][0].size <= math.log(EQUAL):
            groups[-1].append(count)
        else:
            groups.append([count])
    for group in groups:
        best = _best(group)
        if len(best) > 1:
            sizes = [count.size for count in best]
            most = math.expm1(max(sizes) - min(sizes))
            remarks = (message("scaling-sizes-differ", most=Share(most)),) if most > _ROUNDING else ()
            yield _study("strong", cases[0].record, spec, metric, best, remarks)


def _weak(cases: Sequence[CaseLaunches], spec: Benchmark, metric: Metric) -> Iterator[ScalingStudy]:
    """The largest problem on each number of nodes, as long as it grows with them."""
    by_nodes: dict[int, list[Count]] = defaultdict(list)
    for count in _counts(cases, spec, metric):
        by_nodes[count.nodes].append(count)
    largest: list[Count] = []
    for nodes in sorted(by_nodes):
        most = max(count.size for count in by_nodes[nodes])
        same = [count for count in by_nodes[nodes] if most - count.size <= math.log(EQUAL)]
        if not largest or most - largest[-1].size > math.log(EQUAL):
            largest += _best(same)
    if len(largest) > 1:
        yield _study("weak", cases[0].record, spec, metric, largest, ())


def _best(counts: Iterable[Count]) -> list[Count]:
    """The fastest settings of each number of nodes."""
    fastest: dict[int, Count] = {}
    for count in counts:
        if count.nodes not in fastest or count.rate > fastest[count.nodes].rate:
            fastest[count.nodes] = count
    return [fastest[nodes] for nodes in sorted(fastest)]


def _throughput(records: Iterable[Record], spec: Benchmark, metric: Metric) -> Iterator[ScalingStudy]:
    """Copies on hosts that are measured each by itself at the same time: the first case of each."""
    batches: dict[tuple[Hashable, str], list[Record]] = defaultdict(list)
    for record in sorted(records, key=lambda record: record.started):
        if record.provenance and record.provenance.batch:
            batches[_alike(record, spec), record.provenance.batch].append(record)
    groups: dict[Hashable, list[tuple[Record, Count]]] = defaultdict(list)
    for (key, _), batch in batches.items():
        copies: dict[Hashable, list[Record]] = defaultdict(list)
        for record in batch:  # a screen measures all hosts in one run, and elements of an array may share a host
            run = record.provenance.run if record.provenance else ""
            copies[run, *(host.name for host in record.hosts)].append(record)
        if count := _together([gather(launches)[0] for launches in copies.values()], spec, metric):
            groups[key].append((batch[0], count))
    for measured in groups.values():
        counts: dict[int, Count] = {}
        for _, count in measured:  # the same number several times: further launches
            before = counts.get(count.nodes)
            counts[count.nodes] = _joined(before, count) if before else count
        if len(counts) > 1:
            yield _study("throughput", measured[0][0], spec, metric, [counts[nodes] for nodes in sorted(counts)], ())


def _joined(a: Count, b: Count) -> Count:
    return replace(
        a,
        medians=(*a.medians, *b.medians),
        records=(*a.records, *b.records),
        apart=a.apart or b.apart,
        failed=a.failed + b.failed,
        launches=(*a.launches, *b.launches),
    )


def _together(copies: Sequence[CaseLaunches], spec: Benchmark, metric: Metric) -> Count | None:
    """The sum over copies, launch by launch. None: a copy has no figure, so that there is no sum of all."""
    counted = [_count(case, spec, metric) for case in copies]
    counts = [count for count in counted if count]
    if len(counts) < len(copies):
        return None
    launches = min(len(count.medians) for count in counts)
    return replace(
        counts[0],
        nodes=len(copies),
        medians=tuple(math.fsum(count.medians[at] for count in counts) for at in range(launches)),
        seconds=max(count.seconds for count in counts),
        records=tuple(record for count in counts for record in count.records),
        apart=not _at_once(copies),
        failed=sum(count.failed for count in counts),
        launches=counts[0].launches[:launches],
    )


def _at_once(copies: Sequence[CaseLaunches]) -> bool:
    """On hosts of their own, and all at work for a part of the shortest one's time."""
    hosts = [host.name for case in copies for host in case.record.hosts]
    spans = [(case.measured[0].started, case.measured[-1].ended) for case in copies]
    shared = (min(end for _, end in spans) - max(start for start, _ in spans)).total_seconds()
    shortest = min((end - start).total_seconds() for start, end in spans)
    return len(set(hosts)) == len(hosts) and shared >= OVERLAP * shortest


def _study(
    kind: Kind, record: Record, spec: Benchmark, metric: Metric, counts: Sequence[Count], remarks: tuple[Message, ...]
) -> ScalingStudy:
    own = record.provenance
    settings: dict[str, Scalar] = {
        "backend": record.backend,
        "cores": record.cores // record.nodes,
        **variant(record),
        **_named(record, spec),
        **({"banzuke": own.version} if own else {}),
        **_built(record),
    }
    if kind == "strong":
        settings |= counts[0].sizes
    machine = own.machine if own else ""
    return ScalingStudy(kind, spec, metric, machine, record.partition, settings, tuple(counts), remarks=remarks)


def _distinct(studies: Sequence[ScalingStudy]) -> Iterator[ScalingStudy]:
    """With the settings alone that tell studies of a benchmark apart."""
    telling = varying([dict(study.settings) for study in studies])
    for study in sorted(studies, key=lambda study: (study.kind, study.partition)):
        yield replace(study, settings={name: study.settings[name] for name in telling if name in study.settings})


def _within(study: ScalingStudy, nodes: Mapping[str, int]) -> ScalingStudy:
    """A description of fewer nodes than were measured is of a part of them."""
    most = nodes.get(study.machine, 0)
    return replace(study, most=most) if most >= study.counts[-1].nodes else study


def _remarked(study: ScalingStudy) -> ScalingStudy:
    """With what makes its figures dubious or explains them."""
    counts = study.counts
    beyond = [(count, study.efficiency(count)) for count in counts[1:] if _beyond(study, count)]
    remarks = list(study.remarks)
    if beyond:
        best, efficiency = max(beyond, key=lambda pair: pair[1])
        remarks.append(message("scaling-beyond", kind=study.kind, nodes=best.nodes, efficiency=Share(efficiency)))
    if apart := [count.nodes for count in counts if count.apart]:
        remarks.append(message("scaling-apart", nodes=Listed(tuple(map(str, apart)))))
    if failed := sum(count.failed for count in counts):
        remarks.append(message("scaling-failed", number=failed))
    if any(len(count.medians) == 1 for count in counts):
        remarks.append(message("scaling-one-launch"))
    elif any(study.efficiency_interval(count) is None for count in counts[1:]):
        remarks.append(message("scaling-runs-apart"))
    return replace(study, remarks=tuple(remarks))


def _beyond(study: ScalingStudy, count: Count) -> bool:
    """Whether it is more than perfect, beyond what chance explains where that is known."""
    interval = study.efficiency_interval(count)
    return interval.low > 1 if interval else study.efficiency(count) > EQUAL


def _reasons(records: Sequence[Record], spec: Benchmark, metric: Metric) -> Iterator[str]:
    """Why nothing can be told of a benchmark that was asked to run on several nodes."""
    several = [record for record in records if record.nodes > 1 or (record.provenance and record.provenance.batch)]
    if not several:
        return
    cases = gather(records)
    if failed := next((case.record for case in cases if not case.measured and case.nodes > 1), None):
        yield f"{spec.name}: {failed.status} on several nodes: {failed.reason}"
    else:
        nodes = ", ".join(map(str, sorted({case.nodes for case in cases if _count(case, spec, metric)})))
        yield f"{spec.name}: no two numbers of nodes with the same settings ({nodes} measured)"
