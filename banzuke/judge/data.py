"""Presents assessments as data: the document of `--json`.

Each finding is a code with its facts, and the same in words.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from banzuke.compare.statistics import median
from banzuke.judge.energy import covered, energies, per_watt
from banzuke.judge.finding import Finding
from banzuke.judge.launches import singly
from banzuke.judge.model import Assessment, Figure
from banzuke.record.figures import Curve
from banzuke.words import Message, data
from banzuke.words.language import Words


def document(assessments: Sequence[Assessment], words: Words, *, samples: bool = True) -> Mapping[str, Any]:
    """Return `{"records": [...], "cases": [...]}`: each launch by itself, and each case with its launches combined.

    Long series of single samples are only in the run's folder. `samples`: whether samples are listed; otherwise each
    list is replaced by its median and their number.
    """
    return {
        "records": [_record(launch, words, samples=samples) for launch in singly(assessments)],
        "cases": [_case(assessment, words) for assessment in assessments],
    }


def stated(statement: Message, words: Words) -> dict[str, Any]:
    return {"code": statement.code, "facts": _facts(statement), "text": words(statement)}


def explain(finding: Finding, words: Words) -> dict[str, Any]:
    """Return a finding as data; `weight`: share of the figure that it may cost."""
    attributes = {name: words.attribute(finding.message, name) for name in ("evidence", "confirm")}
    return stated(finding.message, words) | attributes | {"weight": finding.weight}


def _facts(statement: Message) -> dict[str, Any]:
    return {name: data(fact) for name, fact in statement.facts.items()}


def _record(assessment: Assessment, words: Words, *, samples: bool) -> dict[str, Any]:
    left_out = {"series"} if samples else {"series", "curves", "distributions"}
    record = assessment.record.model_dump(mode="json", exclude=left_out)
    record["metrics"] = {
        figure.metric: _figure(figure, words) | {"samples": list(figure.samples) if samples else len(figure.samples)}
        for figure in assessment.figures
    }
    if not samples:
        record["curves"] = {name: _medians(curve) for name, curve in assessment.record.curves.items()}
    if assessment.residence:
        record["data"] = assessment.residence.place
    return record | _judgement(assessment, words)


def _medians(curve: Curve) -> dict[str, Any]:
    points = [
        {"at": point.at}
        | {
            name: {"value": median(metric.samples), "unit": metric.unit, "samples": len(metric.samples)}
            for name, metric in point.metrics.items()
        }
        for point in curve.points
    ]
    return {"along": curve.along, "unit": curve.unit, "points": points}


def _case(assessment: Assessment, words: Words) -> dict[str, Any]:
    """Return a case as data; only verified launches have a median."""
    record = assessment.record
    return {
        "case": record.provenance.case if record.provenance else None,
        "benchmark": record.benchmark,
        "backend": record.backend,
        "launches": [
            {
                "id": launch.provenance.id if launch.provenance else None,
                "status": launch.status,
                "reason": launch.reason,
            }
            for launch in assessment.records
        ],
        "metrics": {
            figure.metric: _figure(figure, words)
            | {
                "launches": list(figure.medians or (figure.value,)),
                "interval": list(figure.interval) if figure.interval else None,
                "spread": figure.spread,
                "per_watt": data(ratio) if (ratio := per_watt(assessment, figure)) else None,
            }
            for figure in assessment.figures
        },
        "energy": _energy(assessment, words),
        **_judgement(assessment, words),
    }


def _energy(assessment: Assessment, words: Words) -> dict[str, Any] | None:
    """Return the medians of the launches with energy; None: not measured, and each record says why."""
    if (energy := energies(assessment)) is None:
        return None
    return {
        "joule": energy.joule,
        "seconds": energy.seconds,
        "watt": energy.watt,
        "above_idle": energy.above_idle,
        "launches": len(energy.launches),
        "covers": stated(covered(energy.launches[0][1]), words),
    }


def _judgement(assessment: Assessment, words: Words) -> dict[str, Any]:
    return {
        "machine_state": list(assessment.state.levels),
        "verdict": [stated(statement, words) for statement in assessment.verdict],
        "warnings": [stated(warning, words) for warning in assessment.warnings],
        "causes": [explain(finding, words) for finding in assessment.causes],
    }


def _figure(figure: Figure, words: Words) -> dict[str, Any]:
    return {
        "value": figure.value,
        "unit": figure.unit,
        "best": figure.best,
        "limit": figure.limit,
        "limit_source": words(figure.limit_source),
        "fraction_of_limit": figure.fraction_of_limit,
        "own_ceiling": figure.own_ceiling,
        "peak": figure.peak,
        "peak_source": words(figure.peak_source),
        "fraction_of_peak": figure.fraction_of_peak,
    }
