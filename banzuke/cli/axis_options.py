"""The options for axes: the environments of cases, the load beside them, and the settings that are varied."""

from dataclasses import dataclass
from typing import Annotated

import typer

from banzuke.cli.declared import OptionsModel
from banzuke.cli.options import WHERE
from banzuke.record.model import NATIVE


@dataclass(frozen=True, kw_only=True)
class Axes(OptionsModel):
    """The options as given; `banzuke.cli.read_axes` interprets them."""

    environment: Annotated[
        str,
        typer.Option(
            "--environment",
            metavar="NAMES",
            help="Run each case in each environment: native, isolated, container, vm, mckernel; container:podman "
            "names a tool.",
            rich_help_panel=WHERE,
        ),
    ] = NATIVE
    image: Annotated[
        list[str] | None,
        typer.Option(
            "--image",
            metavar="IMAGE",
            help="Image of the container or virtual machine: a file, a folder, or a name that the tool knows. "
            "Repeatable.",
            show_default="this system's files",
            rich_help_panel=WHERE,
        ),
    ] = None
    os_cores: Annotated[
        str | None,
        typer.Option(
            "--os-cores",
            metavar="LIST",
            help="Processors left to the system: 0,64.",
            show_default="the first core",
            rich_help_panel=WHERE,
        ),
    ] = None
    neighbours: Annotated[
        str,
        typer.Option(
            "--neighbours",
            metavar="LIST",
            help="Number of busy processes beside each case; 0,3 runs both.",
            rich_help_panel=WHERE,
        ),
    ] = "0"
    build: Annotated[
        str | None,
        typer.Option(
            "--build",
            metavar="NAMES",
            help="Run each case with each build of the programs: default,fast. `make build` adds builds, `banzuke "
            "list` shows them.",
            show_default="default",
            rich_help_panel=WHERE,
        ),
    ] = None
    mpi: Annotated[
        str | None,
        typer.Option(
            "--mpi",
            metavar="NAMES",
            help="Run each case with each MPI library, using a build for it: mpich,openmpi,intel.",
            show_default="the build's",
            rich_help_panel=WHERE,
        ),
    ] = None
    library: Annotated[
        str | None,
        typer.Option(
            "--library",
            metavar="NAMES",
            help="Run each case with each library that it calls: OpenBLAS,MKL (`banzuke machine` lists them), own,FFTW "
            "(own: the benchmark's code).",
            show_default="the fastest BLAS, or own",
            rich_help_panel=WHERE,
        ),
    ] = None
    memory: Annotated[
        str | None,
        typer.Option(
            "--memory",
            metavar="LIST",
            help="Run each case with each NUMA memory policy: local, interleave, bind:0-1 (`banzuke machine` lists "
            "nodes).",
            show_default="the system's",
            rich_help_panel=WHERE,
        ),
    ] = None
    pages: Annotated[
        str | None,
        typer.Option(
            "--pages",
            metavar="NAMES",
            help="Run each case with each kind of pages for arrays: base, transparent (huge), reserved (huge).",
            show_default="the program's choice",
            rich_help_panel=WHERE,
        ),
    ] = None
    shares: Annotated[
        str | None,
        typer.Option(
            "--shares",
            metavar="NAMES",
            help="Threads' parts of loops: equal,rates.",
            show_default="equal",
            rich_help_panel=WHERE,
        ),
    ] = None
    cores: Annotated[
        list[str] | None,
        typer.Option(
            "--cores",
            metavar="LIST",
            help="Restrict cases to processors: 0-3,8. Repeatable: each case runs on each.",
            show_default="all",
            rich_help_panel=WHERE,
        ),
    ] = None
    env: Annotated[
        list[str] | None,
        typer.Option(
            "--env",
            metavar="NAME=VALUES",
            help="Set a variable; NAME=a,b runs each case with each value. An empty value removes it. Repeatable.",
            rich_help_panel=WHERE,
        ),
    ] = None
    launcher_options: Annotated[
        list[str] | None,
        typer.Option(
            "--launcher-options",
            metavar="TEXT",
            help="Further options of the MPI launcher. Repeatable: each case runs with each.",
            rich_help_panel=WHERE,
        ),
    ] = None
    order: Annotated[
        str | None,
        typer.Option(
            "--order",
            metavar="NAMES",
            help="Rank orders: node,random:SEED,place.",
            show_default=False,
            rich_help_panel=WHERE,
        ),
    ] = None
    network: Annotated[
        str | None,
        typer.Option(
            "--topology",
            metavar="FILE",
            help="The network, as for `banzuke place`.",
            rich_help_panel=WHERE,
        ),
    ] = None
    shape: Annotated[
        str | None,
        typer.Option(
            "--shape",
            metavar="TEXT",
            help="Shape of the job's nodes in the network: kept in the records, so that shapes can be compared.",
            hidden=True,
            rich_help_panel=WHERE,
        ),
    ] = None
