"""Records the state before each change, so that anybody can undo what a killed process left.

JSON lines in a folder that only its user can write. The process that isolates holds a lock on the file, and so does the
watchdog; a file without a lock was left by both.
"""

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from banzuke.amounts import Frozen
from banzuke.errors import BanzukeError
from banzuke.isolation.processes import start_of
from banzuke.machine.tree import Tree

NAME = "isolation.jsonl"
PATIENCE = 10.0
"""Seconds within which a watchdog restores what its dead owner left."""


class Begun(Frozen):
    """The process that isolates; the first line of the journal."""

    kind: Literal["begun"] = "begun"
    boot: str = Field(description="after a reboot nothing of it holds")
    pid: int
    start: int = Field(description="of that process, in clock ticks after boot")
    since: float = Field(description="seconds of the epoch")
    command: list[str] = Field(description="empty: --apply, which lasts until --restore")
    scope: Literal["all", "user", "session"]
    uid: int
    session: int
    system: list[int]
    job: list[int]
    mark: str = Field(min_length=1, description="value of BANZUKE_ISOLATED in the job's processes")


class FileWas(Frozen):
    kind: Literal["file"] = "file"
    path: str
    old: str
    shown: str = Field(default="", description="file that shows what was written, where it is another one")


class ControllerWasOff(Frozen):
    kind: Literal["controller"] = "controller"
    path: str = Field(description="cgroup.subtree_control")


class GroupMade(Frozen):
    kind: Literal["group"] = "group"
    path: str


class ThreadWas(Frozen):
    kind: Literal["thread"] = "thread"
    pid: int
    tid: int
    start: int
    affinity: list[int]
    wide: bool = Field(description="it had all that its group has, and so follows the group")


Entry = FileWas | ControllerWasOff | GroupMade | ThreadWas
_ENTRY: TypeAdapter[Entry] = TypeAdapter(Annotated[Entry, Field(discriminator="kind")])


@dataclass
class Journal:
    file: Path
    descriptor: int
    begun: Begun
    entries: list[Entry] = field(default_factory=list)

    def add(self, entries: Iterable[Entry]) -> None:
        """Write entries to disk before returning. Raises BanzukeError, and then nothing may be changed."""
        new = list(entries)
        self._write("".join(entry.model_dump_json() + "\n" for entry in new))
        self.entries += new

    def reload(self) -> None:
        """Read what another process has added through the same descriptor."""
        self.entries = _read(self.descriptor)[1]

    def keep(self, entries: Sequence[Entry]) -> None:
        """Keep only these entries, to be undone later; without any, remove the file."""
        if not entries:
            self.file.unlink(missing_ok=True)
            return
        os.ftruncate(self.descriptor, 0)
        self.begin()
        self.add(entries)

    def begin(self) -> None:
        self._write(self.begun.model_dump_json() + "\n")

    def close(self) -> None:
        os.close(self.descriptor)

    def _write(self, text: str) -> None:
        content = text.encode()
        try:
            while content:
                content = content[os.write(self.descriptor, content) :]
            os.fsync(self.descriptor)
        except OSError as error:
            raise BanzukeError(
                f"cannot write {self.file}",
                why=error.strerror or str(error),
                remedy="Changes are recorded there before they are made: it must be possible to write there",
            ) from error


def claim(folder: Path, tree: Tree) -> int:
    """Return the locked descriptor of a new journal.

    Raises BanzukeError if the host is isolated, or something is left to restore.
    """
    opened = open_journal(folder, tree)
    if isinstance(opened, Journal):
        opened.close()
        raise BanzukeError(
            f"this host is isolated already ({_owner(opened.begun)})",
            why="that process was killed, or could not restore everything" if opened.begun.command else "by --apply",
            remedy="Undo it with: banzuke isolate --restore",
        )
    return opened


def abandon(folder: Path, descriptor: int) -> None:
    """Release what was claimed."""
    (folder / NAME).unlink(missing_ok=True)
    os.close(descriptor)


def open_journal(folder: Path, tree: Tree) -> Journal | int:
    """Return the journal that was left, locked, or the locked descriptor of an empty file.

    Waits for a watchdog that restores what a dead owner left. Raises BanzukeError while an owner lives.
    """
    file = folder / NAME
    until = time.monotonic() + PATIENCE
    while True:
        try:
            descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise BanzukeError(f"cannot open {file}", why=error.strerror or str(error)) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            begun = _first(descriptor)
            os.close(descriptor)
            alive = begun and start_of(tree, begun.pid) == begun.start
            if not alive and time.monotonic() < until:
                time.sleep(0.05)
                continue
            raise BanzukeError(
                "this host is isolated already" + (f" ({_owner(begun)})" if begun else ""),
                remedy="Wait: it is restored when that command ends",
            ) from None
        if not _still_there(file, descriptor):  # its owner removed it after it was opened
            os.close(descriptor)
            continue
        if _void(descriptor, tree):
            os.ftruncate(descriptor, 0)
            return descriptor
        try:
            return Journal(file, descriptor, *_read(descriptor))
        except ValidationError as error:
            os.close(descriptor)
            raise BanzukeError(
                f"{file} cannot be understood",
                why="another version of Banzuke wrote it, or it is damaged",
                remedy="Restore with that version, or remove the file; a reboot restores everything, too",
            ) from error


def boot_of(tree: Tree) -> str:
    return tree.text("proc/sys/kernel/random/boot_id") or ""


def _still_there(file: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(file.lstat(), os.fstat(descriptor))
    except OSError:
        return False


def _owner(begun: Begun) -> str:
    since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(begun.since))
    return f"process {begun.pid}, since {since}: {' '.join(begun.command) or '--apply'}"


def _lines(descriptor: int) -> list[bytes]:
    """Return complete lines only; an incomplete one announces a change that was not made."""
    return os.pread(descriptor, os.fstat(descriptor).st_size, 0).split(b"\n")[:-1]


def _void(descriptor: int, tree: Tree) -> bool:
    """Return whether the journal is void: no complete line, so no change, or another boot."""
    lines = _lines(descriptor)
    with contextlib.suppress(ValueError, TypeError, KeyError):
        return not lines or bool(json.loads(lines[0])["boot"] != boot_of(tree))
    return False


def _first(descriptor: int) -> Begun | None:
    with contextlib.suppress(ValidationError, IndexError):
        return Begun.model_validate_json(_lines(descriptor)[0])
    return None


def _read(descriptor: int) -> tuple[Begun, list[Entry]]:
    """Parse the journal. Raises ValidationError."""
    first, *others = _lines(descriptor)
    return Begun.model_validate_json(first), [_ENTRY.validate_json(line) for line in others]
