"""Compares measurements with predictions for cases of a run, and finds the number that could explain a difference.

A case is predicted from the machine's description and from what other benchmarks of the run measured, with its own
parameters, ranks, threads and hosts. Unknown rates are not guessed: such a case is not predicted.
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
from banzuke.plan.wording import unpredicted_reason
from banzuke.predict.constants import Constant
from banzuke.predict.hardware import SCALES, Hardware, PredictedMachine, hardware
from banzuke.predict.measured import measured_machine
from banzuke.predict.model import Call, Estimate, Forecast, Model, constants_of, forecast, model_of
from banzuke.record.model import Record
from banzuke.record.state import CROWDED
from banzuke.words import Listed, Message, Share, declared, message
from banzuke.words.errors import said_by

PLAUSIBLE = {
    "flops": 1.1,
    "memory.bandwidth": 1.15,
    "link.bandwidth": 1.3,
    "link.latency": 2.0,
    "host_link": 1.2,
    "storage.bandwidth": 1.3,
    "noise": 2.0,
}
"""Range by which each number of SCALES, measured or printed, may well be wrong, as a factor. Memory is left out because
the size of the problem is known, and spread because it is a constant."""
MOST_RANGES = 3.0
"""Largest plausible error of a number, in ranges."""
FARTHEST_RANGES = 12.0
"""Largest error, in ranges, within which an explanation is sought."""
LEAST_SHARE = 0.05
"""Least share of a constant's value when it is lowered beyond its range: most constants divide something."""
SEARCH_STEPS = 12
"""Halvings in the search for the value that explains a measurement, to about a thousandth of a range."""


@runtime_checkable
class Recorded(Protocol):
    """A model that reads the benchmark's settings from a record itself, because its own settings have other names."""

    def recorded(self, record: Record) -> Call | Message:
        """Return the settings, or why they cannot be told."""
        ...


@dataclass(frozen=True)
class Explanation:
    """One number that would make the prediction agree with the measurement if it were different."""

    name: str
    """A name in SCALES, or of a constant."""
    title: Message
    """Title for the middle of a sentence: `memory bandwidth`."""
    factor: float
    """Factor by which it would have to be larger."""
    ranges: float
    """The same change in ranges within which the number lies on most machines."""

    @property
    def plausible(self) -> bool:
        return abs(self.ranges) <= MOST_RANGES


@dataclass(frozen=True)
class PhaseSeconds:
    """A part of a case's time, predicted and measured."""

    name: str
    predicted: float
    measured: float


@dataclass(frozen=True)
class Disturbance:
    """A known disturbance of a case, which may explain a difference without any wrong number."""

    kind: Taker | Literal["shared"]
    """Who took processors from the case; `shared`: its own threads took them from each other."""
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
    """The measured figure."""
    phases: tuple[PhaseSeconds, ...]
    """Parts of the time where record and model both have a breakdown, the largest difference first."""
    explanation: Explanation | None = None
    """Explanation of the difference; None: the prediction holds, no single number explains it, or the case was
    disturbed."""
    disturbance: Disturbance | None = None
    """Disturbance; None: the prediction holds, the figure is better than predicted, or none is known."""

    @property
    def worse(self) -> bool:
        """Return whether the measurement is worse than predicted."""
        return self.ratio < 1 if self.figure.better == "higher" else self.ratio > 1

    @property
    def ratio(self) -> float:
        """Measured over predicted."""
        return self.figure.value / self.forecast.estimate.figure

    @property
    def large(self) -> bool:
        """Return whether the prediction's interval and that of the launches are disjoint."""
        low, high = self.figure.interval or (self.figure.value, self.figure.value)
        return high < self.forecast.low or low > self.forecast.high


@dataclass(frozen=True)
class Unpredicted:
    """A case that is not predicted although its benchmark has a model."""

    why: Message | str


def residuals(
    assessments: Sequence[Assessment],
    machine: Machine,
    ceilings: Sequence[Ceiling],
    benchmarks: Mapping[str, Benchmark],
) -> list[Residual | Unpredicted | None]:
    """Compare each case of a run with its prediction, by the rates in the same state of the machine.

    None: it is not verified, or nothing says why it is not predicted.
    """
    records = [record for assessment in assessments for record in assessment.records]
    compared: list[Residual | Unpredicted | None] = []
    for assessment in assessments:
        benchmark = benchmarks.get(assessment.record.benchmark)
        of_its_state = assessment.ceilings or ceilings
        rates = _rates(assessment.record, records, machine, of_its_state, benchmarks) if benchmark else []
        compared.append(_residual(assessment, machine, rates, benchmark) if benchmark else None)
    return compared


def _rates(
    record: Record,
    records: Iterable[Record],
    machine: Machine,
    ceilings: Sequence[Ceiling],
    benchmarks: Mapping[str, Benchmark],
) -> list[Ceiling]:
    """Return the rates that other benchmarks measured; those with as many cores of a host come first.

    A limit may use the rate of all cores for a few, which cannot exceed it, but a prediction may not.
    """
    others = {name: benchmark for name, benchmark in benchmarks.items() if name != record.benchmark}
    cores = record.cores // record.nodes
    alike = [other for other in records if other.benchmark in others and other.cores // other.nodes == cores]
    partial = cores < machine.allotment.allowed_cores
    of_as_many = ceilings_of(alike, machine, others) if partial else ()
    of_its_own = _predicted_rates(benchmarks[record.benchmark])
    return [
        *(ceiling for ceiling in of_as_many if ceiling.kind == "measured" and ceiling.threads == cores),
        *(ceiling for ceiling in ceilings if ceiling.resource.name not in of_its_own),
    ]


def _predicted_rates(benchmark: Benchmark) -> set[str]:
    """Return the resources whose rates follow from the figure that is to be predicted."""
    metric = model_of(benchmark).metric if benchmark.model else ""
    return {resource.name for resource in benchmark.resources.measures if resource.metric in ("", metric)}


def _residual(
    assessment: Assessment, machine: Machine, rates: Sequence[Ceiling], benchmark: Benchmark
) -> Residual | Unpredicted | None:
    if assessment.record.status != "ok":
        return None
    if benchmark.model is None:
        return Unpredicted(unpredicted_reason(benchmark)) if benchmark.unpredicted else None
    try:
        return _compared(assessment, measured_machine(machine, rates, assessment.record), benchmark)
    except BanzukeError as error:
        return Unpredicted(said_by(error))
    except Exception as error:  # noqa: BLE001  (a record may hold anything, and a report is written all the same)
        return Unpredicted(fault(error))


def _compared(assessment: Assessment, machine: PredictedMachine, benchmark: Benchmark) -> Residual | Unpredicted | None:
    model = model_of(benchmark)
    call = call_of(model, assessment.record)
    if isinstance(call, Message):
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
    """Return what took processors from a case, as it recorded it; None: nothing significant."""
    if assessment.crowded:
        return Disturbance("shared")
    taken = [finding for finding in assessment.causes if finding.taker and finding.weight >= CROWDED]
    worst = max(taken, key=lambda finding: finding.weight, default=None)
    if worst is None:
        return None
    share = worst.message.facts.get("share")
    return Disturbance(worst.taker, share.value if isinstance(share, Share) else None)


def call_of(model: Model, record: Record) -> Call | Message:
    """Return the benchmark's settings in the record's case, or why they cannot be told."""
    if isinstance(model, Recorded):
        return model.recorded(record)
    ranks = math.ceil(record.ranks / record.nodes)  # per node
    settings = {**record.parameters, "ranks": ranks, "mpi_per_node": ranks, "threads": record.threads}
    return {name: value for name, value in settings.items() if name in model.settings}


def _unknown(machine: Hardware) -> Unpredicted | None:
    """Return the rates that are unknown, by name; None: all are known."""
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
    """Return the title of a name in SCALES."""
    return declared(f"residual-scale-{name.replace('.', '-')}", SCALES[name])


def _phases(record: Record, figure: Figure, estimate: Estimate) -> tuple[PhaseSeconds, ...]:
    """Return the phases, predicted for as much work as was measured: a faster run of fixed time does more work."""
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
    """A record's case as a model was asked about it, so that it can be asked again with one number changed."""

    record: Record
    model: Model
    on: PredictedMachine
    call: Call
    constants: Mapping[str, Constant]

    def factor(self, name: str, ranges: float) -> float:
        """Return the factor on a number that is increased by this many of its ranges."""
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
    """Return the constant increased by this many ranges; it stays above 0, and a share does not exceed 1."""
    width = constant.high - constant.value if ranges > 0 else constant.value - constant.low
    most = 1.0 if constant.unit == "1" and constant.high <= 1 else math.inf
    least = min(constant.low, LEAST_SHARE * constant.value)
    return min(most, max(least, constant.value + ranges * width))


def _explanation(case: _Case, residual: Residual) -> Explanation | None:
    """Return the number that needs the smallest change, in its ranges, to explain the measurement.

    Where the record has a breakdown, the change must also bring the phases nearer to the measured ones.
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
    """Return whether the change that explains the figure also brings the phases nearer to the measured ones."""
    phases = _phases(case.record, residual.figure, case.estimate(name, ranges))
    return not residual.phases or sum(map(_apart, phases)) < sum(map(_apart, residual.phases))


def _needed(case: _Case, name: str, residual: Residual, within: float) -> float | None:
    """Return by how many ranges the number must change; None: more than `within`, in either direction."""
    nominal, wanted = residual.forecast.estimate.figure, residual.figure.value

    def enough(ranges: float) -> bool:
        try:
            reached = case.estimate(name, ranges).figure
        except (BanzukeError, ArithmeticError):  # a model need not be valid so far from what is known
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
