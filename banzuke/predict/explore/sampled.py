"""Evaluates a model at any positions of a machine's sliders."""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np

from banzuke.plan.benchmark import Benchmark
from banzuke.predict.explore.axes import AXES, NOISE, Slider, factors
from banzuke.predict.explore.interpolant import Numbers
from banzuke.predict.hardware import PredictedMachine, hardware
from banzuke.predict.model import Call, Estimate, constants_of, forecast, model_of
from banzuke.words import message
from banzuke.words.errors import MessageError

FIXED = ("figure", "seconds", "peak")
"""Outputs whose logarithms are tabulated; the shares of the time by resource follow them."""
OTHER = "other"
INTERVAL_STOPS = 5
"""Numbers of nodes for which intervals are computed; each takes dozens of estimates."""
LEAST_CHANGE = 5e-4
"""Change of an output below which it does not count."""
MOST_ALTERNATIVES = 8


class Check(NamedTuple):
    """The model's outputs at one point."""

    positions: Sequence[float]
    stop: int
    outputs: Numbers


class Sampled:
    """The model's outputs at all stops, that is, numbers of nodes."""

    def __init__(
        self, benchmark: Benchmark, machine: PredictedMachine, stops: Sequence[int], call: Call | None = None
    ) -> None:
        self.benchmark, self.model = benchmark, model_of(benchmark)
        self.constants = {name: constant.value for name, constant in constants_of(self.model, machine).items()}
        self.machine, self.stops, self.call = machine, stops, call or {}
        self.metric = benchmark.metric_of(self.model.metric)
        self.resources: list[str] = [OTHER]
        self.chosen: dict[str, set[str]] = {}
        """Words that the model chose by itself, for settings that could also be given to it."""

    def estimate(self, nodes: int, scale: Mapping[str, float], call: Call | None = None) -> tuple[Estimate, float]:
        """Return the model's estimate and the peak in flop/s. Raises BanzukeError, also for an invalid figure."""
        machine = hardware(at_scale(self.machine, nodes, scale), self.constants)
        estimate = self.model.estimate(machine, call or self.call)
        if not (0 < estimate.figure < math.inf and 0 < estimate.seconds < math.inf):
            name = self.machine.name
            raise MessageError(message("unpredicted-nodes", benchmark=self.benchmark.name, nodes=nodes, name=name))
        for name, value in estimate.call.items():
            if isinstance(value, str) and name in self.model.settings:
                self.chosen.setdefault(name, set()).add(value)
        return estimate, machine.peak

    def __call__(self, axes: Sequence[Slider], positions: Sequence[float]) -> Numbers:
        scale = factors(axes, positions)
        return np.concatenate([self._outputs(*self.estimate(nodes, scale)) for nodes in self.stops])

    def at(self, axes: Sequence[Slider], positions: Sequence[float], stop: int) -> Numbers:
        return self._outputs(*self.estimate(self.stops[stop], factors(axes, positions)))

    def _outputs(self, estimate: Estimate, peak: float) -> Numbers:
        total = sum(estimate.resources.values()) or 1.0
        shares = {name: seconds / total for name, seconds in estimate.resources.items()}
        listed = [shares.pop(name, 0.0) for name in self.resources[1:]]
        fixed = (estimate.figure, estimate.seconds, peak if self.has_peak(peak) else 1.0)
        return np.array([*map(math.log, fixed), sum(shares.values()), *listed])

    def has_peak(self, peak: float) -> bool:
        """Return whether the figure is shown as a share of the peak, which may be unknown."""
        return self.metric.unit == "flop/s" and peak > 0

    def interval(self, axes: Sequence[Slider], positions: Sequence[float], stop: int) -> tuple[float, float]:
        """Return the interval's ends over the figure."""
        machine = at_scale(self.machine, self.stops[stop], factors(axes, positions))
        prediction = forecast(self.benchmark, machine, self.call, upgrades=False)
        return prediction.low / prediction.estimate.figure, prediction.high / prediction.estimate.figure

    def intervals(self, axes: Sequence[Slider], positions: Sequence[float]) -> Numbers:
        """Return intervals at all stops: a few are computed, the others interpolated over the logarithm of nodes."""
        chosen = sorted({round(at) for at in np.linspace(0, len(self.stops) - 1, INTERVAL_STOPS)})
        computed = np.array([self.interval(axes, positions, stop) for stop in chosen])
        logs = np.log(self.stops)
        return np.stack([np.interp(logs, logs[chosen], computed[:, end]) for end in (0, 1)], axis=1).ravel()

    def checks(self, axes: Sequence[Slider], number: int) -> list[Check]:
        draw = random.Random(1)  # noqa: S311  (the same points for the same table)
        checks = []
        for _ in range(number):
            positions = [draw.uniform(-1, 1) for _ in axes]
            stop = draw.randrange(len(self.stops))
            checks.append(Check(positions, stop, self.at(axes, positions, stop)))
        return checks

    def active(self) -> list[Slider]:
        """Return the axes that change any output, from the machine as described or from one of the extreme corners."""
        for axis in AXES:
            for end in (-1.0, 1.0):
                for nodes in self.stops:
                    estimate, _ = self.estimate(nodes, factors([axis], [end]))
                    self.resources += [name for name in estimate.resources if name not in self.resources]
        nominal = [axis.nominal for axis in AXES]
        corners = [nominal, [-1.0] * len(AXES), [1.0] * len(AXES)]
        moved = []
        for number, axis in enumerate(AXES):
            changes = []
            for corner in corners:
                sides = [self(AXES, [*corner[:number], side, *corner[number + 1 :]]) for side in (-1.0, 1.0)]
                changes.append(float(np.max(np.abs(sides[1] - sides[0]))))
            if max(changes) > LEAST_CHANGE:
                moved.append(axis)
        return moved

    def alternatives(self) -> list["Sampled"]:
        """Return one for each combination of choices that the model made so far, each fixed; itself where it made none.

        A figure has kinks where the choice changes; each alternative is smooth.
        """
        open_ = {name: sorted(values) for name, values in self.chosen.items() if len(values) > 1}
        calls = [{**self.call, **dict(zip(open_, values, strict=True))} for values in product(*open_.values())]
        if not 1 < len(calls) <= MOST_ALTERNATIVES:
            return [self]
        alternatives = []
        for call in calls:
            alternative = Sampled(self.benchmark, self.machine, self.stops, call)
            alternative.resources = self.resources
            alternatives.append(alternative)
        return alternatives


def at_scale(machine: PredictedMachine, nodes: int, scale: Mapping[str, float]) -> PredictedMachine:
    """Return this many nodes of a machine of one partition, with changed properties and noise, if any."""
    (name,) = machine.nodes
    noise = NOISE if scale["noise"] else None
    changes = {key: factor for key, factor in scale.items() if factor or key != "noise"}
    return replace(machine, nodes={name: nodes}, changes=changes, noise=noise)
