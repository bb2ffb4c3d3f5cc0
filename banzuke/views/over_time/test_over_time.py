"""Tests of amounts in intervals as rates over time."""

import json
from typing import Any

import pytest

from banzuke import paths
from banzuke.charts.testing import layers, rows
from banzuke.document import Charts, Details
from banzuke.judge.model import Assessment
from banzuke.plan.benchmark import Benchmark, Metric
from banzuke.record.model import Record
from banzuke.report.testing.parts import machine
from banzuke.views.over_time import OverTime
from banzuke.views.testing import charts, shown

VIEW = OverTime(write="Writing", read="Reading")
SPEC = Benchmark(
    name="ior",
    title="IOR",
    metrics=(Metric("write_bandwidth", "B/s", "higher", "Write", headline=True),),
    views=(VIEW,),
)
ALL = {"host": "h1", "times": [1.0, 2.0, 4.0], "values": [100, 50, 100]}
SLOWEST = {"host": "h2", "rank": 3, "times": [2.0, 4.0], "values": [20, 10]}


def record(*lines: dict[str, Any]) -> Record:
    data: dict[str, Any] = json.loads((paths.SCHEMA / "golden" / "storage.json").read_text(encoding="utf-8"))
    data["series"] = {"write": {"unit": "B", "resolution": 1e6, "lines": list(lines)}} if lines else {}
    return Record.model_validate(data)


def assessed(measured: Record) -> Assessment:
    seen = VIEW.judge(measured, machine())
    return Assessment(measured, (), seen={VIEW.name: seen} if seen else {})


def test_a_rate_is_the_amount_over_its_interval() -> None:
    seen = VIEW.judge(record(ALL, SLOWEST), machine())
    assert seen is not None
    assert [(course.rank, course.rates) for course in seen] == [(None, (100e6, 50e6, 50e6)), (3, (10e6, 5e6))]


def test_the_slowest_rank_is_drawn_as_if_all_were_like_it() -> None:
    """The record has four ranks."""
    (chart,) = charts(shown(SPEC, "over-time", assessed(record(ALL, SLOWEST)))).values()
    (line,) = layers(chart.spec, "line")
    steps = [(row["series"], row["x"], row["y"]) for row in rows(chart.spec, line)]
    assert ("Writing", 1.0, pytest.approx(100)) in steps
    assert ("Writing, rank 3 × 4", 2.0, pytest.approx(40)) in steps


def test_more_cases_than_two_are_behind_a_click() -> None:
    cases = [assessed(record(ALL)) for _ in range(5)]
    beside, behind = shown(SPEC, "over-time", *cases)
    assert isinstance(beside, Charts)
    assert isinstance(behind, Details)
    assert (len(beside.charts), behind.summary) == (2, "3 more cases over time")
    assert len(charts([beside, behind])) == 5


def test_many_intervals_are_taken_together_and_nothing_is_lost() -> None:
    ends = [0.25 * (place + 1) for place in range(100)]
    seen = VIEW.judge(record({"host": "h", "times": ends, "values": [*range(100)]}), machine())
    assert seen is not None
    (course,) = seen
    assert len(course.ends) <= 40
    begins = (0.0, *course.ends)
    moved = sum(rate * (end - begin) for rate, begin, end in zip(course.rates, begins, course.ends, strict=False))
    assert moved == pytest.approx(sum(range(100)) * 1e6)


@pytest.mark.parametrize("line", [{"host": "h", "values": [1]}, {"host": "h", "times": [1.0, 1.0], "values": [0, 5]}])
def test_without_times_or_anything_moved_nothing_is_drawn(line: dict[str, Any]) -> None:
    assert VIEW.judge(record(line), machine()) is None
    assert VIEW.judge(record(), machine()) is None
