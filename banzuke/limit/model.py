"""Types for what bounds figures: ceilings, and where the data of a timed part lay."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from banzuke.plan.resource import Resource
from banzuke.plan.wording import resource_title
from banzuke.record.state import ONE_STATE, State
from banzuke.words import Message, Quantity, Share, message


class Doubt(NamedTuple):
    """Why a rate may not be that of the machine; compares by weight. Caches weigh more: their rate is another one."""

    cached: bool = False
    """Whether caches may have served a share of the data that matters."""
    disturbed: bool = False
    """Whether others used the processors in all launches that could show it."""


NO_DOUBT = Doubt()


@dataclass(frozen=True)
class OtherRate:
    """A measured rate that differs much from the one that counts."""

    value: float
    why: Literal["cached", "size"]
    """Why it does not count: caches may have served it, or it is slower and of the same case at another size."""


@dataclass(frozen=True)
class Ceiling:
    """A rate of a resource that no host of this machine can exceed."""

    resource: Resource
    value: float
    """Rate of one host, of the device or of the area, in the resource's unit."""
    kind: str
    """`measured` or `theoretical`."""
    source: Message
    """Where it comes from."""
    threads: int | None = None
    """Threads of a host that reached it; None: all that a host can have."""
    title: Message | None = None
    """Name of the rate, if it has its own."""
    above: bool = False
    """Whether it also bounds the benchmark that measures the resource."""
    area: str | None = None
    """The storage area whose rate it is."""
    partition: str | None = None
    """Partition whose nodes have it; None: there is only one."""
    device: str | None = None
    """Name of the kind of device whose rate it is, empty where that is unknown; None: it is a rate of hosts."""
    run: str = ""
    """The other run that measured it; empty: it belongs to the run that is judged."""
    state: State = ONE_STATE
    """State of the machine in which it was measured, if it varies with the state."""
    doubt: Doubt = NO_DOUBT
    """Why it may be too high or too low."""
    other: OtherRate | None = None
    """Another measured rate that does not count, where it differs much."""

    @property
    def varies(self) -> bool:
        """Return whether it depends on the state of the machine: processors measured it, as figures of the resource."""
        return (
            self.kind == "measured"
            and self.title is None
            and self.device is None
            and self.resource.scope in ("core", "host")
        )

    @property
    def devices(self) -> bool:
        """Return whether it is the rate of a device, which its hosts' processors do not reach."""
        return self.device is not None

    @property
    def name(self) -> Message:
        return self.title or resource_title(self.resource)

    @property
    def message(self) -> Message:
        """Return `memory bandwidth 57 GB/s, measured by stream on 2 cores`."""
        rate = Quantity(self.value, self.resource.unit)
        return message("limit-ceiling", name=self.name, rate=rate, source=self.source)


Place = Literal["in cache", "partly in cache", "in memory"]


@dataclass(frozen=True)
class Residence:
    """The place where the data of a record's timed part lay."""

    place: Place
    working_set: float
    cache: int
    """Bytes of the last-level caches."""
    level: int = 0
    """Nearest level of the caches that hold all of the data; 0: memory, or unknown."""
    nearer: int = 0
    """Bytes of the next nearer caches if they may serve a share of the data that matters; 0: they serve none."""
    nearer_level: int = 0
    """Level of these; 0: of a device, or there are none."""

    @property
    def beyond_nearer(self) -> float:
        """Return the share of the data that the next nearer caches cannot hold, whatever they keep."""
        return 1.0 - self.nearer / self.working_set if self.nearer else 1.0

    @property
    def partly_nearer(self) -> Message | None:
        """Return how much of the data a nearer cache serves at most; None: none that matters."""
        if not self.nearer:
            return None
        kind = "last" if self.place == "partly in cache" else "nearer"
        cached = Share(1.0 - self.beyond_nearer)
        return message("limit-partly-nearer", share=cached, cache=Quantity(self.nearer, "B"), kind=kind)

    @property
    def message(self) -> Message:
        size, cache = Quantity(self.working_set, "B"), Quantity(self.cache, "B")
        match self.place:
            case "in cache":
                return message("limit-in-cache", size=size, cache=cache)
            case "partly in cache":
                return message("limit-partly-in-cache", cache=cache)
            case _:
                return message("limit-in-memory", size=size, cache=cache)
