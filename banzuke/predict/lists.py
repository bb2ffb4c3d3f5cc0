"""Relates figures of lists and reports to the constants fitted by family, and predicts each by a fit without it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

import numpy as np

from banzuke.errors import BanzukeError
from banzuke.machine.public import known_machines, small_machines
from banzuke.machine.published import PublishedFigure, PublishedMachine
from banzuke.machine.site import Partition
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.capabilities import PriorSpread
from banzuke.predict.by_family import DEVICES, PROCESSORS, SMALL, by_family
from banzuke.predict.families import FittedFamily, ProcessorFamily, families_of, strip_names
from banzuke.predict.hardware import PredictedMachine, hardware
from banzuke.predict.left_out import INSTALMENT, LeftOut
from banzuke.predict.model import Call, constants_of, linear, model_of
from banzuke.predict.pooled import Elsewhere, Numbers, Pooled, Response, fit, without_family, without_machine
from banzuke.predict.validate import machine_of, no_figure

MOVED = np.linspace(-1.6, 0.8, 13)
"""Logarithms of a constant over its assumed value, at which models are evaluated."""
MOVED_SMALL = np.linspace(-3.2, 0.8, 21)
"""The same for small machines: libraries without code for a core reach a tenth of what others do."""
NINETY = 1.645
"""Standard deviations that enclose 90% of normal deviates."""
TWICE = {"flow-nagoya-fx1000": "flow-type-i"}
"""Machines of lists with the same figures in a report; the report's are counted."""


@dataclass(frozen=True)
class PublicFigure:
    """A figure, how it is predicted, and its response to the constant of its kind."""

    constant: str
    machine: PublishedMachine
    figure: PublishedFigure
    predicted: PredictedMachine
    call: Call
    family: ProcessorFamily
    response: Response
    values: Mapping[str, float]
    """Values of all constants."""
    benchmark: Benchmark
    peak: float
    """flop/s of all nodes."""

    @property
    def kind(self) -> str:
        """The class in which errors are counted."""
        return SMALL if self.family.small else by_family()[self.constant].kind

    @property
    def spread(self) -> PriorSpread:
        own = by_family()[self.constant]
        return own.small if own.small and self.family.small else own.spread


def public_figures(constant: str, benchmarks: Mapping[str, Benchmark], *, small: bool = False) -> list[PublicFigure]:
    """Return all figures that determine this constant; none of several partitions. `small`: those of small machines."""
    benchmark, kind = benchmarks[by_family()[constant].benchmark], by_family()[constant].kind
    if small and by_family()[constant].small is None:
        return []
    return [
        _public_figure(constant, benchmark, machine, figure)
        for machine in (small_machines() if small else known_machines())
        if isinstance(machine.part, Partition) and machine.id not in TWICE
        if (DEVICES if machine.node.devices else PROCESSORS) == kind
        for figure in machine.figure
        if figure.benchmark == benchmark.name and not no_figure(benchmark, machine, figure)
        if isinstance(figure.nodes, int)
    ]


def _public_figure(
    constant: str, benchmark: Benchmark, machine: PublishedMachine, figure: PublishedFigure
) -> PublicFigure:
    model, predicted = model_of(benchmark), machine_of(machine, figure)
    call = model.published(figure)
    if isinstance(call, str) or isinstance(predicted, str) or not isinstance(machine.part, Partition):
        raise BanzukeError(f"{machine.id}: no prediction follows from its line", why=f"{call} {predicted}")
    kind = by_family()[constant].kind
    if "on" in model.settings:
        call = {**call, "on": kind}
    values = {name: assumed.value for name, assumed in constants_of(model, predicted).items()}
    middle = constants_of(model)[constant].value

    family, nameless = families_of(machine.part)[kind], strip_names(machine.part, kind)
    at = MOVED_SMALL if family.small else MOVED

    def estimate_moved(machine: PredictedMachine) -> Numbers:
        moved = (middle * np.exp(at)).tolist()
        return np.array(
            [model.estimate(hardware(machine, {**values, constant: value}), call).figure for value in moved]
        )

    unknown = families_of(nameless)[kind]
    clock = math.log(unknown.clock / middle) if constant == "host.dgemm" and not family.small else math.nan
    named_alone = family.matrix_flops > 0 or family.fast_memory > 0
    response = Response(
        INSTALMENT.sub("", machine.id),
        family.name or machine.id,
        family.group_of(constant),
        family.group_of(constant) if family.small else unknown.group_of(constant),
        figure.value or math.nan,
        at,
        estimate_moved(predicted),
        estimate_moved(_describe(predicted, nameless)) if named_alone else None,
        clock,
    )
    peak = hardware(predicted, values).peak
    return PublicFigure(constant, machine, figure, predicted, call, family, response, values, benchmark, peak)


def _describe(machine: PredictedMachine, part: Partition) -> PredictedMachine:
    """Return the machine with another description of its nodes."""
    (name,) = machine.nodes
    own = machine.site.partitions[name]
    changed = own.having(node=part.node)
    return replace(machine, site=machine.site.having(partitions={**machine.site.partitions, name: changed}))


def measured_elsewhere(figures: Sequence[PublicFigure], middle: float) -> dict[str, Elsewhere]:
    """Return families' DGEMM shares from other sources, as logarithms over the value assumed for all."""
    return {
        figure.family.name: Elsewhere(math.log(figure.family.dgemm / middle), figure.family.dgemm_machine)
        for figure in figures
        if by_family()[figure.constant].of_peak and figure.family.known and figure.family.dgemm > 0
    }


def fit_constant(figures: Sequence[PublicFigure], middle: float) -> Pooled:
    """Return the constant's values by group and family; `middle`: the value assumed for all."""
    responses = [figure.response for figure in figures]
    return fit(responses, figures[0].spread, measured_elsewhere(figures, middle))


def fit_families(figures: Sequence[PublicFigure], middle: float) -> dict[tuple[str, str, str], FittedFamily]:
    """Return a constant's values from these figures, by constant, group and family, which is empty for the group."""
    (constant,) = {figure.constant for figure in figures}
    pooled = fit_constant(figures, middle)
    machines: dict[tuple[str, str], list[str]] = {}
    for figure in figures:
        machines.setdefault((figure.response.group, figure.family.name), []).append(figure.response.machine)
    fitted = {}
    for group, moved in pooled.groups.items():
        of_group = [machine for (own, _), several in machines.items() if own == group for machine in several]
        fitted[constant, group, ""] = _fitted(middle * math.exp(moved), pooled.deviations[group], of_group)
    for (group, family), of_family in machines.items():
        if family:
            value = middle * math.exp(pooled.families[family])
            fitted[constant, group, family] = _fitted(value, pooled.deviations[family], of_family)
    return fitted


def _fitted(value: float, deviation: float, machines: Sequence[str]) -> FittedFamily:
    """Return the value with its 90% range; `machines`: the machine of each figure."""
    factor = math.exp(NINETY * deviation)
    return FittedFamily(value, value / factor, value * factor, len(machines), len(set(machines)))


def leave_out(figures: Sequence[PublicFigure], middle: float, chosen: Sequence[int] | None = None) -> list[LeftOut]:
    """Return the figures with predictions by fits to the others; `chosen`: indices of those to do."""
    (constant,) = {figure.constant for figure in figures}
    spread, elsewhere = figures[0].spread, measured_elsewhere(figures, middle)
    responses = [figure.response for figure in figures]
    fitted_to_all = fit(responses, spread, elsewhere)
    rows = []
    for number in range(len(figures)) if chosen is None else chosen:
        figure, response = figures[number], responses[number]
        moved = without_machine(responses, number, spread, elsewhere)
        log_ratios = (
            response.log_ratio(fitted_to_all.moved(response)),
            response.log_ratio(moved),
            response.log_ratio(without_family(responses, number, spread, elsewhere), named=False),
        )
        predicted, machine_out, family_out = (response.published * math.exp(log_ratio) for log_ratio in log_ratios)
        rows.append(
            LeftOut(
                by_family()[constant].benchmark,
                figure.machine.id,
                figure.kind,
                figure.family.name,
                figure.figure.nodes or 1,
                response.published,
                predicted,
                machine_out,
                family_out,
                _extrapolate(figure, middle * math.exp(moved)),
                _take_share(figure, figures),
                response.published * math.exp(response.log_ratio(0.0, named=False)),
            )
        )
    return rows


def _extrapolate(figure: PublicFigure, value: float) -> float:
    """Return nodes times the prediction of one node, with this constant; NaN: one node cannot be predicted."""
    model, constants = model_of(figure.benchmark), {**figure.values, figure.constant: value}
    estimate = model.estimate(hardware(figure.predicted, constants), figure.call)
    return linear(model, figure.predicted, constants, figure.call, estimate) or math.nan


def _take_share(figure: PublicFigure, figures: Sequence[PublicFigure]) -> float:
    """Return the figure by the median share of the peak of the family's other machines, else of all others."""
    others = [other for other in figures if other.response.machine != figure.response.machine]
    relatives = [other for other in others if other.family.name == figure.family.name] or others
    return median(other.response.published / other.peak for other in relatives) * figure.peak
