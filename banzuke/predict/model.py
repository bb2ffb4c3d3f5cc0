"""Predicts a benchmark's figure and how far the prediction can be trusted.

Each benchmark has its model in its folder (`Benchmark.model`), which computes one estimate from plain numbers. How the
estimate changes with each number, and so its interval, is computed alike for all models.
"""

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable

from banzuke.amounts import Scalar
from banzuke.errors import BanzukeError
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.declared import DeclaredModel
from banzuke.plan.wording import unpredicted_reason
from banzuke.predict.calibration import calibrate, kind_of
from banzuke.predict.constants import SHARED, Constant
from banzuke.predict.families import adapt, families_of
from banzuke.predict.hardware import SCALES, Hardware, PredictedMachine, hardware, missing_lines
from banzuke.predict.left_out import PROBABILITY
from banzuke.predict.undescribed import UndescribedError
from banzuke.words import Message, message
from banzuke.words.errors import MessageError

Call = Mapping[str, Scalar]
"""Settings of a benchmark, such as n, nb, p, q; a model chooses missing ones as the benchmark's policy does."""
BETTER = 1.1
"""Factor by which each described number is improved, to find the most effective upgrade."""
OF_ALL = {"n", "p", "q"}
"""Settings of all nodes together, which do not apply to a single one."""
IMPROVED_BY_LESS = {"link.latency", "spread", "noise"}


@dataclass(frozen=True)
class Estimate:
    """A model's result for one call on one machine."""

    figure: float
    """Predicted value in the unit of the model's metric."""
    seconds: float
    """Duration of the benchmark's timed part."""
    phases: Mapping[str, float]
    """Seconds of each part of that time that is not hidden, named as in the benchmark's breakdown if it has one."""
    resources: Mapping[str, float]
    """Seconds of these spent waiting for each resource: flops.fp64, memory.bytes, link.bytes, latency, spread."""
    call: Call
    """Settings that were asked for, and those that the model chose."""
    remarks: tuple[Message, ...] = ()
    """Assumptions that the reader must know of."""
    metric: str | None = None
    """Name of the benchmark's metric, where the call selects another one than the model's."""
    peak: float | None = None
    """Peak in the figure's unit, where it is not the nodes' flop rate; None: there is none, or it is unknown."""

    @property
    def bound_by(self) -> str:
        return max(self.resources, key=lambda name: self.resources[name])


@runtime_checkable
class Model(DeclaredModel, Protocol):
    """A model that predicts one metric of a benchmark."""

    constants: Mapping[str, Constant]
    """Its own constants; their names begin with the benchmark's: `hpl.swap`."""

    def estimate(self, machine: Hardware, call: Call) -> Estimate:
        """Return the estimate. Raises BanzukeError naming what is impossible: N beyond the memory, too many ranks."""
        ...


@runtime_checkable
class NetworkModel(Model, Protocol):
    """A model whose messages take longer on a described network, by `Fabric.congestion`."""

    def ranks(self, nodes: int, call: Call) -> int:
        """Return the number of all ranks; `call`: that of an estimate, with what the model chose."""
        ...


@runtime_checkable
class MeasuredModel(Model, Protocol):
    """A model that takes other measurements of a report, so that its errors on reports say less about descriptions."""

    measured_settings: frozenset[str]
    """Its settings that are measurements."""


@dataclass(frozen=True)
class Swing:
    """The change of a figure with one number."""

    name: str
    title: str
    low: float
    """The figure at the low end of the number's range."""
    high: float
    uncertain: bool
    """Whether the number is uncertain and so contributes to the figure's interval; else it is a possible upgrade."""


@dataclass(frozen=True)
class Forecast:
    """A predicted figure with all that is shown about it."""

    benchmark: str
    metric: str
    unit: str
    more_is_better: bool
    of: str
    nodes: int
    estimate: Estimate
    low: float
    """Lower end of the interval from the uncertain numbers, taken as independent."""
    high: float
    naive: float | None
    """Number of nodes times the figure of one node; None: one node alone cannot be predicted."""
    peak: float | None
    """Peak in the figure's unit; None: it has none."""
    joules: float | None
    swings: Sequence[Swing] = field(default=())
    """Sensitivities, largest first."""
    probability: float | None = None
    """Probability that the interval holds the figure; None: unknown."""
    kind: str = ""
    """Whether processors or devices compute."""


class UnpredictedError(MessageError):
    """Nothing predicts a benchmark, for a reason that it declares."""

    def __init__(self, benchmark: Benchmark, remedy: str = "") -> None:
        problem = message("unpredicted-benchmark", name=benchmark.name)
        super().__init__(problem, why=unpredicted_reason(benchmark), remedy=remedy)


def model_of(benchmark: Benchmark) -> Model:
    """Return the benchmark's model. Raises BanzukeError."""
    if benchmark.model is None:
        raise UnpredictedError(benchmark)
    model = benchmark.model()
    if not isinstance(model, Model):
        raise BanzukeError(f"{benchmark.name}: MODEL in its model.py is no model", why="it cannot estimate")
    return model


def constants_of(model: Model, machine: PredictedMachine | None = None) -> dict[str, Constant]:
    """Return the constants for all machines, or, for a described machine of one family, those of its family.

    Those of a mixed machine are adapted partition by partition (`hardware`). A run's machine gets none by family,
    because its peaks are already at the measured clock.
    """
    constants = {**SHARED, **model.constants}
    if machine is None or machine.measured or machine.mixed:
        return constants
    return adapt(constants, families_of(machine.site.partitions[next(iter(machine.nodes))]))


def forecast(
    benchmark: Benchmark,
    machine: PredictedMachine,
    call: Call,
    constants: Mapping[str, Constant] | None = None,
    *,
    upgrades: bool = True,
    uncertain: bool = True,
) -> Forecast:
    """Predict a figure. `constants` replace the model's. Raises BanzukeError.

    Without `upgrades` or `uncertain`, the numbers of that kind are not varied, which is faster.
    """
    model = model_of(benchmark)
    assumed = constants or constants_of(model, machine)
    values = {name: constant.value for name, constant in assumed.items()}
    nominal = hardware(machine, values)
    estimate = estimated(model, nominal, call)
    metric = benchmark.metric_of(estimate.metric or model.metric)

    def figure(changed: Mapping[str, float], scale: Mapping[str, float]) -> float:
        """Return the figure; NaN where the call becomes impossible, such as N beyond a smaller memory."""
        try:
            return model.estimate(hardware(machine, {**values, **changed}, scale), call).figure
        except BanzukeError:
            return math.nan

    swings = [
        Swing(name, constant.title, figure({name: constant.low}, {}), figure({name: constant.high}, {}), True)
        for name, constant in assumed.items()
        if uncertain and constant.low < constant.high
    ]
    for name, title in SCALES.items() if upgrades else ():
        worse, better = (BETTER, 1 / BETTER) if name in IMPROVED_BY_LESS else (1 / BETTER, BETTER)
        swings.append(Swing(name, title, figure({}, {name: worse}), figure({}, {name: better}), False))
    moved = (
        replace(swing, low=_or_nominal(swing.low, estimate), high=_or_nominal(swing.high, estimate)) for swing in swings
    )
    swings = [swing for swing in moved if not math.isclose(swing.low, swing.high, rel_tol=1e-6)]
    swings.sort(key=lambda swing: -abs(swing.high - swing.low))
    stated = calibrate(benchmark.name, model, machine, nominal, call, estimate.call) if uncertain else None
    factor = stated.factor if stated else None
    below = math.hypot(*(max(0.0, estimate.figure - min(s.low, s.high)) for s in swings if s.uncertain), 0.0)
    above = math.hypot(*(max(0.0, max(s.low, s.high) - estimate.figure) for s in swings if s.uncertain), 0.0)
    return Forecast(
        benchmark.name,
        metric.name,
        metric.unit,
        metric.better == "higher",
        machine.name,
        nominal.nodes,
        replace(estimate, remarks=(*estimate.remarks, *stated.remarks)) if stated else estimate,
        estimate.figure / factor if factor else max(0.0, estimate.figure - below),
        estimate.figure * factor if factor else estimate.figure + above,
        linear(model, machine, values, call, estimate) if metric.better == "higher" else None,
        (nominal.peak or None) if metric.unit == "flop/s" else estimate.peak,
        None if nominal.power is None else nominal.power * estimate.seconds,
        swings,
        PROBABILITY if factor else None,
        kind_of(nominal, estimate.call),
    )


def estimated(model: Model, machine: Hardware, call: Call) -> Estimate:
    """Return the model's estimate. Raises BanzukeError, also where the description lacks a necessary number."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # NumPy's about unknown numbers, which are reported below
        estimate = model.estimate(machine, call)
    if not (math.isfinite(estimate.figure) and estimate.figure > 0):
        if lines := missing_lines(machine):
            remedy = f"Add to the partition, or give by --with: {'; '.join(lines)}"
            raise UndescribedError(machine.name, "numbers from which a figure follows", remedy=remedy)
        why = message("unpredicted-not-finite", value=f"{estimate.figure:g}")
        raise MessageError(message("unpredicted-no-figure", name=machine.name), why=why)
    return estimate


def _or_nominal(figure: float, estimate: Estimate) -> float:
    return figure if math.isfinite(figure) else estimate.figure


def linear(
    model: Model, machine: PredictedMachine, values: Mapping[str, float], call: Call, estimate: Estimate
) -> float | None:
    """Return nodes times the figure of one node with its own choices; None: one node cannot be predicted alone."""
    if sum(machine.nodes.values()) == 1:
        return estimate.figure
    own = {key: value for key, value in call.items() if key not in OF_ALL}
    try:
        figures = {
            name: model.estimate(hardware(replace(machine, nodes={name: 1}), values), own).figure
            for name in machine.nodes
        }
    except BanzukeError:
        return None
    return sum(nodes * figures[name] for name, nodes in machine.nodes.items())
