"""`banzuke query`: SQL over all that the records of the results folder hold."""

from typing import Annotated, Any

import typer
from rich.table import Table

from banzuke.cli.console import out, write_json, write_text
from banzuke.cli.options import DEFAULT_RESULTS, OUTPUT, WHAT, Json, Results
from banzuke.document.csv import csv_text
from banzuke.errors import BanzukeError
from banzuke.record.query import VIEWS
from banzuke.record.store import Store
from banzuke.units import count

MOST_ROWS = 1000
"""That the table shows."""


def query(
    sql: Annotated[
        str, typer.Argument(help="One SELECT: \"SELECT run, median FROM metrics WHERE metric = 'triad_bandwidth'\".")
    ] = "",
    tables: Annotated[
        bool, typer.Option("--tables", help="Show the tables and their columns.", rich_help_panel=WHAT)
    ] = False,
    csv: Annotated[
        bool, typer.Option("--csv", help="Print CSV with unrounded values.", rich_help_panel=OUTPUT)
    ] = False,
    results: Results = DEFAULT_RESULTS,
    json: Json = False,
) -> None:
    """Query the records of all runs with SQL (DuckDB), read-only. Values are in SI units."""
    if csv and json:
        raise BanzukeError("--csv and --json exclude each other", remedy="Leave one of them out")
    columns: list[str]
    rows: list[tuple[Any, ...]]
    if tables:
        columns = ["table", "holds", "columns"]
        rows = [(name, view.about, list(view.columns)) for name, view in VIEWS.items()]
    elif sql.strip():
        found = Store(results).select(sql)
        columns, rows = found.columns, found.rows
    else:
        raise BanzukeError("no query", remedy="Write one SELECT; `banzuke query --tables` shows what is there")
    if json:
        if twice := next((name for place, name in enumerate(columns) if name in columns[:place]), None):
            raise BanzukeError(f"two columns are called '{twice}'", remedy="Name one of them with AS, or use --csv")
        write_json([dict(zip(columns, row, strict=True)) for row in rows])
    elif csv:
        write_text(csv_text(columns, [["" if value is None else _cell(value) for value in row] for row in rows]))
    else:
        table = Table(box=None, pad_edge=False, header_style="bold")
        for name in columns:
            table.add_column(name, overflow="fold")
        for row in rows[:MOST_ROWS]:
            table.add_row(*("–" if value is None else str(_cell(value)) for value in row))
        out.print(table)
        if len(rows) > MOST_ROWS:
            out.say(f"{count(len(rows), 'row')}; the first {MOST_ROWS} are shown, --csv and --json have all.")


def _cell(value: object) -> object:
    return ", ".join(map(str, value)) if isinstance(value, list) else value
