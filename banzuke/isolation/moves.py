"""Moves other threads to the operating system's processors, in the most general way first.

1. Groups beside our own path through the hierarchy get the system's processors, so that whatever starts in them later
   stays there, too.
2. Threads in a group of that path are moved into a new group below it.
3. Whatever is still on the job's processors, including the kernel's own threads, is bound one by one.

Steps 1 and 2 need a writable hierarchy; step 1 is for `all` only.
"""

import errno
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

from banzuke.cpu_lists import format_cpus
from banzuke.isolation.control_groups import SYSTEM, Hierarchy, subtree
from banzuke.isolation.journal import ControllerWasOff, Entry, FileWas, GroupMade, ThreadWas
from banzuke.isolation.processes import Thread
from banzuke.machine.tree import Tree

_PASSES = 5
"""Passes over all threads: threads that were not moved yet may start new ones, but rarely for many generations."""
Note = Callable[[Iterable[Entry]], None]
"""Writes to the journal what is about to be changed."""


@dataclass
class Moved:
    by_group: int = 0
    unit: str = "thread"
    """What `by_group` counts; version 2 moves whole processes."""
    by_affinity: int = 0
    kernel: int = 0
    confined: list[str] = field(default_factory=list)
    """Groups that were given the system's processors."""
    left: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Number of threads that stay, by the name of their process and the reason."""
    problems: list[str] = field(default_factory=list)


class Mover:
    def __init__(
        self, tree: Tree, cgroups: Hierarchy | None, system: Collection[int], job: Collection[int], note: Note
    ) -> None:
        self.tree, self.hierarchy, self.note = tree, cgroups, note
        self.system, self.job = frozenset(system), frozenset(job)
        self.moved = Moved(unit="process" if cgroups and cgroups.unified else "thread")
        self._recorded: set[tuple[int, int]] = set()
        self._fresh: set[str] = set()
        """Groups whose children have the controller from us; switching it off restores them."""

    def move(self, chosen: Callable[[], list[Thread]], *, everything: bool) -> Moved:
        """Move threads. `chosen`: returns those to move, as they are now; `everything`: also confine groups."""
        first = chosen()
        self._record(first)
        if self.hierarchy:
            if everything:
                for folder in self.hierarchy.path:
                    self._confine_beside(self.hierarchy, folder)
            self._collect(self.hierarchy, [thread for thread in first if not thread.kernel])
        refused: dict[tuple[int, int], tuple[str, str]] = {}
        for _ in range(_PASSES):
            rest = [thread for thread in chosen() if thread.affinity & self.job]
            rest = [thread for thread in rest if (thread.tid, thread.start) not in refused]
            if not rest:
                break
            self._record(rest)
            for thread in rest:
                if why := self._bind(thread):
                    refused[thread.tid, thread.start] = (thread.name, why)
        self.moved.left.update(refused.values())
        return self.moved

    def _record(self, threads: list[Thread]) -> None:
        widths: dict[str | None, frozenset[int]] = {
            None: frozenset(self.tree.cpus("sys/devices/system/cpu/online")) or self.system | self.job
        }
        new = []
        for thread in threads:
            if (thread.tid, thread.start) in self._recorded or thread.bound or not thread.affinity:
                continue
            self._recorded.add((thread.tid, thread.start))
            folder = self.hierarchy.folder(thread.groups) if self.hierarchy else None
            if self.hierarchy and folder and folder not in widths:
                widths[folder] = self.hierarchy.cpus(folder)
            new.append(
                ThreadWas(
                    pid=thread.pid,
                    tid=thread.tid,
                    start=thread.start,
                    affinity=sorted(thread.affinity),
                    wide=thread.affinity >= widths[folder],
                )
            )
        self.note(new)

    def _bind(self, thread: Thread) -> str:
        """Bind a thread and return why it could not be done; empty also if the thread has ended."""
        if thread.bound:
            return "bound to its processors by the kernel"
        try:
            os.sched_setaffinity(thread.tid, thread.affinity & self.system or self.system)
        except ProcessLookupError:
            return ""
        except OSError as error:
            if error.errno == errno.EINVAL:
                return "its control group has none of the operating system's processors"
            return error.strerror or str(error)
        if thread.kernel:
            self.moved.kernel += 1
        else:
            self.moved.by_affinity += 1
        return ""

    def _enable(self, cgroups: Hierarchy, folder: str) -> bool:
        """Enable processors of their own for groups below `folder`, and return whether that is possible."""
        control = f"{folder}/cgroup.subtree_control"
        if not cgroups.unified or "cpuset" in (self.tree.text(control) or "").split():
            return True
        self.note([ControllerWasOff(path=control)])
        if why := write(self.tree, control, "+cpuset"):
            self.moved.problems.append(f"groups below {folder} cannot be confined: {why}")
            return False
        self._fresh.add(folder)
        return True

    def make_group(self, cgroups: Hierarchy, parent: str, name: str, cpus: Collection[int]) -> str | None:
        """Make a group for `cpus` below `parent`; None, with a problem reported, if that is impossible."""
        folder = f"{parent}/{name}"
        if self.tree.exists(folder):  # restoring would end what is in it
            self.moved.problems.append(f"cannot make {folder}: it exists; remove it if nobody uses it")
            return None
        if not self._enable(cgroups, parent):
            return None
        self.note([GroupMade(path=folder)])
        try:
            self.tree.path(folder).mkdir()
        except OSError as error:
            self.moved.problems.append(f"cannot make {folder}: {error.strerror}")
            return None
        values = {"cpuset.cpus": format_cpus(sorted(cpus))}
        if not cgroups.unified:  # a new group has no memory, either
            values["cpuset.mems"] = self.tree.text(f"{parent}/cpuset.mems") or ""
        for file, value in values.items():
            if why := write(self.tree, f"{folder}/{file}", value):
                self.moved.problems.append(f"cannot use {folder}: {why}")
                return None
        return folder

    def _confine_beside(self, cgroups: Hierarchy, folder: str) -> None:
        """Give the system's processors to the groups in `folder` that are not ours."""
        others = [child for child in cgroups.children(folder) if child not in cgroups.path]
        others = [child for child in others if cgroups.cpus(child) & self.job]
        if not others or not self._enable(cgroups, folder):
            return
        for child in others:
            if not cgroups.unified:
                changes = self._nested(cgroups, child)
            elif folder in self._fresh or self.tree.text(f"{child}/cpuset.cpus"):
                changes = [(child, cgroups.cpus(child) & self.system or self.system)]
            else:  # while processes are in it, the kernel would not accept the empty list again
                self.moved.problems.append(f"what starts in {child} later is not confined: it has no cpuset.cpus")
                continue
            if all(self._set_cpus(group, cpus, fresh=folder in self._fresh) for group, cpus in changes):
                self.moved.confined.append(child)

    def _nested(self, cgroups: Hierarchy, top: str) -> list[tuple[str, frozenset[int]]]:
        """Return the changes of a group in version 1, where a group must be within the one above.

        Groups are widened from the top down where needed, then narrowed from below.
        """
        wanted: dict[str, frozenset[int]] = {}
        widen = []
        for folder in subtree(cgroups, top):
            own = frozenset(self.tree.cpus(f"{folder}/cpuset.cpus"))
            if own:
                above = wanted.get(folder.rpartition("/")[0], self.system)
                wanted[folder] = own & above or above
                if not wanted[folder] <= own:
                    widen.append((folder, own | wanted[folder]))
        return widen + list(reversed(wanted.items()))

    def _set_cpus(self, folder: str, cpus: frozenset[int], *, fresh: bool) -> bool:
        path = f"{folder}/cpuset.cpus"
        old = self.tree.text(path) or ""
        new = format_cpus(sorted(cpus))
        if old == new:
            return True
        if not fresh:
            self.note([FileWas(path=path, old=old)])
        why = write(self.tree, path, new)
        if why:
            self.moved.problems.append(f"cannot confine {folder}: {why}")
        return not why

    def _collect(self, cgroups: Hierarchy, threads: list[Thread]) -> None:
        """Move the threads of each group on our path into a group of their own below it."""
        for folder in cgroups.path:
            if not cgroups.takes_tasks(folder):
                continue
            inside = [thread for thread in threads if cgroups.folder(thread.groups) == folder]
            inside = [thread for thread in inside if thread.affinity & self.job]
            group = self.make_group(cgroups, folder, SYSTEM, self.system) if inside else None
            for number in sorted({thread.pid if cgroups.unified else thread.tid for thread in inside} if group else ()):
                if not write(self.tree, f"{group}/{cgroups.list_name}", str(number)):
                    self.moved.by_group += 1


def write(tree: Tree, path: str, value: str) -> str:
    """Write a value and return why it could not be done, or "".

    An empty value is written as a newline, because writing nothing has no effect.
    """
    try:
        descriptor = os.open(tree.path(path), os.O_WRONLY | os.O_TRUNC)  # as a shell does
        try:
            os.write(descriptor, (value or "\n").encode())
        finally:
            os.close(descriptor)
    except OSError as error:
        return error.strerror or str(error)
    return ""
