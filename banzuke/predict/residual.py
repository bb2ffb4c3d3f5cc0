"""What was measured over what its model predicts, for cases of a run; and which number, were it another, explains that.

A case is predicted from the machine's description and what other benchmarks of the run measured, with its own
parameters, ranks, threads and hosts. A rate that nobody knows is not guessed: such a case is not predicted.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol, runtime_checkable

from banzuke.errors import BanzukeError
from banzuke.judge.assess import fault
from banzuke.judge.finding import Taker
from banzuke.judge.model import Assessment, Figure
from banzuke.limit.ceilings import ceilings as ceilings_of
from banzuke.limit.model import Ceiling
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.predict.constants import Constant
from banzuke.predict.hardware import SCALES, Hardware, PredictedMachine, UndescribedError, hardware
from banzuke.predict.measured import measured_machine
from banzuke.predict.model import Call, Estimate, Forecast, Model, constants_of, forecast, model_of
from banzuke.record.model import Record
from banzuke.record.state import CROWDED
from banzuke.words import Listed, Message, Share, declared, message

PLAUSIBLE = {
    "flops": 1.1,
    "memory.bandwidth": 1.15,
    "link.bandwidth": 1.3,
    "link.latency": 2.0,
    "host_link": 1.2,
    "storage.bandwidth": 1.3,
    "noise": 2.0,
}
"""How far a number of SCALES that was measured or printed may well be off, as a factor: one range. Not the memory, for
the size of the problem is known; the spread is a constant."""
MOST_RANGES = 3.0
"""Ranges by which a number may plausibly be off."""
FARTHEST_RANGES = 12.0
"""Ranges within which one is sought that would have to be off by more than that."""
LEAST_SHARE = 0.05
"""Share of a constant that is the least it is moved to below its range: most divide something."""
SEARCH_STEPS = 12
"""Halvings in the search for the number that explains a measurement: to a thousandth of a range or so."""


@runtime_checkable
class Recorded(Protocol):
    """A model that reads from a record what was asked of the benchmark, because its settings have other names."""

    def recorded(self, record: Record) -> Call | str:
        """Or why that cannot be told."""
        ...


@dataclass(frozen=True)
class Explanation:
    """One number which, being another, would bring the prediction to the measurement."""

    name: str
    """A name of SCALES, or of a constant."""
    title: Message
    """In the middle of a sentence: `memory bandwidth`."""
    factor: float
    """By which it would have to be larger."""
    ranges: float
    """How far that is, in ranges in which the number lies on most machines."""

    @property
    def plausible(self) -> bool:
        return abs(self.ranges) <= MOST_RANGES


@dataclass(frozen=True)
class PhaseSeconds:
    """A part of a case's time; of both sides, as far as they know it by the same name."""

    name: str
    predicted: float
    measured: float


@dataclass(frozen=True)
class Disturbance:
    """What is known to have held a case back, so that no number of its prediction need be wrong."""

    kind: Taker | Literal["shared"]
    """Who took processors from it; `shared`: its own threads, from one another."""
    share: float | None = None
    """Share of the processors' time; None: unknown."""

    @property
    def message(self) -> Message:
        """`other processes, which used 73.3% of the processors`"""
        share = Share(self.share or 0.0)
        return message("residual-disturbance", kind=self.kind, known="no" if self.share is None else "yes", share=share)


@dataclass(frozen=True)
class Residual:
    forecast: Forecast
    figure: Figure
    """That was measured."""
    phases: tuple[PhaseSeconds, ...]
    """Where the record and the model have a breakdown; the largest difference first."""
    explanation: Explanation | None = None
    """None: the prediction holds, no single number can be so far off, or it was disturbed."""
    disturbance: Disturbance | None = None
    """None: the prediction holds, the figure is better than predicted, or nothing is known to have held it back."""

    @property
    def worse(self) -> bool:
        """Than predicted."""
        return self.ratio < 1 if self.figure.better == "higher" else self.ratio > 1

    @property
    def ratio(self) -> float:
        """Measured over predicted."""
        return self.figure.value / self.forecast.estimate.figure

    @property
    def large(self) -> bool:
        """Whether the interval of the prediction and that of the launches have nothing in common."""
        low, high = self.figure.interval or (self.figure.value, self.figure.value)
        return high < self.forecast.low or low > self.forecast.high


@dataclass(frozen=True)
class Unpredicted:
    """A case of a benchmark that has a model, which is not predicted."""

    why: Message | str


def residuals(
    assessments: Sequence[Assessment],
    machine: Machine,
    ceilings: Sequence[Ceiling],
    benchmarks: Mapping[str, Benchmark],
) -> list[Residual | Unpredicted | None]:
    """What was measured over what is predicted, of each case of a run; None: it did not verify, or has no model."""
    records = [record for assessment in assessments for record in assessment.records]
    return [
        _residual(assessment, machine, _rates(assessment.record, records, machine, ceilings, benchmarks), benchmark)
        if (benchmark := benchmarks.get(assessment.record.benchmark)) is not None
        else None
        for assessment in assessments
    ]


def _rates(
    record: Record,
    records: Iterable[Record],
    machine: Machine,
    ceilings: Sequence[Ceiling],
    benchmarks: Mapping[str, Benchmark],
) -> list[Ceiling]:
    """Rates that other benchmarks measured: those measured on as many cores of a host first.

    A limit may take the rate of all cores for that of a few, which they may not exceed; a prediction may not.
    """
    others = {name: benchmark for name, benchmark in benchmarks.items() if name != record.benchmark}
    cores = record.cores // record.nodes
    alike = [other for other in records if other.benchmark in others and other.cores // other.nodes == cores]
    partial = cores < machine.allotment.allowed_cores
    of_as_many = ceilings_of(alike, machine, others) if partial else ()
    of_its_own = {resource.name for resource in benchmarks[record.benchmark].resources.measures}
    return [
        *(ceiling for ceiling in of_as_many if ceiling.kind == "measured" and ceiling.threads == cores),
        *(ceiling for ceiling in ceilings if ceiling.resource.name not in of_its_own),
    ]


def _residual(
    assessment: Assessment, machine: Machine, rates: Sequence[Ceiling], benchmark: Benchmark
) -> Residual | Unpredicted | None:
    if benchmark.model is None or assessment.record.status != "ok":
        return None
    try:
        return _compared(assessment, measured_machine(machine, rates, assessment.record), benchmark)
    except UndescribedError as error:
        return Unpredicted(error.said)
    except BanzukeError as error:
        return Unpredicted(error.problem + (f" ({error.why})" if error.why else ""))
    except Exception as error:  # noqa: BLE001  (a record may hold anything, and a report is written all the same)
        return Unpredicted(fault(error))


def _compared(assessment: Assessment, machine: PredictedMachine, benchmark: Benchmark) -> Residual | Unpredicted | None:
    model = model_of(benchmark)
    call = call_of(model, assessment.record)
    if isinstance(call, str):
        return Unpredicted(call)
    constants = constants_of(model, machine)
    nominal = hardware(machine, {name: constant.value for name, constant in constants.items()})
    estimate = model.estimate(nominal, call)
    if not (math.isfinite(estimate.figure) and estimate.figure > 0):
        return _unknown(nominal) or Unpredicted(message("residual-not-finite"))
    figure = next((figure for figure in assessment.figures if figure.metric == (estimate.metric or model.metric)), None)
    if figure is None or not figure.value > 0:
        return None
    residual = Residual(forecast(benchmark, machine, call), figure, _phases(assessment.record, figure, estimate))
    if not residual.large:
        return residual
    if residual.worse and (disturbance := disturbance_of(assessment)):
        return replace(residual, disturbance=disturbance)
    return replace(
        residual, explanation=_explanation(_Case(assessment.record, model, machine, call, constants), residual)
    )


def disturbance_of(assessment: Assessment) -> Disturbance | None:
    """What took processors from a case, as it recorded it; None: nothing took enough to count."""
    if assessment.crowded:
        return Disturbance("shared")
    taken = [finding for finding in assessment.causes if finding.taker and finding.weight >= CROWDED]
    worst = max(taken, key=lambda finding: finding.weight, default=None)
    if worst is None:
        return None
    share = worst.message.facts.get("share")
    return Disturbance(worst.taker, share.value if isinstance(share, Share) else None)


def call_of(model: Model, record: Record) -> Call | str:
    """What the record's case asked of the benchmark; or why that cannot be told."""
    if isinstance(model, Recorded):
        return model.recorded(record)
    ranks = math.ceil(record.ranks / record.nodes)  # of a node
    settings = {**record.parameters, "ranks": ranks, "mpi_per_node": ranks, "threads": record.threads}
    return {name: value for name, value in settings.items() if name in model.settings}


def _unknown(machine: Hardware) -> Unpredicted | None:
    """The rates that nobody knows, by name; None: all are known."""
    missing = {
        "flops": any(not group.host.dgemm > 0 for group in machine.groups),
        "memory.bandwidth": any(
            not engine.bandwidth > 0 for group in machine.groups for engine in (group.host, *group.devices)
        ),
        "link.bandwidth": machine.nodes > 1 and not machine.fabric.bandwidth > 0,
        "host_link": any(not device.host_link > 0 for group in machine.groups for device in group.devices),
    }
    titles = tuple(title_of(name) for name, is_missing in missing.items() if is_missing)
    return Unpredicted(message("residual-unknown", rates=Listed(titles))) if titles else None


def title_of(name: str) -> Message:
    """The title of a number of SCALES."""
    return declared(f"residual-scale-{name.replace('.', '-')}", SCALES[name])


def _phases(record: Record, figure: Figure, estimate: Estimate) -> tuple[PhaseSeconds, ...]:
    """Phases, predicted for as much work as was measured: what runs for a given time does more where it is faster."""
    measured = {name: sum(seconds) for name, seconds in (record.breakdown.seconds if record.breakdown else {}).items()}
    predicted = estimate.phases
    if not measured.keys() & predicted.keys() or not sum(predicted.values()) > 0:
        return ()
    slower = estimate.figure / figure.value if figure.better == "higher" else figure.value / estimate.figure
    alike = sum(measured.values()) / slower / sum(predicted.values())
    phases = [
        PhaseSeconds(name, alike * predicted.get(name, 0.0), measured.get(name, 0.0))
        for name in {**measured, **predicted}
    ]
    return tuple(sorted((phase for phase in phases if phase.predicted or phase.measured), key=_apart, reverse=True))


def _apart(phase: PhaseSeconds) -> float:
    return abs(phase.measured - phase.predicted)


@dataclass(frozen=True)
class _Case:
    """What a model was asked of a record's case, to ask it again with one number changed."""

    record: Record
    model: Model
    on: PredictedMachine
    call: Call
    constants: Mapping[str, Constant]

    def factor(self, name: str, ranges: float) -> float:
        """The factor of a number that is so many of its ranges higher."""
        if name in PLAUSIBLE:
            return math.pow(PLAUSIBLE[name], ranges)
        return moved(self.constants[name], ranges) / self.constants[name].value

    def estimate(self, name: str, ranges: float) -> Estimate:
        factor = self.factor(name, ranges)
        values = {key: constant.value for key, constant in self.constants.items()}
        if name in PLAUSIBLE:
            return self.model.estimate(hardware(self.on, values, {name: factor}), self.call)
        return self.model.estimate(hardware(self.on, {**values, name: values[name] * factor}), self.call)

    def title(self, name: str) -> Message:
        if name in PLAUSIBLE:
            return title_of(name)
        return declared(f"residual-constant-{name.replace('.', '-')}", self.constants[name].title)


def moved(constant: Constant, ranges: float) -> float:
    """The constant, so many of its ranges higher; it stays above 0 where its range does, and no share exceeds 1."""
    width = constant.high - constant.value if ranges > 0 else constant.value - constant.low
    most = 1.0 if constant.unit == "1" and constant.high <= 1 else math.inf
    least = min(constant.low, LEAST_SHARE * constant.value)
    return min(most, max(least, constant.value + ranges * width))


def _explanation(case: _Case, residual: Residual) -> Explanation | None:
    """The number that needs the smallest change, in units of its range, among those that the figure moves with.

    Where the record has a breakdown, none that would take time from the wrong phase or give it to one.
    """
    best: Explanation | None = None
    for name in dict.fromkeys(swing.name for swing in residual.forecast.swings):
        if name not in PLAUSIBLE and not (name in case.constants and case.constants[name].value > 0):
            continue
        needed = _needed(case, name, residual, abs(best.ranges) if best else FARTHEST_RANGES)
        if needed is not None and _fits(case, name, needed, residual):
            best = Explanation(name, case.title(name), case.factor(name, needed), needed)
    return best


def _fits(case: _Case, name: str, ranges: float, residual: Residual) -> bool:
    """Whether the phases come nearer to the measured ones by the change that brings the figure to the measured one."""
    phases = _phases(case.record, residual.figure, case.estimate(name, ranges))
    return not residual.phases or sum(map(_apart, phases)) < sum(map(_apart, residual.phases))


def _needed(case: _Case, name: str, residual: Residual, within: float) -> float | None:
    """By how many ranges the number must change; None: by more than `within`, whichever way."""
    nominal, wanted = residual.forecast.estimate.figure, residual.figure.value

    def enough(ranges: float) -> bool:
        try:
            reached = case.estimate(name, ranges).figure
        except (BanzukeError, ArithmeticError):  # no model is asked to be right so far from what is known
            return False
        return min(nominal, reached) <= wanted <= max(nominal, reached)

    for way in (-1, 1):
        if not enough(way * within):
            continue
        near, far = 0.0, within
        for _ in range(SEARCH_STEPS):
            middle = (near + far) / 2
            near, far = (near, middle) if enough(way * middle) else (middle, far)
        return way * far
    return None
