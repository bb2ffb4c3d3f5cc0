"""What a model says of one machine wherever its sliders stand, as a table that a page interpolates."""

import math
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

MOST_POINTS = 300
TOLERANCE = 5e-4
"""Deviation of a figure's logarithm at which refinement ends."""
CHECKED = 200
"""Points at random, at which the error is measured."""
INTERVALS_CHECKED_EVERY = 10
"""Every so many of these points its interval is compared, too."""
GOOD = 0.01
"""Error at 99% of the points above which a second family of functions is tried."""
INTERVAL_POINTS = 30
INTERVAL_TOLERANCE = 5e-3
BEYOND = 1024
"""Nodes up to which a machine is predicted whose description has one, or does not say how many."""
STEPS = {"log": 1e-5, "share": 1e-3}
"""What 1 stands for in the page's coefficients."""
_SHARES_COUNT = 0.2
"""How much a deviation of a share counts, beside one of the logarithm of the figure."""


@dataclass(frozen=True)
class Dot:
    """A published figure."""

    nodes: int
    value: float
    printed: str
    where: str
    predicted: float
    """Predicted for the machine as described, with what was asked of the benchmark as far as it is printed."""


class Spread(NamedTuple):
    """How errors are distributed."""

    median: float
    worst_but_few: float
    """99% of the errors are at most this."""
    worst: float


@dataclass(frozen=True)
class Deviation:
    """How far the table is off the model, at points drawn at random from all positions of the sliders."""

    points: int
    figure: Spread
    """Over the figure."""
    share: Spread
    """Error of a resource's share of the time, the worst at each point, in shares of that time."""
    interval_points: int
    """So many of the points."""
    interval: Spread
    """Error of an end of the interval, the worse at each point, over the figure."""


@dataclass(frozen=True)
class Alternative:
    """Tables of one way in which the benchmark can be called; the model takes the one with the best figure."""

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
    """Numbers of nodes: no others are asked for."""
    axes: Sequence[Slider]
    """Those that move anything."""
    resources: Sequence[str]
    has_peak: bool
    alternatives: Sequence[Alternative]
    best: int
    """1 where more is better, else -1."""
    remarks: Sequence[str]
    """What the model had to assume."""
    dots: Sequence[Dot]
    deviation: Deviation | None = None
    """None: not measured yet."""

    def at(self, stop: int, positions: Sequence[float]) -> Numbers:
        """Outputs: logarithms of the FIXED, then shares."""
        return self._best(stop, positions)[1]

    def interval_at(self, stop: int, positions: Sequence[float]) -> tuple[float, float]:
        """Low and high over the figure, which lies between them."""
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
    """Fills the table by the model. Raises BanzukeError naming what the description lacks."""
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
    """An interpolant with coefficients as the page has them, so that errors are those of the page."""
    importance = np.tile([1.0, 1.0, 1.0] + [_SHARES_COUNT] * len(sampled.resources), len(sampled.stops))
    nominal = [axis.nominal for axis in axes]
    interpolant = interpolate(lambda at: sampled(axes, at), family, nominal, most, TOLERANCE, importance)
    return replace(interpolant, coefficients=_rounded(interpolant.coefficients, steps(sampled.resources)))


def _errors(table: Interpolant, sampled: Sampled, checks: Sequence[Check]) -> list[float]:
    logarithms = [table(check.positions).reshape(len(sampled.stops), -1)[check.stop][0] for check in checks]
    return [abs(math.expm1(figure - check.outputs[0])) for figure, check in zip(logarithms, checks, strict=True)]


def steps(resources: Sequence[str]) -> list[float]:
    """What 1 stands for in the coefficients of each output."""
    return [STEPS["log"]] * len(FIXED) + [STEPS["share"]] * len(resources)


def _rounded(coefficients: Numbers, step: Sequence[float]) -> Numbers:
    """As the page has them, so that the deviation is that of the page."""
    unit = np.tile(step, coefficients.shape[1] // len(step))
    rounded: Numbers = np.round(coefficients / unit) * unit
    return rounded


def grown(machine: PredictedMachine) -> tuple[PredictedMachine, int]:
    """A machine that is one node as far as is known, so many times; and how many nodes it has."""
    ((name, _),) = machine.nodes.items()
    partition = machine.site.partitions[name]
    if partition.nodes is not None and partition.nodes > 1:
        return machine, partition.nodes
    partitions = {**machine.site.partitions, name: partition.having(nodes=None)}
    return replace(machine, site=machine.site.having(partitions=partitions)), BEYOND


def _stops(benchmark: Benchmark, machine: PredictedMachine, largest: int, dots: Sequence[Dot]) -> list[int]:
    """Powers of 2, all nodes, and those of published figures, as far as these can be predicted.

    Raises BanzukeError where nothing can.
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
        except BanzukeError:  # the model's own validation says why
            continue
        where = f"{figure.report}, {figure.where}"
        dots.append(Dot(figure.nodes, figure.value, figure.as_printed or "", where, predicted.figure))
    return dots


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
    """None below 0, and 1 together."""
    positive = np.maximum(shares, 0.0)
    whole: Numbers = positive / (positive.sum() or 1.0)
    return whole
