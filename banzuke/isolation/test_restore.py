"""Restoring in artificial trees; tests of the command, also in the guest, restore real threads and groups."""

import errno
import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from banzuke.isolation.journal import NAME, ControllerWasOff, Entry, FileWas, Journal, ThreadWas, claim
from banzuke.isolation.processes import start_of
from banzuke.isolation.restore import bind, end_job, members, restore
from banzuke.isolation.test_journal import begun
from banzuke.machine.conftest import Plant
from banzuke.machine.tree import Tree

ALLOWED = sorted(os.sched_getaffinity(0))
NOBODYS = begun(scope="session", session=-1, mark="nobody's")
"""On this machine, only recorded threads may be touched, not ones that started meanwhile."""


def journal(tree: Tree, entries: Sequence[Entry]) -> Journal:
    made = Journal(tree.root / NAME, claim(tree.root, tree), begun(boot=""))
    made.begin()
    made.add(entries)
    return made


def test_files_hold_what_they_held_the_first_time(plant: Plant) -> None:
    tree = plant({"a": "changed", "b": "same"})
    work = journal(
        tree, [FileWas(path="a", old="first"), FileWas(path="b", old="same"), FileWas(path="a", old="second")]
    )
    assert restore(tree, work) == []
    work.close()
    assert tree.text("a") == "first"
    assert not (tree.root / NAME).exists()


def test_what_is_gone_needs_nothing(plant: Plant) -> None:
    tree = plant({"proc/uptime": "1"})
    gone = ThreadWas(pid=1 << 30, tid=1 << 30, start=1, affinity=[0], wide=False)
    work = journal(tree, [FileWas(path="proc/irq/99/smp_affinity_list", old="0"), gone])
    assert restore(tree, work) == []
    work.close()


def test_a_file_that_does_not_take_its_value_is_told_and_tried_again(plant: Plant) -> None:
    tree = plant({"a": "x", "shown": "x"})
    stubborn = FileWas(path="a", old="y", shown="shown")
    work = journal(tree, [FileWas(path="b", old="1"), stubborn])
    assert restore(tree, work) == ["/a holds 'x' instead of 'y'"]
    work.reload()
    assert work.entries == [stubborn]
    assert restore(tree, work, last=True) != []
    work.close()
    assert not (tree.root / NAME).exists()


def test_a_journal_that_cannot_be_kept_hides_no_problem(plant: Plant) -> None:
    tree = plant({"a": "x", "shown": "x"})
    work = journal(tree, [FileWas(path="a", old="y", shown="shown")])
    os.close(work.descriptor)
    work.descriptor = os.open("/dev/full", os.O_WRONLY)
    problems = restore(tree, work)
    work.close()
    assert problems[0] == "/a holds 'x' instead of 'y'"
    assert len(problems) == 2


def test_a_controller_that_is_off_already(plant: Plant) -> None:
    tree = plant({"off": "memory", "on": "memory cpuset"})
    work = journal(tree, [ControllerWasOff(path="off"), ControllerWasOff(path="on")])
    assert restore(tree, work) == []
    work.close()
    assert (tree.text("off"), tree.text("on")) == ("memory", "-cpuset")


@pytest.fixture
def sleeper() -> Iterator[int]:
    with subprocess.Popen(["sleep", "60"]) as process:
        yield process.pid
        process.kill()


@pytest.mark.skipif(len(ALLOWED) < 2, reason="hardware: needs two processors")
def test_a_thread_gets_its_own_processors_again(sleeper: int, tmp_path: Path) -> None:
    os.sched_setaffinity(sleeper, ALLOWED[:1])
    record = {"pid": sleeper, "tid": sleeper, "wide": False, "affinity": ALLOWED[1:]}
    for start, wanted in ((0, ALLOWED[:1]), (start_of(Tree(), sleeper) or 0, ALLOWED[1:])):
        work = Journal(tmp_path / NAME, -1, NOBODYS, [ThreadWas.model_validate({**record, "start": start})])
        assert restore(Tree(), work) == []
        assert sorted(os.sched_getaffinity(sleeper)) == wanted  # another process with this number is left alone


@pytest.mark.skipif(len(ALLOWED) < 2, reason="hardware: needs two processors")
def test_processors_that_cannot_be_had_any_more_are_told(sleeper: int) -> None:
    assert bind(sleeper, "sleep", ALLOWED, wide=True, online=frozenset(ALLOWED)) == ""
    problem = bind(sleeper, "sleep", [ALLOWED[0], 1023], wide=False, online=frozenset())
    assert problem == f"thread {sleeper} (sleep) is bound to {ALLOWED[0]} instead of {ALLOWED[0]},1023"
    impossible = bind(sleeper, "sleep", [1023], wide=False, online=frozenset())
    assert "is not bound to 1023 again: Invalid argument" in impossible


def test_processes_of_other_namespaces_are_no_members(plant: Plant) -> None:
    """kill(2) would take 0 and less for whole groups of processes."""
    assert members(plant({"procs": "0\n1\n-1\n17\nx\n18"}), "procs") == [1, 17, 18]
    assert members(plant({}), "none") == []


@pytest.mark.parametrize("handles", [True, False])
def test_the_jobs_end_spares_init_ourselves_and_who_has_left(
    plant: Plant, monkeypatch: pytest.MonkeyPatch, *, handles: bool
) -> None:
    """A number that no longer belongs to the job when its handle is open may be anybody's. Nothing is really killed."""
    tree = plant({"job/cgroup.procs": f"0\n1\n{os.getpid()}\n4711\n4712"})
    named: dict[int, int] = {}
    killed = []

    def pidfd_open(process: int) -> int:
        plant({"job/cgroup.procs": f"1\n{os.getpid()}\n4711"})
        if not handles:
            raise OSError(errno.ENOSYS, "")
        handle = os.open(os.devnull, os.O_RDONLY)
        named[handle] = process
        return handle

    def kill(process: int, _signal: int) -> None:
        killed.append(process)
        plant({"job/cgroup.procs": "0"})

    monkeypatch.setattr("banzuke.isolation.marked.os.pidfd_open", pidfd_open)
    monkeypatch.setattr("banzuke.isolation.marked.os.kill", kill)
    monkeypatch.setattr(
        "banzuke.isolation.marked.signal.pidfd_send_signal", lambda handle, number: kill(named[handle], number)
    )
    end_job(tree, NOBODYS, "job")
    assert killed == [4711]
