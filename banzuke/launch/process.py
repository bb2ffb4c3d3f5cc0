"""Runs one command: progress as it goes, a time limit, and nothing left behind however it ends."""

import contextlib
import os
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from banzuke.launch.command import Command
from banzuke.launch.conditions import between, snapshot

Progress = Callable[[float], None]
"""Called with the share done, 0 to 1."""

LOG_LINES = 40
GRACE = 3.0
"""Seconds between asking a process group to end and killing it."""


@dataclass(frozen=True)
class Outcome:
    stdout: str
    log: str
    """End of the error stream, without the lines of progress."""
    status: int
    """Exit status; -N: killed by signal N."""
    timed_out: bool
    conditions: dict[str, float]


def run(command: Command, *, timeout: float, progress: Progress) -> Outcome:
    """Runs the command in a process group of its own, which is ended as a whole on a time-out or an interrupt.

    Raises OSError when the program cannot be started, and passes KeyboardInterrupt on after cleaning up.
    """
    before = snapshot()
    process = subprocess.Popen(
        command.words,
        env=command.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    log: deque[str] = deque(maxlen=LOG_LINES)
    out: list[str] = []
    readers = [
        threading.Thread(target=_follow, args=(process, log, progress), daemon=True),
        threading.Thread(target=_collect, args=(process, out), daemon=True),
    ]
    for reader in readers:
        reader.start()
    timed_out = False
    try:
        process.wait(timeout=timeout)
    except subprocess.TimeoutExpired:
        timed_out = True
    finally:
        _end(process)
        for reader in readers:
            reader.join(timeout=GRACE)  # a child that left the group may hold the pipe open longer
    return Outcome(
        stdout="".join(out),
        log="".join(log),
        status=process.returncode,
        timed_out=timed_out,
        conditions=between(before, snapshot()),
    )


def _collect(process: subprocess.Popen[str], out: list[str]) -> None:
    if process.stdout:
        with process.stdout as pipe:
            out.extend(pipe)


def _follow(process: subprocess.Popen[str], log: deque[str], progress: Progress) -> None:
    if not process.stderr:
        return
    with process.stderr as pipe:
        for line in pipe:
            match line.split():
                case ["progress", done, total] if done.isdecimal() and total.isdecimal() and int(total) > 0:
                    progress(int(done) / int(total))
                case _:
                    log.append(line)


def _end(process: subprocess.Popen[str]) -> None:
    """Ends what is left of the process group: politely, then by force."""
    for sent in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, sent)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=GRACE)
            if sent == signal.SIGTERM and not _group_alive(process.pid):
                return


def _group_alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
