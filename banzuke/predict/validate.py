"""Compares published figures with predictions, by one set of constants for all machines.

For comparison there are two predictions without a model: the number of nodes times the prediction for one node, and the
share of the peak that the other machines reach.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from banzuke.errors import BanzukeError
from banzuke.machine.published import MEASURED, Kind, PublishedFigure, PublishedMachine
from banzuke.machine.site import Partition, StorageArea
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.wording import unpredicted_reason
from banzuke.predict.hardware import PredictedMachine
from banzuke.predict.model import Forecast, MeasuredModel, forecast, model_of
from banzuke.units import count

NOT_MEASURED: Mapping[Kind, str] = {
    "projection": "a projection, not a measurement",
    "ratio": "a ratio of two figures, not a measurement",
    "specification": "a specification, not a measurement",
    "model": "computed by a model, not measured",
    "target": "a target, not a measurement",
    "bound": "a bound, not a measurement",
    "rounded": "another figure, rounded",
    "derived": "computed from other figures",
    "graph-only": "only in a graph",
}
NOWHERE = "nodes not printed"
SHORT_VALUE = 30
"""Most characters of a parameter that is used to distinguish figures."""


@dataclass(frozen=True)
class Validated:
    """A published figure and its prediction."""

    benchmark: str
    machine: str
    """Id of the machine."""
    name: str
    what: str
    """The part of the machine that was measured: `4,800 nodes`."""
    metric: str
    unit: str
    printed: float | None
    """Published value; None: it is only in a graph, or given as a percentage."""
    share: float | None
    """Share of the peak; None: it has none, or it is unknown."""
    baseline: float | None
    """Prediction by the median share of the other machines' figures; None: there are no others."""
    forecast: Forecast | None
    left_out: str
    """Reason why nothing was predicted; empty where it was."""
    excused: bool
    """Whether the reason is a missing or contradictory number in the report."""
    where: str
    figure: PublishedFigure
    refitted_error: float | None = None
    """Error of the model if its constants were fitted to the other machines' figures; None also without intervals."""
    intervals: bool = True
    """Whether the prediction has an interval."""

    @property
    def error(self) -> float | None:
        return self._error_of(self.forecast.estimate.figure if self.forecast else None)

    @property
    def naive_error(self) -> float | None:
        """Error of the linear extrapolation; None also for a single node."""
        return self._error_of(self.forecast.naive if self.forecast and self.forecast.nodes > 1 else None)

    @property
    def baseline_error(self) -> float | None:
        return self._error_of(self.baseline)

    @property
    def within(self) -> bool | None:
        """Return whether the interval holds the published figure; None also where it was not asked for."""
        if not self.intervals or self.forecast is None or self.printed is None:
            return None
        return self.forecast.low <= self.printed <= self.forecast.high

    def _error_of(self, predicted: float | None) -> float | None:
        return None if predicted is None or self.printed is None else predicted / self.printed - 1


@dataclass(frozen=True)
class Errors:
    """Absolute errors of one way to predict, as shares."""

    figures: int
    median: float
    worst: float

    @classmethod
    def of(cls, errors: Sequence[float | None]) -> "Errors | None":
        absolute = [abs(error) for error in errors if error is not None]
        return cls(len(absolute), median(absolute), max(absolute)) if absolute else None


@dataclass(frozen=True)
class Summary:
    """All figures of a benchmark together."""

    benchmark: str
    model: Errors
    within: int | None
    """Figures inside their intervals; None: they were predicted without."""
    several: Errors | None
    """Errors of the model, on figures of several nodes that have a linear extrapolation."""
    linear: Errors | None
    """Errors of the extrapolation, on the same figures."""
    comparable: Errors | None
    """Errors of the model, on figures that have a baseline."""
    baseline: Errors | None
    """Errors of the baseline, on the same figures."""
    refitted: Errors | None
    """Errors of the model with constants fitted to the other machines."""
    excused: int

    @property
    def beats_linear(self) -> bool | None:
        return None if self.several is None or self.linear is None else self.several.median < self.linear.median

    @property
    def beats_baseline(self) -> bool | None:
        return (
            None if self.comparable is None or self.baseline is None else self.comparable.median < self.baseline.median
        )


def validated(
    benchmarks: Mapping[str, Benchmark], machines: Sequence[PublishedMachine], *, intervals: bool = True
) -> list[Validated]:
    """Return all published figures of these benchmarks, each with its prediction or the reason why it has none.

    Without `intervals`, neither intervals nor fits are computed, which is faster.
    """
    figures: list[Validated] = []
    for benchmark in benchmarks.values():
        every = [
            _without_baseline(benchmark, machine, figure, intervals=intervals)
            for machine in machines
            for figure in machine.figure
            if figure.benchmark == benchmark.name
        ]
        every = [
            replace(figure, baseline=_baseline(figure, every), what=_what_measured(figure, every)) for figure in every
        ]
        figures += _refitted(every)
    return figures


def summaries(figures: Sequence[Validated]) -> list[Summary]:
    """Return errors by benchmark, with and without a model; benchmarks without a predicted figure are left out."""
    summarised = []
    for name in dict.fromkeys(figure.benchmark for figure in figures):
        own = [figure for figure in figures if figure.benchmark == name]
        predicted = [figure for figure in own if figure.forecast]
        model = Errors.of([figure.error for figure in predicted])
        if model is None:
            continue
        several = [figure for figure in predicted if figure.naive_error is not None]
        comparable = [figure for figure in predicted if figure.baseline_error is not None]
        summarised.append(
            Summary(
                name,
                model,
                _count_inside(predicted),
                Errors.of([figure.error for figure in several]),
                Errors.of([figure.naive_error for figure in several]),
                Errors.of([figure.error for figure in comparable]),
                Errors.of([figure.baseline_error for figure in comparable]),
                Errors.of([figure.refitted_error for figure in predicted]),
                sum(figure.excused for figure in own),
            )
        )
    return summarised


def _count_inside(predicted: Sequence[Validated]) -> int | None:
    return sum(bool(figure.within) for figure in predicted) if all(figure.intervals for figure in predicted) else None


def _refitted(every: Sequence[Validated]) -> Sequence[Validated]:
    """Add each figure's error by constants fitted to the others, for which intervals are needed."""
    observed = {
        number: (figure.machine, figure.printed, figure.forecast)
        for number, figure in enumerate(every)
        if figure.forecast and figure.forecast.swings and figure.printed is not None
    }
    if not observed:
        return every
    from banzuke.predict.refit import refitted_errors  # noqa: PLC0415  (brings NumPy)

    errors = dict(zip(observed, refitted_errors(list(observed.values())), strict=True))
    return [replace(figure, refitted_error=errors.get(number)) for number, figure in enumerate(every)]


def machine_of(machine: PublishedMachine, figure: PublishedFigure) -> PredictedMachine | str:
    """Return the machine that a figure was measured on, or what its source does not say."""
    site = machine.site
    printed = figure.parameters.get("nodes")
    if isinstance(printed, dict) and printed.keys() <= site.partitions.keys():
        nodes = {name: int(number) for name, number in printed.items()}
    elif isinstance(machine.part, Partition):
        own = next(name for name, part in site.partitions.items() if part is machine.part)
        nodes = {own: figure.nodes or 1}
    elif isinstance(machine.part, StorageArea):
        users = {name: part for name, part in site.partitions.items() if machine.id in part.mounts}
        if not users:
            return "which nodes reached the storage is not printed"
        name = max(users, key=lambda key: users[key].number or 0)
        nodes = {name: figure.nodes or users[name].number or 1}
    else:
        return "the nodes of each partition are not printed"
    direct = figure.parameters.get("gpu_direct")
    return PredictedMachine(machine.name, site, nodes, direct=direct if isinstance(direct, bool) else None)


def _without_baseline(
    benchmark: Benchmark, machine: PublishedMachine, figure: PublishedFigure, *, intervals: bool
) -> Validated:
    peak = machine.peak(figure, {resource.name for resource in benchmark.resources.measures})
    value = figure.value
    plain = Validated(
        benchmark.name,
        machine.id,
        machine.name,
        ", ".join(filter(None, (count(figure.nodes, "node") if figure.nodes else "", figure.part))) or NOWHERE,
        figure.metric,
        figure.unit,
        value,
        value / peak if peak and value is not None else None,
        None,
        None,
        "",
        False,
        machine.source(figure),
        figure,
        intervals=intervals,
    )
    if value is None or benchmark.model is None:
        why = unpredicted_reason(benchmark).english
        unknown = (
            f"{benchmark.name} is not predicted ({why})"
            if benchmark.model is None
            else f"no number is printed: {figure.note}"
        )
        return replace(plain, left_out=unknown, share=None)
    if out := no_figure(benchmark, machine, figure):
        return replace(plain, left_out=out, share=None)
    model = model_of(benchmark)
    call = model.published(figure)
    measured_on = machine_of(machine, figure) if not isinstance(call, str) else call
    if isinstance(measured_on, str) or isinstance(call, str):
        return replace(plain, left_out=str(measured_on), excused=True)
    if isinstance(model, MeasuredModel) and (measured := model.measured_settings & call.keys()):
        plain = replace(plain, what=f"{plain.what}, with the report's own {', '.join(sorted(measured)).capitalize()}")
    try:
        predicted = forecast(benchmark, measured_on, call, upgrades=False, uncertain=intervals)
    except BanzukeError as error:
        return replace(plain, left_out=str(error), excused=True)
    if predicted.metric != figure.metric:
        return replace(plain, left_out="the model predicts another figure", share=None)
    return replace(plain, forecast=predicted, share=plain.share or (value / predicted.peak if predicted.peak else None))


def no_figure(benchmark: Benchmark, machine: PublishedMachine, figure: PublishedFigure) -> str:
    """Return why this figure is not predicted, whatever the model; empty: it is."""
    if figure.kind not in MEASURED:
        return NOT_MEASURED[figure.kind]
    if figure.metric not in {metric.name for metric in benchmark.metrics}:
        return "not a metric of this benchmark"
    if machine.repeats(figure):
        return "the same as another figure of this machine"
    dates = [str(other.parameters["date"]) for other in machine.figure if "date" in other.parameters]
    if "date" in figure.parameters and str(figure.parameters["date"]) < max(dates):
        return "measured before the machine was changed to what is described"
    return ""


def _what_measured(entry: Validated, every: Sequence[Validated]) -> str:
    """Return what was measured, with a parameter that distinguishes it from the machine's similar figures."""
    alike = [
        other
        for other in every
        if (other.machine, other.metric, other.what) == (entry.machine, entry.metric, entry.what)
    ]
    own = {name: value for name, value in entry.figure.parameters.items() if isinstance(value, str)}
    telling = [
        f"{name} {value}"
        for name, value in own.items()
        if len(value) <= SHORT_VALUE and any(other.figure.parameters.get(name, value) != value for other in alike)
    ]
    return ", ".join([entry.what, *telling[:1]])


def _baseline(entry: Validated, every: Sequence[Validated]) -> float | None:
    """Return this machine's peak times the median share of the peak of the other machines' figures."""
    others = [
        other.share
        for other in every
        if other.machine != entry.machine and other.share and other.metric == entry.metric
    ]
    return (
        median(others) * entry.printed / entry.share
        if entry.forecast and entry.printed and entry.share and others
        else None
    )
