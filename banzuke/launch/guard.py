"""Allows one run at a time in a results folder, and ensures that nothing it started outlives it.

All processes that we start bear our mark, in a variable. A watchdog waits for our end; if that was sudden (SIGKILL), it
ends every process with the mark. It holds the lock of the folder as we do, so that the next run begins only after that.
The lock is a file of the user's own that names its owner's process and mark. If the watchdog was killed too, the next
run ends the processes with that mark.
"""

import atexit
import fcntl
import hashlib
import math
import os
import re
import secrets
import subprocess
import time
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
"""Folders that this process has locked: it would wait for itself if it locked one again."""


@dataclass(frozen=True)
class Measuring:
    """Another process that measures on this host."""

    process: int
    user: str
    earlier: bool = field(default=True, compare=False)
    """Whether it began before this process: of two that wait for each other, the first one goes on."""


def guard(folder: Path, waiting: Callable[[int], None]) -> int:
    """Reserve the folder for this process until it ends, against others of this user and host, and have what it starts
    end with it. If another process has the folder, `waiting` is called with its number first.

    Returns the number of processes that were left by a killed run of the folder and were ended now.
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
        start_new_session=True,  # so that it survives what a terminal or a launcher does to our group
    )
    _await_command_line(watchdog.pid)
    os.environ[MARK] = mark

    def release() -> None:
        if lock:
            lock.file.unlink(missing_ok=True)
        with suppress(BrokenPipeError):  # it was killed
            watchdog.communicate(DONE)

    atexit.register(release)
    return left


def _await_command_line(process: int) -> None:
    """Wait until others see what a process runs: its command line is empty for a moment after it was started."""
    for _ in range(1000):
        if Tree().data(f"proc/{process}/cmdline"):
            return
        time.sleep(0.001)


def measuring() -> list[Measuring]:
    """Return who else measures on this host, as far as the kernel shows others' processes: those with a watchdog.

    A process that has locked several folders has as many, and is named once, by the first.
    """
    tree, measurers, ours = Tree(), {}, (math.inf, 0)
    for process in map(int, tree.names("proc", r"\d+")):
        words = (tree.data(f"proc/{process}/cmdline") or b"").split(b"\0")
        if _WATCHDOG.encode() not in words[:-3]:
            continue
        at = words.index(_WATCHDOG.encode())
        owner, mark = (word.decode("ascii", "replace") for word in words[at + 1 : at + 3])
        if not re.fullmatch(r"\d{1,9}", owner, re.ASCII):  # a process that only looks like a watchdog
            continue
        began = (start_of(tree, process) or 0, process)
        if int(owner) == os.getpid() or mark == os.environ.get(MARK):
            ours = min(ours, began)
            continue
        with suppress(OSError):
            measurers[began] = Measuring(int(owner), user_name(tree.path(f"proc/{process}").stat().st_uid))
    latest_first = sorted(measurers.items(), reverse=True)
    first = {other.process: replace(other, earlier=began < ours) for began, other in latest_first}
    return [*first.values()][::-1]


def lock_file(folder: Path) -> Path:
    """Return the lock file of a resolved results folder. Raises BanzukeError."""
    return state_folder() / f"run-{hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]}"


@dataclass(frozen=True)
class _Lock:
    file: Path
    descriptor: int
    mark: str
    """Mark of a run that ended without releasing the lock; else empty."""

    @classmethod
    def take(cls, folder: Path, waiting: Callable[[int], None]) -> "_Lock | None":
        """Take the lock of a resolved folder; None: this host has no place for locks."""
        try:
            file = lock_file(folder)
            while True:
                descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
                _wait(descriptor, waiting)
                if _still_there(file, descriptor):
                    break
                os.close(descriptor)  # its former owner removed it
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
    """Return the process that wrote the lock file, and its mark."""
    words = os.pread(descriptor, 64, 0).decode("ascii", "replace").split()
    process, mark = (words + ["0", ""][len(words) :])[:2]
    return int(process) if process.isdecimal() else 0, mark


def _still_there(file: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(file.lstat(), os.fstat(descriptor))
    except OSError:
        return False
