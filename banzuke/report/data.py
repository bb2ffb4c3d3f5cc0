"""A report as JSON: data alone, in SI units, with statements as codes, facts and English text."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from banzuke import __version__
from banzuke.compare.settings import settings
from banzuke.judge.data import document, stated
from banzuke.limit.model import Ceiling
from banzuke.predict.residual_data import residual_data
from banzuke.report.figures import state
from banzuke.report.first.costs import costs
from banzuke.report.first.peers import compare
from banzuke.report.side_by_side import ComparedRun, cautions, headlines
from banzuke.text import json_text
from banzuke.words.language import words

SCHEMA_VERSION = 9
Json = Mapping[str, Any]


def report_json(runs: Sequence[ComparedRun]) -> bytes:
    """Of one run it alone; of several `runs`, and what sets them side by side."""
    whole = _run(runs[0]) if len(runs) == 1 else _study(runs)
    return f"{json_text({'schema_version': SCHEMA_VERSION, **whole})}\n".encode()


def _study(runs: Sequence[ComparedRun]) -> Json:
    rows = [
        {
            "title": row.title,
            "unit": row.unit,
            "runs": [cell and {"value": cell.cell.value, "ratio": cell.ratio} for cell in row.cells],
        }
        for row in headlines(runs, words())
    ]
    return {
        "side_by_side": {
            "columns": [run.name for run in runs],
            "cautions": [stated(one, words()) for one in cautions(runs)],
            "headlines": rows,
        },
        "runs": [_run(run) for run in runs],
    }


def _run(run: ComparedRun) -> Json:
    """`cases` and `records` as in `--json`; a case with what the report calls it."""
    of = run.evaluation
    cases = [case for chapter in run.chapters for case in chapter.cases]
    compared = {name: found for chapter in run.chapters for name, found in chapter.residuals.items()}
    peers, references = compare(of, words())
    found = document([case.assessment for case in cases], words())
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
        "incomplete": stated(of.incomplete, words()) if of.incomplete else None,
        "cut_short": [stated(one, words()) for one in of.cut_short],
        "unreadable": list(of.unreadable),
        "without_views": of.without_views,
        "machine": of.machine.model_dump(mode="json"),
        "ceilings": list(map(_ceiling, of.ceilings)),
        "cases": [
            {
                "id": case.id,
                "label": case.label,
                "settings": settings(case.assessment.record),
                "state": words()(state(case.assessment.record)),
                "reason": case.assessment.record.reason or "",
                "prediction": residual_data(compared.get(case.id), words()),
                **judged,
            }
            for case, judged in zip(cases, found["cases"], strict=True)
        ],
        "records": found["records"],
        "costs": [
            {**stated(one.finding.message, words()), "shares": dict(one.shares), "benchmarks": one.benchmarks}
            for one in costs(of)
        ],
        "comparisons": [{**asdict(one), "place": one.place} for one in peers],
        "references": references,
    }


def _ceiling(of: Ceiling) -> Json:
    return {
        "resource": of.resource.name,
        "value": of.value,
        "unit": of.resource.unit,
        "kind": of.kind,
        "threads": of.threads,
        "source": stated(of.source, words()),
        "run": of.run or None,
        "machine_state": list(of.state.levels),
    }
