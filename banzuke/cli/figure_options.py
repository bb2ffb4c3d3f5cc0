"""The options of `banzuke predict BENCHMARK`."""

from dataclasses import dataclass, field
from typing import Annotated, Any

import typer

from banzuke.cli.declared import OptionsModel
from banzuke.cli.drawing import ChartFile
from banzuke.cli.network import NetworkOptions
from banzuke.cli.options import DEFAULT_RESULTS, HOW, OUTPUT, WHAT, Json, Results
from banzuke.cli.simulation import MOST_RANKS
from banzuke.errors import BanzukeError
from banzuke.predict.hardware import SCALES
from banzuke.slowdown.noise import PeriodicNoise
from banzuke.units import short_time

MACHINE = "The machine"


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


@dataclass(frozen=True, kw_only=True)
class FigureOptions(OptionsModel):
    """The options that the command was called with, in the order of its help."""

    machine: Annotated[
        str,
        typer.Argument(
            metavar="MACHINE",
            help="A published machine (`banzuke list` names them), SITE.toml or SITE.toml:PARTITION, or a run: `last`, "
            "whose machine may have any number of nodes. A site with several partitions: all of them, if the model "
            "covers unlike nodes. A+B: nodes of both.",
        ),
    ]
    nodes: Annotated[
        list[str] | None,
        typer.Option(
            "--nodes",
            metavar="[NAME=]N",
            help="Number of nodes; with names, that of each partition that takes part.",
            show_default="all, or one of a run's",
            rich_help_panel=MACHINE,
        ),
    ] = None
    lines: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="NAME=VALUE",
            help="What the description lacks or should say instead, as a line of its partition in SITE.toml: "
            "network.bandwidth=12.5e9, nodes=1000. Repeatable.",
            rich_help_panel=MACHINE,
        ),
    ] = None
    scale: Annotated[
        list[str] | None,
        typer.Option(
            "--scale",
            metavar="NAME=N",
            help=f"Multiply what is described: {', '.join(SCALES)}. Repeatable.",
            rich_help_panel=MACHINE,
        ),
    ] = None
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
    ] = None
    noise: Annotated[
        Any,
        typer.Option(
            "--noise",
            parser=_noise,
            metavar="TIME/TIME",
            help="Length and interval of operating-system noise on each rank: 1ms/10s.",
            show_default="none",
            rich_help_panel=MACHINE,
        ),
    ] = None
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Parameter of the benchmark; it chooses the others as usual. Repeatable.",
            rich_help_panel=WHAT,
        ),
    ] = None
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            metavar="FIGURE",
            help="How many such nodes it takes: 10PF, or 'rank 100', 'rank 100 of 2020-06' of the public list.",
            rich_help_panel=WHAT,
        ),
    ] = None
    network: NetworkOptions = field(default_factory=NetworkOptions)
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
    ] = None
    chart: ChartFile = None
    results: Results = DEFAULT_RESULTS
    json: Json = False
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose", "-v", help="Print what is assumed, and where each number comes from.", rich_help_panel=OUTPUT
        ),
    ] = False
