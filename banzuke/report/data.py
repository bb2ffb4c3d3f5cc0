"""A report as JSON: data alone, in SI units, with statements as codes, facts and English text."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from banzuke import __version__
from banzuke.limit.finding import Finding
from banzuke.limit.model import Assessment, Ceiling, Figure
from banzuke.limit.view import Case
from banzuke.record.settings import settings
from banzuke.report.chapter import identity
from banzuke.report.figures import state, verified
from banzuke.report.side_by_side import ComparedRun, cautions, headlines
from banzuke.words import Message, data
from banzuke.words.language import words

SCHEMA_VERSION = 9
ENGLISH = words()
Json = Mapping[str, Any]


def report_json(runs: Sequence[ComparedRun]) -> bytes:
    """Of one run it alone; of several `runs`, and what sets them side by side."""
    whole = _run(runs[0]) if len(runs) == 1 else _study(runs)
    return (
        json.dumps({"schema_version": SCHEMA_VERSION, **_finite(whole)}, indent=1, ensure_ascii=False) + "\n"
    ).encode()


def _study(runs: Sequence[ComparedRun]) -> Json:
    rows = [
        {
            "title": row.title,
            "unit": row.unit,
            "runs": [cell and {"value": cell.cell.value, "ratio": cell.ratio} for cell in row.cells],
        }
        for row in headlines(runs, ENGLISH)
    ]
    return {
        "side_by_side": {
            "columns": [run.name for run in runs],
            "cautions": list(map(said, cautions(runs))),
            "headlines": rows,
        },
        "runs": [_run(run) for run in runs],
    }


def _run(run: ComparedRun) -> Json:
    of = run.evaluation
    cases = [case for chapter in run.chapters for case in chapter.cases]
    return {
        "run": of.run,
        "banzuke": __version__,
        "started": of.started.isoformat(),
        "ended": of.ended.isoformat(),
        "planned": of.planned,
        "standard": of.standard,
        "measured": len(cases),
        "verified": sum(case.assessment.record.status == "ok" for case in cases),
        "launches": sum(len(case.assessment.records) for case in cases),
        "missing_launches": of.missing_launches,
        "cut_short": list(map(said, of.cut_short)),
        "unreadable": list(of.unreadable),
        "machine": of.machine.model_dump(mode="json"),
        "ceilings": list(map(_ceiling, of.ceilings)),
        "cases": [_case(case) for case in cases],
    }


def _ceiling(of: Ceiling) -> Json:
    return {
        "resource": of.resource.name,
        "value": of.value,
        "unit": of.resource.unit,
        "kind": of.kind,
        "threads": of.threads,
        "source": said(of.source),
        "run": of.run or None,
    }


def _case(case: Case) -> Json:
    assessment = case.assessment
    record = assessment.record
    return {
        "id": case.id,
        "benchmark": record.benchmark,
        "label": case.label,
        "settings": settings(record),
        "state": ENGLISH(state(record)),
        "reason": record.reason or "",
        "verified_launches": verified(assessment),
        "figures": list(map(_figure, assessment.figures)),
        "findings": list(map(_finding, assessment.causes)),
        "warnings": list(map(said, assessment.warnings)),
        "launches": [_launch(one) for one in assessment.each],
    }


def _figure(figure: Figure) -> Json:
    return {
        "metric": figure.metric,
        "title": figure.title,
        "unit": figure.unit,
        "better": figure.better,
        "headline": figure.headline,
        "median": figure.value,
        "medians": list(figure.medians),
        "interval": list(figure.interval) if figure.interval else None,
        "spread": figure.spread,
        "best": figure.best,
        "samples": len(figure.samples),
        "limit": figure.limit,
        "limit_source": said(figure.limit_source),
        "fraction_of_limit": figure.fraction_of_limit,
        "peak": figure.peak,
        "peak_source": said(figure.peak_source),
        "fraction_of_peak": figure.fraction_of_peak,
    }


def _launch(one: Assessment) -> Json:
    record = one.record
    return {
        "id": identity(record, ""),
        "status": record.status,
        "reason": record.reason or "",
        "started": record.started.isoformat(),
        "ended": record.ended.isoformat(),
        "medians": {figure.metric: figure.value for figure in one.figures},
        "checks": [check.model_dump(mode="json") for check in record.verification],
        "conditions": record.conditions,
        "software": record.software,
        "provenance": record.provenance.model_dump(mode="json") if record.provenance else None,
    }


def _finding(finding: Finding) -> Json:
    texts = {name: ENGLISH.attribute(finding.message, name) for name in ("evidence", "confirm")}
    return {"weight": finding.weight, **said(finding.message), **texts}


def said(statement: Message | str) -> dict[str, Any]:
    """Code and facts, where there are any, and the English words."""
    found = data(statement) if isinstance(statement, Message) else {}
    return {**(found if isinstance(found, dict) else {}), "text": ENGLISH(statement)}


def _finite(value: Any) -> Any:
    """What JSON has no number for is null."""
    match value:
        case dict():
            return {key: _finite(one) for key, one in value.items()}
        case list() | tuple():
            return list(map(_finite, value))
        case float() if not math.isfinite(value):
            return None
        case _:
            return value
