"""Predicts machines to which nothing is fitted: `machines/blind.csv` and `machines/blind-small.csv`."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from banzuke import paths
from banzuke.errors import BanzukeError
from banzuke.machine.public import public_machines
from banzuke.machine.published import PublishedFigure, PublishedMachine
from banzuke.machine.site import Partition
from banzuke.plan.benchmark import Benchmark
from banzuke.predict.calibration import class_of
from banzuke.predict.families import families_of
from banzuke.predict.model import forecast, model_of
from banzuke.predict.validate import machine_of

FILE, SMALL_FILE = "blind.csv", "blind-small.csv"


@dataclass(frozen=True)
class Blind:
    """A figure of a machine to which nothing is fitted, and its prediction."""

    benchmark: str
    machine: PublishedMachine
    kind: str
    """Whether processors or devices computed, or that it is a small machine."""
    family: str
    """Empty: unknown."""
    nodes: int
    published: float
    predicted: float
    low: float
    high: float

    @property
    def error(self) -> float:
        """Return predicted over published, less 1."""
        return self.predicted / self.published - 1

    @property
    def within(self) -> bool:
        return self.low <= self.published <= self.high


def blind_figures(benchmarks: Mapping[str, Benchmark], *files: str) -> list[Blind]:
    """Return all figures of the machines that were kept back, of these files, by benchmark. Raises BanzukeError."""
    figures = [
        _blind(benchmarks[figure.benchmark], machine, figure)
        for file in files or (FILE, SMALL_FILE)
        for machine in public_machines(paths.MACHINES / file)
        for figure in machine.figure
    ]
    return sorted(figures, key=lambda blind: (blind.benchmark, blind.kind))


def _blind(benchmark: Benchmark, machine: PublishedMachine, figure: PublishedFigure) -> Blind:
    call, predicted = model_of(benchmark).published(figure), machine_of(machine, figure)
    if isinstance(call, str) or isinstance(predicted, str) or not isinstance(machine.part, Partition):
        raise BanzukeError(f"{machine.id}: no prediction follows from its line", why=f"{call} {predicted}")
    prediction = forecast(benchmark, predicted, call, upgrades=False)
    family = families_of(machine.part)[prediction.kind]
    return Blind(
        benchmark.name,
        machine,
        class_of(predicted, prediction.kind),
        family.name,
        prediction.nodes,
        figure.value or math.nan,
        prediction.estimate.figure,
        prediction.low,
        prediction.high,
    )
