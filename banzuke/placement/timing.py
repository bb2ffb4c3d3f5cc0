"""Times orders of ranks by models that follow a benchmark through its steps, where the sum of its phases is not enough:
phases that hide behind each other or behind computation cost less than their sum.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from banzuke.placement.pattern import Computes, Grid, Pattern
from banzuke.placement.replay import Replay
from banzuke.placement.score import Traffic
from banzuke.placement.topology import Indices
from banzuke.words import Message, message

MOST_RANKS = 20_000
"""Most ranks that are timed: 10,000 ranks of HPL take seconds for each order."""


MOST_MESSAGES = 8192
"""Most messages that are replayed: those of 256 ranks in 32 steps take a second for each order."""


class Timing(Protocol):
    """A model of the time of a pattern in an order."""

    @property
    def name(self) -> str:
        """Return its name for programs."""

    @property
    def notes(self) -> Sequence[Message]:
        """Return what the model is and what it assumes."""

    def seconds(self, order: Indices) -> float:
        """Return the time; in units of the rate 1 if the network has no rates. `order`: the host of each rank."""


@dataclass(frozen=True, eq=False)
class TimedSteps:
    """A benchmark's own model of its steps."""

    computes: Computes
    grid: Grid
    traffic: Traffic
    """With any phases."""
    size: float
    rate: float
    """Rate of a rank's computation; infinity: it takes no time."""
    notes: tuple[Message, ...] = ()
    name: str = "steps"
    _done: dict[bytes, float] = field(default_factory=dict)

    @cached_property
    def links(self) -> Traffic:
        return replace(self.traffic, phases=tuple(self.computes.links(self.grid)))

    def seconds(self, order: Indices) -> float:
        """Return the time of the run; each order is timed once."""
        key = order.tobytes()
        if key not in self._done:
            topology = self.traffic.topology
            loads = self.links.loads(order) / topology.rate
            latency = topology.message_seconds if topology.rated else 0.0
            self._done[key] = self.computes.seconds(self.grid, self.size, self.rate, latency, loads)
        return self._done[key]


@dataclass(frozen=True, eq=False)
class TimedReplay:
    """A replay of the phases rank by rank."""

    traffic: Traffic
    unit: float
    """Bytes of a unit of amount."""
    name: str = "replay"
    notes: tuple[Message, ...] = ()
    eager: bool = False
    """Whether messages begin without their receivers."""
    _done: dict[bytes, float] = field(default_factory=dict, init=False)

    def seconds(self, order: Indices) -> float:
        """Return the time of the messages; each order is replayed once."""
        key = order.tobytes()
        if key not in self._done:
            topology = self.traffic.topology
            times = max(phase.times for phase in self.traffic.phases)
            latency = topology.message_seconds * times if topology.rated else 0.0
            self._done[key] = Replay(self.traffic, order, self.unit, latency, waits=not self.eager).seconds()
        return self._done[key]


def _replayed(pattern: Pattern, traffic: Traffic, size: float | None) -> TimedReplay | None:
    """Return a replay, if ranks go through the phases by themselves, each message has one route, and there are few."""
    topology = traffic.topology
    one_route = topology.routing != "adaptive" and (
        traffic.adapters != "striped" or np.unique(topology.port_host).size == topology.port_host.size
    )
    if not pattern.in_turn or not one_route or traffic.source.size > MOST_MESSAGES:
        return None
    unit = pattern.unit(size) if pattern.unit and size is not None else 1.0
    return TimedReplay(traffic, unit, notes=(message("place-note-replay"), protocol(pattern)), eager=pattern.eager)


def protocol(pattern: Pattern) -> Message:
    """Return when messages of phases that ranks go through by themselves begin."""
    return message("place-note-eager") if pattern.eager else message("place-note-rendezvous")


def timing_of(
    pattern: Pattern, grid: Grid, traffic: Traffic, size: float | None, rate: float = math.inf
) -> Timing | None:
    """Return how orders are timed; None: by the sum of their phases. `rate`: of a rank's computation."""
    if replayed := _replayed(pattern, traffic, size):
        return replayed
    if pattern.computes is None or math.prod(grid) > MOST_RANKS:
        return None
    notes = [message("place-note-steps")]
    if size is None:
        size = pattern.computes.usual_size(grid)
        notes.append(message("place-note-size", size=f"{size:,.0f}"))
    if size < pattern.computes.least_size(grid):
        return None
    if rate == math.inf:
        notes.append(message("place-note-no-computation"))
    return TimedSteps(pattern.computes, grid, traffic, size, rate, tuple(notes))
