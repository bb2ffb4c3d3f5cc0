"""Tests of HPCG's policy on machines of all sizes, and of its rules."""

import math
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banzuke.machine.allotment import AllottedDevice
from banzuke.machine.model import Machine
from banzuke.machine.site import Cache, CoreKind
from banzuke.plan.benchmark import Layout, Scalar
from banzuke.plan.cases import plan
from banzuke.plan.catalogue import find
from banzuke.plan.groups import placements_of, read_groups
from banzuke.plan.official import Outcome
from banzuke.plan.on_devices import on_devices
from banzuke.plan.overrides import parse_overrides
from banzuke.plan.request import Request, check
from banzuke.testing import machine, partitioned, refusal, with_hosts
from banzuke.views.breakdown import TimeBreakdown
from banzuke.words.language import words

ENGLISH = words()
HPCG = find("hpcg")
MPI = {"/bin/mpiexec": "MPICH 5"}
MEASURED = {
    "flop_rate",
    "raw_flop_rate",
    "spmv_flop_rate",
    "mg_flop_rate",
    "dot_flop_rate",
    "waxpby_flop_rate",
}
PARTS = {"mg", "spmv", "dot", "waxpby", "halo_wait", "allreduce"}
POINT, HELD = 1000, 450


def cores(count: int, *, complexes: int = 1, memory: int = 256 << 30, mpi: Mapping[str, str] = MPI) -> Machine:
    here = machine(cores=count, memory=memory)
    software = here.software.model_copy(update={"mpi": mpi})
    caches = [Cache(level=3, kind="unified", bytes=32 << 20, instances=complexes, shared_by=count // complexes)]
    return here.changed(partition={"software": software}, allotment={"caches": caches})


def local(here: Machine, layout: Layout) -> tuple[int, int, int]:
    values = HPCG.defaults(here, layout)
    return int(values["nx"]), int(values["ny"]), int(values["nz"])


def refused(ranks: int, extent: tuple[int, int, int], grid: tuple[int, int, int] = (0, 0, 0)) -> str:
    return refusal(HPCG, ranks, **dict(zip(("nx", "ny", "nz", "px", "py", "pz"), (*extent, *grid), strict=True)))


@pytest.mark.parametrize(
    ("here", "layout"),
    [
        (cores(1), (1, 1)),
        (cores(2), (2, 1)),
        (cores(2, mpi={}), (1, 2)),
        (cores(11), (1, 11)),
        (cores(14), (14, 1)),
        (cores(16), (16, 1)),
        (cores(24, complexes=4), (4, 6)),
        (cores(64, complexes=8), (8, 8)),
        (cores(96, complexes=2), (12, 8)),
        (cores(52, complexes=3), (4, 13)),
    ],
)
def test_the_headline_has_all_cores(here: Machine, layout: tuple[int, int]) -> None:
    first, _ = HPCG.sweep(here)[0]
    assert (first.ranks, first.threads) == layout


@pytest.mark.slow
@settings(max_examples=10)  # each asks the program about a dozen times
@given(count=st.integers(1, 300), complexes=st.integers(1, 8))
def test_every_case_is_legal(count: int, complexes: int) -> None:
    here = cores(count * complexes, complexes=complexes, memory=1 << 44)
    for case in plan(HPCG, here, Request()):
        assert case.ranks * case.threads == count * complexes
        assert not refusal(HPCG, case.ranks, **case.parameters)
        assert 0 < case.seconds < math.inf


def test_the_sweep_has_the_other_layout_the_other_ordering_and_a_smaller_grid() -> None:
    headline, other, ordering, smaller = plan(HPCG, cores(4), Request())
    assert [(case.ranks, case.threads) for case in (headline, other, ordering, smaller)] == [
        (4, 1),
        (1, 4),
        *[(4, 1)] * 2,
    ]
    assert headline.parameters == {"nx": 104, "ny": 104, "nz": 104, "seconds": 20.0}
    assert ordering.parameters == {**headline.parameters, "seconds": 5.0, "ordering": "colours"}
    assert smaller.parameters["nx"] == 56
    assert [(c.ranks, c.threads) for c in plan(HPCG, cores(64, complexes=8), Request())][1] == (64, 1)
    assert [(c.ranks, c.threads) for c in plan(HPCG, cores(1), Request())] == [(1, 1)] * 3


@settings(max_examples=20)
@given(memory=st.integers(1 << 30, 1 << 45), ranks=st.integers(1, 64), wanted=st.sampled_from([None, 60.0, 1800.0]))
def test_the_local_grid_fits(memory: int, ranks: int, wanted: float | None) -> None:
    extent = local(cores(64, memory=memory), Layout(ranks, 1, wanted))
    assert not refused(1, extent)
    assert extent == (16, 16, 16) or math.prod(extent) * POINT * ranks <= 0.8 * memory


def test_a_large_cache_is_left() -> None:
    here = cores(4)
    vast = here.changed(allotment={"caches": [here.allotment.caches[0].model_copy(update={"bytes": 1 << 30})]})
    assert local(here, Layout(4, 1)) == (104, 104, 104)
    assert math.prod(local(vast, Layout(4, 1))) * 324 * 4 >= 4 << 30


@pytest.mark.parametrize(("ranks", "memory"), [(1, 24 << 30), (2, 24 << 30), (16, 256 << 30), (64, 1 << 40)])
def test_a_run_of_official_length_takes_a_quarter_of_the_memory(ranks: int, memory: int) -> None:
    extent = local(cores(64, memory=memory), Layout(ranks, 1, 1800.0))
    assert 0.25 < math.prod(extent) * HELD * ranks / memory < 0.45


def test_an_illegal_grid_is_answered_with_the_nearest() -> None:
    text = refused(1, (100, 104, 104))
    assert "HPCG's rules allow no local grid of 100 x 104 x 104: each side is a multiple of 8, at least 16" in text
    assert text.endswith(". Nearest: nx=96 ny=104 nz=104 or nx=104 ny=104 nz=104")


@pytest.mark.parametrize(
    ("ranks", "grid", "said"),
    [
        (8, (2, 2, 2), ""),
        (8, (0, 0, 8), ""),
        (8, (0, 0, 0), ""),
        (8, (3, 0, 0), "no grid of 3 x 0 x 0 processes (0: chosen) has 8 ranks). Nearest: px=0 py=0 pz=0"),
        (8, (2, 2, 1), "no grid of 2 x 2 x 1 processes (0: chosen) has 8 ranks). Nearest: 4 ranks or px=0 py=0 pz=0"),
        (11, (0, 0, 0), "11 x 1 x 1 processes: each side is at least 1/8 of the longest). Nearest: 10 ranks"),
        (16, (1, 1, 16), "1 x 1 x 16 processes: each side is at least 1/8 of the longest). Nearest: px=0 py=0 pz=0"),
    ],
)
def test_process_grids_follow_the_rules(ranks: int, grid: tuple[int, int, int], said: str) -> None:
    text = refused(ranks, (104, 104, 104), grid)
    assert said in text
    assert bool(said) == bool(text)


def test_groups_share_the_boxes_by_their_rates_along_z() -> None:
    here, groups = cores(4), placements_of(read_groups("0-2+3"))
    layout = Layout(2, 3, groups=groups)
    shared, equal = HPCG.defaults(here, layout), HPCG.defaults(here, Layout(2, 1))
    assert shared == {**equal, "px": 1, "py": 1, "pz": 2, "deal": "rates"}
    assert not refusal(HPCG, 2, **shared)
    (case,) = plan(HPCG, here, Request(groups=read_groups("0-2+3")))
    assert [(group.ranks, group.threads) for group in case.groups] == [(1, 3), (1, 1)]
    longer = HPCG.seconds(here, layout, shared) - HPCG.seconds(here, layout, {**shared, "deal": "equal"})
    assert longer == pytest.approx(1.0 + 4e-6 * 64**3)


def test_kinds_of_cores_are_groups_of_their_own() -> None:
    kinds = {"E": CoreKind(cores=2, cpus=[0, 1]), "P": CoreKind(cores=6, cpus=[2, 3, 4, 5, 6, 7])}
    unlike = cores(8).changed(processor={"kinds": kinds})
    dealt = [case for case in plan(HPCG, unlike, Request()) if case.parameters.get("deal")]
    assert [[group.threads for group in case.groups] for case in dealt] == [[2, 6]]
    assert not [case for case in plan(HPCG, cores(8), Request()) if case.parameters.get("deal")]
    without_mpi = unlike.changed(partition={"software": unlike.software.model_copy(update={"mpi": {}})})
    assert not [layout for layout, _ in HPCG.sweep(without_mpi) if layout.groups]


@pytest.mark.parametrize(
    ("ranks", "parameters", "why"),
    [
        (2, {"deal": "1:2:3"}, "1:2:3 gives 3 shares to 2 layers of ranks). Nearest: deal=rates"),
        (4, {"deal": "1:2:3:4"}, "to 2 layers of ranks). Nearest: deal=rates or px=1 py=1 pz=4"),
        (2, {"deal": "1:0"}, "as 1:3 would be: '0' is no positive number). Nearest: deal=rates"),
        (1, {"deal": "rates"}, "one rank has nobody to share the points with). Leave out deal"),
        (
            2,
            {"deal": "1:20", "nx": 32},
            "but HPCG's rules allow each of these boxes 16 to 128). Nearest: deal=16:48",
        ),
    ],
)
def test_shares_that_the_grid_or_the_rules_do_not_allow_are_refused(
    ranks: int, parameters: Mapping[str, Scalar], why: str
) -> None:
    assert refusal(HPCG, ranks, **parameters).endswith(why)


@pytest.mark.parametrize(
    ("here", "hosts", "layouts"),
    [
        (cores(2), 4, [("4-nodes-all", 8, 1), ("", 2, 1), ("2-nodes-all", 4, 1)]),
        (cores(48, complexes=4), 2, [("2-nodes-8x6", 16, 6), ("", 8, 6)]),
        (cores(4, memory=1300 << 20), 2, [("2-nodes-all", 8, 1), ("", 4, 1)]),  # less than for the usual grid
        # 11 and 22 ranks have no legal grid, but 2 ranks of 11 threads have, and so have 44 and 4 ranks.
        (cores(11), 4, [("4-nodes-all", 44, 1), ("", 1, 11), ("2-nodes-numa", 2, 11)]),
        (cores(1), 11, [("8-nodes-numa", 8, 1), ("", 1, 1), ("4-nodes-numa", 4, 1), ("2-nodes-numa", 2, 1)]),
    ],
)
def test_each_number_of_hosts_has_the_local_grid_of_one(
    here: Machine, hosts: int, layouts: list[tuple[str, int, int]]
) -> None:
    cases = plan(HPCG, with_hosts(here, hosts), Request())[: len(layouts)]
    assert [(case.placement, case.ranks, case.threads) for case in cases] == layouts
    assert len({tuple(case.parameters[name] for name in ("nx", "ny", "nz")) for case in cases}) == 1
    placements = HPCG.placements(with_hosts(here, hosts)) if HPCG.placements else ()
    assert {case.placement for case in cases} - {""} <= {place.name for place in placements}


def test_many_ranks_are_laid_out_at_once() -> None:
    facts = HPCG.ask(Layout(10_000 * 128, 1), {}).problem.facts
    assert math.prod(int(facts[name]) for name in ("px", "py", "pz")) == 10_000 * 128
    assert facts["equations"] == 10_000 * 128 * 16**3


def outcome(seconds: float, memory: float, hosts: int = 1) -> Outcome:
    parameters: Mapping[str, Scalar] = {"nx": 104, "ny": 104, "nz": 104}
    conditions = {"timed_seconds": seconds, "memory_bytes": memory}
    return Outcome(parameters, "ok", None, datetime.fromtimestamp(0, UTC), conditions=conditions, hosts=hosts)


def dealt(shares: object) -> Outcome:
    official = outcome(1800.0, 64 << 30)
    return replace(official, conditions={**official.conditions, "layer_shares": shares, "layer_axis": "z"})


@pytest.mark.parametrize(
    ("measured", "broken"),
    [
        (outcome(1800.0, 64 << 30), []),
        (outcome(20.26, 64 << 30), ["20.3 s instead of at least 1,800 s of timed sets"]),
        (outcome(1800.0, 32 << 30), ["12.5% instead of at least 25% of the memory"]),
        (outcome(1800.0, 128 << 30, hosts=4), ["12.5% instead of at least 25% of the memory"]),
        (
            replace(outcome(0, 0), conditions={}),
            ["0 s instead of at least 1,800 s of timed sets", "0% instead of at least 25% of the memory"],
        ),
        (dealt([0.25, 0.75]), ["unequal boxes instead of equal boxes on all ranks"]),
        (dealt([0.5, 0.5]), []),
        (dealt(["x", None]), []),
    ],
)
def test_rules_that_a_run_did_not_follow_are_named(measured: Outcome, broken: list[str]) -> None:
    assert HPCG.official.rules is not None
    named = [(violation.found, violation.rule) for violation in HPCG.official.rules(cores(4), measured)]
    assert [f"{ENGLISH.fact(seen)} instead of {ENGLISH.fact(rule)}" for seen, rule in named] == broken


def test_seconds_set_the_time_and_not_the_size() -> None:
    asked = Request(seconds=60.0, overrides=parse_overrides(["nx=64", "ny=64", "nz=64"]))
    check(HPCG, asked)
    (case,) = plan(HPCG, cores(2), asked)
    assert case.parameters == {"nx": "64", "ny": "64", "nz": "64", "seconds": 60.0}


def test_what_the_program_reports_is_declared() -> None:
    assert {metric.name for metric in HPCG.metrics} == MEASURED
    view, *_ = HPCG.views
    assert isinstance(view, TimeBreakdown)
    assert set(view.phases) == PARTS
    assert {name for name, phase in view.phases.items() if phase.advice} >= {"mg", "spmv", "halo_wait", "allreduce"}


def with_devices(*memories: int) -> Machine:
    devices = [
        AllottedDevice(identity=f"GPU-{number}", name="Large", vendor="NVIDIA", memory=memory, memory_available=memory)
        for number, memory in enumerate(memories)
    ]
    return machine(cores=8).changed(allotment={"devices": devices})


ON_DEVICES = on_devices(HPCG, "cuda")


@pytest.mark.parametrize(
    ("memory", "edges"), [(141 << 30, [256, 128]), (16 << 30, [248, 120]), (2 << 30, [120, 56]), (1 << 20, [16])]
)
def test_a_device_has_a_box_that_fits_and_a_smaller_one(memory: int, edges: list[int]) -> None:
    cases = plan(ON_DEVICES, with_devices(memory), Request())
    assert [(case.ranks, case.threads, case.parameters["nx"]) for case in cases] == [(1, 1, edge) for edge in edges]
    assert cases[0].parameters["seconds"] == 5.0
    assert all(0 < case.seconds < 60 for case in cases)


@pytest.mark.parametrize("memory", [80 << 30, 141 << 30, 192 << 30, 288 << 30])
def test_a_run_of_official_length_takes_a_quarter_of_the_devices_memory(memory: int) -> None:
    values = ON_DEVICES.defaults(with_devices(memory), Layout(1, 1, 1800.0, devices=1))
    x, y, z = (int(values[name]) for name in ("nx", "ny", "nz"))
    assert 0.25 < x * y * z * 390 / memory < 0.3
    assert x == y <= 504
    assert x <= z <= 8 * x
    assert all(side % 8 == 0 for side in (x, y, z))


def test_the_quarter_of_a_run_on_devices_is_that_of_their_memory() -> None:
    here = with_devices(80 << 30, 80 << 30)
    measured = replace(outcome(1800.0, 32 << 30), backend="cuda", ranks=1)
    assert HPCG.official.rules is not None
    assert not HPCG.official.rules(here, measured)
    (broken,) = HPCG.official.rules(here, replace(measured, ranks=2))
    assert ENGLISH.fact(broken.found) == "20%"


def test_nodes_of_partitions_share_one_problem_by_rates_and_each_partition_solves_its_own() -> None:
    fast, slow = (with_hosts(cores(number), hosts) for number, hosts in ((8, 2), (2, 1)))
    together, *alone = plan(HPCG, partitioned(fast=fast, slow=slow), Request())
    assert [(group.partition, group.ranks, group.threads) for group in together.groups] == [
        ("fast", 2, 8),
        ("slow", 1, 2),
    ]
    assert [together.parameters[name] for name in ("px", "py", "pz", "deal")] == [1, 1, 3, "rates"]
    assert [[group.partition for group in case.groups] for case in alone] == [["fast"], ["slow"]]
    assert ["deal" in case.parameters for case in alone] == [True, False], "a single rank has nobody to share with"
