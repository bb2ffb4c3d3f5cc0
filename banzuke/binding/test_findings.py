"""Findings about made programs: each cause alone, and none where there is none."""

from collections.abc import Sequence

import pytest

from banzuke.binding.findings import findings, working
from banzuke.binding.sample import BindingSight, SeenProcess, SeenThread
from banzuke.machine.site import NumaNode
from banzuke.machine.topology import Topology

FOUR = Topology("made", cores=[[0, 4], [1, 5], [2, 6], [3, 7]])


def thread(tid: int, allowed: Sequence[int], ran: Sequence[int], used: float = 1.0, pid: int = 10) -> SeenThread:
    return SeenThread(pid, tid, "a.out", 0.0, used, set(ran), tuple(allowed))


def sight(
    *threads: SeenThread, others: Sequence[SeenThread] = (), memory: dict[int, int] | None = None
) -> BindingSight:
    process = SeenProcess(10, "a.out", 0, memory or {}, {own.tid: own for own in threads})
    return BindingSight(1.0, {10: process}, {(own.pid, own.tid): own for own in others})


def codes(seen: BindingSight, topology: Topology = FOUR) -> list[str]:
    return [finding.code for finding in findings(seen, topology)]


def test_bound_threads_alone_have_no_finding() -> None:
    seen = sight(*(thread(number, [number], [number]) for number in range(4)))
    assert len(working(seen)) == 4
    assert not codes(seen)


def test_two_threads_on_one_processor() -> None:
    (finding,) = findings(sight(thread(1, [0], [0], 0.5), thread(2, [0], [0], 0.5)), FOUR)
    assert finding.code == "shared-processor"
    assert finding.what.startswith("2 threads are bound to processor 0")


def test_more_threads_than_processors() -> None:
    seen = codes(sight(*(thread(number, [0, 1], [number % 2], 0.6) for number in range(3))))
    assert seen == ["too-many-threads", "unbound"]


def test_threads_that_may_move_and_did() -> None:
    (finding,) = findings(sight(thread(1, range(8), [2, 3]), thread(2, range(8), [5])), FOUR)
    assert finding.code == "unbound"
    assert "2 of 2 working threads may move between processors 0-7, and 1 did" in finding.what


def test_hardware_threads_of_a_core_while_others_are_idle() -> None:
    assert codes(sight(thread(1, [0], [0]), thread(2, [4], [4]))) == ["smt-siblings"]
    every = [thread(number, [number], [number]) for number in range(8)]
    assert not codes(sight(*every)), "all cores have work"


def test_others_on_the_same_processors() -> None:
    other = thread(99, (), [0], 0.4, pid=99)
    (finding,) = findings(sight(thread(1, [0], [0]), others=[other]), FOUR)
    assert finding.code == "neighbours"
    assert "a.out (99) 40% of processor 0" in finding.what
    assert not codes(sight(thread(1, [1], [1]), others=[other])), "elsewhere"


@pytest.mark.parametrize(
    ("memory", "own", "expected"),
    [
        ({0: 95, 1: 5}, 1, []),
        ({0: 50, 1: 50}, 1, ["far-memory"]),
        ({0: 50, 1: 50}, None, ["far-memory"]),
        ({1: 100}, 0, []),
        ({}, 1, []),
    ],
)
def test_memory_on_another_node(memory: dict[int, int], own: int | None, expected: list[str]) -> None:
    """`own`: bytes of the threads' node, None: unknown; where it has none, all memory is elsewhere."""
    nodes = [NumaNode(node=0, cpus=[0, 1], bytes=own), NumaNode(node=1, cpus=[2, 3], bytes=1)]
    two = Topology("made", cores=[[0], [1], [2], [3]], numa=nodes)
    assert codes(sight(thread(1, [0], [0]), memory=memory), two) == expected


def test_idle_threads_do_not_count() -> None:
    assert not codes(sight(thread(1, [0], [0]), thread(2, [0], [], 0.0)))
