"""Outliers in figures of many pairs: slow ranks, memories and pairs, and their names."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from banzuke.cpu_lists import format_cpus
from banzuke.words import Listed, Message, Quantity, message

SHOWN = 8
"""Most slow ranks, pairs or hosts that are named."""

Pair = tuple[int, int]
Way = Literal["both", "out", "in"]
"""Direction in which an end is slow: sending (`out`), receiving (`in`), or both. Of a pair, `out` is from first to
second."""


@dataclass(frozen=True)
class RankLocation:
    """The location of a rank."""

    rank: int
    host: str = ""
    cpus: tuple[int, ...] = ()
    memory: bool = False
    """Whether it is the memory of a host or device instead of a rank."""
    device: str = ""
    """Identity of the device; empty: a host."""
    number: str = ""
    """Number of the device, if known."""

    @property
    def message(self) -> Message:
        """`rank 5 (n1, processor 3)` or `device 1 of g1`, as far as known."""
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
    """Value of healthy pairs at the same distance."""
    ratio: float
    """How many times slower than usual."""
    distance: str
    way: Way = "both"


@dataclass(frozen=True)
class SlowRank:
    location: RankLocation
    slow: int
    """Number of partners with which it is slow."""
    partners: int
    """Number of all partners that it was measured with."""
    ratio: float
    """How many times slower, as the median over the slow pairs."""
    way: Way = "both"


@dataclass(frozen=True)
class Slow:
    """Outliers of one matrix, the slowest first; pairs of slow ranks are not repeated."""

    metric: str
    unit: str
    ranks: tuple[SlowRank, ...]
    pairs: tuple[SlowPair, ...]
    together: bool = False
    """Whether there are several slow ranks that are not slow with each other, so that something they share is slow or
    far."""
    sharing: tuple[int, ...] = ()
    """Ranks that share a processor with ranks of differently named hosts, so that waiting for it is no slow link."""

    @property
    def outliers(self) -> Iterator["PairOutlier"]:
        """The outliers; ranks that are slow together are one."""
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
    """One outlier with its name."""

    kind: Literal["together", "rank", "memory", "pair"]
    who: Message
    ratio: float
    """How many times slower than usual."""
    seen: Message
    way: Way = "both"


def of_what(*, memory: bool) -> str:
    """Return the kind of ends of pairs, as messages distinguish them."""
    return "memories" if memory else "ranks"


def _together(ranks: Sequence[SlowRank]) -> Message:
    """Return `ranks 8-11 (n2)`."""
    if ranks[0].location.memory:
        return message("views-memories", memories=Listed(tuple(rank.location.message for rank in ranks), SHOWN))
    hosts = sorted({rank.location.host for rank in ranks} - {""})
    numbers = format_cpus(sorted(rank.location.rank for rank in ranks))
    if not hosts:
        return message("views-ranks", ranks=numbers)
    return message("views-ranks-on-hosts", ranks=numbers, hosts=Listed(tuple(hosts), SHOWN))
