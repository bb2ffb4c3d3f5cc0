"""The smallest limit of control groups, in folders of version 1, version 2 and both at once."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from banzuke import control_groups, ulimits

HYBRID = {
    "proc/self/cgroup": "8:pids:/a/b\n5:memory:/\n0::/a",
    "sys/fs/cgroup/pids/a/b/pids.max": "max",
    "sys/fs/cgroup/pids/a/pids.max": "20",
    "sys/fs/cgroup/pids/pids.max": "30",
    "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712",
}
UNIFIED = {
    "proc/self/cgroup": "0::/job/step",
    "sys/fs/cgroup/job/step/pids.max": "9",
    "sys/fs/cgroup/job/pids.max": "max",
    "sys/fs/cgroup/job/memory.max": "1048576",
}
CONTAINER = {"proc/self/cgroup": "1:pids:/docker/abc", "sys/fs/cgroup/pids/pids.max": "7"}


def planted(root: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text + "\n")
    return root


@pytest.mark.parametrize(
    ("files", "pids", "memory"),
    [
        (HYBRID, ("pids.max", 20), None),
        (UNIFIED, ("pids.max", 9), ("memory.max", 1 << 20)),
        (CONTAINER, ("pids.max", 7), None),
        ({}, None, None),
        ({"proc/self/cgroup": "nonsense\n0::/../..\n1:pids"}, None, None),
    ],
    ids=["hybrid", "version 2", "container", "none", "nonsense"],
)
def test_the_smallest_limit_counts_also_of_parents(
    tmp_path: Path, files: Mapping[str, str], pids: tuple[str, int] | None, memory: tuple[str, int] | None
) -> None:
    root = planted(tmp_path, files)
    assert control_groups.least("pids", root) == pids
    assert control_groups.least("memory", root) == memory


@pytest.mark.parametrize(("events", "refused"), [("max 0", False), ("max 3", True), ("", True)])
def test_a_limit_that_has_refused_nothing_is_not_behind_an_error(tmp_path: Path, events: str, *, refused: bool) -> None:
    named = {"sys/fs/cgroup/job/pids.events": events} if events else {}
    assert control_groups.refused(planted(tmp_path, UNIFIED | named)) is refused


def test_what_follows_from_an_error_of_a_limit_is_understood_too() -> None:
    """As with a pool of processes whose thread could not be started."""
    error = RuntimeError("cannot join thread before it is started")
    error.__context__ = RuntimeError("can't start new thread")
    assert str(ulimits.understood(error)).startswith("can't start new thread")
