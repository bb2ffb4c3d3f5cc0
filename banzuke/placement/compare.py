"""Compares orders of ranks: the scheduler's, the usual ones, and the proposed one."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from banzuke.errors import BanzukeError
from banzuke.placement import orders
from banzuke.placement.pattern import Grid, Pattern
from banzuke.placement.propose import WORTH, Proposal, improved
from banzuke.placement.score import Adapters, Score, Traffic
from banzuke.placement.timing import Timing, timing_of
from banzuke.placement.topology import Indices, NetworkTopology

SCHEDULER, NUMBER, RANDOM, SWITCH = "scheduler", "number", "random", "switch"
STRIPS, STRIPS_RANDOM, ROWS, TILES, PROPOSED = "strips", "strips-random", "rows", "tiles", "place"
ORDERS = (SCHEDULER, NUMBER, RANDOM, SWITCH, ROWS, TILES, STRIPS, STRIPS_RANDOM, PROPOSED)
DRAWS = 5
"""Number of random orders that are drawn; the one with the median time stands for all."""


@dataclass(frozen=True)
class Placed:
    """An order and its cost."""

    name: str
    order: Indices
    """Host of each rank."""
    score: Score
    rate: float | None = None
    """Rate of the benchmark, where it is known in one of the orders."""
    seconds: float | None = None
    """Time in the model that follows the benchmark's steps; None: orders are compared by the sum of their phases."""

    @property
    def time(self) -> float:
        """Return the time by which orders are compared."""
        return self.score.seconds if self.seconds is None else self.seconds


@dataclass(frozen=True)
class OrderComparison:
    topology: NetworkTopology
    pattern: Pattern
    grid: Grid
    traffic: Traffic
    placed: tuple[Placed, ...]
    """The proposed order is the last."""
    exchanges: int
    begun: str
    unit: float | None
    """Bytes of a unit of amount; None: times are relative."""
    size: float | None = None
    """Size of the problem, from which `unit` follows."""
    timing: Timing | None = None
    """How orders are timed; None: by the sum of their phases."""
    computed: bool = False
    """Whether times include computation."""

    @property
    def proposed(self) -> Placed:
        return self.placed[-1]

    def named(self, name: str) -> Placed:
        return next(placed for placed in self.placed if placed.name == name)


@dataclass(frozen=True)
class Reached:
    """A rate that was reached in one of the orders."""

    order: str
    rate: float


def compare(
    topology: NetworkTopology,
    pattern: Pattern,
    grid: Grid,
    scheduled: Indices,
    *,
    seconds: float,
    adapters: Adapters = "striped",
    size: float | None = None,
    reached: Reached | None = None,
    rank_rate: float = math.inf,
    seed: int = 1,
    whole: bool = False,
    clock: Callable[[], float] = time.monotonic,
) -> OrderComparison:
    """Compare orders of ranks. `scheduled`: the host of each rank in the scheduler's order; `seconds`: time limit of
    the search for a better one; `whole`: only consider orders that keep the ranks of each host together; `rank_rate`:
    of a rank's computation, by default in no time.

    With a `reached` rate orders are compared by the sum of their phases, as the rest of the run's time follows from it.

    Raises BanzukeError.
    """
    traffic = Traffic(topology, tuple(pattern.phases(grid)), adapters)
    if not traffic.phases or not traffic.source.size:
        raise BanzukeError(
            "there are no messages", why=f"{pattern.name} on one rank", remedy="Give more hosts or ranks"
        )
    timing = None if reached else timing_of(pattern, grid, traffic, size, rank_rate)
    candidates = timed(usual(traffic, grid, scheduled, seed, whole=whole), timing)
    begun = min(candidates, key=lambda placed: placed.time)
    proposal = improved(traffic, begun.order, begun.name, seconds, seed, whole=whole, clock=clock)
    (best,) = timed([Placed(PROPOSED, proposal.order, proposal.score)], timing)
    if best.time > (1 - WORTH) * begun.time:  # what unloads links need not be faster
        proposal = Proposal(begun.order, begun.score, 0, begun.name)
        best = replace(begun, name=PROPOSED)
    placed = [*candidates, best]
    unit = pattern.unit(size) if pattern.unit and size is not None else None
    if reached:
        placed = _rated(placed, pattern, unit, size, reached)
    return OrderComparison(
        topology,
        pattern,
        grid,
        traffic,
        tuple(placed),
        proposal.exchanges,
        proposal.begun,
        unit,
        size,
        timing,
        computed=timing is not None and rank_rate < math.inf,
    )


def timed(placed: Sequence[Placed], timing: Timing | None) -> list[Placed]:
    """Return the orders with their times, if they are timed."""
    return [replace(order, seconds=timing.seconds(order.order)) if timing else order for order in placed]


def usual(traffic: Traffic, grid: Grid, scheduled: Indices, seed: int = 1, *, whole: bool = False) -> list[Placed]:
    """Return the usual orders, each of which gives every host as many ranks as `scheduled` does."""
    topology, routes = traffic.topology, traffic.routes
    number = orders.by_number(scheduled, topology)
    switch = orders.by_switch(scheduled, topology, routes)
    strips = orders.strips(scheduled, topology, routes, grid)
    made: dict[str, list[Indices]] = {
        SCHEDULER: [scheduled],
        NUMBER: [number],
        RANDOM: [
            (orders.hosts_shuffled if whole else orders.shuffled)(scheduled, seed + draw) for draw in range(DRAWS)
        ],
        SWITCH: [switch],
    }
    if len(grid) == 2 and min(grid) > 1:
        made[ROWS] = [switch.reshape(grid).T.ravel()]
    if len(grid) > 1 and sorted(grid)[-2] > 1:
        made[TILES] = [orders.tiles(scheduled, topology, routes, grid)]
    if strips is not None:
        made[STRIPS] = [strips]
        within = [orders.shuffled_within_switches(strips, topology, seed + draw) for draw in range(DRAWS)]
        made[STRIPS_RANDOM] = within
    placed: list[Placed] = []
    for name, drawn in made.items():
        if whole and not all(map(orders.is_whole, drawn)):
            continue
        scores = [traffic.score(order) for order in drawn]
        median = int(np.argsort([score.seconds for score in scores], kind="stable")[len(scores) // 2])
        placed.append(Placed(name, drawn[median], scores[median]))
    return placed


def _rated(
    placed: Sequence[Placed], pattern: Pattern, unit: float | None, size: float | None, reached: Reached
) -> list[Placed]:
    """Return the orders with rates, assuming that everything but communication takes the same time in each."""
    if pattern.work is None or unit is None or size is None:
        raise BanzukeError(
            "--reached needs a benchmark whose time follows from its size, and --size", why=f"{pattern.name}"
        )
    base = next((candidate for candidate in placed if candidate.name == reached.order), None)
    if base is None:
        raise BanzukeError(
            f"--reached: the order '{reached.order}' is not compared here",
            remedy=f"Name one of {', '.join(candidate.name for candidate in placed)}",
        )
    rest = pattern.work(size) / reached.rate - unit * base.score.seconds
    if rest <= 0:
        raise BanzukeError(
            f"--reached: the messages alone take longer in the order {reached.order} than the whole run did",
            remedy="Give the size of that run, and rates of cables that hold",
        )
    return [
        replace(candidate, rate=pattern.work(size) / (rest + unit * candidate.score.seconds)) for candidate in placed
    ]
