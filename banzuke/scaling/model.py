"""A scaling study: one benchmark with the same settings on several numbers of nodes."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from banzuke.amounts import Scalar
from banzuke.compare.apart import apart, interleaved
from banzuke.compare.matching import CaseLaunches
from banzuke.compare.statistics import Interval, Launches, launch_spread, mean_interval, median, ratio_interval
from banzuke.plan.benchmark import Benchmark, Metric
from banzuke.record.model import Record
from banzuke.scaling.fit import Fits, Kind, Next, fit_all, next_count
from banzuke.words import Message


@dataclass(frozen=True)
class Count:
    """What was measured on one number of nodes."""

    nodes: int
    medians: tuple[float, ...]
    """The rate of each launch; of copies, of all together. All positive."""
    size: float
    """Of the problem, by the product of what sets it; of a copy's, where there are copies."""
    sizes: Mapping[str, Scalar]
    """The parameters that set it."""
    layout: str
    """Ranks and threads of a node."""
    seconds: float
    """Of a launch, from start to end."""
    records: tuple[str, ...] = ()
    """`provenance.id` of each launch."""
    apart: bool = False
    """Copies were not all at work at the same time."""
    failed: int = 0
    """Launches that were not verified."""
    launches: tuple[Record, ...] = ()
    """Of each median its launch, of copies that of the first one."""

    @property
    def rate(self) -> float:
        """Median over launches, as everywhere."""
        return median(self.medians)

    @property
    def interval(self) -> Interval | None:
        return mean_interval(Launches(self.medians))


@dataclass(frozen=True)
class ScalingStudy:
    kind: Kind
    benchmark: Benchmark
    metric: Metric
    machine: str
    """Fingerprint."""
    partition: str
    settings: Mapping[str, Scalar]
    """What tells it from other studies of the benchmark."""
    counts: tuple[Count, ...]
    """Ascending, at least two, of which each number of nodes stands once."""
    most: int | None = None
    """Nodes that there are; None: unknown."""
    remarks: tuple[Message, ...] = ()
    """What makes its figures dubious, or explains them."""

    @property
    def base(self) -> Count:
        """That of the fewest nodes, beside which the others are set."""
        return self.counts[0]

    def efficiency(self, of: Count) -> float:
        """Rate by node over that of the fewest nodes."""
        return of.rate / self.base.rate * self.base.nodes / of.nodes

    def efficiency_interval(self, of: Count) -> Interval | None:
        """95%, by Welch's t on the logarithms of the launches' medians on both numbers of nodes, or by the runs' where
        these are apart in time. None: too few of either.
        """
        found = None if of is self.base else _interval(of, self.base)
        by_node = self.base.nodes / of.nodes
        return Interval(found.low * by_node, found.high * by_node) if found else None

    def speed_up(self, of: Count) -> float:
        """Over the fewest nodes, times these: perfect scaling has as many as nodes."""
        return self.efficiency(of) * of.nodes

    @cached_property
    def fits(self) -> Fits:
        return fit_all(self.kind, {of.nodes: 1 / self.efficiency(of) for of in self.counts}, self.noise)

    @property
    def noise(self) -> float:
        """Relative standard error of a number of nodes' mean, over all that have several launches; 0: none has."""
        found = [spread**2 / len(of.medians) for of in self.counts if (spread := launch_spread(of.medians))]
        return math.sqrt(math.fsum(found) / len(found)) if found else 0.0

    @cached_property
    def next(self) -> Next | None:
        return next_count(self.fits, self.most)

    def cost(self, nodes: int) -> float:
        """Node-seconds that a launch on so many nodes is expected to take, and as many launches as the others had."""
        last = self.counts[-1]
        seconds = last.seconds * last.nodes / nodes if self.kind == "strong" else last.seconds
        return seconds * nodes * len(last.medians)


def _interval(of: Count, base: Count) -> Interval | None:
    """Of the ratio of their rates."""
    sides = [CaseLaunches(count.launches) for count in (base, of)]
    if not all(side.records for side in sides) or interleaved(*sides):
        return ratio_interval(Launches(of.medians), Launches(base.medians))
    rates = {id(one): rate for count in (of, base) for one, rate in zip(count.launches, count.medians, strict=True)}
    found = apart(sides[0], sides[1], lambda record: rates[id(record)]).known
    return found.interval if found else None


@dataclass(frozen=True)
class Scaling:
    studies: tuple[ScalingStudy, ...]
    without: tuple[str, ...] = field(default=())
    """Figures that are on one number of nodes alone, or not at all, with the reason."""
