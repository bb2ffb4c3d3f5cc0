"""Runs as files: a folder a run, with the machine, the plan and one record a line. Files are the truth.

    RESULTS/RUN/machine.json  plan.json  records.jsonl  ceilings.jsonl  report.*

Nothing is locked there, so it works on parallel file systems; `owner.json` names the process that is at work. A record
is appended with one write and is either whole or, after a failure, taken back.
"""

import contextlib
import errno
import json
import os
import re
import secrets
import socket
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from banzuke.amounts import Several
from banzuke.errors import BanzukeError
from banzuke.files import read_whole, refusal, unwritable, write_whole
from banzuke.isolation.processes import start_of
from banzuke.launch.guard import MARK
from banzuke.machine.model import Machine
from banzuke.machine.tree import Tree
from banzuke.plan.benchmark import Case
from banzuke.plan.cases import key
from banzuke.record.model import VERSION, Record
from banzuke.record.upgrade import upgraded_plan
from banzuke.units import count

RECORDS = "records.jsonl"
CEILINGS = "ceilings.jsonl"
OWNER = "owner.json"
LARGEST = 1 << 30
"""Bytes of a file of records."""
MOST_LAUNCHES = 1_000_000
"""Of a run: years of them."""
ABANDONED = 3600.0
"""Seconds without a record after which a run of another host counts as cut off."""


class Plan(BaseModel):
    """What a run set out to do; tells whether it is complete."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    started: datetime
    request: str
    """What was asked for; a run that was cut off is continued by the same request, with the cases planned then."""
    cases: list[Case]
    repetitions: Several

    @model_validator(mode="before")
    @classmethod
    def upgraded_first(cls, data: Any) -> Any:
        """Plans of earlier versions are read as if they were of this one."""
        return upgraded_plan(data)

    @model_validator(mode="after")
    def bounded(self) -> "Plan":
        if self.repetitions * max(1, len(self.cases)) > MOST_LAUNCHES:
            raise ValueError(
                f"{len(self.cases)} cases, {self.repetitions} times each, are over {MOST_LAUNCHES:,} launches"
            )
        return self

    def order(self) -> list[tuple[str, int]]:
        """(case key, repetition) in the order in which they run."""
        return [(key(case), repetition) for repetition in range(self.repetitions) for case in self.cases]


class Owner(BaseModel):
    """The process that works on a run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    host: str
    pid: int
    started: int | None
    """Ticks since boot: tells a process from a later one with its number."""
    mark: str = ""
    """Of what it starts, as banzuke.launch.guard gives it."""

    @property
    def here(self) -> bool:
        """Whether it is this host's."""
        return self.host == socket.gethostname()

    @property
    def lives(self) -> bool:
        """Of this host."""
        return self.started is not None and start_of(Tree(), self.pid) == self.started


@dataclass(frozen=True)
class Reading:
    """Records read, and what was passed over."""

    records: list[Record]
    unreadable: list[str]
    """File, line and reason."""


def read(file: Path, cases: Collection[str] | None = None) -> Reading:
    """Records of one file, or those of some cases, by hash. Lines that are not records of this version are named."""
    records, unreadable = [], []
    try:
        lines = read_whole(file, LARGEST).splitlines()
    except BanzukeError as error:
        return Reading([], [str(error)])
    for number, line in enumerate(lines, start=1):
        if not line.strip() or (cases is not None and not _mentions(line, cases)):
            continue
        try:
            records.append(Record.model_validate_json(line))
        except ValidationError as error:
            unreadable.append(f"{file}, line {number}: {refusal(error)}")
    return Reading(records, unreadable)


def _mentions(line: bytes, cases: Collection[str]) -> bool:
    """Seen without parsing the line, which may hold millions of values."""
    return any(found.decode(errors="replace") in cases for found in _CASE.findall(line))


_CASE = re.compile(rb'"case": ?"([^"]*)"')


def _write(descriptor: int, line: bytes) -> None:
    """One write, so that records of programs that share a file do not mix. Raises OSError when it is cut short."""
    if os.write(descriptor, line) != len(line):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    os.fsync(descriptor)


class Run:
    """One run's folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = folder.name

    def read(self, cases: Collection[str] | None = None) -> Reading:
        """Its records, or those of some cases, by hash."""
        return read(self.folder / RECORDS, cases)

    def ceilings(self) -> list[Record]:
        """Records that set limits here and are none of its cases: of other runs, or measured for this purpose."""
        file = self.folder / CEILINGS
        return read(file).records if file.exists() else []

    def keep_ceilings(self, records: Sequence[Record]) -> None:
        """Adds copies of those that are not kept yet. Raises BanzukeError."""
        kept = self.ceilings()
        known = {record.provenance.id for record in kept if record.provenance}
        new = [record for record in records if record.provenance and record.provenance.id not in known]
        if new:
            content = b"".join(record.model_dump_json().encode() + b"\n" for record in (*kept, *new))
            write_whole(self.folder / CEILINGS, content)

    def plan(self) -> Plan | None:
        try:
            return Plan.model_validate_json(read_whole(self.folder / "plan.json"))
        except (BanzukeError, ValidationError):
            return None

    def machine(self) -> Machine:
        """Raises BanzukeError when the description is missing or from another version."""
        file = self.folder / "machine.json"
        try:
            return Machine.model_validate_json(read_whole(file))
        except ValidationError as error:
            raise BanzukeError(f"{file} is not a machine's description", why=refusal(error)) from error

    def update_machine(self, machine: Machine) -> None:
        write_whole(self.folder / "machine.json", machine.model_dump_json(indent=1).encode() + b"\n")

    def append(self, record: Record) -> None:
        """Adds a record. Raises BanzukeError; the file is then as it was before."""
        file = self.folder / RECORDS
        line = record.model_dump_json().encode() + b"\n"
        try:
            descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as error:
            raise unwritable(file, error) from error
        try:
            size = os.fstat(descriptor).st_size
            if size and os.pread(descriptor, 1, size - 1) != b"\n":
                line = b"\n" + line  # a process that was killed left half a line, which readers pass over
            try:
                _write(descriptor, line)
            except OSError as error:
                with contextlib.suppress(OSError):
                    os.ftruncate(descriptor, size)
                raise unwritable(file, error) from error
        finally:
            os.close(descriptor)

    @contextlib.contextmanager
    def owned(self) -> Iterator[None]:
        """Marks the run as being worked on, so that no other process continues it. Raises BanzukeError."""
        process, mark = os.getpid(), os.environ.get(MARK, "")
        owner = Owner(host=socket.gethostname(), pid=process, started=start_of(Tree(), process), mark=mark)
        write_whole(self.folder / OWNER, owner.model_dump_json().encode())
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                (self.folder / OWNER).unlink()

    def owner(self) -> Owner | None:
        """Who works on it, or did so until he was killed."""
        try:
            return Owner.model_validate_json(read_whole(self.folder / OWNER))
        except (BanzukeError, ValueError):
            return None

    def busy(self) -> bool:
        """Whether a process may still be at work here. Of another host only the mark's age can be seen."""
        owner = self.owner()
        if owner is None or owner.here:
            return owner is not None and owner.lives
        files = (self.folder / OWNER, self.folder / RECORDS)
        try:
            latest = max(path.stat().st_mtime for path in files if path.exists())
        except (OSError, ValueError):  # it has just ended
            return False
        return time.time() - latest < ABANDONED

    def missing(self) -> list[tuple[Case, int]]:
        """Planned cases and repetitions without a record."""
        plan = self.plan()
        if plan is None:
            return []
        done = {(r.provenance.case, r.provenance.repetition) for r in self.read().records if r.provenance}
        cases = {key(case): case for case in plan.cases}
        return [(cases[name], repetition) for name, repetition in plan.order() if (name, repetition) not in done]


class Store:
    """The results folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def runs(self) -> list[Run]:
        """Oldest first."""
        try:
            folders = [p for p in self.folder.iterdir() if (p / "plan.json").is_file() or (p / RECORDS).is_file()]
        except OSError:
            return []
        return [Run(folder) for folder in sorted(folders)]

    def create(self, machine: Machine, cases: Sequence[Case] | None, repetitions: int = 1, request: str = "") -> Run:
        """A new run, without a plan when `cases` is None.

        Raises BanzukeError when the folder cannot be written, and where so many launches make no sense.
        """
        now = datetime.now(UTC)
        try:
            plan = Plan(started=now, request=request, cases=list(cases or ()), repetitions=repetitions)
        except ValidationError as error:
            raise BanzukeError("this cannot be run", why=refusal(error), remedy="Ask for less") from error
        folder = self.folder / f"{now:%Y%m%dT%H%M%S}-{secrets.token_hex(2)}"
        try:
            folder.mkdir(parents=True)
        except OSError as error:
            raise unwritable(folder, error) from error
        run = Run(folder)
        run.update_machine(machine)
        if cases is not None:
            write_whole(folder / "plan.json", plan.model_dump_json(indent=1).encode() + b"\n")
        return run

    def unfinished(self, machine: Machine, request: str) -> Run | None:
        """The newest run, when it was asked for the same on this machine and was cut off."""
        newest = next(reversed(self.runs()), None)
        plan = newest.plan() if newest else None
        if newest is None or plan is None or plan.request != request or not newest.missing() or newest.busy():
            return None
        try:
            return newest if newest.machine().fingerprint == machine.fingerprint else None
        except BanzukeError:
            return None

    def killed(self) -> list[str]:
        """Marks of the runs whose process on this host was killed: what it started may still be there."""
        owners = [owner for run in self.runs() if (owner := run.owner())]
        return [owner.mark for owner in owners if owner.mark and owner.here and not owner.lives]

    def find(self, name: str) -> Run:
        """A run by its name, the beginning of it, `last` or `previous`. Raises BanzukeError."""
        runs = self.runs()
        if name in ("last", "previous"):
            wanted = 1 if name == "last" else 2
            if len(runs) < wanted:
                raise BanzukeError(
                    f"there is no {name} run", why=f"{self.folder} holds {len(runs)}", remedy="Run `banzuke evaluate`"
                )
            return runs[-wanted]
        matching = [run for run in runs if run.name.startswith(name)]
        if len(matching) != 1:
            begin = "begin" if len(matching) > 1 else "begins"
            raise BanzukeError(
                f"{count(len(matching), 'run')} in {self.folder} {begin} with '{name}'",
                remedy="`banzuke list` shows all runs",
            )
        return matching[0]

    def locate(self, name: str) -> Run:
        """A run (see `find`), or a run's folder, such as one brought from another machine. Raises BanzukeError."""
        return Run(Path(name)) if Path(name).is_dir() else self.find(name)

    def resolve(self, name: str) -> Reading:
        """Records of a run (see `find`), of a run's folder, or of a file of records. Raises BanzukeError."""
        path = Path(name)
        if path.is_dir():
            path = path / RECORDS
        if not path.is_file():
            return self.find(name).read()
        reading = read(path)
        if not reading.records:
            raise BanzukeError(f"{path} holds no records", why="; ".join(reading.unreadable[:3]) or "it is empty")
        return reading

    def launched(self, cases: Collection[str]) -> list[Record]:
        """Records of these cases, by hash, in all runs."""
        files = [run.folder / RECORDS for run in self.runs()]
        return [record for file in files for record in read(file, cases).records]

    def query(self, sql: str) -> list[dict[str, Any]]:
        """Rows of an SQL query over the view `records`: one row a record, `run` and `metrics` (JSON) among them."""
        files = [
            str(file)
            for run in self.runs()
            if (file := run.folder / RECORDS).is_file() and file.stat().st_size <= LARGEST
        ]
        with duckdb.connect(":memory:") as connection:
            connection.execute(f"CREATE VIEW records AS {_select(files)}")
            cursor = connection.execute(sql)
            names = [column[0] for column in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


_COLUMNS = {
    "schema_version": "INTEGER",
    "benchmark": "VARCHAR",
    "backend": "VARCHAR",
    "parameters": "JSON",
    "groups": "JSON",
    "ranks": "INTEGER",
    "threads": "INTEGER",
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
    "software": "JSON",
    "conditions": "JSON",
    "provenance": "JSON",
}


_OF_GROUPS = {
    "ranks": "COALESCE(ranks, list_sum(CAST(json_extract(groups, '$[*].ranks') AS INTEGER[])))",
    "threads": "COALESCE(threads, CAST(json_extract(groups, '$[0].threads') AS INTEGER))",
    "software": "COALESCE(software, json_extract(groups, '$[0].software'))",
}
"""What records of schema 1 have themselves."""

_OBJECT = 16 << 20
"""Bytes of a line that DuckDB takes by itself; the series of many processors are longer."""


def _select(files: list[str]) -> str:
    if not files:
        empty = ", ".join(f"NULL::{kind} AS {name}" for name, kind in _COLUMNS.items())
        return f"SELECT {empty}, NULL::VARCHAR AS run WHERE false"
    columns = json.dumps(_COLUMNS).replace('"', "'")
    quoted = ", ".join("'" + file.replace("'", "''") + "'" for file in files)
    largest = max(_OBJECT, *(Path(file).stat().st_size for file in files))
    source = (
        f"read_json([{quoted}], format='newline_delimited', ignore_errors=true, columns={columns}, filename=true, "
        f"maximum_object_size={largest})"
    )
    told = ", ".join(f"{what} AS {name}" for name, what in _OF_GROUPS.items())
    chosen = f"* REPLACE ({told}), parse_path(filename)[-2] AS run"
    said = " AND ".join(f"{name} IS NOT NULL" for name in ("benchmark", "backend", "status", "started"))
    return f"SELECT {chosen} FROM {source} WHERE schema_version IN (1, {VERSION}) AND {said}"  # noqa: S608  (quoted)
