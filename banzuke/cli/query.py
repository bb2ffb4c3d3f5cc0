"""`banzuke query`: SQL on all data in the records of the results folder."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from threading import Lock
from typing import Annotated, Any

import typer

from banzuke.cli.console import out, write_json, write_text
from banzuke.cli.options import DEFAULT_RESULTS, OUTPUT, WHAT, Json, Results
from banzuke.document import Column, Table
from banzuke.document.csv import csv_text
from banzuke.document.terminal import terminal_table
from banzuke.errors import BanzukeError
from banzuke.judge.records import judge
from banzuke.plan.catalogue import benchmarks
from banzuke.results.columns import meaning
from banzuke.results.query import Rows
from banzuke.results.run import Run
from banzuke.results.sql_views import VIEWS
from banzuke.results.store import Store
from banzuke.units import count

MOST_ROWS = 1000
"""Rows that the table shows at most."""


def query(
    sql: Annotated[
        str,
        typer.Argument(
            metavar="SQL", help="One SELECT: \"SELECT run, median FROM metrics WHERE metric = 'triad_bandwidth'\"."
        ),
    ] = "",
    tables: Annotated[
        bool,
        typer.Option(
            "--tables", help="Show the tables, what their columns mean, and all metrics.", rich_help_panel=WHAT
        ),
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
    if tables and sql.strip():
        raise BanzukeError("--tables and a query exclude each other", remedy="Leave one of them out")
    if tables and json:
        write_json(_described())
        return
    answer = _explained() if tables else _selected(sql, Store(results))
    columns, rows = answer.columns, answer.rows
    if json:
        if twice := next((name for place, name in enumerate(columns) if name in columns[:place]), None):
            raise BanzukeError(f"two columns are called '{twice}'", remedy="Name one of them with AS, or use --csv")
        write_json([dict(zip(columns, row, strict=True)) for row in rows])
    elif csv:
        write_text(csv_text(columns, [["" if value is None else _cell(value) for value in row] for row in rows]))
    else:
        shown = (["–" if value is None else str(_cell(value)) for value in row] for row in rows[:MOST_ROWS])
        out.print(terminal_table(Table.of_texts(map(Column, columns), shown)))
        if len(rows) > MOST_ROWS:
            out.say(f"{count(len(rows), 'row')}; the first {MOST_ROWS} are shown, --csv and --json have all.")


def _selected(sql: str, store: Store) -> Rows:
    """Return the rows of a query. Raises BanzukeError."""
    if not sql.strip():
        raise BanzukeError("no query", remedy="Write one SELECT; `banzuke query --tables` shows what is there")
    if not store.folder.is_dir():
        store.select(sql)  # an error in the query comes first; otherwise it finds nothing here
        raise BanzukeError(f"there is no results folder {store.folder}", remedy="Name it with --results")
    return store.select(sql, LimitShares(store))


class LimitShares:
    """Shares of limits as in the report; a run is judged when one of its shares is first asked for."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = Lock()
        self._of: dict[str, dict[tuple[str, str], float]] = {}

    @cached_property
    def _runs(self) -> Mapping[str, Run]:
        return {run.name: run for run in self._store.runs()}

    def __call__(self, run: str, record: str, metric: str) -> float | None:
        with self._lock:  # DuckDB calls this from several threads
            if run not in self._of:
                self._of[run] = self._judged(run)
        return self._of[run].get((record, metric))

    def _judged(self, name: str) -> dict[tuple[str, str], float]:
        """Return the shares by record and metric; none for a fleet, or for a run without its machine."""
        try:
            run = self._runs.get(name)
            if run is None or run.of_fleet:
                return {}
            assessments, _ = judge(run.read().records, run.machine(), benchmarks(), run.ceilings())
        except BanzukeError:
            return {}
        return {
            (launch.record.provenance.id, figure.metric): figure.fraction_of_limit
            for case in assessments
            for launch in case.each
            if launch.record.provenance
            for figure in launch.figures
            if figure.fraction_of_limit is not None
        }


def _described() -> list[dict[str, Any]]:
    """Return each table with its columns and their meanings, and for that of figures also all metrics."""
    return [
        {
            "table": name,
            "holds": view.about,
            "columns": list(view.columns),
            "meanings": {column: meaning(name, column) for column in view.columns},
            **({"metrics": list(_metrics())} if name == "metrics" else {}),
        }
        for name, view in VIEWS.items()
    ]


def _metrics() -> Iterator[dict[str, str]]:
    for spec in benchmarks().values():
        for metric in spec.metrics:
            yield {
                "benchmark": spec.name,
                "metric": metric.name,
                "unit": metric.unit,
                "better": metric.better,
                "title": metric.title,
            }


def _explained() -> Rows:
    """Return rows that explain each table and column, with the metrics below the table of figures."""
    rows: list[tuple[Any, ...]] = []
    for name, view in VIEWS.items():
        rows += [(name, None, view.about), *((name, column, meaning(name, column)) for column in view.columns)]
        if name == "metrics":
            rows += [
                (
                    name,
                    f"metric = '{metric['metric']}'",
                    f"{metric['benchmark']}: {metric['title']}; {metric['unit']}, {metric['better']} is better",
                )
                for metric in _metrics()
            ]
    return Rows(["table", "column", "meaning"], rows)


def _cell(value: object) -> object:
    return ", ".join(map(str, value)) if isinstance(value, list) else value
