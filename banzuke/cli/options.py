"""Options that several commands share, declared once; each has a variable BANZUKE_*."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from banzuke.errors import BanzukeError
from banzuke.machine import allocation
from banzuke.units import seconds

Results = Annotated[
    Path, typer.Option("--results", envvar="BANZUKE_RESULTS", help="Folder of the runs.", file_okay=False)
]
Json = Annotated[bool, typer.Option("--json", envvar="BANZUKE_JSON", help="One JSON document on stdout, nothing else.")]
Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", envvar="BANZUKE_VERBOSE", help="Print commands, bindings and causes.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", envvar="BANZUKE_DRY_RUN", help="Print what would run; run nothing.")]
BlasPath = Annotated[
    str | None,
    typer.Option("--blas", envvar="BANZUKE_BLAS", help="BLAS library to use, instead of the fastest found."),
]
Repeat = Annotated[
    int,
    typer.Option(
        "--repeat",
        envvar="BANZUKE_REPEAT",
        min=1,
        help="Launch every case so many times, in turn: no difference is shown by one launch alone.",
    ),
]
Timeout = Annotated[
    float | None,
    typer.Option(
        "--timeout",
        envvar="BANZUKE_TIMEOUT",
        min=0.001,
        max=1e9,
        help="Seconds after which a case is ended.",
        show_default="20 x estimate",
    ),
]
Seconds = Annotated[
    float | None,
    typer.Option(
        "--seconds",
        envvar="BANZUKE_SECONDS",
        parser=seconds,
        metavar="TIME",
        help="Time wanted for the timed part of a case, e.g. 90, 15m or 2h: chooses the size (HPL, DGEMM), or is the "
        "time itself (HPCG); of a collection (SpMV), for all cases. Without other parameters only the headline case "
        "runs.",
    ),
]
InputPath = Annotated[
    Path | None,
    typer.Option(
        "--input",
        envvar="BANZUKE_INPUT",
        help="Input file of the official code (HPL.dat, hpcg.dat): its cases run, as with --official.",
    ),
]
Official = Annotated[
    bool,
    typer.Option(
        "--official",
        envvar="BANZUKE_OFFICIAL",
        help="What the official code (OSU, HPL, HPCG) prints of such cases on the output stream, the table on the "
        "error stream.",
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
        envvar="BANZUKE_HOSTS",
        parser=HostList.of,
        metavar="NAMES",
        help="Hosts that ranks may run on, e.g. n1,n2 or n[01-16]; all like this one, and this one among them.",
        show_default="those of the job (Slurm, PBS, PJM)",
    ),
]
Placements = Annotated[
    str | None,
    typer.Option(
        "--placement",
        envvar="BANZUKE_PLACEMENT",
        metavar="NAMES",
        help="Where the ranks stand, by name or how it begins, e.g. same-complex,other-node, or all.",
    ),
]
Environments = Annotated[
    str,
    typer.Option(
        "--environment",
        envvar="BANZUKE_ENVIRONMENT",
        metavar="NAMES",
        help="What cases run in, each in all that are named: native, isolated, container, vm, mckernel; a tool may "
        "follow, as in container:podman.",
    ),
]
Image = Annotated[
    str | None,
    typer.Option(
        "--image",
        envvar="BANZUKE_IMAGE",
        help="Image of the container or virtual machine: a folder, an archive, a definition, a disk, or a "
        "name that the tool knows.",
        show_default="the system's own files",
    ),
]
OsCores = Annotated[
    str | None,
    typer.Option(
        "--os-cores",
        envvar="BANZUKE_OS_CORES",
        metavar="LIST",
        help="Processors that isolation leaves to the operating system, e.g. 0,64; no case of the run uses them.",
        show_default="the first core",
    ),
]
Neighbours = Annotated[
    str,
    typer.Option(
        "--neighbours",
        envvar="BANZUKE_NEIGHBOURS",
        metavar="NUMBERS",
        help="Busy processes beside each case; 0,3 runs each without and with three.",
    ),
]
Tune = Annotated[
    bool,
    typer.Option(
        "--tune",
        envvar="BANZUKE_TUNE",
        help="Search first, in short runs, for a setting faster than the default, and keep it for this machine.",
    ),
]
TuneSeconds = Annotated[
    float | None,
    typer.Option(
        "--tune-seconds",
        envvar="BANZUKE_TUNE_SECONDS",
        parser=seconds,
        metavar="TIME",
        help="Time for the search of --tune; the longer, the larger the sizes that it compares at.",
        show_default="3m",
    ),
]
Untuned = Annotated[
    bool,
    typer.Option("--untuned", envvar="BANZUKE_UNTUNED", help="Start from the default, not from what --tune found."),
]
Fresh = Annotated[
    bool, typer.Option("--fresh", envvar="BANZUKE_FRESH", help="Start anew, even if the same run was cut off.")
]
DEFAULT_RESULTS = Path("results")
