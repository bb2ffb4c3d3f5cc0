"""Cases are planned for each storage area that is to be measured."""

from dataclasses import replace

import pytest

from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark, Layout, Metric, Scalar
from banzuke.plan.capabilities import Storage
from banzuke.plan.cases import plan
from banzuke.plan.catalogue import find
from banzuke.plan.request import Request, check
from banzuke.testing import machine, plan_all


def sweep(here: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    """Return cases whose size follows from the free space of the area."""
    (area,) = here.allotment.folders
    free = here.allotment.storage_available[area]
    return [(Layout(ranks, 1), {"block": free // 10}) for ranks in (2, 1)]


WRITER = Benchmark(
    name="writer",
    title="Writer",
    metrics=(Metric("write_bandwidth", "B/s", "higher", "Write", headline=True),),
    sweep=sweep,
    storage=Storage(),
)
HERE = machine().changed(
    allotment={
        "folders": {"home": "/home/me", "scratch": "/scratch/me"},
        "storage_available": {"home": 100, "scratch": 5000},
    }
)


def test_each_area_has_its_cases_in_turn() -> None:
    cases = [
        (c.parameters["area"], c.places["folder"], c.parameters["block"], c.ranks)
        for c in plan(WRITER, HERE, Request())
    ]
    assert cases == [
        ("home", "/home/me", 10, 2),
        ("scratch", "/scratch/me", 500, 2),
        ("home", "/home/me", 10, 1),
        ("scratch", "/scratch/me", 500, 1),
    ]


def test_without_an_area_nothing_is_written() -> None:
    assert plan(WRITER, machine(), Request()) == []
    assert {case.benchmark for case in plan_all([WRITER, find("stream")], machine(), Request())} == {"stream"}


def test_other_benchmarks_run_once() -> None:
    assert plan(find("stream"), HERE, Request()) == plan(find("stream"), machine(), Request())


@pytest.mark.parametrize("name", ["folder", "area"])
def test_the_area_is_not_set_as_a_parameter(name: str) -> None:
    with pytest.raises(BanzukeError, match="--area NAME=PATH"):
        check(WRITER, Request(overrides={name: ["/tmp"]}))
    check(replace(WRITER, storage=None), Request(overrides={name: ["/tmp"]}))
