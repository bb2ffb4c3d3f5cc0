"""Measures how many of this host's processors are busy now, whatever runs on them."""

import time

from banzuke.launch.conditions import Snapshot, snapshot

LEAST_BUSY = 0.5
"""Fewest busy processors that count as a load; daemons use less and slow down no other program."""
_SECONDS = 1.0


def busy_processors() -> float | None:
    """Return the mean number of busy processors over a second; None: the kernel does not count it."""
    before = snapshot()
    time.sleep(_SECONDS)
    return busy_between(before, snapshot())


def busy_between(before: Snapshot, after: Snapshot) -> float | None:
    """Return the mean number of busy processors between two snapshots; stolen time is not busy."""
    if before.busy is None or after.busy is None:
        return None
    return (after.busy - before.busy) / (after.time - before.time)
