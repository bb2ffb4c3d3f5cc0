"""`banzuke report`: the report of a run, from its records."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from banzuke import evaluation
from banzuke.cli.console import write_text
from banzuke.cli.options import DEFAULT_RESULTS, OUTPUT, WHAT, Results
from banzuke.errors import BanzukeError
from banzuke.machine import published
from banzuke.plan.catalogue import benchmarks
from banzuke.record.store import Run, Store
from banzuke.report.model import Beside, Evaluation


def report(
    run: Annotated[str, typer.Argument(help="Name of a run or how it begins, `last` or `previous`.")] = "last",
    beside: Annotated[
        str | None,
        typer.Option(
            "--beside",
            metavar="RUN",
            help="Another run, of this or another machine, to compare each problem of a collection (SpMV) with.",
            rich_help_panel=WHAT,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            metavar="DIR",
            help="Folder to write to.",
            show_default="the run's folder",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    results: Results = DEFAULT_RESULTS,
) -> None:
    """Write the report of a run again: HTML, Markdown, CSV, JSON, and its figures as SVG and PDF."""
    store = Store(results)
    other = store.locate(beside) if beside else None
    for file in write_report(store.find(run), folder=output, beside=other):
        write_text(f"{file}\n")


def write_report(
    run: Run, *, folder: Path | None = None, beside: Run | None = None, overhead: Callable[[], float] | None = None
) -> list[Path]:
    """Files written; the page is the last. Raises BanzukeError when there is nothing to report."""
    from banzuke.report.write import write  # noqa: PLC0415  (brings Altair)

    reading = run.read()
    if not reading.records:
        raise BanzukeError(
            f"run {run.name} has no records", why="; ".join(reading.unreadable[:3]) or "nothing was measured"
        )
    machine, plan = run.machine(), run.plan()
    assessments, ceilings = evaluation.judge(reading.records, machine, benchmarks(), run.ceilings())
    order = plan.order() if plan else []
    done = {(of.provenance.case, of.provenance.repetition) for of in reading.records if of.provenance}
    begun = {case for case, _ in done}
    made = Evaluation(
        run=run.name,
        machine=machine,
        assessments=assessments,
        ceilings=ceilings,
        benchmarks=benchmarks(),
        started=min(record.started for record in reading.records),
        ended=max(record.ended for record in reading.records),
        planned=len({case for case, _ in order}) if plan else len(assessments),
        missing_launches=sum(case in begun and (case, number) not in done for case, number in order),
        published=tuple(published.load()),
        unreadable=tuple(reading.unreadable),
        overhead_seconds=overhead() if overhead else None,
        beside=_judged(beside, run) if beside else None,
    )
    return write(made, folder or run.folder)


def _judged(other: Run, run: Run) -> Beside:
    """Raises BanzukeError where the runs share no collection."""
    known, machine = benchmarks(), other.machine()
    found = evaluation.judge(other.read().records, machine, known, other.ceilings())[0]
    mine, theirs = ({record.benchmark for record in records} for records in (run.read().records, other.read().records))
    if not any(known[name].collection for name in mine & theirs if name in known):
        raise BanzukeError(
            f"{run.name} and {other.name} have no collection in common",
            remedy="`banzuke compare` sets all other figures of two runs side by side",
        )
    return Beside(f"{machine.name}, {other.name}", found)
