"""Tests of SpMV's policy on machines of several kinds."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.machine.allotment import AllottedDevice
from banzuke.plan.benchmark import Layout
from banzuke.plan.cases import plan
from banzuke.plan.catalogue import find
from banzuke.plan.request import Request
from banzuke.testing import machine, refusal

SPMV = find("spmv")
FAMILIES = [f"family-{index}" for index in range(60)]
TWO = machine(cores=2, memory=16 << 30)


def nonzeros_of(families: int, seconds: float | None = None, memory: int = 16 << 30) -> list[int]:
    assert SPMV.collection
    layout = Layout(1, 2, seconds)
    problems = SPMV.collection.problems(machine(cores=2, memory=memory), layout, FAMILIES[:families])
    return [int(problem["nonzeros"]) for problem in problems]


@given(families=st.integers(4, 60), seconds=st.floats(1, 1e6))
def test_there_are_enough_matrices_of_every_size_in_any_time(families: int, seconds: float) -> None:
    nonzeros = nonzeros_of(families, seconds)
    sizes = sorted(set(nonzeros))
    assert all(nonzeros.count(size) == families for size in sizes)
    assert sizes[0] == 1000
    if seconds > 30:
        assert sizes[-1] > 4000
    if seconds > 300:
        assert len(nonzeros) >= 202


def test_collections_of_different_times_share_all_sizes_but_their_largest() -> None:
    short, medium, long = (sorted(set(nonzeros_of(27, seconds))) for seconds in (80, 600, 6000))
    assert short[-1] < medium[-1] < long[-1]
    for smaller, larger in ((short, medium), (short, long), (medium, long)):
        assert set(smaller[:-1]) <= set(larger)


def test_the_standard_collection_keeps_to_its_time() -> None:
    cases = plan(SPMV, TWO, Request(), lambda _benchmark, _backend: FAMILIES[:27])
    assert len(cases) >= 202
    assert 70 < sum(case.seconds for case in cases) <= 80
    assert max(int(case.parameters["nonzeros"]) for case in cases) > 1e7
    assert {(case.ranks, case.threads, case.backend) for case in cases} == {(1, 2, "omp")}


def on_a_device(seconds: float | None = None, memory: int = 141 << 30) -> list[int]:
    """Return the sizes that are planned on a device."""
    assert SPMV.collection
    device = AllottedDevice(identity="GPU-1", name="H200", vendor="NVIDIA", memory=memory, memory_available=memory)
    here = machine(cores=16, memory=128 << 30).changed(allotment={"devices": [device]})
    problems = SPMV.collection.problems(here, Layout(1, 1, seconds, devices=1), FAMILIES[:27])
    return sorted({int(problem["nonzeros"]) for problem in problems})


def test_a_device_has_matrices_that_no_cache_holds() -> None:
    assert on_a_device() == [1000, 10_000_000]
    assert on_a_device(seconds=200) == [1000, 100_000_000]
    assert len(on_a_device(seconds=600)) * 27 >= 202
    assert on_a_device(seconds=40)[-1] < 10_000_000
    assert max(on_a_device(memory=1 << 28)) * 32 <= 1 << 28


def test_a_matrix_fits_the_memory() -> None:
    assert max(nonzeros_of(17, 1e6, memory=1 << 30)) < (1 << 30) / 40
    assert max(nonzeros_of(17, 1e6, memory=16 << 30)) > 2e7
    assert set(nonzeros_of(17, 1e6, memory=1)) == {1000}


def test_a_files_size_tells_how_long_it_lasts(tmp_path: Path) -> None:
    plain, zipped = tmp_path / "a.mtx", tmp_path / "a.mtx.gz"
    for file in (plain, zipped):
        file.write_bytes(bytes(2_000_000))
    layout = Layout(1, 2)
    small = SPMV.seconds(TWO, layout, {"file": str(tmp_path / "missing.mtx")})
    assert small < SPMV.seconds(TWO, layout, {"file": str(plain)}) < SPMV.seconds(TWO, layout, {"file": str(zipped)})
    assert SPMV.seconds(TWO, layout, {"nonzeros": "1e7", "rounds": "10"}) < SPMV.seconds(TWO, layout, {"nonzeros": 1e7})


def test_more_than_one_process_is_refused() -> None:
    assert refusal(SPMV, 1) == ""
    assert refusal(SPMV, 2).endswith("one rank with all threads, but there are 2). Nearest: 1 rank")


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_that_are_asked_for_are_had(threads: int) -> None:
    cases = plan(SPMV, TWO, replace(Request(), threads=threads), lambda _benchmark, _backend: FAMILIES[:27])
    assert {case.threads for case in cases} == {threads}
