"""Tabulates what a model predicts for one machine over all slider positions, for a page that interpolates."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from banzuke.errors import BanzukeError
from banzuke.machine.published import PublishedFigure
from banzuke.plan.benchmark import Benchmark
from banzuke.predict.explore.axes import Slider, factors
from banzuke.predict.explore.interpolant import Family, Interpolant, Numbers, interpolate
from banzuke.predict.explore.sampled import FIXED, Check, Sampled
from banzuke.predict.hardware import PredictedMachine
from banzuke.predict.model import Call, model_of
from banzuke.words import Message

MOST_POINTS = 300
TOLERANCE = 5e-4
"""Deviation of a figure's logarithm at which refinement stops."""
CHECKED = 200
"""Random points at which the error is measured."""
INTERVALS_CHECKED_EVERY = 10
"""Stride of the points at which the interval is compared, too."""
GOOD = 0.01
"""Error at 99% of the points above which a second family of functions is tried."""
INTERVAL_POINTS = 30
INTERVAL_TOLERANCE = 5e-3
BEYOND = 1024
"""Most nodes for machines whose description has one node, or no number."""
STEPS = {"log": 1e-5, "share": 1e-3}
"""Steps in which the page's coefficients are given."""
_SHARES_COUNT = 0.2
"""Weight of a share's deviation relative to one of the figure's logarithm."""


@dataclass(frozen=True)
class Dot:
    """A published figure."""

    nodes: int
    value: float
    printed: str
    where: str
    predicted: float
    """Prediction for the machine as described, with the settings of the benchmark as far as they are printed."""


class Spread(NamedTuple):
    """The distribution of errors."""

    median: float
    worst_but_few: float
    """Bound on 99% of the errors."""
    worst: float


@dataclass(frozen=True)
class Deviation:
    """The deviation of the table from the model, at random positions of the sliders."""

    points: int
    figure: Spread
    """Error relative to the figure."""
    share: Spread
    """Largest error of a resource's share of the time at each point, as a share of that time."""
    interval_points: int
    """Number of points at which the interval was compared."""
    interval: Spread
    """Larger error of the interval's ends at each point, relative to the figure."""


@dataclass(frozen=True)
class Alternative:
    """Tables for one way to call the benchmark; the model takes the way with the best figure."""

    call: Call
    figures: Interpolant
    """Outputs of the first stop, then of the next, ..."""
    interval: Interpolant
    """Low end over the figure at each stop, and high end over it."""


@dataclass(frozen=True)
class ExplorationTable:
    benchmark: str
    metric: str
    unit: str
    stops: Sequence[int]
    """Numbers of nodes; the page offers no others."""
    axes: Sequence[Slider]
    """Axes that change any output."""
    resources: Sequence[str]
    has_peak: bool
    alternatives: Sequence[Alternative]
    best: int
    """1 where more is better, else -1."""
    remarks: Sequence[Message]
    """Assumptions that the model had to make."""
    dots: Sequence[Dot]
    deviation: Deviation | None = None
    """Measured deviation; None: not measured yet."""

    def at(self, stop: int, positions: Sequence[float]) -> Numbers:
        """Return the outputs: logarithms of the FIXED, then shares."""
        return self._best(stop, positions)[1]

    def interval_at(self, stop: int, positions: Sequence[float]) -> tuple[float, float]:
        """Return low and high over the figure, which lies between them."""
        alternative, _ = self._best(stop, positions)
        low, high = alternative.interval(positions).reshape(len(self.stops), -1)[stop]
        return min(1.0, max(0.0, float(low))), max(1.0, float(high))

    def _best(self, stop: int, positions: Sequence[float]) -> tuple[Alternative, Numbers]:
        answers = [
            (alternative, alternative.figures(positions).reshape(len(self.stops), -1)[stop])
            for alternative in self.alternatives
        ]
        return max(answers, key=lambda answer: self.best * float(answer[1][0]))


def tabulate(
    benchmark: Benchmark,
    machine: PredictedMachine,
    published: Sequence[PublishedFigure] = (),
    most: int = MOST_POINTS,
    checked: int = CHECKED,
) -> ExplorationTable:
    """Fill the table by the model. Raises BanzukeError naming what the description lacks."""
    machine, largest = grown(machine)
    dots = _dots(benchmark, machine, published, largest)
    sampled = Sampled(benchmark, machine, _stops(benchmark, machine, largest, dots))
    axes = sampled.active()
    checks = sampled.checks(axes, checked)
    described, peak = sampled.estimate(sampled.stops[-1], factors([], []))
    table = ExplorationTable(
        benchmark.name,
        sampled.metric.name,
        sampled.metric.unit,
        sampled.stops,
        axes,
        sampled.resources,
        sampled.has_peak(peak),
        [_alternative(alternative, axes, most, checked) for alternative in sampled.alternatives()],
        1 if sampled.metric.better == "higher" else -1,
        described.remarks,
        dots,
    )
    return replace(table, deviation=_deviation(table, sampled, checks))


def _alternative(sampled: Sampled, axes: Sequence[Slider], most: int, checked: int) -> Alternative:
    figures = _fitted(sampled, axes, "newton", most)
    checks = sampled.checks(axes, checked)
    error = _spread(_errors(figures, sampled, checks)).worst_but_few
    if error > GOOD:
        other = _fitted(sampled, axes, "hat", most)
        figures = min(
            figures, other, key=lambda interpolant: _spread(_errors(interpolant, sampled, checks)).worst_but_few
        )
    nominal = [axis.nominal for axis in axes]
    interval = interpolate(
        lambda at: sampled.intervals(axes, at),
        figures.family,
        nominal,
        INTERVAL_POINTS,
        INTERVAL_TOLERANCE,
        np.ones(1),
    )
    interval = replace(interval, coefficients=_rounded(interval.coefficients, [STEPS["share"]]))
    return Alternative(sampled.call, figures, interval)


def _fitted(sampled: Sampled, axes: Sequence[Slider], family: Family, most: int) -> Interpolant:
    """Return an interpolant with its coefficients rounded as in the page, so that its errors are the page's."""
    importance = np.tile([1.0, 1.0, 1.0] + [_SHARES_COUNT] * len(sampled.resources), len(sampled.stops))
    nominal = [axis.nominal for axis in axes]
    interpolant = interpolate(lambda at: sampled(axes, at), family, nominal, most, TOLERANCE, importance)
    return replace(interpolant, coefficients=_rounded(interpolant.coefficients, steps(sampled.resources)))


def _errors(table: Interpolant, sampled: Sampled, checks: Sequence[Check]) -> list[float]:
    logarithms = [table(check.positions).reshape(len(sampled.stops), -1)[check.stop][0] for check in checks]
    return [abs(math.expm1(figure - check.outputs[0])) for figure, check in zip(logarithms, checks, strict=True)]


def steps(resources: Sequence[str]) -> list[float]:
    """Return the step of each output's coefficients."""
    return [STEPS["log"]] * len(FIXED) + [STEPS["share"]] * len(resources)


def _rounded(coefficients: Numbers, step: Sequence[float]) -> Numbers:
    """Return the coefficients rounded as in the page, so that the deviation is the page's."""
    unit = np.tile(step, coefficients.shape[1] // len(step))
    rounded: Numbers = np.round(coefficients / unit) * unit
    return rounded


def grown(machine: PredictedMachine) -> tuple[PredictedMachine, int]:
    """Return a machine that may have many nodes although it describes one or none, and how many it has."""
    ((name, _),) = machine.nodes.items()
    partition = machine.site.partitions[name]
    if partition.nodes is not None and partition.nodes > 1:
        return machine, partition.nodes
    partitions = {**machine.site.partitions, name: partition.having(nodes=None)}
    return replace(machine, site=machine.site.having(partitions=partitions)), BEYOND


def _stops(benchmark: Benchmark, machine: PredictedMachine, largest: int, dots: Sequence[Dot]) -> list[int]:
    """Return powers of 2, all nodes, and the nodes of published figures, as far as these can be predicted.

    Raises BanzukeError where none can.
    """
    powers = [1 << power for power in range(largest.bit_length()) if 1 << power <= largest]
    stops: list[int] = []
    refused = None
    for nodes in sorted({*powers, largest, *(dot.nodes for dot in dots)}):
        try:
            Sampled(benchmark, machine, [nodes])([], [])
            stops.append(nodes)
        except BanzukeError as error:
            refused = refused or error
    if refused is not None and not stops:
        raise refused
    return stops


def _dots(
    benchmark: Benchmark, machine: PredictedMachine, published: Sequence[PublishedFigure], largest: int
) -> list[Dot]:
    model = model_of(benchmark)
    sampled = Sampled(benchmark, machine, [])
    dots = []
    for figure in published:
        if figure.benchmark != benchmark.name or figure.metric != model.metric or figure.kind != "measured":
            continue
        if figure.value is None or not isinstance(figure.nodes, int) or figure.nodes > largest:
            continue
        call = model.published(figure)
        if isinstance(call, str):
            continue
        try:
            predicted, _ = sampled.estimate(figure.nodes, factors([], []), call)
        except BanzukeError:  # the model's own validation reports why
            continue
        where = f"{figure.report}, {figure.where}"
        dots.append(Dot(figure.nodes, figure.value, _printed(figure), where, predicted.figure))
    return dots


def _printed(figure: PublishedFigure) -> str:
    """Return the figure as a report prints it; nothing where it is a number without a unit, as in lists."""
    printed = figure.as_printed or ""
    return printed if any(part.isalpha() for part in re.split(r"[\s/%]", printed)) else ""


def _deviation(table: ExplorationTable, sampled: Sampled, checks: Sequence[Check]) -> Deviation:
    figures, shares, intervals = [], [], []
    for number, check in enumerate(checks):
        outputs = table.at(check.stop, check.positions)
        figures.append(abs(math.expm1(outputs[0] - check.outputs[0])))
        shares.append(float(np.max(np.abs(shown(outputs[len(FIXED) :]) - check.outputs[len(FIXED) :]))))
        if number % INTERVALS_CHECKED_EVERY == 0:
            tabulated = table.interval_at(check.stop, check.positions)
            right = sampled.interval(table.axes, check.positions, check.stop)
            intervals.append(max(abs(a - b) for a, b in zip(tabulated, right, strict=True)))
    return Deviation(len(checks), _spread(figures), _spread(shares), len(intervals), _spread(intervals))


def _spread(errors: Sequence[float]) -> Spread:
    ordered = sorted(errors)
    return Spread(ordered[len(ordered) // 2], ordered[math.ceil(0.99 * len(ordered)) - 1], ordered[-1])


def shown(shares: Numbers) -> Numbers:
    """Return the shares made non-negative and summing to 1."""
    positive = np.maximum(shares, 0.0)
    whole: Numbers = positive / (positive.sum() or 1.0)
    return whole
