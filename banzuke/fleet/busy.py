"""How much of this host's processors is taken at this moment, by whatever runs there."""

import os
import time
from pathlib import Path

from banzuke.errors import BanzukeError
from banzuke.files import read_whole

LEAST_BUSY = 0.5
"""Processors; less is that of daemons, and no program that would slow down others."""
_SECONDS = 1.0
_STAT = Path("/proc/stat")
_IDLE, _STEAL = (3, 4), 7
"""Of the columns of /proc/stat: what nothing runs in, and what other guests of the hypervisor have."""


def busy_processors() -> float | None:
    """Over a second; None: the kernel does not count it."""
    before, begun = _ticks(_STAT), time.monotonic()
    time.sleep(_SECONDS)
    return busy_between(before, _ticks(_STAT), time.monotonic() - begun)


def busy_between(before: list[int], after: list[int], seconds: float) -> float | None:
    """None where nothing was counted, idle time included, as in some containers."""
    spent = [then - now for now, then in zip(before, after, strict=False)]
    if sum(spent) <= 0:
        return None
    busy = sum(ticks for at, ticks in enumerate(spent[: _STEAL + 1]) if at not in _IDLE and at != _STEAL)
    return busy / (os.sysconf("SC_CLK_TCK") * seconds)


def _ticks(file: Path) -> list[int]:
    """Of all processors together, by what they were spent on; empty: unknown."""
    try:
        name, *ticks = read_whole(file).decode("ascii", "replace").partition("\n")[0].split()
    except (BanzukeError, ValueError):
        return []
    return list(map(int, ticks)) if name == "cpu" and all(map(str.isdecimal, ticks)) else []
