"""From requests to cases."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.errors import BanzukeError
from banzuke.plan.benchmark import Benchmark, Layout, Scalar
from banzuke.plan.cases import Request, check, key, parse_overrides, plan, processors
from banzuke.plan.catalogue import find, nearest
from banzuke.testing import case, machine

STREAM, DGEMM = find("stream"), find("dgemm")
TIMED = replace(STREAM, duration="rounds")


def test_without_settings_the_standard_sweep() -> None:
    cases = plan(STREAM, machine(cores=4), Request())
    assert [(c.threads, c.parameters["stores"]) for c in cases] == [
        (4, "nontemporal"),
        (4, "plain"),
        (2, "nontemporal"),
        (1, "nontemporal"),
    ]


def test_several_values_make_their_product() -> None:
    request = Request(threads=2, overrides={"n": ["10", "20"], "stores": ["plain", "nontemporal"]})
    cases = plan(STREAM, machine(), request)
    assert [(c.parameters["n"], c.parameters["stores"]) for c in cases] == [
        ("10", "plain"),
        ("10", "nontemporal"),
        ("20", "plain"),
        ("20", "nontemporal"),
    ]
    assert {c.threads for c in cases} == {2}


def test_equal_cases_run_once() -> None:
    assert len(plan(STREAM, machine(), Request(overrides={"n": ["10", "10"]}))) == 1


def test_ranks_share_the_cores() -> None:
    assert plan(STREAM, machine(cores=4), Request(ranks=2))[0].threads == 2
    assert plan(STREAM, machine(cores=4), Request(ranks=8))[0].threads == 1


def test_settings_alone_run_in_the_headlines_layout() -> None:
    spread = replace(STREAM, sweep=lambda _: [(Layout(2, 3), {})])
    layouts = [
        (case.ranks, case.threads)
        for request in (Request(overrides={"n": ["10"]}), Request(overrides={"n": ["10"]}, threads=4))
        for case in plan(spread, machine(cores=8), request)
    ]
    assert layouts == [(2, 3), (1, 4)]


def test_a_time_wanted_chooses_the_size_of_the_headline_alone() -> None:
    (short,) = plan(DGEMM, machine(), Request(seconds=1))
    (long,) = plan(DGEMM, machine(), Request(seconds=1000))
    assert float(long.parameters["n"]) == pytest.approx(10 * float(short.parameters["n"]), rel=0.1)
    assert (long.ranks, long.threads) == (1, 4)


@pytest.mark.parametrize(
    ("benchmark", "request_", "error"),
    [
        (STREAM, Request(seconds=1), "stream takes no --seconds"),
        (DGEMM, Request(seconds=1, overrides={n: ["9"] for n in "mnk"}), "nothing to choose: --set m=... --set n"),
        (DGEMM, Request(seconds=1, listed=((1, {}),)), "nothing to choose: the input file"),
        (TIMED, Request(seconds=1, overrides={"rounds": ["5"]}), "nothing to choose: --set rounds=... sets the time"),
        (DGEMM, Request(ranks=3, listed=((2, {}), (4, {"p": 2, "q": 2}))), r"more than 3 ranks \(4 for p=2 q=2\)"),
    ],
)
def test_requests_that_contradict_themselves(benchmark: Benchmark, request_: Request, error: str) -> None:
    with pytest.raises(BanzukeError, match=error):
        check(benchmark, request_)


def test_requests_that_can_be_carried_out() -> None:
    check(STREAM, Request(ranks=1))
    check(DGEMM, Request(seconds=1, overrides={"k": ["9"]}))
    check(DGEMM, Request(ranks=4, listed=((2, {}), (4, {}))))
    check(DGEMM, Request(ranks=4, listed=((None, {}), (4, {}))))
    check(TIMED, Request(seconds=1, overrides={"n": ["10"]}))


def test_the_cases_of_a_file_have_the_ranks_that_they_need() -> None:
    listed: tuple[tuple[int, dict[str, Scalar]], ...] = ((1, {"n": 10}), (2, {"n": 20, "k": 5}))
    cases = plan(DGEMM, machine(cores=4), Request(ranks=3, listed=listed, overrides={"k": ["6", "7"]}))
    assert [(c.ranks, c.threads, c.parameters["n"], c.parameters["k"]) for c in cases] == [
        (1, 4, 10, "6"),
        (1, 4, 10, "7"),
        (2, 2, 20, "6"),
        (2, 2, 20, "7"),
    ]
    assert [c.threads for c in plan(DGEMM, machine(), Request(threads=1, listed=listed))] == [1, 1]


def test_a_case_of_a_file_without_ranks_has_the_headlines() -> None:
    spread = replace(STREAM, sweep=lambda _: [(Layout(2, 3), {})])
    for ranks, layout in ((None, (2, 3)), (4, (4, 2))):
        (found,) = plan(spread, machine(cores=8), Request(ranks=ranks, listed=((None, {"n": 10}),)))
        assert (found.ranks, found.threads) == layout


def test_a_key_ignores_the_type_and_the_order_but_no_value() -> None:
    assert key(case(parameters={"a": 1, "b": 2})) == key(case(parameters={"b": "2", "a": "1"}))
    one = case()
    for other in (
        case(parameters={"n": 1001}),
        case(ranks=2),
        case(threads=1),
        case(backend="x"),
        case(benchmark="y"),
        case(environment="container"),
    ):
        assert key(one) != key(other)
    assert key(one) == key(case(seconds=9.0))


@pytest.mark.parametrize("setting", ["n", "n=", "=5", ""])
def test_a_malformed_setting_is_named(setting: str) -> None:
    with pytest.raises(BanzukeError, match="not understood"):
        parse_overrides([setting])


def test_settings_gather_their_values() -> None:
    assert parse_overrides(["n=1,2", "s=a", "n=3"]) == {"n": ["1", "2", "3"], "s": ["a"]}


@given(st.integers(1, 64), st.integers(1, 8), st.integers(1, 8))
def test_every_thread_has_a_core_of_its_own(cores: int, ranks: int, threads: int) -> None:
    here = machine(cores=cores, threads_per_core=2)
    if ranks * threads > 2 * cores:
        with pytest.raises(BanzukeError, match="need"):
            processors(here, ranks, threads)
        return
    places = processors(here, ranks, threads)
    taken = [cpu for rank in places for cpu in rank]
    assert [len(rank) for rank in places] == [threads] * ranks
    assert len(set(taken)) == len(taken)
    assert len({cpu % cores for cpu in taken}) == min(cores, ranks * threads)


def test_few_threads_spread_over_the_numa_nodes() -> None:
    assert processors(machine(cores=8), 1, 2) == [[0, 4]]


def test_nearest_suggests_or_lists() -> None:
    assert "stream" in nearest("steam", ["stream", "dgemm"])
    assert nearest("xyz", ["stream", "dgemm"]) == "There are: stream, dgemm"


def test_an_unknown_benchmark_is_answered_with_a_suggestion() -> None:
    with pytest.raises(BanzukeError, match=r"unknown benchmark 'steam'.*Did you mean 'stream'"):
        find("steam")
