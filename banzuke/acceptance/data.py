"""An acceptance as data: the document of `--json`, and the lines of `--csv`."""

from collections.abc import Mapping
from typing import Any

from banzuke.acceptance.improvement import ImprovementResult
from banzuke.acceptance.judge import FigureResult, NodeResult, requirements_of, shown_value
from banzuke.acceptance.sheet import Acceptance, title_of
from banzuke.document.csv import csv_text
from banzuke.judge.data import stated
from banzuke.words import data
from banzuke.words.language import Words


def acceptance_data(acceptance: Acceptance, words: Words) -> Mapping[str, Any]:
    """Return all that is on the sheet; in SI units, with each node's figure."""
    contract = acceptance.contract
    return {
        "contract": contract.file.model_dump(mode="json", exclude_none=True),
        "sha256": contract.digest,
        "runs": [run.name for run in acceptance.runs],
        "judged": acceptance.at.isoformat(),
        "verdict": acceptance.verdict,
        "figures": [_figure(result, words) for result in acceptance.figures],
        "improvement": _improvement(acceptance.improvement, words) if acceptance.improvement else None,
    }


def _figure(result: FigureResult, words: Words) -> dict[str, Any]:
    term = result.term
    return {
        "name": title_of(term, words),
        "benchmark": term.asked.benchmark,
        "metric": term.metric.name,
        "unit": term.metric.unit,
        "better": term.metric.better,
        "requirements": requirements_of(result),
        "value": shown_value(result),
        "verdict": result.verdict,
        "waived": result.waived,
        "nodes_reached": result.reached,
        "nodes_failed": result.failed,
        "nodes_asked": result.of,
        "states": [data(state) for state in result.states],
        "why": [stated(why, words) for why in result.why],
        "nodes": [_node(node, words) for node in result.nodes],
    }


def _node(node: NodeResult, words: Words) -> dict[str, Any]:
    return {
        "hosts": list(node.hosts),
        "runs": list(node.runs),
        "value": node.side.value if node.side else None,
        "interval": list(node.interval) if node.interval else None,
        "between": "runs" if node.between_runs else "launches",
        "requirement": node.requirement,
        "launches": node.launches,
        "launches_of": node.of,
        "verdict": node.verdict,
        "why": [stated(why, words) for why in node.why],
    }


def _improvement(improved: ImprovementResult, words: Words) -> dict[str, Any]:
    return {
        "predecessor": improved.name,
        "minimum": improved.asked.minimum,
        "geometric_mean": improved.ratio,
        "interval": list(improved.interval) if improved.interval else None,
        "verdict": improved.verdict,
        "why": [stated(why, words) for why in improved.why],
        "figures": [
            {
                "name": title_of(figure.term, words),
                "ratio": figure.ratio,
                "interval": list(figure.interval) if figure.interval else None,
                "why": stated(figure.why, words) if figure.why else None,
            }
            for figure in improved.figures
        ],
    }


_COLUMNS = (
    "figure",
    "benchmark",
    "metric",
    "unit",
    "hosts",
    "requirement",
    "value",
    "low",
    "high",
    "launches",
    "verdict",
)


def acceptance_csv(acceptance: Acceptance, words: Words) -> str:
    """Return a line for each figure, then one for each of its nodes if there are several; in SI units."""
    rows = []
    for result in acceptance.figures:
        term, middle, requirements = result.term, result.middle, requirements_of(result)
        head = (title_of(term, words), term.asked.benchmark, term.metric.name, term.metric.unit)
        interval = (middle.interval if middle else None) or ("", "")
        counted = sum(node.launches for node in result.nodes)
        requirement = requirements[0] if len(requirements) == 1 else ""
        value = shown_value(result)
        verdict = f"{result.verdict}, waived" if result.waived else result.verdict
        rows.append((*head, "", requirement, "" if value is None else value, *interval, counted, verdict))
        for node in result.nodes if len(result.nodes) > 1 else ():
            low, high = node.interval or ("", "")
            own = node.side.value if node.side else ""
            asked_by_system = "" if node.requirement is None else node.requirement
            rows.append((*head, " ".join(node.hosts), asked_by_system, own, low, high, node.launches, node.verdict))
    return csv_text(_COLUMNS, rows)
