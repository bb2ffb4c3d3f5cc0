"""The hierarchy of control groups that can bind processes to processors: the cpuset controller, version 1 or 2.

Source: the kernel's Documentation/admin-guide, cgroup-v1/cpusets and cgroup-v2.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath

from banzuke.machine.mounts import mounts
from banzuke.machine.tree import Tree

SYSTEM, JOB = "banzuke-os", "banzuke-job"
"""Names of the groups that are made."""


@dataclass(frozen=True)
class Hierarchy:
    tree: Tree
    unified: bool
    mount: str
    root: str
    """The part of the hierarchy that the mount shows."""
    own: str
    """Folder of this process's group."""

    @property
    def path(self) -> list[str]:
        """Folders from the mount down to our own."""
        return self.down_to(self.own)

    def down_to(self, folder: str) -> list[str]:
        below = PurePosixPath(folder).relative_to(self.mount).parts
        return [str(PurePosixPath(self.mount, *below[:depth])) for depth in range(len(below) + 1)]

    @property
    def list_name(self) -> str:
        """The file that takes what is moved: single threads in version 1, whole processes in version 2."""
        return "cgroup.procs" if self.unified else "tasks"

    def folder(self, groups: str) -> str | None:
        """Return the folder for the content of a thread's `cgroup` file; None: not visible from here."""
        return _folder(groups, self.mount, self.root, unified=self.unified)

    def children(self, folder: str) -> list[str]:
        return [f"{folder}/{name}" for name in self.tree.names(folder) if self.tree.path(f"{folder}/{name}").is_dir()]

    def cpus(self, folder: str) -> frozenset[int]:
        """Return the effective processors of a group: its own, or those of the nearest group above that names any."""
        names = ("cpuset.cpus.effective",) if self.unified else ("cpuset.effective_cpus", "cpuset.cpus")
        for group in reversed(self.down_to(folder)):
            for name in names:
                if cpus := self.tree.cpus(f"{group}/{name}"):
                    return frozenset(cpus)
        return frozenset()

    def takes_tasks(self, folder: str) -> bool:
        """Return whether a group below `folder` may take tasks out of it; version 2 permits that only at the root."""
        return not self.unified or (folder == self.mount and not self._upper)

    @property
    def _upper(self) -> bool:
        """Whether the mount's top is an ordinary group, as in a container; the true root has no `cgroup.type`."""
        return self.tree.exists(f"{self.mount}/cgroup.type")


def hierarchy(tree: Tree) -> tuple[Hierarchy | None, str]:
    """Return the writable hierarchy with the cpuset controller, or why there is none."""
    why = "no control groups with the cpuset controller are mounted"
    own = tree.text("proc/self/cgroup") or ""
    for mount in mounts(tree):
        unified = mount.kind == "cgroup2"
        if not (unified or (mount.kind == "cgroup" and "cpuset" in mount.super_options)):
            continue
        offered = "cpuset" in (tree.text(f"{mount.mount}/cgroup.controllers") or "").split()
        if not (offered if unified else tree.exists(f"{mount.mount}/cpuset.cpus")):
            continue
        folder = _folder(own, mount.mount, mount.root, unified=unified)
        if folder is None or not tree.path(folder).is_dir():
            why = f"the control groups under {mount.mount} do not show the one of this process"
        elif not os.access(tree.path(f"{mount.mount}/cgroup.procs"), os.W_OK):
            why = f"the control groups under {mount.mount} may not be written"
        else:
            return Hierarchy(tree, unified, mount.mount, mount.root, folder), ""
    return None, why


@cache  # thousands of threads are in a few groups
def _folder(groups: str, mount: str, root: str, *, unified: bool) -> str | None:
    for line in groups.splitlines():
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if (number == "0" and not controllers) if unified else "cpuset" in controllers.split(","):
            group = PurePosixPath(path)
            if ".." in group.parts or not group.is_relative_to(root):
                return None
            return str(PurePosixPath(mount) / group.relative_to(root))
    return None


def subtree(cgroups: Hierarchy, folder: str) -> Iterator[str]:
    """Yield the group and all below it, from the top down."""
    yield folder
    for child in cgroups.children(folder):
        yield from subtree(cgroups, child)
