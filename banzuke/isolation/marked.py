"""Finds and ends processes by a mark: a variable that is set at their start and that their children inherit.

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
"""Seconds between checks for remaining processes."""

Find = Callable[[], set[int]]
"""Returns the present processes that are meant."""


def bears(tree: Tree, process: int, marks: Collection[str]) -> bool:
    """Return whether the process lives and was started with one of the `marks`, each of which is NAME=VALUE."""
    variables = (tree.data(f"proc/{process}/environ") or b"").split(b"\0")
    return any(mark.encode() in variables for mark in marks)


def bearers(tree: Tree, marks: Collection[str]) -> set[int]:
    """Return all processes that have one of the marks."""
    return {process for process in map(int, tree.names("proc", r"\d+")) if bears(tree, process, marks)}


def end(find: Find, patience: float) -> set[int]:
    """Ask all to end, kill what is left after `patience` seconds, and return those that were found first."""
    processes = _send(find, signal.SIGTERM)
    until = time.monotonic() + patience
    while processes and find() and time.monotonic() < until:
        time.sleep(_INTERVAL)
    kill(find, patience)
    return processes


def kill(find: Find, patience: float) -> None:
    """Kill until there is none, for `patience` seconds at most."""
    until = time.monotonic() + patience
    while _send(find, signal.SIGKILL) and time.monotonic() < until:
        time.sleep(_INTERVAL)


def _send(find: Find, number: signal.Signals) -> set[int]:
    """Send the signal to each process, and return them."""
    handles = {process: handle for process in find() if (handle := _handle(process)) is not None}
    if not handles:
        return set()
    current = find()  # checked again, now that the numbers cannot become those of other processes
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
    """Return a descriptor that always means this process; None: it has ended; -1: a kernel before Linux 5.3."""
    try:
        return os.pidfd_open(process)
    except OSError as error:
        return -1 if error.errno == errno.ENOSYS else None
