"""`banzuke report`: writes the report of a run, or of several side by side, from their records."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from banzuke.cli.console import errors, write_text
from banzuke.cli.options import DEFAULT_LANGUAGE, DEFAULT_RESULTS, OUTPUT, Language, Results
from banzuke.errors import BanzukeError
from banzuke.fleet.load import load
from banzuke.fleet.model import Fleet
from banzuke.fleet.verdict import FleetJudgement
from banzuke.judge.headline import headlines_first
from banzuke.judge.records import judge
from banzuke.launch.complete import out_of_time
from banzuke.machine import published
from banzuke.plan.catalogue import benchmarks
from banzuke.plan.cut_short import messages, missing
from banzuke.report.model import Evaluation
from banzuke.results.run import Run
from banzuke.results.store import Store
from banzuke.words.language import LANGUAGES, words

if TYPE_CHECKING:
    from banzuke.report.write import Written

REPORTS = "reports"
"""Folder within the results for reports of several runs."""
SIDE_BY_SIDE = 16
"""Most runs that a report compares one by one; more runs, of hosts measured alike, are a fleet."""
_NAMED = 3
"""Most runs that the name of such a report's folder lists."""


def report(
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RUN",
            help="Runs, by name or prefix, `last` or `previous`, or folders, for example from other machines. Several "
            "are compared in one report.",
            show_default="last",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            metavar="DIR",
            help="Directory to write to.",
            show_default="the run's folder; for several runs, a folder in reports/ of the results directory",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    language: Language = DEFAULT_LANGUAGE,
    results: Results = DEFAULT_RESULTS,
) -> None:
    """Write the report of a run, or a comparison of several: HTML, Markdown, CSV, JSON, and charts as SVG and PDF."""
    store = Store(results)
    chosen = list({run.folder.resolve(): run for run in map(store.locate, runs or ["last"])}.values())
    folder = output or (chosen[0].folder if len(chosen) == 1 else results / REPORTS / name_of(chosen))
    written = _written(store, chosen, folder, language)
    write_text(f"{written.files[-1]}\n")
    warn_of_charts(written, language)


def _written(store: Store, runs: Sequence[Run], folder: Path, language: str) -> "Written":
    """Write the report; for a screen, or for too many runs to compare one by one, only the page of nodes."""
    from banzuke.cli.screen_baseline import judged  # noqa: PLC0415  (brings SciPy)
    from banzuke.fleet.page import sections  # noqa: PLC0415  (brings Altair)
    from banzuke.report.write import write_study  # noqa: PLC0415  (the same)

    screened = any(run.of_fleet for run in runs)
    fleet = load(runs) if screened or len(runs) > 1 else None
    if fleet is None or (not screened and len(fleet.nodes) < 2):
        return write_study(_beside_others(store, [evaluated(run) for run in runs]), folder, language)
    judgement = judged(store, runs, fleet)
    if screened or len(runs) > SIDE_BY_SIDE:
        return write_fleet_report(runs, fleet, judgement, folder, language)
    further = sections(fleet, judgement, words(language))
    return write_study(_beside_others(store, [evaluated(run) for run in runs]), folder, language, further)


def _beside_others(store: Store, evaluations: Sequence[Evaluation]) -> Sequence[Evaluation]:
    """Return the evaluations with the launches of their cases in all runs, if they are compared with each other."""
    if len(evaluations) < 2:
        return evaluations
    hashes = {
        record.provenance.case
        for evaluation in evaluations
        for case in evaluation.assessments
        for record in case.records
        if record.provenance
    }
    launched = tuple(store.launched(hashes))
    return [replace(evaluation, launched=launched) for evaluation in evaluations]


def write_fleet_report(
    runs: Sequence[Run], fleet: Fleet, judgement: FleetJudgement, folder: Path, language: str
) -> "Written":
    """Write the report on many nodes. Raises BanzukeError."""
    from banzuke.report.fleet import write_fleet  # noqa: PLC0415  (brings Altair)

    return write_fleet(fleet, judgement, [run.name for run in runs], runs[0].machine(), folder, language)


def name_of(runs: Sequence[Run]) -> str:
    """Return a name that is the same for the same runs in the same order, so that their report is overwritten."""
    names = [run.name for run in runs]
    if len(names) <= _NAMED:
        return "+".join(names)
    digest = hashlib.sha256("\n".join(str(run.folder.resolve()) for run in runs).encode()).hexdigest()[:6]
    return f"{names[0]}+{len(names) - 1}-others-{digest}"


def warn_of_charts(written: "Written", language: str) -> None:
    """Print which charts are missing, and what the existing ones lack."""
    if written.undrawn:
        errors.say(words()(written.undrawn))
    if not written.letters:
        errors.say(
            f"The figures' PDF files lack letters: this machine has no font for {LANGUAGES[language]} (Debian: "
            "fonts-noto-cjk). The page and the SVG files are complete: they use the fonts of whoever reads them."
        )


def write_report(evaluation: Evaluation, folder: Path, language: str) -> "Written":
    """Write the report. Raises BanzukeError."""
    from banzuke.report.write import write  # noqa: PLC0415  (brings Altair)

    return write(evaluation, folder, language)


def evaluated(run: Run, *, overhead: Callable[[], float] | None = None) -> Evaluation:
    """Return the run's evaluation. Raises BanzukeError if there is nothing to report."""
    reading = run.read()
    if not reading.records:
        raise BanzukeError(
            f"run {run.name} has no records",
            why="; ".join(reading.unreadable[:3]) or "nothing was measured",
            remedy="Name another run (`banzuke list`), or measure again",
        )
    machine, plan = run.machine(), run.plan()
    judged, ceilings = judge(reading.records, machine, benchmarks(), run.ceilings())
    assessments = headlines_first(judged, benchmarks())
    order = plan.order() if plan else []
    done = {(record.provenance.case, record.provenance.repetition) for record in reading.records if record.provenance}
    begun = {case for case, _ in done}
    return Evaluation(
        run=run.name,
        machine=machine,
        assessments=assessments,
        ceilings=ceilings,
        benchmarks=benchmarks(),
        started=min(record.started for record in reading.records),
        ended=max(record.ended for record in reading.records),
        planned=len({case for case, _ in order}) if plan else len(assessments),
        missing_launches=sum(case in begun and (case, number) not in done for case, number in order),
        standard=sum(plan.budget.standard.values()) if plan and plan.budget else None,
        incomplete=missing(plan.cases, plan.budget, out_of_time(reading.records)) if plan else None,
        cut_short=tuple(messages(plan.cases, plan.budget)) if plan else (),
        published=tuple(published.load()),
        unreadable=tuple(reading.unreadable),
        orders=run.orders(),
        overhead_seconds=overhead() if overhead else None,
    )
