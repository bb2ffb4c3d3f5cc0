"""Tests of a model's tables: exact where computed, as accurate elsewhere as stated, and refused without figures."""

import math
import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from banzuke.errors import BanzukeError
from banzuke.machine import published
from banzuke.machine.public import known_machines
from banzuke.plan.catalogue import find
from banzuke.predict.explore import table
from banzuke.predict.explore.axes import AXES, factors
from banzuke.predict.explore.data import Explored, content, explore
from banzuke.predict.explore.sampled import Sampled
from banzuke.predict.explore.table import BEYOND, ExplorationTable, tabulate
from banzuke.predict.explore.testing import SolverModel, solver
from banzuke.predict.find import predicted_machine
from banzuke.predict.hardware import Hardware, PredictedMachine
from banzuke.predict.left_out import PROBABILITY, left_out
from banzuke.predict.model import Call, Estimate, forecast
from banzuke.results.store import Store
from banzuke.words.language import words


def described(name: str) -> PredictedMachine:
    return predicted_machine(name, Store(Path("nowhere")))


def nominal(tabulated: ExplorationTable) -> list[float]:
    return [axis.nominal for axis in tabulated.axes]


@pytest.fixture(scope="module")
def devices() -> ExplorationTable:
    printed = published.find("flow-type-ii", published.load())
    assert printed
    return tabulate(solver(), described("flow-type-ii"), printed.figure, most=150, checked=100)


def test_as_described_the_table_is_the_model(devices: ExplorationTable) -> None:
    for stop, nodes in enumerate(devices.stops):
        machine = replace(described("flow-type-ii"), nodes={"flow-type-ii": nodes})
        true = forecast(solver(), machine, {})
        figure, seconds, peak = map(math.exp, devices.at(stop, nominal(devices))[:3])
        assert figure == pytest.approx(true.estimate.figure, rel=1e-4)
        assert seconds == pytest.approx(true.estimate.seconds, rel=1e-4)
        assert peak == pytest.approx(true.peak, rel=1e-4)
        low, high = devices.interval_at(stop, nominal(devices))
        if nodes in (1, 221):
            assert (low * figure, high * figure) == pytest.approx((true.low, true.high), rel=5e-3)


def test_shares_are_those_of_the_resources(devices: ExplorationTable) -> None:
    machine = replace(described("flow-type-ii"), nodes={"flow-type-ii": 64})
    true = forecast(solver(), machine, {}).estimate
    shares = table.shown(devices.at(devices.stops.index(64), nominal(devices))[3:])
    spent = sum(true.resources.values())
    assert dict(zip(devices.resources, shares, strict=True)) == pytest.approx(
        {"other": 0.0} | {name: seconds / spent for name, seconds in true.resources.items()}, abs=5e-3
    )


def test_the_error_at_other_points_is_the_one_that_is_told(devices: ExplorationTable) -> None:
    draw = random.Random(77)  # noqa: S311  (a test)
    sampled = Sampled(solver(), described("flow-type-ii"), devices.stops)
    errors = []
    for _ in range(200):
        positions = [draw.uniform(-1, 1) for _ in devices.axes]
        stop = draw.randrange(len(devices.stops))
        true, _ = sampled.estimate(devices.stops[stop], factors(devices.axes, positions))
        errors.append(abs(math.exp(devices.at(stop, positions)[0]) / true.figure - 1))
    assert devices.deviation
    spread = devices.deviation.figure
    errors.sort()
    assert spread.median / 2 < errors[100] < spread.median * 2
    assert spread.worst_but_few / 2.5 < errors[197] < spread.worst_but_few * 2.5


def test_only_what_moves_something_is_a_slider(devices: ExplorationTable) -> None:
    assert {axis.name for axis in devices.axes} >= {"flops", "memory", "host_link", "noise"}
    stream = tabulate(find("stream"), described("flow-type-ii"))
    assert {axis.name for axis in stream.axes} == {"memory.bandwidth", "memory"}
    assert stream.deviation
    assert stream.deviation.figure.worst < 1e-3


def test_published_figures_are_stops(devices: ExplorationTable) -> None:
    assert [dot.nodes for dot in devices.dots] == [221]
    assert devices.stops[-1] == 221
    assert devices.dots[0].printed == "4,880 TFLOPS"


def test_a_single_node_is_multiplied_as_far_as_its_network_is_described() -> None:
    machine = described("flow-type-ii")
    partition = machine.site.partitions["flow-type-ii"]

    def changed(**update: object) -> PredictedMachine:
        parts = {**machine.site.partitions, "flow-type-ii": partition.having(nodes=1, **update)}
        return replace(machine, site=machine.site.having(partitions=parts), nodes={"flow-type-ii": 1})

    assert tabulate(solver(), changed(), most=20, checked=10).stops[-1] == BEYOND
    assert tabulate(solver(), changed(network=None), most=20, checked=10).stops == [1]


def test_a_machine_without_numbers_is_refused_by_name_of_what_lacks() -> None:
    with pytest.raises(BanzukeError, match="no flop rate"):
        tabulate(solver(), described("fugaku"))


def test_a_figure_that_is_none_is_refused() -> None:
    class Nothing(SolverModel):
        def estimate(self, machine: object, call: object) -> object:  # type: ignore[override]
            return replace(super().estimate(machine, call), figure=math.nan)  # type: ignore[arg-type]

    with pytest.raises(BanzukeError, match="has no figure"):
        tabulate(replace(solver(), model=Nothing), described("flow-type-ii"))


def test_the_sliders_hold_what_is_described_and_reach_beyond() -> None:
    for axis in AXES:
        assert axis.factor(axis.nominal) == pytest.approx(0.0 if axis.name == "noise" else 1.0)
        assert axis.factor(1.0) == axis.span
        assert axis.factor(-1.0) < axis.factor(0.0) < axis.factor(1.0)


def test_an_explored_machine_says_why_a_benchmark_has_no_table() -> None:
    explored: Explored = explore("fugaku", described("fugaku"), [solver()])
    assert not explored.tables
    assert "no flop rate" in words()(explored.refused["hpl"])


def test_the_page_has_the_probability_and_the_errors_on_public_machines(devices: ExplorationTable) -> None:
    machines = [Explored("flow-type-ii", described("flow-type-ii"), {"hpl": devices})]
    (shown,) = content(machines, {}, [solver()])["machines"]
    assert shown["tables"]["hpl"]["probability"] == PROBABILITY
    public = shown["tables"]["hpl"]["public"]
    assert public["figures"] == sum((own.benchmark, own.kind) == ("hpl", "devices") for own in left_out())
    assert 0 < public["machine"]["median"] < public["family"]["most_of_ten"] < 1


def test_alternatives_are_those_that_the_model_chose_between(devices: ExplorationTable) -> None:
    class Choosing(SolverModel):
        """A model with two ways: the first wins where the second is slow, with a jump in the resources waited for."""

        settings: Mapping[str, str] = {"way": "a or b"}

        def estimate(self, machine: Hardware, call: Call) -> Estimate:
            b = replace(super().estimate(machine, call), call={"way": "b"})
            a = replace(b, figure=1.2e11 * machine.nodes, resources={"noise": 1.0}, call={"way": "a"})
            if "way" in call:
                return {"a": a, "b": b}[str(call["way"])]
            return max(a, b, key=lambda estimate: estimate.figure)

    tabulated = tabulate(replace(solver(), model=Choosing), described("oakleaf-fx"), most=100, checked=50)
    assert [alternative.call for alternative in tabulated.alternatives] == [{"way": "a"}, {"way": "b"}]
    assert [alternative.call for alternative in devices.alternatives] == [{}]
    assert tabulated.deviation
    assert tabulated.deviation.figure.worst < 0.01


def test_without_a_peak_there_is_no_share_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Sampled.estimate
    monkeypatch.setattr(Sampled, "estimate", lambda *arguments: (real(*arguments)[0], 0.0))
    assert not tabulate(solver(), described("oakleaf-fx"), most=20, checked=10).has_peak


def test_figures_of_lists_are_not_printed_as_bare_numbers() -> None:
    frontera = next(machine for machine in known_machines() if machine.id == "frontera")
    dots = tabulate(solver(), described("frontera"), frontera.figure, most=2, checked=1).dots
    assert [(dot.nodes, dot.printed) for dot in dots] == [(8008, "")]
