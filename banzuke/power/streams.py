"""What sensors say while cases run: streams of lines, as `banzuke-probe power` writes them, each with its clock."""

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
"""Of a device that are kept: of a case of hours every second one, then every fourth, evenly over its time."""


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _Described(_Line):
    id: Name
    kind: Kind
    covers: Covers
    range: Positive | None = None
    device: Name | None = None


class WatchedDevice(_Line):
    """What does not change while it is watched, in SI units."""

    identity: Name
    number: Index
    name: str = ""
    source: Name = "nvml"
    """Who tells of it: nvml, hwmon."""
    clock_max: Amount | None = None
    clock_set: Amount | None = None
    """That applications are to have."""
    memory_bits: Count | None = None
    link_generation_max: Index | None = None
    """Of the device in this slot."""
    link_generation_device: Index | None = None
    link_width_max: Index | None = None
    power_default: Amount | None = None
    ecc: bool | None = None
    persistent: bool | None = None
    slices: frozenset[str] = frozenset()
    """Identities of the parts that are used as devices of their own."""


class _State(_Line):
    clock: Amount | None = None
    memory_clock: Amount | None = None
    power: Amount | None = None
    temperature: Real | None = None
    """Degrees Celsius."""
    slowing: frozenset[str] | None = None
    """What holds its clock down; None: it does not say."""
    power_limit: Amount | None = None
    """In force."""
    ecc_corrected: Amount | None = None
    """Since the driver was loaded."""
    ecc_uncorrected: Amount | None = None
    repair: str | None = None
    """Of memory with errors: none, pending, failed."""
    link_generation: Index | None = None
    link_width: Index | None = None
    processes_began: tuple[Real, ...] | None = None
    """Of each process that uses it, as far as it can be seen: seconds since the epoch."""


@dataclass(frozen=True)
class DeviceReading:
    """What a device did at a moment; what seldom changes is not in each."""

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
    """One of which a driver says nonsense, such as a counter's range of 0, takes no other with it."""
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
    """What one process on one host, or whatever else tells of a host's sensors, has said."""

    host: str = ""
    lag: float = math.inf
    """Least time from a line's own time to its arrival here: how far that host's clock is behind ours, and a little."""
    sensors: Mapping[str, Sensor] = field(default_factory=dict)
    unreadable: tuple[str, ...] = ()
    readings: dict[str, list[SensorReading]] = field(default_factory=dict)
    latest: float = -math.inf
    """Time of the latest reading by the stream's clock."""
    devices: Mapping[str, WatchedDevice] = field(default_factory=dict)
    observed: dict[str, list[DeviceReading]] = field(default_factory=dict)
    strides: dict[str, int] = field(default_factory=dict)
    """Of a device's readings one in so many is kept."""
    passed: dict[str, int] = field(default_factory=dict)
    """Readings of a device since the latest that was kept."""
    lost: dict[str, tuple[float, str]] = field(default_factory=dict)
    """When a device did not answer any more, and why; one that answers again is not among them."""
    ours: bool = False
    """Whether its times are of our clock, and not of its host's."""
    described: bool = False
    over: bool = False

    def hear(self, line: str, now: float) -> None:
        """A line that came at the time `now` of our clock; what is no such line is ignored."""
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
        """Whether all that is of interest was read after a time of its clock; what was lost is not waited for."""
        watched = self.devices.keys() & set(driven) - self.lost.keys()
        devices = all(readings and readings[-1].time >= time for readings in map(self.observed.__getitem__, watched))
        return devices and (self.latest >= time or bool(self.devices) or not self.sensors)

    def forget(self, before: float) -> None:
        """Readings before a time of our clock, but for the first ones: a power that never changes is none."""
        for name, readings in self.readings.items():
            recent = (reading for reading in readings[ENOUGH:] if reading.time + self.lag >= before)
            self.readings[name] = [*readings[:ENOUGH], *recent]
        self.strides = {}
        for identity, seen in self.observed.items():
            self.observed[identity] = [reading for reading in seen if reading.time + self.lag >= before]


Hear = Callable[[str, str | None], None]
"""Takes the name of a stream and a line of it; None: it is over."""


class SensorSource(Protocol):
    """Something that streams come from."""

    @property
    def interval(self) -> float:
        """Seconds between readings."""
        ...

    @property
    def streams(self) -> int:
        """How many it has."""
        ...

    def start(self, hear: Hear) -> None:
        """Raises BanzukeError."""
        ...

    def stop(self) -> None:
        """Ends and leaves nothing behind."""
        ...


class SensorListener:
    """Keeps what all sources say; lines come from threads of theirs."""

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
        """Those of which something is known."""
        return [stream for stream in self._streams.values() if stream.described]

    def wait(self, ready: Callable[[list[Stream]], bool], seconds: float) -> bool:
        """Until all streams that were heard of are; False: they were not in that time."""
        with self._news:
            return self._news.wait_for(lambda: ready(list(self._streams.values())), seconds)

    def forget(self, before: float) -> None:
        with self._news:
            for stream in self._streams.values():
                stream.forget(before)
