"""Tests of the memory system's cases, and of refusals."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.machine.allotment import AllottedDevice
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Layout, Scalar
from banzuke.plan.catalogue import find
from banzuke.plan.on_devices import on_devices
from banzuke.testing import machine, refusal, with_hosts

MEMORY = find("memory")
MIB = 1 << 20


def number(value: Scalar) -> int:
    assert isinstance(value, int)
    return value


def with_mpi(cores: int) -> Machine:
    return with_hosts(machine(cores=cores), 1)


def complexes(here: Machine, *groups: list[int]) -> Machine:
    return here.changed(allotment={"complexes": [*groups]})


def cases(here: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    return [(layout, {**MEMORY.defaults(here, layout), **overrides}) for layout, overrides in MEMORY.sweep(here)]


@given(memory=st.integers(1 << 20, 1 << 45), cores=st.integers(1, 512), last=st.integers(1 << 15, 1 << 31))
def test_the_data_fits_in_memory(memory: int, cores: int, last: int) -> None:
    size = number(MEMORY.defaults(machine(memory=memory, cores=cores, last_level=last), Layout(1, cores))["max_size"])
    assert size >= 8192
    assert size == 8192 or size * cores <= memory / 3


@pytest.mark.parametrize(
    ("last", "threads", "size"), [(32 * MIB, 1, 128 * MIB), (32 * MIB, 4, 64 * MIB), (256 * MIB, 4, 256 * MIB)]
)
def test_the_largest_data_is_several_times_the_last_cache(last: int, threads: int, size: int) -> None:
    assert MEMORY.defaults(machine(last_level=last, memory=256 << 30), Layout(1, threads))["max_size"] == size


def test_every_loop_and_the_chase_run_on_all_cores_on_those_of_a_cache_and_on_one() -> None:
    here = complexes(with_mpi(8), [0, 1, 2, 3], [4, 5, 6, 7])
    threads: dict[str, list[int]] = {}
    for layout, case in cases(here):
        kind = str(case.get("loop", case["test"]))
        if "order" not in case and "data_pages" not in case:
            threads.setdefault(kind, []).append(layout.threads)
    assert threads == {kind: [8, 4, 1] for kind in ("load", "store", "copy", "triad", "gather")} | {
        "latency": [1, 4, 8],
        "loaded": [8, 8, 8, 8],
        "pairs": [1],
    }
    places = [layout.placement.cpus for layout, _ in cases(here) if layout.placement]
    assert set(places) == {((0, 1, 2, 3),)}


def test_cores_that_all_share_a_cache_are_all_cores() -> None:
    here = complexes(with_mpi(4), [0, 1, 2, 3])
    assert {layout.threads for layout, case in cases(here) if case["test"] == "bandwidth"} == {4, 1}


def test_chases_on_one_core_have_both_orders_on_both_kinds_of_pages() -> None:
    chases = [case for layout, case in cases(with_mpi(4)) if layout.threads == 1 and case["test"] == "latency"]
    assert {(case.get("order", "across"), case.get("data_pages", "usual")) for case in chases} == {
        ("across", "usual"),
        ("across", "base"),
        ("within", "usual"),
        ("within", "base"),
    }


def test_one_core_or_no_mpi_has_no_pairs() -> None:
    for here in (with_mpi(1), machine(cores=4)):
        assert not [case for _, case in cases(here) if case["test"] == "pairs"]
    assert [layout.ranks for layout, case in cases(with_mpi(4)) if case["test"] == "pairs"] == [4]


@pytest.mark.parametrize("cores", [1, 2, 256, 1000])
def test_every_case_can_run(cores: int) -> None:
    here = with_mpi(cores)
    for layout, case in cases(here):
        MEMORY.ask(layout, case)  # raises where it is refused
        assert 0 < MEMORY.seconds(here, layout, case) < 3600


@pytest.mark.parametrize(
    ("ranks", "why", "case"),
    [
        (1, "needs 2 or more, on as many processors, not 1). Nearest: 2 ranks", {"test": "pairs"}),
        (1, "two cache lines", {"test": "latency", "min_size": 64}),
        (1, "two cache lines", {"test": "gather", "min_size": 64}),
        (1, "one rank with 2 or more threads", {"test": "loaded"}),
        (2, "only loaded has", {"test": "pairs", "streams": 1}),
        (1, "less than the 1536", {"test": "bandwidth", "loop": "triad", "min_size": 64}),
        (1, "no size is a power of two", {"min_size": 8192, "max_size": 4096}),
        (1, "only latency has", {"test": "bandwidth", "order": "within"}),
        (2, "one cache line", {"test": "pairs", "max_size": 65536}),
    ],
)
def test_what_cannot_be_measured_is_refused(ranks: int, why: str, case: dict[str, Scalar]) -> None:
    assert why in refusal(MEMORY, ranks, **case)


@given(memory=st.integers(1 << 28, 1 << 39))
def test_a_devices_data_fits_in_its_memory_and_exceeds_its_caches(memory: int) -> None:
    device = AllottedDevice(identity="GPU-0", name="any", vendor="NVIDIA", memory=memory, memory_available=memory)
    here = machine().changed(allotment={"devices": [device]})
    sweep = on_devices(MEMORY, "cuda").sweep(here)
    planned = [(layout, {**MEMORY.defaults(here, layout), **case}) for layout, case in sweep]
    assert [case["test"] for _, case in planned] == ["bandwidth", "latency"]
    for layout, case in planned:
        assert layout == Layout(1, 1, devices=1)
        assert number(case["min_size"]) < number(case["max_size"]) <= max(memory / 3, 2 * number(case["min_size"]))
        assert 0 < MEMORY.seconds(here, layout, case) < 60
    if memory > 1 << 33:
        assert [case["max_size"] for _, case in planned] == [1 << 30, 512 * MIB]


def test_a_longer_case_has_more_rounds_of_the_same_sizes() -> None:
    usual, longer = (MEMORY.defaults(machine(), Layout(1, 4, seconds=seconds)) for seconds in (None, 10.0))
    assert usual["max_size"] == longer["max_size"]
    assert number(longer["rounds"]) > number(usual["rounds"])
