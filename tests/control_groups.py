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
"""Period of the time limit, in microseconds."""
Files = Sequence[tuple[Path, str]]
"""Files and what to write into them, in this order."""


@dataclass(frozen=True)
class ControlGroup:
    """The folders of a group, by controller; with version 2 they are the same."""

    folders: dict[str, Path]
    unified: bool

    def join(self) -> str:
        """Return shell commands that put the shell into the group."""
        return "".join(f"echo $$ > {shlex.quote(str(f / 'cgroup.procs'))}\n" for f in set(self.folders.values()))

    def limit_time(self, processors: float) -> list[tuple[Path, str]]:
        """Return files to write in this order, which limit the time to that of so many processors."""
        folder, limit = self.folders["cpu"], f"{int(processors * PERIOD)}"
        if self.unified:
            return [(folder / "cpu.max", f"{limit} {PERIOD}")]
        return [(folder / "cpu.cfs_period_us", str(PERIOD)), (folder / "cpu.cfs_quota_us", limit)]

    def limit_memory(self, limit: int) -> list[tuple[Path, str]]:
        """Return files to write in this order; they limit memory and swap together, so that excess memory is not
        swapped.
        """
        folder = self.folders["memory"]
        if self.unified:
            return [(folder / "memory.swap.max", "0"), (folder / "memory.max", str(limit))]
        names = ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes")
        return [(folder / name, str(limit)) for name in names if (folder / name).is_file()]

    def most_memory(self) -> int | None:
        """Return the peak memory of the group in bytes; None if this kernel does not report it."""
        file = self.folders["memory"] / ("memory.peak" if self.unified else "memory.max_usage_in_bytes")
        return int(file.read_text()) if file.is_file() else None


def hierarchies(controllers: Collection[str]) -> dict[str, tuple[Path, bool]]:
    """Return the mount point of each available controller, and whether it is version 2."""
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
    """Enable controllers for subgroups, as version 2 requires; those that were off are off again afterwards."""
    control = root / "cgroup.subtree_control"
    for name in sorted(set(controllers) - set(control.read_text().split())):
        control.write_text(f"+{name}")
        undo.callback(control.write_text, f"-{name}")


def remove(folder: Path) -> None:
    """Remove a group after its last process is gone, which takes the kernel a moment after a kill."""
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
    """Yield a new group; at the end all that is in it is killed. Skips the test if none can be made."""
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
