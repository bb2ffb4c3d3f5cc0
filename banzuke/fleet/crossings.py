"""Finds racks and switches whose messages to all others are slow: because of a slow switch, or a slow cable upwards.

A route between two places is about as slow as the slower of both, just as a link is about as slow as the slower of its
ends. So a place is as slow as the median of its routes, which one other slow place does not move.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np

from banzuke.fleet.model import Fleet, NodeFigure, Pair
from banzuke.fleet.places import PlaceEffect
from banzuke.fleet.slowness import Values, slowness
from banzuke.judge.outliers import SIGMA

FEWEST_WAYS = 3
"""Fewest routes from a place to others; with two, it is unclear which other place is slow."""
FEWEST_PAIRS = 3
"""Fewest pairs of nodes on a route; with fewer, one slow pair would make a slow route."""
FEWEST_NODES = 3
"""Fewest nodes of a place; with fewer, a slow node would be taken for a slow switch."""
FLOOR = -float(np.log1p(-0.1))
"""Smallest slowness that is reported, 10%, as a logarithm; in healthy networks routes that are longer or shared by more
nodes are slower by less.
"""
CERTAIN = 6.0
"""Standard errors beyond which a place is named."""
_OF_MEDIAN = float(np.sqrt(np.pi / 2))


def slow_crossings(fleet: Fleet, figures: Sequence[NodeFigure]) -> Iterator[tuple[NodeFigure, PlaceEffect]]:
    """Yield slow places by figure; only rates are judged, because latency depends on the number of switches between."""
    sizes = Counter(node.place for node in fleet.nodes.values())
    place_of = {host: node.place for host, node in fleet.nodes.items() if sizes[node.place] >= FEWEST_NODES}
    crossing = [pair for pair in fleet.pairs if _crosses(pair, place_of)]
    for figure in figures:
        if figure.better == "higher":
            values = np.array([pair.values.get(figure.name, np.nan) for pair in crossing], dtype=np.float64)
            for place, effect in _effects(crossing, place_of, slowness(values, figure)):
                rows = [row for row, host in enumerate(fleet.nodes) if place_of.get(host) == place]
                yield figure, effect._replace(rows=np.array(rows))


def _crosses(pair: Pair, place_of: dict[str, str]) -> bool:
    left, right = (place_of.get(host, "") for host in pair.hosts)
    return bool(left and right and left != right)


def _effects(pairs: Sequence[Pair], place_of: dict[str, str], values: Values) -> Iterator[tuple[str, PlaceEffect]]:
    ways: dict[frozenset[str], list[float]] = {}
    for pair, slow in zip(pairs, values, strict=True):
        if np.isfinite(slow):
            ways.setdefault(frozenset(place_of[host] for host in pair.hosts), []).append(float(slow))
    ways = {ends: rates for ends, rates in ways.items() if len(rates) >= FEWEST_PAIRS}
    middle = {ends: float(np.median(rates)) for ends, rates in ways.items()}
    deviations = [abs(rate - middle[ends]) for ends, rates in ways.items() for rate in rates]
    places = sorted(set(chain.from_iterable(ways)))
    of_place = {place: [ends for ends in ways if place in ends] for place in places}
    medians = {
        place: float(np.median([middle[way] for way in ends]))
        for place, ends in of_place.items()
        if len(ends) >= FEWEST_WAYS
    }
    if len(medians) <= FEWEST_WAYS:
        return
    usual = float(np.median(list(medians.values())))
    among = SIGMA * float(np.median([abs(median - usual) for median in medians.values()]))
    within = SIGMA * float(np.median(deviations))
    for place, median in medians.items():
        pairs_of_way = min(len(ways[way]) for way in of_place[place])
        error = max(among, _OF_MEDIAN * within / float(np.sqrt(pairs_of_way)))
        if median - usual > max(FLOOR, CERTAIN * error):
            yield place, PlaceEffect(place, np.empty(0, np.int64), 0, median, usual, 0.0, error)
