"""The energy of a case's timed parts by the readings of one sensor, or why it cannot be told from them."""

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
"""Share of the energy that may be unsure because readings do not begin and end with the timed parts."""
FEWEST = 3
"""Intervals between readings that touch the timed parts."""
LONG = 5.0
"""Times the usual interval from which readings of a power are missing between two of them."""
ENOUGH = 10
"""Readings of a power that cannot all be the same by chance: some are of the idle node."""


@dataclass(frozen=True)
class Sensor:
    """What is read of one sensor: a counter of energy, or a power."""

    id: str
    kind: Kind
    covers: Covers
    range: float | None = None
    """J at which the counter begins again; None: it is not to do so."""
    device: str | None = None
    """Identity of the device that it covers alone; None: of none, or it is not known."""

    @property
    def source(self) -> str:
        """What its sibling sensors have in common: `powercap/intel-rapl:` of `powercap/intel-rapl:0`."""
        first = next((place for place, char in enumerate(self.id) if char.isdigit()), len(self.id))
        return self.id[:first]


class SensorReading(NamedTuple):
    time: float
    """Seconds since the epoch."""
    value: float
    """J or W."""


@dataclass(frozen=True)
class Timed:
    """The timed parts of a case, seconds since the epoch, in order and apart."""

    parts: tuple[tuple[float, float], ...]

    @classmethod
    def of(cls, stated: Iterable[tuple[float, float]]) -> "Timed":
        """Those that overlap are one."""
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
        """Seconds between the two that belong to the parts."""
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
    """Share of the energy."""
    rate: float
    """Hz: new readings a second."""
    readings: int


class _RefusedError(Exception):
    def __init__(self, why: Refusal) -> None:
        super().__init__(why)
        self.why: Refusal = why


def integrate(
    sensor: Sensor, readings: Sequence[SensorReading], timed: Timed, rating: float
) -> MeasuredEnergy | Refusal:
    """`readings` from before the parts to after them; `rating`: W that the sensor cannot exceed.

    Between two readings the power is taken as constant. So where only a share s of an interval is timed, the smaller of
    s and 1 - s of its energy counts as unsure.
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
    """New readings, one after another, between which something was timed: at least one pair."""
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
    """J between two readings of a power."""
    if not all(0 <= reading.value <= rating for reading in (before, after)):
        raise _RefusedError("impossible")
    seconds = after.time - before.time
    if seconds > LONG * usual:
        raise _RefusedError("gap")
    return (before.value + after.value) / 2 * seconds


def _counted(sensor: Sensor, before: SensorReading, after: SensorReading, rating: float, usual: float) -> float:  # noqa: ARG001
    """J between two readings of a counter."""
    most = rating * (after.time - before.time)
    joule = after.value - before.value
    if sensor.range is not None and most >= sensor.range:
        raise _RefusedError("gap")  # it may have begun again more than once
    back = joule < 0
    if back and sensor.range is not None:
        joule += sensor.range
    if not 0 <= joule <= most:
        raise _RefusedError("goes-back" if back else "impossible")
    return joule


def _in_order(readings: Sequence[SensorReading]) -> list[SensorReading]:
    """Without those that a clock which was set back would put before others."""
    kept: list[SensorReading] = []
    for reading in readings:
        if math.isfinite(reading.value) and (not kept or reading.time > kept[-1].time):
            kept.append(reading)
    return kept


def _changes(readings: Sequence[SensorReading]) -> list[SensorReading]:
    """A counter is read more often than it counts: the moments at which it did."""
    return [*readings[:1], *(after for before, after in pairwise(readings) if after.value != before.value)]
