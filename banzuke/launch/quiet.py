"""Finds out who uses the processors that are about to be measured, from two readings of the kernel's counters."""

import os
import re
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from banzuke.files.trust import user_name
from banzuke.machine.tree import Tree

LOUD = 0.1
"""Share of the processors' time used by others above which figures are not the machine's alone."""
NAMED = 0.01
"""Share of the processors' time above which a process is named."""


@dataclass(frozen=True)
class Busy:
    """A process of others, as far as the kernel shows it to this user."""

    process: int
    user: str
    command: str
    """The name that it gives itself: at most 15 bytes, which may be anything."""
    share: float
    """Share of the time of all processors that were looked at."""


@dataclass(frozen=True)
class Load:
    share: float
    """Share of the processors' time that others used."""
    busiest: tuple[Busy, ...]
    """The busiest first. The rest of the share was used by processes that ended or cannot be seen."""

    @property
    def loud(self) -> bool:
        return self.share > LOUD


@dataclass(frozen=True)
class Counted:
    """Processor seconds used until a moment."""

    time: float
    processors: float | None
    """Seconds of all processes on the processors that were looked at; None: nothing is counted here, as in some
    containers.
    """
    own: float
    processes: Mapping[tuple[int, int], float]
    """Seconds by number and start of the process, which together identify it for ever."""


def counted(processors: Sequence[int], tree: Tree | None = None) -> Counted:
    """Return what was used so far of these processors, and by each process that can be seen."""
    tree = tree or Tree()
    times = os.times()
    return Counted(
        time=time.monotonic(),
        processors=_used(tree, processors),
        own=times.user + times.system + times.children_user + times.children_system,
        processes=_by_process(tree),
    )


def load(before: Counted, processors: Sequence[int], tree: Tree | None = None) -> Load:
    """Return what others used of these processors since `before`."""
    tree = tree or Tree()
    now = counted(processors, tree)
    available = max(now.time - before.time, 1e-9) * max(1, len(processors))
    if before.processors is None or now.processors is None:
        return Load(0.0, ())
    others = now.processors - before.processors - (now.own - before.own)
    used = {process: seconds - before.processes.get(process, 0.0) for process, seconds in now.processes.items()}
    most = sorted(((seconds / available, process) for process, seconds in used.items()), reverse=True)
    here = set(processors)
    busiest = [
        _named(tree, process, share)
        for share, (process, _) in most
        if share >= NAMED and process != os.getpid() and may_run(process, here)
    ]
    return Load(min(1.0, max(0.0, others / available)), tuple(busiest))


def _used(tree: Tree, processors: Sequence[int]) -> float | None:
    """Return the processor seconds used, without the time that the hypervisor gave to others."""
    wanted = {f"cpu{number}" for number in processors}
    total, ticks = 0, os.sysconf("SC_CLK_TCK")
    for line in (tree.text("proc/stat") or "").splitlines():
        name, *fields = line.split()
        if name in wanted and len(fields) >= 7 and all(map(str.isdecimal, fields)):
            user, nice, system, _idle, _iowait, irq, softirq = map(int, fields[:7])
            total += user + nice + system + irq + softirq
    return total / ticks if total else None


def _by_process(tree: Tree) -> dict[tuple[int, int], float]:
    seconds, ticks = {}, os.sysconf("SC_CLK_TCK")
    for process in map(int, tree.names("proc", r"\d+")):
        # The name is in brackets, and may contain anything.
        fields = (tree.data(f"proc/{process}/stat") or b"").rpartition(b")")[2].split()
        if len(fields) > 19 and all(map(bytes.isdigit, (*fields[11:13], fields[19]))):
            seconds[process, int(fields[19])] = (int(fields[11]) + int(fields[12])) / ticks
    return seconds


def may_run(process: int, processors: Collection[int]) -> bool:
    """Return whether a process may run on one of the processors; True if it has ended meanwhile."""
    try:
        return not os.sched_getaffinity(process).isdisjoint(processors)
    except OSError:
        return True


def _named(tree: Tree, process: int, share: float) -> Busy:
    try:
        user = user_name(tree.path(f"proc/{process}").stat().st_uid)
    except OSError:  # it has ended
        user = "?"
    name = re.search(rb"\((.*)\)", tree.data(f"proc/{process}/stat") or b"", re.DOTALL)
    return Busy(process, user, name[1].decode("utf-8", "replace") if name else "?", min(1.0, share))
