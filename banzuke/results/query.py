"""SQL over all that the records of runs hold: DuckDB reads the files themselves, and may do nothing else.

Only the files of the runs can be opened, and only SELECT is carried out, so that nothing is written.
"""

import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from banzuke.errors import BanzukeError
from banzuke.files import opened, whose
from banzuke.record.model import VERSION
from banzuke.results.lines import LARGEST, NODES

if TYPE_CHECKING:
    import duckdb

_OBJECT = 16 << 20
"""Bytes of a line that DuckDB takes by itself; the series of many processors are longer."""
_RECORD = {
    "schema_version": "INTEGER",
    "benchmark": "VARCHAR",
    "backend": "VARCHAR",
    "parameters": "JSON",
    "groups": "JSON",
    "status": "VARCHAR",
    "reason": "VARCHAR",
    "started": "VARCHAR",
    "ended": "VARCHAR",
    "metrics": "JSON",
    "breakdown": "JSON",
    "curves": "JSON",
    "pairs": "JSON",
    "series": "JSON",
    "distributions": "JSON",
    "areas": "JSON",
    "verification": "JSON",
    "conditions": "JSON",
    "provenance": "JSON",
}
"""Fields of a record."""
_NODE = {"host": "VARCHAR", "state": "VARCHAR", "why": "VARCHAR", "place": "VARCHAR", "facts": "JSON"}
"""Fields of a line of `NODES`."""


class SqlView(NamedTuple):
    about: str
    columns: Mapping[str, str]
    """What each is computed as."""
    source: str


_OF_RECORD = {"run": "r.run", "id": "r.id", "benchmark": "r.benchmark", "backend": "r.backend"}
_FOLDER = "parse_path(filename, 'forward_slash')[-2]"
_PARTITION_NAME = (
    "json_extract_string(document, '/site/partitions/' || "
    "replace(replace(document->>'$.allotments[0].partition', '~', '~0'), '/', '~1') || '/name')"
)
"""JSON pointer: a partition's key may be any text."""
_HOSTS = "json_extract_string(groups, '$[*].hosts[*].names')"
_UTC = "make_timestamp(epoch_us(TRY_CAST({} AS TIMESTAMPTZ)))"
_SAMPLES = "TRY_CAST({}->'samples' AS DOUBLE[])"
_FIGURES = {
    "unit": "{0}->>'unit'",
    "median": f"list_median({_SAMPLES})",
    "lowest": f"list_min({_SAMPLES})",
    "highest": f"list_max({_SAMPLES})",
    "samples": f"len({_SAMPLES})",
}

SHARE = "share"
"""Stands for what tells the share of the limit."""
VIEWS = {
    "machines": SqlView(
        "one row for the machine of a run, with its whole description",
        {
            "run": _FOLDER,
            "name": f"CASE WHEN len(json_keys(document->'$.site.partitions')) > 1 THEN COALESCE({_PARTITION_NAME}, "
            "concat(document->>'$.site.name', ' ', document->>'$.allotments[0].partition')) "
            "ELSE document->>'$.site.name' END",
            "fingerprint": "document->>'$.allotments[0].fingerprint'",
            "partition": "document->>'$.allotments[0].partition'",
            "cores": "TRY_CAST(document->>'$.allotments[0].allowed_cores' AS INTEGER)",
            "document": "document",
        },
        "(SELECT filename, TRY_CAST(content AS JSON) AS document FROM descriptions)",
    ),
    "records": SqlView(
        "one row a record: a launch of a case",
        {
            "run": _FOLDER,
            "id": "provenance->>'id'",
            "machine": f"(SELECT any_value(m.name) FROM machines AS m WHERE m.run = {_FOLDER})",  # noqa: S608  (ours)
            "fingerprint": "provenance->>'machine'",
            "host": f"array_to_string(list_sort(list_distinct({_HOSTS})), ',')",
            "benchmark": "benchmark",
            "backend": "backend",
            "ranks": "list_sum(TRY_CAST(json_extract(groups, '$[*].ranks') AS INTEGER[]))",
            "threads": "TRY_CAST(json_extract(groups, '$[0].threads') AS INTEGER)",
            "environment": "COALESCE(provenance->>'environment', 'native')",
            "variant": "provenance->'variant'",
            "placement": "provenance->>'placement'",
            "repetition": "COALESCE(TRY_CAST(provenance->>'repetition' AS INTEGER), 0)",
            "case_hash": "provenance->>'case'",
            "status": "status",
            "reason": "reason",
            "started": _UTC.format("started"),
            "ended": _UTC.format("ended"),
            "parameters": "parameters",
            "groups": "groups",
            "software": "json_extract(groups, '$[0].software')",
            "metrics": "metrics",
            "breakdown": "breakdown",
            "curves": "curves",
            "pairs": "pairs",
            "series": "series",
            "distributions": "distributions",
            "areas": "areas",
            "verification": "verification",
            "conditions": "conditions",
            "provenance": "provenance",
            "schema_version": "schema_version",
        },
        f"lines_of_files WHERE schema_version = {VERSION} AND benchmark IS NOT NULL AND backend IS NOT NULL "
        "AND status IS NOT NULL AND TRY_CAST(started AS TIMESTAMPTZ) IS NOT NULL",
    ),
    "metrics": SqlView(
        "one row a figure of a record, in SI units",
        {
            **_OF_RECORD,
            "machine": "r.machine",
            "fingerprint": "r.fingerprint",
            "host": "r.host",
            "metric": "m.key",
            **{name: what.format("m.value") for name, what in _FIGURES.items()},
            "share_of_limit": SHARE,
        },
        "records AS r, json_each(r.metrics) AS m",
    ),
    "samples": SqlView(
        "one row a sample of a figure, in the order in which they were taken",
        {**_OF_RECORD, "metric": "metric", "unit": "unit", "number": "place", "value": "taken[place]"},
        f"(SELECT records.*, m.key AS metric, m.value->>'unit' AS unit, {_SAMPLES.format('m.value')} AS taken "  # noqa: S608
        "FROM records, json_each(records.metrics) AS m) AS r, generate_series(1, len(taken)) AS of_sample(place)",
    ),
    "points": SqlView(
        "one row a figure at a place of a curve, such as a message size",
        {
            **_OF_RECORD,
            "curve": "curve",
            "along": "along",
            "along_unit": "along_unit",
            "place": "TRY_CAST(point->>'at' AS DOUBLE)",
            "metric": "m.key",
            **{name: what.format("m.value") for name, what in _FIGURES.items()},
        },
        "(SELECT records.* EXCLUDE (metrics), c.key AS curve, c.value->>'along' AS along, c.value->>'unit' AS "
        "along_unit, unnest(TRY_CAST(c.value->'points' AS JSON[])) AS point FROM records, "
        "json_each(records.curves) AS c) AS r, json_each(point->'metrics') AS m",
    ),
    "parameters": SqlView(
        "one row a parameter of a record",
        {**_OF_RECORD, "name": "p.key", "value": "p.value->>'$'", "number": "TRY_CAST(p.value->>'$' AS DOUBLE)"},
        "records AS r, json_each(r.parameters) AS p",
    ),
    "conditions": SqlView(
        "one row for each thing that was seen during a run, such as the clock",
        {**_OF_RECORD, "name": "c.key", "value": "c.value->>'$'", "number": "TRY_CAST(c.value->>'$' AS DOUBLE)"},
        "records AS r, json_each(r.conditions) AS c",
    ),
    "verification": SqlView(
        "one row a check of a record",
        {
            **_OF_RECORD,
            "quantity": "v->>'quantity'",
            "value": "TRY_CAST(v->>'value' AS DOUBLE)",
            "tolerance": "TRY_CAST(v->>'tolerance' AS DOUBLE)",
            "passed": "TRY_CAST(v->>'passed' AS BOOLEAN)",
        },
        "(SELECT *, unnest(TRY_CAST(verification AS JSON[])) AS v FROM records) AS r",
    ),
    "nodes": SqlView(
        "one row for what a node of a fleet said of itself",
        {"run": _FOLDER, **{name: name for name in _NODE}},
        "lines_of_nodes WHERE host IS NOT NULL AND state IS NOT NULL",
    ),
    "runs": SqlView(
        "one row a run that has records",
        {
            "run": "run",
            "machine": "any_value(machine)",
            "fingerprint": "any_value(fingerprint)",
            "started": "min(started)",
            "ended": "max(ended)",
            "benchmarks": "list(DISTINCT benchmark ORDER BY benchmark)",
            "verified": "count(*) FILTER (status = 'ok')",
            "failed": "count(*) FILTER (status = 'failed')",
            "skipped": "count(*) FILTER (status = 'skipped')",
            "banzuke": "list(DISTINCT provenance->>'banzuke' ORDER BY provenance->>'banzuke')",
            "schemas": "list(DISTINCT schema_version ORDER BY schema_version)",
        },
        "records AS r GROUP BY run",
    ),
}
"""In the order in which one is made from another."""


ShareOf = Callable[[str, str, str], float | None]
"""Of a run, a record's id and a metric: the share of the limit; None: it is not known."""


@dataclass(frozen=True)
class Rows:
    columns: list[str]
    rows: list[tuple[Any, ...]]


def query(runs: Iterable[tuple[Path, Sequence[Path]]], sql: str, share_of: ShareOf | None = None) -> Rows:
    """What one SELECT over the `VIEWS` finds; `runs`: folders, and their files of records. Raises BanzukeError.

    `share_of` is asked for the rows whose share of the limit the query wants; None: no share is known.
    """
    found = list(runs)
    _check_text("the query", sql)
    named = [(folder, files) for folder, files in found if _is_text(str(folder))]
    if found and not named:
        _check_text(str(found[0][0]), str(found[0][0]))
    found = named  # a run that somebody gave such a name hides no others
    with ExitStack() as held:
        held_files = _HeldFiles(held)
        records = held_files.sizes(file for _, files in found for file in files)
        nodes = held_files.sizes(folder / NODES for folder, _ in found)
        machines = [*held_files.sizes(folder / "machine.json" for folder, _ in found)]
        return _queried(records, nodes, machines, sql, share_of)


def _queried(
    records: Mapping[Path, int],
    nodes: Mapping[Path, int],
    machines: Sequence[Path],
    sql: str,
    share_of: ShareOf | None,
) -> Rows:
    """Of files of records and of nodes by their bytes."""
    import duckdb  # noqa: PLC0415  (every command would load it, and one needs it)

    settings: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    with duckdb.connect(":memory:", config=settings) as connection:
        try:
            statements = connection.extract_statements(sql)
        except duckdb.Error as error:
            raise _refused(error) from error
        if [statement.type for statement in statements] != [duckdb.StatementType.SELECT]:
            raise BanzukeError(
                "only one SELECT can be run",
                why="records are never changed",
                remedy="`--tables` shows what is there",
            )
        allowed = [text for file in (*records, *nodes, *machines) for text in {str(file), _literal(file)}]
        share = _share(connection, share_of)
        connection.execute("SET temp_directory = ''")  # what does not fit into memory is refused, not written
        connection.execute(f"SET allowed_paths = {_list(allowed)}")
        connection.execute("SET enable_external_access = false")
        views = list(_views(records, nodes, machines, share))
        try:
            return _rows(connection, [*views, "SET lock_configuration = true"], statements[0])
        except duckdb.Error as error:
            raise _refused(error) from error


def _views(
    records: Mapping[Path, int], nodes: Mapping[Path, int], machines: Sequence[Path], share: str
) -> Iterator[str]:
    """What makes them. `share`: what tells the share of the limit."""
    yield f"CREATE VIEW lines_of_files AS {_lines(records, _RECORD)}"
    yield f"CREATE VIEW lines_of_nodes AS {_lines(nodes, _NODE)}"
    yield f"CREATE VIEW descriptions AS {_descriptions(machines)}"
    for name, view in VIEWS.items():
        computed = {column: share if what == SHARE else what for column, what in view.columns.items()}
        columns = ", ".join(f"{what} AS {column}" for column, what in computed.items())
        yield f"CREATE VIEW {name} AS SELECT {columns} FROM {view.source}"  # noqa: S608  (ours)


def _share(connection: "duckdb.DuckDBPyConnection", share_of: ShareOf | None) -> str:
    """What the share of the limit is computed as: only for rows and columns that a query wants."""
    if share_of is None:
        return "NULL::DOUBLE"
    import numpy  # noqa: F401, ICN001, PLC0415  (DuckDB would import it, and takes an interrupt meanwhile for its lack)
    from duckdb.func import FunctionNullHandling  # noqa: PLC0415  (as DuckDB itself)

    def share(run: str | None, record: str | None, metric: str | None) -> float | None:
        return share_of(run, record, metric) if run and record and metric else None

    text = "VARCHAR"
    connection.create_function(
        "share_of_limit", share, [text, text, text], "DOUBLE", null_handling=FunctionNullHandling.SPECIAL
    )
    return "share_of_limit(r.run, r.id, m.key)"


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _check_text(name: str, text: str) -> None:
    """Raises BanzukeError."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BanzukeError(
            f"{name} is not UTF-8", why="DuckDB accepts nothing else", remedy="Write it in UTF-8"
        ) from error


def _rows(connection: "duckdb.DuckDBPyConnection", preparing: Sequence[str], statement: "duckdb.Statement") -> Rows:
    """Carried out in a thread beside this one, which DuckDB would keep from every signal until it has ended."""

    def carried_out() -> Rows:
        for before in preparing:
            connection.execute(before)
        cursor = connection.execute(statement)
        return Rows([column[0] for column in cursor.description or ()], cursor.fetchall())

    with ThreadPoolExecutor(1) as beside:
        found = beside.submit(carried_out)
        try:
            return found.result()
        except KeyboardInterrupt:
            while not wait([found], timeout=0.1).done:
                connection.interrupt()  # which does nothing between two statements
            raise


class _HeldFiles:
    """Files as DuckDB opens them, by name: where others could exchange one, by a name of ours for what was opened."""

    def __init__(self, held: ExitStack) -> None:
        self._held = held
        self._ours: Path | None = None

    def sizes(self, files: Iterable[Path]) -> dict[Path, int]:
        """Names and bytes of those that can be read: at another one DuckDB would give up."""
        found = {}
        for file in files:
            with suppress(BanzukeError), ExitStack() as opening:
                content = opening.enter_context(opened(file))
                name = file
                if whose(file):
                    name = self._named(content.fileno(), file)
                    self._held.enter_context(opening.pop_all())
                found[name] = os.fstat(content.fileno()).st_size
        return found

    def _named(self, descriptor: int, file: Path) -> Path:
        """In a folder that is called as the run's is."""
        if self._ours is None:
            self._ours = Path(self._held.enter_context(tempfile.TemporaryDirectory(prefix="banzuke-")))
        name = self._ours / str(descriptor) / file.parent.name / file.name
        name.parent.mkdir(parents=True)
        name.symlink_to(f"/proc/self/fd/{descriptor}")
        return name


def _refused(error: "duckdb.Error") -> BanzukeError:
    """The lines that follow the first say where in the query, or what was meant."""
    first, *more = str(error).strip().splitlines()
    meant = next((line for line in more if line.startswith(("Did you mean", "Candidate"))), "")
    return BanzukeError(
        "the query failed", why=" ".join(filter(None, [first, meant])), remedy="`--tables` shows what is there"
    )


def _lines(files: Mapping[Path, int], fields: Mapping[str, str]) -> str:
    if not files:
        empty = ", ".join(f"NULL::{kind} AS {name}" for name, kind in fields.items())
        return f"SELECT {empty}, NULL::VARCHAR AS filename WHERE false"
    columns = json.dumps(fields).replace('"', "'")
    longest = max([_OBJECT, *(_longest(file) for file, size in files.items() if size > _OBJECT)])
    return (
        f"SELECT * FROM read_json({_list(map(_literal, files))}, format='newline_delimited', ignore_errors=true, "  # noqa: S608
        f"columns={columns}, filename=true, hive_partitioning=false, maximum_object_size={longest})"
    )


def _longest(file: Path) -> int:
    """Bytes of its longest line: DuckDB keeps several of the longest that it may meet in memory."""
    with file.open("rb") as lines:  # as DuckDB does
        return max(map(len, iter(partial(lines.readline, LARGEST), b"")), default=0)


def _descriptions(files: Sequence[Path]) -> str:
    if not files:
        return "SELECT NULL::VARCHAR AS filename, NULL::VARCHAR AS content WHERE false"
    return f"SELECT filename, content FROM read_text({_list(map(_literal, files))})"  # noqa: S608  (quoted)


def _list(texts: Iterable[str]) -> str:
    return "[" + ", ".join("'" + text.replace("'", "''") + "'" for text in texts) + "]"


def _literal(file: Path) -> str:
    """The path as a pattern that fits it alone."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in str(file))
