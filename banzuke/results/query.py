"""Runs SQL queries over the records of all runs; DuckDB reads the files itself.

Only the files of the runs can be opened, and only SELECT is allowed, so that nothing is written.
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
from typing import TYPE_CHECKING, Any

from banzuke.errors import BanzukeError
from banzuke.files import opened, whose
from banzuke.results.lines import LARGEST, NODES
from banzuke.results.sql_views import NODE_FIELDS, RECORD_FIELDS, SHARE, VIEWS

if TYPE_CHECKING:
    import duckdb

_OBJECT = 16 << 20
"""Longest line in bytes that DuckDB accepts by default; series of many processors are longer."""

ShareOf = Callable[[str, str, str], float | None]
"""Returns the share of the limit by run, record id and metric; None: unknown."""


@dataclass(frozen=True)
class Rows:
    columns: list[str]
    rows: list[tuple[Any, ...]]


def query(runs: Iterable[tuple[Path, Sequence[Path]]], sql: str, share_of: ShareOf | None = None) -> Rows:
    """Return the result of one SELECT over the `VIEWS`. Raises BanzukeError.

    `runs`: folders with their files of records. `share_of` is called for the rows whose share of the limit the query
    needs; None: no share is known.
    """
    every = list(runs)
    _check_text("the query", sql)
    readable = [(folder, files) for folder, files in every if _is_text(str(folder))]  # bad names affect no others
    if every and not readable:
        _check_text(str(every[0][0]), str(every[0][0]))
    with ExitStack() as held:
        held_files = _HeldFiles(held)
        records = held_files.sizes(file for _, files in readable for file in files)
        nodes = held_files.sizes(folder / NODES for folder, _ in readable)
        machines = [*held_files.sizes(folder / "machine.json" for folder, _ in readable)]
        return _queried(records, nodes, machines, sql, share_of)


def _queried(
    records: Mapping[Path, int],
    nodes: Mapping[Path, int],
    machines: Sequence[Path],
    sql: str,
    share_of: ShareOf | None,
) -> Rows:
    """Return the answer from files of records and of nodes, with their sizes in bytes, and of machines.

    Raises BanzukeError.
    """
    import duckdb  # noqa: PLC0415  (only this command needs it, so the others should not load it)

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
        connection.execute("SET temp_directory = ''")  # a query that exceeds the memory fails instead of writing files
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
    """Return the statements that create the views. `share`: SQL expression for the share of the limit."""
    yield f"CREATE VIEW lines_of_files AS {_lines(records, RECORD_FIELDS)}"
    yield f"CREATE VIEW lines_of_nodes AS {_lines(nodes, NODE_FIELDS)}"
    yield f"CREATE VIEW descriptions AS {_descriptions(machines)}"
    for name, view in VIEWS.items():
        computed = {column: share if what == SHARE else what for column, what in view.columns.items()}
        columns = ", ".join(f"{what} AS {column}" for column, what in computed.items())
        yield f"CREATE VIEW {name} AS SELECT {columns} FROM {view.source}"  # noqa: S608  (built from our own text)


def _share(connection: "duckdb.DuckDBPyConnection", share_of: ShareOf | None) -> str:
    """Return the SQL expression for the share of the limit, which is computed only for the rows a query needs."""
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
    """Raise BanzukeError if the text is not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BanzukeError(
            f"{name} is not UTF-8", why="DuckDB accepts nothing else", remedy="Write it in UTF-8"
        ) from error


def _rows(connection: "duckdb.DuckDBPyConnection", preparing: Sequence[str], statement: "duckdb.Statement") -> Rows:
    """Run the statements in a thread of their own, because DuckDB blocks its thread's signals until it has ended."""

    def carried_out() -> Rows:
        for before in preparing:
            connection.execute(before)
        cursor = connection.execute(statement)
        return Rows([column[0] for column in cursor.description or ()], cursor.fetchall())

    with ThreadPoolExecutor(1) as beside:
        answer = beside.submit(carried_out)
        try:
            return answer.result()
        except KeyboardInterrupt:
            while not wait([answer], timeout=0.1).done:
                connection.interrupt()  # this has no effect between two statements, so it is repeated
            raise


class _HeldFiles:
    """Files by the name under which DuckDB may open them.

    A file that others could replace is named by its descriptor.
    """

    def __init__(self, held: ExitStack) -> None:
        self._held = held
        self._ours: Path | None = None

    def sizes(self, files: Iterable[Path]) -> dict[Path, int]:
        """Return names and sizes in bytes of the readable files, because DuckDB fails at any unreadable one."""
        sizes = {}
        for file in files:
            with suppress(BanzukeError), ExitStack() as opening:
                content = opening.enter_context(opened(file))
                name = file
                if whose(file):
                    name = self._named(content.fileno(), file)
                    self._held.enter_context(opening.pop_all())
                sizes[name] = os.fstat(content.fileno()).st_size
        return sizes

    def _named(self, descriptor: int, file: Path) -> Path:
        """Return a link to the open file, in a folder named as the run's: queries take the run's name from it."""
        if self._ours is None:
            self._ours = Path(self._held.enter_context(tempfile.TemporaryDirectory(prefix="banzuke-")))
        name = self._ours / str(descriptor) / file.parent.name / file.name
        name.parent.mkdir(parents=True)
        name.symlink_to(f"/proc/self/fd/{descriptor}")
        return name


def _refused(error: "duckdb.Error") -> BanzukeError:
    """Return the error with DuckDB's suggestion, if there is one in the lines after the first."""
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
    """Return the bytes of the file's longest line; DuckDB allocates several buffers of the size that it is given."""
    with file.open("rb") as lines:  # opened as DuckDB opens it
        return max(map(len, iter(partial(lines.readline, LARGEST), b"")), default=0)


def _descriptions(files: Sequence[Path]) -> str:
    if not files:
        return "SELECT NULL::VARCHAR AS filename, NULL::VARCHAR AS content WHERE false"
    return f"SELECT filename, content FROM read_text({_list(map(_literal, files))})"  # noqa: S608  (quoted)


def _list(texts: Iterable[str]) -> str:
    return "[" + ", ".join("'" + text.replace("'", "''") + "'" for text in texts) + "]"


def _literal(file: Path) -> str:
    """Return the path as a pattern that matches it alone."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in str(file))
