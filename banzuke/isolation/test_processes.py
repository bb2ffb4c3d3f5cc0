import os
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.isolation.processes import Scope, Thread, _stat, chosen, start_of, threads, threads_of
from banzuke.machine.conftest import Plant
from banzuke.machine.tree import Tree

AFTER = "S 1 7 5 0 -1 69238848 0 0 0 0 0 0 0 0 20 0 1 0 4711 0 0"
STATUS = "Name:\tx\nUid:\t1000\t0\t0\t0\nCpus_allowed:\t3\nCpus_allowed_list:\t0-1,8\n"


def planted(plant: Plant, *, name: str = "x", after: str = AFTER) -> list[Thread]:
    own = "proc/12/task/13"
    return list(threads(plant({f"{own}/stat": f"13 ({name}) {after}", f"{own}/status": STATUS, "proc/uptime": "1"})))


def test_a_thread(plant: Plant) -> None:
    (thread,) = planted(plant)
    assert (thread.pid, thread.tid, thread.start, thread.parent, thread.session, thread.uid) == (
        12,
        13,
        4711,
        1,
        5,
        1000,
    )
    assert thread.affinity == {0, 1, 8}
    assert thread.kernel
    assert thread.bound
    assert thread.groups == ""


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0\n"), max_size=20))
def test_any_name(name: str) -> None:
    assert _stat(f"13 ({name}) {AFTER}") == (name, (1, 5, 69238848, 4711))


@pytest.mark.parametrize("after", ["", "S", AFTER.replace("S", "Z"), AFTER.replace("4711", "x")])
def test_the_dead_and_the_unreadable_are_left_out(plant: Plant, after: str) -> None:
    assert planted(plant, after=after) == []


def test_our_own_threads() -> None:
    done = threading.Event()
    other = threading.Thread(target=done.wait)
    other.start()
    try:
        threads = {thread.tid: thread for thread in threads_of(Tree(), os.getpid())}
    finally:
        done.set()
        other.join()
    assert {threading.get_native_id(), other.native_id} <= threads.keys()
    mine = threads[os.getpid()]
    assert mine.affinity == os.sched_getaffinity(0)
    assert (mine.parent, mine.session, mine.uid) == (os.getppid(), os.getsid(0), os.getuid())
    assert mine.start == start_of(Tree(), os.getpid())
    assert not mine.kernel


def test_nobody() -> None:
    assert start_of(Tree(), 1 << 30) is None
    assert threads_of(Tree(), 1 << 30) == []


SCOPES: tuple[Scope, ...] = ("all", "user", "session")


@pytest.mark.parametrize(
    ("flags", "uid", "session", "wanted"),
    [
        (0, 1, 2, ["all", "user", "session"]),
        (0, 1, 9, ["all", "user"]),
        (0, 9, 2, ["all", "session"]),
        (0x00200000, 1, 2, ["all"]),
    ],
)
def test_whose_threads(flags: int, uid: int, session: int, wanted: list[str]) -> None:
    thread = Thread(5, 5, 0, 1, session, uid, flags, "x", frozenset({0}), "")
    assert [scope for scope in SCOPES if chosen([thread], scope, uid=1, session=2)] == wanted


def test_a_session_has_what_its_processes_started() -> None:
    def at(pid: int, parent: int, session: int) -> Thread:
        return Thread(pid, pid, 0, parent, session, 1, 0, "x", frozenset({0}), "")

    mine, child, grandchild = at(5, 1, 2), at(6, 5, 6), at(7, 6, 7)
    parent, stranger = at(1, 0, 1), at(8, 1, 8)
    threads = [parent, grandchild, mine, stranger, child]
    assert chosen(threads, "session", uid=1, session=2) == [grandchild, mine, child]
