"""Tests of the number of nodes that a figure, or a place in a public list, needs."""

from pathlib import Path

import pytest

from banzuke.errors import BanzukeError
from banzuke.plan.catalogue import find
from banzuke.predict.find import predicted_machine
from banzuke.predict.model import forecast
from banzuke.predict.target import read_target, with_nodes_for
from banzuke.predict.undescribed import UndescribedError
from banzuke.results.store import Store

HPL = find("hpl")


@pytest.mark.parametrize(
    ("text", "wanted"), [("10PF", 1e16), ("2.5 Tflop/s", 2.5e12), ("3e15", 3e15), ("rank 1 of 2008-06", 1.026e15)]
)
def test_a_target_is_an_amount_or_a_place(text: str, wanted: float) -> None:
    assert read_target(text, HPL) == wanted


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("10PB", "is not understood"),
        ("fast", "is not understood"),
        ("0", "no amount above 0"),
        ("1.2.3", "no amount above 0"),
        ("rank 501", "has 500 places"),
        ("rank 1 of 1992-06", "has no edition '1992-06'"),
    ],
)
def test_what_is_no_target_is_refused(text: str, why: str) -> None:
    with pytest.raises(BanzukeError, match=why):
        read_target(text, HPL)


def test_as_few_nodes_as_reach_the_target(tmp_path: Path) -> None:
    machine = predicted_machine("frontera", Store(tmp_path))
    large = with_nodes_for(3e17, HPL, machine, {})
    assert sum(large.nodes.values()) > 8008, "more than there are"
    reached = forecast(HPL, large, {}, upgrades=False, uncertain=False).estimate.figure
    assert 3e17 <= reached < 3.02e17
    with pytest.raises(BanzukeError, match="no number of nodes reaches"):
        with_nodes_for(1e23, HPL, machine, {})


def test_numbers_of_nodes_that_a_call_cannot_run_on_are_passed_over(tmp_path: Path) -> None:
    machine = predicted_machine("frontera", Store(tmp_path))
    order = with_nodes_for(1e15, HPL, machine, {"n": 2_000_000})
    assert sum(order.nodes.values()) * 206_158_430_208 >= 2_000_000**2 * 8
    grid = with_nodes_for(1e14, HPL, machine, {"p": 16, "q": 16})
    assert sum(grid.nodes.values()) > 1
    with pytest.raises(BanzukeError, match="n = 1000000000000"):
        with_nodes_for(1e15, HPL, machine, {"n": 10**12})
    bare = predicted_machine("fugaku", Store(tmp_path))
    with pytest.raises(UndescribedError):
        with_nodes_for(1e15, HPL, bare, {})
