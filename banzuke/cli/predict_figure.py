"""`banzuke predict BENCHMARK MACHINE`: predicts a figure of a machine from its description."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import typer

from banzuke.cli.console import out, write_json
from banzuke.cli.declared import with_options
from banzuke.cli.drawing import check_chart, draw
from banzuke.cli.figure_options import FigureOptions
from banzuke.cli.options import OptionsCommand
from banzuke.cli.predict_kinds import kinds_data
from banzuke.cli.predict_run import measuring, run_data
from banzuke.cli.predict_shown import flags, show_prediction
from banzuke.cli.predict_topology import (
    congested,
    described_network,
    fits,
    network_call,
    network_data,
    with_remark,
)
from banzuke.errors import BanzukeError
from banzuke.machine import published
from banzuke.plan.benchmark import Benchmark, Scalar
from banzuke.plan.catalogue import find
from banzuke.predict.calibration import class_of
from banzuke.predict.constants import Constant
from banzuke.predict.find import listed_as, predicted_machine
from banzuke.predict.hardware import SCALES, PredictedMachine
from banzuke.predict.kinds import Composition, FillingModel, compose
from banzuke.predict.model import Call, Forecast, constants_of, forecast, model_of
from banzuke.predict.public_page import public_record
from banzuke.predict.target import read_target, with_nodes_for
from banzuke.predict.undescribed import UndescribedError
from banzuke.predict.validate import summaries, validated
from banzuke.predict.validation_page import track_record
from banzuke.program.meant import is_amount, meant
from banzuke.ranking.editions import ranking_of
from banzuke.results.store import Store
from banzuke.text import nearest
from banzuke.units import count, number, quantity
from banzuke.words.language import words

LARGEST_FACTOR = 1e6


class FigureCommand(OptionsCommand):
    """A command whose help lists the settings of the benchmark's model; the model is imported only for help."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        settings = model_of(find(ctx.info_name)).settings
        rule = self.epilog
        listed = "\n".join(f"- `{name}`: {line}" for name, line in settings.items())
        self.epilog = f"Settings of the model, for --set:\n\n{listed}\n\n{rule}"
        super().format_help(ctx, formatter)
        self.epilog = rule


@with_options(FigureOptions)
def figure(ctx: typer.Context, options: FigureOptions) -> None:
    check_chart(options.chart)
    benchmark = find(str(ctx.info_name))
    store = Store(options.results)
    answer = _answer(benchmark, options, store)
    prediction = answer.prediction
    tested = summaries(validated({benchmark.name: benchmark}, published.load(), intervals=False))
    if options.json:
        tests = {"tested": [asdict(summary) for summary in tested]}
        write_json({**answer.document(store), **tests, **answer.congestion})
    else:
        if answer.wanted is not None:
            out.say(_taken(answer.wanted, answer.there, prediction))
        show_prediction(
            prediction,
            answer.machine,
            answer.constants,
            benchmark,
            store,
            answer.composition,
            targeted=answer.wanted is not None,
            verbose=options.verbose,
        )
        out.print()
        for said in [*track_record(tested), *public_record(benchmark.name, class_of(answer.machine, prediction.kind))]:
            out.say(said)
    if options.chart:
        from banzuke.predict.charts import tornado_chart  # noqa: PLC0415  (brings Altair)

        draw(tornado_chart(prediction, benchmark.title), options.chart)


@dataclass(frozen=True)
class FigureAnswer:
    """A prediction, and what it is made from."""

    machine: PredictedMachine
    prediction: Forecast
    constants: Mapping[str, Constant]
    composition: Composition | None
    """How nodes of several kinds share the work; None: they are of one kind."""
    wanted: float | None
    """The figure to reach; None: the number of nodes was given."""
    there: int | None
    """Nodes of the first kind that the machine has; None: unknown."""
    congestion: Mapping[str, Any]
    """What the network's congestion adds to the document."""

    def document(self, store: Store) -> dict[str, Any]:
        """Return the prediction for `--json`, with what was measured on the machine if a run described it."""
        origin = self.machine.origin
        return {
            **document(self.prediction, self.machine, self.constants),
            **({"target": self.wanted} if self.wanted else {}),
            **(kinds_data(self.composition) if self.composition else {}),
            **(run_data(origin, self.prediction, self.constants, store) if origin else {}),
        }


def _answer(benchmark: Benchmark, options: FigureOptions, store: Store) -> FigureAnswer:
    """Return the prediction that was asked for. Raises BanzukeError."""
    model = model_of(benchmark)
    call: Call = call_of(options.settings or (), model.settings)
    together = isinstance(model, FillingModel) and options.target is None
    machine = predicted_machine(options.machine, store, options.nodes or (), options.lines or (), together=together)
    machine = replace(machine, changes=_factors(options.scale or ()), direct=options.direct, noise=options.noise)
    asked_only = options.network.topology is not None or options.target is not None
    kept = None if asked_only else described_network(model, machine, options.machine)
    network = network_call(benchmark, options, kept)
    composition = (
        compose(benchmark, machine, call, keep=bool(options.nodes)) if together and len(machine.nodes) > 1 else None
    )
    if composition:
        machine, call = composition.machine, composition.call
    wanted = _wanted(options.target, benchmark, options.nodes)
    there = machine.site.partitions[next(iter(machine.nodes))].number
    if wanted is not None:
        machine = with_nodes_for(wanted, benchmark, machine, call)
    constants = constants_of(model, machine)
    prediction = _forecast(benchmark, machine, call, constants)
    congestion: Mapping[str, Any] = {}
    if network and (not kept or fits(network, machine, prediction.nodes)):
        on_network = congested(network, benchmark, machine, call, prediction)
        machine = on_network.machine
        prediction = with_remark(_forecast(benchmark, machine, on_network.call, constants), on_network.remark)
        congestion = network_data(network, on_network)
    return FigureAnswer(machine, prediction, constants, composition, wanted, there, congestion)


def _wanted(target: str | None, benchmark: Benchmark, nodes: Sequence[str] | None) -> float | None:
    """Return the figure to reach; None without --target. Raises BanzukeError."""
    if target is None:
        return None
    if nodes:
        raise BanzukeError("--target finds the number of nodes", remedy="Leave out --nodes")
    return read_target(target, benchmark)


def _taken(wanted: float, there: int | None, prediction: Forecast) -> str:
    """Return a sentence that says how many nodes the figure takes, and if the machine has fewer."""
    more = f", more than the {there:,} that there are" if there and prediction.nodes > there else ""
    return f"{quantity(wanted, prediction.unit)} takes {count(prediction.nodes, 'node')}{more}."


def _forecast(
    benchmark: Benchmark, machine: PredictedMachine, call: Call, constants: Mapping[str, Constant]
) -> Forecast:
    """Return the prediction. Raises BanzukeError; if the description lacks a number, the error names the same machine
    in the public lists, or the runs that would measure the number.
    """
    try:
        return forecast(benchmark, machine, call, constants)
    except UndescribedError as error:
        if twin := listed_as(machine.name):
            raise BanzukeError(error.problem, why=error.why, remedy=f"Ask for {twin}. {error.remedy}") from error
        if machine.origin is None or not (runs := measuring(machine.origin)):
            raise
        raise BanzukeError(error.problem, why=error.why, remedy=f"{error.remedy}; or measure it: {runs}") from error


def call_of(settings: Sequence[str], meanings: Mapping[str, str]) -> dict[str, Scalar]:
    """Return a call's values from texts NAME=VALUE; `meanings` describes each setting of the model. Raises
    BanzukeError.
    """
    call: dict[str, Scalar] = {}
    for text in settings:
        name, equals, value = text.partition("=")
        if not equals or not value:
            raise BanzukeError(f"--set '{text}' is not understood", remedy="Write NAME=VALUE")
        if name not in meanings:
            raise BanzukeError(f"--set {text}: nothing is called '{name}'", remedy=nearest(name, list(meanings)))
        call[name] = _scalar(value, text)
        if isinstance(call[name], str) and "name of" not in meanings[name] and is_amount(value):
            raise BanzukeError(
                f"--set {text}: '{value}' is no number", remedy=meant(name, value, meanings[name], whole=False)
            )
    return call


def _scalar(value: str, text: str) -> Scalar:
    try:
        amount = float(value)
    except ValueError:
        return value
    if not abs(amount) < 2**63:
        raise BanzukeError(f"--set {text}: the value is not finite, or too large", remedy="Give a finite number")
    return int(amount) if amount.is_integer() else amount


def _factors(texts: Sequence[str]) -> dict[str, float]:
    factors = {}
    for text in texts:
        name, _, value = text.partition("=")
        if name not in SCALES:
            raise BanzukeError(f"--scale {text}: nothing is called '{name}'", remedy=f"One of: {', '.join(SCALES)}")
        try:
            factor = float(value)
        except ValueError:
            factor = math.nan
        if not 1 / LARGEST_FACTOR <= factor <= LARGEST_FACTOR:
            raise BanzukeError(
                f"--scale {text}: '{value}' is no factor",
                remedy=f"Give a number above 0, at most {number(LARGEST_FACTOR)}",
            )
        factors[name] = factor
    return factors


def document(prediction: Forecast, machine: PredictedMachine, constants: Mapping[str, Constant]) -> dict[str, Any]:
    """Return the prediction for `--json`, with its assumptions and contradictions in the description."""
    assumed = {swing.name: asdict(constants[swing.name]) for swing in prediction.swings if swing.uncertain}
    ranking = ranking_of(find(prediction.benchmark))
    remarks = [words().sentence(remark) for remark in prediction.estimate.remarks]
    return {
        **asdict(prediction),
        "estimate": {**asdict(prediction.estimate), "remarks": remarks},
        "places": ranking.places(prediction.estimate.figure) if ranking else {},
        "bound_by": prediction.estimate.bound_by,
        "of_peak": prediction.peak and prediction.estimate.figure / prediction.peak,
        "partitions": machine.nodes,
        "changes": machine.changes,
        "assumptions": assumed,
        "flags": flags(machine),
    }
