"""What is not made of blocks yet, as Markdown."""

from banzuke.document.markdown import EMPTY, Markdown, md, table_markdown
from banzuke.report.base import Number
from banzuke.report.content import Collection, Content, Section, Versus
from banzuke.report.text import figures


def section_lines(content: Content, section: Section) -> list[Markdown]:
    lines = _collected(content, section, section.collection) if section.collection else []
    return lines + figures(content.charts, section.charts)


def _text(figure: Number | None, absent: str = "–") -> str:
    return absent if figure is None else figure.text


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
