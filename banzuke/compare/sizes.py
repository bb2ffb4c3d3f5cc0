"""Compares a case of two runs size by size."""

from collections.abc import Container

from banzuke.compare.matching import CaseLaunches
from banzuke.compare.runs import Comparison
from banzuke.compare.verdict import Judgement, judge
from banzuke.record.model import Record
from banzuke.units import quantity

TABLE_SIZES = (0, 8, 4 << 10, 64 << 10, 1 << 20, 32 << 20, 1 << 30)
"""Sizes in bytes that short tables show, if measured; a barrier has only 0."""


def headline_size(record: Record) -> str:
    """Return the message size of the record's own metrics, for people; empty: none, as for a barrier."""
    size = record.conditions.get("headline_size")
    return quantity(size, "B") if not record.pairs and isinstance(size, int | float) and size else ""


def sizes(line: Comparison) -> list[float]:
    """Return the sizes at which both cases have the line's metric."""
    return sorted(_points(line.case, line) & _points(line.other, line))


def by_size(line: Comparison, wanted: Container[float] | None = None) -> dict[float, Judgement]:
    """Judge the line at all its sizes, or at those `wanted`."""
    if line.metric is None or line.other is None:
        return {}
    chosen = [size for size in sizes(line) if wanted is None or size in wanted]
    return {size: judge(line.case, line.other, line.metric, size) for size in chosen}


def _points(case: CaseLaunches | None, line: Comparison) -> set[float]:
    if case is None or line.metric is None:
        return set()
    return {
        point.at
        for record in case.measured
        if record.curve
        for point in record.curve.points
        if line.metric.name in point.metrics and point.metrics[line.metric.name].unit == line.metric.unit
    }
