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
from typing import TYPE_CHECKING, Any

from banzuke.errors import BanzukeError
from banzuke.files import opened, whose
from banzuke.results.lines import LARGEST, NODES
from banzuke.results.sql_views import NODE_FIELDS, RECORD_FIELDS, SHARE, VIEWS

if TYPE_CHECKING:
    import duckdb

_OBJECT = 16 << 20
"""Bytes of a line that DuckDB takes by itself; the series of many processors are longer."""

ShareOf = Callable[[str, str, str], float | None]
"""The share of the limit, by run, a record's id and metric; None: it is not known."""


@dataclass(frozen=True)
class Rows:
    columns: list[str]
    rows: list[tuple[Any, ...]]


def query(runs: Iterable[tuple[Path, Sequence[Path]]], sql: str, share_of: ShareOf | None = None) -> Rows:
    """What one SELECT over the `VIEWS` finds; `runs`: folders, and their files of records. Raises BanzukeError.

    `share_of` is asked for the rows whose share of the limit the query wants; None: no share is known.
    """
    every = list(runs)
    _check_text("the query", sql)
    readable = [(folder, files) for folder, files in every if _is_text(str(folder))]  # the others hide none of these
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
    """Answers from files of records and of nodes, by their bytes, and of machines. Raises BanzukeError."""
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
    """The statements that make them. `share`: what tells the share of the limit."""
    yield f"CREATE VIEW lines_of_files AS {_lines(records, RECORD_FIELDS)}"
    yield f"CREATE VIEW lines_of_nodes AS {_lines(nodes, NODE_FIELDS)}"
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
        answer = beside.submit(carried_out)
        try:
            return answer.result()
        except KeyboardInterrupt:
            while not wait([answer], timeout=0.1).done:
                connection.interrupt()  # which does nothing between two statements
            raise


class _HeldFiles:
    """Files as DuckDB opens them, by name: where others could exchange one, by a name of ours for what was opened."""

    def __init__(self, held: ExitStack) -> None:
        self._held = held
        self._ours: Path | None = None

    def sizes(self, files: Iterable[Path]) -> dict[Path, int]:
        """Names and bytes of those that can be read: at another one DuckDB would give up."""
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
