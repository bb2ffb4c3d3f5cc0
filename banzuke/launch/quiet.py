"""Who uses the processors that are about to be measured, as the kernel counts it: read twice, with a pause between."""

import os
import re
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from banzuke.files.trust import user_name
from banzuke.machine.tree import Tree

LOUD = 0.1
"""Share of the processors' time that others use, above which figures are not the machine's alone."""
NAMED = 0.01
"""The same of a process that is worth a name."""


@dataclass(frozen=True)
class Busy:
    """A process of others, as far as the kernel shows it to this user."""

    process: int
    user: str
    command: str
    """As it calls itself, at most 15 bytes of anything."""
    share: float
    """Part of the time of all processors that were looked at."""


@dataclass(frozen=True)
class Load:
    share: float
    """Part of the processors' time that others used."""
    busiest: tuple[Busy, ...]
    """Most first. What is missing of the share was used by processes that ended, or that cannot be seen."""

    @property
    def loud(self) -> bool:
        return self.share > LOUD


@dataclass(frozen=True)
class Counted:
    """What was used until a moment, in seconds."""

    time: float
    processors: float | None
    """By all, on those that were looked at; None: nothing is counted here, as in some containers."""
    own: float
    processes: Mapping[tuple[int, int], float]
    """By number and start, which name a process for ever."""


def counted(processors: Sequence[int], tree: Tree | None = None) -> Counted:
    """What was used so far of these processors, and by each process that can be seen."""
    tree = tree or Tree()
    times = os.times()
    return Counted(
        time=time.monotonic(),
        processors=_used(tree, processors),
        own=times.user + times.system + times.children_user + times.children_system,
        processes=_by_process(tree),
    )


def load(before: Counted, processors: Sequence[int], tree: Tree | None = None) -> Load:
    """What others used of these processors since then."""
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
    """Not what the hypervisor gave to others: no process here had it."""
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
        # Its name stands in brackets, and may be anything.
        fields = (tree.data(f"proc/{process}/stat") or b"").rpartition(b")")[2].split()
        if len(fields) > 19 and all(map(bytes.isdigit, (*fields[11:13], fields[19]))):
            seconds[process, int(fields[19])] = (int(fields[11]) + int(fields[12])) / ticks
    return seconds


def may_run(process: int, processors: Collection[int]) -> bool:
    """On one of these; a process that has ended meanwhile might have."""
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
