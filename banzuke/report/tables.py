"""The report as Markdown and as CSV."""

import csv
import io
import json
import re
from collections.abc import Sequence

from banzuke.report.base import Number
from banzuke.report.content import Case, Collection, Comparison, Content, Measurement, Section, Spent
from banzuke.report.noise_tables import environments_markdown, noise_markdown
from banzuke.report.sizes import curves_markdown
from banzuke.report.text import cell, figures, md, table

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
        "within_launch_low",
        "within_launch_high",
        "best",
        "spread",
        "samples",
        "limit",
        "fraction_of_limit",
        "peak",
        "fraction_of_peak",
    ),
    *("limit_source", "peak_source", "verification"),
]


def csv_text(content: Content) -> str:
    """One line a figure, one for each case without figures, and one for each part of a case's time.

    Values are in SI units, in full.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for section in content.sections:
        for entry in section.cases:
            rows = [_csv_row(content, section, entry, figure) for figure in _figures_of(entry)]
            rows += [_csv_part(content, section, entry, part) for part in _parts_of(entry)]
            writer.writerows([cell(value) for value in row] for row in rows)
    return out.getvalue()


def _csv_row(content: Content, section: Section, entry: Case, figure: Measurement | None) -> list[object]:
    checks = "; ".join(
        f"{c.quantity} {'not finite' if c.value is None else repr(c.value.value)} "
        f"{'<=' if c.passed else '>'} {c.tolerance!r}"
        for c in entry.checks
    )
    common = _csv_case(content, section, entry)
    if figure is None:
        return [*common, *[""] * (len(COLUMNS) - len(common) - 1), checks]
    numbers = [value(n) for n in (figure.median, figure.low, figure.high, figure.best, figure.spread)]
    limits = [value(n) for n in (figure.limit, figure.of_limit, figure.peak, figure.of_peak)]
    names = [figure.metric, figure.unit, figure.better]
    return [
        *common,
        *names,
        *numbers,
        int(figure.count.value),
        *limits,
        figure.limit_source,
        figure.peak_source,
        checks,
    ]


def _csv_part(content: Content, section: Section, entry: Case, part: Spent) -> list[object]:
    common = _csv_case(content, section, entry)
    own = {"metric": f"breakdown.{part.part}", "unit": "s", "median": part.seconds.value, "samples": 1}
    return [*common, *(own.get(name, "") for name in COLUMNS[len(common) :])]


def _csv_case(content: Content, section: Section, entry: Case) -> list[object]:
    settings = json.dumps(entry.settings, ensure_ascii=False)
    return [content.run, content.machine, section.name, entry.id, entry.state, entry.reason, settings]


def _figures_of(entry: Case) -> Sequence[Measurement | None]:
    return entry.measurements or (None,)


def _parts_of(entry: Case) -> Sequence[Spent]:
    return entry.breakdown.parts if entry.breakdown else ()


def value(figure: Number | None) -> str | float:
    return "" if figure is None else figure.value


def markdown(content: Content) -> str:
    lines = [f"# Performance evaluation of {md(content.machine)}", ""]
    lines += [
        f"{content.date}, run {md(content.run)}",
        "",
        f"{content.verified} of {content.planned} planned cases gave verified figures.",
        "",
    ]
    lines += _summary(content) + _problems(content) + _specification(content)
    for section in content.sections:
        lines += _section(content, section)
    lines += environments_markdown(content, content.environments) if content.environments else []
    lines += _roofline(content) + _comparisons(content) + _reproduction(content)
    lines += ["## Notes on method", "", *(f"- {md(note)}" for note in content.method), ""]
    return "\n".join(lines)


def _text(figure: Number | None, absent: str = "–") -> str:
    return absent if figure is None else figure.text


def _fenced(text: str) -> list[str]:
    """A code block whose fence is longer than any run of backticks inside."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [fence, " ".join(text.split()) or "not recorded", fence]


def _summary(content: Content) -> list[str]:
    if not content.verdicts:
        return ["No case was measured.", ""]
    rows = [
        [
            md(f"{line.title} {line.metric}"),
            line.mean.text if line.mean else _text(line.figure, "no figure"),
            line.mean_of_limit.text if line.mean_of_limit else _text(line.of_limit, "unknown" if line.figure else "–"),
            _text(line.of_peak, "unknown" if line.figure else "–"),
            f"{line.state}, {line.verified} of {line.cases} cases",
            md(line.sentence),
        ]
        for line in content.verdicts
    ]
    header = ["Benchmark", "Figure", "of limit", "of peak", "Verification", "Verdict"]
    return ["## Summary", "", *table(header, rows, (1, 2, 3))]


def _problems(content: Content) -> list[str]:
    lines = [f"- {content.missing} planned cases have no record."] if content.missing else []
    lines += [f"- **{p.state}** {md(p.benchmark)}, {md(p.label)}: {md(p.reason)}" for p in content.problems]
    lines += [f"- unreadable: {md(line)}" for line in content.unreadable]
    return ["## Failed and skipped", "", *lines, ""] if lines else []


def _specification(content: Content) -> list[str]:
    rows = [
        [md(group.title) if index == 0 else "", md(row.name), md(row.value), md(row.note)]
        for group in content.specification
        for index, row in enumerate(group.rows)
    ]
    return ["## Machine", "", *table(["", "Item", "Value", "Note"], rows)]


def _section(content: Content, section: Section) -> list[str]:
    lines = [f"## {md(section.title)}", ""]
    if section.common:
        lines += [", ".join(f"{md(name)} {md(value)}" for name, value in section.common.items()), ""]
    lines += _collected(content, section, section.collection) if section.collection else _cases(section)
    for title, notes in (
        ("By the official rules", section.rulings),
        ("Warnings", section.warnings),
        ("What likely holds it back", section.causes),
    ):
        if notes:
            lines += [f"### {title}", ""]
            for note in notes:
                lines.append(f"- {md(note.what)}" + (f" To confirm: {md(note.confirm)}" if note.confirm else ""))
                lines += [f"  - {md(f'{seen.case}: {seen.evidence}'.rstrip(': '))}" for seen in note.occurrences]
            lines.append("")
    curves = curves_markdown(content, section, section.curves) if section.curves else []
    noise = noise_markdown(content, section, section.noise) if section.noise else []
    return lines + _spent(content, section) + curves + noise + figures(content, section.charts)


def _cases(section: Section) -> list[str]:
    header = [*section.columns, "Figure", "Median", "Best", "Spread", "Samples", "of limit", "of peak", "Check"]
    rows = [_row(entry, figure) for entry in section.cases for figure in _figures_of(entry)]
    first = len(section.columns) + 1
    return table(header, rows, range(first, first + 6))


def _collected(content: Content, section: Section, collection: Collection) -> list[str]:
    header = ["Family", "Solved with", collection.noun, "Mean", "Lowest", "in cache", "partly", "in memory"]
    header += ["of limit", "lowest", "which is"]
    rows = [
        [
            *(md(text) for text in (family.family, family.way)),
            str(family.count) if family.verified == family.count else f"{family.verified} of {family.count}",
            family.mean.text if family.mean else "–",
            _text(family.worst),
            *(str(count) for count in (family.in_cache, family.partly, family.in_memory)),
            family.of_limit.text if family.of_limit else "–",
            _text(family.worst_of_limit),
            md(family.worst_of_limit_name),
        ]
        for family in collection.families
    ]
    lines = table(header, rows, range(2, 10))
    for versus in collection.versus:
        words = f"{versus.way} is {versus.mean.text} times as good as {versus.other}"
        lines += [f"{md(words)} in the geometric mean of {len(versus.ratios)} {collection.noun}.", ""]
        compared = [
            [md(f.family), str(f.count), f.mean.text, f.least_text, md(f.least_name), f.most_text, md(f.most_name)]
            for f in versus.families
        ]
        header = ["Family", collection.noun, "Mean", "Lowest", "which is", "Highest", "which is"]
        lines += table(header, compared, (1, 2, 3, 5))
    charts = [*collection.charts, *(name for versus in collection.versus for name in versus.charts)]
    columns, each = member_rows(section, collection)
    told = [[md(str(value)) for value in row] for row in each]
    return [*lines, *figures(content, charts), *table(columns, told, range(2, len(columns) - 3))]


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


def _spent(content: Content, section: Section) -> list[str]:
    headline = section.cases[0]
    parts = _parts_of(headline)
    if not parts:
        return []
    of = f": {md(headline.label)}" if len(section.cases) > 1 else ""
    shares = table(
        ["Part", "Time", "of the time"], [[md(p.title), p.seconds.text, p.share.text] for p in parts], (1, 2)
    )
    return [f"### Where the time went{of}", "", *shares, *figures(content, section.breakdown_charts)]


def _row(entry: Case, figure: Measurement | None) -> list[str]:
    checks = "; ".join(
        f"{md(c.quantity)} {_text(c.value, 'not finite')} {'≤' if c.passed else '&gt;'} {c.tolerance_text}"
        for c in entry.checks
    )
    cells = [md(cell) for cell in entry.cells]
    if figure is None:
        return [*cells, f"**{entry.state}** {md(entry.reason)}", *["–"] * 6, checks]
    numbers = [_text(figure.median), _text(figure.best), _text(figure.spread), figure.count.text]
    shares = [_text(figure.of_limit, "unknown"), _text(figure.of_peak, "unknown")]
    return [*cells, md(figure.title), *numbers, *shares, checks]


def _roofline(content: Content) -> list[str]:
    if not content.roofs:
        return []
    rows = [
        [
            md(r.name.replace("_", " ")),
            r.kind,
            r.text,
            "all" if r.threads is None else str(r.threads),
            md(r.source),
        ]
        for r in content.roofs
    ]
    ceilings = table(["Ceiling", "Kind", "Value", "Threads", "Source"], rows, (2, 3))
    return ["## Roofline", "", *figures(content, content.roofline), *ceilings]


def _comparisons(content: Content) -> list[str]:
    lines = ["## Comparison with published machines", ""] if content.comparisons else []
    header = ["Machine", "Value", "As printed", "Nodes", "Per node", "of peak", "Source and notes"]
    for comparison in content.comparisons:
        rows = [
            [
                f"**{md(r.machine)}** (this machine)" if r.this else md(r.machine),
                r.text,
                md(r.as_printed),
                "–" if r.nodes is None else f"{r.nodes:,}",
                r.per_node_text,
                f"{r.fraction_text} {r.fraction_note}".strip(),
                md("; ".join([f"[{r.reference}] {r.source}" if r.reference else r.source, *r.notes])),
            ]
            for r in comparison.rivals
        ]
        ranked = table(header, rows, (1, 3, 4))
        lines += [f"### {md(comparison.title)}", "", *figures(content, comparison.charts), *ranked]
        lines += _balance(comparison)
    if content.references:
        lines += [
            "### References",
            "",
            *(f"{i}. {md(text)}" for i, text in enumerate(content.references, 1)),
            "",
        ]
    return lines


def _balance(comparison: Comparison) -> list[str]:
    if not comparison.balance:
        return []
    header = [
        "Machine",
        "Cores",
        "Peak",
        "STREAM Triad",
        "Byte/flop",
        "Rate",
        "of peak",
        "Flop/byte of Triad",
        "Caches",
    ]
    rows = [
        [
            f"**{md(row.machine)}** (this machine)" if row.this else md(row.machine),
            "–" if row.cores is None else str(row.cores),
            row.peak.text,
            row.bandwidth.text,
            row.bytes_per_flop.text,
            row.rate.text,
            row.share.text,
            row.flops_per_byte.text,
            md(row.caches),
        ]
        for row in comparison.balance
    ]
    return table(header, rows, range(1, 8))


def _reproduction(content: Content) -> list[str]:
    lines = ["## How to reproduce each figure", ""] if content.sections else []
    for section in content.sections:
        lines += [f"### {md(section.title)}", ""]
        for entry in section.cases:
            how = entry.reproduction
            facts = {
                "Banzuke": f"{how.banzuke}, commit {how.commit or 'not recorded'}",
                "environment": how.environment,
            }
            facts |= how.software | {"binding": "; ".join(how.binding) or "not recorded", "record": entry.id}
            facts |= {"hosts": "; ".join(how.hosts)} | how.conditions
            lines += [f"- {md(entry.label)}", "", *(f"  {line}" for line in _fenced(how.command)), ""]
            lines += [f"  {md(name)}: {md(value)}  " for name, value in facts.items() if value]
            lines.append("")
    return lines
