"""Samples the threads of a program and of all others from /proc, and what of the processors each used meanwhile."""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from banzuke.cpu_lists import parse_cpus
from banzuke.machine.tree import Tree

INTERVAL = 0.05
"""Seconds between two samples."""
RANKS = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID")
"""Variables in which launchers give a process its rank."""
ENDED = ("Z", "X")
"""States of a process that has ended and was not waited for."""
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class SeenThread:
    """A thread, over the time for which it was seen."""

    pid: int
    tid: int
    name: str
    first: float
    """Processor seconds at the first sample."""
    last: float
    ran: set[int] = field(default_factory=set)
    """Processors on which it was found while it used some."""
    allowed: Sequence[int] = ()
    samples: int = 0
    ready: int = 0
    """Samples at which it ran or waited for a processor."""

    @property
    def seconds(self) -> float:
        """Processor seconds between the samples."""
        return self.last - self.first


@dataclass
class SeenProcess:
    """A process of the program."""

    pid: int
    name: str
    rank: int | None = None
    memory: Mapping[int, int] = field(default_factory=dict)
    """Bytes by NUMA node."""
    threads: dict[int, SeenThread] = field(default_factory=dict)


@dataclass
class BindingSight:
    """What was seen."""

    seconds: float = 0.0
    """Time between the first sample and the last."""
    processes: dict[int, SeenProcess] = field(default_factory=dict)
    others: dict[tuple[int, int], SeenThread] = field(default_factory=dict)
    """Threads of other programs."""

    def share(self, thread: SeenThread) -> float:
        """Return the share of one processor that the thread used."""
        return thread.seconds / self.seconds if self.seconds > 0 else 0.0


def observe(tree: Tree, root: int, until: Callable[[float], bool]) -> BindingSight:
    """Sample until the function, which is given the seconds since the first sample, says that it is enough."""
    sight = BindingSight()
    begun = time.monotonic()
    while True:
        _sample(tree, root, sight)
        sight.seconds = time.monotonic() - begun
        if until(sight.seconds):
            return sight
        time.sleep(INTERVAL)


def _sample(tree: Tree, root: int, sight: BindingSight) -> None:
    every = ((pid, _stat(tree, f"proc/{pid}/stat")) for pid in _numbers(tree, "proc"))
    seen = {pid: stat for pid, stat in every if stat and stat.state not in ENDED}
    ours = _descendants({pid: stat.parent for pid, stat in seen.items()}, root) | (sight.processes.keys() & seen.keys())
    for pid, stat in seen.items():
        if pid in ours:
            _note_process(tree, pid, stat, sight)
        elif stat.seconds > 0:
            for tid, own in _threads(tree, pid):
                first = SeenThread(pid, tid, own.name, own.seconds, own.seconds)
                _note(sight.others.setdefault((pid, tid), first), own)


def _note_process(tree: Tree, pid: int, stat: "_ThreadStat", sight: BindingSight) -> None:
    process = sight.processes.setdefault(pid, SeenProcess(pid, stat.name))
    process.name = stat.name
    process.rank = _rank(tree, pid) if process.rank is None else process.rank
    process.memory = _memory(tree, pid) or process.memory
    for tid, own in _threads(tree, pid):
        thread = process.threads.setdefault(tid, SeenThread(pid, tid, own.name, own.seconds, own.seconds))
        if _note(thread, own) or not thread.allowed:
            status = tree.text(f"proc/{pid}/task/{tid}/status") or ""
            listed = status.partition("\nCpus_allowed_list:")[2].partition("\n")[0]
            thread.allowed = tuple(parse_cpus(listed)) or thread.allowed


def _note(thread: SeenThread, stat: "_ThreadStat") -> bool:
    """Note where the thread is, and return whether it used a processor since the last sample."""
    used = stat.seconds > thread.last or stat.state == "R"
    thread.samples += 1
    thread.ready += stat.state == "R"
    thread.name, thread.last = stat.name, max(stat.seconds, thread.last)
    if used:
        thread.ran.add(stat.processor)
    return used


@dataclass(frozen=True)
class _ThreadStat:
    name: str
    state: str
    parent: int
    seconds: float
    processor: int


def _stat(tree: Tree, name: str) -> _ThreadStat | None:
    text = tree.text(name) or ""
    front, _, back = text.rpartition(")")
    fields = back.split()
    with suppress(ValueError, IndexError):
        seconds = (int(fields[11]) + int(fields[12])) / _TICKS
        return _ThreadStat(front.partition("(")[2], fields[0], int(fields[1]), seconds, int(fields[36]))
    return None


def _threads(tree: Tree, pid: int) -> Iterator[tuple[int, _ThreadStat]]:
    for tid in _numbers(tree, f"proc/{pid}/task"):
        if stat := _stat(tree, f"proc/{pid}/task/{tid}/stat"):
            yield tid, stat


def _numbers(tree: Tree, folder: str) -> Iterator[int]:
    """Return the numbers that name entries of a folder."""
    return map(int, tree.names(folder, "[0-9]+"))


def _descendants(parents: Mapping[int, int], root: int) -> set[int]:
    children: dict[int, list[int]] = {}
    for pid, parent in parents.items():
        children.setdefault(parent, []).append(pid)
    ours, left = set(), [root]
    while left:
        pid = left.pop()
        if pid in parents and pid not in ours:
            ours.add(pid)
            left += children.get(pid, [])
    return ours


def _rank(tree: Tree, pid: int) -> int | None:
    variables = dict(word.split("=", 1) for word in (tree.text(f"proc/{pid}/environ") or "").split("\0") if "=" in word)
    return next((int(value) for name in RANKS if (value := variables.get(name, "")).isdecimal()), None)


def _memory(tree: Tree, pid: int) -> dict[int, int]:
    """Return the bytes of a process by NUMA node, as the kernel counts its pages; empty: not to be read."""
    held: dict[int, int] = {}
    for line in (tree.text(f"proc/{pid}/numa_maps") or "").splitlines():
        words = dict(word.split("=", 1) for word in line.split() if "=" in word)
        size = int(words.get("kernelpagesize_kB", "4")) << 10
        for name, count in words.items():
            if name[:1] == "N" and name[1:].isdecimal() and count.isdecimal():
                held[int(name[1:])] = held.get(int(name[1:]), 0) + int(count) * size
    return held
