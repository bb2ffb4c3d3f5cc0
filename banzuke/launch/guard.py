"""One run at a time in a results folder, and nothing of it that outlives us.

Whatever we start bears our mark. A watchdog waits for our end, and where that was sudden (SIGKILL) ends all that bears
the mark. It holds the lock of the folder as we do, so that the next run begins after that. The lock is a file of the
user's own, which says whose it is; where the watchdog was killed, too, the next run ends what bears the mark in it.
"""

import atexit
import fcntl
import hashlib
import math
import os
import re
import secrets
import subprocess
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from banzuke.errors import BanzukeError
from banzuke.files.own import state_folder
from banzuke.files.trust import user_name
from banzuke.isolation.processes import start_of
from banzuke.launch.watchdog import DONE, MARK, end_marked
from banzuke.machine.tree import Tree
from banzuke.paths import PYTHON

_WATCHDOG = "banzuke.launch.watchdog"
_ours: set[Path] = set()
"""Folders that this process has: a second lock would wait for the first."""


@dataclass(frozen=True)
class Measuring:
    """Another process that measures on this host."""

    process: int
    user: str
    earlier: bool = field(default=True, compare=False)
    """Whether it began before this process: of two that wait for each other, the first one goes on."""


def guard(folder: Path, waiting: Callable[[int], None]) -> int:
    """From here to the end of this process no other of this user and host has the folder, and what it starts ends with
    it. Where another has it, `waiting` gets its number first.

    How many processes that a killed run of the folder had left were ended.
    """
    folder = folder.resolve()
    if folder in _ours:
        return 0
    lock = _Lock.take(folder, waiting)
    _ours.add(folder)
    left = end_marked(lock.mark) if lock else 0
    mark = secrets.token_hex(8)
    if lock:
        lock.keep(mark)
    watchdog = subprocess.Popen(
        [*PYTHON, "-m", _WATCHDOG, str(os.getpid()), mark, *([str(lock.file)] if lock else [])],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=[lock.descriptor] if lock else [],
        start_new_session=True,  # what a terminal or a launcher does to our group is not for it
    )
    os.environ[MARK] = mark

    def release() -> None:
        if lock:
            lock.file.unlink(missing_ok=True)
        with suppress(BrokenPipeError):  # somebody killed it
            watchdog.communicate(DONE)

    atexit.register(release)
    return left


def measuring() -> list[Measuring]:
    """Who else measures on this host, as far as the kernel shows processes of others: those that have a watchdog."""
    tree, measurers, ours = Tree(), {}, (math.inf, 0)
    for process in map(int, tree.names("proc", r"\d+")):
        words = (tree.data(f"proc/{process}/cmdline") or b"").split(b"\0")
        if _WATCHDOG.encode() not in words[:-3]:
            continue
        at = words.index(_WATCHDOG.encode())
        owner, mark = (word.decode("ascii", "replace") for word in words[at + 1 : at + 3])
        if not re.fullmatch(r"\d{1,9}", owner, re.ASCII):  # somebody's who only calls himself so
            continue
        began = (start_of(tree, process) or 0, process)
        if int(owner) == os.getpid() or mark == os.environ.get(MARK):
            ours = min(ours, began)
            continue
        with suppress(OSError):
            measurers[began] = Measuring(int(owner), user_name(tree.path(f"proc/{process}").stat().st_uid))
    return [replace(other, earlier=began < ours) for began, other in measurers.items()]


def lock_file(folder: Path) -> Path:
    """The lock of a resolved results folder. Raises BanzukeError."""
    return state_folder() / f"run-{hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]}"


@dataclass(frozen=True)
class _Lock:
    file: Path
    descriptor: int
    mark: str
    """That of a run that ended without giving it back; else empty."""

    @classmethod
    def take(cls, folder: Path, waiting: Callable[[int], None]) -> "_Lock | None":
        """That of a resolved folder; None: this host has no place for locks."""
        try:
            file = lock_file(folder)
            while True:
                descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
                _wait(descriptor, waiting)
                if _still_there(file, descriptor):
                    break
                os.close(descriptor)  # who had it removed it
        except (OSError, BanzukeError):
            return None
        _, mark = _said(descriptor)
        return cls(file, descriptor, mark)

    def keep(self, mark: str) -> None:
        os.ftruncate(self.descriptor, 0)
        os.pwrite(self.descriptor, f"{os.getpid()} {mark}\n".encode(), 0)


def _wait(descriptor: int, waiting: Callable[[int], None]) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        waiting(_said(descriptor)[0])
        fcntl.flock(descriptor, fcntl.LOCK_EX)


def _said(descriptor: int) -> tuple[int, str]:
    """The process that wrote it, and its mark."""
    words = os.pread(descriptor, 64, 0).decode("ascii", "replace").split()
    process, mark = (words + ["0", ""][len(words) :])[:2]
    return int(process) if process.isdecimal() else 0, mark


def _still_there(file: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(file.lstat(), os.fstat(descriptor))
    except OSError:
        return False
