"""Mounted file systems: /proc/self/mountinfo (proc(5)) and their space."""

import os
import re
from dataclasses import dataclass

from banzuke.machine.model import FileSystem
from banzuke.machine.tree import Tree

_PSEUDO = {
    "autofs", "binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs", "cpuset", "debugfs", "devpts",
    "devtmpfs", "efivarfs", "fusectl", "hugetlbfs", "mqueue", "nsfs", "proc", "pstore", "rpc_pipefs",
    "securityfs", "selinuxfs", "squashfs", "sysfs", "tracefs", "ramfs", "fuse.lxcfs", "fuse.gvfsd-fuse",
    "fuse.portal", "nfsd", "resctrl",
}  # fmt: skip
_SMALLEST = 1 << 20
"""Bytes; a smaller file system is a marker that somebody mounted, not storage."""


@dataclass(frozen=True)
class Mount:
    mount: str
    root: str
    kind: str
    source: str
    super_options: tuple[str, ...]


def parse_mountinfo(text: str) -> list[Mount]:
    """Mounts in the order of mounting; lines that do not follow the format are left out."""
    found = []
    for line in text.splitlines():
        before, separator, after = line.partition(" - ")
        front, back = before.split(" "), after.split(" ")
        if not separator or len(front) < 6 or len(back) < 2:
            continue
        options = tuple(back[2].split(",")) if len(back) > 2 else ()
        found.append(Mount(unescape(front[4]), unescape(front[3]), back[0], unescape(back[1]), options))
    return found


def unescape(field: str) -> str:
    """The kernel writes space, tab, newline and backslash as three octal digits."""
    return re.sub(r"\\([0-3][0-7]{2})", lambda match: chr(int(match[1], 8)), field)


def mounts(tree: Tree) -> list[Mount]:
    return parse_mountinfo(tree.text("proc/self/mountinfo") or "")


def filesystems(tree: Tree) -> list[FileSystem]:
    """Real file systems, the topmost of each mount point, bind mounts and read-only images left out."""
    topmost = {mount.mount: mount for mount in mounts(tree)}
    found = []
    for mount in topmost.values():
        if mount.kind in _PSEUDO or mount.root != "/" or mount.mount.startswith(("/proc/", "/sys/")):
            continue
        try:
            space = os.statvfs(tree.path(mount.mount))
        except OSError:
            continue
        total, free = space.f_blocks * space.f_frsize, space.f_bavail * space.f_frsize
        if total >= _SMALLEST:
            found.append(
                FileSystem(mount=mount.mount, kind=mount.kind, source=mount.source, total=total, free=free)
            )
    return found
