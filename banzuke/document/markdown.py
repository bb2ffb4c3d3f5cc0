"""Prints blocks as Markdown that keeps its meaning whatever their text contains."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Self

from markupsafe import Markup

from banzuke.document import (
    Block,
    Cell,
    Chart,
    Charts,
    Code,
    Details,
    Document,
    Drawing,
    Findings,
    Heading,
    Items,
    Paragraph,
    Section,
    Table,
)
from banzuke.text import printable

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$!&]|^[-+=])")


class Markdown(Markup):
    """Text in Markdown; text that is formatted, joined or put into a `table` is escaped unless it is Markdown.

    A line break in such a text becomes a space.
    """

    __slots__ = ()

    @classmethod
    def escape(cls, text: Any, /) -> Self:
        return text if isinstance(text, cls) else cls(_SPECIAL.sub(r"\\\1", printable(" ".join(str(text).split()))))


md = Markdown.escape
EMPTY = Markdown()
HEADING = Markdown("### {}")
ITEM = Markdown("- {}")
_MARKS = {"": EMPTY, "verified": Markdown("✓ "), "failed": Markdown("✗ "), "skipped": Markdown("– ")}


FOLDED = 600
"""Most characters of folded content that stand in Markdown, if a page has it."""
ROWS = 12
"""Most rows of a table that stand in Markdown, if a page has all; sums and own rows always do."""
ENOUGH = 4_000
"""Characters of a section after which its further blocks are left to the page, if there is one."""


def document_markdown(document: Document, page: str = "") -> str:
    """Return the document. `page`: name of the file that has the longer folded contents; empty: they are printed."""
    lines = [Markdown("# {}").format(document.title), EMPTY, md(", ".join(document.subtitle)), EMPTY]
    if undrawn := document.notes.get("undrawn"):
        lines += [md(undrawn), EMPTY]
    for section in document.sections:
        lines += section_markdown(section, page, document.notes.get("more", ""))
    return Markdown("\n").join(lines)


def section_markdown(section: Section, page: str = "", more: str = "") -> list[Markdown]:
    """Return the section; beside a page, what comes after `ENOUGH` is left to it, and `more` says so."""
    place = f"{page}#{section.anchor}" if page else ""
    lines = [Markdown("## {}").format(section.title), EMPTY]
    for block in section.blocks:
        if place and not section.whole and sum(map(len, lines)) > ENOUGH:
            return [*lines, Markdown("[{}]({})").format(more or "…", Markdown(place)), EMPTY]
        lines += _block(block, place)
    return lines


def blocks_markdown(blocks: Iterable[Block], place: str = "") -> list[Markdown]:
    """Return the lines. `place`: where the longer folded contents are; empty: they are printed."""
    return [line for block in blocks for line in _block(block, place)]


def _block(block: Block, place: str) -> list[Markdown]:  # noqa: C901, PLR0911  (one for each kind)
    match block:
        case Paragraph(text):
            return [md(text), EMPTY]
        case Heading(text, about):
            return [HEADING.format(f"{text}: {about}" if about else text), EMPTY]
        case Items():
            return [*_items(block, place), EMPTY]
        case Findings():
            return [*_findings(block, place), EMPTY]
        case Table():
            return _table(block, place)
        case Chart():
            picture = Markdown("![{}]({})") if block.files else Markdown("{}")
            shown = picture.format(block.description, Markdown(f"figures/{block.id}.svg"))
            return [shown, EMPTY, Markdown("*{}.* {}").format(block.title, block.caption), EMPTY]
        case Drawing():
            return [Markdown("![{}]({})").format(block.description, Markdown(f"figures/{block.id}.svg")), EMPTY]
        case Charts(charts):
            return blocks_markdown(charts, place)
        case Code(text):
            return [*fenced(text), EMPTY]
        case Details(summary, inner):
            return _details(summary, blocks_markdown(inner, place), place)


def _details(summary: str, inner: list[Markdown], place: str) -> list[Markdown]:
    if place and sum(map(len, inner)) > FOLDED:
        return [Markdown("[{}]({})").format(summary, Markdown(place)), EMPTY]
    return [Markdown("**{}**").format(summary), EMPTY, *inner]


def _items(items: Items, place: str) -> list[Markdown]:
    lines: list[Markdown] = []
    for number, item in enumerate(items.items, 1):
        sign = Markdown(f"{number}. {{}}{{}}") if items.ordered else Markdown("- {}{}")
        lines.append(sign.format(_MARKS[item.mark], item.text))
        lines += [Markdown("  {}").format(line) for line in blocks_markdown(item.inner, place)]
    return lines


def _findings(findings: Findings, place: str) -> list[Markdown]:
    lines: list[Markdown] = []
    for entry in findings.findings:
        lines.append(ITEM.format(entry.what))
        elsewhere = (entry.more,) if place and len(entry.elsewhere) > 1 else entry.elsewhere
        seen = (f"{entry.of}: {entry.evidence}" if entry.of else entry.evidence, *elsewhere)
        confirm = f"{findings.confirm}: {entry.confirm}" if entry.confirm else ""
        lines += [Markdown("  - {}").format(text) for text in (*seen, confirm) if text]
    return lines


def _table(whole: Table, place: str) -> list[Markdown]:
    table = _cut(whole) if place else whole
    left_out = [Markdown("[{} / {}]({})").format(len(table.rows), len(whole.rows), Markdown(place)), EMPTY]
    numeric = [index for index, column in enumerate(table.columns) if column.numeric]
    rows = [[_cell(cell) for cell in row.cells] for row in table.rows]
    if any(row.kind == "own" for row in table.rows):
        rows = [
            [Markdown("**{}**").format(cells[0]), *cells[1:]] if row.kind == "own" else cells
            for row, cells in zip(table.rows, rows, strict=True)
        ]
    caption = [Markdown("*{}*").format(table.caption), EMPTY] if table.caption else []
    printed = table_markdown([column.title for column in table.columns], rows, numeric)
    return [*caption, *printed, *(left_out if len(table.rows) < len(whole.rows) else [])]


def _cut(table: Table) -> Table:
    """Return the table with its first rows, and all that are sums or of this machine."""
    kept = [row for place, row in enumerate(table.rows) if place < ROWS or row.kind in ("total", "own")]
    return replace(table, rows=tuple(kept)) if len(table.rows) > ROWS + 2 else table


def _cell(cell: Cell) -> Markdown:
    text = Markdown("{}{}").format(_MARKS[cell.mark], cell.text)
    return Markdown("{}; {}").format(text, cell.note) if cell.note else text


def table_markdown(
    header: Sequence[str], rows: Iterable[Sequence[object]], numeric: Iterable[int] = ()
) -> list[Markdown]:
    right = set(numeric)
    rule = [Markdown("---:" if index in right else "---") for index in range(len(header))]
    return [*(Markdown("| {} |").format(Markdown(" | ").join(map(md, row))) for row in (header, rule, *rows)), EMPTY]


def fenced(text: str) -> list[Markdown]:
    """Return a code block whose fence is longer than any run of backticks inside."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = Markdown("`" * max(3, longest + 1))
    return [fence, Markdown(printable(" ".join(text.split()))), fence]
