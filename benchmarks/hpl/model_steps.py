"""HPL's time step by step: the cost of each panel for one rank, and how much of it hides behind the update.

All ranks are assumed to be like the slowest. A step begins when a panel of `nb` columns has been factorised and ends
when the next one has. Per step, where m x n is the rank's part of the remaining matrix:

- update: 2 m n nb + n nb^2 flops at DGEMM's rate, which falls where nb or the smaller of m and n is short;
- swap: U's rows come to every rank of a column, and displaced ones leave: twice (1 - 1/p) n nb numbers;
- panel: m nb^2 flops by one column of ranks, at the rate and the memory traffic of a recursive factorisation, and for
  every column of the matrix log2 p messages that agree on the pivot;
- broadcast: m nb numbers to the next column of ranks.

With look-ahead the next panel is factorised while the others update. The longer of two things then sets the pace: the
work of a rank (its updates, and one panel in q steps if the same processors do both), or the chain from panel to panel
(updating the next panel's columns, factorising, sending it to the next column of ranks, and moving it between device
and host if panels are factorised on the host). The chain is proportional to m and the work to m n, so that the chain
dominates at the end. Where columns are divided to hide row swaps, all ranks wait for the next panel before they update
the second part of the columns, which is then in the chain, too.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .model_slabs import Slabs

Steps = NDArray[np.float64]
PANELS, ROWS = "panels", "rows"
"""Phases of messages between ranks."""
MOST_STEPS = 1000
"""Most steps that are computed; if there are more, each stands for several."""
NO_RATE = 1.0
"""Rate of processors that are not described, in flop/s."""
UNDIVIDED = 4
"""Panels' widths of columns below which they are not divided to hide row swaps."""
LEAF = 16
"""Columns at which the panel's recursion stays in cache."""


@dataclass(frozen=True)
class Rank:
    """The resources of one rank: the least of any rank."""

    device: float
    """DGEMM rate of its devices, in flop/s; 0: none."""
    device_bytes: float
    """Bytes of its devices' memory."""
    device_bandwidth: float
    """Bandwidth of its devices' memory, in B/s; NaN: unknown."""
    host_link: float
    """Bandwidth between host and its devices, in B/s each way."""
    peer_link: float
    """Bandwidth between one of its devices and another rank's on the node, in B/s each way; NaN: unknown."""
    host: float
    """DGEMM rate of its cores, in flop/s."""
    panel_host: float
    """The same for the rank with the slowest cores if ranks are unlike, as most columns of the grid have one."""
    host_bandwidth: float
    """Bandwidth of its share of the node's memory, in B/s; NaN: unknown."""
    host_bytes: float
    """Bytes of its share of the node's memory; NaN: unknown."""


@dataclass(frozen=True)
class RankMessages:
    """Rates and latencies of one rank's messages while all others send."""

    row: float
    """Bandwidth along a row of the grid, in B/s."""
    column: float
    """Bandwidth down a column of the grid, in B/s."""
    row_latency: float
    column_latency: float


@dataclass(frozen=True)
class Factorisation:
    """The parameters of a call that matter for the model."""

    n: int
    nb: int
    p: int
    q: int
    lookahead: bool
    broadcast: str
    split: float
    panel_on_device: bool
    inner: int
    """Columns that the processors factorise at a time while devices update the panel's others; 0: all."""
    with_diagonal: bool = False
    """Whether all rows of a panel are sent and the diagonal block as well, as our program does."""
    slabs: Slabs | None = None
    """How columns stream that one device does not hold; None: it holds all, or they go there and back in every step."""


@dataclass(frozen=True)
class Rates:
    """The model's constants by short names."""

    panel: float
    host_inner: float
    device_inner: float
    host_extent: float
    device_extent: float
    progress: float


@dataclass(frozen=True)
class Extents:
    """A rank's part of the remaining matrix in each step."""

    stride: float
    """Number of the program's steps that each stands for."""
    m: Steps
    """Rows with the panel."""
    rows: Steps
    """Rows without the panel."""
    n: Steps
    """Columns without the panel."""
    width: Steps
    """Columns of the panel."""
    after: Steps
    """Rows and columns of the whole matrix that remain, without the panel."""
    first: Steps
    """The panel's first column."""


def extents_of(run: Factorisation, most: int) -> Extents:
    """Return the parts of the fullest rank in at most this many steps."""
    steps = math.ceil(run.n / run.nb)
    computed = min(steps, most)
    stride = steps / computed
    step = (np.arange(computed, dtype=np.float64) + 0.5) * stride - 0.5
    before = np.maximum(run.n - step * run.nb, 1.0)  # rows and columns that remain, with the panel and without
    after = np.maximum(before - run.nb, 0.0)
    return Extents(
        stride,
        m=(before + run.nb * (run.p - 1) / 2) / run.p,  # whole blocks: the fullest rank has half a block above the mean
        rows=np.where(after > 0, (after + run.nb * (run.p - 1) / 2) / run.p, 0.0),
        n=np.where(after > 0, (after + run.nb * (run.q - 1) / 2) / run.q, 0.0),
        width=np.minimum(before, run.nb),
        after=after,
        first=step * run.nb,
    )


def seconds(run: Factorisation, rank: Rank, messages: RankMessages, rates: Rates) -> dict[str, float]:
    """Return the exposed seconds of each part, such as the update, panels, or waiting for broadcasts."""
    extents = extents_of(run, MOST_STEPS)
    stride, m, n, width = extents.stride, extents.m, extents.n, extents.width
    update, moved = (
        _streamed(run.slabs, extents, run, rank, rates)
        if run.slabs
        else update_seconds(extents.rows, n, width, rank, rates)
    )
    panel = panel_seconds(m, width, run, rank, rates)
    pivots = width * math.ceil(math.log2(run.p)) * (messages.column_latency + (2 * width + 4) * 8 / messages.column)
    broadcast = _broadcast(run, 8 * (m + width * run.with_diagonal) * width, messages)
    swap = _swap(run, 8 * n * width, messages)
    staged = _staged(run, 8 * m * width, rank)
    if run.slabs:
        staged = staged * (1 + (extents.first < run.slabs.columns))  # panels share the link with what streams
    memory = (
        16 * (1 if run.p == 1 else 2) * n * width / known(rank.device_bandwidth if rank.device else rank.host_bandwidth)
    )

    second = run.split * (n >= UNDIVIDED * width) if run.p > 1 else 0.0 * swap
    hidden = np.minimum(run.split * swap, (1 - run.split) * update) if run.p > 1 else 0.0 * swap
    swap_wait = swap - hidden
    parts = {
        "update": update,
        "transfer": moved,
        "swap": memory,
        "swap_wait": swap_wait,
        "panel": panel,
        "pivot_exchange": pivots,
        "broadcast_wait": broadcast,
    }
    apart = rank.device > 0 and not run.panel_on_device  # they work at the same time
    if not run.lookahead or not (apart or run.q > 1):
        parts["transfer"] = parts["transfer"] + staged
        exposed = parts
    else:
        exposed = _overlapped(parts, staged, second * update, run, rank, rates, m=m, width=width, apart=apart)
    totals = {name: stride * float(np.sum(part)) for name, part in exposed.items()}
    totals["solve"] = _solve(run, rank, messages)
    return totals


def _overlapped(
    parts: dict[str, Steps],
    staged: Steps,
    second: Steps,
    run: Factorisation,
    rank: Rank,
    rates: Rates,
    *,
    m: Steps,
    width: Steps,
    apart: bool,
) -> dict[str, Steps]:
    """Return the parts with look-ahead: a rank's own work, and the excess of the chain of panels over it.

    `second`: seconds of the second part of the update, before which all wait for the panel.
    """
    ahead, _ = update_seconds(m, width, width, rank, rates)
    factorising = parts["panel"] + parts["pivot_exchange"]
    chain = ahead + factorising + parts["broadcast_wait"] + staged + second
    seen = 0.0 if apart else 1 / run.q
    own = {
        **{name: parts[name] for name in ("update", "transfer", "swap", "swap_wait")},
        "panel": parts["panel"] * seen,
        "pivot_exchange": parts["pivot_exchange"] * seen,
        "broadcast_wait": parts["broadcast_wait"] * (1 - rates.progress),
    }
    work = sum(own.values())
    late = np.maximum(chain - work, 0.0) / np.maximum(chain, 1e-300)
    for name, added in (
        ("update", ahead + second),
        ("transfer", staged),
        ("panel", parts["panel"]),
        ("pivot_exchange", parts["pivot_exchange"]),
        ("broadcast_wait", parts["broadcast_wait"]),
    ):
        own[name] = own[name] + late * added
    return own


def update_seconds(m: Steps, n: Steps, width: Steps, rank: Rank, rates: Rates) -> tuple[Steps, Steps]:
    """Return seconds of products and triangular solves, and additional seconds if the matrix exceeds device memory.

    In that case the host updates what its cores can in the same time; the rest moves to the device and back in every
    step.
    """
    short = np.minimum(m, n)
    flops = 2 * m * n * width + n * width**2
    of_host = (
        flops
        / max(rank.host, NO_RATE)
        * (1 + rates.host_inner / width)
        * (1 + rates.host_extent / np.maximum(short, 1.0))
    )
    if not rank.device:
        return of_host, 0.0 * m
    of_device = device_seconds(m, n, width, rank, rates)
    size = 8 * m * n
    share = np.minimum(1.0, known(rank.device_bytes) / np.maximum(size, 1.0))  # share that fits
    streamed = np.maximum(of_device, size / known(rank.host_link))  # if all moved there and back meanwhile
    beyond = (1 - share + share * of_device / np.maximum(streamed, 1e-300)) / (
        1 / np.maximum(of_host, 1e-300) + 1 / np.maximum(streamed, 1e-300)
    )
    together = 1 / (1 / np.maximum(of_host, 1e-300) + 1 / np.maximum(of_device, 1e-300))
    without = np.where(size.max() > known(rank.device_bytes), together, of_device)
    total = np.where(share < 1, np.maximum(beyond, without), without)
    return without, total - without


def device_seconds(m: Steps, n: Steps, width: Steps, rank: Rank, rates: Rates) -> Steps:
    """Return the seconds of products and triangular solves of n columns on the rank's devices."""
    short = np.maximum(np.minimum(m, n), 1.0)
    flops = 2 * m * n * width + n * width**2
    return flops / rank.device * (1 + rates.device_inner / width) * (1 + rates.device_extent / short)


def _streamed(slabs: Slabs, extents: Extents, run: Factorisation, rank: Rank, rates: Rates) -> tuple[Steps, Steps]:
    """Return the seconds of all products of each step, and those in which the device waits for what streams to it."""
    step = slabs.streamed(extents.first)
    width = np.full_like(extents.width, run.nb)
    ahead = device_seconds(step.height, step.later, width, rank, rates) * step.behind / run.nb
    update = device_seconds(extents.rows, step.now, extents.width, rank, rates) + ahead
    return update, np.maximum(step.to_device / known(rank.host_link) - update, 0.0)


def panel_seconds(m: Steps, width: Steps, run: Factorisation, rank: Rank, rates: Rates) -> Steps:
    """Return the seconds of m width^2 flops (less the triangle) and of the panel's passes through memory.

    If the panel is factorised in parts, processors do m width inner flops and devices the rest, one after the other.
    """
    of_host = not rank.device or not run.panel_on_device
    rate, bandwidth = (rank.panel_host, rank.host_bandwidth) if of_host else (rank.device, rank.device_bandwidth)
    inner = np.minimum(width, run.inner) if run.inner and rank.device and of_host else width
    flops_of_column = np.maximum(m - width / 3, width / 2) * width
    passes = 2 + np.log2(np.maximum(inner / LEAF, 1.0))
    factorising = flops_of_column * inner / (rates.panel * max(rate, NO_RATE))
    updating = (
        flops_of_column
        * (width - inner)
        / max(rank.device, NO_RATE)
        * (1 + rates.device_inner / inner)
        * (1 + rates.device_extent / width)
    )
    return factorising + updating + passes * 8 * m * width / known(bandwidth)


def _staged(run: Factorisation, size: Steps, rank: Rank) -> Steps:
    """Return the seconds in which a panel moves to the host and its factors to the devices."""
    if not rank.device or run.panel_on_device:
        return 0.0 * size
    return 2 * size / known(rank.host_link)


def _broadcast(run: Factorisation, size: Steps, messages: RankMessages) -> Steps:
    """Return the seconds until the next column of ranks has the panel."""
    if run.q == 1:
        return 0.0 * size
    if run.broadcast.startswith("long"):
        steps = math.ceil(math.log2(run.q)) + run.q - 1
        return steps * messages.row_latency + 2 * (1 - 1 / run.q) * size / messages.row
    return messages.row_latency + size / messages.row


def _swap(run: Factorisation, size: Steps, messages: RankMessages) -> Steps:
    """Return the seconds of the row exchange down a column: by a tree and around the ring, or a binary exchange if
    faster.
    """
    if run.p == 1:
        return 0.0 * size
    steps = math.ceil(math.log2(run.p)) + run.p - 1
    short = 2 * math.ceil(math.log2(run.p))
    return np.minimum(
        steps * messages.column_latency + 2 * (1 - 1 / run.p) * size / messages.column,
        short * (messages.column_latency + size / messages.column),
    )


def _solve(run: Factorisation, rank: Rank, messages: RankMessages) -> float:
    """Return the seconds of the back substitution: the matrix once through memory, and a message for every block."""
    reading = 4.0 * run.n**2 / (run.p * run.q) / known(rank.device_bandwidth if rank.device else rank.host_bandwidth)
    return reading + math.ceil(run.n / run.nb) * 2 * max(
        messages.row_latency * (run.q > 1), messages.column_latency * (run.p > 1)
    )


def known(rate: float) -> float:
    """Return the rate; if unknown, infinity, so that nothing waits for it."""
    return rate if rate > 0 else math.inf
