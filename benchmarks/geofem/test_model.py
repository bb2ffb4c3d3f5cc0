"""Tests of the model of GeoFEM-Cube: limits, dependences, refusals; the published figures."""

import math
import statistics
from dataclasses import replace

import pytest

from banzuke.errors import BanzukeError
from banzuke.machine import published
from banzuke.plan.catalogue import find
from banzuke.predict.hardware import SCALES, PredictedMachine, hardware
from banzuke.predict.model import IMPROVED_BY_LESS, Call, Estimate, constants_of, model_of
from banzuke.slowdown.noise import PeriodicNoise

MODEL = model_of(find("geofem"))
CONSTANTS = {name: constant.value for name, constant in constants_of(MODEL).items()}
MACHINES = {machine.id: machine for machine in published.load()}


def machine(name: str, nodes: int, noise: PeriodicNoise | None = None) -> PredictedMachine:
    entry = MACHINES[name]
    parts = entry.site.partitions
    part = name if name in parts else next(iter(parts))
    return PredictedMachine(entry.name, entry.site, {part: nodes}, noise=noise)


def estimate(name: str, nodes: int, call: Call) -> Estimate:
    return MODEL.estimate(hardware(machine(name, nodes), CONSTANTS), call)


def test_one_node_is_bound_by_its_memory() -> None:
    prediction = estimate("oakleaf-fx", 1, {})
    assert prediction.figure == pytest.approx(1020 / 4530 * 85e9 * CONSTANTS["host.memory"])
    assert prediction.bound_by == "memory.bytes"
    assert prediction.resources["link.bytes"] == prediction.phases["allreduce"] == 0
    assert [prediction.call[name] for name in ("nx", "ny", "nz")] == [160, 80, 80]


def test_a_measured_rate_of_loads_counts_instead_of_triad() -> None:
    node = hardware(machine("oakleaf-fx", 1), CONSTANTS)
    (group,) = node.groups
    measured = replace(node, groups=(replace(group, host=replace(group.host, rates={"memory.loads": 40e9})),))
    assert MODEL.estimate(measured, {}).figure == pytest.approx(1020 / 4530 * 40e9 * CONSTANTS["geofem.reads"])
    assert MODEL.estimate(measured, {"triad": 80e9}).figure == estimate("oakleaf-fx", 1, {"triad": 80e9}).figure


def test_many_nodes_wait_for_messages_and_for_the_slowest() -> None:
    per_node = [estimate("oakleaf-fx", nodes, {}).figure / nodes for nodes in (1, 12, 144, 4800)]
    assert per_node == sorted(per_node, reverse=True)
    assert per_node[-1] > 0.8 * per_node[0]
    small = estimate("oakleaf-fx", 4800, {"nx": 96, "ny": 96, "nz": 96})
    assert small.bound_by == "latency"
    assert sum(small.phases.values()) == pytest.approx(small.seconds)
    assert sum(small.resources.values()) == pytest.approx(small.seconds)


def test_better_is_never_slower() -> None:
    noisy = machine("oakleaf-fx", 480, PeriodicNoise(1e-4, 1.0))
    call: Call = {"nx": 800, "ny": 800, "nz": 400}
    usual = MODEL.estimate(hardware(noisy, CONSTANTS), call).figure
    for name in SCALES:
        factor = 0.5 if name in IMPROVED_BY_LESS else 2.0
        assert MODEL.estimate(hardware(noisy, CONSTANTS, {name: factor}), call).figure >= usual * (1 - 1e-12), name
    quiet = MODEL.estimate(hardware(machine("oakleaf-fx", 480), CONSTANTS), call).figure
    assert quiet > usual


def test_no_bandwidth_gives_more_than_the_peak() -> None:
    fast = hardware(machine("oakleaf-fx", 1), CONSTANTS, {"memory.bandwidth": 1e4})
    prediction = MODEL.estimate(fast, {})
    assert prediction.figure == pytest.approx(fast.peak)
    assert prediction.bound_by == "flops.fp64"


def test_a_part_that_is_larger_than_others_sets_the_pace() -> None:
    even = estimate("oakleaf-fx", 1, {"nx": 160, "ny": 80, "nz": 80}).figure
    assert estimate("oakleaf-fx", 1, {"nx": 161, "ny": 80, "nz": 80}).figure < even


def test_what_cannot_be_is_refused() -> None:
    asked: list[tuple[str, Call, str]] = [
        ("oakleaf-fx", {"nx": 4000}, "more than the memory of a node"),
        ("oakleaf-fx", {"nx": 1}, "nx=1"),
        ("oakleaf-fx", {"nx": 8.5}, "nx=8.5"),
        ("oakleaf-fx", {"ranks": 17}, "has 16 cores, not 17"),
        ("oakleaf-fx", {"triad": -1}, "triad=-1"),
        ("oakleaf-fx", {"triad": math.inf}, "triad=inf"),
        ("oakleaf-fx", {"on": "devices"}, "on devices is not predicted"),
        ("oakleaf-fx", {"on": "clouds"}, "on=clouds"),
        ("k-computer", {}, "gives no memory bandwidth"),
    ]
    for name, call, problem in asked:
        with pytest.raises(BanzukeError, match=problem):
            estimate(name, 1, call)
    with pytest.raises(BanzukeError, match="no mesh fits"):
        MODEL.estimate(hardware(machine("oakleaf-fx", 1), CONSTANTS, {"memory": 1e-6}), {})


def test_published_figures_are_nearer_than_by_the_share_of_the_peak_of_others() -> None:
    errors, shares = [], {}
    for name, entry in MACHINES.items():
        for figure in entry.figure:
            call = MODEL.published(figure) if figure.benchmark == "geofem" and figure.metric == "flop_rate" else ""
            if isinstance(call, str) or not figure.value:
                continue
            assert "triad" in call
            errors.append(abs(estimate(name, 1, call).figure / figure.value - 1))
            shares[name] = figure.value / (entry.node.total("flops.fp64") or math.nan)
    assert len(errors) == 5
    naive = [
        abs(statistics.median(s for other, s in shares.items() if other != name) / share - 1)
        for name, share in shares.items()
    ]
    assert statistics.median(errors) < statistics.median(naive)
    assert max(errors) < 0.25
