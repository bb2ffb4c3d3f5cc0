"""Checks the file system in which the ranks of a host pass messages: if it is full, a signal ends them without a
message.
"""

import os
import signal
from pathlib import Path

from banzuke.launch.command import Command
from banzuke.units import quantity

_FOLDER = Path("/dev/shm")  # noqa: S108  (looked at, not written)
_NEEDED = 16 << 20
"""Bytes for each of two ranks; with 8 MiB MPICH 5.0 ends by SIGSEGV within UCX, with 1 MiB by SIGBUS."""
ENDING = (signal.SIGBUS, signal.SIGSEGV, signal.SIGPIPE, signal.SIGTERM)
"""SIGPIPE ends a rank that writes to one that was ended, and the launcher ends others by SIGTERM; it may report any of
them first.
"""


def shortage(command: Command, number: int, ranks: int, folder: Path = _FOLDER) -> str:
    """Return that a full /dev/shm probably caused the signal that ended `ranks` ranks of this host, and what to do; or
    empty.
    """
    if not command.small_shm or not command.watched or number not in ENDING:
        return ""
    try:
        total, free = _space(folder)
    except OSError as error:
        return f"{folder} cannot be used: {error.strerror}"
    if number != signal.SIGBUS and free >= ranks * _NEEDED:
        return ""
    return (
        f"{folder}, in which ranks pass messages, was probably full: it has {quantity(total, 'B')}, now "
        f"{quantity(free, 'B')} free. Enlarge it (`mount -o remount,size=4g {folder}`; for a container: "
        f"--shm-size=4g), or use less of it, which may be slower: {command.small_shm}"
    )


def room(ranks: int, folder: Path = _FOLDER) -> str:
    """Return that the messages of so many ranks may not fit in /dev/shm; empty: they fit, or nothing is known."""
    try:
        total, free = _space(folder)
    except OSError as error:
        return f"{folder} cannot be used: {error.strerror}"
    if free >= ranks * _NEEDED:
        return ""
    return f"{folder}, in which ranks pass messages, has {quantity(total, 'B')}, now {quantity(free, 'B')} free"


def _space(folder: Path) -> tuple[int, int]:
    """Return the bytes of the file system, and those that are free. Raises OSError."""
    file_system = os.statvfs(folder)
    return file_system.f_blocks * file_system.f_frsize, file_system.f_bavail * file_system.f_frsize
