"""Compares the two sides of a collection: ratios of figures, what the machines' rates suggest, and which ratios stand
out.

Sparse work is between two bounds: at best, one side is faster by the ratio of arithmetic rates or by that of memory
rates. Small problems follow neither, nor does a problem that is in the caches of one side only.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from banzuke.compare.statistics import median
from banzuke.judge.collection import Ratio
from banzuke.judge.model import Assessment
from banzuke.judge.outliers import SIGMA
from banzuke.limit.capacity import Capacities, Roof, partition_alone
from banzuke.limit.ceilings import peak_of_devices
from banzuke.limit.model import Ceiling
from banzuke.machine.model import Machine
from banzuke.record.figures import FLOPS, MOVED, Demand

NEAR = 15
"""Number of problems nearest in size with whose median a ratio is compared, because ratios change with the size."""
LEAST_NEAR = 7
"""The same at the ends of the range of sizes."""
FEWEST_PROBLEMS = 6
"""Fewest problems among which one can stand out."""
FAR = 3.0
"""Robust standard deviations of all ratios about these medians beyond which a ratio stands out."""
LEAST_FAR = 1.1
"""Smallest factor from the median at which a ratio stands out; less is noise, however steady the others are."""


def find_roof(assessment: Assessment, machine: Machine, resource: str, kind: str) -> Roof | None:
    """Return the rate of the part of the machine that a case used, in the state that it ran in; None: unknown."""
    ceilings = [_without_matrices(ceiling, machine) for ceiling in assessment.ceilings]
    roof = Capacities(assessment.record, machine, ceilings, {}).roof(Demand(resource=resource, amount=1.0), kind)
    return roof if isinstance(roof, Roof) else None


def _without_matrices(ceiling: Ceiling, machine: Machine) -> Ceiling:
    """Return a peak without matrix units, which sparse work cannot use."""
    if not ceiling.devices or ceiling.kind != "theoretical":
        return ceiling
    alone = partition_alone(machine, ceiling.partition)
    peaks = peak_of_devices(ceiling.resource, alone, ceiling.partition, matrices=False)
    return next((peak for peak in peaks if peak.device == ceiling.device), ceiling)


@dataclass(frozen=True)
class RatioLine:
    """The ratio of one side's rate of a resource to the other's."""

    of: str
    """`peak`: theoretical rate of arithmetic; `memory`: measured rate of memory."""
    mine: Roof | None
    theirs: Roof | None

    @property
    def value(self) -> float | None:
        """The ratio; None: a side's rate is unknown."""
        return self.mine.rate / self.theirs.rate if self.mine and self.theirs else None


def ratio_lines(ratio: Ratio, mine: Machine, theirs: Machine) -> tuple[RatioLine, ...]:
    """Return the lines for a ratio, from the rates in the states that both sides ran in."""
    here, there = ratio.member.assessment, ratio.against.assessment
    return tuple(
        RatioLine(name, find_roof(here, mine, resource, kind), find_roof(there, theirs, resource, kind))
        for name, resource, kind in (("peak", FLOPS, "theoretical"), ("memory", MOVED, "measured"))
    )


@dataclass(frozen=True)
class RatioCounts:
    """How many ratios are below, between and above their lines."""

    below: int
    between: int
    above: int


def counted(lined_ratios: Collection[tuple[Ratio, Sequence[RatioLine]]]) -> RatioCounts | None:
    """Count ratios by their position relative to their lines; None: a line is missing."""
    below = above = 0
    for ratio, lines in lined_ratios:
        rates = [line.value for line in lines if line.value is not None]
        if len(rates) < len(lines):
            return None
        below += ratio.ratio < min(rates)
        above += ratio.ratio > max(rates)
    return RatioCounts(below, len(lined_ratios) - below - above, above)


def cached(ratio: Ratio) -> str:
    """Return which sides' last-level caches hold the problem: `neither`, `mine`, `theirs`, `both`; empty: unknown."""
    here, there = ratio.member.place, ratio.against.place
    if here is None or there is None:
        return ""
    names = {(False, False): "neither", (True, False): "mine", (False, True): "theirs", (True, True): "both"}
    return names[here == "in cache", there == "in cache"]


@dataclass(frozen=True)
class RatioOutliers:
    """Ratios far from those of problems of similar size."""

    found: tuple[Ratio, ...]
    """Farthest first."""
    beyond: float
    """Factor above the median, or below it, from which a ratio stands out."""


def ratio_outliers(sized_ratios: Sequence[tuple[float, Ratio]]) -> RatioOutliers:
    """Find outliers among ratios, each given with its problem's size."""
    if len(sized_ratios) < FEWEST_PROBLEMS:
        return RatioOutliers((), math.inf)
    ordered = sorted(sized_ratios, key=lambda pair: pair[0])
    values = [math.log(ratio.ratio) for _, ratio in ordered]
    distances = [value - median(_near(values, place)) for place, value in enumerate(values)]
    reach = max(FAR * SIGMA * median([abs(distance) for distance in distances]), math.log(LEAST_FAR))
    far = sorted(
        ((abs(distance), place) for place, distance in enumerate(distances) if abs(distance) > reach),
        key=lambda entry: (-entry[0], entry[1]),
    )
    return RatioOutliers(tuple(ordered[place][1] for _, place in far), math.exp(reach))


def _near(values: Sequence[float], place: int) -> Sequence[float]:
    """Return the values of the problems nearest in size, as many smaller ones as larger ones; fewer at the ends."""
    half = max(LEAST_NEAR // 2, min(NEAR // 2, place, len(values) - 1 - place))
    first = max(0, min(place - half, len(values) - 2 * half - 1))
    return values[first : first + 2 * half + 1]
