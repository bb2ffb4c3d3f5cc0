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
    """Logarithm of the problem's size, the product of what sets it; of a copy's, where there are copies."""
    sizes: Mapping[str, Scalar]
    """The parameters that set it."""
    layout: str
    """Ranks and threads of a node."""
    seconds: float
    """Duration of a launch, from start to end."""
    records: tuple[str, ...] = ()
    """`provenance.id` of each launch."""
    apart: bool = False
    """Copies were not all at work at the same time."""
    failed: int = 0
    """Launches that were not verified."""
    launches: tuple[Record, ...] = ()
    """The launch of each median; of copies, that of the first one."""

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

    def efficiency(self, count: Count) -> float:
        """Rate by node over that of the fewest nodes."""
        return count.rate / self.base.rate * self.base.nodes / count.nodes

    def efficiency_interval(self, count: Count) -> Interval | None:
        """95%, by Welch's t on the logarithms of the launches' medians on both numbers of nodes, or by the runs' where
        these are apart in time. None: too few of either.
        """
        interval = None if count is self.base else _interval(count, self.base)
        by_node = self.base.nodes / count.nodes
        return Interval(interval.low * by_node, interval.high * by_node) if interval else None

    def speed_up(self, count: Count) -> float:
        """Over the fewest nodes, times these: perfect scaling has as many as nodes."""
        return self.efficiency(count) * count.nodes

    @cached_property
    def fits(self) -> Fits:
        return fit_all(self.kind, {count.nodes: 1 / self.efficiency(count) for count in self.counts}, self.noise)

    @property
    def noise(self) -> float:
        """Relative standard error of a number of nodes' mean, over all that have several launches; 0: none has."""
        variances = [
            spread**2 / len(count.medians) for count in self.counts if (spread := launch_spread(count.medians))
        ]
        return math.sqrt(math.fsum(variances) / len(variances)) if variances else 0.0

    @cached_property
    def next(self) -> Next | None:
        return next_count(self.fits, self.most)

    def cost(self, nodes: int) -> float:
        """Node-seconds that a launch on so many nodes is expected to take, and as many launches as the others had."""
        last = self.counts[-1]
        seconds = last.seconds * last.nodes / nodes if self.kind == "strong" else last.seconds
        return seconds * nodes * len(last.medians)


def _interval(larger: Count, base: Count) -> Interval | None:
    """Interval of the ratio of their rates; None: too few launches or runs."""
    sides = [CaseLaunches(count.launches) for count in (base, larger)]
    if not all(side.records for side in sides) or interleaved(*sides):
        return ratio_interval(Launches(larger.medians), Launches(base.medians))
    rates = {
        id(launch): rate for count in (larger, base) for launch, rate in zip(count.launches, count.medians, strict=True)
    }
    comparison = apart(sides[0], sides[1], lambda record: rates[id(record)]).contrast
    return comparison.interval if comparison else None


@dataclass(frozen=True)
class Scaling:
    studies: tuple[ScalingStudy, ...]
    without: tuple[str, ...] = field(default=())
    """Figures that are on one number of nodes alone, or not at all, with the reason."""
