"""Tests of GKV's policy on machines of all sizes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Layout, Scalar
from banzuke.plan.case import Case
from banzuke.plan.cases import plan
from banzuke.plan.catalogue import find
from banzuke.plan.layouts import host_placements
from banzuke.plan.request import Request
from banzuke.testing import machine, refusal, with_hosts

GKV = find("gkv")
SHAPE = {"nx": 63, "ny": 31, "nz": 16, "nm": 15}


def cases(cores: int, cache: int = 32 << 20, memory: int = 64 << 30) -> list[Case]:
    return plan(GKV, machine(cores=cores, last_level=cache, memory=memory), Request())


def test_each_kernel_is_a_standard_case_in_both_variants() -> None:
    planned = [(case.parameters["kernel"], case.parameters["variant"]) for case in cases(4)]
    assert planned[0] == ("intgrl", "opt")
    assert sorted(planned[:6]) == sorted(
        (kernel, variant) for kernel in ("intgrl", "diff45", "diff123") for variant in ("default", "opt")
    )
    assert set(planned[6:]) == {("fft", "default")}


@pytest.mark.parametrize(("cache", "expected"), [(32 << 20, 8), (480 << 20, 30), (4 << 30, 200)])
def test_f_is_four_times_as_large_as_the_caches(cache: int, expected: int) -> None:
    headline = cases(4, cache)[0]
    assert headline.parameters["nv"] == expected


@pytest.mark.slow
@settings(max_examples=20, deadline=None)  # each asks the program several times
@given(cores=st.integers(1, 300), cache=st.integers(0, 1 << 33), memory=st.integers(1 << 28, 1 << 45))
def test_all_cases_are_accepted_and_fit_in_memory(cores: int, cache: int, memory: int) -> None:
    for case in cases(cores, cache, memory):
        answer = GKV.ask(Layout(case.ranks, case.threads), case.parameters)
        assert answer.problem.footprint * case.ranks <= memory


def test_the_time_that_is_wanted_sets_the_rounds() -> None:
    here = machine(cores=4)
    usual, longer = (GKV.defaults(here, Layout(1, 4, seconds=wanted)) for wanted in (None, 60.0))
    assert usual["nv"] == longer["nv"]
    assert int(longer["rounds"]) > int(usual["rounds"]) == 5


def test_wrong_calls_are_answered_with_the_nearest() -> None:
    assert refusal(GKV, 1, kernel="fft", nx=22, nxw=32).endswith("Nearest: nxw=36 or nx=21")
    assert refusal(GKV, 4, nv=5).endswith("Nearest: 2 ranks or nv=4 or nv=6")
    assert refusal(GKV, 32, kernel="fft", ny=21).endswith("Nearest: 22 ranks or ny=31")


def test_the_bracket_is_estimated_by_its_points_in_real_space() -> None:
    here = machine(cores=4)
    small: dict[str, Scalar] = {**SHAPE, "kernel": "fft", "nv": 4}
    usual, fine = (GKV.seconds(here, Layout(1, 4), {**small, **more}) for more in ({}, {"nxw": 960, "nyw": 480}))
    assert 0.9 < (fine - 1) / (usual - 1) / 100 < 1.1
    assert GKV.seconds(here, Layout(1, 1), small) > 3 * usual


def test_each_thread_of_a_rank_takes_memory() -> None:
    few, many = (GKV.ask(Layout(4, threads), {"kernel": "fft"}).problem.footprint for threads in (1, 49))
    of_thread = (many - few) / 48
    assert 128 * 64 * 16 < of_thread < 1e6, "modes and points of a plane"


def several(hosts: int) -> Machine:
    return with_hosts(machine(cores=4), hosts)


def test_several_hosts_share_the_bracket_of_one() -> None:
    planned = plan(GKV, several(3), Request())
    across = [case for case in planned if case.nodes > 1]
    assert [(case.placement, case.ranks, case.threads) for case in across] == [
        ("2-nodes-numa", 2, 4),
        ("3-nodes-numa", 3, 4),
    ]
    alone = next(case for case in planned if case.parameters["kernel"] == "fft")
    assert all(case.parameters == alone.parameters for case in across)
    assert all(case.seconds > 10 > alone.seconds for case in across), "over a slow network"


def test_several_hosts_have_as_many_velocities_each() -> None:
    here = several(2)
    across = Layout.of(host_placements(here)[0])
    assert GKV.defaults(here, across)["nv"] == 2 * int(GKV.defaults(here, Layout(1, 4))["nv"])
