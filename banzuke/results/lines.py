"""Records as lines of files. Each writing process has its own file, which is safe on parallel file systems.

    RUN/records-HOST-PROCESS.jsonl    nodes.jsonl: what each node of a fleet reported, by one process for all

A record is appended with one write and is either complete or removed again after a failure. A line without a line break
is still being written by another process and is skipped.
"""

import contextlib
import errno
import os
import re
import socket
import weakref
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from banzuke.errors import BanzukeError
from banzuke.files import create, identity, opened, read_whole, refusal, unwritable
from banzuke.record.model import Record

LARGEST = 1 << 30
"""Largest file of records in bytes that is read into memory."""
_PATTERN = "records*.jsonl"
"""Files of records: one of each process, or that of an imported run."""
NODES = "nodes.jsonl"
RESULTS = "--results"
"""Option that selects another results folder."""
_CASE = re.compile(rb'"case": ?"([^"]*)"')


@dataclass(frozen=True)
class Reading:
    """The records that were read, and the lines that were not."""

    records: list[Record]
    unreadable: list[str] = field(default_factory=list)
    """File, line and reason of each unreadable line."""


def files(folder: Path) -> list[Path]:
    """Return the files of a run that hold records."""
    return sorted(folder.glob(_PATTERN))


def read(file: Path, cases: Collection[str] | None = None) -> Reading:
    """Return the records of one file, or of some cases, by hash. Invalid lines are listed as unreadable."""
    try:
        content = read_whole(file, LARGEST)
    except BanzukeError as error:
        return Reading([], [str(error)])
    records, unreadable = [], []
    lines = content.splitlines()
    for number, line in enumerate(lines, start=1):
        if not line.strip() or (cases is not None and not _mentions(line, cases)):
            continue
        try:
            records.append(Record.model_validate_json(line))
        except ValidationError as error:
            if number < len(lines) or content.endswith(b"\n"):
                unreadable.append(f"{file}, line {number}: {refusal(error)}")
    return Reading(records, unreadable)


def read_all(paths: Iterable[Path], cases: Collection[str] | None = None) -> Reading:
    """Return the records of several files together, the file with the earliest first record first."""
    readings = [read(path, cases) for path in paths]
    parts = sorted((part for part in readings if part.records), key=lambda part: part.records[0].started)
    return Reading(
        [record for part in parts for record in part.records],
        [problem for part in readings for problem in part.unreadable],
    )


def count(file: Path) -> int:
    """Return the number of whole lines without parsing them; 0 for a file that cannot be read."""
    try:
        with opened(file) as content:
            return sum(line.endswith(b"\n") and not line.isspace() for line in content)
    except (BanzukeError, OSError):
        return 0


class OwnFile:
    """The file with the records of this process alone; it stays open as long as the object is in use."""

    def __init__(self, folder: Path) -> None:
        """Create the file. Raises BanzukeError.

        The name may be taken by an earlier process of the same number, or by one of a container with this host's name.
        """
        host = re.sub(r"[^\w.-]", "_", socket.gethostname())
        number = 1
        while True:
            self.path = folder / f"records-{host}-{os.getpid()}{f'-{number}' if number > 1 else ''}.jsonl"
            try:
                # Absolute: where the working directory is unmounted, its files can still be reached, but only by us.
                self.path = self.path.absolute()
                self._descriptor = create(self.path)
            except FileExistsError:
                number += 1
            except FileNotFoundError as error:
                raise lost(self.path) from error
            except OSError as error:
                raise unwritable(self.path, error, RESULTS) from error
            else:
                break
        weakref.finalize(self, os.close, self._descriptor)

    def append(self, *records: Record) -> None:
        """Append records. Raises BanzukeError; the file is then unchanged."""
        self.check_there()
        size = os.fstat(self._descriptor).st_size
        try:
            _write(self._descriptor, b"".join(record.model_dump_json().encode() + b"\n" for record in records))
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, size)
            raise unwritable(self.path, error, RESULTS, kept=size > 0) from error

    def check_there(self) -> None:
        """Check that the path still leads to the open file. Raises BanzukeError."""
        try:
            mine = os.fstat(self._descriptor)
            there = identity(self.path) == (mine.st_dev, mine.st_ino)
        except OSError as error:
            raise unwritable(self.path, error, RESULTS) from error
        if not there:
            raise lost(self.path)


def lost(path: Path) -> BanzukeError:
    """Return the error for a file or folder that vanished during a run."""
    return BanzukeError(
        f"{path} is no longer there",
        why="its file system was unmounted, or it was moved or removed, while it was being written",
        remedy="What was measured before lies where it is now",
    )


def _write(descriptor: int, line: bytes) -> None:
    """Raise OSError if the write is incomplete."""
    if os.write(descriptor, line) != len(line):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    os.fsync(descriptor)


def _mentions(line: bytes, cases: Collection[str]) -> bool:
    """Return whether the line names one of the cases, without parsing it: it may hold millions of values."""
    return any(name.decode(errors="replace") in cases for name in _CASE.findall(line))
