"""Tables and sentences for a terminal."""

from collections.abc import Iterable, Iterator

from rich.table import Table as Printed
from rich.text import Text

from banzuke.document import Block, Paragraph, Table
from banzuke.text import printable


def terminal(blocks: Iterable[Block]) -> Iterator[Printed | Text]:
    """Charts and what else needs a page are left out."""
    for block in blocks:
        match block:
            case Table():
                yield terminal_table(block)
            case Paragraph(text, small):
                yield Text(printable(text), style="dim" if small else "")


def terminal_table(table: Table) -> Printed:
    title = Text(printable(table.caption), "bold") if table.caption else None
    printed = Printed(box=None, header_style="bold", pad_edge=False, title=title, title_justify="left")
    for column in table.columns:
        printed.add_column(
            Text(printable(column.title)),
            justify="right" if column.numeric else "left",
            no_wrap=column.numeric,
            overflow="fold",
        )
    for row in table.rows:
        texts = ["" if cell.above else "\n".join(filter(None, (cell.text, cell.note))) for cell in row.cells]
        printed.add_row(*(Text(printable(text)) for text in texts), style="bold" if row.kind == "total" else None)
    return printed
