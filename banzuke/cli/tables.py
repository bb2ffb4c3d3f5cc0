"""Assessments as a table and as the JSON document of `--json`."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from rich.markup import escape
from rich.table import Table

from banzuke.cli.console import out
from banzuke.launch.command import Command
from banzuke.limit.model import Assessment, Figure
from banzuke.record.model import Record
from banzuke.units import percent, quantity


def document(assessments: Sequence[Assessment]) -> str:
    """Exactly one JSON document: `{"records": [...]}`."""
    return json.dumps({"records": [_entry(assessment) for assessment in assessments]}, indent=1)


def _entry(assessment: Assessment) -> dict[str, Any]:
    record = assessment.record.model_dump(mode="json")
    record["metrics"] = {figure.metric: _figure(figure) for figure in assessment.figures}
    record["verdict"] = assessment.verdict
    record["warnings"] = list(assessment.warnings)
    record["causes"] = [
        {"what": cause.what, "evidence": cause.evidence, "confirm": cause.confirm} for cause in assessment.causes
    ]
    return record


def _figure(figure: Figure) -> dict[str, Any]:
    return {
        "value": figure.value,
        "unit": figure.unit,
        "best": figure.best,
        "samples": list(figure.samples),
        "limit": figure.limit,
        "limit_source": figure.limit_source,
        "fraction_of_limit": figure.fraction_of_limit,
        "peak": figure.peak,
        "peak_source": figure.peak_source,
        "fraction_of_peak": figure.fraction_of_peak,
    }


def show(assessments: Sequence[Assessment], *, verbose: bool) -> None:
    """One row a figure, then what went wrong and what likely holds the headline figures back."""
    telling = varying(assessment.record for assessment in assessments)
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in ("benchmark", "threads", *telling, "metric"):
        table.add_column(heading)
    for heading in ("median", "best", "of limit", "of peak"):
        table.add_column(heading, justify="right")
    for assessment in assessments:
        record = assessment.record
        layout = f"{record.ranks} x {record.threads}" if record.ranks > 1 else str(record.threads)
        settings = [escape(str(record.parameters.get(name, ""))) for name in telling]
        for figure in assessment.figures:
            table.add_row(
                record.benchmark,
                layout,
                *settings,
                figure.metric,
                quantity(figure.value, figure.unit),
                quantity(figure.best, figure.unit),
                percent(figure.fraction_of_limit),
                percent(figure.fraction_of_peak),
            )
    if table.row_count:
        out.print(table)
    warnings = dict.fromkeys((a.record.benchmark, warning) for a in assessments for warning in a.warnings)
    for benchmark, warning in warnings:
        out.print(f"[yellow]warning:[/] {benchmark}: {escape(warning)}", soft_wrap=True)
    for assessment in assessments:
        _remarks(assessment, verbose=verbose)


def _remarks(assessment: Assessment, *, verbose: bool) -> None:
    record = assessment.record
    headline = any(figure.headline for figure in assessment.figures)
    if record.status != "ok":
        out.print(f"[bold red]{record.benchmark}[/]: {escape(assessment.verdict)}", soft_wrap=True)
    if verbose and headline:
        for cause in assessment.causes:
            out.print(f"  {escape(cause.what)}: {escape(cause.evidence)}. {escape(cause.confirm)}", soft_wrap=True)
    if verbose and record.provenance:
        bound = "; ".join(f"rank {b.ranks}: processors {' '.join(b.threads)}" for b in record.binding)
        command = Command(record.provenance.command, record.provenance.variables).text()
        out.print(f"  [dim]{escape(command)}  ({escape(bound)})[/]", soft_wrap=True)


def varying(records: Iterable[Record]) -> list[str]:
    """Parameters that tell cases of one benchmark apart."""
    values: dict[tuple[str, str], set[str]] = defaultdict(set)
    for record in records:
        for name, value in record.parameters.items():
            values[record.benchmark, name].add(str(value))
    return list(dict.fromkeys(name for (_, name), found in values.items() if len(found) > 1))
