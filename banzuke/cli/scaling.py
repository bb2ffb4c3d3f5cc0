"""`banzuke scaling`: shows how figures change with the number of nodes."""

from typing import Annotated

import typer

from banzuke.cli.console import errors, out, warn_of, write_json
from banzuke.cli.options import DEFAULT_RESULTS, Json, Results, metric_option
from banzuke.document.terminal import terminal
from banzuke.errors import BanzukeError
from banzuke.plan.catalogue import benchmarks
from banzuke.plan.strong import of_any_kind
from banzuke.record.model import Record
from banzuke.results.run import Run
from banzuke.results.store import Store
from banzuke.text import nearest
from banzuke.units import count
from banzuke.words.language import words


def scaling(
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RUN", help="Runs, by name, prefix or folder.", show_default="all of the results directory"
        ),
    ] = None,
    metric: Annotated[str | None, metric_option("Rate to show.")] = None,
    results: Results = DEFAULT_RESULTS,
    json: Json = False,
) -> None:
    """Show strong, weak and throughput scaling over the numbers of nodes in runs: efficiency, models, what to measure
    next.
    """
    from banzuke.scaling.data import scaling_json  # noqa: PLC0415  (brings numpy)
    from banzuke.scaling.find import scaling_studies  # noqa: PLC0415  (the same)
    from banzuke.scaling.page import blocks  # noqa: PLC0415  (the same)

    store, specs = Store(results), benchmarks()
    rates = sorted({rate.name for spec in specs.values() for rate in spec.metrics if rate.better == "higher"})
    if metric is not None and metric not in rates:
        raise BanzukeError(f"no benchmark has a rate '{metric}'", remedy=nearest(metric, rates))
    chosen = [store.locate(name) for name in runs] if runs else [run for run in store.runs() if not run.of_fleet]
    records: list[Record] = []
    nodes: dict[str, int] = {}
    with errors.busy(f"reading {count(len(chosen), 'run')} ..."):
        for run in chosen:
            reading = run.read()
            warn_of(reading)
            records += reading.records
            nodes |= _nodes(run)
    studies = scaling_studies(records, specs, metric, nodes)
    if json:
        write_json(scaling_json(studies, words()))
        return
    if not studies.studies:
        raise BanzukeError(
            "there is no scaling study",
            why="; ".join(studies.without[:3]) or "nothing was measured on several numbers of nodes",
            remedy=f"`banzuke submit {of_any_kind(specs)} --nodes 1,2,4 --scaling strong,weak` measures one",
        )
    for block in terminal(blocks(studies, words())):
        out.print(block, "")


def _nodes(run: Run) -> dict[str, int]:
    """Return the number of nodes of the run's partition by fingerprint, if its description has it; else nothing."""
    try:
        machine = run.machine()
    except BanzukeError:
        return {}
    return {machine.fingerprint: number} if (number := machine.partition.number) else {}
