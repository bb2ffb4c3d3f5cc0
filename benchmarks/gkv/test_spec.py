"""GKV's policy on machines of all sizes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banzuke.plan.benchmark import Case, Layout
from banzuke.plan.cases import Request, plan
from banzuke.plan.catalogue import find
from banzuke.testing import machine, refusal

GKV = find("gkv")


def cases(cores: int, cache: int = 32 << 20, memory: int = 64 << 30) -> list[Case]:
    return plan(GKV, machine(cores=cores, last_level=cache, memory=memory), Request())


def test_each_kernel_is_a_standard_case_in_both_variants() -> None:
    found = [(case.parameters["kernel"], case.parameters["variant"]) for case in cases(4)]
    assert found[0] == ("intgrl", "opt")
    assert sorted(found[:6]) == sorted(
        (kernel, variant) for kernel in ("intgrl", "diff45", "diff123") for variant in ("default", "opt")
    )
    assert set(found[6:]) == {("fft", "default")}


@pytest.mark.parametrize(("cache", "expected"), [(32 << 20, 8), (480 << 20, 30), (4 << 30, 200)])
def test_f_is_four_times_as_large_as_the_caches(cache: int, expected: int) -> None:
    headline = cases(4, cache)[0]
    assert headline.parameters["nv"] == expected


@pytest.mark.slow
@settings(max_examples=20, deadline=None)  # each asks the program some times
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
    assert refusal(GKV, 30, kernel="fft", ny=21).endswith("Nearest: 22 ranks")
