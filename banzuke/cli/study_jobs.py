"""The scaling studies that `banzuke submit` is asked for, and the benchmarks of each."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from banzuke.batch.plan import SCALING, Kind
from banzuke.cli.console import errors
from banzuke.cli.options import WHAT
from banzuke.errors import BanzukeError
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.catalogue import benchmarks
from banzuke.plan.strong import keeps_problem, of_any_kind


def _kinds(text: str) -> tuple[Kind, ...]:
    """Return the kinds of studies in `strong,weak`. Raises BanzukeError."""
    kinds = {part.strip() for part in text.split(",")}
    if unknown := sorted(kinds - set(SCALING)):
        raise BanzukeError(
            f"--scaling '{text}' is not understood",
            why=f"'{unknown[0]}' is no kind of study",
            remedy=f"Write {', '.join(SCALING)}, or some of these",
        )
    return tuple(kind for kind in SCALING if kind in kinds)


Kinds = Annotated[
    Any,
    typer.Option(
        "--scaling",
        parser=_kinds,
        metavar="NAMES",
        help="A study over the numbers of nodes: weak (the problem grows with the nodes), strong (it is that of the "
        "fewest), throughput (a copy on each node at the same time); `banzuke scaling` shows it.",
        show_default="as weak, and benchmarks of one node on each by itself",
        rich_help_panel=WHAT,
    ),
]


def of_kinds(specs: Mapping[str, Benchmark], asked: Sequence[Kind], *, evaluate: bool) -> dict[Kind, list[str]]:
    """Return the benchmarks of each kind, and print which take no part. Raises BanzukeError."""
    if evaluate and "strong" in asked:
        raise BanzukeError(
            "--scaling strong is not for --evaluate",
            why="an evaluation chooses sizes by its minutes",
            remedy="Name benchmarks instead",
        )
    able: dict[Kind, list[str]] = {
        "weak": [name for name, spec in specs.items() if spec.spans_hosts],
        "strong": [name for name, spec in specs.items() if keeps_problem(spec)],
        "throughput": [name for name, spec in specs.items() if not (spec.storage or spec.messages)],
    }
    if not any(able[kind] for kind in asked):
        raise BanzukeError(
            f"{' and '.join(specs)}: no {' or '.join(asked)} scaling",
            why="what is measured belongs to one node, to messages or to a storage area",
            remedy=f"Add a benchmark that spans hosts, such as {of_any_kind(benchmarks())}",
        )
    for kind in asked:
        if others := [name for name in specs if name not in able[kind]]:
            errors.say(f"no {kind} scaling of {', '.join(others)}")
    return {kind: able[kind] for kind in asked}
