"""Predictions of public machines by constants fitted without them: `machines/left_out.csv`.

`scripts/fit_predictions.py` writes it. Intervals follow from it by conformal prediction: they are as wide as the errors
of nine of ten figures, each predicted without its own machine, or for an unknown family without its whole family.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from statistics import median, quantiles

from banzuke import paths
from banzuke.machine.tables import read_table

FILE = paths.MACHINES / "left_out.csv"
PROBABILITY = 0.9
"""Probability that an interval holds the figure, if the machine is like those in the lists."""
FEWEST = 3
"""Least number of a family's machines for a usual interval; fewer do not show how much a further one may differ."""
ENOUGH = 9
"""Least number of errors that show nine of ten."""
INSTALMENT = re.compile(r"-(20\d\d-\d\d|\d+-nodes|\d+-racks)$")
"""End of an id that names one of several stages of a machine."""


@dataclass(frozen=True)
class LeftOut:
    """One public figure with its predictions."""

    benchmark: str
    machine: str
    kind: str
    """Whether it was measured on processors or on devices."""
    family: str
    nodes: int
    published: float
    predicted: float
    """Prediction by constants fitted to all figures, including this one."""
    machine_out: float
    family_out: float
    linear: float
    """Nodes times the prediction for one node, without its machine; NaN: a single node cannot be predicted."""
    share: float
    """Prediction by the median share of the peak of the family's other machines, else of the kind's."""
    everybody: float
    """Prediction by the values assumed for all, as for a description from which not even a group follows."""

    @property
    def own(self) -> str:
        """The machine, regardless of the stage in which it was measured."""
        return INSTALMENT.sub("", self.machine)

    def error(self, way: str) -> float:
        """Return predicted over published, less 1; `way`: name of the prediction."""
        return float(getattr(self, way)) / self.published - 1

    def score(self, way: str) -> float:
        """Return the absolute error as a logarithm; `way`: name of the prediction."""
        return abs(math.log(float(getattr(self, way)) / self.published))


@cache
def left_out() -> tuple[LeftOut, ...]:
    """Return all public figures; none before anything is fitted."""
    if not FILE.exists():
        return ()
    rows = list(read_table(FILE))
    texts = {"benchmark", "machine", "kind", "family"}
    numbers = [{name: float(text or math.nan) for name, text in row.items() if name not in texts} for row in rows]
    return tuple(
        LeftOut(**{name: row[name] for name in texts}, **{**values, "nodes": int(values["nodes"])})  # type: ignore[arg-type]
        for row, values in zip(rows, numbers, strict=True)
    )


def half_width(benchmark: str, kind: str, nodes: int, *, relatives: int, group_seen: bool = True) -> float | None:
    """Return half of the interval's width, as a logarithm; None: no public figures of this benchmark are known.

    `relatives`: machines of the family that are known. The interval never becomes narrower for lesser known machines.
    It widens with each doubling beyond the largest number of nodes of any figure.
    """
    figures = [figure for figure in left_out() if (figure.benchmark, figure.kind) == (benchmark, kind)]
    if not figures:
        return None
    most_nodes = max(figure.nodes for figure in figures)
    widening = 1 + max(0.0, math.log2(nodes / most_nodes))
    half = _half_of_class(figures, relatives)
    if not group_seen:
        half = max(half, conformal_quantile([figure.score("everybody") for figure in figures]))
    return widening * half


def _half_of_class(figures: Sequence[LeftOut], relatives: int) -> float:
    """Return half of the width that these figures of one class give for a machine with this many relatives.

    It follows from figures that were predicted with as much knowledge: of machines with relatives, for a rare family
    of machines with few of them (of all, where these are too few), and for an unknown family of all machines without
    their families.
    """
    related = {figure: count_relatives(figure, figures) for figure in figures}
    kept = [figure.score("machine_out") for figure in figures if related[figure] > 0]
    halves = [conformal_quantile(kept)] if kept else []
    few = [figure.score("machine_out") for figure in figures if 0 < related[figure] < FEWEST]
    if relatives < FEWEST:
        every = [figure.score("machine_out") for figure in figures]
        halves.append(conformal_quantile(few if len(few) >= ENOUGH else every))
    if relatives == 0 or not halves:
        halves.append(conformal_quantile([figure.score("family_out") for figure in figures]))
    return max(halves)


def count_relatives(figure: LeftOut, figures: Sequence[LeftOut]) -> int:
    """Return how many other machines of its family these figures have."""
    return len({other.own for other in figures if _is_relative(figure, other) and other.own != figure.own})


def _is_relative(figure: LeftOut, other: LeftOut) -> bool:
    return bool(figure.family) and other.family == figure.family


def conformal_quantile(scores: Sequence[float]) -> float:
    """Return the smallest bound that a similar further score meets with the stated probability."""
    rank = math.ceil((len(scores) + 1) * PROBABILITY)
    return sorted(scores)[min(rank, len(scores)) - 1]


def coverage_as_printed(figures: Sequence[LeftOut], way: str = "machine_out") -> float:
    """Return the share of figures inside the interval that would be printed from all other machines alone.

    `way`: `family_out` leaves out the whole family of each, too.
    """
    held = 0
    for figure in figures:
        others = [other for other in figures if other.own != figure.own]
        if way == "family_out":
            others = [other for other in others if not _is_relative(figure, other)]
        relatives = count_relatives(figure, others)
        held += figure.score("machine_out" if relatives else "family_out") <= _half_of_class(others, relatives)
    return held / len(figures)


@dataclass(frozen=True)
class ErrorsOfClass:
    """Statistics of absolute errors."""

    median: float
    most_of_ten: float
    """Nine of ten errors are smaller."""
    worst: float


def errors_of(figures: Sequence[LeftOut], way: str) -> ErrorsOfClass | None:
    """Return the statistics; None: none of these figures has this prediction."""
    sizes = [abs(error) for error in (figure.error(way) for figure in figures) if not math.isnan(error)]
    if not sizes:
        return None
    most_of_ten = quantiles(sizes, n=10, method="inclusive")[-1] if len(sizes) > 1 else sizes[0]
    return ErrorsOfClass(median(sizes), most_of_ten, max(sizes))
