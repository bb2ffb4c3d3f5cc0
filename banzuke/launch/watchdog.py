"""Waits for the end of a process that measures, and where that was sudden (SIGKILL) ends all that bears its mark.

Every run starts one, so it loads little; and at once, because later the files may no longer be there.
"""

import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from banzuke.isolation.marked import bearers, end
from banzuke.machine.tree import Tree

MARK = "BANZUKE_MARK"
PATIENCE = 10.0
"""Seconds between asking and killing: `banzuke isolate` restores the machine meanwhile."""
DONE = b"."
"""Said by a process that ends as it should."""


def end_marked(mark: str) -> int:
    """Ends what was started with this mark; how many processes that were."""
    return len(end(lambda: bearers(Tree(), [f"{MARK}={mark}"]), PATIENCE)) if mark else 0


def watch(mark: str, lock: Sequence[str]) -> None:
    """`lock`: its file, which goes last."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):  # batch systems send them to all processes of a job
        signal.signal(number, signal.SIG_IGN)
    if sys.stdin.buffer.read() != DONE:
        end_marked(mark)
        for file in lock:
            Path(file).unlink(missing_ok=True)


if __name__ == "__main__":
    watch(sys.argv[2], sys.argv[3:])
