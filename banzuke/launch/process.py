"""Runs one command, with progress and a time limit, and leaves nothing behind however it ends."""

import contextlib
import math
import os
import re
import select
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from banzuke.child import lines
from banzuke.files import write_whole
from banzuke.isolation.marked import kill
from banzuke.isolation.processes import threads
from banzuke.launch.command import Command
from banzuke.launch.conditions import Snapshot, between, lost_share, snapshot
from banzuke.launch.ranks import Listener, RankReports
from banzuke.machine.tree import Tree

LOG_LINES = 40
LOG_LINE = 4096
"""Characters of a line that are kept."""
MOST_PRINTED = 256 << 20
"""Most bytes of output; a record of 1,000 hosts with a figure for each pair of them takes a tenth."""
LAST_WORDS = 1.5
"""Seconds after the time limit in which the ranks may say what they are doing."""
LONGEST_POLL = 2e6
"""Seconds; the kernel takes milliseconds in 31 bits."""
CROWDED = 0.5
"""Share of the processors' time used by others from which on a silent case may just be slow."""
RECENT = 0.5
"""Share of the time limit; a case that reported progress within it continues."""
_PIECE = 1 << 16
GRACE = 3.0
"""Seconds between asking a process group to end and killing it."""


@dataclass(frozen=True)
class Progress:
    """A program's own report of its progress."""

    share: float
    """Finished share of its work, 0 to 1."""
    rate: float | None = None
    """Present speed in `unit`; None: it does not say."""
    unit: str = ""


Follow = Callable[[Progress], None]


@dataclass(frozen=True)
class ProcessResult:
    stdout: str
    log: str
    """End of the error stream, without the lines about progress and ranks."""
    status: int
    """Exit status; -N: killed by signal N."""
    timed_out: bool
    conditions: dict[str, float]
    ranks: RankReports = field(default_factory=RankReports)
    limits: int = 1
    """Number of time limits that it was given."""
    flooded: bool = False
    """Whether it was ended because it printed too much."""


def begin(words: Sequence[str], variables: Mapping[str, str]) -> subprocess.Popen[str]:
    """Start a process in a group of its own, with both output streams as pipes. Raises OSError."""
    return subprocess.Popen(
        words,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )


def run(command: Command, *, timeout: float, progress: Follow, most: int = 1) -> ProcessResult:
    """Run the command in a process group of its own, which is ended as a whole on a time-out or an interrupt.

    After `timeout` seconds it gets as many again if it makes progress or others use the processors, at most `most`
    times in all. Raises OSError when the program cannot be started, BanzukeError when its input files cannot be
    written, and passes KeyboardInterrupt on after cleaning up.
    """
    for file, text in command.files.items():
        write_whole(file, text.encode())
    before = snapshot()
    process = begin(command.words, command.environment())
    log: deque[str] = deque(maxlen=LOG_LINES)
    out = bytearray()
    ranks = Listener(watching=command.watched)
    patience = _Patience(timeout, process.pid, before)

    def report(share: Progress) -> None:
        patience.reported = time.monotonic()
        progress(share)

    readers = [
        threading.Thread(target=_follow, args=(process, log, ranks, report), daemon=True),
        threading.Thread(target=_collect, args=(process, out), daemon=True),
    ]
    for reader in readers:
        reader.start()
    timed_out = False
    limits = 1
    try:
        while timed_out := not _ended(process, until := before.time + limits * timeout):
            steps = ranks.steps(ranks.delay + LAST_WORDS)
            if limits == most or not patience.lasts(until, steps):
                break
            ranks.forget_steps()
            limits += 1
    finally:
        end_group(process)
        for reader in readers:
            reader.join(timeout=GRACE)  # a child that left the group may hold the pipe open longer
    return ProcessResult(
        stdout="" if len(out) > MOST_PRINTED else out.decode("utf-8", "replace"),
        flooded=len(out) > MOST_PRINTED,
        log="".join(log),
        status=process.returncode,
        timed_out=timed_out,
        limits=limits,
        conditions=between(before, snapshot()),
        ranks=ranks.reports(),
    )


class _Patience:
    """Decides whether a case that reached its time limit hangs or is slow."""

    def __init__(self, limit: float, program: int, begun: Snapshot) -> None:
        self._limit, self._program, self._begun = limit, program, begun
        self._steps: Mapping[int, str] | None = None
        self.reported = -math.inf
        """When it last reported progress."""

    def lasts(self, until: float, steps: Mapping[int, str]) -> bool:
        """Return whether the case may go on after the limit at the time `until`; `steps`: what the ranks are doing."""
        before, self._steps = self._steps, steps
        if self.reported > until - RECENT * self._limit or (before is not None and steps != before):
            return True
        return lost_share(self._begun, self._program) >= CROWDED


def _ended(process: subprocess.Popen[str], until: float) -> bool:
    """Return whether the process ends by this time of `time.monotonic`.

    `Popen.wait` looks at intervals of up to 50 ms, which is long beside a short case.
    """
    with contextlib.suppress(OSError):  # kernels before 5.3
        ended = os.pidfd_open(process.pid)
        try:
            with _signals() as arrived:
                poll = select.poll()
                poll.register(ended, select.POLLIN)
                poll.register(arrived, select.POLLIN)
                while (left := until - time.monotonic()) > 0:
                    if ended in dict(poll.poll(1000 * min(left, LONGEST_POLL))):
                        break
                    with contextlib.suppress(BlockingIOError):
                        os.read(arrived, select.PIPE_BUF)
        finally:
            os.close(ended)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=max(0.0, until - time.monotonic()))
    return process.returncode is not None


@contextlib.contextmanager
def _signals() -> Iterator[int]:
    """Yield a descriptor that can be read once a signal has come, whichever thread received it.

    Python handles signals in the main thread alone, and not while that waits in `poll`.
    """
    reading, writing = os.pipe()
    for descriptor in (reading, writing):
        os.set_blocking(descriptor, False)
    before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    try:
        yield reading
    finally:
        signal.set_wakeup_fd(before)
        os.close(reading)
        os.close(writing)


def _collect(process: subprocess.Popen[str], out: bytearray) -> None:
    """Collect a process's output; end the process if it prints more than MOST_PRINTED."""
    if not process.stdout:
        return
    with process.stdout as pipe:
        while piece := os.read(pipe.fileno(), _PIECE):
            out += piece
            if len(out) > MOST_PRINTED:
                end_group(process)
                return


def _follow(process: subprocess.Popen[str], log: deque[str], ranks: Listener, progress: Follow) -> None:
    if not process.stderr:
        return
    with process.stderr as pipe:
        for line in lines(pipe):
            if reported := _progress(line):
                progress(reported)
            elif not ranks.hear(line):
                log.append(line if len(line) <= LOG_LINE else line[:LOG_LINE] + "...\n")


_PROGRESS = re.compile(r"progress (\d+) (\d+)(?: (\d\S*) (\S+))?\s*", re.ASCII)


def _progress(line: str) -> Progress | None:
    """Read `progress DONE TOTAL [RATE UNIT]`, as `Context::progress` in core/application.cpp writes it."""
    match = _PROGRESS.fullmatch(line)
    if not match or not 0 < int(match[2]) >= int(match[1]):
        return None
    share, rate, unit = int(match[1]) / int(match[2]), match[3], match[4]
    try:
        return Progress(share, float(rate), unit) if unit else Progress(share)
    except ValueError:
        return None


def end_group(process: subprocess.Popen[str]) -> None:
    """End what is left of the process group: first with SIGTERM, then with SIGKILL.

    Ranks have groups of their own, and Open MPI's outlive a launcher that was killed, but they are in our session.
    """
    for sent in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, sent)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=GRACE)
            if sent == signal.SIGTERM and not _group_alive(process.pid):
                break
    if process.returncode != 0:
        kill(lambda: {thread.pid for thread in threads(Tree()) if thread.session == process.pid}, GRACE)


def _group_alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
