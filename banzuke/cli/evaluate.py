"""`banzuke evaluate`: measures everything that this installation can, judges it and writes the report."""

from typing import Annotated

import typer

from banzuke.cli.declared import with_options
from banzuke.cli.options import HOW, launches
from banzuke.cli.run_options import RunOptions


@with_options(
    RunOptions,
    "evaluate",
    repeat=(
        Annotated[
            int | None,
            typer.Option(
                "--repeat",
                metavar="N",
                min=1,
                callback=launches,
                help="Launch every case N times within the same time.",
                show_default="3 for headlines, 1 for others",
                rich_help_panel=HOW,
            ),
        ],
        None,
    ),
)
def evaluate(options: RunOptions) -> None:
    """Evaluate this machine: run as many standard cases of every benchmark as fit the time, and write the report.

    Exit status: 0 all was verified, 1 something failed, 3 time ran out before some benchmark had a figure.
    """
    from banzuke.cli.evaluate_machine import evaluate_machine  # noqa: PLC0415

    evaluate_machine(options)
