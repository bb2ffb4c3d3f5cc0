"""Ratios over a collection, one side's figures over the other's: what the machines' rates suggest, and what stands out.

Sparse work lies between two bounds: at best one side is as much faster as its arithmetic, or as its memory. Small
problems follow neither, and neither does one that a cache holds on one side alone.
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
"""Problems nearest in size, whose median a ratio is held against: it changes with the size."""
LEAST_NEAR = 7
"""At the ends."""
FEWEST_PROBLEMS = 6
"""Problems below which none stands out."""
FAR = 3.0
"""Robust standard deviations of all ratios about these medians, beyond which one stands out."""
LEAST_FAR = 1.1
"""Times: what is nearer to its median is noise, however even the others are."""


def find_roof(assessment: Assessment, machine: Machine, resource: str, kind: str) -> Roof | None:
    """The rate of the part of the machine that a case used, in the state that it ran in; None: it is not known."""
    ceilings = [_without_matrices(ceiling, machine) for ceiling in assessment.ceilings]
    roof = Capacities(assessment.record, machine, ceilings, {}).roof(Demand(resource=resource, amount=1.0), kind)
    return roof if isinstance(roof, Roof) else None


def _without_matrices(ceiling: Ceiling, machine: Machine) -> Ceiling:
    """The matrix units of devices do nothing for sparse work."""
    if not ceiling.devices or ceiling.kind != "theoretical":
        return ceiling
    alone = partition_alone(machine, ceiling.partition)
    peaks = peak_of_devices(ceiling.resource, alone, ceiling.partition, matrices=False)
    return next((peak for peak in peaks if peak.device == ceiling.device), ceiling)


@dataclass(frozen=True)
class RatioLine:
    """One side's rate of a resource over the other's."""

    of: str
    """`peak`: theoretical rate of arithmetic; `memory`: measured rate of the memory."""
    mine: Roof | None
    theirs: Roof | None

    @property
    def value(self) -> float | None:
        """None: a side's rate is not known."""
        return self.mine.rate / self.theirs.rate if self.mine and self.theirs else None


def ratio_lines(ratio: Ratio, mine: Machine, theirs: Machine) -> tuple[RatioLine, ...]:
    """The lines for a ratio, by the rates in the states that both sides ran in."""
    here, there = ratio.member.assessment, ratio.against.assessment
    return tuple(
        RatioLine(name, find_roof(here, mine, resource, kind), find_roof(there, theirs, resource, kind))
        for name, resource, kind in (("peak", FLOPS, "theoretical"), ("memory", MOVED, "measured"))
    )


@dataclass(frozen=True)
class RatioCounts:
    """Where ratios lie by their lines."""

    below: int
    between: int
    above: int


def counted(lined_ratios: Collection[tuple[Ratio, Sequence[RatioLine]]]) -> RatioCounts | None:
    """Count ratios by the lines of each; None: a line is missing."""
    below = above = 0
    for ratio, lines in lined_ratios:
        rates = [line.value for line in lines if line.value is not None]
        if len(rates) < len(lines):
            return None
        below += ratio.ratio < min(rates)
        above += ratio.ratio > max(rates)
    return RatioCounts(below, len(lined_ratios) - below - above, above)


def cached(ratio: Ratio) -> str:
    """Which sides' last-level caches hold the problem: `neither`, `mine`, `theirs`, `both`; empty: unknown."""
    here, there = ratio.member.place, ratio.against.place
    if here is None or there is None:
        return ""
    names = {(False, False): "neither", (True, False): "mine", (False, True): "theirs", (True, True): "both"}
    return names[here == "in cache", there == "in cache"]


@dataclass(frozen=True)
class RatioOutliers:
    """Ratios far from those of problems of the same size."""

    found: tuple[Ratio, ...]
    """The farthest first."""
    beyond: float
    """Times the median, or a part of it, from which one stands out."""


def ratio_outliers(sized_ratios: Sequence[tuple[float, Ratio]]) -> RatioOutliers:
    """Find those among ratios, each with its problem's size."""
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
    """The values of the problems nearest in size, as many smaller ones as larger ones; fewer at the ends."""
    half = max(LEAST_NEAR // 2, min(NEAR // 2, place, len(values) - 1 - place))
    first = max(0, min(place - half, len(values) - 2 * half - 1))
    return values[first : first + 2 * half + 1]
