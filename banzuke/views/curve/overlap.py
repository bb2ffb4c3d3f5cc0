"""Shows how much of a non-blocking operation a computation hides."""

from collections.abc import Sequence
from dataclasses import dataclass

from banzuke.document import Cell, Column, Row, Table
from banzuke.units import percent, quantity
from banzuke.views.curve.lines import SizeLine, grouped
from banzuke.views.curve.statistics import statistics
from banzuke.words import message
from banzuke.words.language import Words


@dataclass(frozen=True)
class OverlapMetrics:
    """Names of the metrics of a non-blocking operation."""

    alone: str
    """Time of the operation alone."""
    computation: str
    """Time of the computation that overlaps it."""
    both: str
    hidden: str
    """Share of the operation's time that does not add to the computation's."""


@dataclass(frozen=True)
class Overlap:
    """One size of a non-blocking operation."""

    label: str
    size: str
    at: float
    alone: float
    """Seconds, as in the next two fields."""
    computation: float
    both: float
    share: float
    """Share of the operation that is hidden."""


def overlaps(lines: Sequence[SizeLine], hidden: Sequence[str], metrics: OverlapMetrics) -> list[Overlap]:
    """Return each size at which all of these metrics were measured; `hidden`: as for `grouped`."""
    names = (metrics.alone, metrics.computation, metrics.both, metrics.hidden)
    overlapping = [line for line in lines if any(metrics.hidden in point.metrics for point in line.curve.points)]
    return [
        Overlap(
            line.label if line.kind in line.label else f"{line.kind}, {line.label}",
            quantity(point.at, line.curve.unit),
            point.at,
            *(statistics(point.metrics[name]).median for name in names),
        )
        for group in (grouped(overlapping, hidden) if overlapping else [])
        for line in group.lines
        for point in line.curve.points
        if all(name in point.metrics for name in names)
    ]


def overlap_table(words: Words, hidden: Sequence[Overlap]) -> Table:
    """Return a row for each size: times of the operation, of the computation and of both, and the hidden share."""
    times = (message("views-alone"), message("views-computation"), message("views-both"))
    titles = (message("views-size"), *times, message("views-share-hidden"))
    columns = (
        Column(words(message("views-case"))),
        *(Column(words(title), numeric=True) for title in titles),
    )
    rows = [
        Row(
            (
                Cell(overlap.label, above=at > 0 and hidden[at - 1].label == overlap.label),
                Cell(overlap.size, overlap.at),
                *(
                    Cell(quantity(seconds, "s"), seconds)
                    for seconds in (overlap.alone, overlap.computation, overlap.both)
                ),
                Cell(percent(overlap.share), overlap.share),
            )
        )
        for at, overlap in enumerate(hidden)
    ]
    return Table(columns, tuple(rows), words(message("views-overlap-medians")))
