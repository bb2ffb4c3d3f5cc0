"""Predicts how much a noise slows down ranks that synchronise periodically, by the formula and the measured
distribution.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from banzuke.errors import BanzukeError
from banzuke.slowdown.noise import Delays, Measured, PeriodicNoise
from banzuke.slowdown.remarks import remarks
from banzuke.slowdown.synchronisation import SynchronisationPeriod

MARKS = (0.01, 0.1)
"""Slowdowns for which the number of ranks is reported."""
SIMULATED_PERIODS = 10_000


@dataclass(frozen=True)
class PredictionRow:
    ranks: int
    formula: float | None
    """None: there was no noise, or the formula does not hold."""
    measured: float | None
    """From the whole distribution; None: it was not given."""
    simulated: float | None
    bearable: float | None
    """The longest noise that keeps the wanted slowdown."""


@dataclass(frozen=True)
class NoiseSource:
    """A noise to predict from."""

    periodic: PeriodicNoise | None
    """The noise as the formula describes it; None: there is none."""
    measured: Measured | None = None
    """None: the noise was given as two numbers."""
    name: str = ""
    """Name of what was measured; empty: the noise was given."""
    about: str = ""

    @classmethod
    def of(cls, measured: Measured, name: str = "", about: str = "") -> "NoiseSource":
        return cls(measured.worst(), measured, name, about)

    def at(self, period: SynchronisationPeriod) -> "NoisePrediction":
        """Return the prediction for a period. Raises BanzukeError where nothing can be predicted for it."""
        return NoisePrediction(self, period, self.measured.over(period.seconds) if self.measured else None)


@dataclass(frozen=True)
class NoisePrediction:
    """A prediction for one noise and one period. Raises BanzukeError where there is only the formula, and it
    does not hold.
    """

    source: NoiseSource
    period: SynchronisationPeriod
    delays: Delays | None

    def __post_init__(self) -> None:
        if self.delays is None and self.source.periodic:
            self.source.periodic.slowdown(1, self.period.seconds)

    @cached_property
    def holds(self) -> PeriodicNoise | None:
        """Return the noise if the formula holds for the period; else None."""
        noise = self.source.periodic
        return noise if noise and self.period.seconds <= noise.interval else None

    def rows(self, wanted: Sequence[int], slowdown: float | None) -> list[PredictionRow]:
        """Return a row for each number of ranks; `slowdown`: the one for which the longest bearable noise is wanted."""
        seconds = self.period.seconds
        return [
            PredictionRow(
                count,
                self.holds.slowdown(count, seconds) if self.holds else None,
                self.delays.slowdown(count) if self.delays else None,
                self.delays.simulate(count, SIMULATED_PERIODS, seed=count) if self.delays else None,
                self.holds.bearable(slowdown, count, seconds) if self.holds and slowdown else None,
            )
            for count in wanted
        ]

    def slowdown(self, ranks: int) -> float:
        """Return the slowdown by the distribution where noise was measured, else by the formula."""
        if self.delays:
            return self.delays.slowdown(ranks)
        return self.holds.slowdown(ranks, self.period.seconds) if self.holds else 0.0

    def reached(self) -> dict[float, float | None]:
        """Return the ranks from which the formula gives each mark; None: no number does."""
        return {mark: self.holds.ranks_for(mark, self.period.seconds) if self.holds else None for mark in MARKS}

    def ranks_for(self, slowdown: float) -> float | None:
        """Return the ranks from which the slowdown is at least `slowdown`; None: no number gives it."""
        if self.delays:
            return self.delays.ranks_for(slowdown)
        return self.holds.ranks_for(slowdown, self.period.seconds) if self.holds else None

    @property
    def remarks(self) -> list[str]:
        measured = self.source.measured
        return remarks(self.holds, measured, self.delays) if measured and self.delays else []


def predictions(
    periods: Sequence[SynchronisationPeriod], sources: Sequence[NoiseSource]
) -> tuple[list[NoisePrediction], list[tuple[str, BanzukeError]]]:
    """Return a prediction for each period and noise, and the errors for those without one."""
    predicted: list[NoisePrediction] = []
    refused: list[tuple[str, BanzukeError]] = []
    for period, source in product(periods, sources):
        try:
            predicted.append(source.at(period))
        except BanzukeError as error:
            refused.append((", ".join(filter(None, (period.label, source.name))), error))
    return predicted, refused
