import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from banzuke.environment import mckernel as module
from banzuke.environment.mckernel import McKernel, find_in
from banzuke.environment.registry import wanted
from banzuke.errors import BanzukeError
from banzuke.machine.tree import Tree

ASKED = wanted("mckernel")
Install = Callable[..., Tree]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Install mcexec, its device, and an ihkosctl with these answers."""
    monkeypatch.setattr(module, "find_program", lambda name: shutil.which(name, path=str(tmp_path / "nowhere")))

    def install(status: str = "RUNNING", cpus: str = "12-15", *, booted: bool = True) -> Tree:
        home = tmp_path / "opt/mckernel"
        for name in ("bin/mcexec", "sbin/ihkosctl"):
            (home / name).parent.mkdir(parents=True)
            (home / name).write_text(
                f'#!/bin/sh\n[ "$1" = 0 ] || exit 1\ncase "$2" in get) echo {status};; query) echo {cpus};; esac\n'
            )
            (home / name).chmod(0o755)
        if booted:
            (tmp_path / "dev").mkdir()
            (tmp_path / "dev/mcos0").touch()
        return Tree(tmp_path)

    return install


def test_what_is_missing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_program", lambda _: None)
    with pytest.raises(BanzukeError, match=r"not installed here \(mcexec is neither on PATH .*mcreboot.sh.*jobenv=mck"):
        find_in(ASKED, Tree(tmp_path))


def test_a_kernel_that_is_not_booted_is_said(installed: Install) -> None:
    with pytest.raises(BanzukeError, match=r"not booted here \(there is no /dev/mcos0\)"):
        find_in(ASKED, installed(booted=False))


def test_a_kernel_that_is_not_running_is_said(installed: Install) -> None:
    with pytest.raises(BanzukeError, match=r"not ready \(`.*ihkosctl 0 get status` says SHUTDOWN\)"):
        find_in(ASKED, installed(status="SHUTDOWN"))


def test_its_processors_are_numbered_from_zero(installed: Install) -> None:
    kernel = find_in(ASKED, installed())
    assert [kernel.cpu(number) for number in (12, 15)] == [0, 3]
    assert kernel.details["mckernel_cpus"] == "12-15"


def test_ranks_are_counted_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = McKernel(name="mckernel", mcexec=Path("/opt/mc kernel/bin/mcexec"))
    monkeypatch.delenv("PJM_ENVIRONMENT", raising=False)
    words = kernel.inner(["/program", "--file", "it's"], {})
    assert words[:2] == ["bash", "-c"]
    assert words[2] == 'exec "$0" -n "${OMPI_COMM_WORLD_LOCAL_SIZE:-${MPI_LOCALNRANKS:-1}}" "$@"'
    assert words[3:] == ["/opt/mc kernel/bin/mcexec", "/program", "--file", "it's"]
    assert kernel.outer(["mpiexec"], {}, 0) == ["mpiexec"]


def test_fujitsus_launcher_counts_them_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PJM_ENVIRONMENT", "BATCH")
    assert McKernel(name="mckernel", mcexec=Path("/m")).inner(["/program"], {}) == ["/m", "/program"]
