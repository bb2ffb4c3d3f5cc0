"""Finds what control groups leave to this process: processors, processor time and memory.

The effective limit is the smallest one from our own group up to the mount point: see `control_groups`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from banzuke.control_groups import UNLIMITED, paths, upwards
from banzuke.machine.mounts import mounts
from banzuke.machine.tree import Tree, whole


@dataclass(frozen=True)
class Limits:
    cpus: list[int] | None = None
    quota: float | None = None
    memory: int | None = None
    memory_left: int | None = None


@dataclass(frozen=True)
class _ControlGroup:
    controllers: frozenset[str]
    unified: bool
    folders: list[str]
    """Folders from the group of this process up to the mount point."""


def limits(tree: Tree) -> Limits:
    """Return the limits of this process; None where there is no limit. Quota in processors, memory in bytes."""
    cpus: list[int] | None = None
    quotas: list[float] = []
    memory: list[int] = []
    left: list[int] = []
    for group in _groups(tree):
        if group.unified or "cpuset" in group.controllers:
            cpus = _narrower(cpus, _cpuset(tree, group))
        for folder in group.folders:
            if group.unified or "cpu" in group.controllers:
                quotas += _quota(tree, folder, unified=group.unified)
            if group.unified or "memory" in group.controllers:
                for limit, used in _memory(tree, folder, unified=group.unified):
                    memory.append(limit)
                    left.append(max(0, limit - used))
    return Limits(cpus, min(quotas, default=None), min(memory, default=None), min(left, default=None))


def _groups(tree: Tree) -> Iterator[_ControlGroup]:
    own_paths = paths(tree.text("proc/self/cgroup") or "")
    for mount in mounts(tree):
        if mount.kind == "cgroup2" and "" in own_paths:
            yield _ControlGroup(frozenset(), True, upwards(mount.mount, mount.root, own_paths[""]))
        elif mount.kind == "cgroup":
            own = frozenset(mount.super_options) & own_paths.keys()
            if own:
                yield _ControlGroup(own, False, upwards(mount.mount, mount.root, own_paths[min(own)]))


def _narrower(a: list[int] | None, b: list[int] | None) -> list[int] | None:
    if a is None or b is None:
        return a if b is None else b
    return sorted(set(a) & set(b))


def _cpuset(tree: Tree, group: _ControlGroup) -> list[int] | None:
    names = ("cpuset.cpus.effective", "cpuset.effective_cpus", "cpuset.cpus")
    for folder in group.folders:
        for name in names:
            if cpus := tree.cpus(f"{folder}/{name}"):
                return cpus
    return None


def _quota(tree: Tree, folder: str, *, unified: bool) -> list[float]:
    if unified:
        quota, _, period = (tree.text(f"{folder}/cpu.max") or "").partition(" ")
    else:
        quota = tree.text(f"{folder}/cpu.cfs_quota_us") or ""
        period = tree.text(f"{folder}/cpu.cfs_period_us") or ""
    time, interval = whole(quota), whole(period)
    return [time / interval] if time and interval and time / interval > 0 else []


def _memory(tree: Tree, folder: str, *, unified: bool) -> list[tuple[int, int]]:
    """Return (limit, bytes in use that cannot be reclaimed), or nothing."""
    limit = tree.integer(f"{folder}/{'memory.max' if unified else 'memory.limit_in_bytes'}")
    if limit is None or not 0 < limit < UNLIMITED:
        return []
    used = tree.integer(f"{folder}/{'memory.current' if unified else 'memory.usage_in_bytes'}") or 0
    key = "inactive_file" if unified else "total_inactive_file"
    for line in (tree.text(f"{folder}/memory.stat") or "").splitlines():
        name, _, value = line.partition(" ")
        if name == key and value.isdecimal():
            used -= whole(value) or 0
    return [(limit, max(0, used))]


def throttled_seconds(tree: Tree) -> float | None:
    """Return the seconds for which a quota has stopped our own group since it was created; None: not accounted."""
    for group in _groups(tree):
        if not (group.unified or "cpu" in group.controllers):
            continue
        text = tree.text(f"{group.folders[0]}/cpu.stat") or ""
        values = dict(line.split(maxsplit=1) for line in text.splitlines() if " " in line)
        for name, per_second in (("throttled_usec", 1e6), ("throttled_time", 1e9)):  # versions 2 and 1
            if (spent := whole(values.get(name))) is not None and spent >= 0:
                return spent / per_second
    return None
