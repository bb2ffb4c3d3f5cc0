"""Tests of the model of STREAM: the cost of a store, limits, refusals; the published figures."""

import math
import statistics

import pytest

from banzuke.errors import BanzukeError
from banzuke.machine import published
from banzuke.machine.published import PublishedMachine, PublishedSite
from banzuke.machine.site import Partition
from banzuke.plan.catalogue import find
from banzuke.predict.hardware import PredictedMachine, hardware
from banzuke.predict.model import Call, Estimate, constants_of, forecast, model_of

BENCHMARK = find("stream")
MODEL = model_of(BENCHMARK)
CONSTANTS = {name: constant.value for name, constant in constants_of(MODEL).items()}
MACHINES = {machine.id: machine for machine in published.load()}


def estimate(machine: str, call: Call, nodes: int = 1, scale: dict[str, float] | None = None) -> Estimate:
    return MODEL.estimate(hardware(one(MACHINES[machine], nodes), CONSTANTS, scale), call)


def one(machine: PublishedMachine, nodes: int = 1) -> PredictedMachine:
    parts = machine.site.partitions
    name = machine.id if machine.id in parts else next(iter(parts))
    return PredictedMachine(machine.name, machine.site, {name: nodes})


def test_a_plain_store_costs_a_read() -> None:
    past = {kernel: estimate("yayoi", {"kernel": kernel}).figure for kernel in ("scale", "triad")}
    plain = {kernel: estimate("yayoi", {"kernel": kernel, "stores": "plain"}).figure for kernel in ("scale", "triad")}
    assert past["triad"] / plain["triad"] == pytest.approx(4 / 3)
    assert past["scale"] / plain["scale"] == pytest.approx(3 / 2 * CONSTANTS["stream.copy"])


def test_devices_read_nothing_before_they_write() -> None:
    rates = [estimate("reedbush-h", {"kernel": kernel, "on": "devices"}).figure for kernel in ("copy", "add", "triad")]
    assert rates == pytest.approx([2 * 732e9 * CONSTANTS["device.memory"]] * 3)
    assert estimate("reedbush-h", {"on": "devices", "devices": 1}).figure == pytest.approx(rates[0] / 2)


def test_all_nodes_and_all_bandwidth_count() -> None:
    alone = estimate("oakleaf-fx", {})
    assert alone.figure == pytest.approx(85e9 * CONSTANTS["host.memory"])
    assert estimate("oakleaf-fx", {}, 4800).figure == pytest.approx(4800 * alone.figure)
    assert estimate("oakleaf-fx", {}, scale={"memory.bandwidth": 2.0}).figure == pytest.approx(2 * alone.figure)
    assert estimate("oakleaf-fx", {}, scale={"flops": 2.0}).figure == alone.figure


def test_the_time_is_that_of_all_loops() -> None:
    prediction = estimate("reedbush-h", {"on": "devices", "n": 1_000_000, "rounds": 7})
    assert prediction.seconds == pytest.approx(7 * 80 * 1e6 / (732e9 * CONSTANTS["device.memory"]))
    assert prediction.phases == {"loops": prediction.seconds}
    assert prediction.bound_by == "memory.bytes"


def test_the_metric_is_that_of_the_kernel() -> None:
    made = forecast(BENCHMARK, one(MACHINES["oakleaf-fx"]), {"kernel": "add"})
    assert made.metric == "add_bandwidth"
    assert made.low < made.estimate.figure < made.high


def test_what_cannot_be_is_refused() -> None:
    asked: list[tuple[str, Call, str]] = [
        ("oakleaf-fx", {"kernel": "dot"}, "kernel=dot"),
        ("oakleaf-fx", {"stores": "quick"}, "stores=quick"),
        ("oakleaf-fx", {"n": 10**12}, "do not fit|not possible"),
        ("oakleaf-fx", {"n": math.nan}, "n=nan"),
        ("oakleaf-fx", {"n": 0}, "n=0"),
        ("oakleaf-fx", {"ranks": 1.5}, "ranks=1.5"),
        ("oakleaf-fx", {"on": "devices"}, "has no devices"),
        ("reedbush-h", {"on": "devices", "devices": 3}, "has 2 devices, not 3"),
        ("k-computer", {}, "gives no memory bandwidth"),
    ]
    for machine, call, problem in asked:
        with pytest.raises(BanzukeError, match=problem):
            estimate(machine, call)


def figures() -> list[tuple[str, str, float, float, float]]:
    """Return machine, metric, value, prediction and share of the theoretical bandwidth of each predictable figure."""
    rows = []
    for machine in MACHINES.values():
        for figure in machine.figure:
            if figure.benchmark != "stream" or figure.value is None:
                continue
            call = MODEL.published(figure)
            if isinstance(call, str) or machine.id == "k-computer":
                continue
            whole = estimate(machine.id, call)
            theoretical = bandwidth(machine.site, machine.id, on_device=call["on"] == "devices")
            rows.append((machine.id, figure.metric, figure.value, whole.figure, figure.value / theoretical))
    return rows


def bandwidth(site: PublishedSite, name: str, *, on_device: bool) -> float:
    part: Partition = site.partitions.get(name) or next(iter(site.partitions.values()))
    value = (part.node.devices[0] if on_device else part.node).peaks["memory.bytes"].value
    assert value
    return value


def test_published_figures_are_nearer_than_by_the_share_of_other_machines() -> None:
    rows = figures()
    assert len(rows) == 18
    errors, naive = [], []
    for machine, metric, value, predicted, share in rows:
        others = [s for other, kind, _, _, s in rows if other != machine and kind == metric]
        errors.append(abs(predicted / value - 1))
        naive.append(abs(statistics.median(others) / share - 1))
    assert statistics.median(errors) < 0.12
    assert max(errors) < 0.2
    assert statistics.median(errors) < statistics.median(naive)
