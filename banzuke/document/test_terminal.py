"""Tables on a terminal, which text from outside neither steers nor styles."""

import io

from rich.console import Console

from banzuke.document import Cell, Column, Row, Table
from banzuke.document.terminal import terminal_table


def test_text_of_a_table_is_shown_as_it_is() -> None:
    hostile = "[/x]\x1b[31m"
    out = io.StringIO()
    Console(file=out, width=100).print(terminal_table(Table((Column(hostile),), (Row((Cell(hostile),)),), hostile)))
    assert [line.strip() for line in out.getvalue().splitlines()] == ["[/x]\\u001b[31m"] * 3
