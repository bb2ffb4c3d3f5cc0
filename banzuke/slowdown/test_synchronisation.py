"""Ta of applications follows from counts in the records of the headline case, and is never guessed."""

import math
from typing import Any

import pytest

from banzuke.errors import BanzukeError
from banzuke.plan.catalogue import find
from banzuke.record.figures import Samples
from banzuke.record.model import Record
from banzuke.report.testing.parts import record
from banzuke.slowdown.applications import applications
from banzuke.slowdown.synchronisation import Synchronisation, SynchronisationPeriod, positive_number
from banzuke.testing import changed

SPECS = {name: find(name) for name in ("geofem", "hpl", "stream")}


def solved(index: int, seconds: float, iterations: float = 100, **changes: Any) -> Record:
    """Return a record as GeoFEM-Cube writes it: three sums and one exchange an iteration."""
    metrics = {
        "flop_rate": Samples(unit="flop/s", samples=[1e9]),
        "time": Samples(unit="s", samples=[seconds]),
        "iterations": Samples(unit="count", samples=[iterations]),
    }
    return changed(record("geofem", index, {"nx": 40, "sweeps": 1}, metrics, ranks=2), **changes)


def launches(*seconds: float) -> list[Record]:
    """Launches of one case."""
    made = [solved(index, time) for index, time in enumerate(seconds)]
    origin = made[0].provenance
    assert origin
    return [
        changed(launch, provenance=origin.model_copy(update={"id": f"{index}", "repetition": index}))
        for index, launch in enumerate(made)
    ]


def test_the_median_launch_of_the_headline_case_speaks_for_an_application() -> None:
    (period,) = applications([*launches(0.4, 0.1, 0.2), solved(9, 40.0)], SPECS).periods
    assert period.seconds == pytest.approx(0.2 / 400)
    assert period.label == "GeoFEM-Cube, 500 µs"
    assert "300 collective operations, one every 667 µs, and 100 exchanges with neighbours in 200 ms" in period.about
    (named,) = applications(launches(0.2), SPECS, suffix="fast").periods
    assert named.label == "GeoFEM-Cube fast, 500 µs"


def test_a_record_without_a_count_gives_no_period_but_the_reason() -> None:
    reported = applications([solved(1, 0.2, parameters={"nx": 40})], SPECS)
    assert not reported.periods
    assert reported.without == ["GeoFEM-Cube: the record has no number of sweeps"]


def test_a_headline_that_failed_gives_none_even_where_another_case_passed() -> None:
    failed = record("geofem", 1, {"nx": 80}, status="failed", reason="no solution")
    reported = applications([failed, solved(2, 0.2)], SPECS)
    assert not reported.periods
    assert reported.without == ["GeoFEM-Cube: its headline case has no verified record"]


def test_benchmarks_that_say_nothing_of_waits_are_no_applications() -> None:
    metrics = {"triad_bandwidth": Samples(unit="B/s", samples=[1e11])}
    reported = applications([record("stream", 1, {}, metrics), record("alien", 2, {}, metrics)], SPECS)
    assert (list(reported.periods), list(reported.without)) == ([], [])


def test_times_of_an_emulated_machine_are_none() -> None:
    case = solved(1, 0.2)
    assert case.provenance
    details = {"accelerator": "tcg"}
    emulated = changed(case, provenance=case.provenance.model_copy(update={"environment_details": details}))
    assert not applications([emulated], SPECS).periods


@pytest.mark.parametrize("value", [None, True, "12", 0, -1, math.nan, math.inf, 10**400, [1]])
def test_what_is_no_count_is_not_taken_for_one(value: Any) -> None:
    with pytest.raises(BanzukeError, match="no number of sets"):
        positive_number("number of sets", value)


def test_waits_without_a_time_between_them_are_refused() -> None:
    for seconds, collectives in ((1.0, 0.0), (0.0, 1.0), (1.0, math.inf), (5e-324, 1e6)):
        with pytest.raises(BanzukeError, match="have no time between them"):
            Synchronisation(seconds, collectives)


def test_a_given_period_is_called_by_its_time() -> None:
    assert SynchronisationPeriod(250e-6).label == "250 µs"
