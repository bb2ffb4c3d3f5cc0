"""One run at a time in a results folder, and nothing of it that outlives us.

Whatever we start bears our mark. A watchdog waits for our end, and where that was sudden (SIGKILL) ends all that bears
the mark. It holds the lock of the folder as we do, so that the next run begins after that.
"""

import atexit
import fcntl
import hashlib
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path

from banzuke.errors import BanzukeError
from banzuke.isolation.journal import state_folder
from banzuke.isolation.marked import bearers, end
from banzuke.machine.tree import Tree
from banzuke.paths import PYTHON

MARK = "BANZUKE_MARK"
PATIENCE = 10.0
"""Seconds between asking and killing: `banzuke isolate` restores the machine meanwhile."""
_DONE = b"."
_ours: set[Path] = set()
"""Folders that this process has: a second lock would wait for the first."""


def guard(folder: Path, waiting: Callable[[int], None]) -> None:
    """From here to the end of this process no other on this host has the folder, and what it starts ends with it.

    Where another has it, `waiting` gets its number first.
    """
    folder = folder.resolve()
    if folder in _ours:
        return
    lock = _lock(folder, waiting)
    _ours.add(folder)
    mark = secrets.token_hex(8)
    watchdog = subprocess.Popen(
        [*PYTHON, "-m", "banzuke.launch.guard", mark],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=[lock] if lock is not None else [],
        start_new_session=True,  # what a terminal or a launcher does to our group is not for it
    )
    os.environ[MARK] = mark

    def release() -> None:
        with suppress(BrokenPipeError):  # somebody killed it
            watchdog.communicate(_DONE)

    atexit.register(release)


def end_marked(marks: Collection[str]) -> int:
    """Ends what killed runs with these marks have left; how many processes that were."""
    variables = [f"{MARK}={mark}" for mark in marks]
    return len(end(lambda: bearers(Tree(), variables), PATIENCE)) if marks else 0


def _lock(folder: Path, waiting: Callable[[int], None]) -> int | None:
    """A descriptor that holds the lock of a resolved folder; None: this host has no place for locks."""
    name = hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]
    try:
        lock = os.open(state_folder() / f"run-{name}", os.O_RDWR | os.O_CREAT, 0o600)
    except (OSError, BanzukeError):
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        waiting(int(os.pread(lock, 32, 0) or 0))
        fcntl.flock(lock, fcntl.LOCK_EX)
    os.pwrite(lock, f"{os.getpid():<20}".encode(), 0)
    return lock


def _watch(mark: str) -> None:
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):  # batch systems send them to all processes of a job
        signal.signal(number, signal.SIG_IGN)
    if sys.stdin.buffer.read() != _DONE:
        end_marked([mark])


if __name__ == "__main__":
    _watch(sys.argv[1])
