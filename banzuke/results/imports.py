"""Imports records that programs printed on a machine without the front end, as a run like any other.

Nothing is kept unless every record of every file is valid: the run is written into a hidden folder, which is renamed at
the end.
"""

import hashlib
import re
import time
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from banzuke import __version__
from banzuke.amounts import Frozen
from banzuke.errors import BanzukeError
from banzuke.files import read_named, read_whole, refusal, remove_folder, rename, unwritable, whose, write_whole
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.capabilities import OWN
from banzuke.plan.case import Case, RankGroup, key
from banzuke.plan.variant import Variant
from banzuke.record.model import Group, Imported, Provenance, Record
from banzuke.results.lines import LARGEST, RESULTS
from banzuke.results.run import Run
from banzuke.results.store import Store, new_name
from banzuke.units import count

SOURCES = "imported.json"
"""File in the folder of a run that lists the files which it was imported from."""
UNFINISHED = ".import-"
"""Beginning of the name of a run's folder while it is written."""
ABANDONED = 3600.0
"""Seconds after which such a folder is taken to be left over from a killed import."""
COMPRESSED = {
    b"\x1f\x8b": "gunzip",
    b"\xfd7zXZ": "unxz",
    b"\x28\xb5\x2f\xfd": "unzstd",
    b"BZh": "bunzip2",
    b"PK\x03": "unzip",
}
"""First bytes of compressed files, and the tool that decompresses them."""
MOST_NAMED = 5
"""Most lines, hosts or devices that an error names."""


class ImportedFile(Frozen):
    file: str
    sha256: str
    records: int


class Sources(Frozen):
    at: datetime
    files: list[ImportedFile]


@dataclass(frozen=True)
class Printed:
    """The records that programs printed into one file."""

    file: Path
    sha256: str
    records: list[tuple[int, Record]]
    """Records, each with the number of its line."""
    other: int
    """Number of other lines, from launchers and libraries."""


def read(file: Path) -> Printed:
    """Return the records of a file.

    Raises BanzukeError, which names each line that looks like a record but is invalid.
    """
    content = read_named(file, LARGEST)
    for begin, tool in COMPRESSED.items():
        if content.startswith(begin):
            raise BanzukeError(f"cannot import {file}", why="it is compressed", remedy=f"Decompress it with {tool}")
    records: list[tuple[int, Record]] = []
    wrong: list[str] = []
    other = 0
    for number, line in enumerate(content.splitlines(), start=1):
        if not line.lstrip().startswith(b"{"):  # lines of launchers and libraries
            other += bool(line.strip())
            continue
        try:
            record = Record.model_validate_json(line)
        except ValidationError as error:
            wrong.append(f"line {number}: {refusal(error)}")
            continue
        if record.provenance:
            wrong.append(f"line {number}: it already belongs to run {record.provenance.run}")
        records.append((number, record))
    if wrong:
        more = [f"and {len(wrong) - MOST_NAMED} more"] if len(wrong) > MOST_NAMED else []
        remedy = "Leave out these lines"
        if any(record.provenance for _, record in records):
            remedy = "`banzuke report` and `compare` take the folder of a run as it is, wherever it lies"
        raise BanzukeError(f"cannot import {file}", why="; ".join([*wrong[:MOST_NAMED], *more]), remedy=remedy)
    if not records:
        why = f"it holds {count(other, 'line')}, none of which is a record" if other else "it is empty"
        raise BanzukeError(f"cannot import {file}", why=why, remedy="A program prints its record as one line of JSON")
    return Printed(file, hashlib.sha256(content).hexdigest(), records, other)


def hosts(printed: Sequence[Printed]) -> list[str]:
    """Return the names of the hosts of all records, sorted."""
    return sorted({host.name for file in printed for _, record in file.records for host in record.hosts})


def machines(printed: Sequence[Printed]) -> list[list[str]]:
    """Return hosts grouped by machine, as far as records tell: hosts of one record belong together."""
    groups: list[set[str]] = []
    for file in printed:
        for _, record in file.records:
            own = {host.name for host in record.hosts}
            if not own:
                continue
            apart = [group for group in groups if not group & own]
            groups = [*apart, own.union(*(group for group in groups if group & own))]
    return sorted(sorted(group) for group in groups)


def devices(printed: Sequence[Printed]) -> set[str]:
    """Return the identities of the devices that records name."""
    return {
        identity
        for file in printed
        for _, record in file.records
        for binding in record.binding
        for identity in binding.devices
    }


def check_devices(printed: Sequence[Printed], machine: Machine) -> None:
    """Raise BanzukeError where records name devices that the described machine does not have."""
    there = {device.identity for device in machine.allotment.devices}
    if there and (unknown := sorted(devices(printed) - there)):
        raise BanzukeError(
            f"the records are of devices that {machine.name} does not have",
            why=", ".join(unknown[:MOST_NAMED]),
            remedy="Give the description of the machine that they were measured on",
        )


def keep(store: Store, printed: Sequence[Printed], machine: Machine, benchmarks: Mapping[str, Benchmark]) -> Run:
    """Make a run of the records.

    Raises BanzukeError, also for a file that was imported before; nothing is kept then.
    """
    _refuse_known(store, printed)
    now = datetime.now(UTC)
    name = new_name(now)
    folder = _unfinished(store, name)
    try:
        run = store.create(machine, None, name=folder.name)
        seen: Counter[str] = Counter()
        for file in printed:
            run.append(*_of_run(file, name, machine, now, seen, benchmarks))
        sources = [ImportedFile(file=file.file.name, sha256=file.sha256, records=len(file.records)) for file in printed]
        write_whole(folder / SOURCES, Sources(at=now, files=sources).document(indent=1), option=RESULTS)
        rename(folder, name)
    except OSError as error:
        raise unwritable(folder, error, RESULTS) from error
    finally:
        _remove(folder)  # after the rename it no longer exists
    return Run(store.folder / name)


def keep_published(
    store: Store, name: str, file: Path, machine: Machine, records: Sequence[Record], ceilings: Sequence[Record]
) -> Run:
    """Make a run of a publication's records as they are, under this name. Raises BanzukeError; nothing is kept then."""
    check_new(store, name, file)
    folder = _unfinished(store, new_name(datetime.now(UTC)))
    try:
        run = store.create(machine, None, name=folder.name)
        run.append(*records)
        run.keep_ceilings(ceilings)
        rename(folder, name)
    except OSError as error:
        raise unwritable(folder, error, RESULTS) from error
    finally:
        _remove(folder)  # after the rename it no longer exists
    return Run(store.folder / name)


def check_new(store: Store, name: str, file: Path) -> None:
    """Raise BanzukeError if a publication is a run already."""
    if (store.folder / name).exists():
        raise BanzukeError(f"{file} was imported before", why=f"it is run {name}", remedy="Leave it out")


def _unfinished(store: Store, name: str) -> Path:
    """Return a new folder for a run while it is written; what killed imports left over is removed."""
    for leftover in store.folder.glob(f"{UNFINISHED}*"):
        if not whose(leftover) and time.time() - leftover.lstat().st_mtime > ABANDONED:
            _remove(leftover)
    return store.folder / f"{UNFINISHED}{name}"


def _remove(folder: Path) -> None:
    with suppress(OSError):
        remove_folder(folder)


def _refuse_known(store: Store, printed: Sequence[Printed]) -> None:
    sources_by_sum: dict[str, str] = {}
    for run in store.runs():
        try:
            sources = Sources.model_validate_json(read_whole(run.folder / SOURCES))
        except (BanzukeError, ValidationError):
            continue
        sources_by_sum |= dict.fromkeys((source.sha256 for source in sources.files), f"run {run.name}")
    for file in printed:
        if file.sha256 in sources_by_sum:
            raise BanzukeError(
                f"{file.file} was imported before", why=f"it is {sources_by_sum[file.sha256]}", remedy="Leave it out"
            )
        sources_by_sum[file.sha256] = "named twice here"


def _of_run(
    file: Printed,
    run: str,
    machine: Machine,
    now: datetime,
    seen: Counter[str],
    benchmarks: Mapping[str, Benchmark],
) -> list[Record]:
    """Return the file's records with provenance; those of one case are its launches, in their order."""
    records = []
    for line, printed in file.records:
        record, library = _by_library(printed, benchmarks.get(printed.benchmark))
        case = key(case_of(record, library))
        provenance = Provenance(
            id=uuid.uuid4().hex[:12],
            run=run,
            case=case,
            repetition=seen[case],
            machine=machine.fingerprint,
            variant={"library": library} if library else {},
            command=[],
            banzuke=__version__,
            imported=Imported(file=file.file.name, sha256=file.sha256, line=line, at=now),
        )
        seen[case] += 1
        records.append(record.having(provenance=provenance))
    return records


def _by_library(record: Record, benchmark: Benchmark | None) -> tuple[Record, str]:
    """Return the record and the library as a launch would: the library is not a parameter, but named separately."""
    devices = benchmark.devices if benchmark and record.devices else None
    name = devices.library_parameter if devices else ""
    if devices is None or name not in record.parameters:
        return record, ""
    called = devices.libraries.get(_group(record.groups[0], record.benchmark).backend)
    library = called.name if called and record.parameters[name] != OWN else ""
    parameters = {key: value for key, value in record.parameters.items() if key != name}
    return record.having(parameters=parameters), library


def case_of(record: Record, library: str = "") -> Case:
    """Return the case that a record is of, if only program, layout, parameters and library were asked for."""
    groups = tuple(_group(group, record.benchmark) for group in record.groups)
    return Case(record.benchmark, groups, record.parameters, Variant(library=library))


def _group(group: Group, benchmark: str) -> RankGroup:
    backend = re.sub(f"^{re.escape(benchmark)}-", "", group.program)
    devices = max((len(binding.devices) for binding in group.binding), default=0)
    return RankGroup(backend, group.ranks, group.threads, devices=devices)
