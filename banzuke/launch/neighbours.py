"""Starts busy processes beside a case, which stand for other users or the operating system's services."""

import contextlib
import subprocess
from collections.abc import Iterator

from banzuke.paths import PYTHON

_BUSY = """
import os
os.sched_setaffinity(0, range(os.cpu_count() or 1))
parent = os.getppid()
while os.getppid() == parent:
    for _ in range(100_000):
        pass
"""
"""Program that keeps busy any processor that control groups allow, also outside our own; ends soon after its parent."""


@contextlib.contextmanager
def beside(count: int) -> Iterator[None]:
    """Run this many processes that compute without pause, until the end of the block. Raises OSError.

    Each has a session of its own, as services have: within one session the scheduler would share a single weight among
    them.
    """
    with contextlib.ExitStack() as stack:
        for _ in range(count):
            words = [*PYTHON, "-S", "-c", _BUSY]
            process = stack.enter_context(subprocess.Popen(words, stdin=subprocess.DEVNULL, start_new_session=True))
            stack.callback(process.kill)
        yield
