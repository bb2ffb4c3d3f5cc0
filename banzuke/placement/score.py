"""Computes how long the phases of a pattern take for an order of ranks: each as long as its busiest link."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias, get_args

import numpy as np

from banzuke.placement.pattern import MessagePhase
from banzuke.placement.routes import Routes
from banzuke.placement.topology import Indices, NetworkTopology, Values

Adapters: TypeAlias = Literal["striped", "by-rank", "first"]
"""How ranks use several cables of a host: a message is split over all, each rank has its own, or only the
first is used.
"""
ADAPTERS: tuple[Adapters, ...] = get_args(Adapters)


@dataclass(frozen=True)
class MessagePhaseTime:
    name: str
    seconds: float
    """Time of the busiest link, in seconds where amounts are in bytes; else in their unit."""
    link: int
    """Number of the busiest link."""


@dataclass(frozen=True)
class Score:
    seconds: float
    phases: tuple[MessagePhaseTime, ...]


@dataclass(frozen=True, eq=False)
class Traffic:
    """The phases of a pattern on a network, for any order of its ranks."""

    topology: NetworkTopology
    phases: tuple[MessagePhase, ...]
    adapters: Adapters = "striped"

    @cached_property
    def routes(self) -> Routes:
        return Routes(self.topology)

    @cached_property
    def source(self) -> Indices:
        """Return the sending ranks of all flows of all phases."""
        return np.concatenate([phase.source for phase in self.phases])

    @cached_property
    def target(self) -> Indices:
        return np.concatenate([phase.target for phase in self.phases])

    @cached_property
    def amounts(self) -> Values:
        return np.concatenate([phase.amounts for phase in self.phases])

    @cached_property
    def phase(self) -> Indices:
        """Return the number of each flow's phase."""
        return np.repeat(np.arange(len(self.phases)), [phase.source.size for phase in self.phases])

    @cached_property
    def times(self) -> Values:
        return np.array([phase.times for phase in self.phases])

    @cached_property
    def cables(self) -> tuple[Indices, Indices]:
        """Return the first cable, and the number of cables, of each host."""
        count = np.bincount(self.topology.port_host, minlength=len(self.topology.hosts))
        return np.cumsum(count) - count, count

    def parts(self, order: Indices, flows: Indices) -> tuple[Indices, Indices, Indices, Values]:
        """Return those of these flows that leave their host, for each cable used: the flow, the cables of both
        hosts, the amount.
        """
        first, count = self.cables
        source, target = order[self.source[flows]], order[self.target[flows]]
        outside = source != target
        flows, source, target = flows[outside], source[outside], target[outside]
        if self.adapters == "striped":
            number = np.maximum(count[source], count[target])
            which = np.arange(int(number.sum())) - np.repeat(np.cumsum(number) - number, number)
            flows, source, target = (np.repeat(values, number) for values in (flows, source, target))
            sending, receiving = first[source] + which % count[source], first[target] + which % count[target]
            return flows, sending, receiving, self.amounts[flows] / np.repeat(number, number)
        if self.adapters == "first":
            return flows, first[source], first[target], self.amounts[flows]
        local = _local(order)
        sending = first[source] + local[self.source[flows]] % count[source]
        receiving = first[target] + local[self.target[flows]] % count[target]
        return flows, sending, receiving, self.amounts[flows]

    def loads(self, order: Indices) -> Values:
        """Return the amount on each link (column) in each phase (row)."""
        flows, sending, receiving, amounts = self.parts(order, np.arange(self.source.size))
        links = self.topology.source.size
        phase = self.phase[flows]
        if self.topology.routing == "adaptive":
            return np.array(
                [
                    self.routes.loads(sending[phase == number], receiving[phase == number], amounts[phase == number])
                    for number in range(len(self.phases))
                ]
            )
        part, link = self.routes.paths(sending, receiving)
        flat = np.bincount(phase[part] * links + link, weights=amounts[part], minlength=len(self.phases) * links)
        return np.asarray(flat, dtype=np.float64).reshape(len(self.phases), links)

    def per_byte(self, order: Indices, among: Indices | None = None) -> dict[str, float]:
        """Return the seconds of all phases of one name, whose messages have one byte; `among`: only on these links."""
        times = self.loads(order) / self.topology.rate
        seconds: dict[str, float] = defaultdict(float)
        for phase, row in zip(self.phases, times if among is None else times[:, among], strict=True):
            seconds[phase.name] += phase.times * float(row.max(initial=0.0))
        return dict(seconds)

    def score(self, order: Indices) -> Score:
        """Return the times of all phases; `order`: the host of each rank."""
        times = [
            MessagePhaseTime(phase.name, float(row.max(initial=0.0)), int(row.argmax()))
            for phase, row in zip(self.phases, self.loads(order) / self.topology.rate, strict=True)
        ]
        total = sum(phase.times * time.seconds for phase, time in zip(self.phases, times, strict=True))
        return Score(float(total), tuple(times))


def _local(order: Indices) -> Indices:
    """Return the number of each rank among those of its host."""
    sorted_ranks = np.argsort(order, kind="stable")
    counts = np.bincount(order)
    local = np.empty_like(order)
    local[sorted_ranks] = np.arange(order.size) - np.repeat(np.cumsum(counts) - counts, counts)
    return local


def slots(hosts: Sequence[int], ranks: Sequence[int]) -> Indices:
    """Return the host of each rank where hosts are filled one after the other."""
    return np.repeat(np.array(hosts, dtype=np.int64), np.array(ranks, dtype=np.int64))
