"""Tests of the model of FFT: limits, dependences, refusals; measured and published figures."""

import math
from collections.abc import Mapping
from pathlib import Path

import pytest

from banzuke.errors import BanzukeError
from banzuke.machine import published
from banzuke.machine.site import Site
from banzuke.plan.catalogue import find
from banzuke.predict.hardware import PredictedMachine, hardware
from banzuke.predict.model import Call, Estimate, constants_of, forecast, model_of
from banzuke.record.model import Record
from banzuke.words.language import words

FFT = find("fft")
MODEL = model_of(FFT)
CONSTANTS = {name: constant.value for name, constant in constants_of(MODEL).items()}
OAKLEAF = next(machine.site for machine in published.load() if machine.site.name == "Oakleaf-FX")


def site(**network: float | str | None) -> Site:
    """Return nodes of two cores with the rates that README.md has: together 240 Gflop/s in DGEMM, 33 in transforms."""
    processor = {"cores": 2, "nominal_hz": 3e9, "peaks": {"flops.fp64": {"value": 260e9, "unit": "flop/s"}}}
    node = {
        "processors": [processor],
        "memory": {"total": 64 << 30},
        "rates": {"flops.fp64": 240e9, "memory.bytes": 49e9, "flops.fft": 33e9},
    }
    linked = {"links": 1, "bandwidth": 12.5e9, **network}
    return Site.model_validate({"name": "two", "partitions": {"all": {"node": node, "network": linked}}})


def estimate(described: Site, nodes: int, call: Call, changed: Mapping[str, float] | None = None) -> Estimate:
    part = next(iter(described.partitions))
    return MODEL.estimate(
        hardware(PredictedMachine(described.name, described, {part: nodes}), {**CONSTANTS, **(changed or {})}), call
    )


@pytest.mark.parametrize(
    ("call", "measured"),
    [
        ({"n": 1 << 24}, 30.8e9),
        ({"n": 1 << 24, "ranks": 2, "order": "natural"}, 12.3e9),
        ({"n": 1 << 24, "ranks": 2, "order": "cyclic"}, 23.6e9),
    ],
)
def test_what_readme_says_was_measured(call: Call, measured: float) -> None:
    assert estimate(site(), 1, call).figure == pytest.approx(measured, rel=0.1)


def test_transforms_run_at_the_measured_rate_or_at_what_loads_and_stores_let_them() -> None:
    def kernel(**changed: float) -> float:
        described = site()
        node = described.partitions["all"].node
        rates = {"flops.fp64": 240e9, "memory.bytes": 1e15, **changed}
        alone = described.partitions["all"].having(node=node.having(rates=rates))
        seconds = estimate(described.having(partitions={"all": alone}), 1, {"n": 1 << 24}).seconds
        return 5 * 24 * (1 << 24) / seconds

    assert kernel(**{"flops.fft": 20e9}) == pytest.approx(20e9, rel=0.02)
    assert kernel() == pytest.approx(2 * 3e9 * CONSTANTS["fft.cycle"], rel=0.02)
    assert kernel(**{"flops.fp64": 480e9}) == pytest.approx(kernel())
    assert kernel(**{"flops.fp64": 60e9}) == pytest.approx(60e9 * CONSTANTS["fft.kernel"], rel=0.02)


def test_published_figure() -> None:
    figure = next(figure for figure in OAKLEAF.figure if figure.benchmark == "fft")
    call = MODEL.published(figure)
    assert isinstance(call, dict)
    assert call == {"code": "hpcc", "n": 3_200_000_000, "ranks": 1, "threads": 16}
    prediction = forecast(FFT, PredictedMachine("x", OAKLEAF, {"nodes": 8}), call)
    assert prediction.estimate.figure == pytest.approx(30.213e9, rel=0.15)
    assert prediction.low < 30.213e9 < prediction.high
    assert prediction.naive is not None
    assert prediction.naive > 1.5 * 30.213e9  # a node alone has no exchanges


def test_a_figure_without_ranks_is_not_predicted() -> None:
    yayoi = next(machine for machine in published.load() if machine.site.name == "Yayoi")
    figure = next(figure for figure in yayoi.figure if figure.benchmark == "fft")
    assert "ranks of a node" in str(MODEL.published(figure))


def test_exchanges() -> None:
    """The link bounds several nodes: three exchanges cost three times one, less what hides; one node has none."""
    n = 1 << 29
    alone, natural, cyclic = (
        estimate(site(), nodes, {"n": n, "order": order})
        for nodes, order in ((1, "natural"), (4, "natural"), (4, "cyclic"))
    )
    assert alone.resources["link.bytes"] == alone.resources["latency"] == 0
    assert natural.seconds > cyclic.seconds
    sent = 16 * n / 4 * 3 / 4 / (12.5e9 * CONSTANTS["link.share"])
    assert natural.resources["link.bytes"] < 3 * sent
    assert estimate(site(), 4, {"n": n, "code": "hpcc"}).resources["link.bytes"] == pytest.approx(3 * sent)


def test_what_hides_behind_the_passes_is_not_waited_for() -> None:
    """A slow link hides behind three quarters of the passes; of a fast one only the last of four pieces is exposed."""
    slow, fast = (estimate(site(bandwidth=rate), 4, {"n": 1 << 29, "order": "cyclic"}) for rate in (1e9, 1e12))
    passes = slow.phases["first"] + slow.phases["second"]
    sent = 16 * (1 << 29) / 4 * 3 / 4 / CONSTANTS["link.share"]
    assert slow.resources["link.bytes"] == pytest.approx(sent / 1e9 - 0.75 * passes)
    assert fast.resources["link.bytes"] == pytest.approx(sent / 1e12 / 4)


def test_better_parts_are_never_slower() -> None:
    rates = [
        estimate(site(bandwidth=rate), 16, {"n": 1 << 30, "code": code}).figure
        for code in ("banzuke", "hpcc")
        for rate in (1e9, 4e9, 12.5e9, 100e9)
    ]
    assert rates[:4] == sorted(rates[:4])
    assert rates[4:] == sorted(rates[4:])


def test_a_torus_of_many_nodes_is_bound_by_its_bisection() -> None:
    def sending(nodes: int, kind: str) -> float:
        return estimate(site(topology=kind, links=6), nodes, {"code": "hpcc", "ranks": 2}).resources["link.bytes"]

    # Two planes of 32 x 32 links separate the halves; without this bound each rank has its own link.
    assert sending(32768, "torus") == pytest.approx(2 * sending(32768, "fat-tree") * 32768 / 4 / (2 * 32 * 32))
    assert sending(2, "torus") == sending(2, "fat-tree")


def test_nodes_of_a_group_are_near_each_other() -> None:
    def rate(nodes: int, group: int) -> float:
        torus = site(topology="torus", links=6, group=group)
        return hardware(PredictedMachine("x", torus, {"all": nodes}), CONSTANTS).fabric.bisection

    assert rate(96, 12) == rate(8, 1) == pytest.approx(4 / (2 * 6))
    assert rate(12, 12) == 1


def test_loops_of_one_thread_do_not_profit_from_threads() -> None:
    flat, threaded = (estimate(OAKLEAF, 8, {"code": "hpcc", "n": 1 << 30, "ranks": ranks}) for ranks in (16, 1))
    assert flat.phases["serial"] < threaded.phases["serial"] / 3


def test_short_transforms_are_bound_by_latency() -> None:
    prediction = estimate(site(), 1024, {"n": 1 << 22, "ranks": 1})
    assert prediction.bound_by == "latency"
    slow = estimate(site(), 1024, {"n": 1 << 22, "ranks": 1}, {"link.latency": 1e-5})
    assert slow.figure < prediction.figure


def test_the_length_follows_from_the_memory() -> None:
    prediction = estimate(OAKLEAF, 8, {})
    assert prediction.call["n"] == pytest.approx(0.8 * 8 * 28e9 / 64, rel=0.01)


def test_other_prime_factors_leave_nodes_idle() -> None:
    prediction = estimate(OAKLEAF, 221, {"ranks": 1})
    assert "216 compute" in words()(prediction.remarks[0])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ({"n": 1e12}, "do not fit"),
        ({"n": 63}, "too short"),
        ({"n": 1.5}, "whole number"),
        ({"n": math.inf}, "whole number"),
        ({"n": "many"}, "whole number"),
        ({"ranks": 17}, "more than the 16 cores"),
        ({"ranks": 7, "threads": 1}, "prime factors"),
        ({"ranks": 0}, "whole number"),
        ({"code": "fastest"}, "unknown"),
        ({"order": "none"}, "unknown"),
    ],
)
def test_what_cannot_be_is_refused(call: Call, said: str) -> None:
    with pytest.raises(BanzukeError, match=said):
        estimate(OAKLEAF, 8, call)


def test_several_nodes_without_a_link_are_refused() -> None:
    with pytest.raises(BanzukeError, match="no bandwidth of the interconnect"):
        estimate(site(bandwidth=None), 2, {})
    assert estimate(site(bandwidth=None), 1, {}).figure > 0


def test_a_record_says_what_was_asked() -> None:
    path = Path(__file__).parents[2] / "schema" / "golden"
    record = Record.model_validate_json(next(path.glob("*.json*")).read_text().splitlines()[0])
    changed = record.model_copy(update={"backend": "omp", "parameters": {"n": 1024, "order": "cyclic", "rounds": 3}})
    call = MODEL.recorded(changed)  # type: ignore[attr-defined]
    assert call["n"] == 1024
    assert "rounds" not in call
    assert "mkl" in words()(MODEL.recorded(changed.model_copy(update={"backend": "mkl"})))  # type: ignore[attr-defined]
