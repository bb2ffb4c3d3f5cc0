"""Reads what the ranks of a program report on its error stream, and sees which of them ends first."""

import json
import os
import re
import select
import socket
import threading
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

_PROCESSES = "processes {"
_ENTRIES = re.compile(r"\d+:\d+(,\d+:\d+)*", re.ASCII)
_STEP = re.compile(r"step (\d+) (.*)\s*", re.ASCII)


@dataclass(frozen=True)
class Process:
    rank: int
    pid: int
    host: str

    def __str__(self) -> str:
        return f"rank {self.rank} (process {self.pid} on {self.host})"


@dataclass(frozen=True)
class RankReports:
    """Reports by and about the ranks until the end of a run."""

    entries: Mapping[str, str] = field(default_factory=dict)
    """Host -> `RANK:PID,...`, for several ranks."""
    steps: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """Steps that ranks were in when the time limit came -> those ranks."""
    first: Process | None = None
    """The process that ended first; None: not seen, because ends on other hosts cannot be."""

    @cached_property
    def processes(self) -> tuple[Process, ...]:
        """Return the processes by rank. There may be hundreds of thousands, and only a failure needs them."""
        processes = (
            Process(int(rank), int(pid), host)
            for host, entries in self.entries.items()
            for rank, pid in (entry.split(":") for entry in entries.split(","))
        )
        return tuple(sorted(processes, key=lambda process: process.rank))


class Listener:
    """Reads the lines of one run that begin with `processes` or `step`, which core/application.cpp and
    core/last_step.cpp write.
    """

    def __init__(self, *, watching: bool = True) -> None:
        self._watching = watching
        self._begun = time.monotonic()
        self._entries: dict[str, str] = {}
        self._ranks = 1
        self._steps: dict[int, str] = {}
        self._first: Process | None = None
        self._over = threading.Event()
        self._all_told = threading.Event()
        self.delay = 0.0
        """Seconds until the ranks had found each other; their own time limit begins that much later."""

    def hear(self, line: str) -> bool:
        """Process a line; return whether it was meant for this class."""
        if line.startswith(_PROCESSES) and (entries_by_host := _parsed(line.removeprefix(_PROCESSES[:-1]))):
            self._entries, self._ranks = (
                entries_by_host,
                sum(entries.count(":") for entries in entries_by_host.values()),
            )
            self.delay = time.monotonic() - self._begun
            if self._watching and entries_by_host.keys() == {socket.gethostname()}:
                threading.Thread(
                    target=self._watch, args=(RankReports(entries_by_host).processes,), daemon=True
                ).start()
            return True
        if step := _STEP.fullmatch(line):
            self._steps[int(step[1])] = step[2]
            if len(self._steps) >= self._ranks:
                self._all_told.set()
            return True
        return False

    def steps(self, seconds: float) -> Mapping[int, str]:
        """Return what each rank is doing, once all have reported it or this many seconds have passed."""
        self._all_told.wait(seconds)
        return dict(self._steps)

    def forget_steps(self) -> None:
        """Forget the steps, because the ranks will report them again."""
        self._steps = {}
        self._all_told.clear()

    def reports(self) -> RankReports:
        """Return all that was reported, and stop watching."""
        self._over.set()
        steps: dict[str, list[int]] = defaultdict(list)
        for rank, step in self._steps.items():
            steps[step].append(rank)
        return RankReports(self._entries, steps, self._first)

    def _watch(self, processes: Sequence[Process]) -> None:
        """Wait for the first process to end. Launchers then end the others, and do not always know which ended first.

        This thread may wake up only when all have ended, but epoll keeps the order.
        """
        ranks: dict[int, Process] = {}
        try:
            with select.epoll() as ends:
                for process in processes:
                    ended = os.pidfd_open(process.pid)
                    ranks[ended] = process
                    ends.register(ended, select.EPOLLIN)
                while not self._over.is_set() and not self._first:
                    self._first = next((ranks[ended] for ended, _ in ends.poll(1.0, maxevents=1)), None)
        except OSError:  # a kernel before 5.3, more ranks than files may be open, or one that has already ended
            return
        finally:
            for ended in ranks:
                os.close(ended)


def _parsed(text: str) -> dict[str, str]:
    """Parse `{"HOST": "RANK:PID,..."}`; empty: it is something else."""
    try:
        document = json.loads(text)
    except ValueError:
        return {}
    return (
        document
        if all(isinstance(entries, str) and _ENTRIES.fullmatch(entries) for entries in document.values())
        else {}
    )
