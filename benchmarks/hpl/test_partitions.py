"""Tests of HPL's cases on nodes of several partitions, and of the ranks of groups of processors."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.errors import BanzukeError
from banzuke.evaluation.options import Options
from banzuke.evaluation.prepared import Prepared
from banzuke.machine.model import Machine
from banzuke.machine.site import Interface
from banzuke.plan.case import Case
from banzuke.plan.cases import plan
from banzuke.plan.catalogue import find
from banzuke.plan.groups import layouts_of, read_groups
from banzuke.plan.request import Request
from banzuke.testing import machine, partitioned, with_hosts
from banzuke.words.language import words

from .partitions import ranks_of_groups

HPL = find("hpl")
FAST = [Interface(name="ib0", kind="infiniband", bits_per_second=1e14)]


def nodes(number: int, rate: float, cores: int = 8, memory: int = 64 << 30) -> Machine:
    here = machine(cores=cores, blas_rate=rate, memory=memory).changed(node={"interfaces": FAST})
    return with_hosts(here, number)


def layouts(cases: list[Case]) -> list[dict[str, tuple[int, int, int]]]:
    """Return nodes, ranks per node and threads of each partition in each case."""
    return [
        {
            group.partition: (group.placement.nodes, group.per_host, group.threads)
            for group in case.groups
            if group.placement
        }
        for case in cases
    ]


def shape(case: Case) -> tuple[Any, ...]:
    return tuple(case.parameters.get(name) for name in ("p", "q", "deal"))


def test_faster_nodes_have_more_ranks_and_each_way_is_measured() -> None:
    cases = plan(HPL, partitioned(fast=nodes(2, 400e9), slow=nodes(2, 200e9)), Request())
    assert layouts(cases) == [
        {"fast": (2, 2, 4), "slow": (2, 1, 8)},
        {"fast": (2, 1, 8), "slow": (2, 1, 8)},
        {"fast": (2, 1, 8)},
        {"slow": (2, 1, 8)},
    ]
    assert [shape(case) for case in cases] == [(p, q, "rates") for p, q in ((2, 3), (2, 2), (1, 2), (1, 2))]
    assert [case.nodes for case in cases] == [4, 4, 2, 2]
    by_ranks, by_shares, fast, slow = [float(case.parameters["n"]) for case in cases]
    assert by_ranks == by_shares > fast > slow, "both ways solve the same problem"


def test_why_is_said() -> None:
    assert HPL.over_partitions
    reasons = HPL.over_partitions(partitioned(fast=nodes(2, 400e9), slow=nodes(2, 200e9))).reasons
    ranks, grid = (words("en")(reason) for reason in reasons)
    assert ranks.startswith("Ranks per node: 2 on fast (200 Gflop/s each) and 1 on slow (200 Gflop/s each)")
    assert grid == "The 6 ranks fill a grid of 2 x 3, nearly square, with the ranks of each node in one column"
    assert "速いノードほど多い" in words("ja")(reasons[0])


def test_nodes_that_would_slow_the_whole_are_left_out_and_it_is_said() -> None:
    here = partitioned(fast=nodes(4, 800e9), slow=nodes(1, 5e9))
    cases = plan(HPL, here, Request())
    assert layouts(cases)[0] == {"fast": (4, 1, 8)}
    assert {"fast": (4, 1, 8), "slow": (1, 1, 8)} in layouts(cases), "shares by rates are tried all the same"
    assert HPL.over_partitions
    (said,) = (words("en")(reason) for reason in HPL.over_partitions(here).reasons)
    assert said.startswith("Left out of the first case: nodes of slow.")
    assert said.endswith("all reach 165 Gflop/s with them and 3.2 Tflop/s without")


def test_equal_nodes_are_used_alike() -> None:
    cases = plan(HPL, partitioned(one=nodes(1, 200e9), other=nodes(1, 205e9)), Request())
    assert layouts(cases) == [{"one": (1, 1, 8), "other": (1, 1, 8)}, {"one": (1, 1, 8)}, {"other": (1, 1, 8)}]


def test_three_kinds_are_also_measured_cumulatively() -> None:
    here = partitioned(a=nodes(1, 100e9), b=nodes(1, 200e9), c=nodes(1, 400e9))
    assert [set(layout) for layout in layouts(plan(HPL, here, Request()))] == [
        {"a", "b", "c"},
        {"a", "b", "c"},
        {"a"},
        {"b"},
        {"c"},
        {"b", "c"},
    ]


def test_small_differences_between_measurements_change_no_case() -> None:
    first, second = (
        plan(HPL, partitioned(fast=nodes(2, fast), slow=nodes(2, slow)), Request())
        for fast, slow in ((400e9, 200e9), (404e9, 201e9))
    )
    assert first == second


def test_a_size_that_is_set_is_that_of_all_cases_and_a_grid_that_of_the_first() -> None:
    here = partitioned(fast=nodes(2, 400e9), slow=nodes(2, 200e9))
    sized = plan(HPL, here, Request(overrides={"n": ["960"], "nb": ["96"]}))
    assert layouts(sized) == layouts(plan(HPL, here, Request()))
    assert {case.parameters["n"] for case in sized} == {"960"}
    (shaped,) = plan(HPL, here, Request(overrides={"p": ["1"], "q": ["6"]}))
    assert shape(shaped) == ("1", "6", "rates")


@pytest.mark.parametrize(
    ("overrides", "why"),
    [
        ({"p": ["3"], "q": ["5"]}, "3 x 5 takes 15 ranks, but there are 6). Nearest: p=2 q=3"),
        ({"grid": ["3x5"]}, "3 x 5 takes 15 ranks, but there are 6). Nearest: grid=2x3"),
        ({"grid": ["6x1"]}, "and this one has one column). Nearest: grid=1x6 or shares=equal"),
    ],
)
def test_the_nearest_grid_that_the_ranks_fill_is_named(overrides: dict[str, list[str]], why: str) -> None:
    here = partitioned(fast=nodes(2, 400e9), slow=nodes(2, 200e9))
    with pytest.raises(BanzukeError) as refused:
        Prepared.planned({"hpl": HPL}, here, Request(overrides=overrides)).largest(Options(), strict=True)
    assert str(refused.value).endswith(why)


def test_the_matrix_fits_the_smallest_memory() -> None:
    here = partitioned(fast=nodes(2, 400e9), slow=nodes(2, 200e9, memory=1 << 30))
    n = float(plan(HPL, here, Request(seconds=1e6))[0].parameters["n"])
    assert 8 * n * n / 6 <= 0.8 * (1 << 30)


@given(
    rates=st.lists(st.floats(1e9, 1e12), min_size=2, max_size=4),
    number=st.integers(1, 8),
    cores=st.integers(1, 32),
)
def test_any_nodes_have_cases(rates: list[float], number: int, cores: int) -> None:
    here = partitioned(**{f"p{at}": nodes(number, rate, cores) for at, rate in enumerate(rates)})
    assert HPL.over_partitions
    for layout, parameters in HPL.over_partitions(here).cases:
        assert layout.ranks == int(parameters["p"]) * int(parameters["q"])
        for place in layout.groups:
            assert place.per_node * len(place.cpus[0]) <= cores
            assert place.nodes <= number
        assert math.isfinite(HPL.seconds(here, layout, HPL.defaults(here, layout)))


def test_other_benchmarks_are_refused() -> None:
    with pytest.raises(BanzukeError, match="stream cannot run on nodes of several partitions"):
        plan(find("stream"), partitioned(fast=nodes(1, 4e11), slow=nodes(1, 1e11)), Request())


@pytest.mark.parametrize(
    ("rates", "processors", "ranks"),
    [
        ([10e9, 10e9], [1, 1], [1, 1]),
        ([20e9, 10e9], [2, 1], [2, 1]),
        ([20e9, 10e9], [1, 1], [1, 1]),  # a rank has at least one processor
        ([27e9, 10e9], [8, 8], [4, 1]),  # three ranks of two processors would leave two idle
        ([40e9, 10e9], [4, 4], [4, 1]),
    ],
)
def test_faster_groups_have_more_ranks(rates: list[float], processors: list[int], ranks: list[int]) -> None:
    assert list(ranks_of_groups(rates, processors)) == ranks


def test_groups_are_measured_with_ranks_by_rates_and_with_one_each() -> None:
    more, alone = layouts_of(HPL, read_groups("0-1+2"), [20e9, 10e9])
    assert [[place.cpus for place in layout.groups] for layout in (more, alone)] == [
        [((0,), (1,)), ((2,),)],
        [((0, 1),), ((2,),)],
    ]
    assert (more.ranks, alone.ranks) == (3, 2)
    assert HPL.defaults(machine(), more)["q"] == 3
    assert layouts_of(HPL, read_groups("0-1+2"), []) == [alone]
    assert layouts_of(find("hpcg"), read_groups("0-1+2"), [20e9, 10e9]) == [alone]
    request = Request(groups=read_groups("0-1+2"), group_rates=(20e9, 10e9), overrides={"n": ["480"]})
    assert [case.ranks for case in plan(HPL, machine(cores=3), request)] == [3, 2]
    given_shares = Request(groups=read_groups("0-1+2"), group_rates=(20e9, 10e9), overrides={"deal": ["1:3"]})
    assert [case.ranks for case in plan(HPL, machine(cores=3), given_shares)] == [2], "two shares are for two ranks"
