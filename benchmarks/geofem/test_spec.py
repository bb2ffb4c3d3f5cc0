"""Tests of GeoFEM-Cube's policy on machines of all sizes."""

import math
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banzuke.machine.allotment import AllottedDevice
from banzuke.machine.model import Machine
from banzuke.machine.site import CoreKind, NumaNode
from banzuke.plan.benchmark import Layout, Scalar
from banzuke.plan.case import Case
from banzuke.plan.cases import plan
from banzuke.plan.catalogue import find
from banzuke.plan.groups import placements_of, read_groups
from banzuke.plan.on_devices import on_devices
from banzuke.plan.request import Request
from banzuke.testing import machine, partitioned, refusal, with_hosts
from banzuke.views.breakdown import TimeBreakdown

GEOFEM = find("geofem")
MPI = {"/bin/mpiexec": "MPICH 5"}
NODE = 2600


def nodes_of(
    cores: int, nodes: int = 1, *, cache: int = 32 << 20, memory: int = 256 << 30, mpi: Mapping[str, str] = MPI
) -> Machine:
    here = machine(cores=cores, last_level=cache, memory=memory)
    cpus = here.allotment.one_per_core
    numa = [NumaNode(node=i, cpus=cpus[i * cores // nodes : (i + 1) * cores // nodes]) for i in range(nodes)]
    return here.changed(node={"numa": numa}, partition={"software": here.software.model_copy(update={"mpi": mpi})})


def triple(parameters: Mapping[str, Scalar], names: str) -> tuple[int, int, int]:
    x, y, z = (int(parameters[f"{names}{axis}"]) for axis in "xyz")
    return x, y, z


def cases(here: Machine) -> list[Case]:
    return plan(GEOFEM, here, Request())


@pytest.mark.parametrize(
    ("cores", "cube"),
    [
        (1, (40, 40, 40)),
        (2, (80, 40, 40)),
        (8, (80, 80, 80)),
        (16, (160, 80, 80)),
        (12, (120, 80, 80)),
        (7, (280, 40, 40)),
    ],
)
def test_the_headline_is_the_reports_case(cores: int, cube: tuple[int, int, int]) -> None:
    first = cases(nodes_of(cores))[0]
    assert (first.ranks, first.threads) == (cores, 1)
    assert triple(first.parameters, "n") == cube
    assert [n // p for n, p in zip(cube, triple(first.parameters, "p"), strict=True)] == [40, 40, 40]


def test_each_core_of_several_hosts_has_as_many_nodes_as_of_one() -> None:
    planned = cases(with_hosts(nodes_of(4), 6))
    first = [(case.placement, case.ranks, triple(case.parameters, "n")) for case in planned[:4]]
    assert first == [
        ("6-nodes-all", 24, (160, 120, 80)),
        ("", 4, (80, 80, 40)),
        ("4-nodes-all", 16, (160, 80, 80)),
        ("2-nodes-all", 8, (80, 80, 80)),
    ]
    assert {case.nodes for case in planned[4:]} == {1}
    for case in planned[:4]:
        assert triple(case.parameters, "n") == tuple(40 * along for along in triple(case.parameters, "p"))


@pytest.mark.slow
@settings(max_examples=5)  # each asks the program about a dozen times
@given(cores=st.integers(1, 300), nodes=st.integers(1, 8), of_core=st.integers(1 << 16, 1 << 36))
def test_every_case_can_run(cores: int, nodes: int, of_core: int) -> None:
    memory = of_core * cores * nodes
    planned = cases(nodes_of(cores * nodes, nodes, memory=memory))
    for case in planned:
        assert case.ranks * case.threads == cores * nodes
        assert not refusal(GEOFEM, case.ranks, **case.parameters)
        assert 0 < case.seconds < math.inf
        assert math.prod(triple(case.parameters, "n")) * NODE <= 0.6 * memory
    assert len({triple(case.parameters, "n") for case in planned}) == 1


def test_a_cube_that_the_caches_would_hold_is_larger_and_the_reports_is_run_too() -> None:
    here = nodes_of(4, cache=1 << 30)
    first, second = cases(here)[:2]
    assert math.prod(triple(first.parameters, "n")) * NODE >= 4 << 30
    assert triple(second.parameters, "n") == (80, 80, 40)
    assert (second.ranks, second.threads) == (4, 1)


@pytest.mark.parametrize(
    ("here", "layouts"),
    [
        (nodes_of(1), {(1, 1)}),
        (nodes_of(2), {(2, 1), (1, 2)}),
        (nodes_of(6), {(6, 1), (3, 2), (2, 3), (1, 6)}),
        (nodes_of(4, mpi={}), {(1, 4)}),
    ],
)
def test_all_layouts_are_run_with_the_same_cube(here: Machine, layouts: set[tuple[int, int]]) -> None:
    alike = [
        case for case in cases(here) if (case.parameters["ordering"], case.parameters["colours"]) == ("cm-rcm", 32)
    ]
    assert {(case.ranks, case.threads) for case in alike} == layouts
    assert len({triple(case.parameters, "n") for case in alike}) == 1


@pytest.mark.parametrize(("nodes", "layout"), [(1, (1, 8)), (2, (2, 4)), (3, (1, 8))])
def test_colours_are_swept_in_the_layout_of_the_numa_nodes(nodes: int, layout: tuple[int, int]) -> None:
    swept = [case for case in cases(nodes_of(8, nodes)) if case.parameters["ordering"] != "cm-rcm"]
    assert {(case.ranks, case.threads) for case in swept} == {layout}
    assert [case.parameters["colours"] for case in swept if case.parameters["ordering"] == "mc"] == [8, 16, 32, 64, 128]
    assert [case.parameters["ordering"] for case in swept].count("rcm") == 1


@pytest.mark.parametrize(
    ("ranks", "nodes", "grid", "said"),
    [
        (8, (40, 40, 40), (2, 2, 2), ""),
        (8, (40, 40, 40), (0, 0, 2), ""),
        (8, (40, 40, 40), (0, 0, 3), "8 ranks cannot be a grid of 0 x 0 x 3 (0: chosen)"),
        (
            8,
            (40, 40, 40),
            (2, 2, 1),
            "grid of 2 x 2 x 1 (0: chosen) with at most 40 x 40 x 40, a node for each). Nearest: 4 ranks",
        ),
        (8, (4, 40, 40), (8, 1, 1), "with at most 4 x 40 x 40, a node for each). Nearest: px=0 py=0 pz=0"),
    ],
)
def test_a_grid_that_is_not_the_ranks_is_named(
    ranks: int, nodes: tuple[int, int, int], grid: tuple[int, int, int], said: str
) -> None:
    parameters = dict(zip(("nx", "ny", "nz", "px", "py", "pz"), (*nodes, *grid), strict=True))
    text = refusal(GEOFEM, ranks, **parameters)
    assert said in text
    assert bool(said) == bool(text)


def test_a_size_of_the_users_own_keeps_a_grid_of_all_ranks() -> None:
    values = GEOFEM.defaults(nodes_of(12), Layout(6, 2))
    assert math.prod(triple(values, "p")) == 6


def test_groups_share_the_cube_by_their_rates() -> None:
    here, groups = machine(memory=1 << 42), placements_of(read_groups("0-2+3"))
    layout, whole = Layout(2, 3, groups=groups), GEOFEM.defaults(here, Layout(1, 4))
    shared = GEOFEM.defaults(here, layout)
    assert (triple(shared, "n"), shared["deal"]) == (triple(whole, "n"), "rates")
    assert sorted(triple(shared, "p")) == [1, 1, 2]
    probe = GEOFEM.seconds(here, layout, shared) - GEOFEM.seconds(here, Layout(1, 4), whole)
    assert probe == pytest.approx(1.5)
    (case,) = plan(GEOFEM, here, Request(groups=read_groups("0-2+3")))
    assert [(group.ranks, group.threads) for group in case.groups] == [(1, 3), (1, 1)]


def test_kinds_of_cores_are_groups_of_their_own() -> None:
    kinds = {"E": CoreKind(cores=2, cpus=[0, 1]), "P": CoreKind(cores=6, cpus=[2, 3, 4, 5, 6, 7])}
    unlike = nodes_of(8).changed(processor={"kinds": kinds})
    dealt = [case for case in cases(unlike) if case.parameters.get("deal")]
    assert [[group.threads for group in case.groups] for case in dealt] == [[2, 6]]
    assert not [case for case in cases(nodes_of(8)) if case.parameters.get("deal")]
    without_mpi = unlike.changed(partition={"software": unlike.software.model_copy(update={"mpi": {}})})
    assert not [layout for layout, _ in GEOFEM.sweep(without_mpi) if layout.groups]


@pytest.mark.parametrize(
    ("ranks", "deal", "why"),
    [
        (2, "1:2:3", "1:2:3 gives 3 shares to 2 layers of ranks). Nearest: deal=rates"),
        (2, "1:0", "as 1:3 would be: '0' is no positive number). Nearest: deal=rates"),
        (1, "rates", "one rank has nobody to share the nodes with). Leave out deal"),
    ],
)
def test_shares_that_do_not_fit_the_grid_are_refused(ranks: int, deal: str, why: str) -> None:
    assert refusal(GEOFEM, ranks, deal=deal).endswith(why)


def test_what_the_program_reports_is_declared() -> None:
    assert {metric.name for metric in GEOFEM.metrics} == {"flop_rate", "time", "iterations"}
    view, *_ = GEOFEM.views
    assert isinstance(view, TimeBreakdown)
    assert set(view.phases) == {"spmv", "precondition", "vectors", "halo_wait", "allreduce"}


ON_DEVICES = on_devices(GEOFEM, "cuda")


def with_device(memory: int) -> Machine:
    device = AllottedDevice(identity="GPU-0", name="Large", vendor="NVIDIA", memory=memory, memory_available=memory)
    return machine(cores=8).changed(allotment={"devices": [device]})


@pytest.mark.parametrize(
    ("memory", "edges"),
    [
        (141 << 30, [160, 160, 160, 80]),
        (8 << 30, [125, 125, 125, 62]),
        (1 << 20, [6, 6, 6, 3]),
        (1 << 14, [2, 2, 2]),
    ],
)
def test_a_device_has_a_cube_that_fits_and_a_smaller_one(memory: int, edges: list[int]) -> None:
    planned = plan(ON_DEVICES, with_device(memory), Request())
    assert [triple(case.parameters, "n") for case in planned] == [(edge, edge, edge) for edge in edges]
    assert [(case.parameters["ordering"], case.parameters["colours"]) for case in planned][:3] == [
        ("cm-rcm", 8),
        ("mc", 8),
        ("cm-rcm", 32),
    ]
    for case in planned:
        assert (case.ranks, case.threads) == (1, 1)
        assert 0 < case.seconds < 60


def test_a_device_has_less_in_less_time_and_several_have_as_much_each() -> None:
    here = with_device(80 << 30)
    short = ON_DEVICES.defaults(here, Layout(1, 1, 4.0, devices=1))
    assert 40 < int(short["nx"]) < 160
    assert ON_DEVICES.defaults(here, Layout(1, 1, 0.1, devices=1))["nx"] == 40
    assert triple(ON_DEVICES.defaults(here, Layout(2, 1, devices=1)), "n") == (320, 160, 160)


def test_nodes_of_partitions_share_one_problem_by_rates_and_each_partition_solves_its_own() -> None:
    fast, slow = (with_hosts(nodes_of(cores), hosts) for cores, hosts in ((8, 2), (2, 1)))
    together, *alone = plan(GEOFEM, partitioned(fast=fast, slow=slow), Request())
    assert [(group.partition, group.ranks, group.threads) for group in together.groups] == [
        ("fast", 2, 8),
        ("slow", 1, 2),
    ]
    assert [together.parameters[name] for name in ("px", "py", "pz", "deal")] == [3, 1, 1, "rates"]
    assert [[group.partition for group in case.groups] for case in alone] == [["fast"], ["slow"]]
    assert ["deal" in case.parameters for case in alone] == [True, False], "a single rank has nobody to share with"
    assert math.prod(triple(together.parameters, "n")) == 40**3 * 18
