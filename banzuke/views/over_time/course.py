"""The rate of a phase over its time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from banzuke.record.figures import Line

MOST_INTERVALS = 40
"""Most intervals in a chart."""


@dataclass(frozen=True)
class Course:
    """The rate of a phase over its time, for all ranks or a single one."""

    phase: str
    """Name of the series."""
    unit: str
    """Unit of the rate."""
    rank: int | None
    """Rank; None: all ranks together."""
    ends: tuple[float, ...]
    """End of each interval in seconds since the phase began; the first one begins at 0."""
    rates: tuple[float, ...]


Seen = tuple[Course, ...]


def course_of(phase: str, unit: str, resolution: float, line: Line) -> Course | None:
    """Return the course of a line; None: its intervals are unknown, or nothing was moved."""
    amounts = [line.base + value * resolution for value in line.values]
    steps = list(zip(line.times or (), amounts, strict=False))
    rates_by_end = [(end, amount / (end - begin)) for begin, end, amount in _intervals(steps)]
    if not any(rate for _, rate in rates_by_end):
        return None
    ends, rates = zip(*rates_by_end, strict=True)
    return Course(phase, f"{unit}/s", line.rank, ends, rates)


def _intervals(steps: Sequence[tuple[float, float]]) -> Iterator[tuple[float, float, float]]:
    """Return begin, end and amount of intervals, merged to at most `MOST_INTERVALS`; empty ones are merged, too."""
    together = -(-len(steps) // MOST_INTERVALS) or 1
    begin = moved = 0.0
    for place, (end, amount) in enumerate(steps, 1):
        moved += amount
        if end > begin and (place % together == 0 or place == len(steps)):
            yield begin, end, moved
            begin, moved = end, 0.0
