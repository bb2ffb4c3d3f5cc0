"""Finds a better order: starts with the best usual one, and exchanges ranks to take load from the busiest links."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from banzuke.placement.score import Score, Traffic
from banzuke.placement.topology import Indices, Values

PATIENCE = 4000
"""Exchanges in a row without an improvement after which the search ends."""
SLACK = 1e-3
"""Weight of all loads together against the busiest link, so that exchanges that only spread the load are
accepted too.
"""
WORTH = 1e-3
"""Smallest share of the time that exchanges must save; otherwise the order stays, because a plain one is
easier to read.
"""
TRIED_HOT = 8
"""Number of the busiest links of a phase from which one is chosen."""


NEAR = 0.8
"""Share of exchanges within a switch, which keep neighbours close."""
ROUND = 32
"""Exchanges that are tried with the ranks whose messages pass one busy link."""


@dataclass(frozen=True)
class Proposal:
    order: Indices
    score: Score
    exchanges: int
    begun: str
    """Name of the order from which the search began."""


@dataclass(eq=False)
class OrderSearch:
    """The loads of an order, kept up to date while ranks are exchanged."""

    traffic: Traffic
    order: Indices
    seconds: Values = field(init=False)
    """Time of each link (column) in each phase (row)."""
    flows_of: list[Indices] = field(init=False)
    worst: Values = field(init=False)
    spread: Values = field(init=False)

    def __post_init__(self) -> None:
        traffic = self.traffic
        self.seconds = traffic.loads(self.order) / traffic.topology.rate
        ends = np.concatenate([traffic.source, traffic.target])
        flows = np.tile(np.arange(traffic.source.size), 2)
        sorting = np.argsort(ends, kind="stable")
        starts = np.searchsorted(ends[sorting], np.arange(1, self.order.size))
        self.flows_of = np.split(flows[sorting], starts)
        self.worst = self.seconds.max(axis=1)
        self.spread = (self.seconds**2).sum(axis=1)

    def value(self, worst: Values, spread: Values) -> float:
        """Return what the search minimizes: the time of all phases, and a little of the root of all squared loads."""
        return float((self.traffic.times * (worst + SLACK * np.sqrt(spread))).sum())

    def exchange(self, ranks: Indices, partners: Indices, limit: float) -> float:
        """Exchange the hosts of ranks with those of as many partners if the value falls below `limit`; return the
        resulting value.
        """
        pair = np.concatenate([ranks, partners])
        swapped = np.concatenate([partners, ranks])
        flows = np.unique(np.concatenate([self.flows_of[rank] for rank in pair]))
        before = self._added(flows)
        self.order[pair] = self.order[swapped]
        after = self._added(flows)
        flat = np.concatenate([before[0], after[0]])
        change = np.concatenate([-before[1], after[1]])
        places, inverse = np.unique(flat, return_inverse=True)
        change = np.bincount(inverse, weights=change)
        flat_seconds = self.seconds.reshape(-1)
        old = flat_seconds[places]
        flat_seconds[places] = np.maximum(old + change, 0.0)
        phases = np.unique(places // self.seconds.shape[1])
        worst, spread = self.worst.copy(), self.spread.copy()
        worst[phases] = self.seconds[phases].max(axis=1)
        np.add.at(spread, places // self.seconds.shape[1], flat_seconds[places] ** 2 - old**2)
        value = self.value(worst, np.maximum(spread, 0.0))
        if value < limit:
            self.worst, self.spread = worst, np.maximum(spread, 0.0)
            return value
        flat_seconds[places] = old
        self.order[pair] = self.order[swapped]
        return limit

    def _added(self, flows: Indices) -> tuple[Indices, Values]:
        """Return the places in `seconds` that these flows load, and by how much."""
        traffic = self.traffic
        which, sending, receiving, amounts = traffic.parts(self.order, flows)
        part, link = traffic.routes.paths(sending, receiving)
        place = traffic.phase[which[part]] * traffic.topology.source.size + link
        return place, amounts[part] / traffic.topology.rate[link]

    def hot(self, generator: np.random.Generator) -> Indices:
        """Return ranks whose messages pass one of the busiest links of a phase; slow phases are chosen more often."""
        weights = self.traffic.times * self.worst
        phase = int(generator.choice(weights.size, p=weights / weights.sum()))
        row = self.seconds[phase]
        hottest = np.argpartition(row, -min(TRIED_HOT, row.size))[-min(TRIED_HOT, row.size) :]
        link = int(generator.choice(hottest[row[hottest] >= 0.8 * row.max()]))
        flows = np.flatnonzero(self.traffic.phase == phase)
        which, sending, receiving, _ = self.traffic.parts(self.order, flows)
        part, links = self.traffic.routes.paths(sending, receiving)
        passing = which[part[links == link]]
        return np.concatenate([self.traffic.source[passing], self.traffic.target[passing]])

    def pair(self, rank: int, generator: np.random.Generator, *, whole: bool) -> tuple[Indices, Indices]:
        """Return ranks to exchange, this one or all of its host's, and as many partners, mostly on the same
        switch; or none.
        """
        switch = self.traffic.topology.switch_of_host
        mates = np.flatnonzero(switch[self.order] == switch[self.order[rank]])
        among = mates if generator.random() < NEAR else np.arange(self.order.size)
        partner = int(generator.choice(among))
        if self.order[rank] == self.order[partner]:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        if not whole:
            return np.array([rank]), np.array([partner])
        ranks, partners = (np.flatnonzero(self.order == self.order[member]) for member in (rank, partner))
        return (ranks, partners) if ranks.size == partners.size else (ranks[:0], partners[:0])


def improved(
    traffic: Traffic,
    order: Indices,
    begun: str,
    seconds: float,
    seed: int = 1,
    *,
    whole: bool = False,
    clock: Callable[[], float] = time.monotonic,
) -> Proposal:
    """Exchange ranks for at most this many seconds. With adaptive routing there is no exchange, because all links on
    shortest paths share the load.

    `whole`: hosts with equally many ranks change places, and each keeps its ranks together.
    """
    before = traffic.score(order)
    if traffic.topology.routing == "adaptive":
        return Proposal(order, before, 0, begun)
    until = clock() + seconds
    search = OrderSearch(traffic, order.copy())
    generator = np.random.default_rng(seed)
    value = search.value(search.worst, search.spread)
    exchanges = idle = 0
    hot = np.empty(0, dtype=np.int64)
    while clock() < until and idle < PATIENCE and value > 0:
        if idle % ROUND == 0:
            hot = search.hot(generator)
        idle += 1
        if not hot.size:
            break
        ranks, partners = search.pair(int(generator.choice(hot)), generator, whole=whole)
        less = search.exchange(ranks, partners, value * (1 - 1e-12)) if ranks.size else value
        if less < value * (1 - 1e-9):
            value, idle, exchanges = less, 1, exchanges + 1
    after = traffic.score(search.order)
    if after.seconds > (1 - WORTH) * before.seconds:
        return Proposal(order, before, 0, begun)
    return Proposal(search.order, after, exchanges, begun)
