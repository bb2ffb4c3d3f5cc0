"""What environments cost: like with like, better upwards, and no times where they mean nothing."""

from dataclasses import replace

import pytest

from banzuke.limit.environments import costly, costs, environments
from banzuke.record.model import Record
from banzuke.report.testing import stream
from banzuke.report.testing.noise import KNOWN, fwq, moved

METRICS = {(name, metric.name): metric for name, spec in KNOWN.items() for metric in spec.metrics}


def case(speed: float, environment: str, threads: int = 2, index: int = 1, repetition: int = 0) -> Record:
    return moved(stream(index, threads, speed), environment, repetition).record


def test_each_case_is_held_against_the_same_one_natively() -> None:
    records = [
        case(speed, environment, threads, index, repetition)
        for repetition in range(3)
        for speed, environment, threads, index in (
            *((1.0, "native", 2, 1), (0.9, "container", 2, 1)),
            *((0.5, "native", 1, 2), (0.6, "container", 1, 2)),
        )
    ]
    found = costs(records, METRICS)
    assert all(cost.line.paired for cost in found)
    assert [(cost.environment, cost.line.case.record.threads) for cost in found] == [("container", 2), ("container", 1)]
    assert [cost.line.ratio for cost in found] == [pytest.approx(0.9, rel=0.01), pytest.approx(1.2, rel=0.01)]
    assert [costly(cost.line).split()[-1] for cost in found] == ["worse", "better"]


def test_cases_that_differ_in_more_are_not_compared() -> None:
    assert costs([case(1.0, "native"), case(0.9, "container", threads=1)], METRICS) == []
    assert costs([case(1.0, "isolated"), case(0.9, "container")], METRICS) == []


def test_one_launch_is_no_verdict_however_large_the_difference() -> None:
    found = costs([fwq(1, "native").record, fwq(1, "isolated").record], METRICS)
    longest = next(cost.line for cost in found if cost.line.metric and cost.line.metric.name == "maximum_noise")
    assert longest.ratio
    assert longest.ratio > 100
    assert costly(longest) == "no verdict from one launch"
    assert costly(replace(longest, verdict="faster")).endswith("times better")
    assert costly(replace(longest, ratio=0.5, verdict="slower")) == "2 times worse"


def test_a_difference_that_is_not_sure_is_not_told() -> None:
    (cost,) = costs([case(1.0, of, repetition=i) for i in range(5) for of in ("native", "container")], METRICS)
    assert costly(cost.line) == "no difference shown"


def test_emulated_processors_have_no_times() -> None:
    records = [case(1.0, "native"), case(0.01, "vm:tcg"), case(1.0, "isolated")]
    found = {cost.environment: cost.meaningless for cost in costs(records, METRICS)}
    assert "mean nothing" in found["vm:tcg"]
    assert found["isolated"] == ""
    assert environments(records[1:] + records[:1]) == ["native", "vm:tcg", "isolated"]
