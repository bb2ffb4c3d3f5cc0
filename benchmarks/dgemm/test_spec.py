"""Tests of DGEMM's policy on machines of all sizes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.machine.allotment import AllottedDevice
from banzuke.plan import on_devices
from banzuke.plan.benchmark import Layout
from banzuke.plan.catalogue import find
from banzuke.plan.groups import placements_of, read_groups
from banzuke.testing import machine

DGEMM = find("dgemm")


def order(memory: int, cores: int = 4, ranks: int = 1) -> int:
    value = DGEMM.defaults(machine(memory=memory, cores=cores), Layout(ranks, cores))["n"]
    assert isinstance(value, int)
    return value


def test_a_call_takes_about_a_second() -> None:
    n = order(1 << 40)
    assert n == 4000
    assert 0.1 < 2 * n**3 / 200e9 <= 1.0


@given(wanted=st.floats(0.5, 1e4))
def test_calls_take_the_time_that_is_wanted(wanted: float) -> None:
    value = DGEMM.defaults(machine(memory=1 << 45), Layout(1, 4, seconds=wanted))
    assert 0.75 * wanted < float(value["repetitions"]) * 2 * float(value["n"]) ** 3 / 200e9 <= 1.001 * wanted


@given(memory=st.integers(1, 1 << 45), cores=st.integers(1, 500), ranks=st.integers(1, 64))
def test_matrices_fit_in_memory(memory: int, cores: int, ranks: int) -> None:
    n = order(memory, cores, ranks)
    assert n == 1 or 24 * n * n * ranks <= 0.4 * memory


def test_the_sweep_covers_orders_and_block_sizes() -> None:
    sweep = DGEMM.sweep(machine(cores=4))
    assert sweep[0] == (Layout(1, 4), {})
    assert (Layout(1, 1), {}) in sweep
    largest = order(64 << 30)
    updates = [o for _, o in sweep if o and o["k"] != o["n"]]
    assert [o["k"] for o in updates] == [32, 64, 128, 192, 256, 384]
    assert all(o["m"] == o["n"] == largest for o in updates)


def test_one_core_has_no_second_layout() -> None:
    assert {layout for layout, _ in DGEMM.sweep(machine(cores=1))} == {Layout(1, 1)}


def test_groups_share_one_product_of_all_their_processors() -> None:
    here, layout = machine(memory=1 << 45), Layout(2, 3, groups=placements_of(read_groups("0-2+3")))
    shared, whole = DGEMM.defaults(here, layout), DGEMM.defaults(here, Layout(1, 4))
    assert shared == {**whole, "split": "adaptive"}
    assert DGEMM.seconds(here, layout, shared) > 2 * DGEMM.seconds(here, Layout(1, 4), whole)


def test_none_to_two_cores_are_reserved_for_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_devices, "backends", lambda _: ["blas", "cuda"])
    monkeypatch.setattr(on_devices, "drives", lambda _, backend: "NVIDIA" if backend == "cuda" else "")
    device = AllottedDevice(identity="GPU-0", name="Large", vendor="NVIDIA", memory=1 << 34, memory_available=1 << 34)
    for cores, wanted in ((4, ["0-2+3@0", "0-3+3@0", "0-1+2-3@0"]), (2, ["0+1@0", "0-1+1@0"])):
        here = machine(cores=cores).changed(allotment={"devices": [device]})
        layouts = [layout for layout, _ in DGEMM.sweep(here) if layout.groups]
        assert ["+".join(place.name for place in layout.groups) for layout in layouts] == wanted


def test_nothing_is_split_unless_it_is_asked_for() -> None:
    assert all("split" not in overrides and not layout.groups for layout, overrides in DGEMM.sweep(machine(cores=4)))
    assert "split" not in DGEMM.defaults(machine(cores=4), Layout(4, 1))
