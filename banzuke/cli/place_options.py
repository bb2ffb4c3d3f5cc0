"""The options of `banzuke place`."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from banzuke.cli.declared import OptionsModel
from banzuke.cli.network import NetworkOptions
from banzuke.cli.options import DEFAULT_LANGUAGE, HOW, OUTPUT, WHAT, HostList, Json, Language, hosts_option


@dataclass(frozen=True, kw_only=True)
class PlaceOptions(OptionsModel):
    """The options that the command was called with, in the order of its help."""

    pattern: Annotated[
        str, typer.Argument(metavar="PATTERN", help="Whose messages: a benchmark's, or halo, alltoall, allgather.")
    ]
    network: NetworkOptions = field(default_factory=NetworkOptions)
    grid: Annotated[
        str | None,
        typer.Option("--grid", metavar="PxQ", help="Sides of the grid of ranks.", rich_help_panel=WHAT),
    ] = None
    hosts: Annotated[
        HostList | None,
        hosts_option("The job's hosts, in the scheduler's order.", default="all of the topology, by number"),
    ] = None
    ranks_per_node: Annotated[
        int | None,
        typer.Option(
            "--ranks-per-node",
            metavar="N",
            min=1,
            max=4096,
            help="Ranks of each host.",
            show_default="as the topology says, else 1",
            rich_help_panel=WHAT,
        ),
    ] = None
    size: Annotated[
        float | None,
        typer.Option(
            "--size",
            metavar="N",
            help="Size of the problem, for seconds: n of HPL or a transform, a box's edge, bytes of a message.",
            rich_help_panel=WHAT,
        ),
    ] = None
    reached: Annotated[
        str | None,
        typer.Option(
            "--reached",
            metavar="NAME=RATE",
            help="A rate measured in one of the orders, such as scheduler=66Tflop/s; the others' rates follow.",
            rich_help_panel=WHAT,
        ),
    ] = None
    simulate: Annotated[
        str | None,
        typer.Option(
            "--simulate",
            metavar="NAMES",
            help="Simulate these orders of the table with SimGrid, such as scheduler,place; or all.",
            rich_help_panel=HOW,
        ),
    ] = None
    rank_rate: Annotated[
        str | None,
        typer.Option(
            "--rank-rate",
            metavar="RATE",
            help="How fast a rank computes: its matrix products for HPL, such as 500Gflop/s. Needs --size.",
            show_default="in no time",
            rich_help_panel=HOW,
        ),
    ] = None
    eager: Annotated[
        bool,
        typer.Option(
            "--eager",
            help="Messages of alltoall begin although their receiver is not in the step yet, as small ones do.",
            show_default="they wait, as large ones do",
            rich_help_panel=HOW,
        ),
    ] = False
    whole: Annotated[
        bool,
        typer.Option(
            "--whole-hosts",
            help="Only orders in which the ranks of each host follow each other, as with `banzuke run --hosts`.",
            rich_help_panel=HOW,
        ),
    ] = False
    seconds: Annotated[
        float,
        typer.Option("--seconds", metavar="N", help="How long to look for a better order.", rich_help_panel=HOW),
    ] = 20.0
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", min=0, help="Seed of random orders.", rich_help_panel=HOW)
    ] = 1
    write: Annotated[
        list[str] | None,
        typer.Option(
            "--write",
            metavar="NAME:FILE",
            help="Write the proposed order for openmpi, mpich, slurm or flux, as Open MPI's rankfile, or as hosts; may "
            "be given several times.",
            rich_help_panel=OUTPUT,
        ),
    ] = None
    take: Annotated[
        str | None,
        typer.Option(
            "--order",
            metavar="NAME",
            help="Write this order instead of the proposed one.",
            rich_help_panel=OUTPUT,
        ),
    ] = None
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            metavar="DIR",
            help="Write a page there with drawings of the grid by switch and the load of each link.",
            file_okay=False,
            rich_help_panel=OUTPUT,
        ),
    ] = None
    language: Language = DEFAULT_LANGUAGE
    json: Json = False
