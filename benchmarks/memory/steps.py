"""Finds the caches in a curve of latencies over sizes, and compares them with those that the processor tells."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from banzuke.machine.cache_levels import cache_levels
from banzuke.machine.model import Machine
from banzuke.record.model import Record
from banzuke.record.state import taken

ALIKE = 1.25
"""Largest ratio of the latencies of data that lie in the same cache."""
WIDTH = 2.0
"""Least ratio of the largest and the smallest data in a cache: anything less is a way from one cache to the next."""
APART = 1.6
"""Ratio from which two sizes differ: the curve has two sizes per octave, and a cache is never used to the last line."""


@dataclass(frozen=True)
class Plateau:
    """Sizes of about the same latency."""

    smallest: float
    largest: float
    latency: float


@dataclass(frozen=True)
class CacheLevel:
    """A cache, as the processor tells it and as the curve shows it; None: only one of them does."""

    number: int | None
    told: float | None
    """Bytes of a thread's part."""
    found: Plateau | None

    @property
    def agrees(self) -> bool:
        return (
            self.told is not None
            and self.found is not None
            and _apart(self.told, self.found.largest) <= math.log(APART)
        )


@dataclass(frozen=True)
class Levels:
    """The caches from the nearest on, then the memory."""

    caches: tuple[CacheLevel, ...]
    memory: Plateau | None
    """None: the curve ends before its latency stays the same."""
    disturbed: bool = False
    """Whether others used the processors, and the caches with them."""

    @property
    def differing(self) -> tuple[CacheLevel, ...]:
        return tuple(level for level in self.caches if not level.agrees)


def levels(record: Record, machine: Machine) -> Levels | None:
    """Return the levels that a record's curve of latencies shows; None: it has none, its pages hide the caches, or it
    is of a device, which tells its last level alone.
    """
    chased = record.parameters.get("test") == "latency" and record.parameters.get("order", "across") == "across"
    if not chased or record.devices or record.parameters.get("data_pages", "usual") != "usual" or record.curve is None:
        return None
    points = [
        (point.at, median(point.metrics["latency"].samples))
        for point in record.curve.points
        if "latency" in point.metrics
    ]
    cores = math.ceil(record.cores / record.nodes)
    parts = {level: size / cores for level, size in cache_levels(machine.allotment.caches, cores).items()}
    reached = {level: size for level, size in parts.items() if points and points[0][0] <= size < points[-1][0]}
    seen = list(plateaus(points))
    # The last plateau is the memory, unless the data end in the last cache.
    memory = seen.pop() if seen and reached and seen[-1].largest >= points[-1][0] > max(reached.values()) else None
    return Levels(tuple(matched(reached, seen)), memory, taken(record).disturbed)


def plateaus(points: Sequence[tuple[float, float]]) -> Iterator[Plateau]:
    """Yield the plateaus of a curve of sizes and latencies, the smallest sizes first."""
    current: list[tuple[float, float]] = []
    for size, latency in points:
        if current and not _alike(latency, [other for _, other in current]):
            yield from _plateau(current)
            current = []
        current.append((size, latency))
    yield from _plateau(current)


def _alike(latency: float, others: Sequence[float]) -> bool:
    usual = median(others)
    return usual / ALIKE <= latency <= usual * ALIKE


def _plateau(points: Sequence[tuple[float, float]]) -> Iterator[Plateau]:
    if points and points[-1][0] >= WIDTH * points[0][0]:
        yield Plateau(points[0][0], points[-1][0], median(latency for _, latency in points))


def matched(parts: Mapping[int, float], seen: Sequence[Plateau]) -> Iterator[CacheLevel]:
    """Yield each level that is told with the plateau that ends nearest to its size, and the plateaus that are left."""
    left = list(seen)
    rows = []
    for number, size in sorted(parts.items()):
        nearest = min(left, key=lambda plateau: _apart(size, plateau.largest), default=None)
        others = [other for level, other in parts.items() if level != number]
        if nearest and all(_apart(size, nearest.largest) <= _apart(other, nearest.largest) for other in others):
            left.remove(nearest)
            rows.append(CacheLevel(number, size, nearest))
        else:
            rows.append(CacheLevel(number, size, None))
    rows += [CacheLevel(None, None, plateau) for plateau in left]
    yield from sorted(rows, key=lambda level: level.told or (level.found.largest if level.found else 0.0))


def _apart(size: float, other: float) -> float:
    return abs(math.log(size / other))
