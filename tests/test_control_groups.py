"""Limits that the kernel enforces on the installed command: control groups and affinity, as batch systems set them."""

import contextlib
import json
import os
import shlex
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from banzuke.machine.mounts import mounts
from banzuke.machine.tree import Tree
from tests.conftest import SCRIPTS, Banzuke, Result

MEMORY = 2 << 30
LOWERED = 320 << 20
QUOTA = 1.5
PERIOD = 100_000
CONTROLLERS = ("memory", "cpu", "cpuset")
PROCESSOR = max(os.sched_getaffinity(0))
"""The processor that a group is given: the last one, so that it is not the one that everything starts on."""


@dataclass(frozen=True)
class ControlGroup:
    """Folders of the group, by controller; with version 2 they are the same."""

    folders: dict[str, Path]
    unified: bool

    def join(self) -> str:
        """Shell commands that put the shell into the group."""
        return "".join(f"echo $$ > {shlex.quote(str(f / 'cgroup.procs'))}\n" for f in set(self.folders.values()))

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


def hierarchies() -> dict[str, tuple[Path, bool]]:
    """Where each controller can be had: its mount point, and whether that is version 2."""
    found: dict[str, tuple[Path, bool]] = {}
    for mount in mounts(Tree(Path("/"))):
        folder = Path(mount.mount)
        if mount.kind == "cgroup2":
            given = (folder / "cgroup.controllers").read_text().split()
            found |= {name: (folder, True) for name in CONTROLLERS if name in given}
        elif mount.kind == "cgroup":
            found |= {name: (folder, False) for name in CONTROLLERS if name in mount.super_options}
    return found


def enable(root: Path, undo: contextlib.ExitStack) -> None:
    """Version 2 hands a controller down only where the parent says so; what was off is off again afterwards."""
    control = root / "cgroup.subtree_control"
    for name in sorted(set(CONTROLLERS) - set(control.read_text().split())):
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


@pytest.fixture
def group() -> Iterator[ControlGroup]:
    """A group with 2 GiB, one and a half processors' time, and one processor."""
    found = hierarchies()
    if missing := sorted(set(CONTROLLERS) - found.keys()):
        pytest.skip(f"hardware: no control groups for {', '.join(missing)} here")
    if len({unified for _, unified in found.values()}) != 1:
        pytest.skip("hardware: controllers are divided between versions 1 and 2 of control groups")
    unified = found["memory"][1]
    with contextlib.ExitStack() as undo:
        folders = {name: root / f"banzuke-test-{os.getpid()}" for name, (root, _) in found.items()}
        made = ControlGroup(folders, unified)
        try:
            if unified:
                enable(found["memory"][0], undo)
            for folder in set(folders.values()):
                folder.mkdir()
                undo.callback(remove, folder)
            for file, value in settings(made, found["cpuset"][0]):
                file.write_text(value)
        except OSError as error:
            pytest.skip(f"hardware: control groups cannot be made here: {error}")
        yield made


def settings(made: ControlGroup, root: Path) -> list[tuple[Path, str]]:
    cpu, cpuset = made.folders["cpu"], made.folders["cpuset"]
    time_limit = f"{int(QUOTA * PERIOD)}"
    if made.unified:
        processors = [(cpu / "cpu.max", f"{time_limit} {PERIOD}"), (cpuset / "cpuset.cpus", str(PROCESSOR))]
    else:
        processors = [
            (cpu / "cpu.cfs_period_us", str(PERIOD)),
            (cpu / "cpu.cfs_quota_us", time_limit),
            (cpuset / "cpuset.mems", (root / "cpuset.mems").read_text()),  # a new group has none
            (cpuset / "cpuset.cpus", str(PROCESSOR)),
        ]
    return [*processors, *made.limit_memory(MEMORY)]


@pytest.fixture
def limited(group: ControlGroup, results: Path) -> Banzuke:
    """Runs `banzuke ...` inside the group."""

    def call(*words: str | Path, **variables: str) -> Result:
        environment = os.environ | {"BANZUKE_RESULTS": str(results)} | variables
        script = f'set -e\n{group.join()}exec "$@"'
        return subprocess.run(
            ["sh", "-c", script, "sh", SCRIPTS / "banzuke", *words],
            env=environment, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip

    return call


def sizes(commands: str) -> set[int]:
    """Values of --n in rendered commands."""
    words = shlex.split(commands)
    return {int(words[i + 1]) for i, word in enumerate(words) if word == "--n"}


def test_the_description_says_what_the_group_leaves(limited: Banzuke) -> None:
    done = limited("machine", "--json", "--no-measure")
    assert done.returncode == 0, done.stderr
    machine = json.loads(done.stdout)
    (given,) = machine["allotments"]
    (partition,) = machine["site"]["partitions"].values()
    assert given["memory_allowed"] == MEMORY
    assert MEMORY // 2 < given["memory_available"] <= MEMORY < partition["node"]["memory"]["total"]
    assert given["quota"] == QUOTA
    assert given["allowed"] == [PROCESSOR]
    assert given["allowed_cores"] == 1


def test_sizes_and_threads_follow_the_group(limited: Banzuke) -> None:
    done = limited("run", "stream", "--dry-run")
    assert done.returncode == 0, done.stderr
    for n in sizes(done.stdout):
        assert 0.25 * MEMORY < 24 * n <= 0.4 * MEMORY
    for command in done.stdout.splitlines():
        assert "OMP_NUM_THREADS=1 " in command
        assert f"--binding {PROCESSOR} " in command


def test_what_the_group_cannot_hold_is_refused_before_it_is_allocated(limited: Banzuke, group: ControlGroup) -> None:
    done = limited("run", "stream", "--set", "n=200000000", COLUMNS="300")
    assert done.returncode == 2, done.stdout + done.stderr
    assert "needs 4.470 GiB of memory" in done.stderr
    assert "may be used now" in done.stderr
    most = group.most_memory()
    assert most is None or most < MEMORY // 2


@pytest.mark.parametrize(
    ("run", "layout"),
    [('exec "$real" "$@"', ()), ('"$real" "$@"', ()), ('exec "$real" "$@"', ("--ranks", "2", "--oversubscribe"))],
    ids=["alone", "under a shell", "under mpiexec"],
)
def test_a_program_that_the_kernel_kills_for_its_memory(
    limited: Banzuke, group: ControlGroup, wrapped: Callable[[str], dict[str, str]], run: str, layout: tuple[str, ...]
) -> None:
    """The limit is lowered once the size has been accepted, as by a neighbour in the same group."""
    lower = "".join(f"echo {value} > {shlex.quote(str(file))}\n" for file, value in group.limit_memory(LOWERED))
    words = ("run", "stream", "--set", "n=30000000", "--set", "rounds=2", "--threads", "1", *layout)
    done = limited(*words, "--json", **wrapped(lower + run))
    assert done.returncode == 1, done.stderr
    (record,) = json.loads(done.stdout)["records"]
    assert record["status"] == "failed"
    assert record["metrics"] == {}
    assert "memory" in record["reason"]


def test_an_affinity_mask_is_honoured(results: Path) -> None:
    def bound(*words: str) -> str:
        command = ["taskset", "-c", PROCESSOR, SCRIPTS / "banzuke", *words, "--results", results]
        done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    command = ["run", "stream", "--set", "n=100000", "--set", "rounds=3"]
    (record,) = json.loads(bound(*command, "--json"))["records"]
    assert record["groups"][0]["threads"] == 1
    (binding,) = record["groups"][0]["binding"]
    assert (binding["ranks"], binding["threads"]) == ("0", [str(PROCESSOR)])
    assert f"--binding {PROCESSOR} " in bound("run", "stream", "--dry-run")
