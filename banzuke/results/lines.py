"""Records as lines of files. Each process that writes has a file of its own, so that parallel file systems are safe.

    RUN/records-HOST-PROCESS.jsonl    nodes.jsonl: what each node of a fleet said of itself, by one process for all

A record is appended with one write and is either whole or, after a failure, taken back. What another process is just
writing ends without a line break, and is passed over until it is whole.
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
"""Bytes of a file of records that is read into memory."""
_PATTERN = "records*.jsonl"
"""Earlier versions wrote all records of a run into `records.jsonl`."""
NODES = "nodes.jsonl"
RESULTS = "--results"
"""The option that names another folder for all of these."""
_CASE = re.compile(rb'"case": ?"([^"]*)"')


@dataclass(frozen=True)
class Reading:
    """Records read, and what was passed over."""

    records: list[Record]
    unreadable: list[str] = field(default_factory=list)
    """File, line and reason."""


def files(folder: Path) -> list[Path]:
    """Those of a run that hold records."""
    return sorted(folder.glob(_PATTERN))


def read(file: Path, cases: Collection[str] | None = None) -> Reading:
    """Records of one file, or those of some cases, by hash. Lines that are not records of this version are named."""
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
    """Records of several files together: the file first whose first record started first."""
    readings = [read(path, cases) for path in paths]
    parts = sorted((part for part in readings if part.records), key=lambda part: part.records[0].started)
    return Reading(
        [record for part in parts for record in part.records],
        [problem for part in readings for problem in part.unreadable],
    )


def count(file: Path) -> int:
    """Its whole lines, without reading what they say; none of a file that cannot be read."""
    try:
        with opened(file) as content:
            return sum(line.endswith(b"\n") and not line.isspace() for line in content)
    except (BanzukeError, OSError):
        return 0


class OwnFile:
    """The file of this process's records alone, open until nobody has it any more."""

    def __init__(self, folder: Path) -> None:
        """Makes it. Raises BanzukeError.

        Its name may be taken: by an earlier process of the same number, or one of a container that has this host's
        name.
        """
        host = re.sub(r"[^\w.-]", "_", socket.gethostname())
        number = 1
        while True:
            self.path = folder / f"records-{host}-{os.getpid()}{f'-{number}' if number > 1 else ''}.jsonl"
            try:
                # Absolute: where the working directory is unmounted, its files can still be reached, by us alone.
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
        """Adds records. Raises BanzukeError; the file is then as it was before."""
        self.check_there()
        size = os.fstat(self._descriptor).st_size
        try:
            _write(self._descriptor, b"".join(record.model_dump_json().encode() + b"\n" for record in records))
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, size)
            raise unwritable(self.path, error, RESULTS, kept=size > 0) from error

    def check_there(self) -> None:
        """That its path leads to it. Raises BanzukeError."""
        try:
            mine = os.fstat(self._descriptor)
            there = identity(self.path) == (mine.st_dev, mine.st_ino)
        except OSError as error:
            raise unwritable(self.path, error, RESULTS) from error
        if not there:
            raise lost(self.path)


def lost(path: Path) -> BanzukeError:
    """The error of a file or folder that vanished while a run was worked on."""
    return BanzukeError(
        f"{path} is no longer there",
        why="its file system was unmounted, or it was moved or removed, while it was being written",
        remedy="What was measured before lies where it is now",
    )


def _write(descriptor: int, line: bytes) -> None:
    """Raises OSError when it is cut short."""
    if os.write(descriptor, line) != len(line):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    os.fsync(descriptor)


def _mentions(line: bytes, cases: Collection[str]) -> bool:
    """Seen without parsing the line, which may hold millions of values."""
    return any(name.decode(errors="replace") in cases for name in _CASE.findall(line))
