"""Streams of lines that sensors write while cases run, as `banzuke-probe power` does, each with its clock."""

import json
import math
import threading
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from banzuke.amounts import Amount, Count, Index, Name, Positive, Real
from banzuke.power.integrate import ENOUGH, Sensor, SensorReading
from banzuke.record.energy import Covers, Kind

MOST_READINGS = 4000
"""Most readings of a device that are kept: of longer cases every second one, then every fourth, so that they remain
evenly spaced."""


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _Described(_Line):
    id: Name
    kind: Kind
    covers: Covers
    range: Positive | None = None
    device: Name | None = None


class WatchedDevice(_Line):
    """The properties of a device that do not change while it is watched, in SI units."""

    identity: Name
    number: Index
    name: str = ""
    source: Name = "nvml"
    """Where its readings come from: nvml, hwmon."""
    clock_max: Amount | None = None
    clock_set: Amount | None = None
    """Clock in Hz that applications are set to."""
    memory_bits: Count | None = None
    link_generation_max: Index | None = None
    """Highest generation of this device in this slot."""
    link_generation_device: Index | None = None
    link_width_max: Index | None = None
    power_default: Amount | None = None
    ecc: bool | None = None
    persistent: bool | None = None
    slices: frozenset[str] = frozenset()
    """Identities of the parts of it that are used as devices of their own."""


class _State(_Line):
    clock: Amount | None = None
    memory_clock: Amount | None = None
    power: Amount | None = None
    temperature: Real | None = None
    """Degrees Celsius."""
    slowing: frozenset[str] | None = None
    """Reasons why its clock is held down; None: not reported."""
    power_limit: Amount | None = None
    """Limit in force, in W."""
    ecc_corrected: Amount | None = None
    """Errors since the driver was loaded."""
    ecc_uncorrected: Amount | None = None
    repair: str | None = None
    """Repair of memory with errors: none, pending, failed."""
    link_generation: Index | None = None
    link_width: Index | None = None
    processes_began: tuple[Real, ...] | None = None
    """Start of each visible process that uses it, in seconds since the epoch."""


@dataclass(frozen=True)
class DeviceReading:
    """The state of a device at one moment; properties that seldom change are missing from most readings."""

    time: float
    """Seconds since the epoch."""
    state: _State

    def moved(self, ahead: float) -> "DeviceReading":
        return replace(self, time=self.time + ahead) if ahead else self


class _First(_Line):
    host: Name
    time: Real
    sensors: list[Any]
    ours: bool = False
    refused: list[str] = Field(default_factory=list)
    devices: list[Any] = Field(default_factory=list)


L = TypeVar("L", bound=_Line)


def _valid(kind: type[L], listed: list[Any]) -> list[L]:
    """Return the valid entries: one with nonsense from a driver, such as a counter's range of 0, spoils no other."""
    valid = []
    for entry in listed:
        with suppress(ValidationError):
            valid.append(kind.model_validate(entry))
    return valid


class _Values(_Line):
    time: Real
    values: dict[str, float] = Field(default_factory=dict)
    device: str | None = None
    state: _State | None = None
    lost: str | None = None


@dataclass
class Stream:
    """The reports of one process on one host, or of another source of its sensors' readings."""

    host: str = ""
    lag: float = math.inf
    """Smallest time in seconds from a line's own time to its arrival here: how far that host's clock is behind ours,
    plus the transfer."""
    sensors: Mapping[str, Sensor] = field(default_factory=dict)
    unreadable: tuple[str, ...] = ()
    readings: dict[str, list[SensorReading]] = field(default_factory=dict)
    latest: float = -math.inf
    """Time of the latest reading on the stream's clock."""
    devices: Mapping[str, WatchedDevice] = field(default_factory=dict)
    observed: dict[str, list[DeviceReading]] = field(default_factory=dict)
    strides: dict[str, int] = field(default_factory=dict)
    """Stride of a device's readings that are kept."""
    passed: dict[str, int] = field(default_factory=dict)
    """Readings of a device since the last one that was kept."""
    lost: dict[str, tuple[float, str]] = field(default_factory=dict)
    """When a device stopped answering, and why; a device that answers again is removed."""
    ours: bool = False
    """Whether its times are on our clock rather than its host's."""
    described: bool = False
    over: bool = False

    def hear(self, line: str, now: float) -> None:
        """Take a line that arrived at the time `now` of our clock; ignore anything else."""
        try:
            said = json.loads(line)
            if self.described:
                self._values(_Values.model_validate(said), now)
            else:
                self._first(_First.model_validate(said), now)
        except (ValueError, ValidationError, RecursionError):
            return

    def _first(self, said: _First, now: float) -> None:
        self.host = said.host
        sensors = _valid(_Described, said.sensors)
        self.sensors = {
            sensor.id: Sensor(sensor.id, sensor.kind, sensor.covers, sensor.range, sensor.device) for sensor in sensors
        }
        self.readings = {name: [] for name in self.sensors}
        self.unreadable = tuple(said.refused)
        self.devices = {device.identity: device for device in _valid(WatchedDevice, said.devices)}
        self.observed = {identity: [] for identity in self.devices}
        self.ours = said.ours
        self.lag = now - said.time
        self.described = True

    def _values(self, said: _Values, now: float) -> None:
        self.lag = min(self.lag, now - said.time)
        self.latest = max(self.latest, said.time)
        for name, value in said.values.items():
            if name in self.readings:
                self.readings[name].append(SensorReading(said.time, value))
        if said.device in self.observed:
            if said.lost is not None:
                self.lost[said.device] = (said.time, said.lost)
            elif said.state is not None:
                self.lost.pop(said.device, None)
                self._keep(said.device, DeviceReading(said.time, said.state))

    def _keep(self, identity: str, reading: DeviceReading) -> None:
        self.passed[identity] = self.passed.get(identity, 0) + 1
        if self.passed[identity] < self.strides.get(identity, 1):
            return
        self.passed[identity] = 0
        seen = self.observed[identity]
        seen.append(reading)
        if len(seen) > MOST_READINGS:
            del seen[1::2]
            self.strides[identity] = 2 * self.strides.get(identity, 1)

    def read_after(self, time: float, driven: Collection[str]) -> bool:
        """Return whether all that matters was read after a time on the stream's clock. Lost devices do not count."""
        watched = self.devices.keys() & set(driven) - self.lost.keys()
        devices = all(readings and readings[-1].time >= time for readings in map(self.observed.__getitem__, watched))
        return devices and (self.latest >= time or bool(self.devices) or not self.sensors)

    def forget(self, before: float) -> None:
        """Drop readings before a time on our clock, except the first, which show whether a power never changes."""
        for name, readings in self.readings.items():
            recent = (reading for reading in readings[ENOUGH:] if reading.time + self.lag >= before)
            self.readings[name] = [*readings[:ENOUGH], *recent]
        self.strides = {}
        for identity, seen in self.observed.items():
            self.observed[identity] = [reading for reading in seen if reading.time + self.lag >= before]


Hear = Callable[[str, str | None], None]
"""Takes the name of a stream and a line of it; None: the stream has ended."""


class SensorSource(Protocol):
    """A source of streams."""

    @property
    def interval(self) -> float:
        """Return the seconds between readings."""
        ...

    @property
    def streams(self) -> int:
        """Return the number of its streams."""
        ...

    def start(self, hear: Hear) -> None:
        """Start reading. Raises BanzukeError."""
        ...

    def stop(self) -> None:
        """End reading and leave nothing behind."""
        ...


class SensorListener:
    """Keeps what all sources report; lines come from their threads."""

    def __init__(self) -> None:
        self._streams: dict[str, Stream] = {}
        self._news = threading.Condition()

    def hear(self, stream: str, line: str | None) -> None:
        now = time.time()
        with self._news:
            heard = self._streams.setdefault(stream, Stream())
            if line is None:
                heard.over = True
            else:
                heard.hear(line, now)
            self._news.notify_all()

    @property
    def streams(self) -> list[Stream]:
        """Return the streams whose sensors are known."""
        return [stream for stream in self._streams.values() if stream.described]

    def wait(self, ready: Callable[[list[Stream]], bool], seconds: float) -> bool:
        """Wait until `ready` accepts all known streams; return False if it did not within these seconds."""
        with self._news:
            return self._news.wait_for(lambda: ready(list(self._streams.values())), seconds)

    def forget(self, before: float) -> None:
        with self._news:
            for stream in self._streams.values():
                stream.forget(before)
