"""Prints tables as CSV."""

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Sequence

from banzuke.document import Cell, Table
from banzuke.text import printable

_FORMULA = re.compile(r"\s*[=+\-@]|\t")


def table_csv(table: Table) -> str:
    """Return full values in SI units; a cell over several rows is repeated in each."""
    rows: list[list[object]] = []
    for row in table.rows:
        above = rows[-1] if rows else []
        rows.append([above[at] if cell.above else _value(cell) for at, cell in enumerate(row.cells)])
    return csv_text([column.name or column.title for column in table.columns], rows)


def _value(cell: Cell) -> object:
    return cell.text if cell.value is None else cell.value


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return CSV with full numbers; text that a spreadsheet would take for a formula gets an apostrophe."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows([_cell(value) for value in row] for row in (header, *rows))
    return out.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, float):
        return repr(value)
    if not isinstance(value, str):
        return value
    text = printable(value)
    return f"'{text}" if _FORMULA.match(unicodedata.normalize("NFKC", text)) else text  # a full-width = counts, too
