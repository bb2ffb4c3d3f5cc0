"""Finds pairs of ranks that are slower than others at the same distance: a faulty link, or a misplaced rank.

Slowness is one-sided, so healthy pairs are taken from the fast end of each distance: one bad rank of four spoils half
of all pairs. Each direction is judged by itself, because a host may send slowly and receive well. Where many pairs are
equally slow, this is the network's structure, which no distance here describes, and not a fault.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import permutations
from math import exp, floor, log
from statistics import median

from banzuke.cpu_lists import parse_cpus
from banzuke.machine.model import Machine
from banzuke.record.figures import Pairs
from banzuke.record.model import Record
from banzuke.record.sharing import CONDITION, sharing_ranks, waiting_pairs
from banzuke.views.pairs.clusters import clusters
from banzuke.views.pairs.outliers import Pair, RankLocation, Slow, SlowPair, SlowRank, Way

DISTANCES = ("same-core", "same-complex", "same-numa", "same-socket", "other-socket", "other-node")
"""Distances from near to far, named as placements are."""
OF_DEVICES = ("nvlink", "xgmi", "switch", "bridge", "node", "system", "devices")
"""Distances of two devices of a host, named as in the machine's description; the last one means unknown."""
TO_HOST = "device-host"
_ORDERS = (DISTANCES, OF_DEVICES, (TO_HOST,))
"""Orders of distances; a figure is compared only with farther ones in the same order."""
HEALTHY = 0.25
"""Quantile of a distance's pairs that is taken as healthy."""
SLOW = 1.5
"""Ratio to the healthy figure from which a pair may be slow, however small the noise."""
DEVIATIONS = 6.0
"""Standard deviations of healthy pairs beyond which a difference is not noise."""
STRUCTURE = 1 / 3
"""Share of ranks above which slow ones are not an exception."""
HOPS = 1 / 5
"""The same share of a distance's pairs: in a ring of four sockets, a third of the pairs are two hops apart."""
_TAIL, _BAND = 0.05, 0.97
"""A quantile below HEALTHY, and the standard deviations between the two in a normal distribution."""
_QUARTILE = 0.67
"""Standard deviations from the quartile to the median."""


def slow_of(record: Record, machine: Machine) -> tuple[Slow, ...]:
    """Return what is slow in each figure of pairs of ranks or memories, in the record's order."""
    return tuple(_slow(name, pairs, record, machine) for name, pairs in record.pairs.items() if not pairs.of_nodes)


def _slow(name: str, pairs: Pairs, record: Record, machine: Machine) -> Slow:
    places = locations(record, pairs)
    groups = [] if pairs.ends else sharing_ranks(record.conditions.get(CONDITION))
    slow = _judged(name, pairs, places, _Distances(machine, places), groups)
    return slow if groups else replace(slow, clusters=clusters(pairs, places, machine))


def locations(record: Record, pairs: Pairs) -> list[RankLocation]:
    """Return where the ends of the pairs are, in their order."""
    if pairs.ends:
        condition = record.conditions.get("devices")
        about_devices = condition if isinstance(condition, dict) else {}
        return [
            RankLocation(
                place, end.host, memory=True, device=end.device or "", number=_number(about_devices, end.device)
            )
            for place, end in enumerate(pairs.ends)
        ]
    hosts = {rank: host.name for host in record.hosts for rank in host.ranks}
    cpus = {
        rank: tuple(parse_cpus(binding.threads[0])) if binding.threads else ()
        for binding in record.binding
        for rank in parse_cpus(binding.ranks)
    }
    return [RankLocation(rank, hosts.get(rank, ""), cpus.get(rank, ())) for rank in range(pairs.count)]


def _number(about_devices: Mapping[str, object], device: str | None) -> str:
    """Return the device's number as recorded while the case ran; empty: unknown."""
    own = about_devices.get(device or "")
    return str(own.get("number", "")) if isinstance(own, dict) else ""


class _Distances:
    """The nearest part of the machine that two ranks share; hosts of one run are assumed to be alike."""

    def __init__(self, machine: Machine, places: Sequence[RankLocation]) -> None:
        allotment = machine.allotment
        parts = (allotment.siblings, allotment.complexes, [node.cpus for node in machine.node.numa], allotment.packages)
        self._names = [name for name, groups in zip(DISTANCES, parts, strict=False) if groups]
        indices = [_index(groups) for groups in parts if groups]
        self._hosts = [place.host for place in places]
        self._parts = [
            tuple(index.get(place.cpus[0]) if len(place.cpus) == 1 else None for index in indices) for place in places
        ]
        self._cpus = [place.cpus for place in places]
        self._devices = [place.device if place.memory else None for place in places]
        self._paths = {device.identity: device.paths for device in allotment.devices}

    def __call__(self, a: int, b: int) -> str:
        if self._hosts[a] != self._hosts[b]:
            return DISTANCES[-1]
        origin, target = self._devices[a], self._devices[b]
        if origin is not None and target is not None:
            path = self._paths.get(origin, {}).get(target) or self._paths.get(target, {}).get(origin) or OF_DEVICES[-1]
            return (path if path in OF_DEVICES else OF_DEVICES[-1]) if origin and target else TO_HOST
        if self._cpus[a] == self._cpus[b] and len(self._cpus[a]) == 1:
            return DISTANCES[0]
        for name, mine, theirs in zip(self._names, self._parts[a], self._parts[b], strict=True):
            if mine is not None and mine == theirs:
                return name
        return DISTANCES[-2]


def _index(groups: Sequence[Sequence[int]]) -> dict[int, int]:
    return {cpu: number for number, group in enumerate(groups) for cpu in group}


def _judged(
    metric: str, matrix: Pairs, places: Sequence[RankLocation], distances: _Distances, groups: Sequence[Sequence[int]]
) -> Slow:
    table = _Table(matrix, distances, groups)
    bad = _bad_ends(table)
    if len({rank for rank, _ in bad}) > max(1, STRUCTURE * matrix.count):
        bad = {}
    slow = table.slow
    named = {rank for rank, _ in bad}
    among = [pair for pair in table.heights if named >= set(pair)]
    healthy = [pair for pair in table.heights if not bad.keys() & {*table.ends(pair)}]
    of_distance = _by_distance(healthy, table)
    slow_of_distance = _by_distance([pair for pair in healthy if pair in slow], table)
    structure = {name for name, count in slow_of_distance.items() if count > max(1, HOPS * of_distance[name])}
    exceptions = {pair: slow[pair] for pair in healthy if pair in slow and table.distance[pair] not in structure}
    ranks = _slow_ranks(bad, table, places)
    ways = {rank.way for rank in ranks}
    return Slow(
        metric,
        matrix.unit,
        ranks,
        _slow_pairs(exceptions, table, places),
        together=bool(among) and len(ways) == 1 and not any(pair in slow for pair in among),
        sharing=tuple(sorted(rank for group in groups for rank in group)),
    )


def _by_distance(pairs: Iterable[Pair], table: "_Table") -> Counter[str]:
    """Return the number of pairs at each distance, in any direction."""
    return Counter(table.distance[pair] for pair in {frozenset(pair): pair for pair in pairs}.values())


End = tuple[int, Way]


def _bad_ends(table: "_Table") -> dict[End, dict[int, float]]:
    """Return ranks most of whose pairs are slow in one direction, with the ratio for each partner.

    Without two measured directions, they are judged in both together. Pairs on one processor count only in addition to
    others.
    """
    judged, all_of = (
        [(end, other, ratio) for pair, ratio in slow.items() for end, (other, _) in permutations(table.ends(pair), 2)]
        for slow in (table.slow, {**table.slow, **table.slow_aside})
    )
    counted = Counter(end for end, _, _ in judged)
    ratios_by_end: dict[End, dict[int, float]] = defaultdict(dict)
    for end, other, ratio in all_of:
        if 2 * counted[end] > table.met[end] > 0:
            ratios_by_end[end][other] = ratio
    return {
        end: ratios
        for end, ratios in ratios_by_end.items()
        if table.partners(end) > 1 and 2 * len(ratios) > table.partners(end)
    }


def _slow_ranks(
    bad: Mapping[End, Mapping[int, float]], table: "_Table", places: Sequence[RankLocation]
) -> tuple[SlowRank, ...]:
    """Return the slow ranks; one that is slow in each direction is slow in both."""
    ranks = []
    for rank in dict.fromkeys(rank for rank, _ in bad):
        ways = [way for end, way in bad if end == rank]
        ratios_by_way = [bad[rank, way] for way in ways]
        met = max(table.partners((rank, way)) for way in ways)
        slow = {other for ratios in ratios_by_way for other in ratios}
        ratio = median(ratio for ratios in ratios_by_way for ratio in ratios.values())
        ranks.append(SlowRank(places[rank], len(slow), met, ratio, ways[0] if len(ways) == 1 else "both"))
    return tuple(sorted(ranks, key=lambda slow_rank: -slow_rank.ratio))


def _slow_pairs(ratios: Mapping[Pair, float], table: "_Table", places: Sequence[RankLocation]) -> tuple[SlowPair, ...]:
    """Return the slow pairs; one that is slow in both directions is given once, with the slower one."""
    slow_pairs: dict[Pair, SlowPair] = {}
    for pair, ratio in sorted(ratios.items(), key=lambda item: -item[1]):
        (a, b), value = pair, table.value(pair)
        usual = value * ratio if table.rate else value / ratio
        if (other := slow_pairs.get((b, a))) and table.directed:
            slow_pairs[b, a] = replace(other, way="both")
        elif table.directed:
            slow_pairs[pair] = SlowPair(places[a], places[b], value, usual, ratio, table.distance[pair], "out")
        else:
            slow_pairs[pair] = SlowPair(places[b], places[a], value, usual, ratio, table.distance[pair])
    return tuple(slow_pairs.values())


class _Table:
    """Pairs as logarithms of times, or of inverse rates, by distance.

    Where both directions between ranks were measured, a pair is sender and receiver; else the higher rank is first.
    """

    def __init__(self, matrix: Pairs, distances: _Distances, groups: Sequence[Sequence[int]]) -> None:
        self.rate = matrix.unit.endswith("/s")
        self.directed = matrix.both_ways and not matrix.ends
        sign = -1.0 if self.rate else 1.0
        self._values = matrix.each if self.directed else matrix.worst
        every = {pair: sign * log(value) for pair, value in self._values.items() if value > 0}
        passed = waiting_pairs(every, groups, matrix.unit)
        self.heights = {pair: height for pair, height in every.items() if pair not in passed}
        self._aside = {pair: height for pair, height in every.items() if pair in passed}
        self.distance = {pair: distances(*pair) for pair in every}
        self.met, self._met_aside = (
            Counter(end for pair in heights for end in self.ends(pair)) for heights in (self.heights, self._aside)
        )

    def ends(self, pair: Pair) -> tuple[End, End]:
        """Return the two ranks of a pair with their directions."""
        a, b = pair
        return ((a, "out"), (b, "in")) if self.directed else ((a, "both"), (b, "both"))

    def partners(self, end: End) -> int:
        return self.met[end] + self._met_aside[end]

    def value(self, pair: Pair) -> float:
        return self._values[pair]

    @cached_property
    def _by_distance(self) -> Mapping[str, Sequence[float]]:
        by_distance: dict[str, list[float]] = defaultdict(list)
        for pair, height in self.heights.items():
            by_distance[self.distance[pair]].append(height)
        return {name: sorted(by_distance[name]) for order in _ORDERS for name in order if name in by_distance}

    @cached_property
    def healthy(self) -> Mapping[str, float]:
        """The healthy value at each distance that can be judged.

        Where a distance has only one pair, that of the next farther distance is taken, as the pair should not be
        slower.
        """
        least = 2 if self.directed else 1
        usual = {name: _order(heights, HEALTHY) for name, heights in self._by_distance.items() if len(heights) > least}
        for name in self._by_distance:
            (order,) = (order for order in _ORDERS if name in order)
            farther = [usual[other] for other in order[order.index(name) + 1 :] if other in usual]
            if name not in usual and farther:
                usual[name] = farther[0]
            elif name not in usual and self.directed and name == DISTANCES[-1]:
                usual[name] = self._by_distance[name][0]  # a network has the same rate in both directions
        return usual

    @cached_property
    def slow(self) -> Mapping[Pair, float]:
        """Return how many times slower than healthy each slow pair is."""
        return self._slow(self.heights)

    @cached_property
    def slow_aside(self) -> Mapping[Pair, float]:
        """The same for pairs on one processor, which are judged apart."""
        return self._slow(self._aside)

    def _slow(self, heights: Mapping[Pair, float]) -> Mapping[Pair, float]:
        spread = max(
            ((_order(alike, HEALTHY) - _order(alike, _TAIL)) / _BAND for alike in self._by_distance.values()),
            default=0.0,
        )
        least = max(log(SLOW), (DEVIATIONS + _QUARTILE) * spread)
        beyond = {
            pair: height - self.healthy[self.distance[pair]]
            for pair, height in heights.items()
            if self.distance[pair] in self.healthy
        }
        return {pair: exp(excess) for pair, excess in beyond.items() if excess > least}


def _order(ordered: Sequence[float], fraction: float) -> float:
    return ordered[floor(fraction * (len(ordered) - 1))]
