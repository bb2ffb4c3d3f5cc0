"""Waits for the end of a process that measures; if that was sudden (SIGKILL), ends every process that bears its mark.

Every run starts one, so it loads little; and it loads at once, because later its files may no longer be there.
"""

import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from banzuke.isolation.marked import bearers, end
from banzuke.machine.tree import Tree

MARK = "BANZUKE_MARK"
PATIENCE = 10.0
"""Seconds between asking and killing, in which `banzuke isolate` restores the machine."""
DONE = b"."
"""Sent by a process that ends normally."""


def end_marked(mark: str) -> int:
    """End the processes that were started with this mark, and return their number."""
    return len(end(lambda: bearers(Tree(), [f"{MARK}={mark}"]), PATIENCE)) if mark else 0


def watch(mark: str, lock: Sequence[str]) -> None:
    """Wait for the end of the process; `lock`: its lock file, which is removed last."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):  # batch systems send them to all processes of a job
        signal.signal(number, signal.SIG_IGN)
    if sys.stdin.buffer.read() != DONE:
        end_marked(mark)
        for file in lock:
            Path(file).unlink(missing_ok=True)


if __name__ == "__main__":
    watch(sys.argv[2], sys.argv[3:])
