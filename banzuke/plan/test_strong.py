"""The problem of one number of hosts on any number of hosts."""

import math

import pytest

from banzuke.errors import BanzukeError
from banzuke.plan.case import Case
from banzuke.plan.cases import plan
from banzuke.plan.catalogue import find
from banzuke.plan.request import Request, check_all
from banzuke.testing import machine, with_hosts

HERE = with_hosts(machine(cores=4, memory=1 << 36), 8)


def cases(name: str, **asked: object) -> list[Case]:
    return plan(find(name), HERE, Request(problem_of=1, **asked))  # type: ignore[arg-type]


def test_a_whole_problem_stays_what_it_is_on_one_host() -> None:
    planned = cases("hpl")
    assert [case.nodes for case in planned] == [8, 1, 4, 2]
    assert len({case.parameters["n"] for case in planned}) == 1
    assert planned[1].parameters["n"] == plan(find("hpl"), HERE, Request(nodes=1))[0].parameters["n"]
    assert [int(case.parameters["p"]) * int(case.parameters["q"]) for case in planned] == [8, 1, 4, 2]
    (alone,) = cases("hpl", nodes=4)
    assert alone == planned[2]


def test_the_parts_of_ranks_are_divided_until_they_make_the_same_whole() -> None:
    planned = cases("hpcg", nodes=8) + cases("hpcg", nodes=1)
    points = [case.ranks * math.prod(int(case.parameters[name]) for name in ("nx", "ny", "nz")) for case in planned]
    assert points[0] == points[1]
    assert [case.parameters["nx"] for case in planned] == [32, 64]
    (own,) = cases("hpcg", nodes=2, overrides={"nx": ["48"], "ny": ["48"], "nz": ["32"]})
    assert [own.parameters[name] for name in ("nx", "ny", "nz")] == [24, 48, 32]


def test_what_cannot_be_kept_is_refused() -> None:
    with pytest.raises(BanzukeError, match="cannot be divided over 3"):
        cases("hpcg", nodes=3)
    with pytest.raises(BanzukeError, match="of more hosts than are used"):
        plan(find("hpl"), HERE, Request(problem_of=4, nodes=2))
    for name in ("ior", "pt2pt", "stream"):
        with pytest.raises(BanzukeError, match=f"{name} cannot solve one problem"):
            check_all([find(name)], Request(problem_of=1))
