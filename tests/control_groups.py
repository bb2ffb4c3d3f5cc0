"""Control groups of the kernel, as batch systems make them for jobs."""

import contextlib
import os
import secrets
import shlex
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from banzuke.machine.mounts import mounts
from banzuke.machine.tree import Tree

PERIOD = 100_000
"""Microseconds."""
Files = Sequence[tuple[Path, str]]
"""What to write into them, in this order."""


@dataclass(frozen=True)
class ControlGroup:
    """Folders of the group, by controller; with version 2 they are the same."""

    folders: dict[str, Path]
    unified: bool

    def join(self) -> str:
        """Shell commands that put the shell into the group."""
        return "".join(f"echo $$ > {shlex.quote(str(f / 'cgroup.procs'))}\n" for f in set(self.folders.values()))

    def limit_time(self, processors: float) -> list[tuple[Path, str]]:
        """Files to write in this order: the time of so many processors."""
        folder, limit = self.folders["cpu"], f"{int(processors * PERIOD)}"
        if self.unified:
            return [(folder / "cpu.max", f"{limit} {PERIOD}")]
        return [(folder / "cpu.cfs_period_us", str(PERIOD)), (folder / "cpu.cfs_quota_us", limit)]

    def limit_memory(self, limit: int) -> list[tuple[Path, str]]:
        """Files to write in this order; memory and swap together, so that what is over the limit is not swapped."""
        folder = self.folders["memory"]
        if self.unified:
            return [(folder / "memory.swap.max", "0"), (folder / "memory.max", str(limit))]
        names = ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes")
        return [(folder / name, str(limit)) for name in names if (folder / name).is_file()]

    def most_memory(self) -> int | None:
        """Bytes that the group held at most; None: this kernel does not tell."""
        file = self.folders["memory"] / ("memory.peak" if self.unified else "memory.max_usage_in_bytes")
        return int(file.read_text()) if file.is_file() else None


def hierarchies(controllers: Collection[str]) -> dict[str, tuple[Path, bool]]:
    """Where each controller can be had: its mount point, and whether that is version 2."""
    places: dict[str, tuple[Path, bool]] = {}
    for mount in mounts(Tree(Path("/"))):
        folder = Path(mount.mount)
        if mount.kind == "cgroup2":
            offered = (folder / "cgroup.controllers").read_text().split()
            places |= {name: (folder, True) for name in controllers if name in offered}
        elif mount.kind == "cgroup":
            places |= {name: (folder, False) for name in controllers if name in mount.super_options}
    return places


def enable(root: Path, controllers: Collection[str], undo: contextlib.ExitStack) -> None:
    """Version 2 hands a controller down only where the parent says so; what was off is off again afterwards."""
    control = root / "cgroup.subtree_control"
    for name in sorted(set(controllers) - set(control.read_text().split())):
        control.write_text(f"+{name}")
        undo.callback(control.write_text, f"-{name}")


def remove(folder: Path) -> None:
    """A group can be removed when its last process is gone, which takes the kernel a moment after a kill."""
    for _ in range(100):
        for process in (folder / "cgroup.procs").read_text().split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(process), 9)
        try:
            folder.rmdir()
        except OSError:
            time.sleep(0.05)
        else:
            return
    pytest.fail(f"cannot remove {folder}")


@contextlib.contextmanager
def control_group(controllers: Collection[str], settings: Callable[[ControlGroup], Files]) -> Iterator[ControlGroup]:
    """A new one until the end, when all that is in it is killed. Skips the test where none can be made."""
    places = hierarchies(controllers)
    if missing := sorted(set(controllers) - places.keys()):
        pytest.skip(f"hardware: no control groups for {', '.join(missing)} here")
    if len({unified for _, unified in places.values()}) != 1:
        pytest.skip("hardware: controllers are divided between versions 1 and 2 of control groups")
    with contextlib.ExitStack() as undo:
        own = f"banzuke-test-{os.getpid()}-{secrets.token_hex(2)}"
        folders = {name: root / own for name, (root, _) in places.items()}
        root, unified = next(iter(places.values()))
        made = ControlGroup(folders, unified)
        try:
            if unified:
                enable(root, controllers, undo)
            for folder in set(folders.values()):
                folder.mkdir()
                undo.callback(remove, folder)
            for file, value in settings(made):
                file.write_text(value)
        except OSError as error:
            pytest.skip(f"hardware: control groups cannot be made here: {error}")
        yield made
