"""Isolates this host: moves everything that can be moved to the operating system's processors."""

import os
import time
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from banzuke.cpu_lists import format_cpus
from banzuke.errors import BanzukeError
from banzuke.isolation.control_groups import JOB, hierarchy
from banzuke.isolation.cores import cut, processors, split
from banzuke.isolation.journal import NAME, Begun, FileWas, Journal, abandon, boot_of, claim
from banzuke.isolation.kernel import KernelSetting, settings
from banzuke.isolation.moves import Moved, Mover, write
from banzuke.isolation.processes import Scope, Thread, chosen, start_of, threads
from banzuke.machine.tree import Tree


@dataclass(frozen=True)
class Left:
    """Something that stays on the job's processors, and why."""

    what: str
    why: str
    count: int = 1


@dataclass
class IsolationReport:
    system: list[int]
    job: list[int]
    scope: Scope
    group: str | None = None
    """Folder of the job's control group; None: the job is bound by affinity."""
    moved: Moved = field(default_factory=Moved)
    settings: Counter[str] = field(default_factory=Counter)
    """Number of changed settings, by kind."""
    left: list[Left] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    unrestored: list[str] = field(default_factory=list)
    """What could not be restored."""
    seconds: float = 0.0

    def document(self) -> dict[str, object]:
        """Return the document of `--json`: processors in the kernel's list format, times in seconds."""
        return {
            "os_cores": format_cpus(self.system),
            "job_cores": format_cpus(self.job),
            "processes": self.scope,
            "job_group": self.group,
            "moved": {
                "by_group": self.moved.by_group,
                "by_affinity": self.moved.by_affinity,
                "kernel_threads": self.moved.kernel,
                "confined_groups": self.moved.confined,
                **self.settings,
            },
            "left": [vars(item) for item in self.left],
            "warnings": self.warnings,
            "seconds": self.seconds,
        }


def begin(
    tree: Tree, folder: Path, *, os_cores: Sequence[int], scope: Scope, command: Sequence[str]
) -> tuple[Journal, IsolationReport]:
    """Return an empty journal and a report without moves. Raises BanzukeError; nothing is changed."""
    descriptor = claim(folder, tree)
    try:
        cpu = processors(tree)
        system, job = split(cpu, os_cores)
    except BanzukeError:
        abandon(folder, descriptor)
        raise
    report = IsolationReport(system, job, scope)
    if shared := cut(cpu, system):
        report.warnings.append(
            f"processors {format_cpus(shared)} share a core with one of the operating system's and feel its work; "
            f"name whole cores with --os-cores"
        )
    begun = Begun(
        boot=boot_of(tree),
        pid=os.getpid(),
        start=start_of(tree, os.getpid()) or 0,
        since=time.time(),
        command=list(command),
        scope=scope,
        uid=os.getuid(),
        session=session(tree),
        system=system,
        job=job,
        mark=uuid.uuid4().hex,
    )
    journal = Journal(folder / NAME, descriptor, begun)
    journal.begin()
    return journal, report


def session(tree: Tree) -> int:
    """Return the session whose processes `--processes session` moves: ours, or our parent's if we are alone in ours.

    A launcher such as `banzuke run` begins a session for each command, and the processes to move are in the session
    around it.
    """
    own = os.getsid(0)
    if own != os.getpid() or any(thread.session == own and thread.pid != own for thread in threads(tree)):
        return own
    try:
        return os.getsid(os.getppid())
    except ProcessLookupError:
        return own


def default_scope(asked: Scope | None) -> Scope:
    """Return the scope, by default the largest one permitted. Raises BanzukeError."""
    if asked == "all" and os.getuid():
        raise BanzukeError("--processes all needs root", remedy="Omit it: then only your own processes are moved")
    return asked or ("user" if os.getuid() else "all")


def isolate(tree: Tree, journal: Journal, report: IsolationReport) -> None:
    """Move everything. Raises BanzukeError if the journal cannot be written; it holds what has been done by then."""
    begun = time.monotonic()
    scope, who = journal.begun.scope, journal.begun
    if scope == "all":
        _apply(tree, journal, report, list(settings(tree, report.system, report.job)))
        report.warnings += balancers(tree) + blind(threads(tree))
    cgroups, why = hierarchy(tree) if os.getuid() == 0 else (None, "control groups need root")
    if not who.command:
        cgroups, why = None, ""  # later processes of the batch system must be able to leave the group again
    mover = Mover(tree, cgroups, report.system, report.job, journal.add)

    def now() -> list[Thread]:
        return chosen(list(threads(tree)), scope, uid=who.uid, session=who.session)

    report.moved = mover.move(now, everything=scope == "all")
    if cgroups and cgroups.takes_tasks(cgroups.own):
        report.group = mover.make_group(cgroups, cgroups.own, JOB, report.job)
    if why:
        report.warnings.append(f"processes are bound one by one, and may free themselves: {why}")
    if scope != "all":
        report.left.append(Left("everything else", f"--processes {scope}: the rest needs root and --processes all"))
    report.left += [Left(name, why, count) for (name, why), count in families(report.moved.left).most_common()]
    report.warnings += report.moved.problems
    report.seconds = time.monotonic() - begun


def _apply(tree: Tree, journal: Journal, report: IsolationReport, wanted: list[KernelSetting]) -> None:
    journal.add([FileWas(path=setting.path, old=setting.old, shown=setting.shown) for setting in wanted])
    for setting in wanted:
        if why := write(tree, setting.path, setting.new):
            report.left.append(Left(setting.name, why))
        else:
            report.settings[setting.kind] += 1


def blind(everything: Iterable[Thread]) -> list[str]:
    """Return a warning if a container hides threads."""
    if any(thread.kernel for thread in everything):
        return []
    return ["no kernel thread is seen: this is a container, and processes outside it are not moved"]


def balancers(tree: Tree) -> list[str]:
    """Return warnings about services that undo the isolation."""
    names = {tree.text(f"proc/{pid}/comm") for pid in tree.names("proc", r"\d+")}
    if "irqbalance" not in names:
        return []
    return [
        "irqbalance runs and moves interrupts back: stop it, or give it IRQBALANCE_BANNED_CPULIST of the job's cores"
    ]


def families(left: Mapping[tuple[str, str], int]) -> Counter[tuple[str, str]]:
    """Count by family: kworker/1:2-events and kworker/3:0H are both kworker."""
    families: Counter[tuple[str, str]] = Counter()
    for (name, why), count in left.items():
        families[name.partition("/")[0], why] += count
    return families
