"""Two runs side by side, case by case, and a run beside a published machine.

A ratio above 1 always means better by the metric's own direction: of B over A, or of the run over what was
published. Nothing is called faster or slower without an interval that says so.
"""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from banzuke.machine.published import Figure, PublishedMachine
from banzuke.plan.benchmark import Metric
from banzuke.record.matching import Case, Pair, gather, match
from banzuke.record.model import MOVED, Record
from banzuke.record.statistics import Interval, median, median_interval, ratio_interval, spread
from banzuke.units import quantity

FEWEST_SAMPLES = 5
"""Below this many samples on a side no difference is claimed."""

CHOICE = "blas_choice"
"""How the library was chosen, with rates that differ from probe to probe: no difference of software."""

RELATIVE = ("ratio", "specification")
"""Published figures of these kinds relate two machines: no run alone has anything to set beside them."""

Verdict = Literal["faster", "slower", "no difference shown", "not comparable", "only in A", "only in B"]
Metrics = Mapping[tuple[str, str], Metric]
"""(benchmark, metric) -> what its specification says of it."""
PeakOf = Callable[[Record, str], float | None]
"""Theoretical peak for a metric of a record, in its unit."""


@dataclass(frozen=True)
class Side:
    median: float
    samples: int
    launches: int
    interval: Interval | None
    """95% bootstrap interval of the median."""
    spread: float | None


@dataclass(frozen=True)
class Comparison:
    """One metric of one matched case; `metric` is None where a whole case cannot be compared."""

    benchmark: str
    backend: str
    case: Case
    """As in A, or in B where A lacks it."""
    metric: Metric | None = None
    a: Side | None = None
    b: Side | None = None
    ratio: float | None = None
    interval: Interval | None = None
    verdict: Verdict = "not comparable"
    reason: str = ""
    differences: tuple[str, ...] = ()
    other: Case | None = None
    """B's, where `case` is A's."""


@dataclass(frozen=True)
class PublishedComparison:
    """A published figure and the run's: per node where the figure is of whole nodes, else as printed."""

    benchmark: str
    metric: str
    figure: Figure
    source: str
    declared: Metric | None = None
    case: Case | None = None
    per_node: bool = False
    published: float | None = None
    ours: Side | None = None
    ratio: float | None = None
    interval: Interval | None = None
    published_of_peak: float | None = None
    ours_of_peak: float | None = None
    verdict: Verdict = "not comparable"
    reason: str = ""
    differences: tuple[str, ...] = ()


def compare(
    a: Sequence[Record], b: Sequence[Record], metrics: Metrics, collections: Collection[str] = ()
) -> list[Comparison]:
    """Matched cases in A's order, then what only one side has. `collections`: see `match`."""
    matching = match(gather(a), gather(b), collections)
    found = [line for pair in matching.pairs for line in _lines(pair, metrics)]
    found += [_alone(case, "only in A", "B") for case in matching.only_a]
    found += [_alone(case, "only in B", "A") for case in matching.only_b]
    return found


def cautions(a: Sequence[Record], b: Sequence[Record]) -> list[str]:
    """What makes the comparison of these two runs as a whole dubious."""
    found = []
    for name, of in _TRAITS.items():
        mine, theirs = _values(a, of), _values(b, of)
        if mine != theirs:
            found.append(f"{name}: {_listed(mine)} in A, {_listed(theirs)} in B")
    shared = {_program(record) for record in a} & {_program(record) for record in b}
    for program in sorted(shared):
        mine_of = [record for record in a if _program(record) == program]
        theirs_of = [record for record in b if _program(record) == program]
        for key in sorted({key for record in (*mine_of, *theirs_of) for key in record.software} - {CHOICE}):
            mine, theirs = (_software(records, key) for records in (mine_of, theirs_of))
            if mine and theirs and mine != theirs:
                found.append(f"{key} of {' '.join(program)}: {_listed(mine)} in A, {_listed(theirs)} in B")
    near, far = sorted((_distance(a), _distance(b)))
    if near and far > MOVED * near:
        found.append(
            f"the threads' processors were nearer to each other in {'A' if _distance(a) == near else 'B'}: "
            f"a cache line passed in {quantity(near, 's')} against {quantity(far, 's')}, so a hypervisor moved them"
        )
    single = [name for name, records in (("A", a), ("B", b)) if records and _one_launch(records)]
    if single:
        found.append(
            f"one launch of each case in {' and '.join(single)}: "
            "the intervals do not hold what changes from launch to launch"
        )
    return found


def _distance(records: Sequence[Record]) -> float:
    """Median seconds in which a cache line passes between the threads' processors; 0: unknown."""
    known = [record.distance for record in records if record.distance is not None]
    return median(known) if known else 0.0


def compare_published(
    records: Sequence[Record], machine: PublishedMachine, metrics: Metrics, peak_of: PeakOf | None = None
) -> list[PublishedComparison]:
    """Every figure of `machine` whose benchmark this run has, once for each backend that measured it."""
    cases = [case for case in gather(records) if case.measured]
    ours = {case.record.benchmark for case in cases}
    return [
        line
        for figure in machine.figure
        if figure.benchmark in ours and (figure.kind not in RELATIVE or (figure.benchmark, figure.metric) in metrics)
        for line in _published_lines(cases, machine, figure, metrics, peak_of)
    ]


def _lines(pair: Pair, metrics: Metrics) -> list[Comparison]:
    record = pair.a.record
    failures = "; ".join(text for text in (_failure(pair.a, "A"), _failure(pair.b, "B")) if text)
    base = Comparison(
        record.benchmark, record.backend, pair.a, reason=failures, differences=pair.differences, other=pair.b
    )
    if not (pair.a.measured and pair.b.measured):
        return [base]
    measured = {name for case in (pair.a, pair.b) for one in case.measured for name in one.metrics}
    declared = [name for benchmark, name in metrics if benchmark == record.benchmark and name in measured]
    undeclared = sorted(measured - set(declared))
    return [_line(base, pair, metrics[record.benchmark, name]) for name in declared] + [
        _reasoned(base, f"nothing declares whether more or less of {name} is better") for name in undeclared
    ]


def _line(base: Comparison, pair: Pair, metric: Metric) -> Comparison:
    a, b = pair.a.samples(metric.name), pair.b.samples(metric.name)
    line = replace(base, metric=metric, a=_side(pair.a, metric.name), b=_side(pair.b, metric.name))
    units = pair.a.units(metric.name) | pair.b.units(metric.name)
    if not a or not b:
        return _reasoned(line, f"not measured in {'B' if a else 'A'}")
    if len(units) > 1:
        return _reasoned(line, f"units differ: {', '.join(sorted(units))}")
    if not pair.same_work and not _of_any_size(metric.unit):
        return _reasoned(line, "not the same work, so only rates can be compared")
    if not all(map(math.isfinite, (*a, *b))):
        return _reasoned(line, "some samples are not finite")
    if min(median(a), median(b)) <= 0:
        return _reasoned(line, "a ratio needs positive medians")
    better, worse = (b, a) if metric.better == "higher" else (a, b)
    interval = ratio_interval(better, worse)
    verdict, why = judge(interval, {"A": len(a), "B": len(b)})
    return replace(_reasoned(line, why), ratio=median(better) / median(worse), interval=interval, verdict=verdict)


def judge(interval: Interval | None, counts: Mapping[str, int]) -> tuple[Verdict, str]:
    few = [f"{name} has {count}" for name, count in counts.items() if count < FEWEST_SAMPLES]
    if few:
        return "no difference shown", f"fewer than {FEWEST_SAMPLES} samples: {', '.join(few)}"
    if interval is None:
        return "no difference shown", "no interval: not all samples are positive"
    if 1 in interval:
        return "no difference shown", "the interval holds 1"
    return ("faster" if interval.low > 1 else "slower"), ""


def _alone(case: Case, verdict: Verdict, other: str) -> Comparison:
    here = "A" if other == "B" else "B"
    reason = _failure(case, here) or f"{other} has no such case"
    return Comparison(case.record.benchmark, case.record.backend, case, verdict=verdict, reason=reason)


def _failure(case: Case, name: str) -> str:
    if not case.failed:
        return ""
    why = "; ".join(dict.fromkeys(f"{record.status}: {record.reason}" for record in case.failed))
    extent = f"{len(case.failed)} of {len(case.records)} launches " if case.measured else ""
    return f"{extent}in {name} {why}"


def _side(case: Case, metric: str, divisor: float = 1) -> Side | None:
    samples = [sample / divisor for sample in case.samples(metric)]
    return side(samples, sum(metric in record.metrics for record in case.measured)) if samples else None


def side(samples: Sequence[float], launches: int) -> Side:
    return Side(median(samples), len(samples), launches, median_interval(samples), spread(samples))


def _reasoned(line: Comparison, reason: str) -> Comparison:
    return replace(line, reason="; ".join(text for text in (reason, line.reason) if text))


def _of_any_size(unit: str) -> bool:
    return "/s" in unit or unit == "1"


def _published_lines(
    cases: Sequence[Case],
    machine: PublishedMachine,
    figure: Figure,
    metrics: Metrics,
    peak_of: PeakOf | None,
) -> list[PublishedComparison]:
    peak = machine.peak(figure)
    declared = metrics.get((figure.benchmark, figure.metric))
    base = PublishedComparison(
        figure.benchmark,
        figure.metric,
        figure,
        machine.source(figure),
        declared,
        per_node=figure.per_node is not None,
        published=figure.value if figure.per_node is None else figure.per_node,
        published_of_peak=figure.value / peak if figure.value is not None and peak else None,
    )
    if figure.value is None:
        return [replace(base, reason=f"no number is printed: {figure.note}")]
    with_metric = [case for case in cases if case.record.benchmark == figure.benchmark and case.samples(figure.metric)]
    if not with_metric or declared is None:
        return [replace(base, reason=f"this run has no {figure.metric.replace('_', ' ')}")]
    alike = [case for case in with_metric if not _conflicts(case, figure)]
    if not alike:
        reason = f"measured only for other kinds of case: {'; '.join(_conflicts(with_metric[0], figure))}"
        return [replace(base, reason=reason)]
    first: dict[str, Case] = {}
    for case in alike:
        first.setdefault(case.record.backend, case)
    return [_published_line(replace(base, case=case), declared, peak_of) for case in first.values()]


def _published_line(base: PublishedComparison, metric: Metric, peak_of: PeakOf | None) -> PublishedComparison:
    case, figure, published = base.case, base.figure, base.published
    if case is None or published is None:
        raise ValueError("needs a case and a published value")
    ours = _side(case, metric.name, case.nodes if base.per_node else 1)
    best = peak_of(case.record, metric.name) if peak_of else None
    numeric = _numeric_differences(case, figure)
    line = replace(
        base,
        ours=ours,
        ours_of_peak=median(case.samples(metric.name)) / best if best else None,
        differences=(*_published_differences(case, figure), *numeric),
    )
    if case.units(metric.name) != {figure.unit}:
        return replace(line, reason=f"units differ: {figure.unit} published, {_listed(case.units(metric.name))} here")
    if numeric and not _of_any_size(figure.unit):
        return replace(line, reason="not the same work, so only rates can be compared")
    if ours is None or not all(map(math.isfinite, case.samples(metric.name))):
        return replace(line, reason="some samples are not finite")
    if min(ours.median, published) <= 0:
        return replace(line, reason="a ratio needs positive values")
    higher = metric.better == "higher"
    interval = None
    if ours.interval and ours.interval.low > 0:
        low, high = ours.interval
        interval = (
            Interval(low / published, high / published) if higher else Interval(published / high, published / low)
        )
    verdict, why = judge(interval, {"the run": ours.samples})
    ratio = ours.median / published if higher else published / ours.median
    return replace(line, ratio=ratio, interval=interval, verdict=verdict, reason=why)


def _conflicts(case: Case, figure: Figure) -> list[str]:
    """Named choices, such as a test or a file layout, that make two cases unlike."""
    ours = case.record.parameters
    return [
        f"{name}: {theirs} published, {ours[name]} here"
        for name, theirs in figure.parameters.items()
        if isinstance(theirs, str | bool) and name in ours and ours[name] != theirs
    ]


def _numeric_differences(case: Case, figure: Figure) -> list[str]:
    ours = case.record.parameters
    return [
        f"{name}: {theirs} published, {ours[name]} here"
        for name, theirs in figure.parameters.items()
        if isinstance(theirs, int | float) and not isinstance(theirs, bool)
        if name in ours and ours[name] != theirs
    ]


def _published_differences(case: Case, figure: Figure) -> list[str]:
    found = []
    if figure.part:
        found.append(f"published for {figure.part}, measured on {_nodes(case.nodes)}")
    elif figure.nodes and figure.nodes != case.nodes:
        found.append(f"published for {_nodes(figure.nodes)}, measured on {_nodes(case.nodes)}")
    if figure.kind not in ("measured", "comparison"):
        found.append(f"published as {figure.kind}, not as a measurement")
    return found + [f"doubtful in print: {flag}" for flag in figure.flags]


def _nodes(count: int) -> str:
    return "one node" if count == 1 else f"{count} nodes"


_TRAITS: dict[str, Callable[[Record], str | None]] = {
    "machine": lambda record: record.provenance.machine if record.provenance else None,
    "nodes": lambda record: str(len({host.name for host in record.hosts})) if record.hosts else None,
    "Banzuke": lambda record: record.provenance.banzuke if record.provenance else None,
    "commit": lambda record: record.provenance.commit if record.provenance else None,
    "environment": lambda record: record.provenance.environment if record.provenance else None,
}


def _values(records: Sequence[Record], of: Callable[[Record], str | None]) -> set[str]:
    return {value for record in records if (value := of(record)) is not None}


def _software(records: Sequence[Record], key: str) -> set[str]:
    return {record.software[key] for record in records if key in record.software}


def _listed(values: set[str]) -> str:
    return ", ".join(sorted(values)) or "not recorded"


def _program(record: Record) -> tuple[str, str]:
    return record.benchmark, record.backend


def _one_launch(records: Sequence[Record]) -> bool:
    measured = [len(case.measured) for case in gather(records)]
    return max(measured, default=0) == 1
