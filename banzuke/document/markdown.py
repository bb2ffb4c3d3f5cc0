"""Prints blocks as Markdown that keeps its meaning whatever their text contains."""

import re
from collections.abc import Iterable, Sequence
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


def document_markdown(document: Document) -> str:
    lines = [Markdown("# {}").format(document.title), EMPTY, md(", ".join(document.subtitle)), EMPTY]
    if undrawn := document.notes.get("undrawn"):
        lines += [md(undrawn), EMPTY]
    for section in document.sections:
        lines += section_markdown(section)
    return Markdown("\n").join(lines)


def section_markdown(section: Section) -> list[Markdown]:
    return [Markdown("## {}").format(section.title), EMPTY, *blocks_markdown(section.blocks)]


def blocks_markdown(blocks: Iterable[Block]) -> list[Markdown]:
    return [line for block in blocks for line in _block(block)]


def _block(block: Block) -> list[Markdown]:  # noqa: C901, PLR0911  (one for each kind)
    match block:
        case Paragraph(text):
            return [md(text), EMPTY]
        case Heading(text, about):
            return [HEADING.format(f"{text}: {about}" if about else text), EMPTY]
        case Items():
            return [*_items(block), EMPTY]
        case Findings():
            return [*_findings(block), EMPTY]
        case Table():
            return _table(block)
        case Chart():
            picture = Markdown("![{}]({})") if block.files else Markdown("{}")
            shown = picture.format(block.description, Markdown(f"figures/{block.id}.svg"))
            return [shown, EMPTY, Markdown("*{}.* {}").format(block.title, block.caption), EMPTY]
        case Drawing():
            return [Markdown("![{}]({})").format(block.description, Markdown(f"figures/{block.id}.svg")), EMPTY]
        case Charts(charts):
            return blocks_markdown(charts)
        case Code(text):
            return [*fenced(text), EMPTY]
        case Details(summary, inner):
            return [Markdown("**{}**").format(summary), EMPTY, *blocks_markdown(inner)]


def _items(items: Items) -> list[Markdown]:
    lines: list[Markdown] = []
    for number, item in enumerate(items.items, 1):
        sign = Markdown(f"{number}. {{}}{{}}") if items.ordered else Markdown("- {}{}")
        lines.append(sign.format(_MARKS[item.mark], item.text))
        lines += [Markdown("  {}").format(line) for line in blocks_markdown(item.inner)]
    return lines


def _findings(findings: Findings) -> list[Markdown]:
    lines: list[Markdown] = []
    for entry in findings.findings:
        lines.append(ITEM.format(entry.what))
        seen = (f"{entry.of}: {entry.evidence}" if entry.of else entry.evidence, *entry.elsewhere)
        confirm = f"{findings.confirm}: {entry.confirm}" if entry.confirm else ""
        lines += [Markdown("  - {}").format(text) for text in (*seen, confirm) if text]
    return lines


def _table(table: Table) -> list[Markdown]:
    numeric = [index for index, column in enumerate(table.columns) if column.numeric]
    rows = [[_cell(cell) for cell in row.cells] for row in table.rows]
    if any(row.kind == "own" for row in table.rows):
        rows = [
            [Markdown("**{}**").format(cells[0]), *cells[1:]] if row.kind == "own" else cells
            for row, cells in zip(table.rows, rows, strict=True)
        ]
    caption = [Markdown("*{}*").format(table.caption), EMPTY] if table.caption else []
    return [*caption, *table_markdown([column.title for column in table.columns], rows, numeric)]


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
