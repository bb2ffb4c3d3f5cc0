"""A figure is judged by the ceilings of the state that the machine was in."""

from datetime import timedelta

import pytest

from banzuke.judge.records import judge
from banzuke.judge.states import judged_by_the_best
from banzuke.judge.test_examples import BENCHMARKS, ENGLISH, GIGA, MACHINE, START, N, provenance, solver, triad
from banzuke.limit.by_state import CeilingsByState
from banzuke.limit.model import Ceiling
from banzuke.plan.resource import Resource
from banzuke.record.model import Record
from banzuke.testing import MEMORY, plain

NEAR, FAR = 38e-9, 150e-9
SLOW, FAST = 45 * GIGA, 80 * GIGA


def under(record: Record, distance: float | None, number: int = 0, **conditions: float) -> Record:
    """Return the record with this distance between processors 0 and 3."""
    distances = {"exchange_latency": distance, "exchange_processors": "0,3"} if distance else {}
    return record.having(
        conditions={**record.conditions, **distances, **conditions}, provenance=provenance(id=str(number))
    )


def sweep(bandwidth: float, distance: float | None, number: int = 10) -> Record:
    """A solver's record that moved memory at this rate."""
    return under(solver(N * 24 / bandwidth, flops=1.0, moved=N * 24), distance, number)


def limits(*records: Record, others: tuple[Record, ...] = ()) -> CeilingsByState:
    return CeilingsByState(records, MACHINE, BENCHMARKS, others)


def bandwidth(ceilings: CeilingsByState, record: Record) -> tuple[float, str]:
    (ceiling,) = [limit for limit in ceilings.bounding(record) if (limit.resource, limit.kind) == (MEMORY, "measured")]
    return ceiling.value, ENGLISH(ceiling.source)


def test_each_state_has_its_own_ceiling() -> None:
    records = under(triad(SLOW), NEAR), under(triad(FAST), FAR, 1)
    ceilings = limits(*records)
    assert [bandwidth(ceilings, sweep(1.0, distance))[0] for distance in (NEAR, FAR, None)] == [SLOW, FAST, FAST]
    assert [limit.value for limit in ceilings.every if (limit.resource, limit.kind) == (MEMORY, "measured")] == [
        FAST,
        SLOW,
    ]


def test_where_a_machine_shows_one_state_there_is_one_ceiling() -> None:
    records = under(triad(SLOW), NEAR), under(triad(FAST), 1.1 * NEAR, 1)
    ceilings = limits(*records)
    assert {bandwidth(ceilings, record)[0] for record in records} == {FAST}
    assert len([limit for limit in ceilings.every if (limit.resource, limit.kind) == (MEMORY, "measured")]) == 1


def test_a_state_in_which_nothing_was_measured_has_the_best_of_others_and_says_so() -> None:
    far, subject = under(triad(FAST), FAR), sweep(1.0, NEAR)
    value, source = bandwidth(limits(far, subject), subject)
    assert value == FAST
    assert "the best of other states, because it was not measured with near processors" in source


def test_what_was_measured_for_this_purpose_stands_in_for_a_state() -> None:
    far, subject, again = under(triad(FAST), FAR), sweep(1.0, NEAR), under(triad(SLOW), NEAR, 2)
    value, source = bandwidth(limits(far, subject, others=(again,)), subject)
    assert (value, "short case" in source) == (SLOW, True)


@pytest.mark.parametrize(("disturbed", "counts"), [(1.02 * SLOW, 1.02 * SLOW), (0.9 * SLOW, SLOW)])
def test_an_undisturbed_short_case_settles_what_a_disturbed_launch_reached(disturbed: float, counts: float) -> None:
    far, subject, again = under(triad(FAST), FAR), sweep(1.0, NEAR), under(triad(SLOW), NEAR, 2)
    own = under(triad(disturbed), NEAR, 3, steal_fraction=0.1)
    value, source = bandwidth(limits(far, own, subject, others=(again,)), subject)
    assert value == pytest.approx(counts)
    assert "other states" not in source
    assert ("short case" in source) == (counts == SLOW)


def test_a_launch_in_which_the_processors_moved_has_the_best_of_all_states() -> None:
    """Also if the best state was measured by another run."""
    near, again = under(triad(SLOW), NEAR), under(triad(FAST), FAR, 2)
    moved = under(sweep(1.0, NEAR), NEAR, 3, exchange_latency_before=FAR)
    known_states = limits(near, moved, others=(again,))
    value, source = bandwidth(known_states, moved)
    assert (value, "the best of all states, because the processors moved during this launch" in source) == (FAST, True)
    measured = [limit.value for limit in known_states.every if (limit.resource, limit.kind) == (MEMORY, "measured")]
    assert measured == [FAST, SLOW]


def test_a_disturbed_launch_is_no_ceiling_of_its_state() -> None:
    far, subject = under(triad(FAST), FAR), sweep(1.0, NEAR)
    disturbed = under(triad(SLOW / 2), NEAR, 2, other_busy_fraction=0.5)
    assert bandwidth(limits(far, subject, disturbed), subject)[0] == FAST


def test_launches_of_two_states_are_judged_each_by_its_own() -> None:
    """By the best of all states, the launch with near processors would only reach half of its limit."""
    launches = [sweep(0.9 * SLOW, NEAR, 10), sweep(0.9 * FAST, FAR, 11), sweep(0.9 * SLOW, NEAR, 12)]
    streams = [under(triad(SLOW), NEAR, 0), under(triad(FAST), FAR, 1)]
    assessments, _ = judge([*streams, *launches], MACHINE, BENCHMARKS)
    (judged,) = [assessment for assessment in assessments if assessment.record.benchmark == "solver"]
    shares = [launch.figures[0].fraction_of_limit or 0.0 for launch in judged.each]
    assert [round(share, 3) for share in shares] == [0.9, 0.9, 0.9]
    assert round(judged.figures[0].fraction_of_limit or 0.0, 3) == 0.9
    said = ENGLISH.joined(judged.verdict)
    assert "with near processors in 2 of 3 launches; with far processors in 1 of 3 launches" in said


SLOWEST, FASTEST = 2.2e9, 3.0e9


def at(minute: float, record: Record, clock: float | None, number: int, case: str) -> Record:
    """Return a launch of a case that began at this minute."""
    began = START + timedelta(minutes=minute)
    return record.having(
        started=began,
        ended=began + timedelta(seconds=10),
        conditions={**record.conditions, **({"clock_hz": clock} if clock else {})},
        provenance=provenance(id=str(number), case=case),
    )


def test_a_ceiling_of_another_program_has_the_clock_of_the_launches_around_it() -> None:
    """Its own clock does not count, because wider vectors have a lower one."""
    solvers = [
        at(minute, sweep(1.0, None), clock, number, "solver")
        for number, (minute, clock) in enumerate([(0, FASTEST), (1, FASTEST), (10, SLOWEST), (11, SLOWEST)])
    ]
    streams = at(0.5, triad(FAST), 2.0e9, 10, "short"), at(11.5, triad(SLOW), 1.9e9, 11, "headline")
    ceilings = limits(*solvers, *streams)
    assert [bandwidth(ceilings, solved)[0] for solved in solvers] == [FAST, FAST, SLOW, SLOW]
    assert "clock" not in bandwidth(ceilings, solvers[-1])[1], "nothing is uncertain"
    value, source = bandwidth(limits(*solvers, streams[0]), solvers[-1])
    assert (value, "because it was not measured with slow clock" in source) == (FAST, True)


@pytest.mark.parametrize("minute", [5.5, 30], ids=["between two clocks", "long after"])
def test_a_clock_that_launches_around_a_ceiling_do_not_tell_is_uncertain(minute: float) -> None:
    solvers = [
        at(when, sweep(1.0, None), clock, number, "solver")
        for number, (when, clock) in enumerate([(4, FASTEST), (5, FASTEST), (6, SLOWEST), (7, SLOWEST)])
    ]
    value, source = bandwidth(limits(*solvers, at(minute, triad(FAST), 2.0e9, 10, "short")), solvers[0])
    assert (value, "whether it was measured with fast clock is not known" in source) == (FAST, True)


def test_what_does_not_vary_with_the_processors_has_no_state() -> None:
    stored = Resource("storage.bytes", unit="B/s", title="bandwidth of a storage area", scope="area")
    ceilings = [Ceiling(resource, 1.0, "measured", plain("here")) for resource in (stored, MEMORY)]
    assert [ceiling.varies for ceiling in ceilings] == [False, True]
    of_device = Ceiling(MEMORY, 1.0, "measured", plain("there"), device="H200")
    assert not of_device.varies
    assert not Ceiling(MEMORY, 1.0, "theoretical", plain("by its channels")).varies


def test_launches_in_which_the_processors_moved_are_said_to_have_no_ceiling_of_their_own() -> None:
    near, far = under(triad(SLOW), NEAR, 0), under(triad(FAST), FAR, 1)
    moved = under(sweep(1.0, NEAR), NEAR, 3, exchange_latency_before=FAR)
    (said,) = map(ENGLISH, judged_by_the_best(judge([near, far, moved], MACHINE, BENCHMARKS)[0]))
    assert said == (
        "The processors moved during 1 launch of solver, so the best ceilings of all states judge it: "
        "the shares of limits may be too low."
    )
    assert not [*judged_by_the_best(judge([near, far, sweep(1.0, FAR, 4)], MACHINE, BENCHMARKS)[0])]
    assert not [*judged_by_the_best(judge([near, moved], MACHINE, BENCHMARKS)[0])], "there is one ceiling"
