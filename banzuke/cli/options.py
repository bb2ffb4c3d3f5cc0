"""Options that several commands share, declared once, and how help shows them."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperOption

from banzuke.errors import BanzukeError
from banzuke.machine import allocation
from banzuke.units import seconds
from banzuke.words.language import LANGUAGES, words

WHAT, WHERE, HOW, OUTPUT = "What", "Where", "How", "Output"
"""Groups of options in a command's help."""
LINES = ("--env", "--image", "--launcher-options")
"""Their values may hold spaces, so a variable gives one a line."""


class OptionsCommand(TyperCommand):
    """A command whose options each have a variable, named after the option; its help tells the rule, not the names."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.epilog = "A variable sets each option, too: BANZUKE_ and its name, BANZUKE_OS_CORES=0 for --os-cores 0."
        for option in self.params:
            if isinstance(option, TyperOption):
                option.envvar, option.show_envvar = variable(option.opts[0]), False
                if option.opts[0] in LINES:
                    option.value_from_envvar = partial(_lines, option)  # type: ignore[method-assign]
                if option.is_flag:
                    option.metavar = ""

    def invoke(self, ctx: Any) -> Any:
        """Raises BanzukeError for texts that no record could hold."""
        for option in self.params:
            if isinstance(option, TyperOption):
                _check_text(option.opts[0], ctx.params.get(option.name))
        return super().invoke(ctx)

    def get_help_option(self, ctx: Any) -> TyperOption | None:
        option = super().get_help_option(ctx)
        if isinstance(option, TyperOption):
            option.metavar, option.rich_help_panel = "", OUTPUT
        return option


def _check_text(option: str, given: Any) -> None:
    """A path may be any bytes. Raises BanzukeError."""
    for text in given if isinstance(given, list) else [given]:
        try:
            text.encode() if isinstance(text, str) else None
        except UnicodeEncodeError as error:
            raise BanzukeError(f"{option} {text!r} is no UTF-8 text", remedy="Write other characters") from error


def _lines(option: TyperOption, ctx: Any) -> list[str] | None:
    """Values of an option from its variable."""
    text = option.resolve_envvar_value(ctx)
    return text.splitlines() if text else None


def variable(option: str) -> str:
    """Of `--dry-run`, BANZUKE_DRY_RUN."""
    return f"BANZUKE_{option.strip('-').replace('-', '_').upper()}"


Results = Annotated[
    Path,
    typer.Option(
        "--results", metavar="DIR", help="Folder that runs are kept in.", file_okay=False, rich_help_panel=OUTPUT
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.", rich_help_panel=OUTPUT)]
Verbose = Annotated[
    bool,
    typer.Option(
        "--verbose", "-v", help="Print every case, command, binding and likely cause.", rich_help_panel=OUTPUT
    ),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Print the commands that would run, and run nothing.", rich_help_panel=HOW)
]
BlasPath = Annotated[
    str | None,
    typer.Option(
        "--blas", metavar="FILE", help="BLAS library to use instead of the fastest one found.", rich_help_panel=HOW
    ),
]
Repeat = Annotated[
    int,
    typer.Option(
        "--repeat",
        metavar="N",
        min=1,
        help="Launch every case N times, in turn; one launch shows no difference.",
        rich_help_panel=HOW,
    ),
]
Timeout = Annotated[
    float | None,
    typer.Option(
        "--timeout",
        parser=seconds,
        metavar="TIME",
        help="Time after which a case is ended.",
        show_default="20 x estimate",
        rich_help_panel=HOW,
    ),
]
Seconds = Annotated[
    float | None,
    typer.Option(
        "--seconds",
        parser=seconds,
        metavar="TIME",
        help="Length of the timed part, such as 90, 15m or 2h: chooses the size (HPL, DGEMM), sets the time itself "
        "(HPCG) or the rounds (STREAM), or is shared by all cases (SpMV). Without other parameters only the headline "
        "case runs.",
        rich_help_panel=WHAT,
    ),
]
InputPath = Annotated[
    Path | None,
    typer.Option(
        "--input",
        metavar="FILE",
        help="Input file of the official code (HPL.dat, hpcg.dat). Implies --official.",
        rich_help_panel=WHAT,
    ),
]
Official = Annotated[
    bool,
    typer.Option(
        "--official",
        help="Print what the official code (OSU, HPL, HPCG) would; the table goes to stderr.",
        rich_help_panel=OUTPUT,
    ),
]


@dataclass(frozen=True)
class HostList:
    names: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> "HostList":
        """Raises BanzukeError."""
        names = tuple(allocation.hosts(text))
        if not names:
            raise BanzukeError(f"--hosts '{text}' names no host", remedy="Leave it out, or write names: n1,n2")
        return cls(names)


Hosts = Annotated[
    HostList | None,
    typer.Option(
        "--hosts",
        parser=HostList.of,
        metavar="NAMES",
        help="Hosts to run on, such as n1,n2 or n[01-16]: all alike, and this one among them.",
        show_default="those of the job",
        rich_help_panel=WHERE,
    ),
]
Placements = Annotated[
    str | None,
    typer.Option(
        "--placement",
        metavar="NAMES",
        help="Placements of the ranks, or how their names begin: same-complex,other-node, or all. `banzuke machine` "
        "lists them.",
        rich_help_panel=WHERE,
    ),
]
Environments = Annotated[
    str,
    typer.Option(
        "--environment",
        metavar="NAMES",
        help="Run each case in each of these: native, isolated, container, vm, mckernel. container:podman names a "
        "tool.",
        rich_help_panel=WHERE,
    ),
]
Image = Annotated[
    list[str] | None,
    typer.Option(
        "--image",
        metavar="IMAGE",
        help="Image of the container or virtual machine: a folder, archive, definition or disk, or a name that the "
        "tool knows; may be given several times.",
        show_default="this system's files",
        rich_help_panel=WHERE,
    ),
]
OsCores = Annotated[
    str | None,
    typer.Option(
        "--os-cores",
        metavar="LIST",
        help="Processors that isolation leaves to the operating system, such as 0,64.",
        show_default="the first core",
        rich_help_panel=WHERE,
    ),
]
Build = Annotated[
    str | None,
    typer.Option(
        "--build",
        metavar="NAMES",
        help="Builds of the programs, in turn: default,fast. `make build` adds one, `banzuke list` shows them.",
        show_default="default",
        rich_help_panel=WHERE,
    ),
]
Mpi = Annotated[
    str | None,
    typer.Option(
        "--mpi",
        metavar="NAMES",
        help="MPI libraries, in turn, each by a build for it: mpich,openmpi,intel.",
        show_default="the build's",
        rich_help_panel=WHERE,
    ),
]
Library = Annotated[
    str | None,
    typer.Option(
        "--library",
        metavar="NAMES",
        help="BLAS libraries by name, such as OpenBLAS,MKL: each case that calls one runs with each. `banzuke machine` "
        "lists them.",
        show_default="the fastest",
        rich_help_panel=WHERE,
    ),
]
Memory = Annotated[
    str | None,
    typer.Option(
        "--memory",
        metavar="LIST",
        help="NUMA policies of the memory: local, interleave, bind:0-1.",
        show_default="the system's",
        rich_help_panel=WHERE,
    ),
]
Pages = Annotated[
    str | None,
    typer.Option(
        "--pages",
        metavar="LIST",
        help="Pages of the arrays: base, transparent (huge), reserved (huge).",
        show_default="the program's choice",
        rich_help_panel=WHERE,
    ),
]
Cores = Annotated[
    list[str] | None,
    typer.Option(
        "--cores",
        metavar="LIST",
        help="Processors that each case keeps to, such as 0-3,8; may be given several times.",
        show_default="all",
        rich_help_panel=WHERE,
    ),
]
Env = Annotated[
    list[str] | None,
    typer.Option(
        "--env",
        metavar="NAME=VALUES",
        help="Set a variable for the programs, NAME=a,b with each value in turn; an empty value removes it. May be "
        "given several times.",
        rich_help_panel=WHERE,
    ),
]
LauncherOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--launcher-options",
        metavar="TEXT",
        help="Further options of the MPI launcher, in quotes; given several times, each case runs with each.",
        rich_help_panel=WHERE,
    ),
]
Neighbours = Annotated[
    str,
    typer.Option(
        "--neighbours",
        metavar="LIST",
        help="Number of busy processes beside each case; 0,3 runs it both ways.",
        rich_help_panel=WHERE,
    ),
]
Tune = Annotated[
    bool,
    typer.Option(
        "--tune",
        help="First search for faster settings in short runs, and keep them for this machine.",
        rich_help_panel=HOW,
    ),
]
TuneSeconds = Annotated[
    float | None,
    typer.Option(
        "--tune-seconds",
        parser=seconds,
        metavar="TIME",
        help="Time for --tune. More time compares at larger sizes.",
        show_default="3m",
        rich_help_panel=HOW,
    ),
]
Untuned = Annotated[
    bool,
    typer.Option("--untuned", help="Ignore what --tune found earlier.", rich_help_panel=HOW),
]
Fresh = Annotated[
    bool, typer.Option("--fresh", help="Start a new run even if the same one was interrupted.", rich_help_panel=HOW)
]


def _language(text: str) -> str:
    """Raises BanzukeError."""
    return words(text).language


Language = Annotated[
    str,
    typer.Option(
        "--language",
        parser=_language,
        metavar="CODE",
        help=f"Language of the report: {' or '.join(LANGUAGES)}.",
        rich_help_panel=OUTPUT,
    ),
]
DEFAULT_LANGUAGE = "en"
DEFAULT_RESULTS = Path("results")
