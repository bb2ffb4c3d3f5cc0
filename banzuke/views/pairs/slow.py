"""Pairs of ranks that are slower than others as far apart: a sick link, or a rank that stands where it should not.

Slow is a matter of one side, so the healthy are taken from the fast end of each distance: one bad rank of four spoils
half of all pairs. Of two directions each is judged by itself: a host may send slowly and receive well.
Where many are slow alike it is the network's structure, which no distance here knows, and no fault.
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
from banzuke.views.pairs.outliers import Pair, RankLocation, Slow, SlowPair, SlowRank, Way

DISTANCES = ("same-core", "same-complex", "same-numa", "same-socket", "other-socket", "other-node")
"""From near to far, named as placements are."""
OF_DEVICES = ("nvlink", "xgmi", "switch", "bridge", "node", "system", "devices")
"""The same of two devices of a host, named as in the machine's description; the last: unknown."""
TO_HOST = "device-host"
_ORDERS = (DISTANCES, OF_DEVICES, (TO_HOST,))
"""A figure is compared with farther ones in the same of these alone."""
HEALTHY = 0.25
"""Share of a distance's pairs that are taken for healthy."""
SLOW = 1.5
"""Times the healthy figure from which a pair may be slow, however quiet the others are."""
DEVIATIONS = 6.0
"""Standard deviations of the healthy beyond which noise is none."""
STRUCTURE = 1 / 3
"""Share of ranks above which what is slow is no exception."""
HOPS = 1 / 5
"""The same of the pairs of a distance: of a ring of four sockets, a third of the pairs are two hops apart."""
_TAIL, _BAND = 0.05, 0.97
"""The quantile below HEALTHY, and how many standard deviations lie between these two of a normal distribution."""
_QUARTILE = 0.67
"""Standard deviations from the quartile to the median."""


def slow_of(record: Record, machine: Machine) -> tuple[Slow, ...]:
    """What is slow in each figure that a record has of many pairs, in its order."""
    return tuple(_slow(name, pairs, record, machine) for name, pairs in record.pairs.items())


def _slow(name: str, pairs: Pairs, record: Record, machine: Machine) -> Slow:
    places = locations(record, pairs)
    groups = [] if pairs.ends else sharing_ranks(record.conditions.get(CONDITION))
    return _judged(name, pairs, places, _Distances(machine, places), groups)


def locations(record: Record, pairs: Pairs) -> list[RankLocation]:
    """Where the ends of the pairs are, in their order."""
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
    """From what was told of devices while the case ran; empty: nothing."""
    own = about_devices.get(device or "")
    return str(own.get("number", "")) if isinstance(own, dict) else ""


class _Distances:
    """The nearest part of the machine that two ranks share; hosts of one run are alike."""

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
    """How many pairs there are at each distance, whatever their direction."""
    return Counter(table.distance[pair] for pair in {frozenset(pair): pair for pair in pairs}.values())


End = tuple[int, Way]


def _bad_ends(table: "_Table") -> dict[End, dict[int, float]]:
    """Ranks most of whose pairs are slow, in one direction or where there is one alone: how slow with whom.

    Pairs on one processor count only beside others.
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
    """One that is slow in each direction is so in both."""
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
    """One that is slow in both directions is told once, by the slower of them."""
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

    Of ranks that were measured in both directions a pair is from one to the other, else it has its later rank first.
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
        """What of its two ranks it is about."""
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
        """The height of the healthy at each distance that can be judged.

        A pair alone in its distance is not to be slower than farther ones.
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
        """How many times slower than the healthy, of the pairs that are."""
        return self._slow(self.heights)

    @cached_property
    def slow_aside(self) -> Mapping[Pair, float]:
        """The same of pairs on one processor, beside the others."""
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
