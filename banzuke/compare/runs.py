"""Compares two runs case by case, and a run with a published machine.

A ratio above 1 always means better by the metric's own direction: of B to A, or of the run to what was published. The
spread between launches decides (`verdict`).
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from banzuke.compare.apart import by_runs, interleaved, undisturbed
from banzuke.compare.matching import Alike, CaseLaunches, Change, MatchedCases, gather, match, with_others
from banzuke.compare.statistics import Interval, times_better, times_better_interval
from banzuke.compare.verdict import UNEVEN, UNTOLD, Side, Verdict, conclude, judge, measured, median_of, side
from banzuke.machine.published import MEASURED, PublishedFigure, PublishedMachine
from banzuke.plan.benchmark import Metric
from banzuke.plan.catalogue import measures, method
from banzuke.record.model import Record
from banzuke.words import Message

MOVED_BY = 2.0
"""Ratio by which states of a machine may separate its runs; one run differs from a published figure only beyond."""
RUNS_UNKNOWN = (
    "how much runs of this machine vary is not known: three of them as one side (A1,A2,A3), or three earlier ones in "
    "the results folder, hours apart, show it"
)
UNLIKE_LENGTHS = "not measured for as long, and extremes grow with time"
RELATIVE = ("ratio", "specification")
"""Kinds of published figures that relate two machines, with which a single run cannot be compared."""
ONCE = (*MEASURED, "rounded")
"""Kinds of published figures that may repeat another one of the same machine."""
DOUBTFUL = "doubtful in print: "

Metrics = Mapping[tuple[str, str], Metric]
"""Specification of each metric, by benchmark and metric."""
PeakOf = Callable[[Record, str], float | None]
"""Returns the theoretical peak for a metric of a record, in its unit."""
Launched = Callable[[Collection[str]], Sequence[Record]]
"""Returns all known records of cases, by hash; they show how launches vary if a side has only one."""


@dataclass(frozen=True)
class Comparison:
    """The comparison of one metric of one matched case; `metric` is None if the whole case cannot be compared."""

    benchmark: str
    backend: str
    case: CaseLaunches
    """The case of A, or that of B if A lacks it."""
    metric: Metric | None = None
    a: Side | None = None
    b: Side | None = None
    ratio: float | None = None
    """How many times better B's value is."""
    interval: Interval | None = None
    """See `Judgement`."""
    verdict: Verdict = "not comparable"
    reason: str = ""
    paired: bool = False
    """Whether launches were taken in turn, so that each was compared with its partner."""
    changes: tuple[Change, ...] = ()
    other: CaseLaunches | None = None
    """The case of B, if `case` is that of A."""
    blocks: tuple[int, int] | None = None
    told: tuple[Message, ...] = ()
    """See `Judgement`."""

    @property
    def differences(self) -> tuple[str, ...]:
        return tuple(change.in_sides for change in self.changes)


@dataclass(frozen=True)
class PublishedComparison:
    """A published figure compared with the run's: per node if the figure is of whole nodes, else as printed."""

    benchmark: str
    metric: str
    figure: PublishedFigure
    source: str
    declared: Metric | None = None
    case: CaseLaunches | None = None
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
    a: Sequence[Record],
    b: Sequence[Record],
    metrics: Metrics,
    collections: Collection[str] = (),
    launched: Launched | None = None,
    names: tuple[str, str] = ("A", "B"),
) -> list[Comparison]:
    """Compare matched cases in A's order, then list what only one side has. `collections`: see `match`.

    `names`: what reasons call the sides.
    """
    matching = match(gather(a), gather(b), collections)
    alike = Alike(
        _launches_of([case for pair in matching.pairs if _needs_others(pair) for case in (pair.a, pair.b)], launched)
    )
    lines = []
    for pair in matching.pairs:
        lines += _lines(
            replace(pair, a=with_others(pair.a, alike.of(pair.a)), b=with_others(pair.b, alike.of(pair.b))),
            metrics,
            names,
        )
    lines += [_alone(case, "only in A", names) for case in matching.only_a]
    lines += [_alone(case, "only in B", names[::-1]) for case in matching.only_b]
    return lines


def _needs_others(pair: MatchedCases) -> bool:
    """Return whether its own launches do not show how launches or runs differ: a single one, or runs apart in time."""
    counts = sorted(len(case.measured) > 1 for case in (pair.a, pair.b))
    return bool(pair.a.measured and pair.b.measured) and (counts == [False, True] or not interleaved(pair.a, pair.b))


def _launches_of(cases: Iterable[CaseLaunches], launched: Launched | None) -> Sequence[Record]:
    hashes = {case.record.provenance.case for case in cases if case.record.provenance}
    return launched(hashes) if launched and hashes else ()


def compare_published(
    records: Sequence[Record],
    machine: PublishedMachine,
    metrics: Metrics,
    peak_of: PeakOf | None = None,
    launched: Launched | None = None,
) -> list[PublishedComparison]:
    """Compare every figure of `machine` whose benchmark this run has, once for each backend that measured it.

    Of a figure that was published several times, for example rounded, the first one counts.
    """
    cases = [case for case in gather(records) if case.measured]
    alike = Alike(_launches_of(cases, launched))
    cases = [with_others(case, alike.of(case)) for case in cases]
    ours = {case.record.benchmark for case in cases}
    return [
        line
        for figure in machine.figure
        if figure.benchmark in ours and (figure.kind not in RELATIVE or (figure.benchmark, figure.metric) in metrics)
        if figure.kind not in ONCE or not machine.repeats(figure)
        for line in _published_lines(cases, machine, figure, metrics, peak_of)
    ]


def _lines(pair: MatchedCases, metrics: Metrics, names: tuple[str, str]) -> list[Comparison]:
    record = pair.a.record
    failures = "; ".join(text for text in map(_failure, (pair.a, pair.b), names) if text)
    base = Comparison(record.benchmark, record.backend, pair.a, reason=failures, changes=pair.changes, other=pair.b)
    if not (pair.a.measured and pair.b.measured):
        return [base]
    measured = {name for case in (pair.a, pair.b) for launch in case.measured for name in launch.metrics}
    declared = [name for benchmark, name in metrics if benchmark == record.benchmark and name in measured]
    undeclared = sorted(measured - set(declared))
    return [_line(base, pair, metrics[record.benchmark, name], names) for name in declared] + [
        _reasoned(base, f"nothing declares whether more or less of {name} is better") for name in undeclared
    ]


def _line(base: Comparison, pair: MatchedCases, metric: Metric, names: tuple[str, str]) -> Comparison:
    a, b = (
        side(measurement) if measurement.launches else None
        for measurement in (measured(case, metric.name) for case in (pair.a, pair.b))
    )
    line = replace(base, metric=metric, a=a, b=b)
    units = pair.a.units(metric.name) | pair.b.units(metric.name)
    if not a or not b:
        return _reasoned(line, f"not measured in {names[1] if a else names[0]}")
    if len(units) > 1:
        return _reasoned(line, f"units differ: {', '.join(sorted(units))}")
    if not pair.same_work and not of_any_size(metric.unit):
        return _reasoned(line, "not the same work, so only rates can be compared")
    if not pair.same_method and metric.extreme:
        return _reasoned(line, UNLIKE_LENGTHS)
    judgement = judge(pair.a, pair.b, metric, names=names)
    return replace(
        _reasoned(line, judgement.reason),
        a=judgement.a,
        b=judgement.b,
        ratio=judgement.ratio,
        interval=judgement.interval,
        verdict=judgement.verdict,
        paired=judgement.paired,
        blocks=judgement.blocks,
        told=judgement.told,
    )


def _alone(case: CaseLaunches, verdict: Verdict, names: tuple[str, str]) -> Comparison:
    """Return the line of an unmatched case; `names`: of its side, and of the other."""
    reason = _failure(case, names[0]) or f"{names[1]} has no such case"
    return Comparison(case.record.benchmark, case.record.backend, case, verdict=verdict, reason=reason)


def _failure(case: CaseLaunches, name: str) -> str:
    if not case.failed:
        return ""
    why = "; ".join(dict.fromkeys(f"{record.status}: {record.reason}" for record in case.failed))
    extent = f"{len(case.failed)} of {len(case.records)} launches " if case.measured else ""
    return f"{extent}in {name} {why}"


def _reasoned(line: Comparison, reason: str) -> Comparison:
    return replace(line, reason="; ".join(text for text in (reason, line.reason) if text))


def of_any_size(unit: str) -> bool:
    """Return whether figures of different amounts of work can be compared."""
    return "/s" in unit or unit == "1"


def _published_lines(
    cases: Sequence[CaseLaunches],
    machine: PublishedMachine,
    figure: PublishedFigure,
    metrics: Metrics,
    peak_of: PeakOf | None,
) -> list[PublishedComparison]:
    peak = machine.peak(figure, measures(figure.benchmark))
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
    with_metric = [case for case in cases if case.record.benchmark == figure.benchmark and case.units(figure.metric)]
    if not with_metric or declared is None:
        return [replace(base, reason=f"this run has no {figure.metric.replace('_', ' ')}")]
    alike = [case for case in with_metric if not conflicts(case.record, figure)]
    if not alike:
        reason = f"measured only for other kinds of case: {'; '.join(conflicts(with_metric[0].record, figure))}"
        return [replace(base, reason=reason)]
    first: dict[str, CaseLaunches] = {}
    for case in sorted(alike, key=lambda case: case.nodes != figure.nodes):
        first.setdefault(case.record.backend, case)
    return [_published_line(replace(base, case=case), declared, peak_of) for case in first.values()]


def _published_line(base: PublishedComparison, metric: Metric, peak_of: PeakOf | None) -> PublishedComparison:
    figure, published = base.figure, base.published
    if base.case is None or published is None:
        raise ValueError("needs a case and a published value")
    case = undisturbed(base.case)
    measurement = measured(case, metric.name)
    nodes = case.nodes if base.per_node else 1
    ours = side(
        measurement._replace(launches=[[sample / nodes for sample in samples] for samples in measurement.launches])
    )
    best = peak_of(case.record, metric.name) if peak_of else None
    numeric = _numeric_differences(case, figure)
    line = replace(
        base,
        ours=ours,
        ours_of_peak=ours.value * nodes / best if best else None,
        differences=(*_published_differences(case, figure), *numeric.values(), *_left_out(base.case, case)),
    )
    if case.units(metric.name) != {figure.unit}:
        return replace(
            line, reason=f"units differ: {figure.unit} published, {', '.join(sorted(case.units(metric.name)))} here"
        )
    how = method(figure.benchmark)
    if any(name not in how for name in numeric) and not of_any_size(figure.unit):
        return replace(line, reason="not the same work, so only rates can be compared")
    if any(name in how for name in numeric) and metric.extreme:
        return replace(line, reason=UNLIKE_LENGTHS)
    if measurement.unusable or published <= 0:
        return replace(line, reason=measurement.unusable or "a ratio needs positive values")
    runs = by_runs(case, lambda record: median_of(record, metric.name))
    shown = Interval(*(end / nodes for end in runs.interval)) if runs else ours.interval
    interval = times_better_interval(shown, published, metric.better) if shown else None
    verdict, why = conclude(interval, {} if runs else {"the run": measurement})
    if interval and not runs and 1 not in interval and interval.low < MOVED_BY and interval.high > 1 / MOVED_BY:
        verdict, why = UNTOLD, RUNS_UNKNOWN
    ratio = times_better(ours.value, published, metric.better)
    if interval and ratio and not interval.low <= ratio <= interval.high:
        verdict, why = "no difference shown", "; ".join(filter(None, (why, UNEVEN)))
    return replace(line, ratio=ratio, interval=interval, verdict=verdict, reason=why)


def _left_out(case: CaseLaunches, quiet: CaseLaunches) -> list[str]:
    launches, disturbed = len(case.measured), len(case.measured) - len(quiet.measured)
    left_out = f"others used the processors in {disturbed} of {launches} launches here, which are left out"
    return [left_out] if disturbed else []


def conflicts(record: Record, figure: PublishedFigure) -> list[str]:
    """Return why two cases are incomparable: only one is on devices, or choices such as a file layout differ."""
    ours = record.parameters
    alone = ["published only for devices, measured on processors"] if figure.devices and not record.devices else []
    return alone + [
        f"{name}: {theirs} published, {ours[name]} here"
        for name, theirs in figure.parameters.items()
        if isinstance(theirs, str | bool) and name in ours and ours[name] != theirs
    ]


def _numeric_differences(case: CaseLaunches, figure: PublishedFigure) -> dict[str, str]:
    """Return differences in numeric parameters, by name."""
    ours = case.record.parameters
    return {
        name: f"{name}: {theirs} published, {ours[name]} here"
        for name, theirs in figure.parameters.items()
        if isinstance(theirs, int | float) and not isinstance(theirs, bool)
        if name in ours and ours[name] != theirs
    }


def _published_differences(case: CaseLaunches, figure: PublishedFigure) -> list[str]:
    differences = []
    if figure.part:
        differences.append(f"published for {figure.part}, measured on {_nodes(case.nodes)}")
    elif figure.nodes and figure.nodes != case.nodes:
        differences.append(f"published for {_nodes(figure.nodes)}, measured on {_nodes(case.nodes)}")
    if figure.kind not in ("measured", "comparison"):
        differences.append(f"published as {figure.kind}, not as a measurement")
    return differences + [f"{DOUBTFUL}{flag}" for flag in figure.flags]


def _nodes(count: int) -> str:
    return "one node" if count == 1 else f"{count} nodes"
