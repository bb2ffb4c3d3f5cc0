"""The results folder: one folder per run (`banzuke.results.run`). Finds runs by name, and the one to continue."""

import contextlib
import os
import re
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from banzuke.errors import BanzukeError
from banzuke.files import (
    NotOursError,
    check_ours,
    make_folder,
    refusal,
    remove_folder,
    unwritable,
    whose,
)
from banzuke.files.reach import entered
from banzuke.files.trust import remedy
from banzuke.machine.model import Machine
from banzuke.plan.budget import Budget
from banzuke.plan.case import Case
from banzuke.record.model import Record
from banzuke.results import lines
from banzuke.results.lines import RESULTS, Reading
from banzuke.results.query import Rows, ShareOf, query
from banzuke.results.run import MACHINE, PLAN, REMOVED, Plan, Run
from banzuke.units import count

MOST_NAMED = 5
"""Most runs that an error names."""
RELATIVE = ("last", "previous")
"""Names that mean a run by its position among the others."""
BASELINES = "baselines"
FOLDERS = ("reports", "submissions", BASELINES)
"""Folders beside the runs that are not runs."""
_TIME = "%Y%m%dT%H%M%S"
_TIMED = re.compile(r"\d{8}T\d{6}(?!\d)")


def new_name(now: datetime) -> str:
    """Return the name of a run that begins at `now` (UTC): names sort as their runs began, to 15 µs."""
    return f"{now:{_TIME}}-{(now.microsecond << 16) // 1_000_000:04x}"


def check_name(name: str) -> None:
    """Raise BanzukeError where a user's name for a run is not allowed."""
    if not re.fullmatch(r"[A-Za-z0-9_][\w.+=,@-]{0,127}", name, re.ASCII) or name in (*RELATIVE, *FOLDERS):
        raise BanzukeError(
            f"a run cannot be called '{name}'",
            remedy=f"Use letters, digits and . + - _ = , @, and none of {', '.join((*RELATIVE, *FOLDERS))}",
        )


def _age(folder: Path) -> tuple[str, str]:
    """Return a sort key for the start of a run, which is in its name unless a user chose it."""
    if _TIMED.match(folder.name):
        return folder.name, ""
    try:
        begun = datetime.fromtimestamp((folder / MACHINE).stat().st_mtime, UTC)
    except (OSError, ValueError, OverflowError):  # the file's time may be anything
        begun = datetime.fromtimestamp(0, UTC)
    return f"{begun:{_TIME}}", folder.name


def _is_ours(run: Run) -> bool:
    return not whose(run.folder, way="read") and os.access(run.folder, os.W_OK | os.X_OK)


def _goes_on(run: Run, machine: Machine, request: str) -> bool:
    """Return whether the run had the same request on this machine and was interrupted."""
    plan = run.plan()
    if plan is None or plan.request != request or not run.missing() or run.busy():
        return False
    try:
        return run.machine().fingerprint == machine.fingerprint
    except BanzukeError:
        return False


def _is_run(folder: Path) -> bool:
    """Return whether a folder is a run; one that may not be read is not."""
    try:
        return (folder / PLAN).is_file() or bool(lines.files(folder))
    except OSError:
        return False


class Store:
    """The results folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def runs(self) -> list[Run]:
        """Return the runs, oldest first."""
        try:
            folders = [p for p in self.folder.iterdir() if not p.name.startswith(".")]
        except OSError:
            return []
        return [Run(folder) for folder in sorted(folders, key=_age) if _is_run(folder)]

    def closed(self) -> list[Path]:
        """Return folders that may not be read, itself included, whether they are runs or not."""
        if not self.folder.is_dir():
            return []
        if not os.access(self.folder, os.R_OK | os.X_OK):
            return [self.folder]
        inside = (path for path in self.folder.iterdir() if path.is_dir() and not path.name.startswith("."))
        return sorted(path for path in inside if not os.access(path, os.R_OK | os.X_OK))

    def create(
        self,
        machine: Machine,
        cases: Sequence[Case] | None,
        repetitions: int = 1,
        request: str = "",
        budget: Budget | None = None,
        name: str | None = None,
    ) -> Run:
        """Create a run, without a plan when `cases` is None. `name`: one that `named` did not find.

        Raises BanzukeError when the folder cannot be written, or the number of launches is too large.
        """
        now = datetime.now(UTC)
        try:
            most = max((repetitions, *(budget.launches if budget else ())))
            plan = Plan(started=now, request=request, cases=list(cases or ()), repetitions=most, budget=budget)
        except ValidationError as error:
            raise BanzukeError("this cannot be run", why=refusal(error), remedy="Request less") from error
        run = Run(self._make_named(name) if name else self._make_new())
        run.work_on()
        run.update_machine(machine)
        if cases is not None:
            run.keep_plan(plan)
        return run

    def _make_named(self, name: str) -> Path:
        folder = self.folder / name
        try:
            make_folder(folder, new=False)
        except OSError as error:
            raise unwritable(folder, error, RESULTS) from error
        return folder

    def _make_new(self) -> Path:
        """Make a folder named by the time; where another run began at the same time, by the time a moment later."""
        while True:
            folder = self.folder / new_name(datetime.now(UTC))
            try:
                make_folder(folder, new=True)
            except OSError as error:
                if isinstance(error, FileExistsError) and folder.exists():
                    continue
                raise unwritable(folder, error, RESULTS) from error
            return folder

    def clear(self) -> None:
        """Remove what is left of our runs whose removal was interrupted."""
        for leftover in self.folder.glob(f"{REMOVED}*"):
            if not whose(leftover) and not Run(leftover).busy():
                with contextlib.suppress(OSError):
                    remove_folder(leftover)

    def whose(self) -> str:
        """Return why others could replace what is in it; empty: they cannot.

        In a sticky folder runs stay their owner's.
        """
        try:
            with entered(self.folder) as place:
                return place.doubt
        except OSError:
            return ""

    def unfinished(
        self, machine: Machine, request: str, refused: Callable[[str], None] = lambda _why: None
    ) -> Run | None:
        """Return our newest run, if it had the same request on this machine and was interrupted.

        `refused` is told why the newest run of all is not continued, where it belongs to somebody else.
        """
        runs = self.runs()
        ours = next((run for run in reversed(runs) if _is_ours(run)), None)
        if ours and _goes_on(ours, machine, request):
            try:
                ours.adopt()
            except NotOursError as error:
                refused(f"{error.problem} ({error.why}). {error.remedy}")
            else:
                return ours
        elif runs and runs[-1] is not ours and _goes_on(runs[-1], machine, request):
            why = whose(runs[-1].folder, way="read")
            refused(f"run {runs[-1].name} was cut off and is not continued ({why}). {remedy(why)}")
        return None

    def named(self, name: str, machine: Machine, request: str) -> Run | None:
        """Return the run of this name, which is continued no matter who worked on it before; None: it is to be created.

        A batch system starts one process at a time for a run, so the mark of a killed process of another host is
        ignored. Raises BanzukeError for a run with another request.
        """
        run = Run(self.folder / name)
        try:
            left = {path.name for path in run.folder.iterdir() if not path.name.startswith(".")}
        except FileNotFoundError:
            return None
        except OSError as error:
            raise unwritable(run.folder, error, RESULTS) from error
        plan = run.plan()
        if plan is None and left <= {MACHINE}:  # its process was killed at once
            check_ours(run.folder, problem=f"run {name} is not yours", way="read")
            return None
        if plan is not None:
            run.adopt()
            plan = run.plan()
        why = ""
        if plan is None:
            why = "it has no plan"
        elif plan.request != request:
            why = "it was started with other arguments"
        elif run.machine().fingerprint != machine.fingerprint:
            why = "it has other hardware, or another number of processors"
        elif (owner := run.owner()) and owner.here and owner.lives:
            why = f"process {owner.pid} is at work on it"
        if why:
            raise BanzukeError(f"run {name} cannot be continued here", why=why, remedy="Use another name")
        return run

    def find(self, name: str) -> Run:
        """Return a run by its name, the beginning of it, `last` or `previous`. Raises BanzukeError."""
        runs = self.runs()
        if name in RELATIVE:
            wanted = 1 if name == "last" else 2
            if len(runs) < wanted:
                raise BanzukeError(
                    f"there is no {name} run",
                    why=f"{self.folder} holds {len(runs)}",
                    remedy="`banzuke evaluate`, `run` or `screen` makes one",
                )
            return runs[-wanted]
        matching = [run for run in runs if run.name == name] or [
            run for run in runs if name and run.name.startswith(name)
        ]
        if len(matching) != 1:
            begin = "begin" if len(matching) > 1 else "begins"
            named = [run.name for run in matching[:MOST_NAMED]] + ["..."] * (len(matching) > MOST_NAMED)
            raise BanzukeError(
                f"{count(len(matching), 'run')} in {self.folder} {begin} with '{name}'",
                why=", ".join(named),
                remedy="`banzuke list` shows all runs",
            )
        return matching[0]

    def locate(self, name: str) -> Run:
        """Return a run (see `find`), or a run's folder, such as one copied from another machine.

        Raises BanzukeError.
        """
        return Run(Path(name)) if name and Path(name).is_dir() else self.find(name)

    def resolve(self, name: str) -> Reading:
        """Return the records of a run (see `locate`) or of a file of records. Raises BanzukeError."""
        path = Path(name)
        if not path.exists():
            return self.find(name).read()
        reading = Run(path).read() if path.is_dir() else lines.read(path)
        if not reading.records:
            raise BanzukeError(f"{path} holds no records", why="; ".join(reading.unreadable[:3]) or "it is empty")
        return reading

    def launched(self, cases: Collection[str]) -> list[Record]:
        """Return records of these cases, by hash, in all runs except those of fleets, which are of other nodes."""
        runs = (run for run in self.runs() if not run.of_fleet)
        return lines.read_all((file for run in runs for file in run.files()), cases).records

    def select(self, sql: str, share_of: ShareOf | None = None) -> Rows:
        """Return the result of an SQL query over the records of all runs (`banzuke.results.query`).

        Raises BanzukeError.
        """
        return query(((run.folder, run.files()) for run in self.runs()), sql, share_of)

    def query(self, sql: str) -> list[dict[str, Any]]:
        """Return the same as one dictionary per row. Raises BanzukeError."""
        answer = self.select(sql)
        return [dict(zip(answer.columns, row, strict=True)) for row in answer.rows]
