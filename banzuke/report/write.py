"""Writes a report: one page, its tables as Markdown, CSV and JSON, and its charts as files."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from banzuke.files import write_whole
from banzuke.limit.assess import withhold
from banzuke.limit.model import Assessment
from banzuke.report.build import build
from banzuke.report.charts.draw import draw, pdf, svg
from banzuke.report.content import Content
from banzuke.report.figures_csv import figures_csv
from banzuke.report.model import Evaluation
from banzuke.report.noise_tables import processors_csv
from banzuke.report.page import page
from banzuke.report.problems import problems_csv
from banzuke.report.sizes import pairs_csv, sizes_csv
from banzuke.report.tables import markdown


def write(evaluation: Evaluation, folder: Path) -> list[Path]:
    """Everything is rendered before the first file is written; each file appears whole or not at all.

    Records that cannot be rendered are reported as failed ones.
    """
    try:
        files = rendered(evaluation)
    except Exception:
        faulty = _faulty(evaluation, evaluation.assessments)
        if not faulty:
            raise
        known = [withhold(a.record, faulty[id(a)]) if id(a) in faulty else a for a in evaluation.assessments]
        files = rendered(replace(evaluation, assessments=tuple(known)))
    return [write_whole(folder / name, data) for name, data in files.items()]


def _faulty(evaluation: Evaluation, assessments: Sequence[Assessment]) -> dict[int, Exception]:
    """Those that cannot be rendered even alone, by their `id`, found by halving."""
    try:
        rendered(replace(evaluation, assessments=tuple(assessments)))
    except Exception as error:  # noqa: BLE001  (see `limit.assess`)
        if len(assessments) == 1:
            return {id(assessments[0]): error}
        middle = len(assessments) // 2
        return _faulty(evaluation, assessments[:middle]) | _faulty(evaluation, assessments[middle:])
    return {}


def rendered(evaluation: Evaluation) -> dict[str, bytes]:
    """Name and content of each file; the page is the last."""
    content, specs = compose(evaluation)
    images = {name: svg(spec) for name, spec in specs.items()}
    files: dict[str, bytes] = {f"figures/{name}.svg": image.encode() for name, image in images.items()}
    files |= {f"figures/{name}.pdf": pdf(image) for name, image in images.items()}
    files["report.json"] = (content.model_dump_json(indent=1) + "\n").encode()
    files["report.csv"] = figures_csv(content).encode()
    files |= {
        f"{section.slug}.csv": problems_csv(section, section.collection).encode()
        for section in content.sections
        if section.collection
    }
    files |= {
        f"{section.slug}-{name}.csv": text.encode()
        for section in content.sections
        if section.curves
        for name, text in (("sizes", sizes_csv(section, section.curves)), ("pairs", pairs_csv(section.curves)))
        if text
    }
    files |= {
        f"{section.slug}-processors.csv": processors_csv(evaluation.assessments, section.name).encode()
        for section in content.sections
        if section.noise
    }
    files["report.md"] = markdown(content).encode()
    files["report.html"] = page(content, evaluation.machine, specs).encode()
    return files


def compose(evaluation: Evaluation) -> tuple[Content, dict[str, dict[str, Any]]]:
    """The content, and the Vega-Lite description of each of its charts."""
    content, drawn = draw(build(evaluation), evaluation.benchmarks)
    return content, {chart.id: chart.spec() for chart in drawn}
