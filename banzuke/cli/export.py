"""`banzuke export FORMAT RUN...`: a run for continuous integration, monitoring and ReFrame."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from banzuke.cli.console import errors, warn, write_text
from banzuke.cli.options import DEFAULT_RESULTS, OUTPUT, Results, Runs
from banzuke.errors import BanzukeError
from banzuke.export import junit, openmetrics
from banzuke.export.model import ExportedRun, exported_run
from banzuke.export.reframe import reframe
from banzuke.files import check_folder, write_whole
from banzuke.plan.catalogue import benchmarks
from banzuke.results.store import Store
from banzuke.text import nearest


def _openmetrics(runs: Sequence[ExportedRun]) -> Mapping[str, str]:
    if len(runs) > 1:
        raise BanzukeError(
            "OpenMetrics has one run at a time",
            why="a metric has one value",
            remedy="Export each run by itself, and let Prometheus keep the history",
        )
    return {openmetrics.FILE: openmetrics.openmetrics(runs[0])}


FORMATS: Mapping[str, Callable[[Sequence[ExportedRun]], Mapping[str, str]]] = {
    "junit": lambda runs: {junit.FILE: junit.junit(runs)},
    "openmetrics": _openmetrics,
    "reframe": reframe,
}
"""Functions that return the texts by file name. They may raise BanzukeError."""


def export(
    form: Annotated[
        str,
        typer.Argument(
            metavar="FORMAT",
            help="`junit`: XML with each case as a test, `openmetrics`: figures for Prometheus, `reframe`: ReFrame's "
            "performance logs.",
        ),
    ],
    runs: Runs = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            metavar="DIR",
            help="Directory to write to: junit.xml, banzuke.prom, or perflogs/SYSTEM/PARTITION/BENCHMARK.log.",
            show_default="the output stream",
            file_okay=False,
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    results: Results = DEFAULT_RESULTS,
) -> None:
    """Export runs for other programs: each case, why it failed if it did, and the figures whose checks passed."""
    if form not in FORMATS:
        raise BanzukeError(f"there is no format '{form}'", remedy=nearest(form, list(FORMATS)))
    if output is None and form == "reframe":
        raise BanzukeError("ReFrame's logs are several files", remedy="Name a directory for them with --output")
    if output:
        check_folder(output, "--output")
    store = Store(results)
    chosen = list({run.folder.resolve(): run for run in map(store.locate, runs or ["last"])}.values())
    exported: list[ExportedRun] = []
    for run in chosen:
        contents, unreadable = exported_run(run, benchmarks())
        for problem in unreadable:
            warn(f"not exported: {problem}")
        exported.append(contents)
    files = FORMATS[form](exported)
    if output is None:
        for text in files.values():
            write_text(text)
        return
    for name, text in files.items():
        errors.say((f"{write_whole(output / name, text.encode(), option='--output')}", "dim"))
