"""Cells for the figures of cases, each with its origin in the records."""

from banzuke.compare.settings import figure_text
from banzuke.compare.statistics import Interval, spread
from banzuke.document import Cell, Mark, Origin
from banzuke.judge.model import OWN_BEST, Assessment, Figure
from banzuke.record.model import Record
from banzuke.units import percent
from banzuke.views.view import ViewCase
from banzuke.words import Message, Span, message
from banzuke.words.language import Words

NONE = Cell("–")


def value_cell(case: ViewCase, figure: Figure, value: float, stat: str, note: str = "") -> Cell:
    """Return the cell of a value in the figure's own unit."""
    origin = Origin(case.id, figure.metric, stat)
    return Cell(figure_text(value, figure.unit), value, figure.unit, origin, note=note)


def fraction_cell(
    case: ViewCase, figure: Figure, value: float | None, stat: str, *, bar: bool = False, note: str = ""
) -> Cell:
    if value is None:
        return NONE
    origin = Origin(case.id, figure.metric, stat)
    return Cell(percent(value), value, "1", origin, share=value if bar else None, note=note)


def limit_cell(case: ViewCase, figure: Figure, words: Words) -> Cell:
    note = words(OWN_BEST) if figure.own_ceiling else ""
    return fraction_cell(case, figure, figure.fraction_of_limit, "fraction_of_limit", bar=True, note=note)


def peak_cell(case: ViewCase, figure: Figure) -> Cell:
    return fraction_cell(case, figure, figure.fraction_of_peak, "fraction_of_peak", bar=True)


def spread_cell(case: ViewCase, figure: Figure) -> Cell:
    """Return the spread between launches, or within a single launch."""
    if figure.medians:
        return fraction_cell(case, figure, figure.spread, "between_spread")
    return fraction_cell(case, figure, spread(figure.samples), "spread")


def count_cell(case: ViewCase, figure: Figure) -> Cell:
    count = len(figure.samples)
    return Cell(f"{count:,}", count, "1", Origin(case.id, figure.metric, "count"))


def launches_text(assessment: Assessment, words: Words) -> str:
    """Return `3`, or `2 of 3` where one is not verified."""
    total = len(assessment.each)
    good = verified(assessment)
    return str(total) if good in (total, 0) else words(message("report-of-launches", verified=good, launches=total))


def verified(assessment: Assessment) -> int:
    return sum(launch.record.status == "ok" for launch in assessment.each)


def interval(figure: Figure) -> Interval | None:
    """Return the 95% interval: between launches, or of the samples of a single launch."""
    return figure.interval if figure.medians else figure.within


def interval_text(figure: Figure, words: Words) -> str:
    bounds = interval(figure)
    if bounds is None:
        return "–"
    text = words.fact(Span(*bounds, figure.unit))
    return text if figure.medians else words(message("report-within-launch", interval=text))


def state(record: Record) -> Message:
    match record.status:
        case "ok":
            return message("report-verified")
        case "skipped":
            return message("report-skipped")
        case _ if any(not check.passed for check in record.verification):
            return message("report-not-verified")
        case _:
            return message("report-failed")


def lacking(assessment: Assessment) -> Message:
    """Return what is shown in place of a missing headline figure."""
    return message("report-no-headline") if assessment.no_headline else state(assessment.record)


def mark(record: Record) -> Mark:
    match record.status:
        case "ok":
            return "verified"
        case "skipped":
            return "skipped"
        case _:
            return "failed"
