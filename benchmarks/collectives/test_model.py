"""Tests of the model of collectives: limits, steps, refusals, and measurements that others published."""

import itertools
import math
from pathlib import Path

import pytest

from banzuke.errors import BanzukeError
from banzuke.machine import published
from banzuke.machine.site import Site
from banzuke.plan.catalogue import find
from banzuke.predict.hardware import PredictedMachine, hardware
from banzuke.predict.model import Call, Estimate, constants_of, forecast, model_of
from banzuke.record.model import Record
from banzuke.slowdown.noise import PeriodicNoise
from banzuke.words import Message
from banzuke.words.language import words

COLLECTIVES = find("collectives")
MODEL = model_of(COLLECTIVES)
CONSTANTS = {name: constant.value for name, constant in constants_of(MODEL).items()}
LATENCY, LOCAL = CONSTANTS["link.latency"], CONSTANTS["collectives.local"]


def site(cores: int = 16, **network: float | str | None) -> Site:
    peak = {"flops.fp64": {"value": 40e9 * cores, "unit": "flop/s"}}
    node = {
        "processors": [{"cores": cores, "peaks": peak}],
        "rates": {"memory.bytes": 300e9},
    }
    linked = {"links": 1, "bandwidth": 12.5e9, **network}
    return Site.model_validate({"name": "many", "partitions": {"all": {"node": node, "network": linked}}})


def estimate(described: Site, nodes: int, call: Call, noise: PeriodicNoise | None = None) -> Estimate:
    machine = PredictedMachine(described.name, described, {"all": nodes}, noise=noise)
    return MODEL.estimate(hardware(machine, CONSTANTS), call)


def test_a_barrier_takes_a_step_for_each_doubling() -> None:
    prediction = estimate(site(), 32, {"operation": "barrier"})
    assert prediction.figure == pytest.approx((1 + 2 + 3 + 4) * LOCAL + 5 * LATENCY)
    assert prediction.bound_by == "latency"
    assert estimate(site(), 1, {"operation": "barrier"}).figure == pytest.approx(10 * LOCAL)
    assert estimate(site(), 33, {"operation": "barrier", "ranks": 1}).figure == pytest.approx(6 * LATENCY)


def test_large_sums_take_what_the_links_carry() -> None:
    prediction = estimate(site(), 64, {"size": 1 << 30, "ranks": 1})
    assert prediction.call["algorithm"] == "reduce-scatter and allgather"
    assert prediction.figure == pytest.approx(2 * (1 << 30) * 63 / 64 / (12.5e9 * CONSTANTS["link.share"]), rel=1e-3)
    assert estimate(site(), 64, {"ranks": 1}).call["algorithm"] == "recursive doubling"
    ranks = [
        estimate(site(links=4), 64, {"size": 1 << 30, "ranks": count}).resources["link.bytes"] for count in (1, 16)
    ]
    assert ranks[0] == pytest.approx(4 * ranks[1])


def test_small_exchanges_are_combined() -> None:
    small, large = (estimate(site(), 256, {"operation": "alltoall", "size": size}) for size in (8, 1 << 16))
    assert small.call["algorithm"] == "Bruck's exchange"
    assert large.call["algorithm"] == "pairwise exchange"
    assert large.bound_by == "link.bytes"
    sent = 16 * 16 * 255 * (1 << 16) / (12.5e9 * CONSTANTS["link.share"])
    assert large.resources["link.bytes"] == pytest.approx(sent)


def test_more_is_never_faster() -> None:
    for operation in ("allreduce", "alltoall"):
        by_size = [estimate(site(), 64, {"operation": operation, "size": 1 << i}).figure for i in range(0, 21, 2)]
        assert all(a <= b for a, b in itertools.pairwise(by_size))
        by_nodes = [estimate(site(), 1 << i, {"operation": operation, "size": 1024}).figure for i in range(12)]
        assert all(a <= b for a, b in itertools.pairwise(by_nodes))
        links = [estimate(site(bandwidth=rate), 64, {"size": 1 << 20}).figure for rate in (1e9, 1e10, 1e11)]
        assert links == sorted(links, reverse=True)


def test_a_torus_is_slower_among_many() -> None:
    tree, torus = (
        estimate(site(topology=kind), 32768, {"operation": "alltoall", "size": 4096}).figure
        for kind in ("fat-tree", "torus")
    )
    assert torus > 3 * tree


def test_noise_makes_calls_longer() -> None:
    quiet = estimate(site(), 1024, {})
    loud = estimate(site(), 1024, {}, PeriodicNoise(1e-3, 1.0))
    assert loud.figure > 2 * quiet.figure
    assert loud.bound_by == "noise"


@pytest.mark.parametrize(
    ("nodes", "cores", "call", "measured"),
    [
        (32, 16, {"operation": "barrier"}, 9.25e-6),  # Fram, EDR InfiniBand
        (2, 96, {"operation": "barrier"}, 8.5e-6),  # Azure, HDR InfiniBand
        (4, 96, {"operation": "barrier"}, 12.57e-6),
        (4, 96, {}, 12.41e-6),
        (4, 96, {"size": 1 << 16}, 124.3e-6),
        (4, 96, {"size": 1 << 20}, 2160e-6),
        (4, 36, {"size": 16}, 11.50e-6),  # Oracle, 100 Gbit/s
    ],
)
def test_what_others_measured(nodes: int, cores: int, call: Call, measured: float) -> None:
    """Outputs of OSU Micro-Benchmarks in public repositories (README.md); the memory bandwidth of nodes is assumed."""
    assert estimate(site(cores), nodes, call).figure == pytest.approx(measured, rel=0.35)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ({"operation": "scan"}, "unknown"),
        ({"size": 0}, "whole number"),
        ({"size": 1.5}, "whole number"),
        ({"size": math.nan}, "whole number"),
        ({"ranks": 17}, "more than the 16 cores"),
        ({"ranks": "all"}, "whole number"),
    ],
)
def test_what_cannot_be_is_refused(call: Call, said: str) -> None:
    with pytest.raises(BanzukeError, match=said):
        estimate(site(), 4, call)


def test_one_rank_and_no_links_are_refused() -> None:
    with pytest.raises(BanzukeError, match="nobody"):
        estimate(site(), 1, {"ranks": 1})
    with pytest.raises(BanzukeError, match="no bandwidth of the interconnect"):
        estimate(site(bandwidth=None), 2, {})
    assert estimate(site(bandwidth=None), 1, {}).figure > 0


def test_less_time_is_better() -> None:
    prediction = forecast(COLLECTIVES, PredictedMachine("x", site(), {"all": 64}), {})
    assert not prediction.more_is_better
    assert prediction.low < prediction.estimate.figure < prediction.high


def test_reports_show_graphs_alone() -> None:
    flow = next(machine.site for machine in published.load() if machine.site.name == "Flow")
    figure = next(figure for figure in flow.figure if figure.benchmark == "collectives")
    assert "no number" in str(MODEL.published(figure))


def test_a_record_says_what_was_asked() -> None:
    path = Path(__file__).parents[2] / "schema" / "golden" / "curve.json"
    record = Record.model_validate_json(path.read_text())

    def asked(**parameters: int | str) -> Call | Message:
        changed = record.model_copy(update={"parameters": parameters})
        return MODEL.recorded(changed)  # type: ignore[attr-defined, no-any-return]

    call = asked(operation="alltoall", mode="blocking", min_size=1, max_size=1024)
    assert isinstance(call, dict)
    assert call["operation"] == "alltoall"
    for refused, why in (
        (asked(operation="alltoall", mode="blocking", min_size=1024, max_size=1024), "no size of 8 B"),
        (asked(operation="bcast", mode="blocking"), "a model only of"),
        (asked(operation="allreduce", mode="non-blocking"), "a model only of"),
    ):
        assert isinstance(refused, Message)
        assert why in words()(refused)
