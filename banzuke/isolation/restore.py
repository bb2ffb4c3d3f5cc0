"""Undoes what a journal holds: the last change first, and every thread's own processors at the end.

Those come last, because moving a thread between groups, or changing its group, may change them.
"""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from banzuke.cpu_lists import format_cpus, parse_cpus
from banzuke.errors import BanzukeError
from banzuke.isolation.journal import Begun, ControllerWasOff, Entry, FileWas, GroupMade, Journal, ThreadWas
from banzuke.isolation.marked import bearers, bears, kill
from banzuke.isolation.moves import write
from banzuke.isolation.processes import Thread, chosen, start_of, threads
from banzuke.machine.tree import Tree

MARK = "BANZUKE_ISOLATED"
"""Variable that all processes of the job have."""
_ANCESTORS = 64
_MOST_PROCESSORS = 8192
"""Most processors that Linux is built for; the kernel uses those that the thread's group has."""
_PATIENCE = 2.0
"""Seconds within which a group becomes empty after its last process was killed."""


@dataclass
class _Undo:
    tree: Tree
    begun: Begun
    records: dict[int, ThreadWas]
    online: frozenset[int]
    now: dict[int, Thread] = field(default_factory=dict)
    """Threads by number, as they were when last read."""

    def look(self) -> None:
        self.now = {thread.tid: thread for thread in threads(self.tree)}

    def record(self, number: int) -> ThreadWas | None:
        """Return the record of the thread, else that of its process, else that of the nearest ancestor."""
        for _ in range(_ANCESTORS):
            thread = self.now.get(number)
            if thread is None:
                return None
            for candidate in (thread, self.now.get(thread.pid)):
                record = self.records.get(candidate.tid) if candidate else None
                if candidate and record and record.start == candidate.start:
                    return record
            number = thread.parent
        return None

    def undo(self, entry: Entry) -> str:
        """Undo an entry and return what could not be restored, or ""."""
        match entry:
            case FileWas():
                return self._file(entry)
            case ControllerWasOff():
                return self._controller(entry)
            case GroupMade():
                return self._group(entry)
            case ThreadWas():
                return self._thread(entry)

    def _file(self, entry: FileWas) -> str:
        shown = entry.shown or entry.path
        if not self.tree.exists(entry.path) or (self.tree.text(shown) or "") == entry.old:
            return ""
        why = write(self.tree, entry.path, entry.old)
        kept = sorted(self.online.intersection(parse_cpus(entry.old))) if entry.path.endswith("/cpuset.cpus") else []
        if why and kept:  # version 1 accepts no list with processors that went offline
            write(self.tree, entry.path, format_cpus(kept))
        current = self.tree.text(shown) or ""
        if current == entry.old:
            return ""
        return f"/{entry.path.lstrip('/')} holds {current!r} instead of {entry.old!r}" + (f" ({why})" if why else "")

    def _controller(self, entry: ControllerWasOff) -> str:
        if "cpuset" not in (self.tree.text(entry.path) or "").split():
            return ""
        why = write(self.tree, entry.path, "-cpuset")
        return f"{entry.path} still has cpuset ({why})" if why else ""

    def _group(self, entry: GroupMade) -> str:
        """Remove a group; everything in it came from the group above, or is a child of such a process."""
        folder = self.tree.path(entry.path)
        above = entry.path.rpartition("/")[0]
        name = "tasks" if self.tree.exists(f"{entry.path}/tasks") else "cgroup.procs"
        until = time.monotonic() + _PATIENCE
        while folder.is_dir():
            problem = ""
            for number in members(self.tree, f"{entry.path}/{name}"):
                if why := write(self.tree, f"{above}/{name}", str(number)):
                    problem = f"process {number} stays in {entry.path} ({why})"
            try:
                folder.rmdir()
            except OSError as error:
                if time.monotonic() > until:
                    return problem or f"{entry.path} cannot be removed ({error.strerror})"
                time.sleep(0.01)
        return ""

    def _thread(self, entry: ThreadWas) -> str:
        if start_of(self.tree, entry.tid) != entry.start:
            return ""
        name = self.now[entry.tid].name if entry.tid in self.now else "?"
        problem = bind(entry.tid, name, entry.affinity, wide=entry.wide, online=self.online)
        gone = {*self.begun.system, *self.begun.job}.intersection(entry.affinity) - self.online
        if not problem and gone:
            problem = f"processor {format_cpus(sorted(gone))} is offline, and threads that had it run without it"
        if problem and start_of(self.tree, entry.tid) != entry.start:  # it has ended meanwhile
            return ""
        return problem

    def born_meanwhile(self) -> list[str]:
        """Free the threads that inherited the system's or the job's processors from threads that were bound."""
        ours = (frozenset(self.begun.system), frozenset(self.begun.job))
        who = self.begun
        mine = {thread.tid for thread in chosen(list(self.now.values()), who.scope, uid=who.uid, session=who.session)}
        problems = []
        for thread in self.now.values():
            record = self.records.get(thread.tid)
            if (record and record.start == thread.start) or thread.start < self.begun.start:
                continue
            if thread.bound or thread.affinity not in ours:
                continue
            if thread.tid not in mine and not bears(self.tree, thread.pid, [_mark(who)]):
                continue
            parent = self.record(thread.tid)
            affinity = parent.affinity if parent else sorted(self.online)
            wide = parent.wide if parent else True
            problems.append(bind(thread.tid, thread.name, affinity, wide=wide, online=self.online))
        return [problem for problem in problems if problem]


def restore(tree: Tree, journal: Journal, *, last: bool = False) -> list[str]:
    """Restore everything and return what failed; the journal keeps that for another try, unless this is the `last`."""
    entries = journal.entries
    records = {entry.tid: entry for entry in entries if isinstance(entry, ThreadWas)}
    work = _Undo(tree, journal.begun, records, frozenset(tree.cpus("sys/devices/system/cpu/online")))
    problems: list[str] = []
    failed: list[Entry] = []
    changed = [entry for entry in reversed(entries) if not isinstance(entry, ThreadWas)]
    for entry in changed:
        _note(work.undo, entry, problems, failed)
    work.look()
    for record in records.values():
        _note(work.undo, record, problems, failed)
    problems += work.born_meanwhile()
    # Trying a group again may move every thread again.
    changes: list[Entry] = [entry for entry in reversed(failed) if not isinstance(entry, ThreadWas)]
    try:
        journal.keep([] if last or not failed else [*changes, *records.values()])
    except (BanzukeError, OSError) as error:
        problems.append(str(error))
    return problems


def _note(undo: Callable[[Entry], str], entry: Entry, problems: list[str], failed: list[Entry]) -> None:
    if problem := undo(entry):
        problems += [problem] if problem not in problems else []
        failed.append(entry)


def bind(number: int, name: str, affinity: list[int], *, wide: bool, online: frozenset[int]) -> str:
    """Restore a thread's processors; one that had all processors of its group gets all again, and follows the group."""
    wanted = online.intersection(affinity) or frozenset(affinity)
    try:
        if os.sched_getaffinity(number) == wanted:
            return ""
        os.sched_setaffinity(number, range(_MOST_PROCESSORS) if wide else wanted)
        if os.sched_getaffinity(number) == wanted:
            return ""
        os.sched_setaffinity(number, wanted)
        actual = os.sched_getaffinity(number)
    except ProcessLookupError:
        return ""
    except OSError as error:
        return f"thread {number} ({name}) is not bound to {format_cpus(affinity)} again: {error.strerror}"
    if actual == wanted:
        return ""
    return f"thread {number} ({name}) is bound to {format_cpus(sorted(actual))} instead of {format_cpus(affinity)}"


def end_job(tree: Tree, begun: Begun, group: str | None) -> None:
    """Kill the rest of the job: by its group, and by its mark if it has left the group or there is none."""

    def inside() -> set[int]:
        processes = set(members(tree, f"{group}/cgroup.procs")) if group else set()
        return (processes | bearers(tree, [_mark(begun)])) - {1, os.getpid()}

    kill(inside, _PATIENCE)


def _mark(begun: Begun) -> str:
    return f"{MARK}={begun.mark}"


def members(tree: Tree, path: str) -> list[int]:
    """Return the numbers in a group's list.

    A process outside our namespace is listed as 0, which kill(2) would take for our whole process group.
    """
    return [int(word) for word in (tree.text(path) or "").split() if word.isdecimal() and int(word)]
