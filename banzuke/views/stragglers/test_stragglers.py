"""Tests that slow ranks are named, and that damaged conditions are ignored."""

import json
from typing import Any

import pytest

from banzuke import paths
from banzuke.judge.model import Assessment
from banzuke.plan.benchmark import Benchmark, Metric
from banzuke.record.model import Record
from banzuke.report.testing.parts import machine
from banzuke.views.stragglers import Stragglers
from banzuke.views.testing import shown, tables, texts
from banzuke.words.language import words

VIEW = Stragglers("write_bandwidth")
SPEC = Benchmark(
    name="ior",
    title="IOR",
    metrics=(Metric("write_bandwidth", "B/s", "higher", "Write", headline=True),),
    views=(VIEW,),
)


def record(*rates: float, ranks: int = 8, condition: Any = None) -> Record:
    data: dict[str, Any] = json.loads((paths.SCHEMA / "golden" / "storage.json").read_text(encoding="utf-8"))
    data["groups"][0] |= {"ranks": ranks, "hosts": [], "binding": []}
    slowest = [{"rank": 7 - place, "host": f"n{place}", "rate": rate} for place, rate in enumerate(rates)]
    seen = {
        "write_bandwidth": {"median": 300e6, "slowest": slowest},
        "create_rate": {"median": 9.0, "slowest": slowest},
    }
    data["conditions"] = {"ranks": seen if condition is None else condition}
    return Record.model_validate(data)


def assessed(measured: Record) -> Assessment:
    seen = VIEW.judge(measured, machine())
    return Assessment(measured, (), seen={VIEW.name: seen} if seen else {})


def test_ranks_far_below_the_median_are_named_with_their_hosts() -> None:
    seen = VIEW.judge(record(100e6, 150e6, 290e6), machine())
    assert seen is not None
    remark = VIEW.remark(seen, [seen])
    assert remark is not None
    assert words()(remark) == "rank 7 (n0) was 3 times slower than the median rank in write bandwidth"
    (table,) = tables(shown(SPEC, "stragglers", assessed(record(100e6, 150e6, 290e6))))
    assert [(row[3], row[4]) for row in texts(table)] == [("rank 7 (n0)", "100 MB/s"), ("rank 6 (n1)", "150 MB/s")]


def test_none_is_said_to_be_slow_that_is_not() -> None:
    seen = VIEW.judge(record(250e6), machine())
    assert seen is not None
    assert VIEW.remark(seen, [seen]) is None
    assert not tables(shown(SPEC, "stragglers", assessed(record(250e6))))
    assert shown(SPEC, "stragglers", assessed(record(250e6))), "that none is slow is told"
    assert VIEW.judge(record(1e6, ranks=2), machine()) is None, "of two ranks neither is the usual one"


@pytest.mark.parametrize(
    "condition",
    [
        {},
        [],
        "none",
        {"write_bandwidth": None},
        {"write_bandwidth": {"median": 0.0, "slowest": []}},
        {"write_bandwidth": {"median": "fast", "slowest": [{"rank": 1, "host": "n", "rate": 1.0}]}},
        {"write_bandwidth": {"median": 1.0, "slowest": {"rank": 1}}},
        {"write_bandwidth": {"median": 1.0, "slowest": [3, {"rank": "one"}, {"rank": 1, "rate": 0.0}]}},
    ],
)
def test_what_tells_nothing_is_passed_over(condition: Any) -> None:
    assert VIEW.judge(record(condition=condition), machine()) is None
