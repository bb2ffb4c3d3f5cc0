"""Memory bounds only what comes from it."""

from dataclasses import replace
from typing import Any

import pytest

from banzuke.judge.model import Assessment
from banzuke.judge.test_examples import ENGLISH, FLOP_RATE, GIGA, LLC, MACHINE, judge, record
from banzuke.limit.model import Ceiling, Doubt
from banzuke.limit.residence import residence
from banzuke.machine.site import Cache
from banzuke.record.figures import Samples
from banzuke.record.model import Record
from banzuke.testing import MEMORY, Work, plain

PEAK = Ceiling(MEMORY, 40 * GIGA, "theoretical", plain("2 channels"))
MEASURED = Ceiling(MEMORY, 40 * GIGA, "measured", plain("by stream"), 4)


def solver(working_set: float | None, rate: float, **changes: Any) -> Record:
    """One second of traffic at `rate` GB/s."""
    work = Work(flops=1.0, bytes=rate * GIGA, moved=rate * GIGA)
    conditions = {} if working_set is None else {"working_set": working_set}
    return record(
        "solver", {"time": Samples(unit="s", samples=[1.0], **work.of("s"))}, conditions=conditions, **changes
    )


def judged(working_set: float | None, rate: float) -> Assessment:
    return judge(solver(working_set, rate), under=(MEASURED, PEAK))


def test_what_stays_in_cache_is_not_bounded_by_memory() -> None:
    assessment = judged(LLC, 200)
    (figure,) = assessment.figures
    assert assessment.residence
    assert assessment.residence.place == "in cache"
    assert (figure.limit, figure.peak, figure.fraction_of_limit) == (None, None, None)
    assert ENGLISH(figure.limit_source) == (
        "the working set of 32 MiB stays in the last-level cache of 32 MiB, so memory does not bound it"
    )
    assert assessment.warnings == ()
    assert ENGLISH.joined(assessment.verdict) == f"1 s; {ENGLISH(figure.limit_source)}"


@pytest.mark.parametrize(("flops", "share"), [(1.0, None), (2e12, 2e12 / FLOP_RATE.value)])
def test_arithmetic_bounds_what_stays_in_cache_where_it_would_bind_in_memory_too(
    flops: float, share: float | None
) -> None:
    """Otherwise a cache serves the data, whose rate is unknown, and a share of the flop rate would mislead."""
    work = Work(flops=flops, bytes=40 * GIGA, moved=40 * GIGA)
    metrics = {"time": Samples(unit="s", samples=[1.0], **work.of("s"))}
    assessment = judge(record("solver", metrics, conditions={"working_set": 1.0}), under=(MEASURED, FLOP_RATE))
    assert assessment.figures[0].fraction_of_limit == (share and pytest.approx(share))


@pytest.mark.parametrize(("times", "beyond"), [(2.0, 0.5), (2.5, 0.6)])
def test_memory_bounds_the_part_that_the_cache_cannot_hold(times: float, beyond: float) -> None:
    assessment = judged(times * LLC, 30 / beyond)
    (figure,) = assessment.figures
    assert figure.fraction_of_limit == pytest.approx(30 / 40)
    assert f"up to {1 - beyond:.0%} of the data" in ENGLISH(figure.limit_source)
    assert assessment.warnings == ()
    assert "part of the data may have come from cache" in ENGLISH.joined(assessment.verdict)
    above = judged(times * LLC, 60 / beyond)
    assert [warning.code for warning in above.warnings] == ["limit-above", "limit-beyond-peak"]
    assert "see the warning" in ENGLISH.joined(above.verdict)


def test_a_cache_of_unknown_rate_that_may_serve_most_leaves_the_limit_unknown() -> None:
    (figure,) = judged(1.9 * LLC, 30).figures
    assert (figure.limit, figure.peak) == (None, None)
    assert ENGLISH(figure.limit_source) == "part of the data may stay in the last-level cache of 32 MiB"


def test_a_rate_that_caches_served_is_not_raised_again() -> None:
    loose = replace(MEASURED, doubt=Doubt(cached=True))
    assessment = judge(solver(2.0 * LLC, 60), under=(loose,))
    assert assessment.figures[0].fraction_of_limit == pytest.approx(1.5)
    assert "come from" not in ENGLISH(assessment.figures[0].limit_source)
    assert assessment.warnings == ()


@pytest.mark.parametrize("working_set", [4.0 * LLC, None])
def test_what_comes_from_memory_cannot_exceed_it(working_set: float | None) -> None:
    assessment = judged(working_set, 60)
    assert assessment.figures[0].fraction_of_limit == pytest.approx(1.5)
    assert "see the warning" in ENGLISH.joined(assessment.verdict)
    assert [warning.code for warning in assessment.warnings] == ["limit-above", "limit-beyond-peak"]


def test_caches_that_are_cleared_hold_nothing() -> None:
    cleared = residence(solver(1000, 1, parameters={"flush": 1}), MACHINE)
    assert cleared
    assert cleared.place == "in memory"
    kept = residence(solver(1000, 1, parameters={"flush": 0}), MACHINE)
    assert kept
    assert kept.place == "in cache"


def test_a_few_cores_have_the_caches_that_they_reach() -> None:
    sockets = Cache(level=3, kind="unified", bytes=LLC, instances=2, shared_by=4)
    two = MACHINE.changed(allotment={"caches": [sockets]})
    one_core, four_cores = (residence(solver(1.5 * LLC, 1, threads=threads), two) for threads in (1, 4))
    assert one_core
    assert one_core.place == "partly in cache"
    assert four_cores
    assert four_cores.place == "in cache"


def test_unknown_is_not_guessed() -> None:
    assert residence(solver(None, 1), MACHINE) is None
    assert residence(solver(1000, 1), MACHINE.changed(allotment={"caches": []})) is None
