"""Pairs of ranks that are slower than others as far apart: a sick link, or a rank that stands where it should not.

Slow is a matter of one side, so the healthy are taken from the fast end of each distance: one bad rank of four spoils
half of all pairs. Where many are slow alike it is the network's structure, which no distance here knows, and no fault.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, floor, log
from statistics import median
from typing import Literal

from banzuke.machine.model import Machine
from banzuke.machine.tree import format_cpus, parse_cpus
from banzuke.record.figures import Pairs
from banzuke.record.model import Record
from banzuke.words import Listed, Message, Quantity, message

DISTANCES = ("same-core", "same-complex", "same-numa", "same-socket", "other-socket", "other-node")
"""From near to far, named as placements are."""
OF_DEVICES = ("nvlink", "xgmi", "switch", "bridge", "node", "system", "devices")
"""The same of two devices of a host, named as in the machine's description; the last: unknown."""
TO_HOST = "device-host"
_ORDERS = (DISTANCES, OF_DEVICES, (TO_HOST,))
"""A figure is compared with farther ones in the same of these alone."""
SHOWN = 8
"""Slow ranks, pairs or hosts that are named."""
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

Pair = tuple[int, int]


@dataclass(frozen=True)
class RankLocation:
    """Where a rank was placed."""

    rank: int
    host: str = ""
    cpus: tuple[int, ...] = ()
    memory: bool = False
    """It is no rank, but the memory of a host or device."""
    device: str = ""
    """Its identity; empty: a host's."""
    number: str = ""
    """Of the device, where it is known."""

    @property
    def message(self) -> Message:
        match self:
            case RankLocation(memory=True, device=device, number=number, host=host):
                return message(
                    "views-memory-of", kind="device" if device else "host", device=number or device, host=host
                )
            case RankLocation(rank=rank, host=host, cpus=(cpu,)) if host:
                return message("views-rank-on-processor", rank=str(rank), host=host, processor=str(cpu))
            case RankLocation(rank=rank, host=host) if host:
                return message("views-rank-on-host", rank=str(rank), host=host)
            case RankLocation(rank=rank):
                return message("views-rank", rank=str(rank))


@dataclass(frozen=True)
class SlowPair:
    a: RankLocation
    b: RankLocation
    value: float
    usual: float
    """What healthy pairs as far apart have."""
    ratio: float
    """How many times slower."""
    distance: str


@dataclass(frozen=True)
class SlowRank:
    location: RankLocation
    slow: int
    """Partners with which it is slow."""
    partners: int
    """Whom it met at all."""
    ratio: float
    """How many times slower, the median of those."""


@dataclass(frozen=True)
class Slow:
    """What stands out of one matrix, the slowest first; the pairs of slow ranks are not told again."""

    metric: str
    unit: str
    ranks: tuple[SlowRank, ...]
    pairs: tuple[SlowPair, ...]
    together: bool = False
    """The slow ranks are several, and not slow with each other: what they share is slow, or lies farther off."""

    @property
    def outliers(self) -> Iterator["PairOutlier"]:
        """Ranks that are slow together are one."""
        if self.together:
            ratio = median(rank.ratio for rank in self.ranks)
            of = of_what(memory=self.ranks[0].location.memory)
            seen = message("views-worse-together", metric=self.metric, ratio=ratio, of=of)
            yield PairOutlier("together", _together(self.ranks), ratio, seen)
        for rank in () if self.together else self.ranks:
            seen = message(
                "views-worse-rank",
                metric=self.metric,
                ratio=rank.ratio,
                slow=rank.slow,
                partners=rank.partners,
                of=of_what(memory=rank.location.memory),
            )
            yield PairOutlier("memory" if rank.location.memory else "rank", rank.location.message, rank.ratio, seen)
        for pair in self.pairs:
            seen = message(
                "views-worse-pair",
                metric=self.metric,
                value=Quantity(pair.value, self.unit),
                usual=Quantity(pair.usual, self.unit),
                distance=pair.distance,
            )
            who = message("views-pair", a=pair.a.message, b=pair.b.message)
            yield PairOutlier("pair", who, pair.ratio, seen)


@dataclass(frozen=True)
class PairOutlier:
    """What stands out, by name."""

    kind: Literal["together", "rank", "memory", "pair"]
    who: Message
    ratio: float
    """How many times slower."""
    seen: Message


def of_what(*, memory: bool) -> str:
    """Pairs of what, as messages distinguish them."""
    return "memories" if memory else "ranks"


def _together(ranks: Sequence[SlowRank]) -> Message:
    """`ranks 8-11 (n2)`."""
    if ranks[0].location.memory:
        return message("views-memories", memories=Listed(tuple(rank.location.message for rank in ranks), SHOWN))
    hosts = sorted({rank.location.host for rank in ranks} - {""})
    numbers = format_cpus(sorted(rank.location.rank for rank in ranks))
    if not hosts:
        return message("views-ranks", ranks=numbers)
    return message("views-ranks-on-hosts", ranks=numbers, hosts=Listed(tuple(hosts), SHOWN))


def slow_of(record: Record, machine: Machine) -> tuple[Slow, ...]:
    """Of each figure that a record has of many pairs, in its order."""
    return tuple(_slow(name, pairs, record, machine) for name, pairs in record.pairs.items())


def _slow(name: str, pairs: Pairs, record: Record, machine: Machine) -> Slow:
    places = locations(record, pairs)
    return _judged(name, pairs, places, _Distances(machine, places))


def locations(record: Record, pairs: Pairs) -> list[RankLocation]:
    """Of the ends of the pairs, in their order."""
    if pairs.ends:
        known = record.conditions.get("devices")
        told = known if isinstance(known, dict) else {}
        return [
            RankLocation(place, end.host, memory=True, device=end.device or "", number=_number(told, end.device))
            for place, end in enumerate(pairs.ends)
        ]
    hosts = {rank: host.name for host in record.hosts for rank in host.ranks}
    cpus = {
        rank: tuple(parse_cpus(binding.threads[0])) if binding.threads else ()
        for binding in record.binding
        for rank in parse_cpus(binding.ranks)
    }
    return [RankLocation(rank, hosts.get(rank, ""), cpus.get(rank, ())) for rank in range(pairs.count)]


def _number(told: Mapping[str, object], device: str | None) -> str:
    """From what was told of devices while the case ran; empty: nothing."""
    own = told.get(device or "")
    return str(own.get("number", "")) if isinstance(own, dict) else ""


class _Distances:
    """The nearest part of the machine that two ranks share; hosts of one run are alike."""

    def __init__(self, machine: Machine, places: Sequence[RankLocation]) -> None:
        given = machine.allotment
        parts = (given.siblings, given.complexes, [node.cpus for node in machine.node.numa], given.packages)
        self._names = [name for name, groups in zip(DISTANCES, parts, strict=False) if groups]
        known = [_index(groups) for groups in parts if groups]
        self._hosts = [place.host for place in places]
        self._parts = [
            tuple(index.get(place.cpus[0]) if len(place.cpus) == 1 else None for index in known) for place in places
        ]
        self._cpus = [place.cpus for place in places]
        self._devices = [place.device if place.memory else None for place in places]
        self._paths = {device.identity: device.paths for device in given.devices}

    def __call__(self, a: int, b: int) -> str:
        if self._hosts[a] != self._hosts[b]:
            return DISTANCES[-1]
        one, other = self._devices[a], self._devices[b]
        if one is not None and other is not None:
            found = self._paths.get(one, {}).get(other) or self._paths.get(other, {}).get(one) or OF_DEVICES[-1]
            return (found if found in OF_DEVICES else OF_DEVICES[-1]) if one and other else TO_HOST
        if self._cpus[a] == self._cpus[b] and len(self._cpus[a]) == 1:
            return DISTANCES[0]
        for name, mine, theirs in zip(self._names, self._parts[a], self._parts[b], strict=True):
            if mine is not None and mine == theirs:
                return name
        return DISTANCES[-2]


def _index(groups: Sequence[Sequence[int]]) -> dict[int, int]:
    return {cpu: number for number, group in enumerate(groups) for cpu in group}


def _judged(metric: str, matrix: Pairs, places: Sequence[RankLocation], distances: _Distances) -> Slow:
    table = _Table(matrix, distances)
    slow = table.slow
    partners: dict[int, list[float]] = defaultdict(list)
    for pair in slow:
        for rank in pair:
            partners[rank].append(slow[pair])
    met = Counter(rank for pair in table.heights for rank in pair)
    bad = {rank: found for rank, found in partners.items() if met[rank] > 1 and 2 * len(found) > met[rank]}
    if len(bad) > max(1, STRUCTURE * matrix.count):
        bad = {}
    among = [pair for pair in table.heights if bad.keys() >= set(pair)]
    healthy = [pair for pair in table.heights if not bad.keys() & set(pair)]
    of_distance = Counter(table.distance[pair] for pair in healthy)
    slow_of = Counter(table.distance[pair] for pair in healthy if pair in slow)
    structure = {name for name, count in slow_of.items() if count > max(1, HOPS * of_distance[name])}
    rest = {pair: slow[pair] for pair in healthy if pair in slow and table.distance[pair] not in structure}
    return Slow(
        metric,
        matrix.unit,
        tuple(
            SlowRank(places[rank], len(found), met[rank], median(found))
            for rank, found in sorted(bad.items(), key=lambda item: -median(item[1]))
        ),
        tuple(
            SlowPair(places[b], places[a], value, value * ratio if table.rate else value / ratio, ratio, distance)
            for (a, b), ratio in sorted(rest.items(), key=lambda item: -item[1])
            for value, distance in [(matrix.worst[a, b], table.distance[a, b])]
        ),
        together=bool(among) and not any(pair in slow for pair in among),
    )


class _Table:
    """Pairs as logarithms of times, or of inverse rates, by distance; a pair is named by its later rank first."""

    def __init__(self, matrix: Pairs, distances: _Distances) -> None:
        self.rate = matrix.unit.endswith("/s")
        sign = -1.0 if self.rate else 1.0
        self.heights = {pair: sign * log(value) for pair, value in matrix.worst.items() if value > 0}
        self.distance = {pair: distances(*pair) for pair in self.heights}

    @cached_property
    def _by_distance(self) -> Mapping[str, Sequence[float]]:
        found: dict[str, list[float]] = defaultdict(list)
        for pair, height in self.heights.items():
            found[self.distance[pair]].append(height)
        return {name: sorted(found[name]) for order in _ORDERS for name in order if name in found}

    @cached_property
    def healthy(self) -> Mapping[str, float]:
        """Of each distance that can be judged; a pair alone in its distance is not to be slower than farther ones."""
        known = {name: _order(heights, HEALTHY) for name, heights in self._by_distance.items() if len(heights) > 1}
        for name in self._by_distance:
            (order,) = (order for order in _ORDERS if name in order)
            farther = [known[other] for other in order[order.index(name) + 1 :] if other in known]
            if name not in known and farther:
                known[name] = farther[0]
        return known

    @cached_property
    def slow(self) -> Mapping[Pair, float]:
        """How many times slower than the healthy, of the pairs that are."""
        spread = max(
            ((_order(heights, HEALTHY) - _order(heights, _TAIL)) / _BAND for heights in self._by_distance.values()),
            default=0.0,
        )
        least = max(log(SLOW), (DEVIATIONS + _QUARTILE) * spread)
        beyond = {
            pair: height - self.healthy[self.distance[pair]]
            for pair, height in self.heights.items()
            if self.distance[pair] in self.healthy
        }
        return {pair: exp(excess) for pair, excess in beyond.items() if excess > least}


def _order(ordered: Sequence[float], fraction: float) -> float:
    return ordered[floor(fraction * (len(ordered) - 1))]
