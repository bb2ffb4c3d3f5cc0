"""Tests of HPL's time on one row of ranks, with times that can be told by hand, and beside SimGrid."""

import shutil

import numpy as np
import pytest

from banzuke.placement.compare import SCHEDULER, compare
from banzuke.placement.pattern import as_pattern
from banzuke.placement.shapes import fat_tree
from banzuke.placement.simulated import simulated_orders
from banzuke.placement.topology import topology_of
from banzuke.plan.catalogue import declared_flows

from .model_columns import ColumnLoads
from .model_row import OneRow
from .test_model_columns import BYTE, NB, by_column, loads

HPL = next(pattern for pattern in map(as_pattern, declared_flows()) if pattern.computes)


def test_ranks_update_with_every_panel_and_factorise_their_own() -> None:
    assert OneRow(by_column(1, 1, 5, loads(1), update=3.0, panel=1.0)).seconds() == pytest.approx(5 * (3 + 1))
    row = by_column(1, 2, 40, loads(2), update=10.0, ahead=1.0, panel=1.0)
    assert OneRow(row).seconds() == pytest.approx(40 * 10 + 20 * 1, rel=0.02)


def test_a_rank_receives_a_panel_when_it_has_passed_on_the_one_before() -> None:
    """Ranks 1 and 2 have a cable each; panels of three blocks are 4, 3 and 2 messages of one block.

    Rank 2 passes on the first panel until 4, receives the second one until 7, and sends the third one until 9.
    """
    ring = np.zeros((4, 2))
    ring[1, 0] = ring[2, 1] = BYTE
    row = by_column(1, 4, 3, ColumnLoads(ring, *(np.zeros((4, 2)),) * 3))
    assert OneRow(row).seconds() / (8 * NB * NB * BYTE) == pytest.approx(9)
    shared = by_column(1, 4, 3, loads(4, following=BYTE))
    assert OneRow(shared).seconds() / (8 * NB * NB * BYTE) == pytest.approx(2 * (4 + 3 + 2))


@pytest.mark.skipif(not shutil.which("smpirun"), reason="SimGrid is not installed (libsimgrid-dev)")
def test_one_row_takes_as_long_as_in_a_simulation_of_all_its_steps() -> None:
    columns = 8
    hosts = [f"n{number}" for number in range(columns)]
    topology = topology_of("net", fat_tree(hosts, [columns // 2, 2], [1, 1], [1, 1], 1e8), hosts)
    order = np.arange(columns).reshape(2, -1).T.ravel()  # every second rank at the other switch
    comparison = compare(topology, HPL, (1, columns), order, seconds=0, size=24 * 192, rank_rate=1e10)
    (timed,) = simulated_orders(comparison, [SCHEDULER], 1e10)
    assert timed.model == pytest.approx(timed.simulated.seconds, rel=0.01)
