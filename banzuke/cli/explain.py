"""`banzuke explain`: a benchmark's page in the terminal."""

from typing import Annotated

import typer

from banzuke.cli.console import out
from banzuke.cli.run_options import names_of_benchmarks
from banzuke.plan.catalogue import page


def explain(
    name: Annotated[
        str,
        typer.Argument(
            metavar="BENCHMARK",
            help="A benchmark; `banzuke list` shows them.",
            autocompletion=names_of_benchmarks,
        ),
    ],
) -> None:
    """Show a benchmark's page: its question, how it counts and verifies, its limit, its traps."""
    from rich.markdown import Markdown  # noqa: PLC0415  (takes longer to load than the rest of this command)

    out.print(Markdown(page(name), hyperlinks=False))
