"""A case of two runs side by side, size by size."""

from collections.abc import Container
from dataclasses import dataclass
from math import isfinite

from banzuke.record.compare import Comparison, Side, Verdict, judge, side
from banzuke.record.matching import Case
from banzuke.record.model import Record
from banzuke.record.statistics import Interval, median, ratio_interval
from banzuke.units import quantity


def headline_size(record: Record) -> str:
    """Of the messages that the record's own metrics are of, for people; empty: they have none, as a barrier has."""
    size = record.conditions.get("headline_size")
    return quantity(size, "B") if not record.matrices and isinstance(size, int | float) and size else ""


@dataclass(frozen=True)
class AtSize:
    at: float
    a: Side
    b: Side
    ratio: float | None
    interval: Interval | None
    verdict: Verdict
    reason: str


def sizes(line: Comparison) -> list[float]:
    """Those at which both have the line's metric."""
    return sorted(_points(line.case, line) & _points(line.other, line))


def by_size(line: Comparison, wanted: Container[float] | None = None) -> list[AtSize]:
    """At all sizes, or at those `wanted`, which saves the time of the others' intervals."""
    return [_at(line, size) for size in sizes(line) if wanted is None or size in wanted]


def _points(case: Case | None, line: Comparison) -> set[float]:
    if case is None or line.metric is None:
        return set()
    return {
        point.at
        for record in case.measured
        if record.curve
        for point in record.curve.points
        if line.metric.name in point.metrics and point.metrics[line.metric.name].unit == line.metric.unit
    }


def _at(line: Comparison, size: float) -> AtSize:
    if line.metric is None or line.other is None:
        raise ValueError("needs a metric that both have")
    a, b = (_samples(case, line.metric.name, size) for case in (line.case, line.other))
    all_a, all_b = ([sample for launch in of for sample in launch] for of in (a, b))
    sides = side(all_a, len(a)), side(all_b, len(b))
    if not all(map(isfinite, (*all_a, *all_b))) or min(median(all_a), median(all_b)) <= 0:
        return AtSize(size, *sides, None, None, "not comparable", "a ratio needs finite samples and positive medians")
    better, worse = (all_b, all_a) if line.metric.better == "higher" else (all_a, all_b)
    interval = ratio_interval(better, worse)
    verdict, reason = judge(interval, {"A": len(all_a), "B": len(all_b)})
    return AtSize(size, *sides, median(better) / median(worse), interval, verdict, reason)


def _samples(case: Case, metric: str, size: float) -> list[list[float]]:
    """Of each launch."""
    return [
        point.metrics[metric].samples
        for record in case.measured
        if record.curve
        for point in record.curve.points
        if point.at == size and metric in point.metrics
    ]
