"""Orders of the ranks of a call, whose numbering of the grid may differ from the pattern's."""

from collections.abc import Mapping

import numpy as np
import pytest

from banzuke.amounts import Scalar
from banzuke.errors import BanzukeError
from banzuke.placement.compare import OrderComparison
from banzuke.placement.pattern import Laid, Pattern, as_pattern, numbered
from banzuke.placement.runs import drawn, proposed
from banzuke.placement.testing import two_switches
from banzuke.plan.catalogue import flows_of

HOSTS = ["b1", "a0", "b0", "a1", "a2", "b2", "a3", "b3"]
BLOCKS = list(range(8))


def known_flows(name: str, values: Mapping[str, Scalar]) -> tuple[Pattern, Laid]:
    flows = flows_of(name, 8, values)
    assert flows
    pattern, laid = flows
    return as_pattern(pattern), Laid(tuple(laid.grid), laid.last_fastest, laid.size)


def test_a_call_is_placed_on_the_grid_whichever_way_its_ranks_count() -> None:
    network, grids = two_switches(4, 1), []
    for order in ("row", "column"):
        pattern, laid = known_flows("hpl", {"p": 2, "q": 4, "n": 1000, "order": order})
        assert laid == Laid((2, 4), order == "row", 1000.0)
        places = np.array(proposed(network, pattern, laid, HOSTS, BLOCKS))
        assert sorted(places) == BLOCKS
        assert places.tolist() == proposed(network, pattern, laid, HOSTS, BLOCKS), "the same again"
        ranks = numbered(laid.grid, last_fastest=laid.last_fastest)
        grids.append([[HOSTS[places[rank]][0] for rank in row] for row in ranks])
        times = {placed.name: placed.score.seconds for placed in comparison_of(places.tolist(), order).placed}
        assert times["place"] < times["scheduler"]
    assert grids == [[["a"] * 4, ["b"] * 4]] * 2, "whole rows on each switch"


def comparison_of(places: list[int], order: str) -> OrderComparison:
    pattern, laid = known_flows("hpl", {"p": 2, "q": 4, "n": 1000, "order": order})
    comparison = drawn(two_switches(4, 1), pattern, laid, HOSTS, {"place": places, "scheduler": BLOCKS})
    assert comparison.proposed.name == "place"
    return comparison


@pytest.mark.parametrize(
    ("name", "values", "pattern", "laid"),
    [
        ("fft", {"n": 64}, "fft", Laid((8,), size=64.0)),
        ("collectives", {"operation": "alltoall", "max_size": 4}, "alltoall", Laid((8,), size=4.0)),
        ("hpcg", {"nx": 16, "px": 2, "py": 2, "pz": 2}, "halo", Laid((2, 2, 2), size=16.0)),
    ],
)
def test_what_a_call_sends(name: str, values: dict[str, Scalar], pattern: str, laid: Laid) -> None:
    flows = known_flows(name, values)
    assert (flows[0].name, flows[1]) == (pattern, laid)


def test_calls_whose_messages_nothing_tells() -> None:
    assert flows_of("stream", 8, {}) is None
    assert flows_of("collectives", 8, {"operation": "bcast", "max_size": 4}) is None


def test_hosts_that_the_network_has_not_are_named() -> None:
    pattern, laid = known_flows("fft", {"n": 64})
    with pytest.raises(BanzukeError, match="no host 'login'"):
        proposed(two_switches(), pattern, laid, ["a0", "login"], [0, 1])
