"""Orders of a run's cases, with conversion between the ranks of a call and those of its pattern."""

import itertools
from collections.abc import Mapping, Sequence

import numpy as np

from banzuke.placement.compare import PROPOSED, SCHEDULER, OrderComparison, Placed, compare, timed
from banzuke.placement.pattern import Laid, Pattern, numbered
from banzuke.placement.score import Traffic
from banzuke.placement.timing import timing_of
from banzuke.placement.topology import Indices, NetworkTopology

TRIED = 20_000
"""Largest number of exchanges of ranks that are tried. The search has no time limit, so that the same call always gets
the same order.
"""


def proposed(
    topology: NetworkTopology, pattern: Pattern, laid: Laid, hosts: Sequence[str], places: Sequence[int]
) -> list[int]:
    """Return the place of each rank among the hosts in the best order; `places`: those in the scheduler's order.

    Raises BanzukeError where the topology does not have these hosts.
    """
    numbers = np.array(topology.find(hosts), dtype=np.int64)
    scheduled = _renumbered(numbers[np.array(places, dtype=np.int64)], laid, back=False)
    tries = itertools.count()
    comparison = compare(
        topology, pattern, laid.grid, scheduled, seconds=TRIED, size=laid.size, clock=lambda: float(next(tries))
    )
    place = {int(number): at for at, number in enumerate(numbers)}
    return [place[int(number)] for number in _renumbered(comparison.proposed.order, laid, back=True)]


def drawn(
    topology: NetworkTopology, pattern: Pattern, laid: Laid, hosts: Sequence[str], orders: Mapping[str, Sequence[int]]
) -> OrderComparison:
    """Return the model's scores of the orders in which a case was run, by name; the proposed one, or else the
    fastest, is last.

    Raises BanzukeError where the topology does not have these hosts.
    """
    numbers = np.array(topology.find(hosts), dtype=np.int64)
    traffic = Traffic(topology, tuple(pattern.phases(laid.grid)))
    timing = timing_of(pattern, laid.grid, traffic, laid.size)
    placed = timed(
        [
            Placed(name, order, traffic.score(order))
            for name, places in orders.items()
            for order in [_renumbered(numbers[np.array(places, dtype=np.int64)], laid, back=False)]
        ],
        timing,
    )
    placed.sort(key=lambda order: (order.name == PROPOSED, -order.time))
    unit = pattern.unit(laid.size) if pattern.unit and laid.size is not None else None
    return OrderComparison(topology, pattern, laid.grid, traffic, tuple(placed), 0, SCHEDULER, unit, laid.size, timing)


def _renumbered(order: Indices, laid: Laid, *, back: bool) -> Indices:
    """Return the order by the ranks of the pattern, which count along the first side of the grid; `back`: by those of
    the call again.
    """
    if not laid.last_fastest:
        return order
    renumbered = np.empty_like(order)
    begun, wanted = (numbered(laid.grid, last_fastest=last).ravel() for last in (not back, back))
    renumbered[wanted] = order[begun]
    return renumbered
