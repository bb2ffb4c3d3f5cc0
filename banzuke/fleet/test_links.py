"""Links measured in both directions: which node sends or receives slowly, or which link is slow in one direction."""

from collections.abc import Callable
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from banzuke.fleet.directions import figures_of_ends
from banzuke.fleet.judge import judge
from banzuke.fleet.model import Fleet, NodeFigure, Pair
from scripts.simulate_screens import fleet

LINK = NodeFigure("link", "Link", "B/s", parts=frozenset({"network"}), directed=True)
USUAL, SLOW = 270e6, 90e6


def linked(nodes: int, rate: Callable[[int, int], float]) -> Fleet:
    rng = np.random.default_rng(3)
    rates = {(a, b): rate(a, b) * (1 + 0.01 * float(rng.standard_normal())) for a, b in permutations(range(nodes), 2)}
    base = fleet(0.01 * rng.standard_normal((nodes, 1)))
    directions = {figure.name: figure for figure in (LINK, *figures_of_ends(LINK))}
    pairs = tuple(Pair((f"n{a}", f"n{b}"), {"link": value}) for (a, b), value in rates.items())
    return replace(base, figures={**base.figures, **directions}, pairs=pairs)


@pytest.mark.parametrize(("way", "place"), [("sent", 0), ("received", 1)])
def test_a_node_that_is_slow_in_one_direction_is_named_with_it(way: str, place: int) -> None:
    judgement = judge(linked(24, lambda *ends: SLOW if ends[place] == 7 else USUAL))
    [slow] = judgement.of("fail")
    assert slow.host == "n7"
    assert [reason.figure.name for reason in slow.reasons if reason.alone] == [f"link:{way}"]
    assert not judgement.links


def test_a_link_that_is_slow_in_one_direction_is_named_with_it() -> None:
    judgement = judge(linked(24, lambda a, b: SLOW if (a, b) == (9, 3) else USUAL))
    assert not judgement.of("fail")
    [link] = judgement.links
    assert link.hosts == ("n9", "n3")
    [document] = judgement.document()["links"]
    assert (document["hosts"], document["directed"]) == (["n9", "n3"], True)


def test_healthy_links_are_no_fault() -> None:
    assert judge(linked(24, lambda _a, _b: USUAL)).exit_status == 0
