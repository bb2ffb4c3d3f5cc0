"""Writes a report: one page, its tables as Markdown, CSV and JSON, and its charts as files."""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from banzuke.charts.style import FONT, LIGHT
from banzuke.document import Chart, Document, Drawing, Section, Table, inside
from banzuke.document.csv import table_csv
from banzuke.document.drawing import drawing_svg
from banzuke.document.markdown import document_markdown
from banzuke.files import check_no_link, write_whole
from banzuke.limit.assess import fault, withhold
from banzuke.limit.model import Assessment
from banzuke.report.charts.draw import pdf, svg
from banzuke.report.compose import compose, runs_of, tables
from banzuke.report.data import report_json
from banzuke.report.figures_csv import figures_csv
from banzuke.report.model import Evaluation
from banzuke.report.page import page
from banzuke.words.language import Words, words

FIGURES = "figures"
"""Folder of the charts within that of a report."""


def write(evaluation: Evaluation, folder: Path, language: str = "en") -> list[Path]:
    """The report of one run: the smallest study. See `write_study`."""
    return write_study([evaluation], folder, language)


def write_study(
    evaluations: Sequence[Evaluation], folder: Path, language: str = "en", further: Sequence[Section] = ()
) -> list[Path]:
    """Everything is rendered before the first file is written; each file appears whole or not at all.

    Records that cannot be rendered are reported as failed ones; where that is not enough, views are left out.
    `language` is one of `words.language.LANGUAGES`; `further`: of several runs together. Raises BanzukeError.
    """
    return keep(_rendered_anyhow(evaluations, words(language), further), folder)


def keep(files: Mapping[str, bytes], folder: Path) -> list[Path]:
    """Written in their order. Raises BanzukeError."""
    check_no_link(folder / FIGURES)
    return [write_whole(folder / name, data) for name, data in files.items()]


def _rendered_anyhow(evaluations: Sequence[Evaluation], wording: Words, further: Sequence[Section]) -> dict[str, bytes]:
    try:
        return rendered(evaluations, wording, further)
    except Exception as error:  # noqa: BLE001  (see `limit.assess`)
        first = error
    sound = [_sound(evaluation, wording) for evaluation in evaluations]
    for attempt in (sound, [_without_views(each, first) for each in evaluations]):
        with contextlib.suppress(Exception):
            return rendered(attempt, wording, further)
    return rendered([_without_views(each, first) for each in sound], wording, further)


def _without_views(evaluation: Evaluation, error: Exception) -> Evaluation:
    bare = {name: replace(benchmark, views=()) for name, benchmark in evaluation.benchmarks.items()}
    return replace(evaluation, benchmarks=bare, without_views=fault(error))


def _sound(evaluation: Evaluation, wording: Words) -> Evaluation:
    """The same, with records that cannot be rendered as failed ones."""
    faulty = _faulty(evaluation, evaluation.assessments, wording)
    if not faulty:
        return evaluation
    known = [withhold(a.record, faulty[id(a)]) if id(a) in faulty else a for a in evaluation.assessments]
    return replace(evaluation, assessments=tuple(known))


def _faulty(evaluation: Evaluation, assessments: Sequence[Assessment], wording: Words) -> dict[int, Exception]:
    """Those that cannot be rendered even alone, by their `id`, found by halving."""
    try:
        rendered([replace(evaluation, assessments=tuple(assessments))], wording)
    except Exception as error:  # noqa: BLE001  (see `limit.assess`)
        if len(assessments) == 1:
            return {id(assessments[0]): error}
        middle = len(assessments) // 2
        return _faulty(evaluation, assessments[:middle], wording) | _faulty(evaluation, assessments[middle:], wording)
    return {}


def rendered(evaluations: Sequence[Evaluation], wording: Words, further: Sequence[Section] = ()) -> dict[str, bytes]:
    """Name and content of each file; the page is the last."""
    runs = runs_of(evaluations, wording)
    document = compose(runs, wording, further)
    files = {
        "report.json": report_json(runs_of(evaluations, words())),  # for programs: the same in all languages
        "report.csv": figures_csv(runs).encode(),
    }
    files |= {name: table_csv(table).encode() for name, table in tables(runs, wording).items()}
    return files | files_of(document)


def files_of(document: Document) -> dict[str, bytes]:
    """Its charts, tables and pages."""
    blocks = [block for section in document.sections for block in inside(section.blocks)]
    images = {block.id: svg(dict(block.spec)) for block in blocks if isinstance(block, Chart)}
    files: dict[str, bytes] = {f"{FIGURES}/{name}.svg": image.encode() for name, image in images.items()}
    files |= {f"{FIGURES}/{name}.pdf": pdf(image) for name, image in images.items()}
    files |= {
        f"{FIGURES}/{block.id}.svg": drawing_svg(block, LIGHT, FONT).encode()
        for block in blocks
        if isinstance(block, Drawing)
    }
    files |= {
        f"{block.file}.csv": table_csv(block).encode() for block in blocks if isinstance(block, Table) and block.file
    }
    files["report.md"] = document_markdown(document).encode()
    files["report.html"] = page(document).encode()
    return files
