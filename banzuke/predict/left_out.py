"""What is predicted of public machines by constants that know nothing of them: `machines/left_out.csv`.

`scripts/fit_predictions.py` writes it. Intervals follow from it by conformal prediction: so far off as nine of ten
figures were, each predicted without its own machine; of a family that nobody knows, without its family.
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
"""That an interval holds the figure, if the machine is like those of the lists."""
FEWEST = 3
"""Machines of a family from which on its interval is as usual: fewer do not tell how unlike a further one is."""
INSTALMENT = re.compile(r"-(20\d\d-\d\d|\d+-nodes|\d+-racks)$")
"""Ends ids of one machine at several times."""


@dataclass(frozen=True)
class LeftOut:
    """One public figure."""

    benchmark: str
    machine: str
    kind: str
    """Whether it was measured on processors or on devices."""
    family: str
    nodes: int
    published: float
    predicted: float
    """By constants that are fitted to all figures, this one too."""
    machine_out: float
    family_out: float
    linear: float
    """As many times what one node is predicted to do without its machine; NaN: one alone cannot be predicted."""
    share: float
    """By the median share of the peak of the family's other machines, else of the kind's."""
    everybody: float
    """By what is assumed of everybody: as of a description from which not even a group follows."""

    @property
    def own(self) -> str:
        """The machine, whichever of its instalments it was measured on."""
        return INSTALMENT.sub("", self.machine)

    def error(self, way: str) -> float:
        """Predicted over published, less 1; `way`: which of the numbers."""
        return float(getattr(self, way)) / self.published - 1

    def score(self, way: str) -> float:
        """How far off it is, as a logarithm; `way`: which of the numbers."""
        return abs(math.log(float(getattr(self, way)) / self.published))


@cache
def left_out() -> tuple[LeftOut, ...]:
    """All public figures; none before anything is fitted."""
    if not FILE.exists():
        return ()
    rows = list(read_table(FILE))
    texts = {"benchmark", "machine", "kind", "family"}
    numbers = [{name: float(text or math.nan) for name, text in row.items() if name not in texts} for row in rows]
    return tuple(
        LeftOut(**{name: row[name] for name in texts}, **{**values, "nodes": int(values["nodes"])})  # type: ignore[arg-type]
        for row, values in zip(rows, numbers, strict=True)
    )


def half_width(benchmark: str, kind: str, nodes: int, *, family_seen: bool, group_seen: bool = True) -> float | None:
    """Half of the interval's width, as a logarithm; None: of this benchmark no public figures are known.

    Who is less known never has the narrower one. Beyond the most nodes that a figure is of it grows with each doubling.
    """
    figures = [figure for figure in left_out() if (figure.benchmark, figure.kind) == (benchmark, kind)]
    if not figures:
        return None
    most_nodes = max(figure.nodes for figure in figures)
    widening = 1 + max(0.0, math.log2(nodes / most_nodes))
    ways = ("machine_out", *(() if family_seen else ("family_out",)), *(() if group_seen else ("everybody",)))
    return widening * max(conformal_quantile([figure.score(way) for figure in figures]) for way in ways)


def conformal_quantile(scores: Sequence[float]) -> float:
    """The least that a further score does not exceed with the stated probability, if it is like these."""
    rank = math.ceil((len(scores) + 1) * PROBABILITY)
    return sorted(scores)[min(rank, len(scores)) - 1]


def coverage_as_printed(figures: Sequence[LeftOut]) -> float:
    """Share of figures that lie in the interval which would be printed by who knows all other machines alone."""
    held = 0
    for figure in figures:
        others = [other for other in figures if other.own != figure.own]
        relatives = {other.own for other in others if figure.family and other.family == figure.family}
        ways = ("machine_out",) if len(relatives) >= FEWEST else ("machine_out", "family_out")
        half = max(conformal_quantile([other.score(way) for other in others]) for way in ways)
        held += figure.score("machine_out" if relatives else "family_out") <= half
    return held / len(figures)


@dataclass(frozen=True)
class ErrorsOfClass:
    """Sizes of errors."""

    median: float
    most_of_ten: float
    """Nine of ten are smaller."""
    worst: float


def errors_of(figures: Sequence[LeftOut], way: str) -> ErrorsOfClass | None:
    """None: none of these figures has it."""
    sizes = [abs(error) for error in (figure.error(way) for figure in figures) if not math.isnan(error)]
    if not sizes:
        return None
    most_of_ten = quantiles(sizes, n=10, method="inclusive")[-1] if len(sizes) > 1 else sizes[0]
    return ErrorsOfClass(median(sizes), most_of_ten, max(sizes))
