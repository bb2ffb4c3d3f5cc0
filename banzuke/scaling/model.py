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
    """The measurements on one number of nodes."""

    nodes: int
    medians: tuple[float, ...]
    """Positive rate of each launch; for copies, of all together."""
    size: float
    """Logarithm of the problem's size, the product of the parameters that set it; for copies, of one copy's."""
    sizes: Mapping[str, Scalar]
    """The parameters that set the size."""
    layout: str
    """Ranks and threads of a node."""
    seconds: float
    """Seconds of a launch, from start to end."""
    records: tuple[str, ...] = ()
    """`provenance.id` of each launch."""
    apart: bool = False
    """Whether the copies did not all run at the same time."""
    failed: int = 0
    """Launches that were not verified."""
    launches: tuple[Record, ...] = ()
    """The launch of each median; for copies, that of the first one."""

    @property
    def rate(self) -> float:
        """Return the median over launches, as everywhere."""
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
    """Fingerprint of the machine."""
    partition: str
    settings: Mapping[str, Scalar]
    """The settings that distinguish it from other studies of the benchmark."""
    counts: tuple[Count, ...]
    """At least two, ascending by number of nodes, each number once."""
    most: int | None = None
    """Number of existing nodes; None: unknown."""
    remarks: tuple[Message, ...] = ()
    """Remarks that make its figures dubious, or explain them."""

    @property
    def base(self) -> Count:
        """Return the count with the fewest nodes, with which the others are compared."""
        return self.counts[0]

    def efficiency(self, count: Count) -> float:
        """Return the rate per node over that on the fewest nodes."""
        return count.rate / self.base.rate * self.base.nodes / count.nodes

    def efficiency_interval(self, count: Count) -> Interval | None:
        """Return the 95% interval, by Welch's t on the logarithms of the launches' medians on both numbers of nodes, or
        of the runs' medians where these are apart in time. None: too few launches or runs.
        """
        interval = None if count is self.base else _interval(count, self.base)
        by_node = self.base.nodes / count.nodes
        return Interval(interval.low * by_node, interval.high * by_node) if interval else None

    def speed_up(self, count: Count) -> float:
        """Return the speed-up over the fewest nodes, times their number: with perfect scaling it is the
        number of nodes.
        """
        return self.efficiency(count) * count.nodes

    @cached_property
    def fits(self) -> Fits:
        return fit_all(self.kind, {count.nodes: 1 / self.efficiency(count) for count in self.counts}, self.noise)

    @property
    def noise(self) -> float:
        """Return the relative standard error of a mean, over all numbers of nodes with several launches; 0:
        there are none.
        """
        variances = [
            spread**2 / len(count.medians) for count in self.counts if (spread := launch_spread(count.medians))
        ]
        return math.sqrt(math.fsum(variances) / len(variances)) if variances else 0.0

    @cached_property
    def next(self) -> Next | None:
        return next_count(self.fits, self.most)

    def cost(self, nodes: int) -> float:
        """Return the node-seconds that launches on this many nodes are expected to take, as many as there were
        on the others.
        """
        last = self.counts[-1]
        seconds = last.seconds * last.nodes / nodes if self.kind == "strong" else last.seconds
        return seconds * nodes * len(last.medians)


def _interval(larger: Count, base: Count) -> Interval | None:
    """Return the interval of the ratio of their rates; None: too few launches or runs."""
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
    """Benchmarks without a study, with the reason: measured on one number of nodes, or not at all."""
