"""Reports what isolation could do on this host. Nothing changes: trials write the old value back."""

import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from banzuke.cpu_lists import format_cpus, parse_cpus
from banzuke.isolation.control_groups import hierarchy
from banzuke.isolation.cores import processors, split
from banzuke.isolation.isolate import balancers, blind, families
from banzuke.isolation.kernel import INTERRUPTS, interrupt_name, settings
from banzuke.isolation.moves import write
from banzuke.isolation.processes import Thread, threads
from banzuke.machine.tree import Tree
from banzuke.units import count

_CPU = "sys/devices/system/cpu"
MOST_NAMED = 6
NOT_BUILT = "not built into this kernel (CONFIG_NO_HZ_FULL)"
UNSTEADY = "the clock may move more than the kernel disturbs: performance is steady"


@dataclass(frozen=True)
class CheckItem:
    """A part of isolation: its present state here, and the consequences."""

    name: str
    value: str
    note: str = ""


@dataclass
class Possible:
    system: list[int]
    job: list[int]
    lines: list[CheckItem] = field(default_factory=list)
    boot: str = ""
    """What to add to the kernel's command line; empty: nothing is missing."""

    def document(self) -> dict[str, object]:
        return {
            "os_cores": format_cpus(self.system),
            "job_cores": format_cpus(self.job),
            "findings": [vars(line) for line in self.lines],
            "kernel_command_line": self.boot,
        }


def check(tree: Tree, os_cores: Sequence[int]) -> Possible:
    """Check this host. Raises BanzukeError for processors that are not available."""
    cpu = processors(tree)
    system, job = split(cpu, os_cores)
    possible = Possible(system, job)
    everything = list(threads(tree))
    possible.lines += [_groups(tree), *_threads(everything, job)]
    possible.lines += [*_interrupts(tree, job), *_writable(tree, system, job)]
    possible.lines += [CheckItem("attention", "", warning) for warning in balancers(tree) + blind(everything)]
    possible.lines += _boot(tree, possible)
    return possible


def enumeration(names: Sequence[str]) -> str:
    """Return the first names, and how many more there are."""
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


def _groups(tree: Tree) -> CheckItem:
    cgroups, why = hierarchy(tree)
    if cgroups is None:
        return CheckItem("control groups", "not usable", f"{why}; processes are bound one by one")
    version = "version 2" if cgroups.unified else "version 1"
    if cgroups.takes_tasks(cgroups.own):
        return CheckItem("control groups", f"cpuset, {version}", f"{cgroups.mount}, writable")
    note = "our own group may have none below it: the job is bound by affinity, the groups beside it are confined"
    return CheckItem("control groups", f"cpuset, {version}", note)


def _threads(everything: list[Thread], job: list[int]) -> list[CheckItem]:
    mine = os.getuid()
    ordinary = [thread for thread in everything if not thread.kernel]
    kernel = [thread for thread in everything if thread.kernel and thread.affinity.intersection(job)]
    free = [thread for thread in kernel if not thread.bound]
    bound = families(Counter((thread.name, "") for thread in kernel if thread.bound))
    others = sum(thread.uid != mine for thread in ordinary) if mine else 0
    processes = len({thread.pid for thread in ordinary})
    note = f"{count(others, 'thread')} of other users, which only root can move" if others else ""
    return [
        CheckItem("processes", f"{processes} with {count(len(ordinary), 'thread')}", note),
        CheckItem("kernel threads that can be moved", str(len(free)), "needs root" if mine else ""),
        CheckItem(
            "kernel threads that cannot",
            str(sum(bound.values())),
            enumeration([f"{count} {name}" if count > 1 else name for (name, _), count in bound.most_common()]),
        ),
    ]


def _interrupts(tree: Tree, job: list[int]) -> list[CheckItem]:
    """Return which interrupts can be moved; only trying shows whether one refuses."""
    refusing: dict[str, list[str]] = {}
    movable = elsewhere = 0
    for number in tree.names(INTERRUPTS, r"\d+"):
        path = f"{INTERRUPTS}/{number}/smp_affinity_list"
        old = tree.text(path)
        if not set(parse_cpus(old or "")) & set(job):
            elsewhere += 1
        elif why := write(tree, path, old or ""):
            refusing.setdefault(why, []).append(interrupt_name(tree, number))
        else:
            movable += 1
    lines = [
        CheckItem("interrupts that can be moved", str(movable), f"{elsewhere} more are elsewhere" if elsewhere else "")
    ]
    lines += [
        CheckItem("interrupts that refuse", str(len(names)), f"{why}: {enumeration(names)}")
        for why, names in refusing.items()
    ]
    return lines


def _writable(tree: Tree, system: list[int], job: list[int]) -> list[CheckItem]:
    lines = []
    for setting in settings(tree, system, job):
        if not setting.path.endswith("smp_affinity_list"):
            note = f"would be {setting.new}" if os.access(tree.path(setting.path), os.W_OK) else "cannot be written"
            lines.append(CheckItem(setting.name, setting.old, note))
    return lines


def _boot(tree: Tree, possible: Possible) -> list[CheckItem]:
    """Return parameters that only a boot can set, and the state of the clock."""
    job = format_cpus(possible.job)
    options = dict(word.split("=", 1) for word in (tree.text("proc/cmdline") or "").split() if "=" in word)
    wanted = {
        "isolcpus": f"managed_irq,domain,{job}",
        "nohz_full": job,
        "rcu_nocbs": job,
        "irqaffinity": format_cpus(possible.system),
    }
    has = {
        "isolcpus": tree.text(f"{_CPU}/isolated") or _cpus_only(options.get("isolcpus", "")),
        "nohz_full": tree.text(f"{_CPU}/nohz_full") or options.get("nohz_full", ""),
        "rcu_nocbs": options.get("rcu_nocbs", ""),
        "irqaffinity": options.get("irqaffinity", ""),
    }
    built = tree.exists(f"{_CPU}/nohz_full")
    effects = {
        "isolcpus": "keeps the load balancer and managed interrupts away",
        "nohz_full": "stops the tick while one thread runs" if built else NOT_BUILT,
        "rcu_nocbs": "takes RCU's callbacks elsewhere",
        "irqaffinity": "where interrupts begin",
    }
    missing = []
    lines = []
    for name, value in wanted.items():
        now = has[name] if has[name] not in ("(null)", "none") else ""
        covered = set(parse_cpus(now)) >= set(possible.job if name != "irqaffinity" else possible.system)
        if not covered and (name != "nohz_full" or built):
            missing.append(f"{name}={value}")
        lines.append(CheckItem(f"boot parameter {name}", now or "not given", effects[name]))
    possible.boot = " ".join(missing)
    governors = {tree.text(f"{_CPU}/cpu{cpu}/cpufreq/scaling_governor") or "" for cpu in possible.job} - {""}
    clock = ", ".join(sorted(governors)) or "none"
    throttle = tree.integer("proc/sys/kernel/sched_rt_runtime_us")
    period = tree.integer("proc/sys/kernel/sched_rt_period_us") or 1000000
    lines.append(CheckItem("frequency governor", clock, "" if governors <= {"performance"} else UNSTEADY))
    if throttle is not None:
        allowed = "no limit" if throttle < 0 else f"{throttle / period:.0%} of the time"
        lines.append(CheckItem("real-time threads may run", allowed, "never changed; it holds with --realtime"))
    return lines


def _cpus_only(isolcpus: str) -> str:
    """Return `managed_irq,domain,1-3` without its flags."""
    return re.sub(r"^([a-z_]+,)+", "", isolcpus)
