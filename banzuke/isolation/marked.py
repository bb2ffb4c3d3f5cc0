"""Processes by a mark: a variable that is set where they start, and that whatever they start has as well.

A process may change its parent, session and groups, but not the variables that it was started with.
"""

import errno
import os
import signal
import time
from collections.abc import Callable, Collection
from contextlib import suppress

from banzuke.machine.tree import Tree

_INTERVAL = 0.01
"""Seconds between two looks at what is left."""

Find = Callable[[], set[int]]
"""Names the processes that are meant, whenever it is asked."""


def bears(tree: Tree, process: int, marks: Collection[str]) -> bool:
    """Whether the process lives and was started with one of the `marks`, each of which is NAME=VALUE."""
    variables = (tree.data(f"proc/{process}/environ") or b"").split(b"\0")
    return any(mark.encode() in variables for mark in marks)


def bearers(tree: Tree, marks: Collection[str]) -> set[int]:
    """All processes that bear one of the marks."""
    return {process for process in map(int, tree.names("proc", r"\d+")) if bears(tree, process, marks)}


def end(find: Find, patience: float) -> set[int]:
    """Asks all of them to end and kills what is left after `patience` seconds; these were found at first."""
    processes = _send(find, signal.SIGTERM)
    until = time.monotonic() + patience
    while processes and find() and time.monotonic() < until:
        time.sleep(_INTERVAL)
    kill(find, patience)
    return processes


def kill(find: Find, patience: float) -> None:
    """Kills until there is none, for `patience` seconds at most."""
    until = time.monotonic() + patience
    while _send(find, signal.SIGKILL) and time.monotonic() < until:
        time.sleep(_INTERVAL)


def _send(find: Find, number: signal.Signals) -> set[int]:
    """Sends the signal to each, and returns which they are."""
    handles = {process: handle for process in find() if (handle := _handle(process)) is not None}
    if not handles:
        return set()
    current = find()  # still, now that the number cannot become another process's
    for process, handle in handles.items():
        if process in current:
            with suppress(OSError):
                if handle >= 0:
                    signal.pidfd_send_signal(handle, number)
                else:
                    os.kill(process, number)
        if handle >= 0:
            os.close(handle)
    return current


def _handle(process: int) -> int | None:
    """A descriptor that means this process for ever; None: it has ended; -1: a kernel before Linux 5.3."""
    try:
        return os.pidfd_open(process)
    except OSError as error:
        return -1 if error.errno == errno.ENOSYS else None
