"""Options that select runs, and the runs that they select."""

import re
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Any

import typer

from banzuke.cli.console import errors, warn_of
from banzuke.cli.options import WHAT
from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine
from banzuke.record.model import Record
from banzuke.results.run import Run
from banzuke.results.store import Store
from banzuke.text import nearest
from banzuke.units import count
from banzuke.words import Listed
from banzuke.words.language import words

FORMATS = "2026-11-22, 2026-11-22T14:30 (UTC; or with +09:00), today, yesterday, or 7d for seven days ago (m, h, d, w)"
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:?\d{2})?", re.ASCII)
_AGO = re.compile(r"(\d{1,4})\s*([mhdw])(?: ago)?", re.ASCII)
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def since(text: str) -> datetime:
    """Return the moment in UTC; for a date its beginning. Raises BanzukeError."""
    return _read(text)[0]


def until(text: str) -> datetime:
    """Return the moment in UTC; for a date its end. Raises BanzukeError."""
    moment, whole_day = _read(text)
    return datetime.combine(moment, time.max, UTC) if whole_day else moment


def _read(text: str) -> tuple[datetime, bool]:
    """Return the moment, and whether it stands for that whole day in UTC. Raises BanzukeError."""
    plain, now = text.strip(), datetime.now(UTC)
    today = datetime.combine(now, time.min, UTC)
    try:
        if plain.lower() in ("today", "yesterday"):
            return today - timedelta(days=plain.lower() == "yesterday"), True
        if ago := _AGO.fullmatch(plain.lower()):
            return now - timedelta(**{_UNITS[ago[2]]: int(ago[1])}), False
        if _DATE.fullmatch(plain):
            return datetime.combine(date.fromisoformat(plain), time.min, UTC), True
        if _MOMENT.fullmatch(plain):
            moment = datetime.fromisoformat(plain)
            return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC), False
    except (ValueError, OverflowError) as error:
        raise BanzukeError(f"'{text}' is not a date", why=str(error), remedy=f"Write {FORMATS}") from error
    raise BanzukeError(f"'{text}' is not a date", remedy=f"Write {FORMATS}")


def check_order(since: datetime | None, until: datetime | None) -> None:
    """Raise BanzukeError if `since` is after `until`."""
    if since and until and since > until:
        raise BanzukeError(
            f"--since {since:%Y-%m-%d %H:%M} is after --until {until:%Y-%m-%d %H:%M} (UTC)",
            remedy="Exchange them",
        )


Since = Annotated[
    datetime | None,
    typer.Option(
        "--since",
        parser=since,
        metavar="DATE",
        help="Only runs that started then or later, in UTC: 2026-11-22, 2026-11-22T14:30, yesterday, 7d (days ago).",
        rich_help_panel=WHAT,
    ),
]
Until = Annotated[
    datetime | None,
    typer.Option(
        "--until",
        parser=until,
        metavar="DATE",
        help="Only runs that started then or earlier, in UTC; for a date, until its end.",
        rich_help_panel=WHAT,
    ),
]
OfMachine = Annotated[
    str | None,
    typer.Option(
        "--machine",
        metavar="NAME",
        help="Only runs on this machine, by name or prefix of its fingerprint.",
        rich_help_panel=WHAT,
    ),
]
_MOST_NAMES = 2
"""Most names of nodes of one type that stand for it."""
COUNTS = ("verified", "failed", "skipped")
"""States of a run's records that are counted."""
Row = dict[str, Any]
"""A row of the view `runs`."""


def chosen(
    store: Store,
    *,
    benchmark: str | None = None,
    machine: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> list[tuple[Run, Row]]:
    """Return the selected runs that have records, oldest first. Raises BanzukeError if no run is of this machine."""
    check_order(since, until)
    runs = {run.name: run for run in store.runs()}
    rows = store.query("SELECT * FROM runs ORDER BY started, run") if runs else []
    for row in rows:
        row["started"], row["ended"] = (row[name] and row[name].replace(tzinfo=UTC) for name in ("started", "ended"))
    machines = list(dict.fromkeys(row["machine"] for row in rows if row["machine"]))
    if machine and rows and not any(_is_of(row, machine) for row in rows):
        raise BanzukeError(f"{store.folder} has no run on a machine '{machine}'", remedy=nearest(machine, machines))
    return [
        (runs[row["run"]], row)
        for row in rows
        if row["run"] in runs
        and (benchmark is None or benchmark in row["benchmarks"])
        and (machine is None or _is_of(row, machine))
        and (since is None or row["started"] >= since)
        and (until is None or row["started"] <= until)
    ]


def machine_names(rows: Sequence[Row]) -> dict[str, str]:
    """Return the name of each machine by its fingerprint; where several share one, with the fingerprint.

    Nodes of one type share a fingerprint, so that it may have several names: the last ones are listed.
    """
    names: dict[str, list[str]] = {}
    for row in rows:
        if row["machine"]:
            names.setdefault(row["fingerprint"], []).append(row["machine"])
    listed = {
        fingerprint: words().fact(Listed(tuple(dict.fromkeys(reversed(own))), _MOST_NAMES))
        for fingerprint, own in names.items()
    }
    shared = Counter(listed.values())
    return {
        fingerprint: f"{name} ({fingerprint[:8]})" if shared[name] > 1 else name for fingerprint, name in listed.items()
    }


def _is_of(row: Row, machine: str) -> bool:
    return machine.lower() == (row["machine"] or "").lower() or (row["fingerprint"] or "").startswith(machine)


def read_records(runs: Sequence[Run]) -> list[tuple[str, Sequence[Record]]]:
    """Return the name and the records of each run, with a warning where a file cannot be read whole."""
    readings: list[tuple[str, Sequence[Record]]] = []
    with errors.busy(f"reading {count(len(runs), 'run')} ..."):
        for run in runs:
            reading = run.read()
            warn_of(reading)
            readings.append((run.name, reading.records))
    return readings


def say_unread(store: Store, entries: Sequence[Row]) -> None:
    """Print the runs of which no record can be read, and why; `entries` are those of all runs with records."""
    read = {entry["run"] for entry in entries if any(entry[name] for name in COUNTS)}
    for run in store.runs():
        if run.name not in read and not run.of_fleet and (unreadable := run.read().unreadable):
            errors.say(("not read:", "yellow"), f" {run.name}: {'; '.join(unreadable[:3])}")
    for folder in store.closed():
        errors.say(("not read:", "yellow"), f" {folder}: it may not be looked into")


def machine_if_readable(run: Run) -> Machine | None:
    """Return the run's machine; None if no readable file describes it."""
    try:
        return run.machine()
    except BanzukeError:
        return None
