"""HPL's time column by column of the grid, where every link between the ranks is known.

Columns of the grid have different numbers of blocks and different links, and wait for each other only for panels. What
a column does in a step is in the order of lu.cpp: rows are exchanged for the first part of its columns, the next panel
is factorised where it is, and the exchange for the second part hides behind the update of the first.

- A panel goes to the next two columns at once, and from there to one after the other. Copies of it that are under way
  together share links fairly, and begin after what others have left to send on their links.
- Rows are exchanged in all columns at once, so that a link that several of them use carries what all send: around the
  ring of a column, and displaced ones in a tree from the rank with the diagonal, which sends most.
- On a link, messages come one after the other. A panel's comes after those that begin before half of it has been sent
  where nothing is in its way, an exchange of rows after those that begin before a second column exchanges.
"""

import heapq
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .model_steps import UNDIVIDED, Extents, Factorisation, Steps

Loads = NDArray[np.float64]
"""Seconds that a byte of each message takes on each link (column), by column of the grid (row)."""
FORWARDS = 3
"""First place after the root whose panel comes from a column that passes it on."""


@dataclass(frozen=True, eq=False)
class ColumnLoads:
    """Messages of one byte from every rank of a column of the grid."""

    following: Loads
    """To the next column."""
    second: Loads
    """To the column after the next."""
    rows: Loads
    """To the next rank of the same column."""
    scattered: Loads
    """In the trees of all columns from the rank in one of some rows (row); all that leaves it is one byte."""


@dataclass(frozen=True, eq=False)
class ByColumn:
    """What ranks compute in each step, the same on all, and the links of their messages."""

    run: Factorisation
    extents: Extents
    update: Steps
    ahead: Steps
    panel: Steps
    latency: float
    loads: ColumnLoads

    @property
    def steps(self) -> int:
        return int(self.update.size)

    @cached_property
    def halves(self) -> NDArray[np.bool_]:
        """Return whether the columns of a step are updated in two parts."""
        return (self.extents.n >= UNDIVIDED * self.extents.width) & (self.run.p > 1)

    @cached_property
    def row_bytes(self) -> Loads:
        """Return the bytes that each rank of a column (column) sends around the ring in a step (row), in all."""
        p, q, extents = self.run.p, self.run.q, self.extents
        blocks = np.maximum(np.rint(extents.after / extents.width), 1)[:, None]
        place = (np.arange(q) - np.arange(self.steps)[:, None] - 1) % q
        columns = extents.after[:, None] * ((blocks - place + q - 1) // q) / blocks
        whole = 8 * extents.stride * columns * extents.width[:, None] * (1 - 1 / p)
        return np.asarray(whole, dtype=np.float64)

    @cached_property
    def displaced_bytes(self) -> Steps:
        """Return the bytes that leave the rank with the diagonal in each step, those of pivots that were below."""
        after = self.extents.after
        return np.asarray(self.row_bytes.mean(axis=1) * after / (after + self.extents.width), dtype=np.float64)

    @cached_property
    def agreeing(self) -> Loads:
        """Return the seconds in which each column (column) agrees on the pivots of a step (row)."""
        rounds, width = math.ceil(math.log2(self.run.p)), self.extents.width[:, None]
        per_byte = self.loads.rows.max(axis=1, initial=0.0)
        waits = self.latency + 8 * (2 * width + 4) * per_byte
        return np.asarray(self.extents.stride * rounds * width * waits, dtype=np.float64)

    def seconds(self) -> float:
        """Return when the last column has updated its last block."""
        q, last = self.run.q, self.steps - 1
        queue = LinkQueue(self)
        now = np.zeros(q)
        now[0] = self.panel[0] + self.agreeing[0, 0]
        now = np.maximum(now, queue.passed_on(0, float(now[0])))
        begun: Loads | None = None
        for step in range(self.steps):
            first = 0.5 if self.halves[step] else 1.0
            now = np.maximum(now, queue.exchanged(step, first, now if begun is None else begun))
            begun, done, arrived = None, np.zeros(q), now
            early, owner = q > 1 and step < last, (step + 1) % q
            if early:
                done[owner] = self.ahead[step + 1]
                now[owner] += self.ahead[step + 1] + self.panel[step + 1] + self.agreeing[step + 1, owner]
                arrived = queue.passed_on(step + 1, float(now[owner]))
            exchanged = queue.exchanged(step, 1 - first, now) if first < 1 else now
            now = np.maximum(np.maximum(now + np.maximum(first * self.update[step] - done, 0.0), exchanged), arrived)
            if self.halves[step]:
                begun = now if early else None
                now = now + (1 - first) * self.update[step]
            if step < last and not early:
                now = now + self.panel[step + 1] + self.agreeing[step + 1, 0]
        return float(now.max())


class LinkQueue:
    """The links, with what older messages have left to send on each, and the messages that begin later."""

    def __init__(self, steps: ByColumn) -> None:
        self.steps = steps
        self.free = np.zeros(steps.loads.following.shape[1])
        following, second = ways(steps.loads.following), ways(steps.loads.second)
        self.passed = [_passed(root, following, second) for root in range(steps.run.q)]
        self.ahead: list[tuple[float, int, Way, float]] = []
        self.count = itertools.count()
        self.column, self.links = np.nonzero(steps.loads.rows)
        self.rows = steps.loads.rows[self.column, self.links]

    def _proceed(self, until: float) -> None:
        """Add what begins by then to what links have left to send."""
        while self.ahead and self.ahead[0][0] <= until:
            begun, _, way, size = heapq.heappop(self.ahead)
            self.free[way.links] = np.maximum(self.free[way.links], begun) + size * way.seconds

    def exchanged(self, step: int, share: float, begun: Loads) -> Loads:
        """Return when each column, which has `begun` then, has exchanged the rows for a share of its columns."""
        run = self.steps.run
        if run.p == 1:
            return begun
        sent = share * self.steps.row_bytes[step][self.column] * self.rows
        root = step % run.p * self.steps.loads.scattered.shape[0] // run.p
        load = share * self.steps.displaced_bytes[step] * self.steps.loads.scattered[root]
        load += np.bincount(self.links, weights=sent, minlength=self.free.size)
        self._proceed(float(np.sort(begun)[:2].max()))
        waits = (math.ceil(math.log2(run.p)) + run.p - 1) * self.steps.latency * self.steps.extents.stride
        ended = begun.copy()
        np.maximum.at(ended, self.column, np.maximum(self.free[self.links], begun[self.column]) + load[self.links])
        self.free = np.where(load > 0, np.maximum(self.free, begun.min()) + load, self.free)
        return ended + waits

    def passed_on(self, step: int, ready: float) -> Loads:
        """Return when each column has the panel of this step, which is `ready` on the column that factorised it."""
        steps, q = self.steps, self.steps.run.q
        arrived = np.full(q, ready)
        extents, passed = steps.extents, self.passed[step % q]
        size = 8 * extents.stride * extents.width[step] * (extents.m[step] + extents.width[step])
        self._proceed(ready + (0.5 * size * passed[1].ends if q > 1 else 0.0))
        free, delay = self.free.copy(), 0.0
        for place, hop in list(enumerate(passed))[1:]:
            begun = ready + size * hop.begins
            late = max(0.0, float(free[hop.way.links].max(initial=0.0)) - begun)
            delay = late if place < FORWARDS else max(delay, late)
            waits = max(1, place - 1) * steps.latency * extents.stride
            arrived[hop.column] = ready + delay + waits + size * hop.ends
            heapq.heappush(self.ahead, (begun + delay, next(self.count), hop.way, size))
        self._proceed(ready)
        return arrived


@dataclass(frozen=True, eq=False)
class Way:
    """The links of the messages that a column sends to another, and the seconds that a byte of each takes on them."""

    links: NDArray[np.int64]
    seconds: Loads


NOWHERE = Way(np.empty(0, np.int64), np.empty(0))


def ways(loads: Loads) -> list[Way]:
    return [Way(links, row[links]) for row in loads for links in [np.flatnonzero(row)]]


@dataclass(frozen=True, eq=False)
class _Hop:
    """A panel's way to a column; times are those of a panel of one byte, alone on the network."""

    column: int
    way: Way
    begins: float
    ends: float


def _passed(root: int, following: Sequence[Way], second: Sequence[Way]) -> list[_Hop]:
    """Return the ways of a panel from its root, by place after it; those under way at once share links fairly."""
    q = len(following)
    ways = [following[root], second[root], *(following[(root + place - 1) % q] for place in range(3, q))]
    ways = [NOWHERE, *ways[: q - 1]]
    begins, ends = np.zeros(q), np.zeros(q)
    left = dict.fromkeys(range(1, min(q, 3)), 1.0)
    now = 0.0
    while left:
        rates = fair_rates([ways[place] for place in left])
        takes = {place: left[place] / rate for place, rate in zip(left, rates, strict=True)}
        first = min(takes.values())
        now += first
        for place, rate in zip(list(left), rates, strict=True):
            if takes[place] <= first * (1 + 1e-12):
                ends[place] = now
                del left[place]
                if 2 <= place < q - 1:
                    begins[place + 1], left[place + 1] = now, 1.0
            else:
                left[place] -= rate * first
    return [_Hop((root + place) % q, ways[place], begins[place], ends[place]) for place in range(q)]


def fair_rates(ways: Sequence[Way]) -> Loads:
    """Return the rates of messages that share links fairly: as max-min fairness has them."""
    if len(ways) == 1:
        return np.array([1 / ways[0].seconds.max(initial=0.0)]) if ways[0].links.size else np.array([np.inf])
    links, place = np.unique(np.concatenate([way.links for way in ways]), return_inverse=True)
    loads = np.zeros((len(ways), links.size))
    loads[np.repeat(np.arange(len(ways)), [way.links.size for way in ways]), place] = np.concatenate(
        [way.seconds for way in ways]
    )
    rates = np.full(len(ways), np.inf)
    space, left = np.ones(links.size), np.flatnonzero(loads.any(axis=1))
    while left.size:
        rows = loads[left]
        load = rows.sum(axis=0)
        share = np.divide(space, load, out=np.full(load.size, np.inf), where=load > 0)
        shares = np.where(rows > 0, share, np.inf)
        least = shares.min(axis=1)
        narrow = shares <= least[:, None] * (1 + 1e-9)  # links on which a message gets least
        limiting = (narrow == (rows > 0)).all(axis=0)  # all of its messages do there
        ended = (narrow & limiting).any(axis=1)
        rates[left[ended]] = least[ended]
        space = np.maximum(space - least[ended] @ rows[ended], 0.0)
        left = left[~ended]
    return rates
