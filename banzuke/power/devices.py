"""Conditions of a case's devices in its timed parts: clocks, throttling, power, temperature, link, other processes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from banzuke.power.integrate import LONG, Timed
from banzuke.power.streams import DeviceReading, Stream, WatchedDevice
from banzuke.power.total import ahead_of, clock_of, timed_parts
from banzuke.record.figures import Line, Series
from banzuke.record.model import Record

MOST_POINTS = 2000
"""Points of a device's series in a record: enough to see a minute's throttling in a run of a day."""
BEFORE = 0.05
"""Seconds by which a process must have started before a case to count as another job's: the kernel counts
hundredths."""


@dataclass(frozen=True)
class Observed:
    """A device that a case drives, with its readings on the clock of the case's first host."""

    host: str
    device: WatchedDevice
    readings: Sequence[DeviceReading]
    lost: tuple[float, str] | None


class _Weighted(NamedTuple):
    reading: DeviceReading
    weight: float
    """Seconds of the timed parts that the reading stands for."""


def observed(streams: Sequence[Stream], record: Record, first: str) -> list[Observed]:
    """Return the devices that the case drives, wholly or by a slice.

    Their times are on the clock of the `first` host.
    """
    wanted = record.devices
    clock = clock_of(streams, first)
    driven = []
    for stream in streams:
        ahead = ahead_of(stream, clock)
        for identity, device in stream.devices.items():
            if wanted.isdisjoint({identity, *device.slices}):
                continue
            readings = [reading.moved(ahead) for reading in stream.observed[identity]]
            lost = stream.lost.get(identity)
            driven.append(Observed(stream.host, device, readings, (lost[0] + ahead, lost[1]) if lost else None))
    return driven


def conditions(every: Sequence[Observed], record: Record, before: float) -> dict[str, dict[str, object]]:
    """Return the conditions of each device by its identity.

    A failed case has no timed parts, so that all of its time counts. `before`: when the case before it ended; a process
    that started earlier does not belong to this case.
    """
    timed = timed_parts(record.conditions.get("timed_parts")) or Timed.of(
        [(record.started.timestamp(), record.ended.timestamp())]
    )
    return {watched.device.identity: _condition(watched, timed, before) for watched in every} if timed.parts else {}


def _condition(watched: Observed, timed: Timed, before: float) -> dict[str, object]:
    weighted = list(_weighted(watched.readings, timed))
    total = sum(weight for _, weight in weighted)
    device = watched.device
    facts: dict[str, object] = {
        "host": watched.host,
        "number": device.number,
        "name": device.name,
        "readings": len(weighted),
        "covered": min(1.0, total / timed.seconds),
        "clock_highest": device.clock_max,
        "clock_set": device.clock_set,
        "clock_median": _median((r.state.clock, w) for r, w in weighted),
        "clock_minimum": _least(r.state.clock for r, _ in weighted),
        "memory_clock_median": _median((r.state.memory_clock, w) for r, w in weighted),
        "power_median": _median((r.state.power, w) for r, w in weighted),
        "power_default": device.power_default,
        "temperature_maximum": _most(r.state.temperature for r, _ in weighted),
        "throttled": _throttled(weighted),
        "memory_bits": device.memory_bits,
        "ecc": device.ecc,
        "persistent": device.persistent,
        "link_generation_device": device.link_generation_device,
        "link_generation_highest": device.link_generation_max,
        "link_width_highest": device.link_width_max,
    }
    since = [r for r in watched.readings if before <= r.time <= timed.end]
    # An idle link is slowed down on purpose, so the fastest state seen under load counts.
    facts["link_generation"] = _most(r.state.link_generation for r, _ in weighted)
    facts["link_width"] = _most(r.state.link_width for r, _ in weighted)
    facts["power_limit"] = _least(r.state.power_limit for r in since)
    for kind in ("ecc_corrected", "ecc_uncorrected"):
        counts = [count for r in watched.readings if (count := getattr(r.state, kind)) is not None]
        facts[f"{kind}_more"] = max(0.0, counts[-1] - counts[0]) if counts else None
    facts["repair"] = next((r.state.repair for r in reversed(watched.readings) if r.state.repair), None)
    others = [
        sum(begun < before - BEFORE for begun in r.state.processes_began)
        for r in since
        if r.state.processes_began is not None
    ]
    facts["other_processes"] = max(others, default=None)
    if watched.lost:
        facts |= {"lost": watched.lost[1], "lost_at": watched.lost[0]}
    return {name: value for name, value in facts.items() if value is not None}


def series(every: Sequence[Observed], record: Record) -> dict[str, Series]:
    """Return clock and power of each device from the record's start to its end."""
    begin, end = record.started.timestamp(), record.ended.timestamp()
    by_name = {}
    for name, quantity, unit, resolution in (
        ("device_clock", "clock", "Hz", 1e6),
        ("device_power", "power", "W", 0.1),
    ):
        lines = []
        for watched in every:
            within = [
                (reading.time - begin, value)
                for reading in watched.readings
                if begin <= reading.time <= end and (value := getattr(reading.state, quantity)) is not None
            ]
            kept = within[:: -(-len(within) // MOST_POINTS) or 1]
            if kept:
                lines.append(
                    Line(
                        host=watched.host,
                        sensor=watched.device.source,
                        device=watched.device.identity,
                        times=[time for time, _ in kept],
                        values=[round(value / resolution) for _, value in kept],
                    )
                )
        if lines:
            by_name[name] = Series(unit=unit, resolution=resolution, lines=lines)
    return by_name


def _weighted(readings: Sequence[DeviceReading], timed: Timed) -> Iterator[_Weighted]:
    """Return readings with their weights: a reading stands for the time halfway to its neighbours, within limits.

    The limit is a few usual intervals, so that a reading does not stand for a long gap.
    """
    times = [reading.time for reading in readings]
    gaps = sorted(after - before for before, after in pairwise(times))
    reach = LONG / 2 * gaps[len(gaps) // 2] if gaps else 0.0
    for place, reading in enumerate(readings):
        left = min(reach, (reading.time - times[place - 1]) / 2) if place else 0.0
        right = min(reach, (times[place + 1] - reading.time) / 2) if place + 1 < len(times) else 0.0
        if (weight := timed.within(reading.time - left, reading.time + right)) > 0:
            yield _Weighted(reading, weight)


def _throttled(weighted: Sequence[_Weighted]) -> Mapping[str, float] | None:
    """Return the share of the timed part by reason of throttling; None: the device reports no reasons."""
    telling = [entry for entry in weighted if entry.reading.state.slowing is not None]
    total = sum(weight for _, weight in telling)
    if not total:
        return None
    shares: dict[str, float] = {}
    for reading, weight in telling:
        for reason in reading.state.slowing or ():
            shares[reason] = shares.get(reason, 0.0) + weight / total
    return shares


def _median(values: Iterator[tuple[float | None, float]]) -> float | None:
    ordered = sorted((value, weight) for value, weight in values if value is not None)
    half = sum(weight for _, weight in ordered) / 2
    for value, weight in ordered:
        half -= weight
        if half <= 0:
            return value
    return None


def _least(values: Iterator[float | None]) -> float | None:
    return min((value for value in values if value is not None), default=None)


def _most(values: Iterator[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)
