"""`banzuke predict BENCHMARK MACHINE`: predicts a figure of a machine from its description."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Annotated, Any

import typer

from banzuke.cli.console import out, write_json
from banzuke.cli.drawing import ChartFile, check_chart, draw
from banzuke.cli.network import AdapterUse, RoutingRule, Topology, Uplinks
from banzuke.cli.options import DEFAULT_RESULTS, HOW, OUTPUT, WHAT, Json, OptionsCommand, Results
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
from banzuke.cli.simulation import MOST_RANKS
from banzuke.errors import BanzukeError
from banzuke.machine import published
from banzuke.plan.benchmark import Benchmark, Scalar
from banzuke.plan.catalogue import find
from banzuke.predict.constants import Constant
from banzuke.predict.find import listed_as, predicted_machine
from banzuke.predict.hardware import SCALES, PredictedMachine
from banzuke.predict.kinds import FillingModel, compose
from banzuke.predict.model import Call, Forecast, constants_of, forecast, model_of
from banzuke.predict.public_page import public_record
from banzuke.predict.target import read_target, with_nodes_for
from banzuke.predict.undescribed import UndescribedError
from banzuke.predict.validate import summaries, validated
from banzuke.predict.validation_page import track_record
from banzuke.program.meant import is_amount, meant
from banzuke.ranking.editions import ranking_of
from banzuke.results.store import Store
from banzuke.slowdown.noise import PeriodicNoise
from banzuke.text import nearest
from banzuke.units import count, number, quantity, short_time

MACHINE = "The machine"
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


def _direct(text: str) -> bool:
    if text not in ("on", "off"):
        raise BanzukeError(f"--gpu-direct '{text}' is not understood", remedy="Write on or off")
    return text == "on"


def _noise(text: str) -> PeriodicNoise:
    length, _, interval = text.partition("/")
    try:
        noise = PeriodicNoise(short_time(length), short_time(interval))
    except BanzukeError as error:
        raise BanzukeError(
            f"--noise '{text}' is not understood",
            why=error.problem,
            remedy="Write its length and how often it comes, each with a unit (ns, us, ms, s, m, h): 1ms/10s",
        ) from error
    if noise.length >= noise.interval:
        raise BanzukeError(f"--noise {text}: it would never end", remedy="Give a length below the interval: 1ms/10s")
    return noise


Nodes = Annotated[
    list[str] | None,
    typer.Option(
        "--nodes",
        metavar="[NAME=]N",
        help="Number of nodes; with names, that of each partition that takes part.",
        show_default="all, or one of a run's",
        rich_help_panel=MACHINE,
    ),
]
DescriptionLines = Annotated[
    list[str] | None,
    typer.Option(
        "--with",
        metavar="NAME=VALUE",
        help="What the description lacks or should say instead, as a line of its partition in SITE.toml: "
        "network.bandwidth=12.5e9, nodes=1000. Repeatable.",
        rich_help_panel=MACHINE,
    ),
]
ScaleFactors = Annotated[
    list[str] | None,
    typer.Option(
        "--scale",
        metavar="NAME=N",
        help=f"Multiply what is described: {', '.join(SCALES)}. Repeatable.",
        rich_help_panel=MACHINE,
    ),
]
NoiseOption = Annotated[
    Any,
    typer.Option(
        "--noise",
        parser=_noise,
        metavar="TIME/TIME",
        help="Length and interval of operating-system noise on each rank: 1ms/10s.",
        show_default="none",
        rich_help_panel=MACHINE,
    ),
]


def figure(
    ctx: typer.Context,
    machine: Annotated[
        str,
        typer.Argument(
            metavar="MACHINE",
            help="A published machine (`banzuke list` names them), SITE.toml or SITE.toml:PARTITION, or a run: `last`, "
            "whose machine may have any number of nodes. A site with several partitions: all of them, if the model "
            "covers unlike nodes. A+B: nodes of both.",
        ),
    ],
    nodes: Nodes = None,
    lines: DescriptionLines = None,
    scale: ScaleFactors = None,
    direct: Annotated[
        Any,
        typer.Option(
            "--gpu-direct",
            parser=_direct,
            metavar="on|off",
            help="Whether messages leave a device's memory without passing the host's.",
            show_default="as described",
            rich_help_panel=MACHINE,
        ),
    ] = None,
    noise: NoiseOption = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Parameter of the benchmark; it chooses the others as usual. Repeatable.",
            rich_help_panel=WHAT,
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            metavar="FIGURE",
            help="How many such nodes it takes: 10PF, or 'rank 100', 'rank 100 of 2020-06' of the public list.",
            rich_help_panel=WHAT,
        ),
    ] = None,
    topology: Topology = None,
    routing: RoutingRule = None,
    adapters: AdapterUse = "striped",
    uplinks: Uplinks = None,
    simulate: Annotated[
        int | None,
        typer.Option(
            "--simulate",
            metavar="N",
            min=1,
            max=MOST_RANKS,
            help="Simulate messages on the topology with SimGrid if there are at most N ranks; else the model tells.",
            rich_help_panel=HOW,
        ),
    ] = None,
    chart: ChartFile = None,
    results: Results = DEFAULT_RESULTS,
    json: Json = False,
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose", "-v", help="Print what is assumed, and where each number comes from.", rich_help_panel=OUTPUT
        ),
    ] = False,
) -> None:
    check_chart(chart)
    benchmark = find(str(ctx.info_name))
    model = model_of(benchmark)
    call: Call = call_of(settings or (), model.settings)
    store = Store(results)
    together = isinstance(model, FillingModel) and target is None
    described = predicted_machine(machine, store, nodes or (), lines or (), together=together)
    described = replace(described, changes=_factors(scale or ()), direct=direct, noise=noise)
    kept = described_network(model, described, machine) if topology is None and target is None else None
    network = network_call(benchmark, topology or kept, routing, adapters, uplinks, simulate, target=target)
    composition = (
        compose(benchmark, described, call, keep=bool(nodes)) if together and len(described.nodes) > 1 else None
    )
    if composition:
        described, call = composition.machine, composition.call
    wanted = _wanted(target, benchmark, nodes)
    there = [described.site.partitions[name].number for name in described.nodes]
    if wanted is not None:
        described = with_nodes_for(wanted, benchmark, described, call)
    constants = constants_of(model, described)
    prediction = _forecast(benchmark, described, call, constants)
    if network and kept and not fits(network, described, prediction.nodes):
        network = None
    on_network = congested(network, benchmark, described, call, prediction) if network else None
    if on_network:
        described, call = on_network.machine, on_network.call
        prediction = with_remark(_forecast(benchmark, described, call, constants), on_network.remark)
    tested = summaries(validated({benchmark.name: benchmark}, published.load(), intervals=False))
    if json:
        measured = run_data(described.origin, prediction, constants, store) if described.origin else {}
        tests = {"tested": [asdict(summary) for summary in tested]}
        write_json(
            {
                **document(prediction, described, constants),
                **({"target": wanted} if wanted else {}),
                **(kinds_data(composition) if composition else {}),
                **measured,
                **tests,
                **(network_data(network, on_network) if network and on_network else {}),
            }
        )
    else:
        if wanted is not None:
            out.say(_taken(wanted, there[0], prediction))
        targeted = wanted is not None
        show_prediction(
            prediction, described, constants, benchmark, store, composition, targeted=targeted, verbose=verbose
        )
        out.print()
        for said in [*track_record(tested), *public_record(benchmark.name, prediction.kind)]:
            out.say(said)
    if chart:
        from banzuke.predict.charts import tornado_chart  # noqa: PLC0415  (brings Altair)

        draw(tornado_chart(prediction, benchmark.title), chart)


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
    return {
        **asdict(prediction),
        "places": ranking.places(prediction.estimate.figure) if ranking else {},
        "bound_by": prediction.estimate.bound_by,
        "of_peak": prediction.peak and prediction.estimate.figure / prediction.peak,
        "partitions": machine.nodes,
        "changes": machine.changes,
        "assumptions": assumed,
        "flags": flags(machine),
    }
