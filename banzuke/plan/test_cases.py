"""From requests to cases."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Ask, Asking, Benchmark, Layout, Scalar
from banzuke.plan.capabilities import Messages
from banzuke.plan.case import Case, RankGroup, key
from banzuke.plan.cases import plan
from banzuke.plan.catalogue import benchmarks, find
from banzuke.plan.placement import Placement, pair_placements, processors, shared_processors
from banzuke.plan.request import Request, check, check_all
from banzuke.plan.variant import Variants
from banzuke.program.describe import CannotStartError
from banzuke.testing import case, machine, plan_all, with_hosts
from banzuke.text import nearest

STREAM, DGEMM, PT2PT = find("stream"), find("dgemm"), find("pt2pt")


def test_without_settings_the_standard_sweep() -> None:
    cases = plan(STREAM, machine(cores=4), Request())
    assert [(c.threads, c.parameters["stores"]) for c in cases] == [
        (4, "nontemporal"),
        (4, "plain"),
        (2, "nontemporal"),
        (1, "nontemporal"),
    ]


def test_a_program_that_cannot_be_asked_leaves_one_case_that_will_say_why() -> None:
    def silent(_ask: Ask, _machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
        raise CannotStartError("it is damaged")

    cases = plan_all([replace(STREAM, sweep=Asking(silent)), DGEMM], machine(cores=4), Request())
    assert [(c.benchmark, c.parameters) for c in cases if c.benchmark == "stream"] == [("stream", {})]
    assert len(cases) > 1


def test_a_program_that_cannot_be_asked_is_launched_as_it_was_asked_for() -> None:
    def silent(*_of: object) -> dict[str, Scalar]:
        raise CannotStartError("it hangs")

    request = Request(ranks=3, threads=2, backend="other", overrides={"n": ["7", "8"]})
    (case,) = plan(replace(STREAM, defaults=silent), machine(cores=8), request)
    assert (case.ranks, case.threads, case.backend, case.parameters) == (3, 2, "other", {"n": "7"})


def test_a_benchmark_that_says_nothing_runs_on_all_cores() -> None:
    plain = Benchmark(name="plain", title="Plain", metrics=STREAM.metrics)
    held = machine(cores=64).changed(allotment={"quota": 2.5})
    (case,) = plan(plain, held, Request())
    assert (case.ranks, case.threads, case.backend, case.parameters) == (1, 3, "omp", {})


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


def test_each_case_runs_in_every_environment_in_turn() -> None:
    around = Variants(("native", "isolated:user", "container"), ("/images/a",), (0,), neighbours=(0, 3))
    cases = plan(STREAM, machine(), Request(overrides={"n": ["10", "20"]}, variants=around))
    assert [
        (c.parameters["n"], c.variant.environment, c.variant.image, c.variant.os_cores, c.variant.neighbours)
        for c in cases
    ] == [
        (n, *environment, neighbours)
        for n in ("10", "20")
        for neighbours in (0, 3)
        for environment in (("native", "", ()), ("isolated:user", "", (0,)), ("container", "/images/a", ()))
    ]
    assert len({key(c) for c in cases}) == len(cases)


def test_variants_leave_the_standard_sweep() -> None:
    around = Variants(("native", "isolated"), os_cores=(0,))
    cases = plan(STREAM, machine(cores=4), Request(variants=around))
    assert [c.variant.environment for c in cases] == 4 * ["native", "isolated"]
    assert [c.threads for c in cases] == [4, 4, 4, 4, 2, 2, 1, 1]


@pytest.mark.parametrize("name", ["nativ", "native:fast", "isolated:everyone", "container:", ""])
def test_there_is_no_such_environment(name: str) -> None:
    with pytest.raises(BanzukeError, match="there is no environment"):
        plan(STREAM, machine(), Request(variants=Variants((name,))))


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
        (DGEMM, Request(seconds=1, overrides={n: ["9"] for n in "mnk"}), "no effect: --set m=... --set n"),
        (DGEMM, Request(seconds=1, listed=((1, {}),)), "no effect: the input file"),
        (STREAM, Request(seconds=1, overrides={"rounds": ["5"]}), "no effect: --set rounds=... sets the time"),
        (DGEMM, Request(ranks=3, listed=((2, {}), (4, {"p": 2, "q": 2}))), r"more than 3 ranks \(4 for p=2 q=2\)"),
    ],
)
def test_requests_that_contradict_themselves(benchmark: Benchmark, request_: Request, error: str) -> None:
    with pytest.raises(BanzukeError, match=error):
        check(benchmark, request_)


SPANNING = [name for name, benchmark in benchmarks().items() if benchmark.spans_hosts]


@pytest.mark.catalogue
def test_what_spans_hosts_is_what_has_placements_on_several() -> None:
    here = with_hosts(machine(), 2)
    spanning = [
        name
        for name, benchmark in benchmarks().items()
        if benchmark.placements and max(p.nodes for p in benchmark.placements(here)) > 1
    ]
    assert spanning == SPANNING
    assert {"hpl", "hpcg", "geofem", "fft", "gkv", "pt2pt", "collectives", "ior"} <= set(SPANNING)
    assert not {"stream", "dgemm", "spmv", "noise"} & set(SPANNING)


@pytest.mark.catalogue
@pytest.mark.parametrize("name", SPANNING)
@pytest.mark.parametrize("nodes", [1, 3])
def test_all_cases_are_on_as_many_hosts_as_asked_for(name: str, nodes: int, tmp_path: Path) -> None:
    here = with_hosts(machine(), 8).changed(
        allotment={"folders": {"scratch": str(tmp_path)}, "storage_available": {"scratch": 1 << 40}}
    )
    planned = plan(find(name), here, Request(nodes=nodes))
    assert {case.nodes for case in planned} == {nodes}
    if find(name).spans_hosts and nodes == 1:
        assert planned == plan(find(name), here.changed(allotment={"hosts": ["n1"]}), Request())


def test_large_allocations_have_few_cases() -> None:
    here = with_hosts(machine(), 10_000)
    for name in ("hpl", "hpcg", "geofem", "fft", "gkv"):
        alone = plan(find(name), with_hosts(machine(), 1), Request())
        assert len(plan(find(name), here, Request())) <= len(alone) + 2 * 14


def test_nodes_leave_those_that_span_none_on_one_host() -> None:
    here = with_hosts(machine(), 4)
    assert plan(STREAM, here, Request(nodes=4)) == plan(STREAM, here, Request())
    with pytest.raises(BanzukeError, match="stream and dgemm cannot run on 4 hosts"):
        check_all([STREAM, find("hpl"), DGEMM], Request(nodes=4))
    check_all([STREAM, find("hpl")], Request(nodes=1))


def test_more_nodes_than_there_are_are_refused() -> None:
    with pytest.raises(BanzukeError, match=r"--nodes 5 is more than there are \(4 hosts may be used\)"):
        plan(find("hpl"), with_hosts(machine(), 4), Request(nodes=5))
    with pytest.raises(BanzukeError, match=r"--nodes 2 .* \(1 host may be used\)"):
        plan(find("hpl"), machine(), Request(nodes=2))


def test_ranks_of_several_hosts_are_spread_evenly() -> None:
    here = with_hosts(machine(cores=4), 4)
    hpl = find("hpl")
    (case,) = plan(hpl, here, Request(ranks=6, nodes=3, overrides={"n": ["100"]}))
    assert (case.placement, case.ranks, case.threads, case.nodes) == ("3-nodes-2x2", 6, 2, 3)
    (case,) = plan(hpl, here, Request(threads=1, nodes=2, overrides={"n": ["100"]}))
    assert (case.placement, case.ranks, case.threads) == ("2-nodes-1x1", 2, 1)
    (case,) = plan(hpl, here, Request(nodes=2, listed=((8, {"p": 2, "q": 4}),)))
    assert (case.placement, case.ranks, case.parameters["q"]) == ("2-nodes-4x1", 8, 4)
    with pytest.raises(BanzukeError, match=r"7 ranks cannot be spread evenly over 2 hosts. Use 6 or 8 ranks"):
        plan(hpl, here, Request(ranks=7, nodes=2))
    with pytest.raises(BanzukeError, match="need 8 processors"):
        plan(hpl, here, Request(ranks=16, nodes=2))


def test_requests_that_can_be_carried_out() -> None:
    check(STREAM, Request(ranks=1))
    check(DGEMM, Request(seconds=1, overrides={"k": ["9"]}))
    check(DGEMM, Request(ranks=4, listed=((2, {}), (4, {}))))
    check(DGEMM, Request(ranks=4, listed=((None, {}), (4, {}))))
    check(STREAM, Request(seconds=1, overrides={"n": ["10"]}))


def test_a_time_wanted_is_ignored_by_those_that_have_no_size_to_choose() -> None:
    sentences = ["pt2pt takes no --seconds and ignores it: its size follows only from the machine"]
    assert check_all([PT2PT, DGEMM], Request(seconds=1)) == sentences
    assert check_all([PT2PT, DGEMM], Request()) == []
    assert plan(PT2PT, machine(), Request(seconds=1)) == plan(PT2PT, machine(), Request())
    with pytest.raises(BanzukeError, match="no effect: --set m"):
        check_all([PT2PT, DGEMM], Request(seconds=1, overrides={n: ["9"] for n in "mnk"}))
    with pytest.raises(BanzukeError, match="pt2pt takes no --seconds"):
        check_all([PT2PT], Request(seconds=1))
    with pytest.raises(BanzukeError, match="pt2pt and collectives take no --seconds"):
        check_all([PT2PT, find("collectives")], Request(seconds=1))


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
        (planned,) = plan(spread, machine(cores=8), Request(ranks=ranks, listed=((None, {"n": 10}),)))
        assert (planned.ranks, planned.threads) == layout


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


def placed(described: Machine) -> Benchmark:
    """Return a benchmark whose standard cases are at placements, with a second case of another size at
    the first one.
    """
    places = pair_placements(described)
    sweep: list[tuple[Layout, dict[str, Scalar]]] = [(Layout.of(place), {}) for place in places]
    return replace(STREAM, placements=pair_placements, sweep=lambda _: [*sweep, (Layout.of(places[0]), {"n": 7})])


def names(cases: list[Case]) -> list[tuple[str | None, Scalar]]:
    return [(case.placement or None, case.parameters["n"]) for case in cases]


TWO_HOSTS = machine(cores=2).changed(allotment={"hosts": ["a", "b"]})


def test_placements_are_chosen_by_name_or_how_it_begins() -> None:
    spec = replace(placed(TWO_HOSTS), defaults=lambda *_: {"n": 5})
    everything = [("same-numa", 5), ("other-node", 5), ("same-numa", 7)]
    assert names(plan(spec, TWO_HOSTS, Request())) == everything
    assert names(plan(spec, TWO_HOSTS, Request(placements=("same",)))) == [("same-numa", 5), ("same-numa", 7)]
    assert names(plan(spec, TWO_HOSTS, Request(placements=("other-node", "same-numa")))) == [
        ("same-numa", 5), ("same-numa", 7), ("other-node", 5),
    ]  # fmt: skip
    assert names(plan(spec, TWO_HOSTS, Request(placements=("all",), overrides={"n": ["1", "2"]}))) == [
        ("same-numa", "1"), ("same-numa", "2"), ("other-node", "1"), ("other-node", "2"),
    ]  # fmt: skip
    assert names(plan(spec, TWO_HOSTS, Request(overrides={"n": ["1"]}))) == [("same-numa", "1")]
    assert names(plan(spec, TWO_HOSTS, Request(ranks=2))) == [(None, 5)]
    (case,) = plan(spec, TWO_HOSTS, Request(placements=("other-node",)))
    assert (case.ranks, case.threads) == (2, 1)


def test_a_placement_without_standard_cases_takes_the_headlines() -> None:
    spec = replace(placed(machine(cores=2)), defaults=lambda *_: {"n": 5})
    assert names(plan(spec, TWO_HOSTS, Request(placements=("other-node",)))) == [("other-node", 5)]
    near, far = pair_placements(TWO_HOSTS)
    other = replace(spec, sweep=lambda _: [(Layout.of(near), {}), (Layout.of(far), {"n": 7})])
    assert names(plan(other, TWO_HOSTS, Request(placements=("other-node",)))) == [("other-node", 7)]


@pytest.mark.parametrize(
    ("described", "error"),
    [
        (TWO_HOSTS, r"no placement 'same-sock' here \(this machine's topology has same-numa, other-node\)$"),
        (machine(cores=2), r"has same-numa\)\. Name other hosts with --hosts"),
        (machine(cores=2).changed(allotment={"hosts": ["a"]}), r"has same-numa\)\. Name other hosts with --hosts"),
        (machine(cores=1), "has none for stream: it has too few processors or hosts"),
    ],
)
def test_a_placement_that_is_not_here(described: Machine, error: str) -> None:
    with pytest.raises(BanzukeError, match=error):
        plan(placed(TWO_HOSTS), described, Request(placements=("same-sock",)))


def test_ranks_that_send_messages_have_one_thread() -> None:
    described = machine(cores=8)
    (case,) = plan(replace(placed(described), messages=Messages()), described, Request(ranks=2))
    assert (case.ranks, case.threads) == (2, 1)


def test_nothing_to_run_is_an_error_of_all_alone() -> None:
    lone = machine(cores=1)
    spec = replace(STREAM, placements=pair_placements, sweep=lambda _: [])
    assert {case.benchmark for case in plan_all([spec, STREAM], lone, Request())} == {"stream"}
    for request in (Request(), Request(overrides={"n": ["1"]})):
        with pytest.raises(BanzukeError, match="stream: nothing can be run here"):
            plan_all([spec], lone, request)
    offering = replace(spec, placements=lambda _: pair_placements(machine(cores=2)))
    with pytest.raises(BanzukeError, match="stream: nothing can be run here"):
        plan_all([offering], lone, Request(placements=("same",)))


def test_placements_leave_no_choice_of_ranks() -> None:
    for request, error in (
        (Request(placements=("all",), ranks=2), "already sets --ranks"),
        (Request(placements=("all",), threads=1), "already sets --ranks"),
    ):
        with pytest.raises(BanzukeError, match=error):
            check(placed(TWO_HOSTS), request)
    with pytest.raises(BanzukeError, match="stream takes no --placement"):
        check(STREAM, Request(placements=("all",)))


def test_several_groups_have_one_label_and_count_together() -> None:
    placement = Placement("one", "", ((0, 1),), per_node=1, nodes=3)
    both = case(groups=(RankGroup("cuda", 3, 2, placement), RankGroup("blas", 4, 1), RankGroup("cuda", 2, 1)))
    assert (both.backend, both.ranks, both.threads, both.placement) == ("cuda+blas", 9, 2, "one")
    assert (both.per_host, both.nodes) == (7, 3)


def test_groups_that_share_a_host_share_its_cores() -> None:
    assert shared_processors(machine(cores=8), [(1, 2), (2, 1)]) == [[[0, 2]], [[4], [6]]]
    assert shared_processors(machine(cores=2, threads_per_core=2), [(1, 2), (2, 1)]) == [[[0, 1]], [[2], [3]]]


@pytest.mark.parametrize(
    ("allowed", "problem"),
    [(0, "how much memory this host has is not known"), (1 << 30, "no memory is free on this host")],
)
def test_where_no_memory_is_left_no_case_is_planned(allowed: int, problem: str) -> None:
    """Sizes would be 0, and policies divide by them."""
    full = machine(cores=4).changed(allotment={"memory_allowed": allowed, "memory_available": 0})
    with pytest.raises(BanzukeError, match=problem):
        plan(STREAM, full, Request(seconds=1.0))
