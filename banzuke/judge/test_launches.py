"""Several launches of a case, judged together."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.compare.statistics import Launches, mean_interval
from banzuke.compare.verdict import MeasuredSide, side
from banzuke.judge.assess import assess_case
from banzuke.judge.disturbance import DISTANCE
from banzuke.judge.launches import disturbed, singly
from banzuke.judge.model import Assessment, Figure
from banzuke.judge.records import judge
from banzuke.judge.siblings import Siblings
from banzuke.judge.test_examples import (
    BENCHMARKS,
    ENGLISH,
    GIGA,
    MACHINE,
    OneState,
    codes,
    evidence,
    provenance,
    record,
    solver,
    triad,
)
from banzuke.record.model import Record


def launch(number: int, *rates: float, **changes: Any) -> Record:
    """Return the launch of this number, ten minutes after the one before."""
    return _placed(triad(*rates, **changes), number)


def failed(number: int, reason: str = "killed by signal 9") -> Record:
    return _placed(record("stream", {}, status="failed", reason=reason, verification=[]), number)


def _placed(subject: Record, number: int) -> Record:
    start = subject.started + timedelta(minutes=10 * number)
    origin = provenance(id=str(number), repetition=number)
    return subject.model_copy(update={"started": start, "ended": start + timedelta(seconds=10), "provenance": origin})


def case(*launches: Record) -> Assessment:
    siblings = Siblings(launches, MACHINE)
    return assess_case(launches, siblings=siblings, machine=MACHINE, benchmarks=BENCHMARKS, ceilings=OneState())


def headline(assessment: Assessment) -> Figure:
    return next(figure for figure in assessment.figures if figure.headline)


def test_the_figure_is_the_median_of_the_launches_and_the_limit_is_held_against_it() -> None:
    judged = case(launch(0, 30 * GIGA), launch(1, 29.9 * GIGA, 30.2 * GIGA, 30.3 * GIGA), launch(2, 30.4 * GIGA))
    figure = headline(judged)
    assert figure.value == 30.2 * GIGA
    assert figure.medians == (30 * GIGA, 30.2 * GIGA, 30.4 * GIGA)
    assert (figure.best, len(figure.samples)) == (30.4 * GIGA, 5)
    assert figure.fraction_of_limit == pytest.approx(30.2 / 40)
    assert judged.record.provenance
    assert judged.record.provenance.id == "1"
    said = ENGLISH.joined(judged.verdict)
    assert "30.2 GB/s (median of 3 launches); 75.5% of its own best (the measured memory bandwidth)" in said
    assert ENGLISH.joined(judged.remark) == ""


def test_a_time_is_folded_by_its_own_direction() -> None:
    judged = case(
        *(_placed(solver(seconds, flops=1, moved=40e9), number) for number, seconds in enumerate((2, 2.1, 1.9)))
    )
    figure = headline(judged)
    assert (figure.value, figure.best) == (2, 1.9)
    assert figure.fraction_of_limit == pytest.approx(0.5)


def test_one_launch_is_what_it_was() -> None:
    judged = case(launch(0, 30 * GIGA, 31 * GIGA))
    figure = headline(judged)
    assert (figure.medians, figure.interval, figure.spread, judged.launches) == ((), None, None, ())
    assert judged.each == (judged,)
    assert "launches" not in ENGLISH.joined(judged.verdict)


def test_the_interval_is_that_of_the_comparison() -> None:
    rates = (30 * GIGA, 30.5 * GIGA, 31 * GIGA)
    figure = headline(case(*(launch(number, rate) for number, rate in enumerate(rates))))
    assert figure.interval == mean_interval(Launches(rates))
    compared = side(MeasuredSide([[rate] for rate in rates], []))
    assert (figure.interval, figure.spread) == (compared.interval, compared.spread)


def test_two_launches_have_no_interval_and_none_stands_out() -> None:
    judged = case(launch(0, 30 * GIGA), launch(1, 20 * GIGA))
    assert headline(judged).interval is None
    assert ENGLISH.joined(judged.remark) == "its launches gave 20 to 30 GB/s"
    assert "During the worst, launch 2 of 2, nothing that was recorded differed" in evidence(judged.causes[0])
    assert ENGLISH.joined(case(launch(0, 30 * GIGA), launch(1, 30.5 * GIGA)).remark) == ""


DIFFERENT = {
    "busy": (
        {"other_busy_fraction": 0.4},
        {"other_busy_fraction": 0.01},
        "other processes used 40% of the processors' time (during the others 1%",
    ),
    "stolen": (
        {"steal_fraction": 0.2},
        {"steal_fraction": 0.0},
        "the hypervisor took 20% of the time (during the others 0%",
    ),
    "clock": ({"clock_hz": 2e9}, {"clock_hz": 3e9}, "the clock was 2 GHz (after the others 3 GHz)"),
    "quota": ({"throttled_seconds": 5.0}, {"throttled_seconds": 0.0}, "for 50% of the time (during the others 0%"),
    "pages": (
        {"huge_page_fraction": 0.0},
        {"huge_page_fraction": 0.99},
        "huge pages held 0% of the data (during the others 99%",
    ),
    "moved": ({"exchange_latency": 45e-9}, {"exchange_latency": 190e-9}, "in 45 ns (during the others 190 ns"),
    "switches": (
        {"involuntary_switches": 40_000},
        {"involuntary_switches": 0},
        "preempted 1,000 times per second (during the others 0",
    ),
    "nothing": ({"steal_fraction": 0.002}, {"steal_fraction": 0.001}, "nothing that was recorded differed"),
    "unknown": ({}, {"steal_fraction": 0.2}, "nothing that was recorded differed"),
}


@pytest.mark.parametrize(("during", "usual", "shown"), DIFFERENT.values(), ids=DIFFERENT.keys())
def test_a_disturbed_launch_stands_out_with_what_was_different(
    during: dict[str, Any], usual: dict[str, Any], shown: str
) -> None:
    judged = case(
        launch(0, 36 * GIGA, conditions=usual),
        launch(1, 18 * GIGA, conditions=during),
        launch(2, 36.2 * GIGA, conditions=usual),
    )
    assert headline(judged).value == 36 * GIGA
    assert ENGLISH.joined(judged.remark).startswith("launch 2 of 3 was 2.01 times worse than the others")
    assert shown in ENGLISH.joined(judged.remark)
    assert ENGLISH.joined(judged.verdict).endswith(ENGLISH.joined(judged.remark))
    cause = judged.causes[0]
    assert cause.message.code == "limit-launch-stands-out"
    assert "Launch 2 of 3, at 03:14:00, gave 18 GB/s, the others 36 to 36.2 GB/s. During it " in evidence(cause)
    assert shown in evidence(cause)


def test_the_one_quiet_launch_stands_out_as_better() -> None:
    judged = case(launch(0, 20 * GIGA), launch(1, 30 * GIGA), launch(2, 20.1 * GIGA))
    assert "launch 2 of 3 was 1.50 times better than the others" in ENGLISH.joined(judged.remark)
    slow = case(*(_placed(solver(s, flops=1, moved=40e9), number) for number, s in enumerate((2, 3, 2))))
    assert "launch 2 of 3 was 1.5 times worse than the others" in ENGLISH.joined(slow.remark)


@pytest.mark.parametrize("direction", [1, -1])
def test_a_launch_that_is_better_costs_nothing_and_a_worse_one_what_it_takes_from_the_median(direction: int) -> None:
    def cost(*rates: float) -> float:
        if direction < 0:  # for a time, lower is better
            seconds = [_placed(solver(60 / rate, flops=1, moved=40e9), number) for number, rate in enumerate(rates)]
            return case(*seconds).causes[0].weight
        return case(*(launch(number, rate * GIGA) for number, rate in enumerate(rates))).causes[0].weight

    assert cost(5, 30, 5.1) == 0
    assert cost(5, 5.1, 30, 5.05, 29) == 0
    assert cost(30, 15, 30.3) == pytest.approx(0, abs=0.01)
    assert cost(30, 30, 15, 15) == pytest.approx(0.25 if direction > 0 else 1 / 3)


def test_who_took_processors_from_a_launch_is_the_cause_of_its_difference() -> None:
    for condition, taker in (("other_busy_fraction", "others"), ("steal_fraction", "hypervisor")):
        rates = ((36, 0.4), (36, 0.0), (20, 0.5), (36, 0.0)) if taker == "others" else ((36, 0.0), (20, 0.5))
        judged = case(*(launch(n, rate * GIGA, conditions={condition: value}) for n, (rate, value) in enumerate(rates)))
        assert (judged.causes[0].taker, judged.causes[0].compared) == (taker, "launches")
    apart = [
        launch(n, rate * GIGA, conditions={"exchange_latency": latency})
        for n, rate, latency in ((0, 36, 2e-7), (1, 20, 4e-8))
    ]
    assert case(*apart).causes[0].cause == DISTANCE


def test_a_launch_on_other_processors_says_so() -> None:
    here = launch(0, 36 * GIGA)
    binding = [here.binding[0].model_copy(update={"threads": ["4", "5", "6", "7"]})]
    there = launch(1, 18 * GIGA).model_copy(
        update={"groups": [here.groups[0].model_copy(update={"binding": binding, "hosts": []})]}
    )
    judged = case(here, there, launch(2, 36 * GIGA))
    assert "its threads were on different processors and it was on different hosts" in evidence(judged.causes[0])


def test_launches_that_scatter_have_no_odd_one_and_tell_their_spread() -> None:
    judged = case(launch(0, 30 * GIGA), launch(1, 33 * GIGA), launch(2, 36 * GIGA))
    assert ENGLISH.joined(judged.remark) == "its launches gave 30 to 36 GB/s"
    assert "(spread 9.12%). During the worst, launch 1 of 3" in evidence(judged.causes[0])


@given(st.floats(1.0, 1.049), st.floats(1.0, 1.049))
def test_launches_that_repeat_as_they_usually_do_are_not_remarked_on(a: float, b: float) -> None:
    assert ENGLISH.joined(case(launch(0, 30 * GIGA), launch(1, 30 * GIGA * a), launch(2, 30 * GIGA * b)).remark) == ""


def test_a_failed_launch_is_told_and_the_others_are_the_figure() -> None:
    judged = case(launch(0, 30 * GIGA), failed(1), launch(2, 30.2 * GIGA))
    assert judged.record.status == "ok"
    assert headline(judged).medians == (30 * GIGA, 30.2 * GIGA)
    assert ENGLISH.joined(judged.remark) == "2 of 3 launches verified; 1 failed: killed by signal 9"
    assert ENGLISH.joined(judged.remark) in ENGLISH.joined(judged.verdict)
    assert [assessment.record.status for assessment in judged.launches] == ["ok", "failed", "ok"]


def test_one_launch_of_three_that_verified_has_no_interval() -> None:
    judged = case(launch(0, 30 * GIGA), failed(1), failed(2))
    assert headline(judged).interval is None
    assert ENGLISH.joined(judged.remark) == "1 of 3 launches verified; 2 failed: killed by signal 9"
    assert "1 of 3" in ENGLISH.joined(case(launch(0, 30 * GIGA), failed(1), failed(2, "out of time")).remark)


def test_a_case_of_which_no_launch_verified_has_no_figure() -> None:
    judged = case(failed(0), failed(1))
    assert judged.figures == ()
    assert ENGLISH.joined(judged.verdict) == "no figure: killed by signal 9; none of 2 launches verified"
    assert "1 failed: out of time" in ENGLISH.joined(case(failed(0), failed(1, "out of time")).verdict)


def test_the_order_in_which_launches_are_read_means_nothing() -> None:
    launches = [launch(0, 30 * GIGA), launch(1, 31 * GIGA), failed(2)]
    assert case(*launches) == case(*reversed(launches))


def test_a_case_is_all_launches_with_its_hash_and_singly_they_come_apart() -> None:
    other = launch(3, 10 * GIGA, parameters={"n": 1.0})
    assert other.provenance
    other = other.model_copy(update={"provenance": other.provenance.model_copy(update={"case": "other"})})
    records = [launch(0, 30 * GIGA), launch(1, 31 * GIGA), other, failed(4)]
    judged, _ = judge(records, MACHINE, BENCHMARKS)
    assert [len(assessment.each) for assessment in judged] == [3, 1]
    assert [assessment.record for assessment in singly(judged)] == records


def test_the_median_launch_is_what_others_are_compared_with() -> None:
    lucky = [
        launch(number, rate, parameters={"n": 2.0}) for number, rate in enumerate((20 * GIGA, 20 * GIGA, 38 * GIGA))
    ]
    lucky = [
        record.model_copy(
            update={"provenance": record.provenance.model_copy(update={"case": "n2", "id": f"n2-{number}"})}
        )
        for number, record in enumerate(lucky)
        if record.provenance
    ]
    mine = [launch(number, 20 * GIGA, parameters={"n": 1.0}) for number in range(3)]
    judged, _ = judge([*mine, *lucky], MACHINE, BENCHMARKS)
    assert "limit-setting" not in codes(judged[0].causes)
    better = [
        record.model_copy(update={"metrics": launch(0, 30 * GIGA).metrics}) if number else record
        for number, record in enumerate(lucky)
    ]
    judged, _ = judge([*mine, *better], MACHINE, BENCHMARKS)
    assert any(evidence(cause).startswith("n=2.0 was 1.5 times better") for cause in judged[0].causes)


def test_what_would_have_made_it_better_does_not_explain_a_worse_launch() -> None:
    slow, fast = {"clock_hz": 2e9, "huge_page_fraction": 0.1}, {"clock_hz": 3e9, "huge_page_fraction": 0.9}
    worse = case(launch(0, 36 * GIGA), launch(1, 18 * GIGA, conditions=fast), launch(2, 36 * GIGA, conditions=slow))
    assert ENGLISH.joined(worse.remark).endswith("times worse than the others: nothing that was recorded differed")
    better = case(
        launch(0, 18 * GIGA, conditions=slow),
        launch(1, 36 * GIGA, conditions=fast),
        launch(2, 18 * GIGA, conditions=slow),
    )
    assert ENGLISH.joined(better.remark).endswith(
        "better than the others: the clock was 3 GHz (after the others 2 GHz) and huge pages held 90% of the data "
        "(during the others 10%)"
    )


def test_a_launch_stands_out_by_how_far_the_others_lie_from_each_other() -> None:
    near = case(launch(0, 30 * GIGA), launch(1, 30.6 * GIGA), launch(2, 27 * GIGA))
    assert ENGLISH.joined(near.remark).startswith("launch 3 of 3 was 1.12 times worse than the others")
    wide = case(launch(0, 30 * GIGA), launch(1, 31.5 * GIGA), launch(2, 27 * GIGA))
    assert ENGLISH.joined(wide.remark) == "its launches gave 27 to 31.5 GB/s"


def test_a_skipped_case_is_no_launch() -> None:
    busy = launch(0, 30 * GIGA, conditions={"other_busy_fraction": 0.4})
    skipped = record("stream", {}, status="skipped", reason="nothing installed measures it", verification=[])
    for others, launches in (([skipped], 1), ([failed(1), skipped], 2)):
        said = disturbed([busy, *others])
        assert said is not None
        assert (said.facts["disturbed"], said.facts["launches"]) == (1, launches)
