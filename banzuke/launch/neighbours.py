"""Busy processes beside a case, as other users or the operating system's own services may be."""

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
"""On any processor that control groups leave, whatever those are that we keep to; ends soon after its parent."""


@contextlib.contextmanager
def beside(count: int) -> Iterator[None]:
    """So many processes that compute without pause, until the end of the block. Raises OSError.

    Each has a session of its own, as services have: within one the scheduler would share a single weight among them.
    """
    with contextlib.ExitStack() as stack:
        for _ in range(count):
            words = [*PYTHON, "-S", "-c", _BUSY]
            process = stack.enter_context(subprocess.Popen(words, stdin=subprocess.DEVNULL, start_new_session=True))
            stack.callback(process.kill)
        yield
