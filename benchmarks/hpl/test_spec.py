"""Tests of HPL's policy on machines of all sizes."""

import math
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.errors import BanzukeError
from banzuke.evaluation.options import Options
from banzuke.evaluation.prepared import Prepared
from banzuke.launch.check import answered
from banzuke.machine.model import Machine
from banzuke.machine.site import CoreKind, Interface, NumaNode
from banzuke.plan.benchmark import Layout
from banzuke.plan.cases import plan
from banzuke.plan.catalogue import find
from banzuke.plan.groups import placements_of, read_groups
from banzuke.plan.layouts import on_all_cores
from banzuke.plan.request import Request
from banzuke.program.describe import RefusedError
from banzuke.testing import machine, refusal, with_hosts
from banzuke.views.breakdown import TimeBreakdown
from banzuke.words.language import words

HPL = find("hpl")
MPI = {"/bin/mpiexec": "MPICH 5"}
FAST = [Interface(name="ib0", kind="infiniband", bits_per_second=1e14)]
MEASURED = {"flop_rate", "time"}
PARTS = {"panel", "pivot_exchange", "transfer", "broadcast_wait", "swap", "swap_wait", "update", "thread_wait", "solve"}


def nodes_of(nodes: int = 1, *, cores: int = 4, quota: float | None = None, mpi: Mapping[str, str] = MPI) -> Machine:
    here = machine(cores=cores)
    cpus = here.allotment.one_per_core
    numa = [NumaNode(node=i, cpus=cpus[i * cores // nodes : (i + 1) * cores // nodes]) for i in range(nodes)]
    software = here.software.model_copy(update={"mpi": mpi})
    return here.changed(partition={"software": software}, node={"numa": numa}, allotment={"quota": quota})


def chosen(here: Machine, layout: Layout) -> tuple[int, int, int, int]:
    values = HPL.defaults(here, layout)
    n, nb, p, q = (int(values[name]) for name in ("n", "nb", "p", "q"))
    return n, nb, p, q


@pytest.mark.parametrize("wanted", [None, 5.0, 3600.0])
def test_the_headline_takes_the_time_wanted(wanted: float | None) -> None:
    here = machine(memory=1 << 42)
    layout = Layout(1, 4, seconds=wanted)
    parameters = HPL.defaults(here, layout)
    assert 0.8 < HPL.seconds(here, layout, parameters) / (wanted or 20.0) < 1.3


@given(memory=st.integers(1, 1 << 45), cores=st.integers(1, 500), ranks=st.integers(1, 64))
def test_the_matrix_and_its_buffers_fit_in_memory(memory: int, cores: int, ranks: int) -> None:
    n, nb, p, q = chosen(machine(memory=memory, cores=cores), Layout(ranks, 4))
    assert n == 1 or 1.1 * 8 * n * n <= 0.8 * memory
    assert 1 <= nb <= n
    assert n % nb == 0
    assert p * q == ranks


def test_memory_is_used_where_there_is_time() -> None:
    n, _, _, _ = chosen(machine(memory=64 << 30), Layout(1, 4, seconds=1e6))
    assert 0.7 < 8 * n * n / (64 << 30) < 0.8


def test_a_small_matrix_is_one_block() -> None:
    assert chosen(machine(), Layout(1, 4))[1] == 192
    assert chosen(machine(memory=100_000), Layout(1, 4))[:2] == (94, 94)


@pytest.mark.parametrize(
    ("ranks", "grid"), [(1, (1, 1)), (2, (1, 2)), (4, (2, 2)), (6, (2, 3)), (7, (1, 7)), (12, (3, 4)), (36, (6, 6))]
)
def test_grids_are_flat_squares(ranks: int, grid: tuple[int, int]) -> None:
    assert chosen(machine(), Layout(ranks, 1))[2:] == grid


def test_the_sweep_has_smaller_orders_and_ranks_that_pass_messages() -> None:
    (headline, half, quarter, few) = plan(HPL, nodes_of(cores=8), Request())
    assert [(c.ranks, c.threads) for c in (headline, half, quarter, few)] == [(1, 8), (1, 8), (1, 8), (4, 1)]
    n = float(headline.parameters["n"])
    assert float(half.parameters["n"]) == pytest.approx(n / 2, rel=0.05)
    assert float(quarter.parameters["n"]) == pytest.approx(n / 4, rel=0.05)
    assert (few.parameters["p"], few.parameters["q"]) == (2, 2)
    assert 3 < few.seconds < 6
    assert sum(case.seconds for case in (half, quarter, few)) < headline.seconds / 2


@pytest.mark.parametrize(
    ("here", "layouts"),
    [
        (nodes_of(2, cores=8, mpi={}), {(1, 8)}),
        (nodes_of(cores=1), {(1, 1)}),
        (nodes_of(cores=2), {(1, 2), (2, 1)}),
        (nodes_of(cores=3), {(1, 3), (2, 1)}),
        (nodes_of(2, cores=8), {(2, 4), (4, 1)}),
        (nodes_of(4, cores=16), {(4, 4)}),
        (nodes_of(2, cores=7), {(1, 7), (4, 1)}),
        (nodes_of(2, cores=8, quota=3.0), {(1, 3), (2, 1)}),
        (nodes_of(2, cores=8, quota=4.0), {(2, 2), (4, 1)}),
    ],
)
def test_layouts_follow_the_nodes_and_the_cores(here: Machine, layouts: set[tuple[int, int]]) -> None:
    assert {(layout.ranks, layout.threads) for layout, _ in HPL.sweep(here)} == layouts


def test_all_hosts_come_first_then_one_then_those_between() -> None:
    cases = plan(HPL, with_hosts(nodes_of(2, cores=8), 6), Request())
    assert [(c.placement, c.ranks, c.threads) for c in cases[:4]] == [
        ("6-nodes-numa", 12, 4),
        ("", 2, 4),
        ("4-nodes-numa", 8, 4),
        ("2-nodes-numa", 4, 4),
    ]
    assert {c.nodes for c in cases[4:]} == {1}
    orders = {c.nodes: float(c.parameters["n"]) for c in cases[:4]}
    assert orders[1] < orders[2] < orders[4] < orders[6]


@pytest.mark.parametrize(
    ("hosts", "nodes", "used", "shape"),
    [
        (997, 1, 992, (31, 32)),
        (5860, 2, 5859, (62, 189)),  # each host in one column
        (4099, 2, 4096, (64, 128)),
        (221, 4, 221, (26, 34)),
        (64, 2, 64, (8, 16)),
        (7, 1, 7, (1, 7)),
    ],
)
def test_hosts_are_left_out_rather_than_a_grid_far_from_a_square(
    hosts: int, nodes: int, used: int, shape: tuple[int, int]
) -> None:
    here = with_hosts(nodes_of(nodes, cores=8), hosts)
    cases = plan(HPL, here, Request())
    first = cases[0]
    assert (first.nodes, first.ranks) == (used, used * nodes)
    assert (first.parameters["p"], first.parameters["q"]) == shape
    assert HPL.tell_left_out
    texts = [words("en")(reason) for reason in HPL.tell_left_out(here, cases)]
    assert len(texts) == (used < hosts)
    assert all(text.startswith(f"{hosts - used:,} of {hosts:,} hosts are left out") for text in texts)
    assert not [*HPL.tell_left_out(here, [])]


def test_hosts_that_were_asked_for_are_kept_with_a_remark() -> None:
    here = with_hosts(nodes_of(1, cores=8), 997)
    assert HPL.tell_left_out
    for asked, texts in (
        (997, ["997 ranks fill only a grid of 1 x 997, far from a square. 992 hosts would fill 31 x 32"]),
        (64, []),
    ):
        cases = plan(HPL, here, Request(nodes=asked))
        assert cases[0].nodes == asked
        assert [words("en")(reason) for reason in HPL.tell_left_out(here, cases)] == texts
    chosen = plan(HPL, here, Request(nodes=996, overrides={"p": ["12"], "q": ["83"]}))
    assert not [*HPL.tell_left_out(here, chosen)]


def test_the_order_follows_the_memory_and_the_rate_of_all_hosts() -> None:
    def largest(memory: int, hosts: int) -> float:
        here = machine(memory=memory).changed(node={"interfaces": FAST})
        return float(plan(HPL, with_hosts(here, hosts), Request())[0].parameters["n"])

    assert largest(1 << 30, 4) == pytest.approx(2 * largest(1 << 30, 1), rel=0.05)  # bytes: n^2
    assert largest(1 << 42, 8) == pytest.approx(2 * largest(1 << 42, 1), rel=0.05)  # flops: n^3


def test_a_slow_link_makes_the_order_smaller() -> None:
    here = machine(memory=1 << 42)
    fast, slow = (
        plan(HPL, with_hosts(here.changed(node={"interfaces": links}), 4), Request(nodes=4))[0] for links in (FAST, [])
    )
    assert float(slow.parameters["n"]) < 0.9 * float(fast.parameters["n"])
    for case in (fast, slow):
        assert 0.8 < case.seconds / 20.0 < 1.3


@pytest.mark.parametrize(
    ("hosts", "cores", "grid"),
    [
        (2, 1, (1, 2)),
        (2, 4, (2, 4)),  # each host has two columns
        (3, 4, (2, 6)),  # not 3 x 4, whose second column would be on two hosts
        (4, 16, (8, 8)),
        (16, 1, (4, 4)),
        (16, 2, (4, 8)),
        (100, 2, (10, 20)),
        (2, 7, (1, 14)),
    ],
)
def test_hosts_lie_side_by_side_in_the_grid(hosts: int, cores: int, grid: tuple[int, int]) -> None:
    here = with_hosts(machine(cores=cores), hosts)
    layout = on_all_cores(here, 1, hosts)
    values = HPL.defaults(here, layout)
    assert (values["p"], values["q"], values["order"]) == (*grid, "column")
    columns = [{rank // cores for rank in range(column * grid[0], (column + 1) * grid[0])} for column in range(grid[1])]
    assert all(len(column) == max(1, grid[0] // cores) for column in columns)


def test_groups_are_columns_of_the_grid_that_share_by_their_rates() -> None:
    here, groups = machine(memory=1 << 42), placements_of(read_groups("0-2+3"))
    layout, whole = Layout(2, 3, groups=groups), HPL.defaults(here, Layout(1, 4))
    shared = HPL.defaults(here, layout)
    assert shared == {**whole, "p": 1, "q": 2, "deal": "rates"}
    probe = HPL.seconds(here, layout, shared) - HPL.seconds(here, Layout(1, 4), whole)
    assert probe == pytest.approx(0.5)
    (case,) = plan(HPL, here, Request(groups=read_groups("0-2+3")))
    assert [(group.ranks, group.threads) for group in case.groups] == [(1, 3), (1, 1)]


def test_kinds_of_cores_are_groups_of_their_own() -> None:
    kinds = {"E": CoreKind(cores=2, cpus=[0, 1]), "P": CoreKind(cores=6, cpus=[2, 3, 4, 5, 6, 7])}
    unlike = nodes_of(cores=8).changed(processor={"kinds": kinds})
    dealt = [case for case in plan(HPL, unlike, Request()) if case.parameters.get("deal")]
    assert [[group.threads for group in case.groups] for case in dealt] == [[2, 6], [2, 6]]
    assert [case.parameters["deal"] for case in dealt] == ["rates", "equal"]
    assert not [case for case in plan(HPL, nodes_of(cores=8), Request()) if case.parameters.get("deal")]
    without_mpi = unlike.changed(partition={"software": unlike.software.model_copy(update={"mpi": {}})})
    assert [layout for layout, _ in HPL.sweep(unlike) if layout.groups]
    assert not [layout for layout, _ in HPL.sweep(without_mpi) if layout.groups]


@pytest.mark.parametrize(
    ("ranks", "deal", "why"),
    [
        (2, "1:2:3", "1:2:3 gives 3 shares to 2 columns of the grid). Nearest: deal=rates"),
        (2, "1:0", "as 1:3 would be: '0' is no positive number). Nearest: deal=rates"),
        (1, "rates", "one column of the grid has nobody to share the matrix with). Leave out deal"),
    ],
)
def test_shares_that_do_not_fit_the_grid_are_refused(ranks: int, deal: str, why: str) -> None:
    assert refusal(HPL, ranks, p=1, q=ranks, deal=deal).endswith(why)


def test_a_tiny_machine_has_one_order() -> None:
    assert len(HPL.sweep(machine(memory=1 << 20))) == 1


def test_a_grid_that_is_not_the_ranks_is_named() -> None:
    assert not refusal(HPL, 6, p=2, q=3)
    assert refusal(HPL, 4, p=2, q=3).endswith("2 x 3 takes 6 ranks, but there are 4). Nearest: 6 ranks or p=2 q=2")
    assert refusal(HPL, 2, p=1, q=1).endswith("1 x 1 takes 1 rank, but there are 2). Nearest: 1 rank or p=1 q=2")


def test_what_the_program_reports_is_declared() -> None:
    assert {metric.name for metric in HPL.metrics} == MEASURED
    view, *_ = HPL.views
    assert isinstance(view, TimeBreakdown)
    assert set(view.phases) == PARTS
    assert [name for name, phase in view.phases.items() if phase.useful] == ["update"]
    assert all(phase.advice for phase in view.phases.values())


@given(n=st.integers(1, 10**6), ranks=st.integers(1, 64), threads=st.integers(1, 64))
def test_times_are_estimated_for_any_case(n: int, ranks: int, threads: int) -> None:
    assert 0 < HPL.seconds(machine(), Layout(ranks, threads), {"n": str(n)}) < math.inf


def test_shares_and_grid_are_other_names_of_parameters() -> None:
    here = machine(memory=1 << 42)
    (case,) = plan(HPL, here, Request(groups=read_groups("0-2+3"), overrides={"n": ["400"], "shares": ["1:3"]}))
    assert case.parameters["deal"] == "1:3"
    (case,) = plan(HPL, here, Request(ranks=2, overrides={"n": ["400"], "grid": ["2x1"]}))
    assert (case.ranks, case.parameters["p"], case.parameters["q"]) == (2, "2", "1")
    for wrong in (["2"], ["2x1x1"], ["1x2", "2x1"]):
        with pytest.raises(BanzukeError, match=r"is no single grid of hpl\. Write --set grid=2x3, or set p and q"):
            plan(HPL, here, Request(ranks=2, overrides={"grid": wrong}))
    with pytest.raises(BanzukeError, match="--set grid= also sets q of hpl"):
        plan(HPL, here, Request(ranks=2, overrides={"grid": ["2x1"], "q": ["1"]}))


@pytest.mark.parametrize(
    ("overrides", "why"),
    [
        ({"grid": ["3x1"]}, "3 x 1 takes 3 ranks, but there are 2). Nearest: grid=1x2"),
        ({"p": ["3"]}, "3 x 2 takes 6 ranks, but there are 2). Nearest: p=1 q=2"),
        ({"grid": ["2x1"]}, "and this one has one column). Nearest: grid=1x2 or shares=equal"),
        ({"shares": ["1:2:3"]}, "(shares: 1:2:3 gives 3 shares to 2 columns of the grid). Nearest: shares=rates"),
        ({"deal": ["1:2:3"]}, "(deal: 1:2:3 gives 3 shares to 2 columns of the grid). Nearest: deal=rates"),
        ({"shares": ["1:"]}, "'' is no positive number). Nearest: shares=rates"),
    ],
)
def test_what_groups_cannot_share_is_refused_in_the_words_of_the_request(
    overrides: Mapping[str, Sequence[str]], why: str
) -> None:
    here = machine(memory=1 << 42)
    request = Request(groups=read_groups("0-2+3"), overrides={"n": ["400"], **overrides})
    with pytest.raises(RefusedError) as refused:
        Prepared.planned({"hpl": HPL}, here, request).largest(Options(), strict=True)
    assert str(refused.value).endswith(why)


def test_groups_that_take_equal_parts_as_asked_for_may_be_rows_of_the_grid() -> None:
    overrides = {"n": ["400"], "grid": ["2x1"], "shares": ["equal"]}
    (case,) = plan(HPL, machine(memory=1 << 42), Request(groups=read_groups("0-2+3"), overrides=overrides))
    assert answered(case, machine())[0].problem.footprint
