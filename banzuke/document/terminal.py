"""Prints tables and sentences on a terminal."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table as Printed
from rich.text import Text

from banzuke.document import Block, Cell, Paragraph, Table, Tone
from banzuke.text import printable

READABLE = 12
"""Fewest characters of a line to which text may be folded."""
COPIED = 24
"""Most characters of a name that is never folded because people copy it: those of runs have 20."""
GAP = 2
"""Characters between columns."""
_COLOURS: dict[Tone, str] = {"": "", "better": "green", "worse": "red", "unsure": "yellow", "faint": "dim"}


def terminal(blocks: Iterable[Block]) -> Iterator[RenderableType]:
    """Yield what a terminal can show; charts and what else needs a page are left out."""
    for block in blocks:
        match block:
            case Table():
                yield terminal_table(block)
            case Paragraph(text, small):
                yield Text(printable(text), style="dim" if small else "")


def terminal_table(table: Table) -> RenderableType:
    return _Fitting(table)


@dataclass(frozen=True)
class _Fitting:
    """A table that drops its last numeric columns, but never the first of these, if lines are short."""

    table: Table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        table, left_out = fitting(self.table, options.max_width)
        yield _printed(table)
        if left_out:
            yield Text(f"{', '.join(map(printable, left_out))}: on a wider terminal", "dim")

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement.get(console, options, _printed(self.table))


def fitting(table: Table, width: int) -> tuple[Table, Sequence[str]]:
    """Return the table with the columns that there is room for, and the titles of the others."""
    needed = [_least(table, place) for place in range(len(table.columns))]
    kept = list(range(len(table.columns)))
    for place in reversed([place for place in kept if table.columns[place].numeric][1:]):
        if sum(needed[column] for column in kept) + GAP * (len(kept) - 1) <= width:
            break
        kept.remove(place)
    left_out = [column.title for place, column in enumerate(table.columns) if place not in kept]
    rows = (replace(row, cells=tuple(row.cells[place] for place in kept)) for row in table.rows)
    return replace(table, columns=tuple(table.columns[place] for place in kept), rows=tuple(rows)), left_out


def _least(table: Table, place: int) -> int:
    """Return the characters that the column needs; numbers are not folded."""
    longest = _longest(table, place)
    return longest if _is_whole(table, place) else min(longest, READABLE)


def _is_whole(table: Table, place: int) -> bool:
    """Return whether the column is never folded."""
    column = table.columns[place]
    return column.numeric or (column.whole and _longest(table, place) <= COPIED)


def _longest(table: Table, place: int) -> int:
    texts = [table.columns[place].title, *(_text(row.cells[place]) for row in table.rows)]
    return max(cell_len(line) for text in texts for line in printable(text).split("\n"))


def _text(cell: Cell) -> str:
    return "" if cell.above else "\n".join(filter(None, (cell.text, cell.note)))


def _coloured(cell: Cell) -> Text:
    text = Text(printable(_text(cell)))
    text.stylize(_COLOURS[cell.tone], 0, len(printable(cell.text)))
    return text


def _printed(table: Table) -> Printed:
    title = Text(printable(table.caption), "bold") if table.caption else None
    headed = any(column.title for column in table.columns)
    printed = Printed(
        box=None, header_style="bold", pad_edge=False, title=title, title_justify="left", show_header=headed
    )
    for place, column in enumerate(table.columns):
        printed.add_column(
            Text(printable(column.title)),
            justify="right" if column.numeric or column.right else "left",
            no_wrap=_is_whole(table, place),
            overflow="fold",
        )
    for row in table.rows:
        heading = row.cells[0].wide
        if heading and printed.row_count:
            printed.add_row()
        printed.add_row(*map(_coloured, row.cells), style="bold" if heading or row.kind == "total" else None)
    return printed
