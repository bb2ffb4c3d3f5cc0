"""Options that several commands share, declared once; each has a variable BANZUKE_*."""

from pathlib import Path
from typing import Annotated

import typer

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
        "--repeat", envvar="BANZUKE_REPEAT", min=1, help="Go through all cases so many times, to compare them fairly."
    ),
]
Timeout = Annotated[
    float | None,
    typer.Option(
        "--timeout",
        envvar="BANZUKE_TIMEOUT",
        min=0.001,
        help="Seconds after which a case is ended.",
        show_default="20 x estimate",
    ),
]
Fresh = Annotated[
    bool, typer.Option("--fresh", envvar="BANZUKE_FRESH", help="Start anew, even if the same run was cut off.")
]
DEFAULT_RESULTS = Path("results")
