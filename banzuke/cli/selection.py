"""Options that choose among runs, and the runs that they choose."""

from datetime import UTC, datetime, time
from typing import Annotated, Any

import typer

from banzuke.cli.options import WHAT
from banzuke.errors import BanzukeError
from banzuke.record.run import Run
from banzuke.record.store import Store
from banzuke.text import nearest


def since(text: str) -> datetime:
    """A moment in UTC; of a date its beginning. Raises BanzukeError."""
    try:
        found = datetime.fromisoformat(text.strip())
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise BanzukeError(f"'{text}' is not a date", remedy="Write 2026-11-22, or 2026-11-22T14:30 in UTC") from error


def until(text: str) -> datetime:
    """A moment in UTC; of a date its end. Raises BanzukeError."""
    found = since(text)
    return datetime.combine(found, time.max, UTC) if len(text.strip()) <= len("2026-11-22") else found


Since = Annotated[
    datetime | None,
    typer.Option(
        "--since",
        parser=since,
        metavar="DATE",
        help="Only runs that started then or later, in UTC.",
        rich_help_panel=WHAT,
    ),
]
Until = Annotated[
    datetime | None,
    typer.Option(
        "--until",
        parser=until,
        metavar="DATE",
        help="Only runs that started then or earlier, in UTC.",
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
Row = dict[str, Any]
"""Of the view `runs`."""


def chosen(
    store: Store,
    *,
    benchmark: str | None,
    machine: str | None,
    since: datetime | None,
    until: datetime | None,
) -> list[tuple[Run, Row]]:
    """Runs that have records, oldest first. Raises BanzukeError where no run has the machine at all."""
    runs = {run.name: run for run in store.runs()}
    rows = store.query("SELECT * FROM runs ORDER BY started, run")
    for row in rows:
        row["started"], row["ended"] = (row[name] and row[name].replace(tzinfo=UTC) for name in ("started", "ended"))
    known = list(dict.fromkeys(row["machine"] for row in rows if row["machine"]))
    if machine and rows and not any(_is_of(row, machine) for row in rows):
        raise BanzukeError(f"{store.folder} has no run on a machine '{machine}'", remedy=nearest(machine, known))
    return [
        (runs[row["run"]], row)
        for row in rows
        if row["run"] in runs
        and (benchmark is None or benchmark in row["benchmarks"])
        and (machine is None or _is_of(row, machine))
        and (since is None or row["started"] >= since)
        and (until is None or row["started"] <= until)
    ]


def _is_of(row: Row, machine: str) -> bool:
    return machine.lower() == (row["machine"] or "").lower() or (row["fingerprint"] or "").startswith(machine)
