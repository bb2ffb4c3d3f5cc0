"""Tests of what a product in which a processor slows down is judged by, and that it is drawn."""

from typing import Any

import pytest

from banzuke.record.figures import Samples
from banzuke.report.testing.parts import record
from scripts.measure_slowing import chart_of, judged, table, typical

G = 1e9


def run(at: float | None, seconds: float, others: float = 0.0) -> dict[str, Any]:
    """Return a product of 400 Gflop by two processors of 100 Gflop/s; the first one computes for 2 s."""
    line = {"host": "h", "times": [1.0, 2.0, seconds]}
    rate = Samples.model_validate({"unit": "flop/s", "samples": [400 * G / seconds], "counted": 400 * G})
    metrics = {"flop_rate": rate, "sum_of_parts": rate}
    made = record("dgemm", 1, {"m": 10, "n": 10, "k": 10, "split": "adaptive"}, metrics, backend="blas")
    lines = [line | {"rank": 0, "values": [100, 100, 0]}, line | {"rank": 1, "values": [100, 50, 50]}]
    more = {
        "series": {"updates": {"unit": "flop", "resolution": G, "lines": lines}},
        "conditions": {"rates_alone": [100 * G, 100 * G], "shares": [0.5, 0.5]},
    }
    return {"way": "adaptive", "record": made.model_dump(mode="json", by_alias=True) | more, "at": at, "others": others}


def test_the_share_is_of_what_both_could_do_before_and_after() -> None:
    """After 1 s, 200 of 400 Gflop are done; then 150 Gflop/s take 4/3 s for the others."""
    seen = judged(run(1.0, 4.0), 0.5)
    assert seen
    assert seen["share"] == pytest.approx((1 + 4 / 3) / 4)
    assert (seen["waits"], seen["blocks"]) == (2.0, 2)


def test_a_change_outside_the_product_and_a_disturbed_run_do_not_count() -> None:
    for at in (None, -1.0, 3.9, 7.0):
        assert judged(run(at, 4.0), 0.5) is None
    assert judged(run(1.0, 4.0, others=0.3), 0.5) is None
    assert len(list(table([run(None, 4.0)], ["adaptive"], 0.5))) == 2
    with pytest.raises(SystemExit, match="no product of adaptive slowed down"):
        typical([run(None, 4.0)], "adaptive", 0.5)


def test_what_is_drawn_is_the_run_in_the_middle() -> None:
    runs = [run(1.0, seconds) for seconds in (8.0, 3.0, 4.0)]
    assert typical(runs, "adaptive", 0.5) is runs[2]
    *_, line = chart_of(runs[2], ["0", "1"])["layer"]
    assert line["data"]["values"] == [{"x": 1.0}]
