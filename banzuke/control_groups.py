"""Finds the control groups of this process, and the smallest of the limits that they set.

Versions 1 and 2 may be mounted together. A limit holds for everything below the group that sets it, so the smallest one
counts, from our own group up to the mount point. Source: the kernel's Documentation/admin-guide, cgroup-v1 and
cgroup-v2.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

_MOUNTED = "sys/fs/cgroup"
UNLIMITED = 1 << 60
"""From this value on there is no limit: version 1 writes the largest multiple of the page size that fits a signed
64-bit number.
"""
_FILES = {"pids": ("pids.max", "pids.max"), "memory": ("memory.max", "memory.limit_in_bytes")}
"""Names of the limit's file in versions 2 and 1, by controller."""


def paths(text: str) -> dict[str, str]:
    """Return the group of each controller in the text of a /proc/PID/cgroup; that of version 2 has an empty name."""
    groups: dict[str, str] = {}
    for line in text.splitlines():
        number, _, rest = line.partition(":")
        controllers, separator, path = rest.partition(":")
        if number.isdecimal() and separator:
            groups.update(dict.fromkeys(controllers.split(","), path))
    return groups


def upwards(mount: str, root: str, path: str) -> list[str]:
    """Return the folders of the group `path` and the groups above it, through a mount that shows the hierarchy from
    `root`.
    """
    group = PurePosixPath(path)
    if ".." in group.parts:
        return [mount]
    relative = group.relative_to(root) if group.is_relative_to(root) else PurePosixPath()
    own = PurePosixPath(mount) / str(relative).lstrip("/")
    return [str(folder) for folder in (own, *own.parents) if folder.is_relative_to(mount)]


def least(controller: str, root: Path = Path("/")) -> tuple[str, int] | None:
    """Return the smallest limit that `pids` or `memory` sets for this process, and the name of its file; None: no
    limit.

    Looks where distributions mount control groups, and needs neither a process nor a thread for it.
    """
    limits = [
        (int(text), name)
        for folder in _folders(controller, root)
        for name in _FILES[controller]
        if (text := _text(folder / name).strip()).isdecimal() and int(text) < UNLIMITED
    ]
    return min(limits)[::-1] if limits else None


def refused(root: Path = Path("/")) -> bool:
    """Return whether a limit of the controller `pids` has kept a process or thread from starting; True if nothing
    counts it.

    Older kernels count it in the group of the process, newer ones in the group that sets the limit.
    """
    events = [text for folder in _folders("pids", root) if (text := _text(folder / "pids.events"))]
    return not events or any(int(count) for text in events for count in re.findall(r"^max (\d+)$", text, re.MULTILINE))


def _folders(controller: str, root: Path) -> Iterator[Path]:
    """Yield the process's groups in which the controller may be, as folders, from each mount point."""
    own = paths(_text(root / "proc/self/cgroup"))
    for mount, name in (("", ""), ("/unified", ""), (f"/{controller}", controller)):
        if name in own:
            yield from (root / folder for folder in upwards(f"{_MOUNTED}{mount}", "/", own[name]))


def _text(path: Path) -> str:
    """Return the file's text; empty if it cannot be read."""
    try:
        return os.fsdecode(path.read_bytes())
    except OSError:
        return ""
