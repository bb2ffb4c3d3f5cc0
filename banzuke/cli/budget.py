"""The time that an evaluation may take, the benchmarks that share it, and the JSON of what was cut short."""

import math
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from banzuke.cli.options import HOW, written
from banzuke.errors import BanzukeError
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.catalogue import benchmarks, find
from banzuke.plan.cut_short import cut_short
from banzuke.program.installed import backends
from banzuke.results.run import Run

DEFAULT_MINUTES = 5.0
MOST_MINUTES = 30 * 24 * 60.0


def read_minutes(text: str) -> float:
    """Return the number of minutes. Raises BanzukeError."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value <= MOST_MINUTES:
        raise BanzukeError(
            f"--minutes '{text}' is not a number of minutes",
            remedy=f"Write one that is greater than 0 and at most {MOST_MINUTES:,.0f}, such as 5 or 0.5",
        )
    return value


Minutes = Annotated[
    float,
    typer.Option(
        "--minutes",
        parser=written(read_minutes),
        metavar="N",
        help="Time for all measurements: benchmarks share it, and shorten or leave out cases.",
        rich_help_panel=HOW,
    ),
]


def choose(only: Sequence[str], without: Sequence[str], *, anywhere: bool = False) -> dict[str, Benchmark]:
    """Return the named benchmarks, else those that are installed here, or with `anywhere` all. Raises BanzukeError."""
    wanted, unwanted = _names("--only", only), _names("--without", without)
    if both := [name for name in wanted if name in unwanted]:
        raise BanzukeError(
            f"--only and --without both name {' and '.join(both)}", remedy="Leave the names out of one of them"
        )
    available = [name for name in benchmarks() if anywhere or backends(name)]
    if not (wanted or available):
        raise BanzukeError("no benchmark is installed", remedy="Install Banzuke again: `make setup` or `pip install .`")
    chosen = [name for name in wanted or available if name not in unwanted]
    if not chosen:
        raise BanzukeError("--without leaves no benchmark", remedy="Exclude fewer")
    return {name: find(name) for name in chosen}


def _names(option: str, values: Sequence[str]) -> list[str]:
    """Return the names in comma-separated lists, each once. Raises BanzukeError for one that is no benchmark."""
    names = list(dict.fromkeys(name.strip() for value in values for name in value.split(",")))
    for name in names:
        if not name:
            example = ",".join([*benchmarks()][:2])
            raise BanzukeError(f"{option} has an empty name", remedy=f"Write names separated by commas: {example}")
        find(name)
    return names


def budget_data(run: Run) -> dict[str, Any] | None:
    """Return the budget for `--json`: seconds, the estimate for all cases, and what was cut short of each benchmark;
    None if the run has no budget.
    """
    plan = run.plan()
    if plan is None or plan.budget is None:
        return None
    return {
        "seconds": plan.budget.seconds,
        "whole": sum(plan.budget.whole.values()),
        "cut_short": [
            {
                "benchmark": cut.benchmark,
                "cases": cut.cases,
                "of": cut.of,
                "launches": cut.launches,
                "wanted": cut.wanted,
                "estimated_seconds": cut.seconds,
                "usual_seconds": cut.usual,
            }
            for cut in cut_short(plan.cases, plan.budget)
        ],
    }
