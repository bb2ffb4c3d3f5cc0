"""Resources: what a sample asks of a machine, measured by one benchmark for all."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

from banzuke.machine.model import Machine
from banzuke.machine.site import Device, Peak
from banzuke.words import Message


@dataclass(frozen=True)
class KnownRate:
    """A rate of a host that is known without the benchmark that measures its resource."""

    rate: float
    title: Message
    """In the middle of a sentence: `register FMA rate`."""
    source: Message
    threads: int | None = None
    """Those that reached it; None: the whole host."""


@dataclass(frozen=True)
class Resource:
    """What a sample asks of a machine, and the machine has at a rate that some benchmark measures."""

    name: str
    """As programs name it in what they demand: `memory.bytes`."""
    unit: str
    """Unit of the rate."""
    title: str
    """Title of the rate, in the middle of a sentence: `memory bandwidth`."""
    scope: Literal["core", "host", "device", "link", "area"]
    """How the rate grows: with what of it a case uses. One core may draw on all of what a host has."""
    case: Mapping[str, str] = field(default_factory=dict)
    """For a link: parameters of the standard case between hosts that measures it. Others the headline measures."""
    measured_by: Mapping[str, Collection[str]] = field(default_factory=dict)
    """Parameter -> its values in the cases that may set the ceiling; others are only judged by it. Empty: all may."""
    cached: bool = False
    """Whether what stays in the caches asks nothing of it."""
    within: str = ""
    """The resource whose rate this one's cannot exceed: where this one's is unknown, that one's stands for it."""
    at_least: Mapping[str, float] = field(default_factory=dict)
    """Other resource -> the least that this one's rate is, as a multiple of that one's, on any machine. An unknown rate
    is left out of a limit where even so little could not bind."""
    peak: Callable[[Machine], Peak | None] | None = None
    """The theoretical rate of a host; None: it has none."""
    of_device: Callable[[Device], Peak | None] | None = None
    """The theoretical rate of a device, where it is none of those peaks that its description has by name."""
    above: Callable[[Machine], KnownRate | None] | None = None
    """What the measured rate cannot exceed: the limit of the benchmark that measures it."""
    instead: Callable[[Machine], KnownRate | None] | None = None
    """What stands in where the benchmark was not run."""


@dataclass(frozen=True)
class Resources:
    """How a benchmark and the limits of others depend on each other."""

    measures: tuple[Resource, ...] = ()
    """Resources whose ceilings are this benchmark's best verified figures."""
    needs: tuple[str, ...] = ()
    """Resources that other benchmarks measure and this one's standard cases are judged by."""
