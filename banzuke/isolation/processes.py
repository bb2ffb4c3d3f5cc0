"""Reads threads from /proc: their owner, their processors and their control group (proc(5))."""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from banzuke.cpu_lists import parse_cpus
from banzuke.machine.tree import Tree

Scope = Literal["all", "user", "session"]

_KERNEL = 0x00200000
_BOUND = 0x04000000
"""PF_KTHREAD and PF_NO_SETAFFINITY of include/linux/sched.h."""
_DEAD = ("Z", "X")
_ANCESTORS = 64


@dataclass(frozen=True, slots=True)
class Thread:
    pid: int
    tid: int
    start: int
    """Clock ticks after boot; together with the number, it identifies a thread for ever."""
    parent: int
    session: int
    uid: int
    flags: int
    name: str
    affinity: frozenset[int]
    groups: str
    """Content of its `cgroup` file."""

    @property
    def kernel(self) -> bool:
        return bool(self.flags & _KERNEL)

    @property
    def bound(self) -> bool:
        """Whether the kernel prevents moving it."""
        return bool(self.flags & _BOUND)


def threads(tree: Tree) -> Iterator[Thread]:
    """Yield all visible living threads."""
    for process in _numbers(str(tree.path("proc"))):
        yield from threads_of(tree, process)


def threads_of(tree: Tree, process: int) -> list[Thread]:
    folder = str(tree.path("proc"))
    living = []
    for number in _numbers(f"{folder}/{process}/task"):
        with suppress(OSError, ValueError, IndexError):
            living.append(_thread(folder, process, number))
    return living


def chosen(threads: Sequence[Thread], scope: Scope, *, uid: int, session: int) -> list[Thread]:
    """Return the threads to move: `all` includes the kernel's, `session` those that its processes started."""
    if scope == "all":
        return list(threads)
    if scope == "user":
        return [thread for thread in threads if thread.uid == uid and not thread.kernel]
    parents = {thread.pid: thread.parent for thread in threads}
    within = {thread.pid for thread in threads if thread.session == session}

    def descends(process: int) -> bool:
        for _ in range(_ANCESTORS):
            if process in within:
                return True
            process = parents.get(process, 0)
        return False

    return [thread for thread in threads if descends(thread.pid) and not thread.kernel]


def start_of(tree: Tree, number: int) -> int | None:
    """Return when the process or thread began; None: it does not live."""
    try:
        return _stat(_read(f"{tree.path('proc')}/{number}/stat"))[1][3]
    except (OSError, ValueError, IndexError):
        return None


def _numbers(folder: str) -> list[int]:
    try:
        return sorted(int(name) for name in os.listdir(folder) if name.isdecimal())  # noqa: PTH208  # names, not paths
    except OSError:
        return []


def _thread(folder: str, process: int, number: int) -> Thread:
    own = f"{folder}/{process}/task/{number}"
    name, (parent, session, flags, start) = _stat(_read(f"{own}/stat"))
    status = _read(f"{own}/status")
    uid = int(_field(status, "Uid").split()[0])
    affinity = _field(status, "Cpus_allowed_list")
    groups = ""
    with suppress(OSError):  # a kernel without control groups has no such file
        groups = _read(f"{own}/cgroup")
    return Thread(process, number, start, parent, session, uid, flags, name, frozenset(parse_cpus(affinity)), groups)


def _field(status: str, name: str) -> str:
    return status.partition(f"\n{name}:")[2].partition("\n")[0]


def _stat(text: str) -> tuple[str, tuple[int, int, int, int]]:
    """Return name; parent, session, flags and start. The name may contain spaces and brackets.

    Raises ProcessLookupError for one that has ended and was not waited for.
    """
    front, _, back = text.rpartition(")")
    fields = back.split()
    if fields[0] in _DEAD:
        raise ProcessLookupError
    return front.partition("(")[2], (int(fields[1]), int(fields[3]), int(fields[6]), int(fields[19]))


def _read(name: str) -> str:
    with open(name, "rb", buffering=0) as file:  # noqa: PTH123  # thousands of them
        return file.read().decode("utf-8", "replace")
