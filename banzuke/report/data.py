"""A report as JSON: data only, in SI units; statements are codes with facts and English text.

Samples stay in the records of the run's folder.
"""

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

SCHEMA_VERSION = 10
Json = Mapping[str, Any]


def report_json(runs: Sequence[ComparedRun]) -> bytes:
    """Return the JSON of one run; of several runs, one object with `side_by_side` and `runs`."""
    whole = _run(runs[0]) if len(runs) == 1 else _study(runs)
    return _lines({"schema_version": SCHEMA_VERSION, **whole}).encode()


def _lines(document: Json) -> str:
    """Return JSON with a line for each entry of the document, and for each element of its lists."""
    entries = ",\n".join(f"{json_text(name)}: {_line(value)}" for name, value in document.items())
    return f"{{\n{entries}\n}}\n"


def _line(value: object) -> str:
    if not isinstance(value, list) or not value:
        return json_text(value, indent=None)
    elements = ",\n".join(json_text(element, indent=None) for element in value)
    return f"[\n{elements}\n]"


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
            "cautions": [stated(caution, words()) for caution in cautions(runs)],
            "headlines": rows,
        },
        "runs": [_run(run) for run in runs],
    }


def _run(run: ComparedRun) -> Json:
    """Return a run. `cases` and `records` are as in `--json`, and cases have the report's names, too."""
    evaluation = run.evaluation
    cases = [case for chapter in run.chapters for case in chapter.cases]
    compared = {name: residual for chapter in run.chapters for name, residual in chapter.residuals.items()}
    peers, references = compare(evaluation, words())
    assessed = document([case.assessment for case in cases], words(), samples=False)
    return {
        "run": evaluation.run,
        "banzuke": __version__,
        "started": evaluation.started.isoformat(),
        "ended": evaluation.ended.isoformat(),
        "planned": evaluation.planned,
        "standard": evaluation.standard,
        "measured": len(cases),
        "verified": sum(case.assessment.record.status == "ok" for case in cases),
        "launches": sum(len(case.assessment.records) for case in cases),
        "missing_launches": evaluation.missing_launches,
        "incomplete": stated(evaluation.incomplete, words()) if evaluation.incomplete else None,
        "cut_short": [stated(message, words()) for message in evaluation.cut_short],
        "unreadable": list(evaluation.unreadable),
        "without_views": evaluation.without_views,
        "machine": evaluation.machine.model_dump(mode="json"),
        "ceilings": list(map(_ceiling, evaluation.ceilings)),
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
            for case, judged in zip(cases, assessed["cases"], strict=True)
        ],
        "records": assessed["records"],
        "costs": [
            {**stated(cost.finding.message, words()), "shares": dict(cost.shares), "benchmarks": cost.benchmarks}
            for cost in costs(evaluation)
        ],
        "comparisons": [{**asdict(comparison), "place": comparison.place} for comparison in peers],
        "references": references,
    }


def _ceiling(ceiling: Ceiling) -> Json:
    return {
        "resource": ceiling.resource.name,
        "value": ceiling.value,
        "unit": ceiling.resource.unit,
        "kind": ceiling.kind,
        "threads": ceiling.threads,
        "source": stated(ceiling.source, words()),
        "run": ceiling.run or None,
        "machine_state": list(ceiling.state.levels),
        "doubt": ceiling.doubt._asdict(),
        "other": asdict(ceiling.other) if ceiling.other else None,
    }
