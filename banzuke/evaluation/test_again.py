"""Limits are measured again in the state to which the machine has changed."""

import math
from dataclasses import replace
from datetime import timedelta

from banzuke.amounts import Scalar
from banzuke.evaluation.again import MOST_TIMES, StateWatch
from banzuke.judge.test_examples import BENCHMARKS, GIGA, MACHINE, SOLVER, START, STREAM, N, provenance, solver, triad
from banzuke.plan.benchmark import Layout
from banzuke.plan.resource import Resources
from banzuke.record.model import Record

NEAR, FAR = 38e-9, 150e-9
INSTALLED = {
    **BENCHMARKS,
    "stream": replace(STREAM, sweep=lambda _: [(Layout(1, 4), {"n": N})]),
    "solver": replace(SOLVER, resources=Resources(needs=("memory.bytes",))),
}


def at(minute: float, record: Record, distance: float = NEAR, **conditions: Scalar) -> Record:
    """Return the record as a launch in that minute, on processors 0 and 3."""
    begun = START + timedelta(minutes=minute)
    seen = {"exchange_latency": distance, "exchange_processors": "0,3", **conditions}
    origin = provenance(id=str(minute), case=record.benchmark)
    return record.having(started=begun, ended=begun + timedelta(seconds=10), provenance=origin, conditions=seen)


def stream(minute: float, distance: float = NEAR, **conditions: Scalar) -> Record:
    return at(minute, triad(40 * GIGA), distance, **conditions)


def solved(minute: float, distance: float = NEAR, **conditions: Scalar) -> Record:
    return at(minute, solver(1.0, flops=1.0, moved=1.0), distance, **conditions)


def measured_again(watch: StateWatch, *records: Record, within: float = math.inf) -> list[list[str]]:
    return [[case.benchmark for case in watch.changed(record, within)] for record in records]


def test_a_limit_is_measured_where_the_processors_have_moved_and_not_before() -> None:
    watch = StateWatch(MACHINE, INSTALLED, [stream(0)])
    assert measured_again(watch, solved(1), solved(2, 1.2 * NEAR), solved(3, FAR)) == [[], [], ["stream"]]


def test_a_limit_of_that_state_is_not_measured_again() -> None:
    watch = StateWatch(MACHINE, INSTALLED, [stream(0), stream(1, FAR)])
    assert measured_again(watch, solved(2), solved(3, FAR), solved(4), solved(5, FAR)) == [[]] * 4


FAST, SLOW = {"clock_hz": 3.0e9}, {"clock_hz": 2.2e9}


def test_a_clock_that_has_fallen_is_a_change_though_the_limit_was_measured_a_moment_ago() -> None:
    """The clock falls between a launch of STREAM and the next one of the solver."""
    watch = StateWatch(MACHINE, INSTALLED, [stream(0, clock_hz=3.2e9)])
    rounds = solved(1, **FAST), stream(2, clock_hz=3.2e9), solved(3, **SLOW)
    assert measured_again(watch, *rounds) == [[], [], ["stream"]]


def test_what_was_measured_since_a_clock_fell_holds() -> None:
    watch = StateWatch(MACHINE, INSTALLED, [stream(0, clock_hz=3.2e9), solved(1, **FAST)])
    assert measured_again(watch, solved(2, **SLOW)) == [["stream"]]
    watch.keep(stream(3, clock_hz=2.4e9))
    assert measured_again(watch, solved(4, **SLOW), solved(5, **SLOW)) == [[], []]


def test_a_clock_that_drifts_is_no_other_state() -> None:
    watch = StateWatch(MACHINE, INSTALLED, [stream(0)])
    drifting = [solved(minute, clock_hz=3.0e9 - 2e7 * minute) for minute in range(1, 20)]
    assert measured_again(watch, *drifting) == [[]] * 19


def test_nothing_is_measured_again_for_which_there_is_no_time() -> None:
    """The limits are half of what the launches took, and the time that is left."""
    assert measured_again(StateWatch(MACHINE, INSTALLED, [stream(0)]), solved(1, FAR), within=0.5) == [[]]
    short = solved(1, FAR).having(ended=START + timedelta(minutes=1, seconds=1))
    assert measured_again(StateWatch(MACHINE, INSTALLED, [stream(0)]), short) == [[]]


def test_what_cannot_be_measured_is_given_up() -> None:
    watch = StateWatch(MACHINE, INSTALLED, [stream(0)])
    watch.give_up("stream")
    assert measured_again(watch, solved(1, FAR)) == [[]]


def test_launches_that_show_nothing_change_nothing() -> None:
    watch = StateWatch(MACHINE, INSTALLED, [stream(0)])
    failed = solved(1, FAR).having(status="failed", reason="killed", metrics={}, verification=[])
    unseen = solved(3).having(conditions={})
    elsewhere = solved(4, FAR, exchange_processors="0,1")
    assert measured_again(watch, failed, solved(2, FAR, other_busy_fraction=0.4), unseen, elsewhere) == [[]] * 4


def test_a_machine_that_changes_all_the_time_is_measured_so_often_and_no_more() -> None:
    watch = StateWatch(MACHINE, INSTALLED, [stream(0)])
    jumping = [
        solved(minute, (NEAR, FAR)[minute % 2], clock_hz=(3.0e9, 2.2e9)[minute // 2 % 2]) for minute in range(40)
    ]
    assert sum(map(len, measured_again(watch, *jumping))) == MOST_TIMES


def test_what_limits_nothing_of_the_benchmark_is_left_alone() -> None:
    watch = StateWatch(MACHINE, BENCHMARKS, [stream(0)])
    assert measured_again(watch, solved(1, FAR), stream(2, NEAR)) == [[], []]
