"""Tests of STREAM's policy on machines of all sizes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.plan.benchmark import Layout
from banzuke.plan.catalogue import find
from banzuke.testing import machine

STREAM = find("stream")
GIB = 1 << 30


def array_bytes(size: object, ranks: int = 1) -> int:
    assert isinstance(size, int)
    return 8 * size * ranks


def test_arrays_follow_the_caches() -> None:
    shared = machine(last_level=300 << 20)
    assert array_bytes(STREAM.defaults(shared, Layout(1, 4))["n"]) == 4 * (300 << 20)
    assert array_bytes(STREAM.defaults(machine(last_level=1 << 20), Layout(1, 4))["n"]) == 512 << 20


@given(memory=st.integers(1 << 20, 1 << 45), last_level=st.integers(0, 1 << 36), ranks=st.integers(1, 64))
def test_arrays_fit_in_memory(memory: int, last_level: int, ranks: int) -> None:
    size = STREAM.defaults(machine(memory=memory, last_level=last_level), Layout(ranks, 1))["n"]
    assert isinstance(size, int)
    assert size >= 1
    assert 3 * array_bytes(size, ranks) <= 0.4 * memory + 24 * ranks


def test_a_tiny_control_group_still_gets_a_size() -> None:
    assert STREAM.defaults(machine(memory=100), Layout(1, 1))["n"] == 1


def test_a_long_case_of_small_arrays_has_as_many_rounds_as_the_program_takes() -> None:
    long = STREAM.defaults(machine(memory=1 << 20), Layout(1, 1, seconds=60.0))
    assert long["rounds"] == 100
    find("stream").ask(Layout(1, 1), long)  # raises if it is refused


@given(st.integers(1, 300))
def test_the_sweep_begins_with_all_cores_and_has_each_count_once(cores: int) -> None:
    sweep = STREAM.sweep(machine(cores=cores))
    assert sweep[0] == (Layout(1, cores), {})
    assert sweep[1] == (Layout(1, cores), {"stores": "plain"})
    counts = [layout.threads for layout, overrides in sweep if not overrides]
    assert counts == sorted(set(counts), reverse=True)
    assert counts[-1] == 1


@pytest.mark.parametrize("bits", [None, 64])
def test_a_processor_without_known_vectors_uses_plain_stores_once(bits: int | None) -> None:
    plain = machine(cores=1, vector_bits=bits)
    assert STREAM.defaults(plain, Layout(1, 1))["stores"] == "plain"
    assert len(STREAM.sweep(plain)) == 1


def test_a_quota_sets_the_threads() -> None:
    here = machine(cores=64)
    held = here.changed(allotment={"quota": 2.5})
    assert [layout.threads for layout, _ in STREAM.sweep(held)] == [3, 3, 2, 1]


def test_the_estimate_grows_with_the_work() -> None:
    first = STREAM.seconds(machine(), Layout(1, 4), {"n": 10**8, "rounds": 10})
    second = STREAM.seconds(machine(), Layout(1, 4), {"n": 2 * 10**8, "rounds": 10})
    assert first < second < 20
