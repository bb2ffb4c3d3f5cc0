"""What stands out of a figure of many pairs: ranks, memories and pairs that are slow, and how they are named."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from banzuke.cpu_lists import format_cpus
from banzuke.words import Listed, Message, Quantity, message

SHOWN = 8
"""Slow ranks, pairs or hosts that are named."""

Pair = tuple[int, int]
Way = Literal["both", "out", "in"]
"""In which an end is slow: of what it sends, of what comes to it. Of a pair, `out`: from the first to the second."""


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
    """That of the device, where it is known."""

    @property
    def message(self) -> Message:
        """`rank 5 (n1, processor 3)`, `device 1 of g1`, with what is known."""
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
    way: Way = "both"


@dataclass(frozen=True)
class SlowRank:
    location: RankLocation
    slow: int
    """Partners with which it is slow."""
    partners: int
    """Whom it met at all."""
    ratio: float
    """How many times slower, the median of those."""
    way: Way = "both"


@dataclass(frozen=True)
class Slow:
    """What stands out of one matrix, the slowest first; the pairs of slow ranks are not told again."""

    metric: str
    unit: str
    ranks: tuple[SlowRank, ...]
    pairs: tuple[SlowPair, ...]
    together: bool = False
    """The slow ranks are several, and not slow with each other: what they share is slow, or lies farther off."""
    sharing: tuple[int, ...] = ()
    """Ranks that share a processor with others on hosts of different names: a pair that waits for it is no slow one."""

    @property
    def outliers(self) -> Iterator["PairOutlier"]:
        """Ranks that are slow together are one."""
        if self.together:
            ratio = median(rank.ratio for rank in self.ranks)
            ends = of_what(memory=self.ranks[0].location.memory)
            seen = message("views-worse-together", metric=self.metric, ratio=ratio, of=ends, way=self.ranks[0].way)
            yield PairOutlier("together", _together(self.ranks), ratio, seen, self.ranks[0].way)
        for rank in () if self.together else self.ranks:
            seen = message(
                "views-worse-rank",
                metric=self.metric,
                ratio=rank.ratio,
                slow=rank.slow,
                partners=rank.partners,
                of=of_what(memory=rank.location.memory),
                way=rank.way,
            )
            kind: Literal["memory", "rank"] = "memory" if rank.location.memory else "rank"
            yield PairOutlier(kind, rank.location.message, rank.ratio, seen, rank.way)
        for pair in self.pairs:
            seen = message(
                "views-worse-pair",
                metric=self.metric,
                value=Quantity(pair.value, self.unit),
                usual=Quantity(pair.usual, self.unit),
                distance=pair.distance,
            )
            who = message("views-pair", a=pair.a.message, b=pair.b.message, way=pair.way)
            yield PairOutlier("pair", who, pair.ratio, seen, pair.way)


@dataclass(frozen=True)
class PairOutlier:
    """What stands out, by name."""

    kind: Literal["together", "rank", "memory", "pair"]
    who: Message
    ratio: float
    """How many times slower."""
    seen: Message
    way: Way = "both"


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
