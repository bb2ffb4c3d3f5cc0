"""Writes a report: one page, its tables as Markdown, CSV and JSON, and its charts as files."""

from pathlib import Path
from typing import Any

from banzuke.files import write_whole
from banzuke.report.build import build
from banzuke.report.charts.draw import draw, pdf, svg
from banzuke.report.content import Content
from banzuke.report.model import Evaluation
from banzuke.report.noise_tables import processors_csv
from banzuke.report.page import page
from banzuke.report.problems import problems_csv
from banzuke.report.sizes import pairs_csv, sizes_csv
from banzuke.report.tables import csv_text, markdown


def write(evaluation: Evaluation, folder: Path) -> list[Path]:
    """Everything is rendered before the first file is written; each file appears whole or not at all."""
    content, specs = compose(evaluation)
    images = {name: svg(spec) for name, spec in specs.items()}
    files: dict[str, bytes] = {f"figures/{name}.svg": image.encode() for name, image in images.items()}
    files |= {f"figures/{name}.pdf": pdf(image) for name, image in images.items()}
    files["report.json"] = (content.model_dump_json(indent=1) + "\n").encode()
    files["report.csv"] = csv_text(content).encode()
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
    return [write_whole(folder / name, data) for name, data in files.items()]


def compose(evaluation: Evaluation) -> tuple[Content, dict[str, dict[str, Any]]]:
    """The content, and the Vega-Lite description of each of its charts."""
    content, drawn = draw(build(evaluation), evaluation.benchmarks)
    return content, {chart.id: chart.spec() for chart in drawn}
