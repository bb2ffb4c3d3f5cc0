"""HPL's ranks in time, for a simulation of their network: panels, broadcasts, row exchanges and updates.

Order and pattern of the messages are those of lu.cpp, schedule.cpp and swap.cpp with the usual settings (look-ahead,
ring-modified, exchanges by scatter and roll, split 0.5). The seconds of computation are those of the analytic model.

A rank has four processes: one computes; one passes on panels; two exchange rows, as a ring and as a tree. So messages
proceed during the update, as in the program if it looks for them often enough. If the program has many steps, each
step here stands for several: with as much computation and as many bytes, and a latency that is as many times longer.
A panel then goes around in pieces, as several panels would.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from banzuke.errors import BanzukeError
from banzuke.placement.pattern import Grid, MessagePhase, numbered, ring
from banzuke.placement.skeleton import SIGNAL, WAIT, Action, RankProcess, Skeleton
from banzuke.placement.topology import Indices, Values

from .model import CONSTANTS
from .model_columns import ByColumn, ColumnLoads
from .model_row import FOLLOWED, MOST_COLUMNS, MOST_FOLLOWED, OneRow
from .model_steps import (
    PANELS,
    ROWS,
    UNDIVIDED,
    Extents,
    Factorisation,
    Rank,
    Rates,
    Steps,
    extents_of,
    panel_seconds,
    update_seconds,
)
from .sizes import BLOCK

MESSAGES = 250_000
"""Messages that are simulated, which is about 10 s, except for large grids: the number of steps follows."""
FEWEST_STEPS = 12
MOST_STEPS = 96
"""Unless the grid has one row, where a panel in pieces is too fast: they do not wait for each other as panels do."""
MOST_COMPUTED = 1000
"""Most steps that the model computes, of small grids."""
MOST_PASSED = 20_000
"""Most panels passed on to a column that the model computes, unless there is a step for each column: more steps than
three for a column change the time by a hundredth.
"""
MOST_ROOTS = 8
"""Most rows from which displaced rows leave that the model has, as there are as many messages for each."""
USUAL_BLOCKS = 40
"""Blocks of each column of the grid, or row if there are more of them, where no size is given."""
MOST_PIECES = 16
"""Most pieces of a panel, as each is a message on every rank."""
MOST_ROOTS = 32
"""Most columns of the grid whose panels' loads are computed; they stand for the others."""
SPLIT = 0.5
COMPUTING, PASSING, ROLLING, SCATTERING = range(4)
LARGEST = 1e8


@dataclass(frozen=True, eq=False)
class Factorising:
    """The seconds and bytes of each simulated step, the same on all ranks."""

    p: int
    q: int
    extents: Extents
    update: Steps
    ahead: Steps
    panel: Steps
    latency: float

    @property
    def steps(self) -> int:
        return int(self.update.size)

    @property
    def busiest(self) -> float:
        """Seconds that the busiest rank computes: all updates, and the panels of its column."""
        return float(self.update.sum()) + max(float(self.panel[column :: self.q].sum()) for column in range(self.q))

    @property
    def pieces(self) -> int:
        return min(max(round(self.extents.stride), 1), MOST_PIECES)

    def panel_bytes(self, step: int, row: int) -> float:
        """Return the bytes of a panel that this row of the grid has: its rows, and the diagonal block."""
        width, after = float(self.extents.width[step]), float(self.extents.after[step])
        rows = _share((row - step) % self.p, self.p, after + width, width)
        return 8.0 * self.extents.stride * width * (rows + width)

    def parts(self, step: int) -> list[float]:
        """Return the shares of the columns that are updated one after the other."""
        width, columns = float(self.extents.width[step]), float(self.extents.n[step])
        return [1 - SPLIT, SPLIT] if columns >= UNDIVIDED * width and self.p > 1 else [1.0]

    def exchanges(self, column: int) -> Iterator[tuple[int, float]]:
        """Yield the step and the bytes of a rank's block of each row exchange of a column of the grid, in their
        order.
        """
        for step in range(self.steps):
            width, after = float(self.extents.width[step]), float(self.extents.after[step])
            columns = _share((column - step - 1) % self.q, self.q, after, width)
            for share in self.parts(step):
                yield step, 8.0 * self.extents.stride * columns * width * share / self.p

    # ------------------------------------------------------------------------------------------------ processes

    def process(self, row: int, column: int, kind: int) -> int:
        """Return the number of a process; ranks count down the columns of the grid."""
        return kind * self.p * self.q + row + self.p * column

    def computing(self, row: int, column: int) -> Iterator[Action]:
        """Yield the actions of `step` in lu.cpp."""
        begun = False
        early = self.q > 1
        yield from self._begin_panel(0, row, column)
        yield self._done(PASSING, row, column)
        for step in range(self.steps):
            more = step + 1 < self.steps
            first, *second = self.parts(step)
            if self.p > 1:
                if not begun:
                    yield from self._go_exchange(row, column)
                begun = False
                yield from self._finish_exchange(row, column)
            if early and more:
                yield from self._begin_panel(step + 1, row, column)
            if second:
                yield from self._go_exchange(row, column)
            done = float(self.ahead[step + 1]) if early and more and column == (step + 1) % self.q else 0.0
            yield Action("compute", 0, max(first * float(self.update[step]) - done, 0.0))
            if second:
                yield from self._finish_exchange(row, column)
                if early and more:
                    yield self._done(PASSING, row, column)
                    yield from self._go_exchange(row, column)
                    begun = True
                yield Action("compute", 0, second[0] * float(self.update[step]))
            if more and not early:
                yield from self._begin_panel(step + 1, row, column)
            if more and not begun:
                yield self._done(PASSING, row, column)

    def _go(self, kind: int, row: int, column: int) -> Action:
        return Action("send", self.process(row, column, kind), SIGNAL)

    def _done(self, kind: int, row: int, column: int) -> Action:
        return Action("recv", self.process(row, column, kind), SIGNAL)

    def _go_exchange(self, row: int, column: int) -> Iterator[Action]:
        yield self._go(ROLLING, row, column)
        yield self._go(SCATTERING, row, column)

    def _finish_exchange(self, row: int, column: int) -> Iterator[Action]:
        yield self._done(ROLLING, row, column)
        yield self._done(SCATTERING, row, column)

    def _begin_panel(self, step: int, row: int, column: int) -> Iterator[Action]:
        """Update the panel's columns and factorise it, on the ranks that have it; then let it be passed on."""
        if column == step % self.q:
            if step and self.q > 1:
                yield Action("compute", 0, float(self.ahead[step]))
            yield Action("compute", 0, float(self.panel[step]))
            yield from self._agree(step, row, column)
        yield self._go(PASSING, row, column)

    def _agree(self, step: int, row: int, column: int) -> Iterator[Action]:
        """Exchange pivots and their rows as in `agree` of panel.cpp: all of a panel at once."""
        power = 1 << (self.p.bit_length() - 1)
        width = float(self.extents.width[step])
        amount = 8.0 * self.extents.stride * width * (2 * width + 4)
        waiting = self.extents.stride * (width - 1) * self.latency  # the others' latencies

        def peer(other: int) -> int:
            return self.process(other, column, COMPUTING)

        if row >= power:
            yield from (Action("send", peer(row - power), amount), Action("recv", peer(row - power), amount))
            return
        if row + power < self.p:
            yield Action("recv", peer(row + power), amount)
        distance = 1
        while distance < power:
            other = peer(row ^ distance)
            yield from (Action("irecv", other, amount), Action("isend", other, amount), WAIT)
            yield Action("compute", 0, waiting)
            distance *= 2
        if row + power < self.p:
            yield Action("send", peer(row + power), amount)

    def passing(self, row: int, column: int) -> Iterator[Action]:
        """Yield the broadcasts: to the next sender, which forwards nothing, and along the ring of the others."""

        def peer(place: int, root: int) -> int:
            return self.process(row, (root + place) % self.q, PASSING)

        for step in range(self.steps):
            root = step % self.q
            place, size = (column - root) % self.q, self.panel_bytes(step, row)
            piece = size / self.pieces
            yield self._done(COMPUTING, row, column)
            if place == 0 and self.q > 1:
                yield Action("isend", peer(1, root), size)
            elif place == 1:
                yield Action("recv", peer(0, root), size)
            for _ in range(self.pieces if place != 1 and self.q > 2 else 0):
                if place > 1:
                    yield Action("recv", peer(place - 1 if place > 2 else 0, root), piece)
                if place == 0:
                    yield Action("send", peer(2, root), piece)
                elif place < self.q - 1:
                    yield Action("isend", peer(place + 1, root), piece)
            yield WAIT
            yield self._go(COMPUTING, row, column)

    def rolling(self, row: int, column: int) -> Iterator[Action]:
        """Yield the rings that bring the rows of U to every rank of a column."""
        after, before = (self.process((row + by) % self.p, column, ROLLING) for by in (1, -1))
        for _, block in self.exchanges(column):
            yield self._done(COMPUTING, row, column)
            for _ in range(self.p - 1):
                yield from (Action("irecv", before, block), Action("isend", after, block), WAIT)
            yield self._go(COMPUTING, row, column)

    def scattering(self, row: int, column: int) -> Iterator[Action]:
        """Yield the trees by which displaced rows leave the rank with the diagonal: those of pivots that were below."""
        for step, whole in self.exchanges(column):
            after = float(self.extents.after[step])
            block = whole * after / (after + float(self.extents.width[step]))
            root = step % self.p
            me = (row - root) % self.p
            yield self._done(COMPUTING, row, column)
            for sender, receiver, blocks in _branches(self.p):
                if me in (sender, receiver):
                    other = self.process((root + sender + receiver - me) % self.p, column, SCATTERING)
                    yield Action("send" if me == sender else "recv", other, blocks * block)
            yield self._go(COMPUTING, row, column)


def _copies(ranks: Indices, root: int, times: float) -> MessagePhase:
    """Return the copies of the panel of a column of the grid: to the next two columns, and from there around the
    ring.
    """
    _, q = ranks.shape
    hops = [(0, 1)] + ([(0, 2)] if q > 2 else []) + [(place, place + 1) for place in range(2, q - 1)]
    source, target = (ranks[:, [(root + hop[side]) % q for hop in hops]].ravel() for side in (0, 1))
    return MessagePhase(PANELS, source, target, np.ones(source.size), times)


def _between(source: Indices, target: Indices) -> MessagePhase:
    moved = source != target
    return MessagePhase("links", source[moved], target[moved], np.ones(int(moved.sum())))


def _scattered(ranks: Indices) -> MessagePhase:
    """Return the messages of the trees of all columns, from ranks in the first row, which send one byte in all."""
    p, q = ranks.shape
    sent = list(_branches(p))
    source, target = (ranks[[branch[side] for branch in sent]].ravel() for side in (0, 1))
    amounts = np.repeat([blocks / (p - 1) for *_, blocks in sent], q)
    return MessagePhase("links", source, target, amounts)


def _branches(p: int) -> Iterator[tuple[int, int, int]]:
    """Yield the messages of a tree by which the first of several ranks gives each its block: both ends, and blocks."""
    width = 1 << ((p - 1).bit_length() - 1) if p > 1 else 0
    while width > 0:
        for me in range(0, p - width, 2 * width):
            yield me, me + width, min(me + 2 * width, p) - (me + width)
        width //= 2


def _computed(run: Factorisation, extents: Extents, rate: float) -> tuple[Steps, Steps, Steps]:
    """Return the seconds of each step's update, of the update of the next panel's columns, and of that panel."""
    rank, rates, stride = _rank(rate), _rates(), extents.stride
    return (
        stride * update_seconds(extents.rows, extents.n, extents.width, rank, rates)[0],
        stride * update_seconds(extents.m, extents.width, extents.width, rank, rates)[0],
        stride * panel_seconds(extents.m, extents.width, run, rank, rates),
    )


def _share(place: int, parts: int, extent: float, width: float) -> float:
    """Return how much of a remaining extent, dealt in blocks of this width, the part at this place gets."""
    blocks = max(round(extent / width), 1)
    return extent * ((blocks - place + parts - 1) // parts) / blocks


class HplInTime:
    """HPL's skeleton, and its time in the analytic model."""

    def skeleton(self, grid: Grid, size: float, rate: float, latency: float) -> Skeleton:
        """Return what the ranks do. Raises BanzukeError."""
        run = _run(grid, size)
        messages = run.p * run.q * (2 * run.p + 2 + (MOST_PIECES if run.p > 1 else 1))
        extents = extents_of(
            run, min(max(MESSAGES // messages, FEWEST_STEPS), MOST_STEPS if run.p > 1 else MOST_COMPUTED)
        )
        factorising = Factorising(run.p, run.q, extents, *_computed(run, extents, rate), latency=latency)
        kinds = [
            factorising.computing,
            factorising.passing,
            *([factorising.rolling, factorising.scattering] if run.p > 1 else []),
        ]
        processes = [
            RankProcess(row + run.p * column, lambda kind=kind, row=row, column=column: kind(row, column))  # type: ignore[misc]
            for kind in kinds
            for column in range(run.q)
            for row in range(run.p)
        ]
        return Skeleton(processes, extents.stride, factorising.busiest)

    def phases(self, grid: Grid) -> Sequence[MessagePhase]:
        """Return the copies of a panel by its root, all of them at once, and the row exchange."""
        p, q = grid
        ranks = numbered(grid, last_fastest=False)
        roots = sorted({number * q // MOST_ROOTS for number in range(MOST_ROOTS)}) if q > MOST_ROOTS else range(q)
        panels = [_copies(ranks, root, 1 / len(roots)) for root in roots] if q > 1 else []
        return [*panels, *([ring(ROWS, ranks, 0, 1.0)] if p > 1 else [])]

    def links(self, grid: Grid) -> Sequence[MessagePhase]:
        """Return the messages of each column of the grid: to the next column, to the one after it, within itself; and
        of the trees of all columns by the row of their root, of which there are some.
        """
        ranks = numbered(grid, last_fastest=False)
        columns = [
            _between(ranks[:, column], np.roll(ranks, -by, 1)[:, column] if by else np.roll(ranks[:, column], -1))
            for by in (1, 2, 0)
            for column in range(grid[1])
        ]
        roots = range(0, grid[0], math.ceil(grid[0] / MOST_ROOTS))
        return [*columns, *(_scattered(np.roll(ranks, -root, 0)) for root in roots)]

    def seconds(self, grid: Grid, size: float, rate: float, latency: float, loads: Values) -> float:
        """Return the time of the factorisation, without the solution of the triangular system, in the model.

        Raises BanzukeError.
        """
        run = _run(grid, size)
        in_row = run.p == 1 and run.q <= MOST_COLUMNS
        most = max(MOST_FOLLOWED, FOLLOWED * run.q**2) if in_row else MOST_PASSED
        extents = extents_of(run, min(max(most // run.q, run.q), MOST_COMPUTED))
        following, second, rows, scattered = np.split(loads, [run.q, 2 * run.q, 3 * run.q])
        of_columns = ColumnLoads(following, second if run.q > 2 else np.zeros_like(second), rows, scattered)
        by_column = ByColumn(run, extents, *_computed(run, extents, rate), latency, of_columns)
        return (OneRow(by_column) if in_row else by_column).seconds()

    def least_size(self, grid: Grid) -> float:
        return BLOCK * max(grid)

    def usual_size(self, grid: Grid) -> float:
        return USUAL_BLOCKS * BLOCK * max(grid)


def _run(grid: Grid, size: float) -> Factorisation:
    p, q = grid
    n = int(size)
    if not BLOCK * max(p, q) <= n <= LARGEST:
        raise BanzukeError(
            f"a matrix of order {n:,} cannot be simulated on a grid of {p} x {q}",
            remedy=f"Give --size {BLOCK * max(p, q)} to {LARGEST:g}, so that each rank has a block of {BLOCK} columns",
        )
    return Factorisation(
        n, BLOCK, p, q, True, "ring-modified", SPLIT, panel_on_device=False, inner=0, with_diagonal=True
    )


def _rank(rate: float) -> Rank:
    unknown = math.nan
    return Rank(0.0, 0.0, unknown, unknown, unknown, rate, rate, unknown, unknown)


def _rates() -> Rates:
    """Return the model's constants; all of a broadcast may hide, as in the simulation."""
    value = {name: constant.value for name, constant in CONSTANTS.items()}
    return Rates(
        panel=value["hpl.panel"],
        host_inner=value["hpl.inner"],
        device_inner=value["hpl.device_inner"],
        host_extent=value["hpl.extent"],
        device_extent=value["hpl.device_extent"],
        progress=1.0,
    )
