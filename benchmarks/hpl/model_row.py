"""HPL's time on a grid of one row, where only panels go from rank to rank: message by message.

A rank looks for a panel from when it updates with the one before, and once it has passed that on. A message begins when
both ends look for it; those under way share links fairly. Unlike on several rows, where exchanges of rows come between
panels, this wait decides how many panels are under way.
"""

import heapq
import itertools
from collections.abc import Iterator

from .model_columns import FORWARDS, ByColumn, Way, fair_rates, ways

MOST_COLUMNS = 64
"""Most columns whose messages are followed: as many may be under way at the same time."""
MOST_FOLLOWED = 5000
"""Most messages that are followed, which takes half a second, unless more are needed for the next."""
FOLLOWED = 3
"""Fewest panels from each column: with fewer, a panel that stands for several holds up too many others."""
TOGETHER = 1e-9
"""Share of a message that is left when it counts as ended with another."""

Hop = tuple[int, int]
"""A panel's step, and the place after its root to which it goes."""


class OneRow:
    """The messages that are under way, and what ranks wait for."""

    def __init__(self, run: ByColumn) -> None:
        loads, q = run.loads, run.run.q
        self.run, self.q, self.now = run, q, 0.0
        self.rates: dict[tuple[int, ...], list[float]] = {}
        """Bytes in a second of messages that are under way together, by their ways."""
        self.ways: list[Way] = [*ways(loads.following), *ways(loads.second)]
        self.computed = [0.0] * q
        self.left: dict[Hop, float] = {}
        self.waiting: dict[Hop, int] = {}
        """A rank that looks for a message, by the message, until the other end does."""
        self.open = [0] * q
        self.count = itertools.count()
        self.ahead: list[tuple[float, int, int, Hop | None]] = []
        """When a rank goes on, or a message begins."""
        self.ranks = [self._passing(rank) for rank in range(q)]

    def seconds(self) -> float:
        """Return when the last rank has updated its last block."""
        for rank in range(self.q):
            self._go_on(rank)
        while self.ahead or self.left:
            rates = self._rates()
            times = [left / rate for left, rate in zip(self.left.values(), rates, strict=True)]
            step = min([*times, self.ahead[0][0] - self.now] if self.ahead else times)
            self.now = self.ahead[0][0] if self.ahead and self.now + step >= self.ahead[0][0] else self.now + step
            for (hop, left), rate in zip(list(self.left.items()), rates, strict=True):
                self.left[hop] = left - rate * step
                if self.left[hop] <= TOGETHER * self._size(hop[0]):
                    del self.left[hop]
                    self._end(hop)
            while self.ahead and self.ahead[0][0] <= self.now:
                _, _, rank, begun = heapq.heappop(self.ahead)
                if begun is None:
                    self._go_on(rank)
                else:
                    self._begin(begun)
        return max(self.computed)

    def _passing(self, rank: int) -> Iterator[list[Hop] | float]:
        """Yield the time until which a rank does nothing for panels, and the messages that it then waits for."""
        run, q, go = self.run, self.q, float(self.run.panel[0]) if rank == 0 else 0.0
        for step in range(run.steps):
            yield go
            place = (rank - step) % q
            if place == 0 and q > 1:
                yield [(step, to) for to in range(1, min(q, FORWARDS))]
            elif place:
                yield [(step, place)]
                if 1 < place < q - 1:
                    yield [(step, place + 1)]
            begun = max(self.now, self.computed[rank])
            self.computed[rank] = begun + float(run.update[step])
            go = begun
            if step + 1 < run.steps and rank == (step + 1) % q:
                go += float(run.ahead[step + 1] + run.panel[step + 1])
                self.computed[rank] += float(run.panel[step + 1])

    def _go_on(self, rank: int) -> None:
        match next(self.ranks[rank], None):
            case float(until):
                self._later(max(until, self.now), rank, None)
            case list(hops):
                self.open[rank] = len(hops)
                for hop in hops:
                    if self.waiting.pop(hop, rank) == rank:
                        self.waiting[hop] = rank
                    else:
                        latency = self.run.latency * float(self.run.extents.stride)
                        self._later(self.now + latency, rank, hop)

    def _later(self, when: float, rank: int, hop: Hop | None) -> None:
        heapq.heappush(self.ahead, (when, next(self.count), rank, hop))

    def _ends(self, hop: Hop) -> tuple[int, int]:
        step, place = hop
        sender = step if place < FORWARDS else step + place - 1
        return sender % self.q, (step + place) % self.q

    def _size(self, step: int) -> float:
        extents = self.run.extents
        return float(8 * extents.stride * extents.width[step] * (extents.m[step] + extents.width[step]))

    def _begin(self, hop: Hop) -> None:
        if self.ways[self._way(hop)].links.size:
            self.left[hop] = self._size(hop[0])
        else:
            self._end(hop)

    def _end(self, hop: Hop) -> None:
        for rank in self._ends(hop):
            self.open[rank] -= 1
            if not self.open[rank]:
                self._go_on(rank)

    def _way(self, hop: Hop) -> int:
        return self._ends(hop)[0] + (self.q if hop[1] == FORWARDS - 1 else 0)

    def _rates(self) -> list[float]:
        """Return the fair rates of the messages that are under way."""
        if not self.left:
            return []
        under_way = tuple(map(self._way, self.left))
        if under_way not in self.rates:
            self.rates[under_way] = [*map(float, fair_rates([self.ways[way] for way in under_way]))]
        return self.rates[under_way]
