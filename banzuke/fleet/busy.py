"""How much of this host's processors is taken at this moment, by whatever runs there."""

import time

from banzuke.launch.conditions import Snapshot, snapshot

LEAST_BUSY = 0.5
"""Processors; less is that of daemons, and no program that would slow down others."""
_SECONDS = 1.0


def busy_processors() -> float | None:
    """Over a second; None: the kernel does not count it."""
    before = snapshot()
    time.sleep(_SECONDS)
    return busy_between(before, snapshot())


def busy_between(before: Snapshot, after: Snapshot) -> float | None:
    """What other guests of the hypervisor have is not busy."""
    if before.busy is None or after.busy is None:
        return None
    return (after.busy - before.busy) / (after.time - before.time)
