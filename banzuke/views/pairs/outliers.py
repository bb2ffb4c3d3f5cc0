"""Outliers in figures of many pairs: slow ranks, memories and pairs, and their names."""

from collections.abc import Iterator, Mapping, Sequence
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
class LatencyLevel:
    """Clusters of ranks that are near each other."""

    clusters: tuple[tuple[int, ...], ...]
    within: float
    """s, the median latency within clusters."""
    between: float
    """s, the median latency between them."""
    told: str
    """The parts of the machine that are the same by its firmware, as distances are named; empty: it tells none."""

    @property
    def message(self) -> Message:
        """Return how many clusters there are, how large, and by what they differ."""
        sizes = sorted({len(cluster) for cluster in self.clusters})
        return message(
            "views-clusters",
            number=len(self.clusters),
            fewest=sizes[0],
            most=sizes[-1],
            alike="yes" if len(sizes) == 1 else "no",
            within=Quantity(self.within, "s"),
            between=Quantity(self.between, "s"),
            told=self.told or "none",
        )


@dataclass(frozen=True)
class Clusters:
    """Levels from the smallest clusters to the largest, and what the firmware tells and no latency shows."""

    levels: tuple[LatencyLevel, ...]
    unseen: Mapping[str, int]
    """Number of groups by their name."""


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
    clusters: Clusters | None = None
    """None: these are not latencies between cores of a host."""

    @property
    def clusters_shown(self) -> tuple[Message, ...]:
        """Return a sentence for each level of clusters, and for what only the firmware tells."""
        if self.clusters is None:
            return ()
        unseen = [
            message("views-clusters-unseen", number=number, told=name) for name, number in self.clusters.unseen.items()
        ]
        return (*(level.message for level in self.clusters.levels), *unseen)

    @property
    def apart(self) -> Message | None:
        """Return that latencies and the firmware show other clusters; None: they do not."""
        if self.clusters is None:
            return None
        untold = sum(not level.told for level in self.clusters.levels)
        unseen = len(self.clusters.unseen)
        return message("views-clusters-apart", untold=untold, unseen=unseen) if untold or unseen else None

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
