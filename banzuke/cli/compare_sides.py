"""The sides of `banzuke compare`: finds what A and B name, and checks that no launch is in both."""

from collections.abc import Sequence
from pathlib import Path

from banzuke.cli.console import warn_of
from banzuke.compare.matching import environment, variant
from banzuke.errors import BanzukeError
from banzuke.machine import published
from banzuke.machine.model import Machine
from banzuke.machine.published import PublishedMachine
from banzuke.plan.axes import AXES
from banzuke.plan.catalogue import benchmarks
from banzuke.record.model import Record
from banzuke.results.run import Run
from banzuke.results.store import Store
from banzuke.text import nearest


def resolve(name: str, store: Store, machines: Sequence[PublishedMachine]) -> PublishedMachine | list[Record]:
    if described := published.in_file(name):
        return described
    machine = published.find(name, machines)
    if machine is not None and not Path(name).exists():
        return machine
    return [record for run in runs_of_side(name, store) for record in _records(run, store, machines)]


def runs_of_side(name: str, store: Store) -> list[str]:
    """Return the runs that a side names: several are separated by commas, but a single name may contain commas."""
    if "," not in name or Path(name).exists() or _chooses(name, store):
        return [name]
    return name.split(",")


def _chooses(name: str, store: Store) -> bool:
    """Return whether the name is that of a run or of a part of one."""
    run, _, wanted = name.partition(":")
    try:
        reading = store.find(run).read()
    except BanzukeError:
        return False
    return not wanted or any(wanted in _values(record) for record in reading.records)


def _records(name: str, store: Store, machines: Sequence[PublishedMachine]) -> list[Record]:
    run, _, wanted = (name, "", "") if Path(name).exists() else name.partition(":")
    try:
        reading = store.resolve(run)
    except BanzukeError as error:
        near = published.suggestions(name, machines)
        if not near:
            raise
        meant = " or ".join(f"'{suggestion}'" for suggestion in near)
        raise BanzukeError(
            error.problem,
            why=error.why,
            remedy=f"Of the published machines, did you mean {meant}? {error.remedy}",
        ) from error
    if not reading.records:
        raise BanzukeError(
            f"no record of {run} can be read" if reading.unreadable else f"{run} has no records",
            why="; ".join(reading.unreadable[:3]) or "nothing was measured",
            remedy="`banzuke list` shows what each run has",
        )
    warn_of(reading)
    records = [record for record in reading.records if wanted in ("", *_values(record))]
    if not records:
        values = list(dict.fromkeys(value for record in reading.records for value in _values(record)))
        missing = f"{run} has no case with the backend, environment or value '{wanted}'"
        raise BanzukeError(missing, remedy=nearest(wanted, values))
    return records


def _values(record: Record) -> list[str]:
    """Return the values that select a record of a run: its backend, its environment, `memory=local` or `n=1000`, and
    `shares=rates` of groups, which the record has by its program's name.
    """
    usual = {axis.name: axis.usual for axis in AXES.values() if axis.usual}
    own = benchmarks()[record.benchmark].groups_share_by if record.benchmark in benchmarks() else ""
    shared = {"shares": record.parameters[own]} if own in record.parameters else {}
    launched = usual | shared | {"environment": environment(record)} | variant(record)
    return [
        record.backend,
        environment(record),
        *(f"{name}={value}" for name, value in (record.parameters | launched).items()),
    ]


def machine_of(name: str, store: Store) -> Machine | None:
    """Return the machine of a side's first run; None if no readable file describes it."""
    name = runs_of_side(name, store)[0]
    path = Path(name)
    try:
        run = Run(path if path.is_dir() else path.parent) if path.exists() else store.find(name.partition(":")[0])
        return run.machine()
    except BanzukeError:
        return None


def check_apart(a: tuple[str, Sequence[Record]], b: tuple[str, Sequence[Record]]) -> None:
    """Raise BanzukeError if a launch is on both sides: it would agree with itself whatever it measured."""
    left, right = (
        {(own.run, own.case, own.id) for record in records if (own := record.provenance)} for _, records in (a, b)
    )
    if not left & right:
        return
    if left == right:
        what = f"{a[0]} is compared with itself" if a[0] == b[0] else f"{a[0]} and {b[0]} are the same run"
    else:
        what = f"{a[0]} and {b[0]} have launches in common"
    raise BanzukeError(
        what,
        why="a launch does not differ from itself",
        remedy="Name two runs (`banzuke list` shows them), or two parts of one, such as last:omp last:mkl",
    )


def chosen_axis(a: str, b: str) -> str:
    """Return the axis that both names select by, such as `pages` in `last:pages=base`; empty if there is none."""
    left, right = (name.partition(":")[2].partition("=")[0] for name in (a, b))
    return left if left == right else ""
