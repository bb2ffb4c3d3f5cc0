"""The section of a benchmark: its cases, what holds them back, and the tables and charts of its views."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from banzuke.compare.settings import settings
from banzuke.document import (
    Block,
    Cell,
    Charts,
    Column,
    Details,
    FindingEntry,
    Findings,
    Heading,
    Item,
    Items,
    Origin,
    Paragraph,
    Row,
    Section,
    Table,
)
from banzuke.judge.energy import per_watt
from banzuke.judge.model import Figure
from banzuke.machine.model import Machine
from banzuke.plan.wording import check_title
from banzuke.record.figures import Verification
from banzuke.record.model import Record
from banzuke.report.chapter import Chapter, figure_title, identity
from banzuke.report.charts.devices import device_charts
from banzuke.report.charts.samples import samples_chart
from banzuke.report.failures import launch_name
from banzuke.report.figures import (
    count_cell,
    interval_text,
    launches_text,
    limit_cell,
    mark,
    peak_cell,
    spread_cell,
    state,
    value_cell,
)
from banzuke.report.ranking import ranking_blocks
from banzuke.report.residuals import residual_blocks
from banzuke.report.settings import column_title, setting_cell, settings_text
from banzuke.slowdown.blocks import noise_cost_blocks
from banzuke.units import number
from banzuke.views.energy import energy_blocks
from banzuke.views.view import ShowsTogether, ViewCase, ViewSection, tabulated, views
from banzuke.words import Message, Quantity, Reason, message
from banzuke.words.language import Words


def benchmark_section(chapter: Chapter, machine: Machine, words: Words) -> Section:
    """Return the section: cases, their checks, what holds them back, then the tables and charts of the views."""
    shown = views_of(chapter, machine, words)
    blocks: list[Block] = []
    if chapter.common:
        blocks.append(Paragraph(settings_text(dict(chapter.common), words), small=True))
    listed = _listed_by_views(chapter, machine, words)
    if not listed:
        blocks += _cases(chapter, words)
    blocks += [*_checks(chapter, words), *_sources(chapter, words)]
    cases = [(case.label or chapter.title, case.assessment) for case in chapter.cases]
    blocks += energy_blocks(cases, machine, words)
    blocks += residual_blocks(chapter, words)
    blocks += [*_rulings(chapter, words), *_warnings(chapter, words), *_causes(chapter, words)]
    blocks += ranking_blocks(chapter, words)
    if shown and any(case.assessment.launches for case in chapter.cases):
        blocks.append(Paragraph(words(message("report-median-launch")), small=True))
    blocks += [*shown, *noise_cost_blocks(chapter.noise_costs, words)]
    own = listed or _tabulated(chapter) or any(view.samples for view in views(chapter.benchmark))
    samples = None if own else samples_chart(chapter, words)
    blocks += [samples.block] if samples else []
    if watched := device_charts(chapter, words):
        blocks.append(Charts(tuple(drawn.block for drawn in watched)))
    return Section(chapter.anchor, chapter.title, tuple(blocks), "benchmark")


def section_of(chapter: Chapter, machine: Machine, words: Words) -> ViewSection | None:
    """Return the section for the benchmark's views; None: the benchmark is unknown here and has no views."""
    if chapter.benchmark is None:
        return None
    return ViewSection(chapter.benchmark, machine, chapter.slug, chapter.cases, words)


def views_of(chapter: Chapter, machine: Machine, words: Words) -> list[Block]:
    section = section_of(chapter, machine, words)
    return [block for view in views(chapter.benchmark) for block in view.show(section)] if section else []


def _listed_by_views(chapter: Chapter, machine: Machine, words: Words) -> bool:
    section = section_of(chapter, machine, words)
    every = [view for view in views(chapter.benchmark) if isinstance(view, ShowsTogether)]
    return section is not None and any(view.lists(section) for view in every)


def tables_of(chapter: Chapter, machine: Machine, words: Words) -> Mapping[str, Table]:
    """Return the tables that are written as CSV only, by file name."""
    section = section_of(chapter, machine, words)
    if section is None:
        return {}
    every = views(chapter.benchmark)
    named = [(name, table) for view in every for name, table in view.tables(section).items()]
    return {"-".join(filter(None, (chapter.slug, name))) + ".csv": table for name, table in named}


def _tabulated(chapter: Chapter) -> bool:
    return any(tabulated(case.assessment, chapter.benchmark) for case in chapter.cases)


def figures_of(chapter: Chapter, case: ViewCase) -> Sequence[Figure]:
    """Return the figures for the table of cases; views with tables of their own show the others."""
    every = case.assessment.figures
    return [figure for figure in every if figure.headline] or every if _tabulated(chapter) else every


def _cases(chapter: Chapter, words: Words) -> list[Block]:
    """Return the table with one row per figure, without empty columns."""
    several = any(case.assessment.launches for case in chapter.cases)
    repeated = any(len(figure.samples) > 1 for case in chapter.cases for figure in case.assessment.figures)
    titles = {
        figure_title(case.assessment.record, figure, chapter.title, words)
        for case in chapter.cases
        for figure in case.assessment.figures
    }
    named = len(titles) > 1 or not chapter.columns
    columns = [
        *(Column(column_title(names, words)) for names in chapter.columns),
        *([Column(words(message("report-figure")))] if named else []),
        Column(words(message("report-median") if repeated else message("report-value")), numeric=True),
        Column(words(message("report-launches")), numeric=True),
        Column(words(message("report-interval"))),
        Column(words(message("report-best")), numeric=True),
        Column(words(message("report-spread")), numeric=True),
        Column(words(message("report-samples")), numeric=True),
        Column(words(message("report-of-limit")), numeric=True),
        Column(words(message("report-of-peak")), numeric=True),
        Column(words(message("energy-per-watt")), numeric=True),
    ]
    heads = len(chapter.columns) + named
    rows = [row for case in chapter.cases for row in _rows(chapter, case, words, named=named)]
    hidden = set() if several else {heads + 1, heads + 2}
    hidden |= set() if repeated else {heads + 3, heads + 4, heads + 5}
    kept = [
        place
        for place in range(len(columns))
        if place <= heads or (place not in hidden and any(row.cells[place].text not in ("", "–") for row in rows))
    ]
    only = next(iter(titles), "") if not named else ""
    table = Table(
        tuple(columns[place] for place in kept),
        tuple(Row(tuple(row.cells[place] for place in kept), row.kind, row.anchor) for row in rows),
        caption=words(message("report-cases-of", figure=only)) if only else words(message("report-cases")),
        heads=heads,
    )
    return [table, *([Paragraph(words(message("report-between")), small=True)] if several else [])]


def _rows(chapter: Chapter, case: ViewCase, words: Words, *, named: bool) -> Iterable[Row]:
    assessment = case.assessment
    values = settings(assessment.record)
    heads = [setting_cell(values, names, words) for names in chapter.columns]
    if not assessment.figures:
        why = words.fact(Reason(assessment.record.reason)) if assessment.record.reason else ""
        said = ": ".join(filter(None, (words(state(assessment.record)), why)))
        rest = [Cell(said, mark=mark(assessment.record), wide=True), *[Cell()] * (8 + named)]
        yield Row((*heads, *rest), "bad", case.anchor)
        return
    for place, figure in enumerate(figures_of(chapter, case)):
        title = figure_title(assessment.record, figure, chapter.title, words)
        cells = [
            *([Cell(above=True)] * len(heads) if place else heads),
            *([Cell(title)] if named else []),
            value_cell(case, figure, figure.value, "median"),
            Cell(launches_text(assessment, words)),
            Cell(interval_text(figure, words)),
            value_cell(case, figure, figure.best, "best"),
            spread_cell(case, figure),
            count_cell(case, figure),
            limit_cell(case, figure, words),
            peak_cell(case, figure),
            _ratio(per_watt(assessment, figure), words),
        ]
        yield Row(tuple(cells), anchor="" if place else case.anchor)


def _ratio(value: Quantity | None, words: Words) -> Cell:
    return Cell(words.fact(value), value.value, value.unit) if value else Cell("–")


def _checks(chapter: Chapter, words: Words) -> list[Block]:
    """Return the checks of every launch, folded."""
    records = [
        (case, launch_name(case, place, words) if case.assessment.launches else "", record)
        for case in chapter.cases
        for place, record in enumerate(case.assessment.records, 1)
        if record.verification
    ]
    if not records:
        return []
    if sum(len(record.verification) for _, _, record in records) > _MOST_CHECKS and all(
        record.status == "ok" for _, _, record in records
    ):
        return [_checks_together(chapter, [record for _, _, record in records], words)]
    rows = [
        Row((Cell(", ".join(filter(None, (case.label, launch)))), *_check(case, record, check, words)))
        for case, launch, record in records
        for check in record.verification
    ]
    good = sum(record.status == "ok" for _, _, record in records)
    titles = (message("report-case"), message("report-check"), message("report-value"), message("report-allowed"))
    columns = tuple(Column(words(title), numeric=place > 1) for place, title in enumerate(titles))
    named = any(row.cells[0].text for row in rows)
    if not named:
        columns, rows = columns[1:], [Row(row.cells[1:]) for row in rows]
    table = Table(columns, tuple(rows), caption=words(message("report-checks")), heads=1 + named)
    passed = good == len(records)
    summary = (
        message("report-checks-passed", number=good)
        if passed
        else message("report-checks-failed", number=len(records) - good, all=len(records))
    )
    return [Details(words(summary), (table,))]


_MOST_CHECKS = 60
"""Most passed checks that are listed one by one; of more, the worst of each kind is shown."""


def _checks_together(chapter: Chapter, records: Sequence[Record], words: Words) -> Block:
    """Return each kind of check with its number and the worst value, by the share of what is allowed."""
    kinds: dict[str, list[Verification]] = {}
    for record in records:
        for check in record.verification:
            kinds.setdefault(check.quantity, []).append(check)
    rows = []
    for kind, checks in kinds.items():
        worst = max(checks, key=lambda check: (check.value or 0.0) / check.tolerance if check.tolerance else 0.0)
        rows.append(
            Row(
                (
                    Cell(words(check_title(chapter.name, kind)), mark="verified"),
                    Cell(f"{len(checks):,}", len(checks)),
                    Cell(number(worst.value or 0.0), worst.value),
                    Cell(f"≤ {number(worst.tolerance)}", worst.tolerance),
                )
            )
        )
    heads = (message("report-check"), message("report-number"), message("report-worst"), message("report-allowed"))
    columns = tuple(Column(words(title), numeric=place > 0) for place, title in enumerate(heads))
    summary = words(message("report-checks-passed", number=len(records)))
    return Details(summary, (Table(columns, tuple(rows), caption=words(message("report-checks"))),))


def _check(case: ViewCase, record: Record, check: Verification, words: Words) -> tuple[Cell, Cell, Cell]:
    origin = Origin(identity(record, case.id), check.quantity, "check")
    value = Cell(words.fact(math.nan)) if check.value is None else Cell(number(check.value), check.value, "1", origin)
    name = Cell(words(check_title(record.benchmark, check.quantity)), mark="verified" if check.passed else "failed")
    return name, value, Cell(f"≤ {number(check.tolerance)}", check.tolerance)


def _sources(chapter: Chapter, words: Words) -> list[Block]:
    """Return the sources of limits and peaks, and why there is no limit."""
    said: dict[str, None] = {}
    for case in chapter.cases:
        for figure in case.assessment.figures:
            title = figure_title(case.assessment.record, figure, chapter.title, words)
            said[words(_limit(figure, title))] = None
            if figure.peak:
                said[words(message("report-peak-from", figure=title, source=figure.peak_source))] = None
    if not said:
        return []
    return [Details(words(message("report-limit-sources")), (Items(tuple(map(Item, said))),))]


def _limit(figure: Figure, title: str) -> Message:
    if figure.limit:
        return message("report-limit-from", figure=title, source=figure.limit_source)
    return message("report-no-limit", figure=title, why=figure.limit_source)


Said = Iterable[tuple[str, str, str, ViewCase]]
"""Statement, evidence, what would confirm it, and the case."""


def _together(statements: Said, words: Words, *, several: bool) -> tuple[FindingEntry, ...]:
    """Merge equal statements into one, with the evidence of each case."""
    grouped: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for what, evidence, confirm, case in statements:
        grouped.setdefault((what, confirm), []).append((case.label, evidence))
    return tuple(
        FindingEntry(
            what,
            seen[0][1],
            confirm,
            of=seen[0][0] if several else "",
            elsewhere=tuple(": ".join(filter(None, pair)) for pair in seen[1:]),
            more=words(message("report-more-cases", number=len(seen) - 1)),
        )
        for (what, confirm), seen in grouped.items()
    )


def _findings(title: Message, statements: Said, chapter: Chapter, words: Words) -> list[Block]:
    said = _together(statements, words, several=len(chapter.cases) > 1)
    if not said:
        return []
    evidence, confirm = words(message("report-evidence")), words(message("report-confirm"))
    return [Heading(words(title)), Findings(said, evidence, confirm)]


def _causes(chapter: Chapter, words: Words) -> list[Block]:
    statements = (
        (words(said), words.attribute(said, "evidence"), words.attribute(said, "confirm"), case)
        for case in chapter.cases
        for said in (cause.message for cause in case.assessment.causes)
    )
    return _findings(message("report-causes"), statements, chapter, words)


def _warnings(chapter: Chapter, words: Words) -> list[Block]:
    statements = ((words(said), "", "", case) for case in chapter.cases for said in case.assessment.warnings)
    return _listed(message("report-warnings"), statements, chapter, words, "warnings")


def _rulings(chapter: Chapter, words: Words) -> list[Block]:
    """Return how the cases comply with the rules for official results."""
    statements = (
        (words(said), evidence, "", case)
        for case in chapter.cases
        if (broken := case.assessment.violations) is not None
        for said, evidence in [(message("report-official"), "")] * (not broken)
        + [(message("report-not-official", rule=violation.rule), words.fact(violation.found)) for violation in broken]
    )
    return _listed(message("report-rules"), statements, chapter, words, "")


def _listed(
    title: Message, statements: Said, chapter: Chapter, words: Words, style: Literal["", "warnings"]
) -> list[Block]:
    """Return each statement once, with the first case and the number of others."""
    items = []
    for entry in _together(statements, words, several=len(chapter.cases) > 1):
        more = len(entry.elsewhere)
        where = message("report-case-and-more", case=entry.of, more=more) if entry.of else ""
        text = ": ".join(filter(None, (entry.what, entry.evidence)))
        items.append(Item(f"{text} ({words(where)})" if where else text))
    return [Heading(words(title)), Items(tuple(items), style=style)] if items else []
