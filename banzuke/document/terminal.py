"""Tables for a terminal."""

from rich.table import Table as Printed
from rich.text import Text

from banzuke.document import Table
from banzuke.text import printable


def terminal_table(table: Table) -> Printed:
    printed = Printed(box=None, header_style="bold", pad_edge=False, title=table.caption or None, title_justify="left")
    for column in table.columns:
        printed.add_column(
            column.title, justify="right" if column.numeric else "left", no_wrap=column.numeric, overflow="fold"
        )
    for row in table.rows:
        texts = ["" if cell.above else cell.text for cell in row.cells]
        printed.add_row(*(Text(printable(text)) for text in texts), style="bold" if row.kind == "total" else None)
    return printed
