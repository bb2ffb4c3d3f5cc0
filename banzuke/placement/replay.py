"""Replays phases rank by rank: a small simulator of messages that share links fairly, as a fluid.

A rank starts its messages of a phase at once, and begins the next phase when they are complete, without waiting for
others. A message begins when both ends are in its phase, or, if messages do not wait for receivers, when its sender is.
So fast ranks are phases ahead of others, and the time is less than the sum of phases, in which all wait for the busiest
link of each.
"""

import heapq
from collections.abc import Iterator

import numpy as np

from banzuke.placement.fairness import fair_rates
from banzuke.placement.score import Traffic
from banzuke.placement.topology import Indices, Values

TOGETHER = 0.01
"""Share of a message that is left when it counts as ended with another."""


class Replay:
    """The messages of an order, by phase and rank."""

    def __init__(self, traffic: Traffic, order: Indices, unit: float, latency: float, *, waits: bool = True) -> None:
        """Take the messages; `unit`: bytes of a unit of amount; `latency`: seconds of a message besides its bytes;
        `waits`: whether messages wait for their receivers.
        """
        self.waits = waits
        flows, sending, receiving, _ = traffic.parts(order, np.arange(traffic.source.size))
        part, link = traffic.routes.paths(sending, receiving)
        sorting = np.argsort(part, kind="stable")
        used, link = np.unique(link[sorting], return_inverse=True)
        self.links = np.split(link, np.searchsorted(part[sorting], np.arange(1, flows.size)))
        self.rate = traffic.topology.rate[used]
        self.latency = latency
        self.routed = dict(zip(flows.tolist(), self.links, strict=True))
        self.size = traffic.amounts * traffic.times[traffic.phase] * unit
        self.source, self.target = traffic.source.tolist(), traffic.target.tolist()
        self.phase = traffic.phase.tolist()
        self.phases = len(traffic.phases)
        self.own: list[list[list[int]]] = [[[] for _ in range(self.phases)] for _ in range(order.size)]
        for flow, (source, target, phase) in enumerate(zip(self.source, self.target, self.phase, strict=True)):
            self.own[source][phase].append(flow)
            self.own[target][phase].append(flow)

    def seconds(self) -> float:
        """Return when the last message is complete."""
        ranks = len(self.own)
        self.at = [-1] * ranks
        self.open = [0] * ranks
        self.ended: set[int] = set()
        now, latest = 0.0, 0.0
        begun: list[tuple[float, int]] = []
        for flow in self._advanced(list(range(ranks))):
            heapq.heappush(begun, (self.latency, flow))
        active = np.empty(0, np.int64)
        left = np.empty(0)
        rates = np.empty(0)
        while begun or active.size:
            until = begun[0][0] if begun else np.inf
            ends = left / rates
            first = float(ends.min(initial=np.inf))
            if now + first <= until:
                done = left - rates * first <= TOGETHER * self.size[active]
                step = float(ends[done].mean())
                now, left = now + step, np.maximum(left - rates * step, 0.0)
                latest = now
                ended, active, left = active[done], active[~done], left[~done]
                waiting: list[int] = []
                for flow in ended.tolist():
                    waiting += self._completed(flow)
                for flow in self._advanced(waiting):
                    heapq.heappush(begun, (now + self.latency, flow))
            else:
                left, now = left - rates * (until - now) if active.size else left, until
            entering = []
            while begun and begun[0][0] <= now:
                entering.append(heapq.heappop(begun)[1])
            if entering:
                active = np.concatenate([active, np.array(entering, dtype=np.int64)])
                left = np.concatenate([left, self.size[entering]])
            rates = self._rates(active)
        return latest

    def _completed(self, flow: int) -> Iterator[int]:
        """Yield the ends of a message that was the last of the phase in which they are."""
        self.ended.add(flow)
        for rank in (self.source[flow], self.target[flow]):
            if self.at[rank] == self.phase[flow]:
                self.open[rank] -= 1
                if not self.open[rank]:
                    yield rank

    def _advanced(self, ranks: list[int]) -> Iterator[int]:
        """Let ranks begin their next phase; yield the messages that begin, which leave their host."""
        while ranks:
            rank = ranks.pop()
            self.at[rank] += 1
            while self.at[rank] < self.phases and not self.own[rank][self.at[rank]]:
                self.at[rank] += 1
            if self.at[rank] == self.phases:
                continue
            phase = self.at[rank]
            own = [flow for flow in self.own[rank][phase] if flow not in self.ended]
            self.open[rank] = len(own)
            if not own:
                ranks.append(rank)
            for flow in own:
                other = self.target[flow] if self.source[flow] == rank else self.source[flow]
                if self.at[other] == phase if self.waits else other != self.source[flow]:
                    if flow in self.routed:
                        yield flow
                    else:
                        ranks += self._completed(flow)

    def _rates(self, active: Indices) -> Values:
        """Return the max-min fair rates of messages that are under way."""
        if not active.size:
            return np.empty(0)
        routes = [self.routed[flow] for flow in active.tolist()]
        message = np.repeat(np.arange(active.size), [route.size for route in routes])
        return fair_rates(message, np.concatenate(routes), self.rate, active.size)
