"""Options that several commands share, declared once, and how help shows them."""

import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperOption

from banzuke.errors import BanzukeError
from banzuke.machine.hosts import expanded
from banzuke.results.store import check_name
from banzuke.units import seconds, whole
from banzuke.words.language import LANGUAGES, words

WHAT, WHERE, HOW, OUTPUT = "What", "Where", "How", "Output"
"""Groups of options in a command's help, in this order."""
MOST_NODES = 1_000_000
MOST_LAUNCHES = 1_000_000
"""Of a case: more is mistyped, for at one a second it takes eleven days."""
LINES = ("--area", "--env", "--image", "--launcher-options", "--with")
"""Their values may contain spaces, so a variable holds one per line."""


class OptionsCommand(TyperCommand):
    """A command whose options each have an environment variable; help gives the rule, not each name."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.epilog = (
            "Each option can also be set by an environment variable: BANZUKE_OS_CORES=0 is the same as --os-cores 0."
        )
        self.params.sort(key=_place)
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


def _place(parameter: Any) -> int:
    """Its group's in the help, so that all commands have these in the same order; arguments and others come first."""
    groups = (WHAT, WHERE, HOW, OUTPUT)
    group = getattr(parameter, "rich_help_panel", None)
    return groups.index(group) if group in groups else -1


def _check_text(option: str, given: Any) -> None:
    """A path may be any bytes. Raises BanzukeError."""
    for text in given if isinstance(given, list) else [given]:
        try:
            text.encode() if isinstance(text, str) else None
        except UnicodeEncodeError as error:
            raise BanzukeError(f"{option} {text!r} is not UTF-8", remedy="Use other characters") from error


def _lines(option: TyperOption, ctx: Any) -> list[str] | None:
    """Values of an option from its variable."""
    text = option.resolve_envvar_value(ctx)
    return text.splitlines() if text else None


def variable(option: str) -> str:
    """Of `--dry-run`, BANZUKE_DRY_RUN."""
    return f"BANZUKE_{option.strip('-').replace('-', '_').upper()}"


Results = Annotated[
    Path,
    typer.Option("--results", metavar="DIR", help="Results directory.", file_okay=False, rich_help_panel=OUTPUT),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.", rich_help_panel=OUTPUT)]
Verbose = Annotated[
    bool,
    typer.Option(
        "--verbose", "-v", help="Print each case with its command, binding and findings.", rich_help_panel=OUTPUT
    ),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Print the commands that would run, and run nothing.", rich_help_panel=HOW)
]
BlasPath = Annotated[
    str | None,
    typer.Option(
        "--blas", metavar="FILE", help="Use this BLAS library instead of the fastest one found.", rich_help_panel=HOW
    ),
]


def launches(number: int | None) -> int | None:
    """As `max` would check it, which makes the help of all options narrower. Raises BanzukeError."""
    if number is not None and number > MOST_LAUNCHES:
        raise BanzukeError(f"--repeat is more than {MOST_LAUNCHES:,}", remedy="Write a smaller number")
    return number


Repeat = Annotated[
    int,
    typer.Option(
        "--repeat",
        metavar="N",
        min=1,
        callback=launches,
        help="Launch every case N times, interleaved. Comparing runs needs two launches or more.",
        rich_help_panel=HOW,
    ),
]
Timeout = Annotated[
    float | None,
    typer.Option(
        "--timeout",
        parser=seconds,
        metavar="TIME",
        help="Time limit per case.",
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
        help="Length of the timed part: 90, 15m, 2h. It sets the size (HPL, DGEMM), the repetitions (STREAM) or the "
        "period itself (HPCG); SpMV divides it among its matrices. Without parameters only the headline runs.",
        rich_help_panel=WHAT,
    ),
]
InputPath = Annotated[
    Path | None,
    typer.Option(
        "--input",
        metavar="FILE",
        help="Input file of the official code, such as HPL.dat. Implies --official.",
        rich_help_panel=WHAT,
    ),
]
Official = Annotated[
    bool,
    typer.Option(
        "--official",
        help="Print in the format of the official code (OSU, HPL, HPCG, HPCC); the table goes to stderr.",
        rich_help_panel=OUTPUT,
    ),
]


@dataclass(frozen=True)
class HostList:
    names: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> "HostList":
        """Raises BanzukeError."""
        names = tuple(expanded(text))
        if not names:
            raise BanzukeError(f"'{text}' names no host", remedy="Omit it, or give names: n1,n2")
        return cls(names)


def metric_option(text: str) -> Any:
    """`--metric`, of type `str | None`, with the help text of one command."""
    return typer.Option("--metric", metavar="NAME", help=text, show_default="the headline", rich_help_panel=WHAT)


def hosts_option(text: str, *, name: str = "--hosts", default: str = "", panel: str = WHERE) -> Any:
    """`--hosts`, of type `HostList | None`, with the help text and the default of one command."""
    return typer.Option(
        name,
        parser=HostList.of,
        metavar="NAMES",
        help=text,
        show_default=default or True,
        rich_help_panel=panel,
    )


Hosts = Annotated[
    HostList | None,
    hosts_option("Hosts to run on: n1,n2 or n[01-16], all alike and this one among them.", default="the job's hosts"),
]
DeviceNames = Annotated[
    str | None,
    typer.Option(
        "--devices",
        metavar="NAMES",
        help="Accelerators: all, none, or 0,GPU-8f.",
        show_default=False,
        rich_help_panel=WHERE,
    ),
]
Nodes = Annotated[
    int | None,
    typer.Option(
        "--nodes",
        metavar="N",
        min=1,
        help="Run each case on N of the hosts: of benchmarks that span hosts, the headline and what else runs on so "
        "many.",
        show_default="all, and fewer",
        rich_help_panel=WHERE,
    ),
]


def _problem_of(text: str) -> int:
    """Of `strong:1`. Raises BanzukeError."""
    kind, _, hosts = text.partition(":")
    if kind != "strong" or not 1 <= whole(hosts) <= MOST_NODES:
        raise BanzukeError(
            f"--scaling '{text}' is not understood",
            why="a run chooses only whose problem it solves",
            remedy="Write strong:1 for the problem of one host; `banzuke submit --scaling` submits whole studies",
        )
    return int(hosts)


Scaling = Annotated[
    Any,
    typer.Option(
        "--scaling",
        parser=_problem_of,
        metavar="strong:N",
        help="Solve the problem of N hosts on any number.",
        rich_help_panel=WHAT,
    ),
]
SiteFile = Annotated[
    Path | None,
    typer.Option(
        "--site",
        metavar="SITE.toml",
        help="Site that the machine is part of, as `banzuke site init` writes it: names, launcher, storage areas.",
        rich_help_panel=WHERE,
    ),
]
PartitionName = Annotated[
    str | None,
    typer.Option(
        "--partition",
        metavar="NAME",
        help="The machine's partition of the site.",
        show_default="the one whose hosts include this one",
        rich_help_panel=WHERE,
    ),
]
Areas = Annotated[
    list[str] | None,
    typer.Option(
        "--area",
        metavar="NAME=PATH",
        help="Storage area to measure: its name, a folder in it; or SITE.toml: those described there. Repeatable.",
        show_default="those of --site, else the results directory",
        rich_help_panel=WHERE,
    ),
]
Placements = Annotated[
    str | None,
    typer.Option(
        "--placement",
        metavar="NAMES",
        help="Placements of the ranks, by name or prefix: same-complex,other-node, or all. `banzuke machine` lists "
        "them.",
        rich_help_panel=WHERE,
    ),
]
Environments = Annotated[
    str,
    typer.Option(
        "--environment",
        metavar="NAMES",
        help="Run each case in each environment: native, isolated, container, vm, mckernel; container:podman "
        "names a tool.",
        rich_help_panel=WHERE,
    ),
]
Image = Annotated[
    list[str] | None,
    typer.Option(
        "--image",
        metavar="IMAGE",
        help="Image of the container or virtual machine: a folder, archive, definition or disk, or a name that the "
        "tool knows. Repeatable.",
        show_default="this system's files",
        rich_help_panel=WHERE,
    ),
]
OsCores = Annotated[
    str | None,
    typer.Option(
        "--os-cores",
        metavar="LIST",
        help="Processors that isolation leaves to the system: 0,64.",
        show_default="the first core",
        rich_help_panel=WHERE,
    ),
]
Build = Annotated[
    str | None,
    typer.Option(
        "--build",
        metavar="NAMES",
        help="Run each case with each build of the programs: default,fast. `make build` adds builds, `banzuke list` "
        "shows them.",
        show_default="default",
        rich_help_panel=WHERE,
    ),
]
Mpi = Annotated[
    str | None,
    typer.Option(
        "--mpi",
        metavar="NAMES",
        help="Run each case with each MPI library, using a build for it: mpich,openmpi,intel.",
        show_default="the build's",
        rich_help_panel=WHERE,
    ),
]
Library = Annotated[
    str | None,
    typer.Option(
        "--library",
        metavar="NAMES",
        help="Run each case that calls a library with each of these: OpenBLAS,MKL (`banzuke machine` lists the BLAS "
        "libraries), own,FFTW (own: the benchmark's code), own,cuSPARSE.",
        show_default="the fastest BLAS, or own",
        rich_help_panel=WHERE,
    ),
]
Memory = Annotated[
    str | None,
    typer.Option(
        "--memory",
        metavar="LIST",
        help="Run each case with each NUMA memory policy: local, interleave, bind:0-1 (`banzuke machine` lists nodes).",
        show_default="the system's",
        rich_help_panel=WHERE,
    ),
]
Pages = Annotated[
    str | None,
    typer.Option(
        "--pages",
        metavar="LIST",
        help="Run each case with each kind of pages for arrays: base, transparent (huge), reserved (huge).",
        show_default="the program's choice",
        rich_help_panel=WHERE,
    ),
]
Cores = Annotated[
    list[str] | None,
    typer.Option(
        "--cores",
        metavar="LIST",
        help="Restrict cases to these processors, such as 0-3,8. Repeatable: each case runs on each set.",
        show_default="all",
        rich_help_panel=WHERE,
    ),
]
Env = Annotated[
    list[str] | None,
    typer.Option(
        "--env",
        metavar="NAME=VALUES",
        help="Set an environment variable for the programs; with NAME=a,b each case runs with each value. An empty "
        "value removes it. Repeatable.",
        rich_help_panel=WHERE,
    ),
]
LauncherOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--launcher-options",
        metavar="TEXT",
        help="Further options of the MPI launcher. Repeatable: each case runs with each.",
        rich_help_panel=WHERE,
    ),
]
# `banzuke submit` sets the hidden options in its scripts, where a person reads them.
Shape = Annotated[
    str | None,
    typer.Option(
        "--shape",
        metavar="TEXT",
        help="Shape of the job's nodes in the network: kept in the records, so that shapes compare.",
        hidden=True,
        rich_help_panel=WHERE,
    ),
]
Neighbours = Annotated[
    str,
    typer.Option(
        "--neighbours",
        metavar="LIST",
        help="Number of busy processes beside each case; 0,3 runs both.",
        rich_help_panel=WHERE,
    ),
]
Tune = Annotated[
    bool,
    typer.Option(
        "--tune",
        help="Search for faster settings in short runs first, and keep them for this machine.",
        rich_help_panel=HOW,
    ),
]
TuneSeconds = Annotated[
    float | None,
    typer.Option(
        "--tune-seconds",
        parser=seconds,
        metavar="TIME",
        help="Time for --tune; more allows larger sizes.",
        show_default="3m",
        rich_help_panel=HOW,
    ),
]
Untuned = Annotated[
    bool,
    typer.Option("--untuned", help="Ignore settings found by --tune.", rich_help_panel=HOW),
]
Fresh = Annotated[
    bool, typer.Option("--fresh", help="Start a new run instead of continuing an interrupted one.", rich_help_panel=HOW)
]


def _run_name(text: str) -> str:
    """With the number of a job array's element in the place of `%e`. Raises BanzukeError."""
    element = os.environ.get("BANZUKE_ELEMENT", "")
    if "%e" in text and not element:
        raise BanzukeError(f"--run {text} names no run", why="BANZUKE_ELEMENT is not set, which %e stands for")
    name = text.replace("%e", element)
    check_name(name)
    return name


RunName = Annotated[
    str | None,
    typer.Option(
        "--run",
        parser=_run_name,
        metavar="NAME",
        help="Name of the run; one that exists is continued.",
        rich_help_panel=OUTPUT,
    ),
]
Batch = Annotated[
    str | None,
    typer.Option(
        "--batch",
        metavar="NAME",
        help="What the records of hosts that are each measured by themselves have in common.",
        hidden=True,
        rich_help_panel=OUTPUT,
    ),
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
