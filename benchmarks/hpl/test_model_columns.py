"""Tests of HPL's time column by column of the grid, with times that can be told by hand."""

import numpy as np
import pytest

from .model_columns import ByColumn, ColumnLoads, LinkQueue
from .model_steps import Factorisation, extents_of

NB, BYTE = 100, 1e-9
"""Columns of a block, and seconds that a byte takes on a link."""


def by_column(
    p: int, q: int, blocks: int, loads: ColumnLoads, *, update: float = 0.0, ahead: float = 0.0, panel: float = 0.0
) -> ByColumn:
    run = Factorisation(
        NB * blocks, NB, p, q, True, "ring-modified", 0.5, panel_on_device=False, inner=0, with_diagonal=True
    )
    every = np.ones(blocks)
    return ByColumn(run, extents_of(run, 1000), update * every, ahead * every, panel * every, 0.0, loads)


def loads(
    q: int, links: int = 1, *, following: float = 0.0, second: float = 0.0, rows: float = 0.0, tree: float = 0.0
) -> ColumnLoads:
    """Return the same load of every column of the grid, on a link that all share."""
    return ColumnLoads(*(np.full((q, links), load) for load in (following, second, rows, tree)))


def test_one_rank_updates_after_each_panel() -> None:
    assert by_column(1, 1, 5, loads(1), update=3.0, panel=1.0).seconds() == pytest.approx(5 * (3 + 1))


def test_panels_hide_behind_updates_but_for_those_of_ones_own_column() -> None:
    """Each of two columns factorises every second panel, before its update; the first one waits for nothing."""
    seconds = by_column(1, 2, 40, loads(2), update=10.0, ahead=1.0, panel=1.0).seconds()
    assert seconds == pytest.approx(40 * 10 + 20 * 1, rel=0.02)


def test_a_chain_of_panels_sets_the_pace_where_it_is_longer() -> None:
    """A panel comes to the next column, which updates its columns with it and factorises the next."""
    seconds = by_column(1, 2, 40, loads(2), update=1.0, ahead=1.0, panel=5.0).seconds()
    assert seconds == pytest.approx(40 * (1 + 5), rel=0.05)


def test_a_link_that_all_columns_use_carries_what_each_has_and_not_the_fullest() -> None:
    shared = by_column(2, 4, 6, loads(4, rows=BYTE))
    own = by_column(2, 4, 6, ColumnLoads(*(np.zeros((4, 4)),) * 2, BYTE * np.eye(4), np.zeros((1, 4))))
    of_block = 8 * NB * NB / 2 * BYTE
    none = np.zeros(4)
    assert LinkQueue(own).exchanged(0, 1.0, none) / of_block == pytest.approx([1, 2, 1, 1]), (
        "the first is at the second"
    )
    assert LinkQueue(shared).exchanged(0, 1.0, none) / of_block == pytest.approx(5)
    assert LinkQueue(shared).exchanged(5, 1.0, none) == pytest.approx(0)


def test_displaced_rows_of_all_columns_are_added_by_the_row_that_they_leave() -> None:
    """On average a column has one block in the second step, and 4/5 of its displaced rows come from below."""
    tree = np.zeros((2, 4))
    tree[1] = BYTE
    queue = LinkQueue(by_column(2, 4, 6, ColumnLoads(*(np.zeros((4, 4)),) * 2, BYTE * np.eye(4), tree)))
    of_block = 8 * NB * NB / 2 * BYTE
    assert queue.exchanged(0, 1.0, np.zeros(4)) / of_block == pytest.approx([1, 2, 1, 1])
    queue.free[:] = 0
    assert queue.exchanged(1, 1.0, np.zeros(4)) / of_block == pytest.approx(np.array([1, 1, 1, 1]) + 4 / 5)


def test_rows_wait_for_what_is_left_to_send() -> None:
    queue = LinkQueue(by_column(2, 4, 6, loads(4, rows=BYTE)))
    first, second = queue.exchanged(0, 0.5, np.zeros(4)), queue.exchanged(0, 0.5, np.zeros(4))
    assert second == pytest.approx(2 * first)


def panel_seconds(queue: LinkQueue) -> float:
    return float(8 * NB * (queue.steps.extents.m[0] + NB) * BYTE)


def test_a_panel_goes_to_two_columns_at_once_and_then_from_one_to_the_next() -> None:
    """To the next ones from the root with half of its cable for each."""
    cables = BYTE * np.eye(5)
    queue = LinkQueue(by_column(1, 5, 50, ColumnLoads(cables, cables, np.zeros((5, 5)), np.zeros((1, 5)))))
    arrived = queue.passed_on(0, 10.0)
    assert (arrived - 10) / panel_seconds(queue) == pytest.approx([0, 2, 2, 3, 4])


def test_copies_that_are_under_way_together_share_a_link() -> None:
    """The copy to the second column arrives at once, and the one from there shares the link with the first."""
    queue = LinkQueue(by_column(1, 4, 50, loads(4, following=BYTE)))
    arrived = queue.passed_on(0, 10.0)
    assert (arrived - 10) / panel_seconds(queue) == pytest.approx([0, 2, 0, 2])


def test_a_panel_waits_for_older_ones() -> None:
    queue = LinkQueue(by_column(1, 2, 50, loads(2, following=BYTE)))
    seconds = panel_seconds(queue)
    assert queue.passed_on(0, 0.0)[1] == pytest.approx(seconds)
    assert queue.passed_on(1, 0.0)[0] == pytest.approx(2 * seconds, rel=0.02)
