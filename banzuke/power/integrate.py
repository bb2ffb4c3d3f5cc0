"""Computes the energy of a case's timed parts from the readings of one sensor, or says why it cannot."""

import bisect
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from statistics import median
from typing import NamedTuple

from banzuke.record.energy import Covers, Kind, Refusal

UNSURE = 0.1
"""Largest share of the energy that may be uncertain because readings do not start and end with the timed parts."""
FEWEST = 3
"""Smallest number of intervals between readings that overlap the timed parts."""
LONG = 5.0
"""A gap between two power readings longer than this many usual intervals means that readings are missing."""
ENOUGH = 10
"""Number of power readings that cannot all be equal by chance, because some are of the idle node."""


@dataclass(frozen=True)
class Sensor:
    """A sensor: a counter of energy, or a power."""

    id: str
    kind: Kind
    covers: Covers
    range: float | None = None
    """J at which the counter wraps around; None: it does not."""
    device: str | None = None
    """Identity of the one device that the sensor covers; None: none, or unknown."""

    @property
    def source(self) -> str:
        """Return the part of the id that sibling sensors share: `powercap/intel-rapl:` for `powercap/intel-rapl:0`."""
        first = next((place for place, char in enumerate(self.id) if char.isdigit()), len(self.id))
        return self.id[:first]


class SensorReading(NamedTuple):
    time: float
    """Seconds since the epoch."""
    value: float
    """J or W."""


@dataclass(frozen=True)
class Timed:
    """The timed parts of a case in seconds since the epoch, sorted and disjoint."""

    parts: tuple[tuple[float, float], ...]

    @classmethod
    def of(cls, stated: Iterable[tuple[float, float]]) -> "Timed":
        """Return the parts; those that overlap become one."""
        parts: list[tuple[float, float]] = []
        for begin, end in sorted(stated):
            if parts and begin <= parts[-1][1]:
                parts[-1] = (parts[-1][0], max(end, parts[-1][1]))
            elif begin < end:
                parts.append((begin, end))
        return cls(tuple(parts))

    @property
    def begin(self) -> float:
        return self.parts[0][0]

    @property
    def end(self) -> float:
        return self.parts[-1][1]

    @cached_property
    def seconds(self) -> float:
        return math.fsum(end - begin for begin, end in self.parts)

    def within(self, begin: float, end: float) -> float:
        """Return the seconds between two times that belong to the parts."""
        return self._before(end) - self._before(begin)

    @cached_property
    def _sums(self) -> tuple[float, ...]:
        return tuple(accumulate((end - begin for begin, end in self.parts), initial=0.0))

    def _before(self, time: float) -> float:
        place = bisect.bisect_right(self.parts, (time, math.inf))
        if place == 0:
            return 0.0
        begin, end = self.parts[place - 1]
        return self._sums[place - 1] + min(time, end) - begin


@dataclass(frozen=True)
class MeasuredEnergy:
    joule: float
    uncertainty: float
    """Uncertain share of the energy."""
    rate: float
    """New readings per second."""
    readings: int


class _RefusedError(Exception):
    def __init__(self, why: Refusal) -> None:
        super().__init__(why)
        self.why: Refusal = why


def integrate(
    sensor: Sensor, readings: Sequence[SensorReading], timed: Timed, rating: float
) -> MeasuredEnergy | Refusal:
    """Return the energy of the timed parts, or why it cannot be computed.

    `readings` begin before the parts and end after them; `rating`: W that the sensor cannot exceed. The power is taken
    as constant between two readings. Where only a share s of an interval is timed, the smaller of s and 1 - s of its
    energy is therefore uncertain.
    """
    try:
        return _integrated(sensor, _in_order(readings), timed, rating)
    except _RefusedError as refused:
        return refused.why


def _integrated(sensor: Sensor, readings: Sequence[SensorReading], timed: Timed, rating: float) -> MeasuredEnergy:
    pairs = _touching(sensor, readings, timed)
    usual = median(after.time - before.time for before, after in pairs)
    joules = unsure = 0.0
    for before, after in pairs:
        joule = (_watts if sensor.kind == "power" else _counted)(sensor, before, after, rating, usual)
        share = timed.within(before.time, after.time) / (after.time - before.time)
        joules += share * joule
        unsure += min(share, 1 - share) * joule
    if joules <= 0:
        raise _RefusedError("stands-still")
    last = pairs[-1][1].time
    covered = timed.within(pairs[0][0].time, last)
    missing = 1 - covered / timed.seconds
    if missing > UNSURE and last < timed.end:
        still = readings[-1].time >= timed.end
        raise _RefusedError("too-short" if still and len(pairs) < FEWEST else "stands-still" if still else "stopped")
    uncertainty = unsure / joules + missing
    if uncertainty > UNSURE or len(pairs) < FEWEST:
        raise _RefusedError("too-short")
    return MeasuredEnergy(joules * timed.seconds / covered, uncertainty, 1 / usual, len(pairs) + 1)


def _touching(
    sensor: Sensor, readings: Sequence[SensorReading], timed: Timed
) -> list[tuple[SensorReading, SensorReading]]:
    """Return the pairs of successive new readings with timed time between them; there is at least one."""
    if not readings or readings[-1].time <= timed.begin:
        raise _RefusedError("stopped")
    if sensor.kind == "power" and len(readings) >= ENOUGH and len({reading.value for reading in readings}) == 1:
        raise _RefusedError("stands-still")
    fresh = _changes(readings) if sensor.kind == "energy" else readings
    pairs = [pair for pair in pairwise(fresh) if timed.within(pair[0].time, pair[1].time) > 0]
    if not pairs:
        seen = sum(timed.begin <= reading.time <= timed.end for reading in readings)
        raise _RefusedError("stands-still" if seen >= FEWEST else "too-short")
    return pairs


def _watts(sensor: Sensor, before: SensorReading, after: SensorReading, rating: float, usual: float) -> float:  # noqa: ARG001
    """Return the J between two power readings."""
    if not all(0 <= reading.value <= rating for reading in (before, after)):
        raise _RefusedError("impossible")
    seconds = after.time - before.time
    if seconds > LONG * usual:
        raise _RefusedError("gap")
    return (before.value + after.value) / 2 * seconds


def _counted(sensor: Sensor, before: SensorReading, after: SensorReading, rating: float, usual: float) -> float:  # noqa: ARG001
    """Return the J between two readings of a counter."""
    most = rating * (after.time - before.time)
    joule = after.value - before.value
    if sensor.range is not None and most >= sensor.range:
        raise _RefusedError("gap")  # the counter may have wrapped around more than once
    back = joule < 0
    if back and sensor.range is not None:
        joule += sensor.range
    if not 0 <= joule <= most:
        raise _RefusedError("goes-back" if back else "impossible")
    return joule


def _in_order(readings: Sequence[SensorReading]) -> list[SensorReading]:
    """Return the readings without those that are out of order because a clock was set back."""
    kept: list[SensorReading] = []
    for reading in readings:
        if math.isfinite(reading.value) and (not kept or reading.time > kept[-1].time):
            kept.append(reading)
    return kept


def _changes(readings: Sequence[SensorReading]) -> list[SensorReading]:
    """Return the readings at which a counter changed: it is read more often than it is updated."""
    return [*readings[:1], *(after for before, after in pairwise(readings) if after.value != before.value)]
