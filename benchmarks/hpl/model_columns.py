"""HPL's time column by column of the grid, where every link between the ranks is known.

Columns of the grid have different numbers of blocks and different links, and wait for each other only for panels. What
a column does in a step is in the order of lu.cpp: rows are exchanged for the first part of its columns, the next panel
is factorised where it is, and the exchange for the second part hides behind the update of the first.

- A panel goes to the next two columns at once, and from there to one after the other. Copies of it that are under way
  together share links fairly, and begin after what others have left to send on their links.
- Rows are exchanged in all columns at once, so that a link that several of them use carries what all send.
- On a link, messages come one after the other. A panel's comes after those that begin before half of it has been sent
  where nothing is in its way, an exchange of rows after those that begin before a second column exchanges.
"""

import heapq
import itertools
import math
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
    def carried(self) -> Loads:
        """Return the seconds that a step's whole exchange of rows (row) takes on each link."""
        p, q, extents = self.run.p, self.run.q, self.extents
        blocks = np.maximum(np.rint(extents.after / extents.width), 1)[:, None]
        place = (np.arange(q) - np.arange(self.steps)[:, None] - 1) % q
        columns = extents.after[:, None] * ((blocks - place + q - 1) // q) / blocks
        whole = 8 * extents.stride * columns * extents.width[:, None] * (1 - 1 / p)
        # Displaced rows are those of pivots that were below.
        leaving = 1 + extents.after / (extents.after + extents.width)
        return np.asarray((whole * leaving[:, None]) @ self.loads.rows, dtype=np.float64)

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
        self.passed = [_passed(root, steps.loads) for root in range(steps.run.q)]
        self.ahead: list[tuple[float, int, Loads]] = []
        self.count = itertools.count()
        self.of_rows = [np.flatnonzero(row) for row in steps.loads.rows]

    def _proceed(self, until: float) -> None:
        """Add what begins by then to what links have left to send."""
        while self.ahead and self.ahead[0][0] <= until:
            begun, _, load = heapq.heappop(self.ahead)
            self.free = np.where(load > 0, np.maximum(self.free, begun) + load, self.free)

    def exchanged(self, step: int, share: float, begun: Loads) -> Loads:
        """Return when each column, which has `begun` then, has exchanged the rows for a share of its columns."""
        run = self.steps.run
        if run.p == 1:
            return begun
        load = share * self.steps.carried[step]
        self._proceed(float(np.sort(begun)[:2].max()))
        waits = (math.ceil(math.log2(run.p)) + run.p - 1) * self.steps.latency * self.steps.extents.stride
        ended = [
            float((np.maximum(self.free[links], begin) + load[links]).max(initial=begin)) + waits
            for links, begin in zip(self.of_rows, begun, strict=True)
        ]
        self.free = np.where(load > 0, np.maximum(self.free, begun.min()) + load, self.free)
        return np.array(ended)

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
            late = max(0.0, float(free[hop.links].max(initial=0.0)) - begun)
            delay = late if place < FORWARDS else max(delay, late)
            waits = max(1, place - 1) * steps.latency * extents.stride
            arrived[hop.column] = ready + delay + waits + size * hop.ends
            heapq.heappush(self.ahead, (begun + delay, next(self.count), size * hop.load))
        self._proceed(ready)
        return arrived


@dataclass(frozen=True, eq=False)
class _Hop:
    """A panel's way to a column; times are those of a panel of one byte, alone on the network."""

    column: int
    load: Loads
    begins: float
    ends: float

    @cached_property
    def links(self) -> NDArray[np.int64]:
        return np.flatnonzero(self.load)


def _passed(root: int, loads: ColumnLoads) -> list[_Hop]:
    """Return the ways of a panel from its root, by place after it; those under way at once share links fairly."""
    q = loads.following.shape[0]
    ways = [loads.following[root], loads.second[root]]
    ways += [loads.following[(root + place - 1) % q] for place in range(3, q)]
    ways = [np.zeros_like(ways[0]), *ways[: q - 1]]
    begins, ends = np.zeros(q), np.zeros(q)
    left = dict.fromkeys(range(1, min(q, 3)), 1.0)
    now = 0.0
    while left:
        rates = _fair(np.stack([ways[place] for place in left]))
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


def _fair(ways: Loads) -> Loads:
    """Return the rates of messages that share links fairly: as max-min fairness has them; `ways`: their loads."""
    rates = np.full(ways.shape[0], np.inf)
    space, open_ways = np.ones(ways.shape[1]), ways.any(axis=1)
    while open_ways.any():
        load = ways[open_ways].sum(axis=0)
        used = load > 0
        share = np.full(load.size, np.inf)
        share[used] = space[used] / load[used]
        link = int(share.argmin())
        ended = open_ways & (ways[:, link] > 0)
        rates[ended] = share[link]
        space = np.maximum(space - share[link] * ways[ended].sum(axis=0), 0.0)
        open_ways &= ~ended
    return rates
