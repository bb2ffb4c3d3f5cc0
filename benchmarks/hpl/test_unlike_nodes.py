"""Tests of ranks and grids for nodes of several kinds, against the TSUBAME report and on random sets of nodes."""

import math
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random

import pytest

from banzuke.errors import BanzukeError
from banzuke.machine import published
from banzuke.plan.catalogue import find
from banzuke.predict.find import predicted_machine
from banzuke.predict.hardware import Engine, Fabric, Hardware, NodeGroup, PredictedMachine, hardware
from banzuke.predict.kinds import compose
from banzuke.predict.model import Call, constants_of, forecast
from banzuke.results.store import Store

from .model import MODEL
from .model_fill import kinds_of
from .unlike_nodes import AlikeNodes, Spares, filled_grid, in_columns, nearest_grid, rank_counts, ranks_of

CONSTANTS = {name: constant.value for name, constant in constants_of(MODEL).items()}
FABRIC = Fabric(1, 10e9, 1.5e-6, 1.0, direct=True, topology="fat-tree")
TSUBAME = {"tsubame-tesla-node": 314, "tsubame-node": 330, "tsubasa": 68}
"""Nodes of each partition in the run of the report."""


def kind(nodes: int, rate: float, cores: int = 48, memory: float = 64e9) -> NodeGroup:
    return NodeGroup(f"{rate:g}", nodes, cores, Engine("processors", 1, rate, rate, 200e9, memory))


def nodes_of(nodes: int, rate: float, cores: int = 48) -> AlikeNodes:
    (made,) = kinds_of([kind(nodes, rate, cores)])
    return made


def tsubame(nodes: dict[str, int]) -> Hardware:
    machine = next(machine for machine in published.load() if machine.id == "tsubame")
    return hardware(PredictedMachine("TSUBAME", machine.site, nodes), CONSTANTS)


def test_the_grid_of_the_report_is_chosen_for_its_nodes() -> None:
    filling = MODEL.fill(tsubame(TSUBAME), {"split": 0.0})  # as the official code has it
    assert (filling.call["mpi_per_node"], filling.call["p"], filling.call["q"]) == ("4,2,1", 32, 62)
    assert filling.nodes == (314, 330, 68)
    assert [reason.code for reason in filling.reasons] == ["hpl-ranks-of-kinds", "hpl-grid-filled"]
    ours = MODEL.fill(tsubame(TSUBAME), {}).call  # late panels delay half of the update
    assert (ours["mpi_per_node"], ours["p"], ours["q"]) == ("5,2,1", 40, 57)


def test_all_nodes_of_that_machine_fill_a_grid_but_for_a_few() -> None:
    there = {"tsubame-tesla-node": 316, "tsubame-node": 339, "tsubasa": 90}
    filling = MODEL.fill(tsubame(there), {})
    assert filling.call["mpi_per_node"] == "4,2,1"
    assert int(filling.call["p"]) * int(filling.call["q"]) == 4 * 316 + 2 * filling.nodes[1] + 90
    assert 330 <= filling.nodes[1] < 339
    assert filling.reasons[1].code == "hpl-grid-filled-by-some"


@pytest.mark.parametrize(
    ("names", "nodes", "changed", "figure", "most"),
    [  # of the TOP500: 2018-06, place 15, and 2018-11, place 6; the nodes follow from cores and peak
        ("stampede2-knl-phase+marenostrum-4", (4172, 1736), (), 10.6807e15, 0.1),
        ("trinity-xc40-haswell-part+stampede2-knl-phase", (9380, 9984), ("nodes=9984",), 20.1587e15, 0.3),
    ],
    ids=["Stampede2", "Trinity"],
)
def test_unlike_nodes_of_public_lists(
    names: str, nodes: tuple[int, ...], changed: tuple[str, ...], figure: float, most: float, tmp_path: Path
) -> None:
    """MareNostrum 4's nodes have the processors of Stampede2's, and Stampede2's those of Trinity's other part."""
    numbers = [f"{name}={number}" for name, number in zip(names.split("+"), nodes, strict=True)]
    machine = predicted_machine(names, Store(tmp_path), numbers, changed)
    together = compose(find("hpl"), machine, {}, keep=True)
    made = forecast(find("hpl"), together.machine, together.call, upgrades=False, uncertain=False)
    assert made.estimate.figure == pytest.approx(figure, rel=most)
    for kind in together.kinds:
        own = replace(machine, nodes={kind.partition: kind.there}, mixed=None)
        by_itself = forecast(find("hpl"), own, {}, upgrades=False, uncertain=False)
        assert kind.alone == pytest.approx(by_itself.estimate.figure), "each kind has the constants of its family"


@pytest.mark.parametrize(
    ("kinds", "counts"),
    [
        ((nodes_of(10, 2.1), nodes_of(10, 1.0)), (2, 1)),
        ((nodes_of(4, 1.0), nodes_of(4, 1.0)), (1, 1)),
        ((nodes_of(4, 1.0), nodes_of(4, 0.98)), (1, 1)),
        ((nodes_of(4, 8.0), nodes_of(4, 1.0)), (8, 1)),
        ((nodes_of(4, 8.0, cores=4), nodes_of(4, 1.0)), (4, 1)),
        ((nodes_of(4, 1.5), nodes_of(4, 1.0)), (3, 2)),
        ((nodes_of(4, 0.0), nodes_of(4, 1.0)), (1, 1)),
    ],
)
def test_faster_nodes_have_more_ranks_as_far_as_their_cores_suffice(
    kinds: tuple[AlikeNodes, ...], counts: tuple[int, ...]
) -> None:
    assert counts in rank_counts(kinds)


def test_ways_with_more_ranks_have_higher_rates() -> None:
    random = Random(1)  # noqa: S311
    for _ in range(200):
        kinds = [nodes_of(random.randint(1, 50), random.uniform(1, 30)) for _ in range(random.randint(2, 4))]
        ways = rank_counts(kinds)
        ranks = [ranks_of(kinds, counts) for counts in ways]
        rates = [
            total * min(group.speed / count for group, count in zip(kinds, counts, strict=True))
            for total, counts in zip(ranks, ways, strict=True)
        ]
        assert ranks == sorted(set(ranks))
        assert rates == sorted(rates)
        assert all(1 <= count <= 48 for counts in ways for count in counts)
        assert rates[-1] <= sum(group.nodes * group.speed for group in kinds) * (1 + 1e-6)


def test_a_grid_is_filled_exactly_by_whole_nodes() -> None:
    random = Random(2)  # noqa: S311
    for _ in range(300):
        kinds = [nodes_of(random.randint(1, 400), random.uniform(1, 5)) for _ in range(random.randint(2, 4))]
        counts = tuple(random.randint(1, 9) for _ in kinds)
        grid, ranks = filled_grid(kinds, counts), ranks_of(kinds, counts)
        assert grid.p * grid.q == sum(nodes * count for nodes, count in zip(grid.nodes, counts, strict=True))
        assert all(1 <= nodes <= group.nodes for nodes, group in zip(grid.nodes, kinds, strict=True))
        assert 0.97 * ranks <= grid.p * grid.q <= ranks
        assert grid.p <= grid.q
        assert grid.in_columns == in_columns(counts, grid.p)
        assert grid.q <= 4 * grid.p or ranks < 300


def test_what_can_be_left_out_is_what_whole_nodes_make_up() -> None:
    random = Random(3)  # noqa: S311
    for _ in range(60):
        kinds = [nodes_of(random.randint(1, 60), random.uniform(1, 5)) for _ in range(3)]
        counts = tuple(random.randint(1, 7) for _ in kinds)
        spares = Spares(kinds, counts)
        few = [range(min(group.nodes, spares.limit // count + 1)) for group, count in zip(kinds, counts, strict=True)]
        sums = {sum(out * count for out, count in zip(some, counts, strict=True)) for some in product(*few)}
        for ranks in range(spares.limit + 1):
            assert spares.possible(ranks) == (ranks in sums)
            if ranks in sums:
                assert sum(out * count for out, count in zip(spares.nodes(ranks), counts, strict=True)) == ranks


def test_nodes_with_the_slowest_ranks_are_left_out_first() -> None:
    kinds = (nodes_of(100, 4.0), nodes_of(100, 1.9))
    spares = Spares(kinds, (2, 1))
    assert spares.nodes(8) == (0, 8)
    assert spares.nodes(0) == (0, 0)


def test_millions_of_nodes() -> None:
    kinds = (nodes_of(10_000_000, 4.0), nodes_of(9_999_991, 1.0))
    grid = filled_grid(kinds, (4, 1))
    assert grid.p * grid.q > 0.999 * 49_999_991


def two_kinds() -> Hardware:
    return Hardware("paper", (kind(50, 2.1e12), kind(30, 1e12)), FABRIC, 0.01, None, CONSTANTS)


def test_a_grid_that_is_asked_for_is_filled_or_refused_with_the_nearest() -> None:
    machine = two_kinds()
    filling = MODEL.fill(machine, {"p": 8, "q": 16})
    assert filling.nodes == (50, 28)
    assert filling.reasons[1].facts["how"] != MODEL.fill(machine, {}).reasons[1].facts["how"]
    estimate = MODEL.estimate(machine, {"p": 8, "q": 16})
    assert estimate.call["ranks"] == 128
    wrong: tuple[tuple[Call, str], ...] = (
        ({"p": 7, "q": 20}, "cannot fill the grid p x q = 7 x 20"),
        ({"p": 2, "q": 2}, "cannot fill the grid p x q = 2 x 2"),
        ({"p": 8, "q": 16, "mpi_per_node": "1,1"}, "they have 80, with 1, 1"),
        ({"mpi_per_node": "1,2,3"}, "is not understood"),
        ({"mpi_per_node": "1,0"}, "is not understood"),
        ({"mpi_per_node": "1,49"}, "does not hold 49 ranks"),
        ({"p": 0}, "p = 0"),
    )
    for call, said in wrong:
        with pytest.raises(BanzukeError, match=said):
            MODEL.fill(machine, call)


def test_the_nearest_grid_can_be_filled() -> None:
    kinds = kinds_of(two_kinds().groups)
    p, q = nearest_grid(kinds, (2, 1), 7, 20)
    assert Spares(kinds, (2, 1)).possible(130 - p * q)
    assert math.isclose(p * q, 130, rel_tol=0.03)
    wide, high = nearest_grid(kinds, (2, 1), 20, 7)
    assert (high, wide) == (p, q)


def test_a_kind_that_holds_the_others_back_is_told_by_what() -> None:
    def brake(*kinds: NodeGroup, counts: str) -> str | None:
        machine = Hardware("paper", kinds, FABRIC, 0.01, None, CONSTANTS)
        brakes = MODEL.fill(machine, {"mpi_per_node": counts}).brakes
        return brakes[1].code if 1 in brakes else None

    fast = kind(50, 2e12)
    assert brake(fast, kind(30, 1e12), counts="1,1") == "hpl-slower-ranks"
    assert brake(fast, kind(30, 2e12, memory=8e9), counts="1,1") == "hpl-less-memory"
    assert brake(fast, kind(30, 0.2e12), counts="10,1") == "hpl-more-ranks"
    assert brake(fast, kind(30, 2e12), counts="1,1") is None


def test_a_kind_without_a_flop_rate_is_named() -> None:
    dark = NodeGroup("dark", 4, 8, Engine("processors", 1, 0.0, math.nan, 1e9, 1e9))
    with pytest.raises(BanzukeError, match="the description of dark gives no flop rate"):
        MODEL.fill(Hardware("paper", (kind(4, 1e12), dark), FABRIC, 0.01, None, CONSTANTS), {})
