"""Pairs of ranks that are slower than others as far apart: a sick link, or a rank that stands where it should not.

Slow is a matter of one side, so the healthy are taken from the fast end of each distance: one bad rank of four spoils
half of all pairs. Where many are slow alike it is the network's structure, which no distance here knows, and no fault.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from math import exp, floor, log
from statistics import median

from banzuke.limit.evidence import Evidence
from banzuke.limit.finding import Finding
from banzuke.limit.model import Seat, Slow, SlowPair, SlowRank
from banzuke.machine.model import Machine
from banzuke.machine.tree import format_cpus, parse_cpus
from banzuke.record.figures import Pairs
from banzuke.record.model import Record
from banzuke.units import number
from banzuke.words import Fact, Listed, Message, Quantity, message

DISTANCES = ("same-core", "same-complex", "same-numa", "same-socket", "other-socket", "other-node")
"""From near to far, named as placements are."""
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


def slow(record: Record, machine: Machine) -> tuple[Slow, ...]:
    """Of each figure that a record has of many pairs, in its order."""
    return tuple(_slow(name, pairs, record, machine) for name, pairs in record.pairs.items())


def _slow(name: str, pairs: Pairs, record: Record, machine: Machine) -> Slow:
    seats = seats_of(record, pairs)
    return _judged(name, pairs, seats, _Distances(machine, seats))


def seats_of(record: Record, pairs: Pairs) -> list[Seat]:
    """Of the ends of the pairs, in their order."""
    if pairs.ends:
        return [Seat(number, end.host, device=end.device or "memory") for number, end in enumerate(pairs.ends)]
    hosts = {rank: host.name for host in record.hosts for rank in host.ranks}
    cpus = {
        rank: tuple(parse_cpus(binding.threads[0])) if binding.threads else ()
        for binding in record.binding
        for rank in parse_cpus(binding.ranks)
    }
    return [Seat(rank, hosts.get(rank, ""), cpus.get(rank, ())) for rank in range(pairs.count)]


class _Distances:
    """The nearest part of the machine that two ranks share; hosts of one run are alike."""

    def __init__(self, machine: Machine, seats: Sequence[Seat]) -> None:
        given = machine.allotment
        parts = (given.siblings, given.complexes, [node.cpus for node in machine.node.numa], given.packages)
        self._names = [name for name, groups in zip(DISTANCES, parts, strict=False) if groups]
        known = [_index(groups) for groups in parts if groups]
        self._hosts = [place.host for place in seats]
        self._parts = [
            tuple(index.get(place.cpus[0]) if len(place.cpus) == 1 else None for index in known) for place in seats
        ]
        self._cpus = [place.cpus for place in seats]

    def __call__(self, a: int, b: int) -> str:
        if self._hosts[a] != self._hosts[b]:
            return DISTANCES[-1]
        if self._cpus[a] == self._cpus[b] and len(self._cpus[a]) == 1:
            return DISTANCES[0]
        for name, mine, theirs in zip(self._names, self._parts[a], self._parts[b], strict=True):
            if mine is not None and mine == theirs:
                return name
        return DISTANCES[-2]


def _index(groups: Sequence[Sequence[int]]) -> dict[int, int]:
    return {cpu: number for number, group in enumerate(groups) for cpu in group}


def _judged(metric: str, matrix: Pairs, seats: Sequence[Seat], distances: _Distances) -> Slow:
    table = _Table(matrix, distances)
    slow = table.slow
    partners: dict[int, list[float]] = defaultdict(list)
    for pair in slow:
        for rank in pair:
            partners[rank].append(slow[pair])
    others = matrix.count - 1
    bad = {rank: found for rank, found in partners.items() if others > 1 and 2 * len(found) > others}
    if len(bad) > max(1, STRUCTURE * matrix.count):
        bad = {}
    healthy = [pair for pair in table.heights if not bad.keys() & set(pair)]
    of_distance = Counter(table.distance[pair] for pair in healthy)
    slow_of = Counter(table.distance[pair] for pair in healthy if pair in slow)
    structure = {name for name, count in slow_of.items() if count > max(1, HOPS * of_distance[name])}
    rest = {pair: slow[pair] for pair in healthy if pair in slow and table.distance[pair] not in structure}
    return Slow(
        metric,
        matrix.unit,
        tuple(
            SlowRank(seats[rank], len(found), others, median(found))
            for rank, found in sorted(bad.items(), key=lambda item: -median(item[1]))
        ),
        tuple(
            SlowPair(seats[b], seats[a], value, value * ratio if table.rate else value / ratio, ratio, distance)
            for (a, b), ratio in sorted(rest.items(), key=lambda item: -item[1])
            for value, distance in [(matrix.worst[a, b], table.distance[a, b])]
        ),
        together=len(bad) > 1 and not any(bad.keys() >= set(pair) for pair in slow),
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
        return {name: sorted(found[name]) for name in DISTANCES if name in found}

    @cached_property
    def healthy(self) -> Mapping[str, float]:
        """Of each distance that can be judged; a pair alone in its distance is not to be slower than farther ones."""
        known = {name: _order(heights, HEALTHY) for name, heights in self._by_distance.items() if len(heights) > 1}
        for name in self._by_distance:
            farther = [known[other] for other in DISTANCES[DISTANCES.index(name) + 1 :] if other in known]
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


def slow_pairs(e: Evidence) -> Iterator[Finding]:
    """The ranks and pairs that stand out, by name, each with what is slow of it."""
    ranks: dict[str, list[tuple[float, Message]]] = defaultdict(list)
    pairs: dict[tuple[str, str], list[tuple[float, Message]]] = defaultdict(list)
    shared: dict[str, list[tuple[float, Message]]] = defaultdict(list)
    for found in e.slow:
        if found.together:
            ratio = median(rank.ratio for rank in found.ranks)
            shared[group(found.ranks)].append(
                (ratio, message("limit-worse-together", metric=found.metric, ratio=ratio))
            )
        for rank in () if found.together else found.ranks:
            seen = message(
                "limit-worse-rank", metric=found.metric, ratio=rank.ratio, slow=rank.slow, partners=rank.partners
            )
            ranks[str(rank.seat)].append((rank.ratio, seen))
        for pair in found.pairs:
            seen = message(
                "limit-worse-pair",
                metric=found.metric,
                value=Quantity(pair.value, found.unit),
                usual=Quantity(pair.usual, found.unit),
                distance=pair.distance.replace("-", " "),
            )
            pairs[str(pair.a), str(pair.b)].append((pair.ratio, seen))
    for who, seen_of in shared.items():
        yield _finding(message("limit-slow-together", ranks=who, seen=_listed(seen_of)), seen_of)
    for who, seen_of in list(ranks.items())[:SHOWN]:
        yield _finding(message("limit-slow-rank", rank=who, seen=_listed(seen_of)), seen_of)
    for (a, b), seen_of in list(pairs.items())[:SHOWN]:
        yield _finding(message("limit-slow-pair", a=a, b=b, seen=_listed(seen_of)), seen_of)


def group(ranks: Sequence[SlowRank]) -> str:
    """`ranks 8-11 (n2)`."""
    hosts = sorted({rank.seat.host for rank in ranks} - {""})
    on = f" ({', '.join(hosts[:SHOWN])}{' and more' if len(hosts) > SHOWN else ''})" if hosts else ""
    return f"ranks {format_cpus(sorted(rank.seat.rank for rank in ranks))}{on}"


def _finding(found: Message, seen: Sequence[tuple[float, Message]]) -> Finding:
    return Finding(1 - 1 / max(ratio for ratio, _ in seen), found, odd=True)


def _listed(seen: Sequence[tuple[float, Message]]) -> Fact:
    return Listed(tuple(each for _, each in seen))


def told(stand_out: Sequence[Slow]) -> str:
    """For a verdict: `slow: rank 3 (n1, processor 5), 40x`; empty: no pair stands out."""
    worst: dict[str, float] = {}
    for found in stand_out:
        ranks = [(str(rank.seat), rank.ratio) for rank in found.ranks]
        if found.together:
            ranks = [(group(found.ranks), median(ratio for _, ratio in ranks))]
        for name, ratio in ranks + [(f"{pair.a} with {pair.b}", pair.ratio) for pair in found.pairs]:
            worst[name] = max(ratio, worst.get(name, 0.0))
    if not worst:
        return ""
    first, *others = sorted(worst.items(), key=lambda item: -item[1])
    more = f" and {len(others)} more" if others else ""
    return f"slow: {first[0]}, {number(first[1])} times{more}"
