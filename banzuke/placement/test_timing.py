"""Tests of orders that are timed by a benchmark's own steps, beside what was measured (docs/placement.md)."""

import math

import numpy as np
import pytest

from banzuke.placement import compare as module
from banzuke.placement import propose
from banzuke.placement.compare import OrderComparison, Reached, compare
from banzuke.placement.pattern import as_pattern
from banzuke.placement.readers.read import parse
from banzuke.placement.testing import MEASURED, two_switches
from banzuke.placement.timing import MOST_RANKS, timing_of
from banzuke.placement.topology import NetworkTopology
from banzuke.plan.catalogue import declared_flows

HPL = next(pattern for pattern in map(as_pattern, declared_flows()) if pattern.computes)


def compared(rate: float, network: NetworkTopology | None = None) -> OrderComparison:
    topology = network or parse(MEASURED, "two.toml")
    return compare(topology, HPL, (2, 4), np.arange(8), seconds=0, size=2304, rank_rate=rate)


def test_the_order_of_hpl_that_was_fastest_when_measured_is_proposed_with_its_time() -> None:
    """The sum of phases prefers the order by number, which took 24.4 s."""
    comparison = compared(7.6e9)
    assert comparison.begun == "rows"
    assert comparison.proposed.seconds == pytest.approx(14.1, rel=0.05)
    assert comparison.named("number").seconds == pytest.approx(24.4, rel=0.06)
    assert comparison.named("number").score.seconds < comparison.named("rows").score.seconds
    assert comparison.computed


def test_without_a_rate_computation_takes_no_time() -> None:
    comparison = compared(math.inf)
    assert comparison.begun == "rows"
    assert 0.9 * 13.7 < (comparison.proposed.seconds or 0) < 13.7
    assert not comparison.computed


def test_exchanges_that_unload_links_but_take_longer_are_not_proposed(monkeypatch: pytest.MonkeyPatch) -> None:
    by_number = propose.Proposal(np.arange(8), compared(7.6e9).named("number").score, 3, "rows")
    monkeypatch.setattr(module, "improved", lambda *_words, **_options: by_number)
    comparison = compared(7.6e9)
    assert (comparison.proposed.order == comparison.named("rows").order).all()
    assert comparison.exchanges == 0


def test_without_a_size_or_rates_times_are_relative() -> None:
    comparison = compare(two_switches(4, 1), HPL, (2, 4), np.arange(8), seconds=0)
    assert comparison.begun == "rows"
    assert comparison.unit is None
    assert comparison.timing
    assert any(note.code == "place-note-size" for note in comparison.timing.notes)


def test_columns_of_the_grid_that_share_a_host_exchange_rows_without_links() -> None:
    comparison = compare(two_switches(2, 1), HPL, (2, 4), np.repeat(np.arange(4), 2), seconds=0)
    assert 0 < (comparison.named("scheduler").seconds or 0) < math.inf


def test_sums_of_phases_stand_where_steps_are_not_timed() -> None:
    reached = compare(
        parse(MEASURED, "two.toml"), HPL, (2, 4), np.arange(8), seconds=0, size=2304, reached=Reached("scheduler", 1e8)
    )
    assert reached.timing is None
    assert reached.begun == "scheduler"
    traffic = compared(math.inf).traffic
    assert timing_of(HPL, (2, 4), traffic, 500) is None, "a rank would have no block"
    assert timing_of(HPL, (1, MOST_RANKS + 1), traffic, None) is None
