"""What predicts a benchmark's figure, and how far a prediction can be trusted.

Each benchmark's model stands in its folder (`Benchmark.model`). It computes one estimate from plain numbers; how the
estimate moves with each of them, and so its interval, is the same for all models.
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
from banzuke.predict.calibration import calibrate, kind_of
from banzuke.predict.constants import SHARED, Constant
from banzuke.predict.families import adapt, families_of
from banzuke.predict.hardware import SCALES, Hardware, PredictedMachine, UndescribedError, hardware, missing_lines
from banzuke.predict.left_out import PROBABILITY

Call = Mapping[str, Scalar]
"""What is asked of a benchmark: n, nb, p, q, ...; a model chooses the others as its benchmark's policy does."""
BETTER = 1.1
"""Factor by which each described number is improved, to find which upgrade buys most."""
OF_ALL = {"n", "p", "q"}
"""Settings that one node does not have as all of them together do."""
IMPROVED_BY_LESS = {"link.latency", "spread", "noise"}


@dataclass(frozen=True)
class Estimate:
    """What a model says of one call on one machine."""

    figure: float
    """In the unit of the model's metric."""
    seconds: float
    """That the benchmark's timed part takes."""
    phases: Mapping[str, float]
    """Seconds of each exposed part of that time, by the names of the benchmark's breakdown as far as it has one."""
    resources: Mapping[str, float]
    """Seconds of these in which each resource is waited for: flops.fp64, memory.bytes, link.bytes, latency, spread."""
    call: Call
    """What was asked, and what the model chose."""
    remarks: tuple[str, ...] = ()
    """What the reader must know of it: assumptions that it had to make."""
    metric: str | None = None
    """By the benchmark's name, where the call chose another than the model's."""
    peak: float | None = None
    """In the figure's unit, where it is not the nodes' flop rate; None: there is none, or it is unknown."""

    @property
    def bound_by(self) -> str:
        return max(self.resources, key=lambda name: self.resources[name])


@runtime_checkable
class Model(DeclaredModel, Protocol):
    """Predicts one metric of a benchmark."""

    constants: Mapping[str, Constant]
    """Its own; their names begin with the benchmark's: `hpl.swap`."""

    def estimate(self, machine: Hardware, call: Call) -> Estimate:
        """Raises BanzukeError naming what cannot be: N beyond the memory, more ranks than nodes hold."""
        ...


@dataclass(frozen=True)
class Swing:
    """How a figure moves with one number."""

    name: str
    title: str
    low: float
    """The figure at the low end of the number's range."""
    high: float
    uncertain: bool
    """Whether the number is not known exactly, so that the figure's interval follows from it; else an upgrade."""


@dataclass(frozen=True)
class Forecast:
    """A predicted figure: everything that is shown of it."""

    benchmark: str
    metric: str
    unit: str
    more_is_better: bool
    of: str
    nodes: int
    estimate: Estimate
    low: float
    """The lower end of the interval that the uncertain numbers leave, as if they were independent."""
    high: float
    naive: float | None
    """So many times the figure of one node; None: one node alone cannot be predicted."""
    peak: float | None
    """In the figure's unit; None: it has none."""
    joules: float | None
    swings: Sequence[Swing] = field(default=())
    """The largest first."""
    probability: float | None = None
    """That the interval holds the figure; None: it has none that is known."""
    kind: str = ""
    """What computes: processors or devices."""


def model_of(benchmark: Benchmark) -> Model:
    """Raises BanzukeError."""
    if benchmark.model is None:
        raise BanzukeError(f"{benchmark.name} has no model", why="nothing predicts its figures from a description")
    model = benchmark.model()
    if not isinstance(model, Model):
        raise BanzukeError(f"{benchmark.name}: MODEL in its model.py is no model", why="it cannot estimate")
    return model


def constants_of(model: Model, machine: PredictedMachine | None = None) -> dict[str, Constant]:
    """Everybody's; with a machine that is described, those of its families of processors and devices.

    Of a run's machine nothing is taken by its name: its peaks are at the clock that was measured.
    """
    constants = {**SHARED, **model.constants}
    if machine is None or machine.measured:
        return constants
    families = [families_of(machine.site.partitions[name]) for name in machine.nodes]
    return adapt(constants, families[0]) if all(own == families[0] for own in families) else constants


def forecast(
    benchmark: Benchmark,
    machine: PredictedMachine,
    call: Call,
    constants: Mapping[str, Constant] | None = None,
    *,
    upgrades: bool = True,
    uncertain: bool = True,
) -> Forecast:
    """`constants`: instead of the model's. Without `upgrades` or `uncertain` these are not moved, which is faster.

    Raises BanzukeError.
    """
    model = model_of(benchmark)
    assumed = constants or constants_of(model, machine)
    values = {name: constant.value for name, constant in assumed.items()}
    nominal = hardware(machine, values)
    estimate = estimated(model, nominal, call)
    metric = benchmark.metric_of(estimate.metric or model.metric)

    def figure(changed: Mapping[str, float], scale: Mapping[str, float]) -> float:
        """NaN where the call is then impossible, such as an N beyond less memory."""
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
    stated = calibrate(benchmark.name, machine, nominal, call, estimate.call) if uncertain else None
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
    """Raises BanzukeError, also where the description lacks a number without which there is no figure."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # NumPy's, of numbers that are unknown; that is told below
        estimate = model.estimate(machine, call)
    if not (math.isfinite(estimate.figure) and estimate.figure > 0):
        problem = f"no figure follows from the description of {machine.name}"
        if lines := missing_lines(machine):
            remedy = f"Add to the partition, or give by --with: {'; '.join(lines)}"
            raise UndescribedError(machine.name, "numbers from which a figure follows", remedy=remedy)
        raise BanzukeError(problem, why=f"what follows is {estimate.figure:g}")
    return estimate


def _or_nominal(figure: float, estimate: Estimate) -> float:
    return figure if math.isfinite(figure) else estimate.figure


def linear(
    model: Model, machine: PredictedMachine, values: Mapping[str, float], call: Call, estimate: Estimate
) -> float | None:
    """As many times the figure of one node, with what it chooses for itself; None: one cannot be predicted alone."""
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
