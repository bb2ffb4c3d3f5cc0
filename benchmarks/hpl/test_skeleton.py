"""Tests of HPL's skeleton: what is sent is received, and the time is the model's where nothing is congested."""

import shutil
from collections import defaultdict

import numpy as np
import pytest

from banzuke.errors import BanzukeError
from banzuke.placement.score import Traffic
from banzuke.placement.shapes import fat_tree
from banzuke.placement.simulate import simulate
from banzuke.placement.skeleton import SIGNAL, Skeleton
from banzuke.placement.topology import LATENCY, topology_of

from .flows import PATTERNS

(PATTERN,) = PATTERNS
HPL = PATTERN.computes
N, RATE, LINK = 20_000, 1e12, 12.5e9


def skeleton_of(grid: tuple[int, int], size: float = N) -> Skeleton:
    assert HPL
    return HPL.skeleton(grid, size, RATE, LATENCY)


@pytest.mark.parametrize("grid", [(1, 2), (1, 5), (2, 1), (3, 1), (2, 2), (2, 3), (5, 4), (4, 8), (7, 3)])
def test_what_is_sent_is_received_in_the_same_order(grid: tuple[int, int]) -> None:
    skeleton = skeleton_of(grid)
    sent, received = defaultdict(list), defaultdict(list)
    for number, process in enumerate(skeleton.processes):
        for kind, peer, amount, _ in process.actions():
            if kind in ("send", "isend"):
                sent[number, peer].append(round(amount))
            if kind in ("recv", "irecv"):
                received[peer, number].append(round(amount))
    assert sent == received


@pytest.mark.parametrize("grid", [(2, 2), (3, 4), (4, 3)])
def test_every_rank_gets_each_panel_once_and_all_rows_of_u(grid: tuple[int, int]) -> None:
    p, q = grid
    skeleton = skeleton_of(grid)
    ranks = p * q
    got = np.zeros((4, ranks))
    for number, process in enumerate(skeleton.processes):
        assert process.rank == number % ranks
        for kind, peer, amount, _ in process.actions():
            if kind in ("recv", "irecv") and amount > SIGNAL and peer % ranks != process.rank:
                got[number // ranks, process.rank] += amount
    panels = 8 * N**2 / (2 * p) * (1 - 1 / q)
    rows = 8 * N**2 / (2 * q) * (1 - 1 / p)
    assert got[1] == pytest.approx(panels, rel=0.1)
    assert got[2] == pytest.approx(rows, rel=0.1)
    assert got[3].sum() == pytest.approx(8 * N**2 / 2 * (1 - 1 / p) * _hops(p), rel=0.1)  # each block by a tree


def _hops(p: int) -> float:
    """Return the mean number of hops to the other ranks in a binomial tree."""
    return sum(number.bit_count() for number in range(1, p)) / (p - 1)


@pytest.mark.parametrize("grid", [(1, 3), (3, 1), (2, 3), (4, 2)])
def test_what_the_busiest_rank_computes_is_known_without_a_simulation(grid: tuple[int, int]) -> None:
    assert HPL
    skeleton = HPL.skeleton(grid, N, RATE, 0.0)
    seconds = [
        sum(amount for kind, _, amount, _ in process.actions() if kind == "compute") for process in skeleton.processes
    ]
    assert max(seconds) == pytest.approx(skeleton.computing, rel=1e-4)


def test_all_panels_of_one_row_are_simulated_as_pieces_of_one_do_not_wait_for_each_other() -> None:
    """With every second panel in two pieces, 32 columns were 15% too fast."""
    assert skeleton_of((1, 32), 192 * 960).stands_for == 1
    assert skeleton_of((4, 8), 192 * 960).stands_for > 1


def test_a_size_without_a_block_for_each_rank_is_refused() -> None:
    with pytest.raises(BanzukeError, match=r"order 500 cannot be simulated on a grid of 2 x 4"):
        skeleton_of((2, 4), 500)


@pytest.mark.skipif(not shutil.which("smpirun"), reason="SimGrid is not installed (libsimgrid-dev)")
@pytest.mark.parametrize("grid", [(2, 2), (2, 4), (4, 4)])
def test_the_model_is_within_a_tenth_where_nothing_is_congested(grid: tuple[int, int]) -> None:
    assert HPL
    ranks = grid[0] * grid[1]
    hosts = [f"n{number}" for number in range(ranks)]
    topology = topology_of("switch", fat_tree(hosts, [ranks], [1], [1], LINK), hosts)
    loads = Traffic(topology, tuple(HPL.links(grid))).loads(np.arange(ranks)) / topology.rate
    size = N * np.sqrt(ranks) / 2
    model = HPL.seconds(grid, size, RATE, LATENCY, loads)
    skeleton = skeleton_of(grid, size)
    simulated = simulate(topology, np.arange(ranks), skeleton, "striped").seconds
    assert simulated == pytest.approx(model, rel=0.1)
    assert simulated > 1.01 * skeleton.computing  # messages are not free
