"""Writes a report: one page, its tables as Markdown, CSV and JSON, and its charts as files."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from banzuke import __version__
from banzuke.charts.style import FONT, LIGHT
from banzuke.document import Chart, Drawing, Table, inside
from banzuke.document.csv import table_csv
from banzuke.document.drawing import drawing_svg
from banzuke.files import check_no_link, write_whole
from banzuke.limit.assess import withhold
from banzuke.limit.model import Assessment
from banzuke.report.build import build
from banzuke.report.charts.draw import draw, draw_study, pdf, svg
from banzuke.report.content import Content
from banzuke.report.figures_csv import figures_csv
from banzuke.report.model import Evaluation
from banzuke.report.page import page
from banzuke.report.problems import problems_csv
from banzuke.report.side_by_side import side_by_side
from banzuke.report.study_content import Study
from banzuke.report.study_tables import study_markdown
from banzuke.report.tables import markdown
from banzuke.words.language import Words, words

FIGURES = "figures"
"""Folder of the charts within that of a report."""


def write(evaluation: Evaluation, folder: Path, language: str = "en") -> list[Path]:
    """The report of one run: the smallest study. See `write_study`."""
    return write_study([evaluation], folder, language)


def write_study(evaluations: Sequence[Evaluation], folder: Path, language: str = "en") -> list[Path]:
    """Everything is rendered before the first file is written; each file appears whole or not at all.

    Records that cannot be rendered are reported as failed ones. `language` is one of `words.language.LANGUAGES`. Raises
    BanzukeError.
    """
    wording = words(language)
    check_no_link(folder / FIGURES)
    try:
        files = rendered(evaluations, wording)
    except Exception:
        sound = [_sound(evaluation, wording) for evaluation in evaluations]
        if all(one is other for one, other in zip(sound, evaluations, strict=True)):
            raise
        files = rendered(sound, wording)
    return [write_whole(folder / name, data) for name, data in files.items()]


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


def rendered(evaluations: Sequence[Evaluation], wording: Words) -> dict[str, bytes]:
    """Name and content of each file; the page is the last."""
    study, specs = compose_study(evaluations, wording)
    blocks = [
        block
        for content in study.runs
        for blocks in (
            content.first,
            content.drawing,
            *(section.blocks for section in content.sections),
            content.compared.blocks if content.compared else (),
        )
        for block in inside(blocks)
    ]
    drawn = specs | {block.id: dict(block.spec) for block in blocks if isinstance(block, Chart)}
    images = {name: svg(spec) for name, spec in drawn.items()}
    files: dict[str, bytes] = {f"{FIGURES}/{name}.svg": image.encode() for name, image in images.items()}
    files |= {f"{FIGURES}/{name}.pdf": pdf(image) for name, image in images.items()}
    files |= {
        f"{FIGURES}/{block.id}.svg": drawing_svg(block, LIGHT, FONT).encode()
        for block in blocks
        if isinstance(block, Drawing)
    }
    data = study if study.side_by_side else study.runs[0]
    files["report.json"] = (data.model_dump_json(indent=1) + "\n").encode()
    files["report.csv"] = figures_csv(study.runs).encode()
    for content in study.runs:
        files |= _tables(content)
    files["report.md"] = (study_markdown(study) if study.side_by_side else markdown(study.runs[0])).encode()
    files |= {
        f"{block.file}.csv": table_csv(block).encode() for block in blocks if isinstance(block, Table) and block.file
    }
    files["report.html"] = page(study, [evaluation.machine for evaluation in evaluations], drawn, wording).encode()
    return files


def _tables(content: Content) -> dict[str, bytes]:
    files = {
        f"{section.slug}.csv": problems_csv(section, section.collection)
        for section in content.sections
        if section.collection
    }
    files |= {
        f"{section.slug}-{name}.csv": table_csv(table)
        for section in content.sections
        for name, table in section.tables.items()
    }
    return {name: text.encode() for name, text in files.items()}


def compose(
    evaluation: Evaluation, prefix: str = "", wording: Words | None = None
) -> tuple[Content, dict[str, dict[str, Any]]]:
    """The content, and the Vega-Lite description of each of its charts."""
    content, drawn = draw(build(evaluation, prefix, wording or words()), evaluation.benchmarks)
    return content, {chart.id: chart.spec() for chart in drawn}


def compose_study(
    evaluations: Sequence[Evaluation], wording: Words | None = None
) -> tuple[Study, dict[str, dict[str, Any]]]:
    """The content of all runs and what sets them side by side, and the description of each chart."""
    several = len(evaluations) > 1
    contents: list[Content] = []
    specs: dict[str, dict[str, Any]] = {}
    for number, evaluation in enumerate(evaluations, 1):
        content, own = compose(evaluation, f"run{number}-" if several else "", wording)
        contents.append(content)
        specs |= own
    dates = sorted(range(len(contents)), key=lambda place: evaluations[place].ended)
    study, drawn = draw_study(
        Study(
            title=" and ".join(dict.fromkeys(content.machine for content in contents)),
            date=" to ".join(dict.fromkeys([contents[dates[0]].date, contents[dates[-1]].date])),
            banzuke=__version__,
            side_by_side=side_by_side(evaluations, contents) if several else None,
            runs=contents,
        )
    )
    return study, {chart.id: chart.spec() for chart in drawn} | specs
