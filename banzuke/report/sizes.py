"""Figures over sizes as tables: as Markdown, and as CSV files of their own."""

from banzuke.document.csv import csv_text
from banzuke.document.markdown import EMPTY, HEADING, Markdown, md, table_markdown
from banzuke.limit.curve import SHARP
from banzuke.report.content import Content, Section
from banzuke.report.curve_content import Curves, CurveSet, Value
from banzuke.report.text import figures

STATISTICS = (
    *("median", "average", "minimum", "p1", "p5", "p25", "p75", "p95", "p99", "p99.9", "maximum"),
    *("outliers", "outlier_time", "farthest", "limit", "of_limit", "peak", "of_peak", "message_rate"),
)


def tails(group: CurveSet) -> dict[str, str]:
    """Of the slow samples the titles and statistics, of which any size has one: of rates slow is low."""
    high = {"slowest 5%": "p95", "slowest 1%": "p99", "slowest": "maximum"}
    low = {"slowest 5%": "p5", "slowest 1%": "p1", "slowest": "minimum"}
    return _present(group, low if group.lines[0].better == "higher" else high)


def limit_kinds(group: CurveSet) -> dict[str, str]:
    return _present(group, {"of limit": "of_limit", "of peak": "of_peak"})


def of_links(group: CurveSet) -> bool:
    return any(fit.of_link for line in group.lines for fit in line.fits)


def side_by_side(group: CurveSet) -> list[tuple[str, list[Value | None]]]:
    """The shown sizes, each with the median of every line."""
    lines = [{point.at: point for point in line.points} for line in group.lines]
    rows = []
    for size in group.shown:
        points = [line.get(size) for line in lines]
        text = next(point.text for point in points if point)
        rows.append((text, [point.values["median"] if point else None for point in points]))
    return rows


def _present(group: CurveSet, names: dict[str, str]) -> dict[str, str]:
    known = {name for line in group.lines for point in line.points for name in point.values}
    return {title: name for title, name in names.items() if name in known}


def sizes_csv(section: Section, curves: Curves) -> str:
    """One line for each metric of each case at each size, in SI units in full; empty: there is none."""
    cases = {case.id: case for case in section.cases}
    settings = list(dict.fromkeys(name for case in section.cases for name in case.settings))
    header = ["case", *settings, curves.along, "metric", "unit", "samples", *STATISTICS]
    rows = [
        [
            line.case,
            *(cases[line.case].settings.get(name, "") for name in settings),
            point.at,
            line.metric,
            line.unit,
            point.count,
            *(point.values[name].value if name in point.values else "" for name in STATISTICS),
        ]
        for line in [*(line for group in curves.groups for line in group.lines), *curves.others]
        for point in line.points
    ]
    return csv_text(header, rows) if rows else ""


def curves_markdown(content: Content, section: Section, curves: Curves) -> list[Markdown]:
    lines: list[Markdown] = []
    for group in curves.groups:
        lines += [HEADING.format(f"{section.title}: {group.title}"), EMPTY, *figures(content.charts, group.charts)]
        lines += _medians(group) if len(group.lines) > 1 else _statistics(group)
        lines += _regimes(group)
    if curves.overlaps:
        rows = [[row.label, *(v.text for v in (row.pure, row.compute, row.both, row.share))] for row in curves.overlaps]
        sizes = [[row[0], overlap.text, *row[1:]] for row, overlap in zip(rows, curves.overlaps, strict=True)]
        header = ["Case", "Size", "Alone", "Computation", "Both", "Hidden"]
        lines += [HEADING.format("Communication hidden behind computation"), EMPTY]
        lines += figures(content.charts, curves.overlap_charts)
        lines += table_markdown(header, sizes, range(1, 6))
    return lines


def _medians(group: CurveSet) -> list[Markdown]:
    header = ["Size", *(line.label for line in group.lines)]
    rows = [[text, *map(_text, values)] for text, values in side_by_side(group)]
    return table_markdown(header, rows, range(len(header)))


def _statistics(group: CurveSet) -> list[Markdown]:
    names = {"Median": "median", "Average": "average", **tails(group), "in outliers": "outlier_time"}
    names |= ({"Messages": "message_rate"} if group.unit == "B/s" else {}) | limit_kinds(group)
    (line,) = group.lines
    rows = [
        [point.text, *(_text(point.values.get(name)) for name in names.values()), f"{point.count:,}"]
        for point in line.points
        if point.at in group.shown
    ]
    header = ["Size", *names, "Samples"]
    return table_markdown(header, rows, range(len(header)))


def _regimes(group: CurveSet) -> list[Markdown]:
    header = ["Case", "Sizes", "alpha", "beta", "n1/2", "of link", "Deviation", "Left out"]
    rows = [
        [
            *(line.label, fit.text, _text(fit.alpha, fit.alpha_absent), _text(fit.beta, fit.beta_absent)),
            *(_text(fit.half_size), _text(fit.of_link), fit.worst.text, fit.odd),
        ]
        for line in group.lines
        for fit in line.fits
    ]
    if not rows:
        return []
    fitted = (
        "A message of n bytes takes alpha + n / beta. "
        f"A parameter whose 95% interval is wider than ±{SHARP:.0%} is replaced by that width:"
    )
    return [md(fitted), EMPTY, *table_markdown(header, rows, range(2, 7))]


def _text(value: Value | None, absent: str = "–") -> str:
    return absent if value is None else value.text
