"""From the readings of all sensors to the energy of a case: each watt once, and nothing where something is missing."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from banzuke.machine.hosts import folded, short
from banzuke.power.integrate import MeasuredEnergy, Sensor, Timed, integrate
from banzuke.power.streams import Stream
from banzuke.record.energy import Covers, Energy, Refusal, SensorEnergy, Unmeasured

RATING = 20e3
"""W: more than the supplies of any node of today give. In place of a node's own rating where none is described."""
TOLERANCE = 0.05
"""Seconds by which clocks may differ before readings are moved; lines need some milliseconds to arrive."""
NARROWER = 0.9
"""Share of its parts' energy that a wider sensor must show: sensors are exact to some per cent."""
_WIDEST_FIRST: Sequence[Covers] = ("node", "psys", "package", "dram", "device")
_WITHIN: Mapping[Covers, Sequence[Covers]] = {
    "node": ("psys", "package", "dram", "device"),
    "psys": ("package", "dram"),
}
"""What a sensor of a scope covers too."""


@dataclass(frozen=True)
class Told:
    """What one sensor of a host told of the timed parts."""

    sensor: Sensor
    result: MeasuredEnergy | Refusal


def energy(
    streams: Sequence[Stream],
    hosts: Sequence[str],
    stated: object,
    rating: float | None,
    idle: Mapping[tuple[str, str], float] | None = None,
    driven: Collection[str] = (),
) -> Energy:
    """Of a case on these hosts, the first one's clock measured its timed parts. `idle`: W by short host and sensor.

    `driven`: identities of its devices. Sensors of others are passed over: other jobs may use these.
    """
    timed = timed_parts(stated)
    if timed is None:
        return Energy(unmeasured="no-timed-parts")
    known: dict[str, list[Stream]] = defaultdict(list)
    for stream in streams:
        known[short(stream.host)].append(stream)
    clock = clock_of(streams, hosts[0])
    told = {host: _told(known[short(host)], timed, rating or RATING, clock, driven) for host in hosts}
    if not any(told.values()):
        return Energy(unmeasured="no-sensor")
    counted = {host: chosen(every) for host, every in told.items()}
    sensors = _together(told, counted)
    scopes = {tuple(sorted({one.sensor.covers for one in of})) for of in counted.values()}
    if len(scopes) != 1 or not all(counted.values()):
        return Energy(sensors=sensors, unmeasured=_why(told, counted))
    found = [result for of in counted.values() for one in of if isinstance(result := one.result, MeasuredEnergy)]
    joule = sum(one.joule for one in found)
    quiet = [(idle or {}).get((short(host), one.sensor.id)) for host, of in counted.items() for one in of]
    moved = max(abs(stream.lag - clock) for host in hosts for stream in known[short(host)])
    return Energy(
        joule=joule,
        seconds=timed.seconds,
        parts=len(timed.parts),
        uncertainty=sum(one.uncertainty * one.joule for one in found) / joule,
        idle=sum(filter(None, quiet)) if all(quiet) else None,
        clock_difference=moved if moved > TOLERANCE else None,
        sensors=sensors,
    )


def clock_of(streams: Iterable[Stream], host: str) -> float:
    """How far the clock of this host, which measured the timed parts, is behind ours."""
    return next((one.lag for one in streams if short(one.host) == short(host) and not one.ours), 0.0)


def ahead_of(stream: Stream, clock: float) -> float:
    """Seconds to add to the stream's times for those of `clock`."""
    return stream.lag - clock if abs(stream.lag - clock) > TOLERANCE else 0.0


def timed_parts(stated: object) -> Timed | None:
    """From `conditions.timed_parts`: pairs of seconds since the epoch."""
    if not isinstance(stated, list):
        return None
    parts = [
        (float(part[0]), float(part[1]))
        for part in stated
        if isinstance(part, list) and len(part) == 2 and all(isinstance(end, int | float) for end in part)
    ]
    timed = Timed.of(parts)
    return timed if timed.parts else None


def _told(streams: Iterable[Stream], timed: Timed, rating: float, clock: float, driven: Collection[str]) -> list[Told]:
    found = []
    for stream in streams:
        ahead = ahead_of(stream, clock)
        for name, sensor in stream.sensors.items():
            if sensor.device is not None and sensor.device not in driven:
                continue
            readings = [reading._replace(time=reading.time + ahead) for reading in stream.readings[name]]
            found.append(Told(sensor, integrate(sensor, readings, timed, rating)))
    return found


def chosen(told: Sequence[Told]) -> list[Told]:
    """Those of a host that cover it once, the widest that agree with what they contain."""
    by_scope: dict[Covers, list[Told]] = {}
    for scope in _WIDEST_FIRST:
        sources: dict[str, list[Told]] = defaultdict(list)
        for one in told:
            if one.sensor.covers == scope and isinstance(one.result, MeasuredEnergy):
                sources[one.sensor.source].append(one)
        if sources:  # a counter misses nothing between readings
            by_scope[scope] = min(sources.values(), key=lambda of: of[0].sensor.kind != "energy")
    for scope in ("node", "psys"):
        if scope in by_scope:
            parts = [inner for inner in _WITHIN[scope] if inner in by_scope]
            widest = max((_joule(by_scope[inner]) for inner in parts), default=0.0)
            inside = sum(_joule(by_scope[inner]) for inner in parts if inner != "psys")
            if _joule(by_scope[scope]) < NARROWER * max(widest, inside):
                del by_scope[scope]
            else:
                for inner in parts:
                    del by_scope[inner]
    return [one for of in by_scope.values() for one in of]


def _joule(of: Iterable[Told]) -> float:
    return sum(one.result.joule for one in of if isinstance(one.result, MeasuredEnergy))


def _why(told: Mapping[str, Sequence[Told]], counted: Mapping[str, Sequence[Told]]) -> Unmeasured:
    if any(counted.values()):
        return "some-hosts"
    results = {one.result for every in told.values() for one in every}
    return "too-short" if results == {"too-short"} else "unusable"


def _together(told: Mapping[str, Sequence[Told]], counted: Mapping[str, Sequence[Told]]) -> list[SensorEnergy]:
    """Sensors of one name, of all hosts on which they fared alike."""
    alike: dict[tuple[str, Covers, bool, Refusal | None], list[tuple[str, Told]]] = defaultdict(list)
    for host, every in told.items():
        for one in every:
            refused = None if isinstance(one.result, MeasuredEnergy) else one.result
            alike[one.sensor.id, one.sensor.covers, one in counted[host], refused].append((host, one))
    sensors = []
    for (name, covers, used, refused), of in alike.items():
        measured = [result for _, one in of if isinstance(result := one.result, MeasuredEnergy)]
        sensors.append(
            SensorEnergy(
                id=name,
                hosts=folded(host for host, _ in of),
                covers=covers,
                kind=of[0][1].sensor.kind,
                joule=sum(one.joule for one in measured) if measured else None,
                counted=used,
                rate=min((one.rate for one in measured), default=None),
                readings=min((one.readings for one in measured), default=0),
                refused=refused,
            )
        )
    return sensors
