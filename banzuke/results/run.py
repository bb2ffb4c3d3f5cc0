"""One run as a folder: the machine, the plan and one record per line. The files are the only state.

    RUN/machine.json  plan.json  orders.json  records-HOST-PROCESS.jsonl  ceilings.jsonl  owner.json  report.*

Nothing is locked, so it works on parallel file systems; `owner.json` names the process that works on the run.
"""

import contextlib
import os
import secrets
import socket
import time
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from pathlib import Path

from pydantic import ConfigDict, ValidationError, model_validator

from banzuke.amounts import Frozen, Several
from banzuke.errors import BanzukeError
from banzuke.files import (
    NotOursError,
    check_ours,
    identity,
    read_ours,
    read_whole,
    refusal,
    remove_folder,
    rename,
    unlink,
    unwritable,
    whose,
    write_whole,
)
from banzuke.isolation.processes import start_of
from banzuke.machine.model import Machine
from banzuke.machine.tree import Tree
from banzuke.plan.budget import Budget
from banzuke.plan.case import Case, key
from banzuke.record.model import Record
from banzuke.results import lines
from banzuke.results.lines import RESULTS, Reading
from banzuke.results.network import KeptNetwork
from banzuke.results.orders import KeptOrders

PLAN, MACHINE = "plan.json", "machine.json"
CEILINGS = "ceilings.jsonl"
ORDERS = "orders.json"
NETWORK = "network.json"
OWNER = "owner.json"
REMOVED = ".removed-"
"""Beginning of the name of a run's folder while it is removed."""
MOST_LAUNCHES = 1_000_000
"""Most launches of a run: enough for years."""
ABANDONED = 3600.0
"""Seconds without a new record after which a run of another host counts as interrupted."""


class Plan(Frozen):
    """The cases and launches of a run; shows whether it is complete."""

    model_config = ConfigDict(revalidate_instances="always")  # cases may have been made without validation

    started: datetime
    request: str
    """What was asked for. An interrupted run is continued by the same request, with the cases planned then."""
    cases: list[Case]
    repetitions: Several
    budget: Budget | None = None
    """Time budget, which determines how often each case is launched; None: `repetitions` times each."""

    @model_validator(mode="after")
    def bounded(self) -> "Plan":
        if self.repetitions * max(1, len(self.cases)) > MOST_LAUNCHES:
            raise ValueError(
                f"{len(self.cases)} cases, {self.repetitions} times each, are over {MOST_LAUNCHES:,} launches"
            )
        if self.budget and not len(self.budget.launches) == len(self.budget.wanted) == len(self.cases):
            raise ValueError("the budget is one of other cases")
        return self

    def order(self) -> list[tuple[str, int]]:
        """Return (case key, repetition) in the order in which they run; within a budget the clock decides the order."""
        names = [key(case) for case in self.cases]
        launches = self.budget.launches if self.budget else (self.repetitions,) * len(names)
        return [
            (name, repetition)
            for repetition in range(self.repetitions)
            for name, count in zip(names, launches, strict=True)
            if repetition < count
        ]


class Owner(Frozen):
    """The process that works on a run."""

    host: str
    pid: int
    started: int | None
    """Ticks since boot, which distinguish a process from a later one with the same number."""

    @property
    def here(self) -> bool:
        """Return whether it runs on this host."""
        return self.host == socket.gethostname()

    @property
    def lives(self) -> bool:
        """Return whether the process still exists; meaningful on this host only."""
        return self.started is not None and start_of(Tree(), self.pid) == self.started


class Run:
    """The folder of one run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = folder.name or folder.resolve().name
        self._own: lines.OwnFile | None = None
        self._plan: Plan | None = None
        """Plan that this process made or adopted. It is kept because others may be able to replace the file."""
        self._machine: Machine | None = None
        self._identity: tuple[int, int] | None = None
        """Identity of the folder, once this process works on it."""

    @property
    def of_fleet(self) -> bool:
        """Return whether it measured many nodes alike: its records, up to 200,000, are judged together."""
        return (self.folder / lines.NODES).exists()

    def files(self) -> list[Path]:
        """Return the files with its records; of a run that this process works on, only files that are ours."""
        files = lines.files(self.folder)
        if not self._identity:
            return files
        self.check_there()
        return [file for file in files if not whose(file, way="any")]

    def work_on(self) -> None:
        """Count only our own records from here on, and accept no other folder in its place. Raises BanzukeError."""
        check_ours(self.folder, problem=f"run {self.name} is not yours", way="any")
        self._identity = self._found()

    def _found(self) -> tuple[int, int] | None:
        try:
            return identity(self.folder)
        except OSError as error:
            raise unwritable(self.folder, error, RESULTS) from error

    def read(self, cases: Collection[str] | None = None) -> Reading:
        """Return its records, or those of some cases, by hash."""
        return lines.read_all(self.files(), cases)

    def ceilings(self) -> list[Record]:
        """Return records that set limits but are of no case of it: of other runs, or measured for this purpose."""
        file = self.folder / CEILINGS
        return lines.read(file).records if file.exists() else []

    def keep_ceilings(self, records: Sequence[Record]) -> None:
        """Add copies of the records that are not kept yet. Raises BanzukeError."""
        kept = self.ceilings()
        ids = {record.provenance.id for record in kept if record.provenance}
        new = [record for record in records if record.provenance and record.provenance.id not in ids]
        if new:
            content = b"".join(record.model_dump_json().encode() + b"\n" for record in (*kept, *new))
            write_whole(self.folder / CEILINGS, content, option=RESULTS)

    def keep_orders(self, orders: KeptOrders) -> None:
        """Write the orders of the ranks. Raises BanzukeError."""
        write_whole(self.folder / ORDERS, orders.document(indent=1), option=RESULTS)

    def orders(self) -> KeptOrders | None:
        """Return the orders; None: all ranks were in the scheduler's order, or the file cannot be understood."""
        try:
            return KeptOrders.model_validate_json(read_whole(self.folder / ORDERS))
        except (BanzukeError, ValidationError):
            return None

    def keep_network(self, network: KeptNetwork) -> None:
        """Write the network between the nodes. Raises BanzukeError."""
        write_whole(self.folder / NETWORK, network.document(indent=1), option=RESULTS)

    def network(self) -> KeptNetwork | None:
        """Return the network between the nodes; None: none was given, or the file cannot be understood."""
        try:
            return KeptNetwork.model_validate_json(read_whole(self.folder / NETWORK))
        except (BanzukeError, ValidationError):
            return None

    def plan(self) -> Plan | None:
        if self._plan:
            return self._plan
        try:
            return Plan.model_validate_json(read_whole(self.folder / PLAN))
        except (BanzukeError, ValidationError):
            return None

    def own_plan(self) -> Plan:
        """Return its plan, to be carried out again. Raises BanzukeError where the run is not ours."""
        check_ours(self.folder, problem=f"run {self.name} is not yours", way="read")
        try:
            return Plan.model_validate_json(read_ours(self.folder / PLAN))
        except ValidationError as error:
            raise BanzukeError(f"run {self.name} cannot be understood", why=refusal(error)) from error

    def keep_plan(self, plan: Plan) -> None:
        self._plan = plan
        write_whole(self.folder / PLAN, plan.document(indent=1), option=RESULTS)

    def adopt(self) -> None:
        """Take over its plan and machine in order to continue it. Raises BanzukeError."""
        check_ours(self.folder, problem=f"run {self.name} is not yours", way="read")
        self.work_on()
        if not os.access(self.folder, os.W_OK | os.X_OK):
            raise NotOursError(f"run {self.name} cannot be continued", why=f"no permission to write {self.folder}")
        try:
            self._plan = Plan.model_validate_json(read_ours(self.folder / PLAN))
            self._machine = Machine.model_validate_json(read_ours(self.folder / MACHINE))
        except ValidationError as error:
            raise BanzukeError(f"run {self.name} cannot be understood", why=refusal(error)) from error

    def machine(self) -> Machine:
        """Return the machine. Raises BanzukeError when the description is missing or from another version."""
        if self._machine:
            return self._machine
        file = self.folder / MACHINE
        try:
            return Machine.model_validate_json(read_whole(file))
        except ValidationError as error:
            raise BanzukeError(f"{file} is not a machine's description", why=refusal(error)) from error

    def update_machine(self, machine: Machine) -> None:
        self._machine = machine
        write_whole(self.folder / MACHINE, machine.document(indent=1), option=RESULTS)

    def append(self, *records: Record) -> None:
        """Append records to this process's own file. Raises BanzukeError; the file is then unchanged."""
        if self._own is None:
            self._own = lines.OwnFile(self.folder)
        self._own.append(*records)

    def check_there(self) -> None:
        """Check that the records are still in the run's folder. Raises BanzukeError."""
        if self._identity and self._found() != self._identity:
            raise lines.lost(self.folder)
        if self._own:
            self._own.check_there()

    @contextlib.contextmanager
    def owned(self) -> Iterator[None]:
        """Mark the run as being worked on, so that no other process continues it. Raises BanzukeError."""
        process = os.getpid()
        owner = Owner(host=socket.gethostname(), pid=process, started=start_of(Tree(), process))
        write_whole(self.folder / OWNER, owner.document(), option=RESULTS)
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                unlink(self.folder / OWNER)

    def owner(self) -> Owner | None:
        """Return the process that works on it, or that did until it was killed."""
        try:
            return Owner.model_validate_json(read_whole(self.folder / OWNER))
        except (BanzukeError, ValueError):
            return None

    def busy(self) -> bool:
        """Return whether a process may still work on it. For another host, only the age of the files tells."""
        owner = self.owner()
        if owner is None or owner.here:
            return owner is not None and owner.lives
        try:
            latest = max(path.stat().st_mtime for path in (self.folder / OWNER, *self.files()))
        except (OSError, ValueError):  # it has just ended
            return False
        return time.time() - latest < ABANDONED

    def remove(self) -> None:
        """Remove the run completely or not at all; links are removed, not followed. Raises BanzukeError."""
        self.check_removable()
        try:
            aside = rename(self.folder, f"{REMOVED}{self.name}-{secrets.token_hex(2)}")
        except OSError as error:
            raise BanzukeError(f"cannot remove {self.folder}", why=error.strerror or str(error)) from error
        if Run(aside).busy():  # a process has continued it just now
            rename(aside, self.folder.name)
            self.check_removable()
        try:
            remove_folder(aside)
        except OSError as error:
            raise BanzukeError(
                f"cannot remove all of run {self.name}", why=error.strerror or str(error), remedy=f"Remove {aside}"
            ) from error

    def check_removable(self) -> None:
        """Raise BanzukeError where the run cannot be removed."""
        if self.folder.is_symlink():
            raise BanzukeError(
                f"{self.folder} is a link",
                why="the run itself lies elsewhere",
                remedy="Remove the link, or the run there",
            )
        if self.busy():
            owner = self.owner()
            where = f"process {owner.pid} of {owner.host}" if owner else "a process"
            raise BanzukeError(f"run {self.name} is being written", why=f"by {where}", remedy="Wait until it has ended")
        for folder, _, _ in os.walk(self.folder):
            if not os.access(folder, os.W_OK | os.X_OK):
                raise BanzukeError(f"cannot remove {self.folder}", why=f"no permission to change {folder}")

    def missing(self) -> list[tuple[Case, int]]:
        """Return planned cases and repetitions without a record."""
        plan = self.plan()
        if plan is None:
            return []
        done = {(r.provenance.case, r.provenance.repetition) for r in self.read().records if r.provenance}
        cases = {key(case): case for case in plan.cases}
        return [(cases[name], repetition) for name, repetition in plan.order() if (name, repetition) not in done]
