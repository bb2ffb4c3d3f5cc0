"""What one noise costs ranks that synchronise every so often, by the formula and by the measured distribution."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from banzuke.errors import BanzukeError
from banzuke.slowdown.noise import Delays, Measured, PeriodicNoise
from banzuke.slowdown.remarks import remarks
from banzuke.slowdown.synchronisation import SynchronisationPeriod

MARKS = (0.01, 0.1)
"""Slowdowns whose number of ranks is told."""
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
    """The longest noise for the slowdown that was asked for."""


@dataclass(frozen=True)
class NoiseSource:
    """A noise to predict from."""

    periodic: PeriodicNoise | None
    """As the formula takes it; None: there is none."""
    measured: Measured | None = None
    """None: it was given by two numbers."""
    name: str = ""
    """What was measured; empty: it was given."""
    about: str = ""

    @classmethod
    def of(cls, measured: Measured, name: str = "", about: str = "") -> "NoiseSource":
        return cls(measured.worst(), measured, name, about)

    def at(self, period: SynchronisationPeriod) -> "NoisePrediction":
        """Raises BanzukeError where nothing can be predicted for it."""
        return NoisePrediction(self, period, self.measured.over(period.seconds) if self.measured else None)


@dataclass(frozen=True)
class NoisePrediction:
    """For one noise and one period. Raises BanzukeError where only the formula is there and does not hold."""

    source: NoiseSource
    period: SynchronisationPeriod
    delays: Delays | None

    def __post_init__(self) -> None:
        if self.delays is None and self.source.periodic:
            self.source.periodic.slowdown(1, self.period.seconds)

    @cached_property
    def holds(self) -> PeriodicNoise | None:
        """The noise where the formula holds for the period."""
        noise = self.source.periodic
        return noise if noise and self.period.seconds <= noise.interval else None

    def rows(self, wanted: Sequence[int], slowdown: float | None) -> list[PredictionRow]:
        """A row for each wanted number of ranks; `slowdown`: for which the longest bearable noise is asked."""
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
        """By the distribution where it was measured, else by the formula."""
        if self.delays:
            return self.delays.slowdown(ranks)
        return self.holds.slowdown(ranks, self.period.seconds) if self.holds else 0.0

    def reached(self) -> dict[float, float | None]:
        """Ranks from which the formula gives each mark; None: no number."""
        return {mark: self.holds.ranks_for(mark, self.period.seconds) if self.holds else None for mark in MARKS}

    def ranks_for(self, slowdown: float) -> float | None:
        """Ranks from which `slowdown` gives so much; None: no number does."""
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
    """One for each period and noise, and for which there can be none."""
    predicted: list[NoisePrediction] = []
    refused: list[tuple[str, BanzukeError]] = []
    for period, source in product(periods, sources):
        try:
            predicted.append(source.at(period))
        except BanzukeError as error:
            refused.append((", ".join(filter(None, (period.label, source.name))), error))
    return predicted, refused
