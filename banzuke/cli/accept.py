"""`banzuke accept CONTRACT RUN...`: whether runs reach what a centre and a vendor have agreed on."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from banzuke.acceptance.cases import MeasuredRun, distinct
from banzuke.acceptance.contract import Contract, read_contract
from banzuke.acceptance.data import acceptance_csv, acceptance_data
from banzuke.acceptance.improvement import ImprovementResult, improvement
from banzuke.acceptance.judge import FigureResult, judge_contract
from banzuke.acceptance.sheet import FILE, Acceptance, figures_table, improvement_table, outcome, reasons, sheet
from banzuke.cli.compare_sides import resolve
from banzuke.cli.compare_totals import STATUS
from banzuke.cli.console import errors, out, write_json, write_text
from banzuke.cli.options import DEFAULT_LANGUAGE, DEFAULT_RESULTS, OUTPUT, Json, Language, Results, Runs
from banzuke.cli.selection import machine_if_readable, read_records
from banzuke.document.markdown import document_markdown
from banzuke.document.terminal import terminal_table
from banzuke.errors import BanzukeError
from banzuke.files import check_folder, unlink, unwritable, write_whole
from banzuke.machine.public import known_machines
from banzuke.machine.published import PublishedMachine
from banzuke.plan import catalogue
from banzuke.plan.benchmark import Benchmark
from banzuke.results.store import Store
from banzuke.text import json_text
from banzuke.words.language import LANGUAGES, words


def accept(
    contract: Annotated[
        Path, typer.Argument(metavar="CONTRACT.toml", help="What was agreed on; docs/accept.md has an example.")
    ],
    runs: Runs = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            metavar="DIR",
            help="Directory to write a sheet to, which can be printed and signed: HTML, PDF, Markdown, CSV and JSON.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Print CSV with unrounded values.", rich_help_panel=OUTPUT)
    ] = False,
    language: Language = DEFAULT_LANGUAGE,
    results: Results = DEFAULT_RESULTS,
    as_json: Json = False,
) -> None:
    """Check whether runs reach the figures of a contract between a centre and a vendor: pass, fail, or cannot be told.

    Exit status: 0 if every figure passes or is waived, 1 if one fails, 3 if one cannot be told.
    """
    if as_csv and as_json:
        raise BanzukeError("--csv and --json exclude each other", remedy="Give one of them")
    store, benchmarks = Store(results), catalogue.benchmarks()
    agreed = read_contract(contract, benchmarks)
    if output:
        check_folder(output, "--output")
    measured = _measured(store, runs or ["last"])
    figures = judge_contract(agreed, measured, benchmarks)
    improved = _improvement(agreed, figures, store, benchmarks)
    acceptance = Acceptance(agreed, tuple(measured), figures, improved, datetime.now(UTC))
    if output:
        _write(acceptance, output, language)
    if as_json:
        write_json(acceptance_data(acceptance, words()))
    elif as_csv:
        write_text(acceptance_csv(acceptance, words()))
    else:
        _print(acceptance)
    raise typer.Exit(STATUS[acceptance.verdict])


def _measured(store: Store, names: Sequence[str]) -> list[MeasuredRun]:
    """Return the runs, each once. Raises BanzukeError."""
    chosen = list({run.folder.resolve(): run for run in map(store.locate, names)}.values())
    readings = read_records(chosen)
    measured = [
        MeasuredRun(name, records, machine_if_readable(run))
        for run, (name, records) in zip(chosen, readings, strict=True)
    ]
    if not any(run.records for run in measured):
        raise BanzukeError(
            f"{' and '.join(run.name for run in measured)} has no records",
            why="nothing was measured",
            remedy="Name another run (`banzuke list`), or measure again",
        )
    return distinct(measured)


def _improvement(
    contract: Contract, figures: Sequence[FigureResult], store: Store, benchmarks: Mapping[str, Benchmark]
) -> ImprovementResult | None:
    """Return the improvement over the predecessor; None: the contract names none. Raises BanzukeError."""
    asked = contract.file.improvement
    if asked is None:
        return None
    try:
        side = resolve(asked.predecessor, store, known_machines())
        if isinstance(side, PublishedMachine):
            return improvement(asked, side, figures, benchmarks, store.launched)
        before = MeasuredRun(asked.predecessor, side, machine_if_readable(store.locate(asked.predecessor)))
    except BanzukeError as error:
        where = f"{contract.path}: line {contract.predecessor_line}: improvement.predecessor"
        raise BanzukeError(f"{where}: {error.problem}", why=error.why, remedy=error.remedy) from error
    return improvement(asked, before, figures, benchmarks, store.launched)


def _print(acceptance: Acceptance) -> None:
    out.say((acceptance.contract.file.title, "bold"))
    out.print(terminal_table(figures_table(acceptance, words())))
    if acceptance.improvement:
        out.print(terminal_table(improvement_table(acceptance.improvement, words())))
        for why in acceptance.improvement.why:
            out.say(words()(why))
    for said in reasons(acceptance, words()):
        out.say(said)
    for term in acceptance.contract.terms:
        if waiver := term.asked.waiver:
            out.say(f"Waived by {waiver.name}: {term.name or term.metric.title}: {waiver.reason}")
    out.say(f"{words()(outcome(acceptance.verdict))}: {words()(acceptance.totals)}")


def _write(acceptance: Acceptance, folder: Path, language: str) -> None:
    """Write the sheet. Raises BanzukeError."""
    from banzuke.acceptance.paper import pages  # noqa: PLC0415  (the same)
    from banzuke.charts.style import LIGHT, font_of  # noqa: PLC0415  (the same)
    from banzuke.report.charts.draw import print_pages  # noqa: PLC0415  (brings Altair)
    from banzuke.report.compose import page_notes  # noqa: PLC0415  (the same)
    from banzuke.report.page import page  # noqa: PLC0415  (the same)

    say = words(language)
    document = sheet(acceptance, say, dict(page_notes(say)))
    font = font_of(document_markdown(document))
    drawn = pages(document, LIGHT, font)
    names = [f"{FILE}{f'-{at}' if len(drawn) > 1 else ''}.pdf" for at in range(1, len(drawn) + 1)]
    printed = print_pages(dict(zip(names, drawn, strict=True)), LANGUAGES[say.language], font)
    files = {
        f"{FILE}.json": json_text(acceptance_data(acceptance, words())).encode(),
        f"{FILE}.csv": acceptance_csv(acceptance, say).encode(),
        f"{FILE}.md": document_markdown(document).encode(),
        **printed.files,
        f"{FILE}.html": page(document).encode(),
    }
    for name, content in files.items():
        write_whole(folder / name, content, option="--output")
    for old in {path.name for path in folder.glob(f"{FILE}*.pdf")} - files.keys():
        try:
            unlink(folder / old)
        except OSError as error:
            raise unwritable(folder / old, error, "--output") from error
    if printed.why:
        errors.say(words()(printed.why))
    if not printed.letters:
        errors.say(
            f"The PDF lacks letters: this machine has no font for {LANGUAGES[language]} (Debian: fonts-noto-cjk). The "
            "page is complete: print it from a browser."
        )
    errors.say((f"sheet in {folder / FILE}.html", "dim"))
