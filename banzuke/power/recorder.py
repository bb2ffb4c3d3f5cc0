"""Reads the sensors of all hosts while the cases of a run are measured."""

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from statistics import fmean

from banzuke.errors import BanzukeError
from banzuke.launch.conditions import between, snapshot
from banzuke.machine.hosts import short
from banzuke.power import devices
from banzuke.power.accounting import Accounting
from banzuke.power.integrate import FEWEST, MeasuredEnergy, Timed, integrate
from banzuke.power.streams import SensorListener, SensorSource, Stream
from banzuke.power.total import RATING, clock_of, energy, timed_parts
from banzuke.record.energy import Energy
from banzuke.record.model import Record

FIRST_LINES = 5.0
"""Seconds in which every source must say which sensors it has."""
QUIET = 2.0
"""Shortest time in seconds in which the idle power is measured, before the first case."""
BUSY = 0.1
"""Share of this host's processor time from which the host is not idle."""
LAST_READING = 0.5
"""Seconds beyond a sensor's interval within which a reading arrives."""


@dataclass
class Recorder:
    """Adds to a run's records what sensors and devices measured.

    Without any sensor it stops at once and costs nothing.
    """

    listener: SensorListener = field(default_factory=SensorListener)
    interval: float = 0.0
    """Seconds of the longest interval of its sources."""
    rating: float | None = None
    """Rated power of a node in W; None: not described."""
    idle: Mapping[tuple[str, str], float] = field(default_factory=dict)
    """Idle power in W by short host name and sensor."""
    refused: tuple[str, ...] = ()
    """Why sources could not be started."""
    accounting: Accounting | None = None
    """The batch system's accounting; None: it has no energies."""
    ended: float = field(default_factory=time.time)
    """When the case before ended, in seconds since the epoch: a process that started earlier is not the next case's."""

    @property
    def sensors(self) -> int:
        return sum(len(stream.sensors) for stream in self.listener.streams)

    @property
    def watches(self) -> bool:
        return any(stream.devices for stream in self.listener.streams)

    def completed(self, record: Record) -> Record:
        """Return the record with what its devices did and, if verified, with its energy or why there is none."""
        verified = record.status == "ok"
        accounted = self.accounting.of(record, self.rating or RATING) if self.accounting and verified else None
        if not self.sensors and not self.watches:
            return record.having(energy=Energy(unmeasured="no-sensor", accounted=accounted)) if verified else record
        first = sorted(record.hosts, key=lambda host: min(host.ranks, default=0))
        hosts = [host.name for host in first] or [self.listener.streams[0].host]
        identities = record.devices
        self._wait(record, hosts, identities)
        streams = self.listener.streams
        update: dict[str, object] = {}
        if observed := devices.observed(streams, record, hosts[0]):
            seen = devices.conditions(observed, record, self.ended - clock_of(streams, hosts[0]))
            update["conditions"] = {**record.conditions, "devices": seen}
            if verified:
                update["series"] = {**record.series, **devices.series(observed, record)}
        if verified:
            stated = record.conditions.get("timed_parts")
            measured = energy(streams, hosts, stated, self.rating, self.idle, identities)
            update["energy"] = measured.having(accounted=accounted) if accounted else measured
        self.ended = time.time()
        self.listener.forget(self.ended)
        return record.having(**update)

    def _wait(self, record: Record, hosts: Sequence[str], identities: Collection[str]) -> None:
        """Wait for the readings that follow the timed parts, but no longer than these should take."""
        timed = timed_parts(record.conditions.get("timed_parts"))
        if timed is None or record.status != "ok":
            return
        taking_part = {short(host) for host in hosts}
        self.listener.wait(
            lambda streams: all(
                stream.over or stream.read_after(timed.end, identities)
                for stream in streams
                if short(stream.host) in taking_part
            ),
            self.interval + LAST_READING,
        )


@contextmanager
def recording(
    sources: Sequence[SensorSource],
    rating: float | None,
    waiting: Callable[[float], None],
    accounting: Accounting | None = None,
) -> Iterator[Recorder]:
    """Read the sensors of these sources until the context ends; `waiting` gets the seconds for the idle power."""
    recorder = Recorder(rating=rating, accounting=accounting)
    refused = []
    with ExitStack() as stack:
        begun = []
        for source in sources:
            stack.callback(source.stop)
            try:
                source.start(recorder.listener.hear)
                begun.append(source)
            except BanzukeError as error:
                refused.append(str(error))
        expected = sum(source.streams for source in begun)
        recorder.listener.wait(
            lambda streams: sum(stream.described or stream.over for stream in streams) >= expected, FIRST_LINES
        )
        recorder.refused = tuple(refused)
        recorder.interval = max((source.interval for source in begun), default=0.0)
        if recorder.sensors:
            seconds = max(QUIET, (FEWEST + 1) * recorder.interval)
            waiting(seconds)
            recorder.idle = _idle(recorder.listener, rating or RATING, seconds)
        elif not recorder.watches:
            stack.close()
        yield recorder


def _idle(listener: SensorListener, rating: float, seconds: float) -> Mapping[tuple[str, str], float]:
    """Return the idle power in W by short host name and sensor; empty where this host was busy."""
    before = snapshot()
    begin = time.time()
    listener.wait(lambda _: time.time() - begin >= seconds, seconds)
    if between(before, snapshot()).get("other_busy_fraction", 0.0) >= BUSY:
        return {}
    watts = {}
    for stream in listener.streams:
        for name in stream.sensors:
            if (watt := _quiet_power(stream, name, rating)) is not None:
                watts[short(stream.host), name] = watt
    return watts


def _quiet_power(stream: Stream, name: str, rating: float) -> float | None:
    sensor, readings = stream.sensors[name], list(stream.readings[name])
    if len(readings) <= FEWEST:
        return None
    if sensor.kind == "power":
        values = [reading.value for reading in readings]
        return fmean(values) if all(0 < value <= rating for value in values) else None
    timed = Timed.of([(readings[0].time, readings[-1].time)])
    result = integrate(sensor, readings, timed, rating)
    return result.joule / timed.seconds if isinstance(result, MeasuredEnergy) else None
