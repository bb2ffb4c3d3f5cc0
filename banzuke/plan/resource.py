"""Resources: what samples ask of a machine. Each is measured by one benchmark for all."""

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
    """For the middle of a sentence: `register FMA rate`."""
    source: Message
    threads: int | None = None
    """Number of threads that reached it; None: those of the whole host."""


@dataclass(frozen=True)
class Resource:
    """Something that samples ask of a machine, and that the machine has at a rate which some benchmark measures."""

    name: str
    """Its name in the programs' demands: `memory.bytes`."""
    unit: str
    """Unit of the rate."""
    title: str
    """Title of the rate, for the middle of a sentence: `memory bandwidth`."""
    scope: Literal["core", "host", "device", "link", "area"]
    """The part of the machine whose number in use scales the rate. One core may draw on all that a host has."""
    case: Mapping[str, str] = field(default_factory=dict)
    """Parameters of the standard case that measures it, between hosts for a link. Empty: the headline measures it."""
    measured_by: Mapping[str, Collection[str]] = field(default_factory=dict)
    """Values, by parameter, in the cases that may set the ceiling; others are only judged by it. Empty: all cases
    may.
    """
    metric: str = ""
    """The figure that measures it, where other figures of the same benchmark are only judged by it. Empty: the best of
    all figures, which then is its own ceiling.
    """
    beyond_caches: int = 0
    """How many times as large as the last-level caches of the used cores a case's data must be to show the rate, so
    that caches cannot serve a share that matters. 0: what stays in caches asks for it like anything else.
    """
    cache: int = 0
    """Level of the cache that has this rate; 0: none has."""
    instead_of: str = ""
    """For a cache: the resource of the memory whose demands this one serves where the data lie in caches of its
    level.
    """
    within: tuple[str, ...] = ()
    """Resources that stand for this one where its rate is unknown and a demand on one of them is known: their rate is
    an upper bound of its own, or they bind the same work, if less closely.
    """
    at_least: Mapping[str, float] = field(default_factory=dict)
    """Other resource -> smallest ratio of this one's rate to that one's on any machine. An unknown rate is left out of
    a limit where even this smallest rate could not bind.
    """
    peak: Callable[[Machine], Peak | None] | None = None
    """Returns the theoretical rate of a host; None: it has none."""
    of_device: Callable[[Device], Peak | None] | None = None
    """Returns the theoretical rate of a device, unless its description already has a peak of this name."""
    above: Callable[[Machine], KnownRate | None] | None = None
    """Returns a rate that the measured one cannot exceed: the limit of the benchmark that measures it."""
    instead: Callable[[Machine], KnownRate | None] | None = None
    """Returns the rate that stands in where the benchmark was not run."""


@dataclass(frozen=True)
class Resources:
    """Dependencies between a benchmark and the limits of others."""

    measures: tuple[Resource, ...] = ()
    """Resources whose ceilings are this benchmark's best verified figures."""
    needs: tuple[str, ...] = ()
    """Resources that other benchmarks measure and that this one's standard cases are judged by."""
