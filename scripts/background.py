"""A gate in the background, which takes only time that processors would be idle while other parts run."""

import atexit
import contextlib
import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from scripts.packages import ROOT
from scripts.running import CheckError

TESTS, QUEUE = ROOT / "conftest.py", ROOT / "tests" / "conftest.py"
"""Files that Python tests lock, and those that run alone without sharing; see `conftest.py`."""


@contextlib.contextmanager
def among_tests() -> Iterator[None]:
    """Run what is inside only while no Python test runs alone, and keep such tests waiting meanwhile."""
    with TESTS.open("a", encoding="utf-8") as tests:
        with QUEUE.open("a", encoding="utf-8") as queue:
            fcntl.flock(queue, fcntl.LOCK_EX)
            fcntl.flock(tests, fcntl.LOCK_SH)
        yield


def yield_processors() -> None:
    """Let this process and what it starts run only where nothing else wants a processor."""
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    with contextlib.suppress(OSError):  # sessions share processors by this, where the kernel groups tasks by session
        Path("/proc/self/autogroup").write_text("19", encoding="ascii")


class BackgroundGate:
    """A gate of `scripts.check` that another one begins, and later waits for."""

    def __init__(self, gate: str) -> None:
        self.gate = gate
        self.log = ROOT / "build" / f"{gate}.log"
        self.process: subprocess.Popen[bytes] | None = None

    def begin(self) -> None:
        self.log.parent.mkdir(exist_ok=True)
        with self.log.open("wb") as log:
            words = [sys.executable, "-m", "scripts.check", self.gate]
            self.process = subprocess.Popen(
                words, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
            )
        atexit.register(self._end)

    def finish(self) -> None:
        """Wait for the end, and show what it took and skipped; all of its output if it failed.

        Raises CheckError if it failed.
        """
        status = self.process.wait() if self.process else 1
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        print("\n".join(line for line in lines if status or line.startswith("check: ")), flush=True)
        if status:
            failures = [line.removeprefix("FAILED ") for line in lines if line.startswith("FAILED ")]
            raise CheckError("; ".join(failures) or f"ended with status {status}")

    def _end(self) -> None:
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
            self.process.wait()
