from hypothesis import given
from hypothesis import strategies as st

from banzuke.judge.evidence import overfull


@given(st.lists(st.integers(0, 9)))
def test_shared_processors_are_those_pinned_more_than_once(cpus: list[int]) -> None:
    assert overfull([(cpu,) for cpu in cpus]) == [cpu for cpu in range(10) if cpus.count(cpu) > 1]


def test_a_core_is_shared_by_more_threads_than_it_has_processors() -> None:
    core, other = (0, 4), (1, 5)
    assert overfull([core, core, other]) == []
    assert overfull([core, core, core, other]) == [0, 4]
    assert overfull([core, (0,), (4,), other]) == [0, 4]
