"""`python -m banzuke.environment.follow COMMAND...`: runs a tool whose container must not outlive the rank's launcher.

Signals and the exit status are passed on. If this process is killed, the tool is asked to end; it is in a session of
its own for that, because launchers kill whole process groups.
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
"""First descriptor that tools pass on, in a row; Hydra's connection (PMI_FD) has a higher number."""
_FORWARDED = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2)
_PR_SET_PDEATHSIG = 1
"""prctl(2)."""
_PR_SET_CHILD_SUBREAPER = 36
"""prctl(2)."""
_PATIENCE = 5.0
"""Seconds for remains of a tool to end."""
_NOT_STARTED = 127
"""Exit status of shells for it."""


def follow(words: Sequence[str]) -> int:
    """Run the command and return its exit status, as shells do. `DESCRIPTOR`: Hydra's connection, or the input."""
    connection = os.environ.get("PMI_FD")
    os.dup2(int(connection or 0), DESCRIPTOR)
    if connection:
        os.environ["PMI_FD"] = str(DESCRIPTOR)
    ours = os.getpid()
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)

    def prepare() -> None:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != ours:  # the parent ended before the call
            os.kill(os.getpid(), signal.SIGKILL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _FORWARDED)

    # Signals that arrive before there is a process to receive them wait.
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
    """End a container whose tool was killed before it could pass signals on.

    The container's monitor, now a child of this process, then cleans up with the tool's help, and ends.
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
