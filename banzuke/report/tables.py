"""The report as Markdown."""

import re

from banzuke.document.markdown import (
    EMPTY,
    HEADING,
    ITEM,
    Markdown,
    blocks_markdown,
    md,
    section_markdown,
    table_markdown,
)
from banzuke.report.base import Number
from banzuke.report.content import Case, Collection, Content, Launch, Measurement, Section, Versus
from banzuke.report.figures_csv import checks_of, figures_of
from banzuke.report.text import figures
from banzuke.report.varied_content import Varied
from banzuke.text import printable
from banzuke.units import NOT_FINITE, span

BETWEEN = "Intervals and spreads are between launches; “within it”: of the samples of the one launch."
THIS = Markdown("**{}** (this machine)")


def markdown(content: Content) -> str:
    lines = [
        Markdown("# Performance evaluation of {}").format(content.machine),
        EMPTY,
        Markdown("{}, run {}").format(content.date, content.run),
        EMPTY,
        Markdown("{} of {} planned cases gave verified figures{}{}.").format(
            content.verified,
            content.planned,
            f"; there was no time for {content.left_out:,} others" if content.left_out else "",
            f", in {content.launches} launches" if content.launches > content.measured else "",
        ),
        EMPTY,
        *(
            Markdown("{}").format(line) if index == 0 else ITEM.format(line)
            for index, line in enumerate(content.cut_short)
        ),
        EMPTY,
    ]
    lines += _summary(content) + _problems(content) + _specification(content)
    for section in content.sections:
        lines += _section(content, section)
    for of in content.varied:
        lines += varied_markdown(content, of)
    lines += _roofline(content)
    lines += [*(section_markdown(content.compared) if content.compared else []), *_reproduction(content)]
    lines += [Markdown("## Notes on method"), EMPTY, *(ITEM.format(note) for note in content.method), EMPTY]
    return Markdown("\n").join(lines)


def launches(entry: Case) -> str:
    """`3`, `2 of 3` where one did not verify."""
    total = len(entry.launches) or 1
    return f"{entry.verified} of {total}" if entry.launches and entry.verified < total else str(total)


def between(figure: Measurement) -> str:
    """The interval between launches; of one launch that within it, which is said; a dash: there is none."""
    low, high = (figure.between_low, figure.between_high) if figure.medians else (figure.low, figure.high)
    if not low or not high:
        return "–"
    return span(low.value, high.value, figure.unit) + ("" if figure.medians else " within it")


def _text(figure: Number | None, absent: str = "–") -> str:
    return absent if figure is None else figure.text


def _fenced(text: str) -> list[Markdown]:
    """A code block whose fence is longer than any run of backticks inside."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = Markdown("`" * max(3, longest + 1))
    return [fence, Markdown(printable(" ".join(text.split())) or "not recorded"), fence]


def _summary(content: Content) -> list[Markdown]:
    if not content.verdicts:
        return [md("No case was measured."), EMPTY]
    rows = [
        [
            f"{line.title} {line.metric}",
            line.mean.text if line.mean else _text(line.figure, "no figure"),
            line.mean_of_limit.text if line.mean_of_limit else _text(line.of_limit, "unknown" if line.figure else "–"),
            _text(line.of_peak, "unknown" if line.figure else "–"),
            f"{line.state}, {line.verified} of {line.cases} cases",
            line.sentence,
        ]
        for line in content.verdicts
    ]
    header = ["Benchmark", "Figure", "of limit", "of peak", "Verification", "Verdict"]
    table = table_markdown(header, rows, (1, 2, 3))
    return [Markdown("## Summary"), EMPTY, *blocks_markdown(content.first), *table]


def _problems(content: Content) -> list[Markdown]:
    lines = [ITEM.format(f"{content.missing} planned cases have no record.")] if content.missing else []
    lines += (
        [ITEM.format(f"{content.missing_launches} planned launches have no record, of cases that have one.")]
        if content.missing_launches
        else []
    )
    lines += [Markdown("- **{}** {}, {}: {}").format(p.state, p.benchmark, p.label, p.reason) for p in content.problems]
    lines += [Markdown("- unreadable: {}").format(line) for line in content.unreadable]
    return [Markdown("## Failed and skipped"), EMPTY, *lines, EMPTY] if lines else []


def _specification(content: Content) -> list[Markdown]:
    rows = [
        [group.title if index == 0 else "", row.name, row.value, row.note]
        for group in content.specification
        for index, row in enumerate(group.rows)
    ]
    table = table_markdown(["", "Item", "Value", "Note"], rows)
    return [Markdown("## Machine"), EMPTY, *blocks_markdown(content.drawing), *table]


def _section(content: Content, section: Section) -> list[Markdown]:
    lines = [Markdown("## {}").format(section.title), EMPTY]
    if section.common:
        lines += [md(", ".join(f"{name} {value}" for name, value in section.common.items())), EMPTY]
    lines += _collected(content, section, section.collection) if section.collection else _cases(section)
    for title, notes in (
        ("By the official rules", section.rulings),
        ("Warnings", section.warnings),
        ("What likely holds it back", section.causes),
    ):
        if notes:
            lines += [HEADING.format(title), EMPTY]
            for note in notes:
                lines.append(ITEM.format(note.what + (f". To confirm: {note.confirm}" if note.confirm else "")))
                lines += [
                    Markdown("  - {}").format(f"{seen.case}: {seen.evidence}".rstrip(": ")) for seen in note.occurrences
                ]
            lines.append(EMPTY)
    shown = blocks_markdown(section.blocks)
    return lines + shown + figures(content.charts, section.charts)


def _cases(section: Section) -> list[Markdown]:
    several = any(entry.launches for entry in section.cases)
    between = ["Launches", "95% interval"] if several else []
    header = [
        *section.columns,
        "Figure",
        "Median",
        *between,
        "Best",
        "Spread",
        "Samples",
        "of limit",
        "of peak",
        "Check",
    ]
    rows = [_row(entry, figure, several=several) for entry in section.cases for figure in figures_of(entry)]
    first = len(section.columns) + 1
    lines = table_markdown(header, rows, range(first, first + len(between) + 6))
    return [*lines, md(BETWEEN), EMPTY] if several else lines


def _collected(content: Content, section: Section, collection: Collection) -> list[Markdown]:
    header = ["Family", "Solved with", collection.noun, "Mean", "Lowest", "in cache", "partly", "in memory"]
    header += ["of limit", "lowest", "which is"]
    rows = [
        [
            family.family,
            family.way,
            str(family.count) if family.verified == family.count else f"{family.verified} of {family.count}",
            family.mean.text if family.mean else "–",
            _text(family.worst),
            *(str(count) for count in (family.in_cache, family.partly, family.in_memory)),
            family.of_limit.text if family.of_limit else "–",
            _text(family.worst_of_limit),
            family.worst_of_limit_name,
        ]
        for family in collection.families
    ]
    lines = table_markdown(header, rows, range(2, 10))
    for versus in collection.versus:
        lines += versus_markdown(versus, collection.noun)
    charts = [*collection.charts, *(name for versus in collection.versus for name in versus.charts)]
    columns, each = member_rows(section, collection)
    return [*lines, *figures(content.charts, charts), *table_markdown(columns, each, range(2, len(columns) - 3))]


def versus_markdown(versus: Versus, noun: str) -> list[Markdown]:
    words = f"{versus.way} is {versus.mean.text} times as good as {versus.other}"
    rows = [
        [f.family, f.count, f.mean.text, f.least_text, f.least_name, f.most_text, f.most_name] for f in versus.families
    ]
    header = ["Family", noun, "Mean", "Lowest", "which is", "Highest", "which is"]
    told = md(f"{words} in the geometric mean of {len(versus.ratios)} {noun}.")
    return [told, EMPTY, *table_markdown(header, rows, (1, 2, 3, 5))]


def member_rows(section: Section, collection: Collection) -> tuple[list[str], list[list[str]]]:
    """Every problem with what it is and its medians, as texts."""
    metrics = {m.metric: m.title for entry in section.cases for m in entry.measurements}
    columns = ["Name", "Solved with", collection.along, *collection.titles, *metrics.values(), "of limit"]
    rows = []
    for member, entry in zip(collection.members, section.cases, strict=True):
        figures = {m.metric: m for m in entry.measurements}
        headline = next((m for m in entry.measurements if m.headline), None)
        rows.append(
            [
                member.name,
                member.way,
                _text(member.along),
                *map(_text, member.facts),
                *(_text(figures[name].median) if name in figures else "–" for name in metrics),
                _text(headline.of_limit if headline else None),
                member.place,
                member.choice,
                entry.reason or "verified",
            ]
        )
    return [*columns, "Data", "Solved by", "Check"], rows


def _row(entry: Case, figure: Measurement | None, *, several: bool) -> list[str]:
    checks = "; ".join(
        f"{name}{c.quantity} {_text(c.value, NOT_FINITE)} {'≤' if c.passed else '>'} {c.tolerance_text}"
        for name, c in checks_of(entry)
    )
    if figure is None:
        state = Markdown("**{}** {}").format(entry.state, entry.reason)
        return [*entry.cells, state, *["–"] * (8 if several else 6), checks]
    numbers = [_text(figure.median), *([launches(entry), between(figure)] if several else []), _text(figure.best)]
    numbers += [_text(figure.between_spread if figure.medians else figure.spread), figure.count.text]
    shares = [_text(figure.of_limit, "unknown"), _text(figure.of_peak, "unknown")]
    return [*entry.cells, figure.title, *numbers, *shares, checks]


def _roofline(content: Content) -> list[Markdown]:
    if not content.roofs:
        return []
    rows = [
        [
            r.title,
            r.kind,
            r.text,
            "all" if r.threads is None else str(r.threads),
            r.source,
        ]
        for r in content.roofs
    ]
    ceilings = table_markdown(["Ceiling", "Kind", "Value", "Threads", "Source"], rows, (2, 3))
    return [Markdown("## Roofline"), EMPTY, *figures(content.charts, content.roofline), *ceilings]


def _launch(launch: Launch, entry: Case) -> str:
    main = [m for m in entry.measurements[:1] if m.metric in launch.medians]
    told = [launch.state, launch.reason, *(f"{m.title} {launch.medians[m.metric].text}" for m in main)]
    told += [f"{launch.started} to {launch.ended}", f"record {launch.id}", "shown here" if launch.shown else ""]
    return ", ".join(filter(None, told))


def _reproduction(content: Content) -> list[Markdown]:
    lines = [Markdown("## How to reproduce each figure"), EMPTY] if content.sections else []
    for section in content.sections:
        lines += [HEADING.format(section.title), EMPTY]
        for entry in section.cases:
            how = entry.reproduction
            facts = {
                "Banzuke": f"{how.banzuke}, commit {how.commit or 'not recorded'}",
                "environment": how.environment,
            }
            facts |= how.software | {"binding": "; ".join(how.binding) or "not recorded", "record": entry.id}
            facts |= {
                "programs": "; ".join(how.programs) if len(how.programs) > 1 else "",
                "hosts": "; ".join(how.hosts),
            }
            facts |= {launch.name: _launch(launch, entry) for launch in entry.launches}
            facts |= {"storage": "; ".join(how.areas)} | how.conditions
            lines += [ITEM.format(entry.label), EMPTY]
            lines += [*(Markdown("  {}").format(line) for line in _fenced(how.command)), EMPTY]
            lines += [Markdown("  {}: {}  ").format(name, value) for name, value in facts.items() if value]
            lines.append(EMPTY)
    return lines


def varied_markdown(content: Content, found: Varied) -> list[Markdown]:
    header = ["Figure", "Against", "Its figure", found.title, "There", "Ratio", "Interval", "All cases", "So"]
    rows = [
        [
            *(row.title, row.against, row.reference.text, mark.value, mark.figure.text),
            mark.ratio.text if mark.ratio and mark.drawn else "–",
            f"{mark.low:.3g} to {mark.high:.3g}" if mark.low and mark.high and mark.drawn else "–",
            f"{mark.least.text} to {mark.most.text}" if mark.least and mark.most and mark.drawn else "–",
            mark.said,
        ]
        for row in found.headlines
        for mark in row.marks
    ]
    lines = [Markdown("## {}").format(found.title), EMPTY]
    lines += [md(f"The same cases in turn; above 1: better than with {found.against}."), EMPTY]
    lines += [*figures(content.charts, found.charts), *table_markdown(header, rows, (2, 4, 5, 6, 7))]
    lines += [ITEM.format(caution) for caution in found.cautions]
    lines += [ITEM.format(f"{name}: {about}") for name, about in found.about.items()]
    return [*lines, EMPTY]
