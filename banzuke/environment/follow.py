"""`python -m banzuke.environment.follow COMMAND...`: a tool whose container must not outlive the launcher of the rank.

Signals are passed on, and so is the exit status. Where we are killed, the tool is asked to end; for that it is in a
session of its own, because launchers kill whole process groups.
"""

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

DESCRIPTOR = 3
"""The first one that tools hand on: they take them in a row, and Hydra's connection (PMI_FD) has a higher number."""
_FORWARDED = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2)
_PR_SET_PDEATHSIG = 1
"""prctl(2)."""
_PR_SET_CHILD_SUBREAPER = 36
"""prctl(2)."""
_PATIENCE = 5.0
"""Seconds for what a tool left to go."""
_NOT_STARTED = 127
"""As shells say it."""


def follow(words: Sequence[str]) -> int:
    """Exit status, as shells give it. `DESCRIPTOR` is open for the command: the connection, or else the input."""
    connection = os.environ.get("PMI_FD")
    os.dup2(int(connection or 0), DESCRIPTOR)
    if connection:
        os.environ["PMI_FD"] = str(DESCRIPTOR)
    ours = os.getpid()
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)

    def prepare() -> None:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != ours:  # we ended before that
            os.kill(os.getpid(), signal.SIGKILL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _FORWARDED)

    # Those that come before there is a process to pass them on to wait.
    signal.pthread_sigmask(signal.SIG_BLOCK, _FORWARDED)
    try:
        process = subprocess.Popen(
            words,
            pass_fds=[DESCRIPTOR],
            start_new_session=True,
            preexec_fn=prepare,  # noqa: PLW1509  (no other thread is here)
        )
    except OSError as error:
        print(f"{words[0]}: {error.strerror}", file=sys.stderr)  # noqa: T201
        return _NOT_STARTED
    for number in _FORWARDED:
        signal.signal(number, lambda received, _frame: process.send_signal(received))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _FORWARDED)
    status = process.wait()
    if status < 0:
        _end_left(shutil.which(words[0]) or words[0])
    return 128 - status if status < 0 else status


def _end_left(tool: str) -> None:
    """A tool that was killed before it passes signals on may leave a monitor, now our child, with a container.

    The container is ended, upon which the monitor clears up, with the tool's help, and ends.
    """
    latest = time.monotonic() + _PATIENCE
    while (monitors := _children(os.getpid())) and time.monotonic() < latest:
        for process in [child for monitor in monitors for child in _children(monitor)]:
            with contextlib.suppress(OSError):
                if not Path(f"/proc/{process}/exe").samefile(tool):
                    os.kill(process, signal.SIGKILL)
        time.sleep(0.05)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _children(process: int) -> list[int]:
    try:
        return list(map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split()))
    except OSError:
        return []


if __name__ == "__main__":
    sys.exit(follow(sys.argv[1:]))
