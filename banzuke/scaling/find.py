"""Finds scaling studies in the records of any runs: cases that differ only in the number of nodes and what
follows from it.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from banzuke.amounts import Scalar
from banzuke.compare.matching import CaseLaunches, gather, variant
from banzuke.compare.settings import varying
from banzuke.compare.statistics import median
from banzuke.plan.benchmark import Benchmark, Metric
from banzuke.record.model import Record
from banzuke.record.state import States, taken
from banzuke.scaling.alike import about_copies, about_disturbed, alike, states_of
from banzuke.scaling.fit import Kind
from banzuke.scaling.model import Count, Scaling, ScalingStudy
from banzuke.units import layout
from banzuke.words import Listed, Message, Share, message

EQUAL = 1.05
"""Ratio up to which sizes count as one problem: jobs that each choose their size for the same nodes differ a little."""
OVERLAP = 0.5
"""Smallest share of the shortest copy's time during which all copies have to run."""
_ROUNDING = 1e-9
"""Rounding error of sums of logarithms."""


def scaling_studies(
    records: Iterable[Record],
    benchmarks: Mapping[str, Benchmark],
    metric: str | None = None,
    nodes: Mapping[str, int] | None = None,
) -> Scaling:
    """Return the studies by benchmark, then kind, then the settings that distinguish them.

    `metric`: its name; None: the headline's. `nodes`: number of existing nodes, by the fingerprint of the machine.
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
    """Return the metrics that are rates, because the efficiency of anything else means nothing."""
    rates = [metric for metric in spec.metrics if metric.better == "higher"]
    return [metric for metric in rates if (metric.name == name if name else metric.headline)]


def _studies_of(records: Sequence[Record], spec: Benchmark, metric: Metric) -> Iterator[ScalingStudy]:
    groups: dict[Hashable, list[Record]] = defaultdict(list)
    for record in records:
        if not (record.provenance and record.provenance.batch):
            groups[_alike(record, spec)].append(record)
    states = states_of(records)
    studies = [
        study
        for cases in map(gather, groups.values())
        for study in (*_strong(cases, spec, metric, states), *_weak(cases, spec, metric, states))
    ]
    yield from _distinct([*studies, *_throughput(records, spec, metric, states)])


def _alike(record: Record, spec: Benchmark) -> Hashable:
    """Return what cases of one study share: all but the number of nodes, what follows from it, and how a node's cores
    are divided among ranks and threads.
    """
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
    """Return the parameters that are words and say what is solved; those that say how may be chosen by the
    number of ranks.
    """
    others = {name: value for name, value in record.parameters.items() if name not in spec.tuning.tunable}
    return {name: value for name, value in others.items() if isinstance(value, str | bool)}


def _built(record: Record) -> dict[str, str]:
    """Return what the programs were built with; other facts about software only lead to remarks."""
    return {name: record.software.get(name, "") for name in ("compiler", "mpi", "blas")}


def _size(record: Record, spec: Benchmark) -> float:
    """Return the logarithm of the whole problem's size, because products may be large."""
    values = [record.parameters.get(name) for name in spec.sizing.parameters]
    numbers = [math.log(value) for value in values if isinstance(value, int | float) and value > 0]
    return sum(numbers) + (math.log(record.ranks) if spec.sizing.each_rank else 0.0)


def _count(case: CaseLaunches, spec: Benchmark, metric: Metric) -> Count | None:
    """Return what was measured; None: no launch has a figure from which a ratio can be computed."""
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
    """Return the rate of a launch; 0: it has none."""
    samples = record.metrics.get(metric.name)
    value = median(samples.samples) if samples and samples.unit == metric.unit else 0.0
    return value if math.isfinite(value) else 0.0


def _sized(cases: Iterable[CaseLaunches], spec: Benchmark, metric: Metric) -> list[tuple[float, CaseLaunches]]:
    """Return the cases that have a figure, sorted by size."""
    measured = [case for case in cases if _count(case, spec, metric)]
    return sorted(((_size(case.record, spec), case) for case in measured), key=lambda sized: sized[0])


def _counts(cases: Iterable[CaseLaunches], spec: Benchmark, metric: Metric) -> list[Count]:
    return [count for case in cases if (count := _count(case, spec, metric))]


def _strong(cases: Sequence[CaseLaunches], spec: Benchmark, metric: Metric, states: States) -> Iterator[ScalingStudy]:
    """Yield a study for each size with several numbers of nodes."""
    groups: list[list[tuple[float, CaseLaunches]]] = []
    for size, case in _sized(cases, spec, metric):
        if groups and size - groups[-1][0][0] <= math.log(EQUAL):
            groups[-1].append((size, case))
        else:
            groups.append([(size, case)])
    for group in groups:
        compared = alike([case for _, case in group], states)
        best = _best(_counts(compared.cases, spec, metric))
        if len(best) > 1:
            sizes = [count.size for count in best]
            most = math.expm1(max(sizes) - min(sizes))
            remarks = (message("scaling-sizes-differ", most=Share(most)),) if most > _ROUNDING else ()
            yield _study("strong", cases[0].record, spec, metric, best, (*compared.remarks, *remarks))


def _weak(cases: Sequence[CaseLaunches], spec: Benchmark, metric: Metric, states: States) -> Iterator[ScalingStudy]:
    """Yield a study of the largest problem on each number of nodes, as long as it grows with them."""
    by_nodes: dict[int, list[tuple[float, CaseLaunches]]] = defaultdict(list)
    for size, case in _sized(cases, spec, metric):
        by_nodes[case.nodes].append((size, case))
    largest: list[CaseLaunches] = []
    before = -math.inf
    for nodes in sorted(by_nodes):
        most = max(size for size, _ in by_nodes[nodes])
        if most - before > math.log(EQUAL):
            largest += [case for size, case in by_nodes[nodes] if most - size <= math.log(EQUAL)]
            before = most
    compared = alike(largest, states)
    best = _best(_counts(compared.cases, spec, metric))
    if len(best) > 1:
        yield _study("weak", cases[0].record, spec, metric, best, compared.remarks)


def _best(counts: Iterable[Count]) -> list[Count]:
    """Return the fastest settings on each number of nodes."""
    fastest: dict[int, Count] = {}
    for count in counts:
        if count.nodes not in fastest or count.rate > fastest[count.nodes].rate:
            fastest[count.nodes] = count
    return [fastest[nodes] for nodes in sorted(fastest)]


def _throughput(records: Iterable[Record], spec: Benchmark, metric: Metric, states: States) -> Iterator[ScalingStudy]:
    """Yield studies of copies on hosts that are each measured by themselves at the same time."""
    batches: dict[tuple[Hashable, str], list[Record]] = defaultdict(list)
    for record in sorted(records, key=lambda record: record.started):
        if record.provenance and record.provenance.batch:
            batches[_alike(record, spec), record.provenance.batch].append(record)
    groups: dict[Hashable, list[tuple[Record, Sequence[CaseLaunches]]]] = defaultdict(list)
    for (key, _), batch in batches.items():
        copies: dict[Hashable, list[Record]] = defaultdict(list)
        for record in batch:  # a screen measures all hosts in one run, and elements of an array may share a host
            run = record.provenance.run if record.provenance else ""
            copies[run, *(host.name for host in record.hosts)].append(record)
        groups[key].append((batch[0], [gather(launches)[0] for launches in copies.values()]))
    for measured in groups.values():
        counts: dict[int, Count] = {}
        disturbed: Counter[int] = Counter()
        ran: dict[int, list[Record]] = defaultdict(list)
        for _, copied in measured:  # the same number of copies again counts as further launches
            together = _together(copied, spec, metric)
            nodes = len(copied)
            disturbed[nodes] += together.disturbed
            ran[nodes] += together.launches
            if count := together.count:
                counts[nodes] = _joined(counts[nodes], count) if nodes in counts else count
        if len(counts) > 1:
            remarks = [
                *about_disturbed(disturbed),
                *(remark for nodes in sorted(counts) for remark in about_copies(nodes, ran[nodes], states)),
            ]
            in_order = [counts[nodes] for nodes in sorted(counts)]
            yield _study("throughput", measured[0][0], spec, metric, in_order, tuple(remarks))


def _joined(a: Count, b: Count) -> Count:
    return replace(
        a,
        medians=(*a.medians, *b.medians),
        records=(*a.records, *b.records),
        apart=a.apart or b.apart,
        failed=a.failed + b.failed,
        launches=(*a.launches, *b.launches),
    )


@dataclass(frozen=True)
class _Together:
    """Copies on several hosts."""

    count: Count | None = None
    """None: a copy has no figure, or in each launch some copy was disturbed, so that there is no sum over all."""
    launches: Sequence[Record] = ()
    """Launches of all copies that count."""
    disturbed: int = 0
    """Number of times that all were launched and one of them was disturbed."""


def _together(copies: Sequence[CaseLaunches], spec: Benchmark, metric: Metric) -> _Together:
    """Return the sum over copies, launch by launch."""
    counted = [_count(case, spec, metric) for case in copies]
    counts = [count for count in counted if count]
    if len(counts) < len(copies):
        return _Together()
    launched = list(zip(*(count.launches for count in counts), strict=False))
    usable = [at for at, copied in enumerate(launched) if not any(taken(launch).disturbed for launch in copied)]
    disturbed = len(launched) - len(usable)
    if not usable:
        return _Together(disturbed=disturbed)
    count = replace(
        counts[0],
        nodes=len(copies),
        medians=tuple(math.fsum(count.medians[at] for count in counts) for at in usable),
        seconds=max(count.seconds for count in counts),
        records=tuple(record for count in counts for record in count.records),
        apart=not _at_once(copies),
        failed=sum(count.failed for count in counts),
        launches=tuple(counts[0].launches[at] for at in usable),
    )
    return _Together(count, [launch for at in usable for launch in launched[at]], disturbed)


def _at_once(copies: Sequence[CaseLaunches]) -> bool:
    """Return whether the copies had different hosts, and all ran at once for a part of the shortest one's time."""
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
    """Yield the studies with only the settings that distinguish studies of a benchmark."""
    telling = varying([dict(study.settings) for study in studies])
    for study in sorted(studies, key=lambda study: (study.kind, study.partition)):
        yield replace(study, settings={name: study.settings[name] for name in telling if name in study.settings})


def _within(study: ScalingStudy, nodes: Mapping[str, int]) -> ScalingStudy:
    """Return the study with the number of existing nodes, unless fewer than were measured are known."""
    most = nodes.get(study.machine, 0)
    return replace(study, most=most) if most >= study.counts[-1].nodes else study


def _remarked(study: ScalingStudy) -> ScalingStudy:
    """Return the study with remarks that make its figures dubious or explain them."""
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
    """Return whether it is better than perfect, by more than chance explains where that is known."""
    interval = study.efficiency_interval(count)
    return interval.low > 1 if interval else study.efficiency(count) > EQUAL


def _reasons(records: Sequence[Record], spec: Benchmark, metric: Metric) -> Iterator[str]:
    """Yield why there is no study of a benchmark that was run on several nodes."""
    several = [record for record in records if record.nodes > 1 or (record.provenance and record.provenance.batch)]
    if not several:
        return
    cases = gather(records)
    measured = [case for case in cases if _count(case, spec, metric)]
    nodes = ", ".join(map(str, sorted({case.nodes for case in measured})))
    alike_cases: dict[Hashable, list[CaseLaunches]] = defaultdict(list)
    for case in measured:
        alike_cases[_alike(case.record, spec)].append(case)
    if failed := next((case.record for case in cases if not case.measured and case.nodes > 1), None):
        yield f"{spec.name}: {failed.status} on several nodes: {failed.reason}"
    elif any(alike(group, states_of(records)).apart for group in alike_cases.values()):
        yield f"{spec.name}: no two numbers of nodes undisturbed and in one state of the machine ({nodes} measured)"
    else:
        yield f"{spec.name}: no two numbers of nodes with the same settings ({nodes} measured)"
