import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from banzuke.compare.statistics import Interval
from banzuke.errors import BanzukeError
from banzuke.judge.test_examples import (
    BENCHMARKS,
    CEILINGS,
    ENGLISH,
    FLOP_RATE,
    GIGA,
    MACHINE,
    STREAM,
    broken_down,
    judge,
    provenance,
    solver,
    triad,
)
from banzuke.limit.model import Ceiling
from banzuke.machine.model import Machine
from banzuke.machine.site import Peak
from banzuke.plan.resource import Resources
from banzuke.predict.constants import SHARED, Constant
from banzuke.predict.hardware import SCALES, Hardware
from banzuke.predict.model import Call, Estimate
from banzuke.predict.residual import Disturbance, Residual, Unpredicted, moved, residuals, title_of
from banzuke.record.model import Record
from banzuke.testing import MEMORY, plain
from banzuke.words import Message, declared, message

FLOPS, BYTES = 720 * GIGA, 40 * GIGA
"""Amounts that take two seconds at the ceiling's flop rate, and one at its bandwidth."""


class FakeModel:
    """A model whose time is that of its flops plus that of its bytes, times a constant."""

    metric = "time"
    constants: Mapping[str, Constant] = {
        "solver.overhead": Constant(1.0, 0.97, 1.05, "time over that of the work", "assumed")
    }
    settings: Mapping[str, str] = {"n": "size", "ranks": "of the job"}

    def estimate(self, machine: Hardware, call: Call) -> Estimate:
        if call.get("n") == 13:
            raise BanzukeError("n=13 is unlucky", why="it is 13")
        (group,) = machine.groups
        update, panel = FLOPS / group.host.dgemm / machine.nodes, BYTES / group.host.bandwidth / machine.nodes
        seconds = (update + panel) * machine.constants["solver.overhead"]
        return Estimate(seconds, seconds, {"update": update, "panel": panel}, {"flops.fp64": seconds}, call)

    def published(self, figure: object) -> Call | str:
        return f"{figure}"


SOLVER = replace(BENCHMARKS["solver"], model=FakeModel)
WITH_MODEL = {**BENCHMARKS, "solver": SOLVER}


def compared(
    *subjects: Record, on: Machine = MACHINE, under: tuple[Ceiling, ...] = CEILINGS, model: Any = FakeModel
) -> list[Residual | Unpredicted | None]:
    benchmarks = {**BENCHMARKS, "solver": replace(SOLVER, model=model)}
    return residuals([judge(record, on=on, under=under) for record in subjects], on, under, benchmarks)


def residual_of(record: Record, **changes: Any) -> Residual:
    (residual,) = compared(record, **changes)
    assert isinstance(residual, Residual)
    return residual


def reason_for(record: Record, **changes: Any) -> str:
    (unpredicted,) = compared(record, **changes)
    assert isinstance(unpredicted, Unpredicted)
    return unpredicted.why if isinstance(unpredicted.why, str) else ENGLISH(unpredicted.why)


def run(*seconds: float, **changes: Any) -> Record:
    return solver(*seconds, flops=FLOPS, moved=BYTES, **changes)


def test_measured_over_predicted() -> None:
    residual = residual_of(run(3.09))
    assert residual.ratio == pytest.approx(1.03)
    assert [residual.forecast.low, residual.forecast.high] == pytest.approx([2.91, 3.15])
    assert not residual.large
    assert residual.explanation is None


def test_a_large_one_names_the_number_that_needs_the_smallest_change() -> None:
    residual = residual_of(run(3.4))
    assert residual.large
    assert residual.explanation is not None
    # Changes needed: flops 2 s / 2.4 s, two ranges of 10%; bytes 1 s / 1.4 s, over two of 15%; the constant 0.4 / 0.15.
    assert residual.explanation.name == "flops"
    assert residual.explanation.factor == pytest.approx(2 / 2.4, rel=1e-3)
    assert residual.explanation.ranges == pytest.approx(math.log(2 / 2.4) / math.log(1.1), rel=1e-2)


def test_a_constant_may_be_what_explains() -> None:
    described = MACHINE.changed(node={"peaks": {"memory.bytes": Peak(value=20e9, unit="B/s")}})
    residual = residual_of(run(6.5), under=(FLOP_RATE,), on=described)
    assert residual.explanation is not None
    assert residual.explanation.name == "host.memory"
    share = SHARED["host.memory"]
    needed = 40 / 20 / 4.5
    assert residual.explanation.factor * share.value == pytest.approx(needed, rel=1e-3)
    assert residual.explanation.ranges == pytest.approx((needed - share.value) / (share.value - share.low), rel=1e-3)
    assert residual.explanation.plausible


def test_what_no_plausible_number_explains_is_told_apart() -> None:
    residual = residual_of(run(6.0))
    assert residual.large
    assert residual.explanation is not None
    assert not residual.explanation.plausible
    assert residual.explanation.name == "flops"
    assert residual.explanation.factor == pytest.approx(2 / 5, rel=1e-2)
    assert residual_of(run(3.4)).explanation.plausible  # type: ignore[union-attr]
    assert residual_of(run(90.0)).explanation is None


def test_ranks_that_shared_a_processor_explain_it() -> None:
    judged = replace(judge(run(6.0)), no_headline=(message("limit-no-headline"),))
    (residual,) = residuals([judged], MACHINE, CEILINGS, WITH_MODEL)
    assert isinstance(residual, Residual)
    assert residual.disturbance == Disturbance("shared")
    assert residual.explanation is None
    loaded = residual_of(run(6.0, conditions={"other_busy_fraction": 0.5}))
    assert loaded.disturbance == Disturbance("others", 0.5)
    assert residual_of(run(6.0)).disturbance is None


def test_an_interval_of_launches_counts() -> None:
    wide = run(3.4)
    judged = judge(wide)
    figure = replace(judged.figures[0], interval=Interval(3.0, 3.8))
    (residual,) = residuals([replace(judged, figures=(figure,))], MACHINE, CEILINGS, WITH_MODEL)
    assert isinstance(residual, Residual)
    assert not residual.large


def test_a_number_that_would_move_the_time_to_the_wrong_phase_explains_nothing() -> None:
    slow_update = residual_of(broken_down(FLOPS, 3.4, update=[1.2, 1.2], panel=[0.5, 0.5]))
    assert slow_update.explanation is not None
    assert slow_update.explanation.name == "flops"
    slow_panel = residual_of(broken_down(FLOPS, 3.4, update=[1.0, 1.0], panel=[0.7, 0.7]))
    assert slow_panel.explanation is not None
    assert slow_panel.explanation.name == "memory.bandwidth"
    waiting = residual_of(broken_down(FLOPS, 3.4, update=[1.0, 1.0], panel=[0.5, 0.5], wait=[0.2, 0.2]))
    assert waiting.explanation is None
    assert waiting.phases[0].name == "wait"


def test_phases_stand_beside_each_other() -> None:
    residual = residual_of(broken_down(FLOPS, 4.0, update=[1.0, 1.1], panel=[0.9, 1.0]))
    assert [phase.name for phase in residual.phases] == ["panel", "update"]
    assert [phase.predicted for phase in residual.phases] == pytest.approx([1.0, 2.0])
    assert [phase.measured for phase in residual.phases] == pytest.approx([1.9, 2.1])
    twice = residual_of(broken_down(FLOPS, 4.0, update=[2.0, 2.2], panel=[1.8, 2.0]))
    assert [phase.predicted for phase in twice.phases] == pytest.approx([2.0, 4.0]), "of twice as much work"
    assert not residual_of(broken_down(FLOPS, 4.0, other=[1.0, 1.1])).phases
    assert not residual_of(run(3.0)).phases


def test_what_did_not_verify_or_has_no_model_is_not_compared() -> None:
    failed = run(3.0).model_copy(update={"status": "failed", "reason": "it crashed", "metrics": {}})
    assert compared(failed, triad(40 * GIGA)) == [None, None]


def test_without_a_rate_nothing_is_predicted() -> None:
    assert reason_for(run(3.0), under=(FLOP_RATE,)) == (
        "the memory bandwidth is unknown: no other benchmark of the run measured it, and nothing describes it"
    )
    described = MACHINE.changed(node={"peaks": {"memory.bytes": Peak(value=100e9, unit="B/s")}})
    residual = residual_of(run(3.0), under=(FLOP_RATE,), on=described)
    assert residual.forecast.estimate.figure == pytest.approx(2 + 40 / (100 * SHARED["host.memory"].value))


def test_the_benchmark_that_measures_a_rate_is_not_predicted_from_it() -> None:
    benchmarks = {**BENCHMARKS, "stream": replace(STREAM, model=_Own)}
    subject = judge(triad(40 * GIGA))
    (unpredicted,) = residuals([subject], MACHINE, CEILINGS, benchmarks)
    assert isinstance(unpredicted, Unpredicted)


class _Own(FakeModel):
    metric = "triad_bandwidth"


def test_a_rate_that_it_measures_beside_its_figure_counts() -> None:
    beside = replace(MEMORY, metric="bandwidth")
    own = replace(SOLVER, resources=Resources((beside,)))
    (residual,) = residuals([judge(run(3.0))], MACHINE, CEILINGS, {**BENCHMARKS, "solver": own})
    assert isinstance(residual, Residual)
    predicting = replace(SOLVER, resources=Resources((replace(MEMORY, metric="time"),)))
    (unpredicted,) = residuals([judge(run(3.0))], MACHINE, CEILINGS, {**BENCHMARKS, "solver": predicting})
    assert isinstance(unpredicted, Unpredicted)


def test_rates_are_those_of_the_same_state() -> None:
    slow = replace(CEILINGS[0], value=CEILINGS[0].value / 2)
    judged = judge(run(3.0), under=(slow, *CEILINGS[1:]))
    (residual,) = residuals([judged], MACHINE, CEILINGS, WITH_MODEL)
    assert isinstance(residual, Residual)
    assert residual.forecast.estimate.figure == pytest.approx(4.0)


def test_a_benchmark_without_model_says_why() -> None:
    reasoned = replace(BENCHMARKS["solver"], unpredicted="nobody knows")
    (unpredicted,) = residuals([judge(run(3.0))], MACHINE, CEILINGS, {**BENCHMARKS, "solver": reasoned})
    assert unpredicted == Unpredicted(declared("solver-unpredicted", "nobody knows"))


def test_a_case_on_one_core_is_predicted_from_what_was_measured_on_one() -> None:
    single: dict[str, Any] = {"threads": 1, "provenance": provenance(id="2")}
    alone = triad(10 * GIGA, **single)
    subject = run(12.0, **single)
    under = CEILINGS
    benchmarks = {**WITH_MODEL, "stream": STREAM}
    residual = residuals([judge(subject), judge(alone)], MACHINE, under, benchmarks)[0]
    assert isinstance(residual, Residual)
    assert residual.forecast.estimate.figure == pytest.approx(4 * 2 + 4), "a quarter of all cores' flop rate"
    without = residuals([judge(subject)], MACHINE, under, benchmarks)[0]
    assert isinstance(without, Residual)
    assert without.forecast.estimate.figure == pytest.approx(4 * 2 + 1), "as much as all cores draw"


def test_a_record_may_be_anything() -> None:
    assert reason_for(run(3.0, parameters={"n": 13})) == "n=13 is unlucky (it is 13)"
    assert "ZeroDivisionError" in reason_for(run(3.0), model=_Broken)
    assert reason_for(run(3.0), model=_Endless) == "the model gives no finite figure"
    assert reason_for(run(3.0), model=_Picky) == "4 threads: its panels have no width"


class _Broken(FakeModel):
    def estimate(self, machine: Hardware, call: Call) -> Estimate:
        raise ZeroDivisionError(f"{machine.name} {call}")


class _Endless(FakeModel):
    def estimate(self, machine: Hardware, call: Call) -> Estimate:
        return replace(super().estimate(machine, call), figure=math.inf)


class _Picky(FakeModel):
    def recorded(self, record: Record) -> Call | Message:
        return declared("picky", f"{record.layout}: its panels have no width")


def test_what_was_asked_is_what_the_model_knows() -> None:
    assert residual_of(run(3.0, parameters={"n": 7, "colour": "red"})).forecast.estimate.call == {"n": 7, "ranks": 1}


def test_constants_move_in_ranges() -> None:
    share = Constant(0.9, 0.8, 0.95, "share", "assumed")
    assert moved(share, 1) == pytest.approx(0.95)
    assert moved(share, -1) == pytest.approx(0.8)
    assert [moved(share, 3), moved(share, -20)] == pytest.approx([1.0, 0.05 * 0.9])
    assert moved(Constant(0.01, 0.0, 0.03, "spread", "assumed"), -1) == 0.0
    assert moved(Constant(1e-6, 1e-6, 4e-6, "latency", "assumed", "s"), 2) == pytest.approx(7e-6)


def test_every_number_has_a_title() -> None:
    assert title_of("memory.bandwidth") == declared("residual-scale-memory-bandwidth", SCALES["memory.bandwidth"])
    assert MEMORY.title in ENGLISH(title_of("memory.bandwidth"))
    assert plain("nothing").english == "nothing"
