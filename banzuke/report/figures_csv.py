"""All figures of a report as CSV."""

import json
from collections.abc import Iterator, Sequence

from banzuke.compare.settings import settings
from banzuke.compare.statistics import spread
from banzuke.document.csv import csv_text
from banzuke.judge.model import Assessment, Figure
from banzuke.report.figures import state
from banzuke.report.side_by_side import ComparedRun
from banzuke.units import NOT_FINITE
from banzuke.views.view import HasAmounts, ViewCase, views
from banzuke.words.language import words

COLUMNS = [
    *("run", "machine", "benchmark", "case", "state", "reason", "settings", "metric", "unit", "better", "median"),
    *("launches", "between_launches_low", "between_launches_high", "between_launches_spread"),
    *("within_launch_low", "within_launch_high", "within_launch_spread", "best", "samples"),
    *("limit", "fraction_of_limit", "peak", "fraction_of_peak", "limit_source", "peak_source", "verification"),
]


def figures_csv(runs: Sequence[ComparedRun]) -> str:
    """Return a line for each figure, for each case without figures, and for each amount from a view.

    Values are in SI units with all digits; words are English, whatever the page's language is.
    """
    rows = [
        [row.get(name, "") for name in COLUMNS]
        for run in runs
        for chapter in run.chapters
        for case in chapter.cases
        for row in _rows(run, case)
    ]
    return csv_text(COLUMNS, rows)


Row = dict[str, object]


def _rows(run: ComparedRun, case: ViewCase) -> Iterator[Row]:
    assessment = case.assessment
    record = assessment.record
    common: Row = {
        "run": run.evaluation.run,
        "machine": run.evaluation.machine.name,
        "benchmark": record.benchmark,
        "case": case.id,
        "state": words()(state(record)),
        "reason": record.reason or "",
        "settings": json.dumps(settings(record), ensure_ascii=False),
    }
    checks = {"verification": _checks(assessment)}
    yield from (common | _figure(figure) | checks for figure in assessment.figures)
    if not assessment.figures:
        yield common | checks
    for view in views(run.evaluation.benchmarks.get(record.benchmark)):
        if isinstance(view, HasAmounts) and (seen := view.of(assessment)) is not None:
            for name, amount in view.amounts(seen).items():
                yield common | {"metric": name, "unit": amount.unit, "median": amount.value, "samples": 1}


def _figure(figure: Figure) -> Row:
    between = figure.interval
    within = None if figure.medians else figure.within
    row: Row = {
        "metric": figure.metric,
        "unit": figure.unit,
        "better": figure.better,
        "median": figure.value,
        "launches": figure.launches,
        "between_launches_low": between.low if between else None,
        "between_launches_high": between.high if between else None,
        "between_launches_spread": figure.spread,
        "within_launch_low": within[0] if within else None,
        "within_launch_high": within[1] if within else None,
        "within_launch_spread": None if figure.medians else spread(figure.samples),
        "best": figure.best,
        "samples": len(figure.samples),
        "limit": figure.limit,
        "fraction_of_limit": figure.fraction_of_limit,
        "peak": figure.peak,
        "fraction_of_peak": figure.fraction_of_peak,
        "limit_source": words()(figure.limit_source),
        "peak_source": words()(figure.peak_source),
    }
    return {name: value for name, value in row.items() if value is not None}


def _checks(assessment: Assessment) -> str:
    """Return the checks of all launches in one text, with the launch's number where there are several."""
    return "; ".join(
        (f"launch {place} of {len(assessment.launches)}: " if assessment.launches else "")
        + f"{check.quantity} {NOT_FINITE if check.value is None else repr(check.value)} "
        + f"{'<=' if check.passed else '>'} {check.tolerance!r}"
        for place, record in enumerate(assessment.records, 1)
        for check in record.verification
    )
