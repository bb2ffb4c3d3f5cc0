"""What environments cost, in tables and charts."""

from functools import cache
from typing import Any

from banzuke.report.content import Content
from banzuke.report.testing import only, stream
from banzuke.report.testing.noise import DAEMONS, KNOWN, moved, noisy
from banzuke.report.write import compose

Specs = dict[str, dict[str, Any]]


@cache
def made() -> tuple[Content, Specs]:
    return compose(noisy())


def layers(spec: dict[str, Any], kind: str) -> list[list[dict[str, Any]]]:
    return [layer["data"]["values"] for layer in spec["layer"] if layer["mark"]["type"] == kind]


def test_the_costs_of_environments_stand_with_ratio_and_interval() -> None:
    (found,) = made()[0].varied
    assert (found.axis, found.against) == ("environment", "native")
    assert found.values == [name for name in DAEMONS if name != "native"]
    triad = next(row for row in found.headlines if row.title == "STREAM: Triad")
    marks = {mark.value: mark for mark in triad.marks}
    ratio = marks["isolated"].ratio
    assert ratio
    low, high = marks["isolated"].low, marks["isolated"].high
    assert low
    assert high
    assert low < 1.02 < high
    assert low < ratio.value < high
    assert marks["isolated"].said.endswith("better" if low > 1 else "no difference shown")
    rate = next(row for row in found.headlines if row.title == "DGEMM: Rate")
    assert {(mark.low, mark.said) for mark in rate.marks if mark.drawn} == {(None, "no verdict from one launch")}
    assert triad.cases == 2
    assert not marks["vm:tcg"].drawn
    assert "mean nothing" in marks["vm:tcg"].said
    assert any("vm:tcg" in caution for caution in found.cautions)


def test_emulated_times_are_in_no_chart_and_large_differences_in_one_of_their_own() -> None:
    content, specs = made()
    near, far = (specs[name] for name in content.varied[0].charts)
    for chart in (near, far):
        (rows,) = layers(chart, "point")
        assert "vm:tcg" not in {row["series"] for row in rows}
    assert {row["row"] for row in layers(far, "point")[0]} == {"OS noise: Longest noise", "OS noise: Time lost"}
    assert {row["row"] for row in layers(near, "point")[0]} == {"STREAM: Triad", "DGEMM: Rate"}


def test_one_environment_alone_is_compared_with_nothing() -> None:
    content, _ = compose(only(moved(stream(1, 2, 1.0), "container"), benchmarks=KNOWN))
    assert content.varied == []
