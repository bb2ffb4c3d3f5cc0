"""Writes a report: one page, its tables as Markdown, CSV and JSON, and its charts as files."""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from banzuke.charts.style import FONT, LIGHT
from banzuke.document import Block, Chart, Document, Drawing, Section, Table, inside, with_charts
from banzuke.document.csv import table_csv
from banzuke.document.drawing import drawing_svg
from banzuke.document.markdown import document_markdown
from banzuke.files import check_no_link, unlink, write_whole
from banzuke.judge.assess import fault, withhold
from banzuke.judge.model import Assessment
from banzuke.report.charts.draw import Drawings, draw
from banzuke.report.compose import compose, runs_of, tables
from banzuke.report.data import report_json
from banzuke.report.figures_csv import figures_csv
from banzuke.report.model import Evaluation
from banzuke.report.page import page
from banzuke.words import Message, message
from banzuke.words.language import LANGUAGES, Words, words

FIGURES = "figures"
"""Folder of the charts within the report's folder."""
PAGE = "report.html"
_SUFFIXES = ("svg", "pdf")


class Written(NamedTuple):
    files: list[Path]
    """Written files, the page last."""
    undrawn: Message | None = None
    """Which charts are missing, and why; None: none is."""
    letters: bool = True
    """Whether the PDF files contain the characters of the report's language."""


class Rendered(NamedTuple):
    document: Document
    files: dict[str, bytes]
    """Content by file name, without charts; the page is last."""


def write(evaluation: Evaluation, folder: Path, language: str = "en") -> Written:
    """Write the report of one run, as a study of one. See `write_study`."""
    return write_study([evaluation], folder, language)


def write_study(
    evaluations: Sequence[Evaluation], folder: Path, language: str = "en", further: Sequence[Section] = ()
) -> Written:
    """Write the report of several runs.

    Everything except the charts is rendered before the first file is written; each file appears complete or not at all.
    Records that cannot be rendered are reported as failed; if that is not enough, views are left out. `language` is one
    of `words.language.LANGUAGES`; `further`: sections about several runs together. Raises BanzukeError.
    """
    wording = words(language)
    return publish(_rendered_anyhow(evaluations, wording, further), folder, wording)


def publish(report: Rendered, folder: Path, wording: Words) -> Written:
    """Write the report without its charts, which remains if drawing fails; then with them.

    Raises BanzukeError.
    """
    first = _keep(report.files, folder)
    charts = _charts(report.document)
    if not charts:
        return Written(first)
    drawn = draw({chart.id: chart.spec for chart in charts}, LANGUAGES[wording.language], script=True)
    missing = [chart.id for chart in charts if chart.id not in drawn.files]
    undrawn = message("report-undrawn", missing=len(missing), charts=len(charts), why=drawn.why) if drawn.why else None
    for name in missing:  # remove drawings of an earlier report
        _remove(folder, name)
    pictures = {
        f"{FIGURES}/{name}.{suffix}": content
        for name, (svg, pdf) in drawn.files.items()
        for suffix, content in zip(_SUFFIXES, (svg.encode(), pdf), strict=True)
    }
    then = _keep(pictures | _pages(_marked(report.document, drawn, undrawn, wording), drawn.script), folder)
    return Written([*(path for path in first if path not in then), *then], undrawn, drawn.letters)


def _keep(files: Mapping[str, bytes], folder: Path) -> list[Path]:
    """Write the files in order. Raises BanzukeError."""
    check_no_link(folder / FIGURES)
    return [write_whole(folder / name, data, option="--output") for name, data in files.items()]


def _remove(folder: Path, name: str) -> None:
    for suffix in _SUFFIXES:
        with contextlib.suppress(OSError):
            unlink(folder / FIGURES / f"{name}.{suffix}")


def _rendered_anyhow(evaluations: Sequence[Evaluation], wording: Words, further: Sequence[Section]) -> Rendered:
    try:
        return rendered(evaluations, wording, further)
    except Exception as error:  # noqa: BLE001  (see `judge.assess`)
        first = error
    sound = [_sound(evaluation, wording) for evaluation in evaluations]
    for attempt in (sound, [_without_views(evaluation, first) for evaluation in evaluations]):
        with contextlib.suppress(Exception):
            return rendered(attempt, wording, further)
    return rendered([_without_views(evaluation, first) for evaluation in sound], wording, further)


def _without_views(evaluation: Evaluation, error: Exception) -> Evaluation:
    bare = {name: replace(benchmark, views=()) for name, benchmark in evaluation.benchmarks.items()}
    return replace(evaluation, benchmarks=bare, without_views=fault(error))


def _sound(evaluation: Evaluation, wording: Words) -> Evaluation:
    """Return the evaluation with records that cannot be rendered marked as failed."""
    faulty = _faulty(evaluation, evaluation.assessments, wording)
    if not faulty:
        return evaluation
    assessments = [withhold(a.record, faulty[id(a)]) if id(a) in faulty else a for a in evaluation.assessments]
    return replace(evaluation, assessments=tuple(assessments))


def _faulty(evaluation: Evaluation, assessments: Sequence[Assessment], wording: Words) -> dict[int, Exception]:
    """Return the assessments that cannot be rendered even alone, by their `id`, found by halving."""
    try:
        rendered([replace(evaluation, assessments=tuple(assessments))], wording)
    except Exception as error:  # noqa: BLE001  (see `judge.assess`)
        if len(assessments) == 1:
            return {id(assessments[0]): error}
        middle = len(assessments) // 2
        return _faulty(evaluation, assessments[:middle], wording) | _faulty(evaluation, assessments[middle:], wording)
    return {}


def rendered(evaluations: Sequence[Evaluation], wording: Words, further: Sequence[Section] = ()) -> Rendered:
    runs = runs_of(evaluations, wording)
    document = compose(runs, wording, further)
    files = {
        "report.json": report_json(runs_of(evaluations, words())),  # for programs: the same in all languages
        "report.csv": figures_csv(runs).encode(),
    }
    files |= {name: table_csv(table).encode() for name, table in tables(runs, wording).items()}
    return Rendered(document, files | files_of(document, wording))


def files_of(document: Document, wording: Words) -> dict[str, bytes]:
    """Return its tables and pages, without charts."""
    blocks = _blocks(document)
    files = {
        f"{FIGURES}/{block.id}.svg": drawing_svg(block, LIGHT, FONT).encode()
        for block in blocks
        if isinstance(block, Drawing)
    }
    files |= {
        f"{block.file}.csv": table_csv(block).encode() for block in blocks if isinstance(block, Table) and block.file
    }
    undrawn = message("report-undrawn-yet") if _charts(document) else None
    return files | _pages(_marked(document, Drawings(), undrawn, wording))


def _pages(document: Document, charts_script: str = "") -> dict[str, bytes]:
    return {
        "report.md": document_markdown(document, PAGE).encode(),
        PAGE: page(document, charts_script).encode(),
    }


def _marked(document: Document, drawn: Drawings, undrawn: Message | None, wording: Words) -> Document:
    """Return the document with its charts marked as drawn or not, and a note on those that are missing."""

    def changed(chart: Chart) -> Chart:
        return replace(chart, files=chart.id in drawn.files, plotted=bool(drawn.script))

    if not undrawn:
        return document
    instead = None if drawn.script else message("report-undrawn-told")
    notes = {
        "undrawn": wording.sentences(filter(None, (undrawn, instead))),
        "no-script": wording(message("report-script-alone")),
    }
    sections = tuple(replace(section, blocks=with_charts(section.blocks, changed)) for section in document.sections)
    return replace(document, sections=sections, notes={**document.notes, **notes})


def _charts(document: Document) -> list[Chart]:
    return [block for block in _blocks(document) if isinstance(block, Chart)]


def _blocks(document: Document) -> list[Block]:
    return [block for section in document.sections for block in inside(section.blocks)]
