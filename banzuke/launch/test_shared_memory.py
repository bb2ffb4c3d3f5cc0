"""When a signal is attributed to a full /dev/shm; tests/test_faults.py has real ones."""

import os
import signal
from pathlib import Path
from types import SimpleNamespace

import pytest

from banzuke.launch.command import Command
from banzuke.launch.shared_memory import shortage

RANKS = Command(["mpiexec"], {}, small_shm="A=1 B=2")


@pytest.mark.parametrize(
    ("command", "number", "mib", "named"),
    [
        (RANKS, signal.SIGBUS, 1, True),
        (RANKS, signal.SIGBUS, 4096, True),
        (RANKS, signal.SIGSEGV, 63, True),
        (RANKS, signal.SIGSEGV, 64, False),
        (RANKS, signal.SIGPIPE, 63, True),
        (RANKS, signal.SIGPIPE, 64, False),
        (RANKS, signal.SIGTERM, 63, True),
        (RANKS, signal.SIGTERM, 64, False),
        (RANKS, signal.SIGKILL, 1, False),
        (Command(["program"], {}), signal.SIGBUS, 1, False),
        (Command(["vm"], {}, watched=False, small_shm="A=1"), signal.SIGBUS, 1, False),
    ],
)
def test_what_a_signal_says_of_shared_memory(
    monkeypatch: pytest.MonkeyPatch, command: Command, number: int, mib: int, *, named: bool
) -> None:
    space = SimpleNamespace(f_blocks=8192 << 8, f_bavail=mib << 8, f_frsize=4096)
    monkeypatch.setattr(os, "statvfs", lambda _folder: space)
    text = shortage(command, number, ranks=4)
    assert (("8 GiB, now" in text) and text.endswith("A=1 B=2")) is named
    assert named or not text


def test_no_shared_memory_at_all_is_said(tmp_path: Path) -> None:
    assert "No such file or directory" in shortage(RANKS, signal.SIGBUS, 2, tmp_path / "shm")
