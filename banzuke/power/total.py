"""Computes the energy of a case from all sensors: each watt counts once; with readings missing there is no energy."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from banzuke.machine.hosts import folded, short
from banzuke.power.integrate import MeasuredEnergy, Sensor, Timed, integrate
from banzuke.power.streams import Stream
from banzuke.record.energy import Covers, Energy, Refusal, SensorEnergy, Unmeasured

RATING = 20e3
"""W that no present node's supplies can give; used where a node's own rating is not described."""
TOLERANCE = 0.05
"""Seconds by which clocks may differ before readings are shifted, because lines need some milliseconds to arrive."""
NARROWER = 0.9
"""Least share of its parts' energy that a wider sensor must show, since sensors are accurate to some per cent."""
_WIDEST_FIRST: Sequence[Covers] = ("node", "psys", "package", "dram", "device")
_WITHIN: Mapping[Covers, Sequence[Covers]] = {
    "node": ("psys", "package", "dram", "device"),
    "psys": ("package", "dram"),
}
"""Scopes that a sensor's scope includes."""


@dataclass(frozen=True)
class SensorOutcome:
    """The result of one sensor of a host for the timed parts."""

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
    """Return the energy of a case's timed parts on these hosts, or why there is none.

    The timed parts are on the clock of the first host. `idle`: W by short host name and sensor. `driven`: identities of
    the case's devices; sensors of other devices are ignored because other jobs may use these.
    """
    timed = timed_parts(stated)
    if timed is None:
        return Energy(unmeasured="no-timed-parts")
    streams_by_host: dict[str, list[Stream]] = defaultdict(list)
    for stream in streams:
        streams_by_host[short(stream.host)].append(stream)
    clock = clock_of(streams, hosts[0])
    outcomes = {host: _outcomes(streams_by_host[short(host)], timed, rating or RATING, clock, driven) for host in hosts}
    if not any(outcomes.values()):
        return Energy(unmeasured="no-sensor")
    counted = {host: choose_sensors(every) for host, every in outcomes.items()}
    sensors = _together(outcomes, counted)
    scopes = {tuple(sorted({outcome.sensor.covers for outcome in of_host})) for of_host in counted.values()}
    if len(scopes) != 1 or not all(counted.values()):
        return Energy(sensors=sensors, unmeasured=_reason(outcomes, counted))
    measured = [
        result
        for of_host in counted.values()
        for outcome in of_host
        if isinstance(result := outcome.result, MeasuredEnergy)
    ]
    joule = sum(amount.joule for amount in measured)
    quiet = [
        (idle or {}).get((short(host), outcome.sensor.id)) for host, of_host in counted.items() for outcome in of_host
    ]
    moved = max(abs(stream.lag - clock) for host in hosts for stream in streams_by_host[short(host)])
    return Energy(
        joule=joule,
        seconds=timed.seconds,
        parts=len(timed.parts),
        uncertainty=sum(amount.uncertainty * amount.joule for amount in measured) / joule,
        idle=sum(filter(None, quiet)) if all(quiet) else None,
        clock_difference=moved if moved > TOLERANCE else None,
        sensors=sensors,
    )


def clock_of(streams: Iterable[Stream], host: str) -> float:
    """Return by how many seconds the clock of this host, which the timed parts are on, is behind ours."""
    return next((stream.lag for stream in streams if short(stream.host) == short(host) and not stream.ours), 0.0)


def ahead_of(stream: Stream, clock: float) -> float:
    """Return the seconds to add to the stream's times to get those of `clock`."""
    return stream.lag - clock if abs(stream.lag - clock) > TOLERANCE else 0.0


def timed_parts(stated: object) -> Timed | None:
    """Return the parts in `conditions.timed_parts`, which are pairs of seconds since the epoch."""
    if not isinstance(stated, list):
        return None
    parts = [
        (float(part[0]), float(part[1]))
        for part in stated
        if isinstance(part, list) and len(part) == 2 and all(isinstance(end, int | float) for end in part)
    ]
    timed = Timed.of(parts)
    return timed if timed.parts else None


def _outcomes(
    streams: Iterable[Stream], timed: Timed, rating: float, clock: float, driven: Collection[str]
) -> list[SensorOutcome]:
    outcomes = []
    for stream in streams:
        ahead = ahead_of(stream, clock)
        for name, sensor in stream.sensors.items():
            if sensor.device is not None and sensor.device not in driven:
                continue
            readings = [reading._replace(time=reading.time + ahead) for reading in stream.readings[name]]
            outcomes.append(SensorOutcome(sensor, integrate(sensor, readings, timed, rating)))
    return outcomes


def choose_sensors(outcomes: Sequence[SensorOutcome]) -> list[SensorOutcome]:
    """Choose sensors that cover a host once: the widest that agree with the narrower ones they include."""
    by_scope: dict[Covers, list[SensorOutcome]] = {}
    for scope in _WIDEST_FIRST:
        sources: dict[str, list[SensorOutcome]] = defaultdict(list)
        for outcome in outcomes:
            if outcome.sensor.covers == scope and isinstance(outcome.result, MeasuredEnergy):
                sources[outcome.sensor.source].append(outcome)
        if sources:  # counters are preferred: they miss nothing between readings
            by_scope[scope] = min(sources.values(), key=lambda candidates: candidates[0].sensor.kind != "energy")
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
    return [outcome for kept in by_scope.values() for outcome in kept]


def _joule(outcomes: Iterable[SensorOutcome]) -> float:
    return sum(outcome.result.joule for outcome in outcomes if isinstance(outcome.result, MeasuredEnergy))


def _reason(
    outcomes: Mapping[str, Sequence[SensorOutcome]], counted: Mapping[str, Sequence[SensorOutcome]]
) -> Unmeasured:
    if any(counted.values()):
        return "some-hosts"
    results = {outcome.result for every in outcomes.values() for outcome in every}
    return "too-short" if results == {"too-short"} else "unusable"


def _together(
    outcomes: Mapping[str, Sequence[SensorOutcome]], counted: Mapping[str, Sequence[SensorOutcome]]
) -> list[SensorEnergy]:
    """Merge sensors of one name over all hosts on which they had the same outcome."""
    alike: dict[tuple[str, Covers, bool, Refusal | None], list[tuple[str, SensorOutcome]]] = defaultdict(list)
    for host, every in outcomes.items():
        for outcome in every:
            refused = None if isinstance(outcome.result, MeasuredEnergy) else outcome.result
            alike[outcome.sensor.id, outcome.sensor.covers, outcome in counted[host], refused].append((host, outcome))
    sensors = []
    for (name, covers, used, refused), members in alike.items():
        measured = [result for _, outcome in members if isinstance(result := outcome.result, MeasuredEnergy)]
        sensors.append(
            SensorEnergy(
                id=name,
                hosts=folded(host for host, _ in members),
                covers=covers,
                kind=members[0][1].sensor.kind,
                joule=sum(amount.joule for amount in measured) if measured else None,
                counted=used,
                rate=min((amount.rate for amount in measured), default=None),
                readings=min((amount.readings for amount in measured), default=0),
                refused=refused,
            )
        )
    return sensors
