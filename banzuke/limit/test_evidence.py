from hypothesis import given
from hypothesis import strategies as st

from banzuke.limit.evidence import shared_processors


@given(st.lists(st.integers(0, 9)))
def test_shared_processors_are_those_pinned_more_than_once(cpus: list[int]) -> None:
    shared = shared_processors(tuple((cpu,) for cpu in cpus))
    assert shared == [cpu for cpu in range(10) if cpus.count(cpu) > 1]


def test_threads_that_may_move_share_no_processor() -> None:
    assert shared_processors(((0, 1), (0, 1))) == []


def test_a_core_is_shared_by_more_threads_than_it_has_processors() -> None:
    core, other = (0, 4), (1, 5)
    assert shared_processors((core, core, other), 8) == []
    assert shared_processors((core, core, core, other), 8) == [0, 4]
    assert shared_processors((core, (0,), (4,), other), 8) == [0, 4]
    assert shared_processors((core, core, core), 2) == []  # all that may be used: they are bound to none
