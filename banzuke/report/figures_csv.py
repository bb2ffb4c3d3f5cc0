"""Every figure of a report as CSV."""

import json
from collections.abc import Iterable, Sequence

from banzuke.document.csv import csv_text
from banzuke.report.base import Number
from banzuke.report.content import Case, Check, Content, Measurement, Section
from banzuke.units import NOT_FINITE
from banzuke.words.language import words

COLUMNS = [
    *(
        "run",
        "machine",
        "benchmark",
        "case",
        "state",
        "reason",
        "settings",
        "metric",
        "unit",
        "better",
        "median",
    ),
    *(
        "launches",
        "between_launches_low",
        "between_launches_high",
        "between_launches_spread",
        "within_launch_low",
        "within_launch_high",
        "within_launch_spread",
        "best",
        "samples",
        "limit",
        "fraction_of_limit",
        "peak",
        "fraction_of_peak",
    ),
    *("limit_source", "peak_source", "verification"),
]


def figures_csv(contents: Iterable[Content]) -> str:
    """One line a figure, one for each case without figures, and one for each amount that a view sees.

    Values are in SI units, in full.
    """
    rows: list[list[object]] = []
    for content, section in ((of, section) for of in contents for section in of.sections):
        for entry in section.cases:
            rows += [_csv_row(content, section, entry, figure) for figure in figures_of(entry)]
            rows += [_csv_amount(content, section, entry, amount) for amount in entry.amounts]
    return csv_text(COLUMNS, rows)


def _csv_row(content: Content, section: Section, entry: Case, figure: Measurement | None) -> list[object]:
    checks = "; ".join(
        f"{name}{c.quantity} {NOT_FINITE if c.value is None else repr(c.value.value)} "
        f"{'<=' if c.passed else '>'} {c.tolerance!r}"
        for name, c in checks_of(entry)
    )
    common = _csv_case(content, section, entry)
    if figure is None:
        return [*common, *[""] * (len(COLUMNS) - len(common) - 1), checks]
    between = [value(n) for n in (figure.between_low, figure.between_high, figure.between_spread)]
    within = [value(n) for n in (figure.low, figure.high, figure.spread)]
    limits = [value(n) for n in (figure.limit, figure.of_limit, figure.peak, figure.of_peak)]
    names = [figure.metric, figure.unit, figure.better]
    return [
        *common,
        *names,
        figure.median.value,
        len(figure.medians) or 1,
        *between,
        *within,
        figure.best.value,
        int(figure.count.value),
        *limits,
        words()(figure.limit_source),
        words()(figure.peak_source),
        checks,
    ]


def _csv_amount(content: Content, section: Section, entry: Case, amount: Number) -> list[object]:
    common = _csv_case(content, section, entry)
    own = {"metric": amount.metric, "unit": amount.unit, "median": amount.value, "samples": 1}
    return [*common, *(own.get(name, "") for name in COLUMNS[len(common) :])]


def _csv_case(content: Content, section: Section, entry: Case) -> list[object]:
    settings = json.dumps(entry.settings, ensure_ascii=False)
    return [content.run, content.machine, section.name, entry.id, entry.state, entry.reason, settings]


def checks_of(entry: Case) -> list[tuple[str, Check]]:
    """Of every launch, with its name where there are several."""
    if not entry.launches:
        return [("", check) for check in entry.checks]
    return [(f"{launch.name}: ", check) for launch in entry.launches for check in launch.checks]


def figures_of(entry: Case) -> Sequence[Measurement | None]:
    return entry.measurements or (None,)


def value(figure: Number | None) -> str | float:
    return "" if figure is None else figure.value
