import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.errors import BanzukeError
from banzuke.isolation.cores import Processors, cut, processors, split
from banzuke.machine.conftest import Plant
from banzuke.machine.tree import Tree

HYPER = Processors(8, list(range(8)), [[0, 4], [1, 5], [2, 6], [3, 7]])


def test_the_first_core_with_all_its_threads_is_the_systems() -> None:
    assert split(HYPER) == ([0, 4], [1, 2, 3, 5, 6, 7])


def test_the_first_core_that_may_be_used() -> None:
    assert split(Processors(8, [2, 3, 7], [[2], [3, 7]])) == ([2], [3, 7])


def test_without_knowledge_of_cores_the_first_processor() -> None:
    assert split(Processors(3, [0, 1, 2], [])) == ([0], [1, 2])


def test_named_ones() -> None:
    assert split(HYPER, (5, 1, 5)) == ([1, 5], [0, 2, 3, 4, 6, 7])


@pytest.mark.parametrize(
    ("cpu", "asked", "said"),
    [
        (HYPER, (9,), "processor 9 does not exist"),
        (Processors(8, [0, 1], [[0], [1]]), (0, 5), "processor 5 may not be used"),
        (Processors(2, [0, 4], [[0], [4]]), (3,), "processor 3 may not be used"),
        (HYPER, range(8), "no processor is left for the job"),
        (Processors(4, [0, 1], [[0, 1]]), (), "no processor is left for the job beside 0-1"),
        (Processors(0, [], []), (), "no processors to isolate"),
    ],
)
def test_refusals(cpu: Processors, asked: tuple[int, ...], said: str) -> None:
    with pytest.raises(BanzukeError, match=said):
        split(cpu, asked)


@given(st.sets(st.integers(0, 20), min_size=1), st.sets(st.integers(0, 25)))
def test_nothing_is_lost_or_given_twice(allowed: set[int], asked: set[int]) -> None:
    cpu = Processors(21, sorted(allowed), [[number] for number in sorted(allowed)])
    try:
        system, job = split(cpu, sorted(asked))
    except BanzukeError:
        assert asked - allowed or not allowed - (asked or {min(allowed)})
    else:
        assert set(system) | set(job) == allowed
        assert not set(system) & set(job)
        assert not asked or set(system) == asked


def test_the_systems_may_lie_outside_of_the_jobs_affinity() -> None:
    bound = Processors(4, [1, 2], [[1], [2]], outside=[0])
    assert split(bound, (0,)) == ([0], [1, 2])
    assert split(bound) == ([1], [2])
    with pytest.raises(BanzukeError, match=r"processor 3 may not be used.* 0-2 may be used here"):
        split(bound, (3,))


def test_a_core_that_is_half_outside() -> None:
    """`taskset -c 4-7`: by default, the system gets a whole core; a job that shares a core with it is warned."""
    upper = Processors(8, [4, 5, 6, 7], HYPER.siblings, outside=[0, 1, 2, 3])
    assert split(upper) == ([0, 4], [5, 6, 7])
    assert cut(upper, [0]) == [4]
    assert cut(upper, [4]) == []


def test_half_of_a_core() -> None:
    assert cut(HYPER, [0]) == [4]
    assert cut(HYPER, [0, 4]) == []


def test_of_this_machine() -> None:
    cpu = processors(Tree())
    assert set(cpu.allowed) == os.sched_getaffinity(0)
    assert sorted(number for core in cpu.siblings for number in core) == sorted(cpu.allowed + cpu.outside)


def test_a_tree(plant: Plant) -> None:
    files = {"proc/self/status": "Cpus_allowed_list:\t0-2,9", "sys/devices/system/cpu/online": "0-3"}
    files |= {
        f"sys/devices/system/cpu/cpu{i}/topology/core_cpus_list": "0,2" if i % 2 == 0 else "1,3" for i in range(4)
    }
    assert processors(plant(files)) == Processors(4, [0, 1, 2], [[0, 2], [1, 3]], outside=[3])


def test_what_the_boot_has_isolated_may_be_used_within_the_control_group(plant: Plant) -> None:
    files = {
        "proc/self/status": "Cpus_allowed_list:\t0",
        "proc/self/cgroup": "0::/job",
        "proc/self/mountinfo": "34 30 0:31 / /cg rw - cgroup2 cgroup2 rw",
        "cg/job/cpuset.cpus.effective": "0-2",
        "sys/devices/system/cpu/online": "0-3",
        "sys/devices/system/cpu/isolated": "1-3",
    }
    cpu = processors(plant(files))
    assert (cpu.allowed, cpu.ordinary, cpu.outside) == ([0, 1, 2], [0], [])
    assert split(cpu) == ([0], [1, 2])


def test_a_tree_that_tells_nothing(plant: Plant) -> None:
    with pytest.raises(BanzukeError, match="no processors to isolate"):
        split(processors(plant({})))
