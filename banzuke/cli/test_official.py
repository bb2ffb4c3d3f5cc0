"""Tests of the output of official codes, and of benchmarks that have none."""

from dataclasses import replace
from pathlib import Path

import pytest

from banzuke import paths
from banzuke.cli import official
from banzuke.errors import BanzukeError
from banzuke.plan.catalogue import find
from banzuke.plan.official import CommandLine, InputCases, Official
from banzuke.record.figures import Curve, Point, Samples
from banzuke.record.model import Record

STREAM = find("stream")
RECORD = Record.model_validate_json((paths.SCHEMA / "golden" / "verified.json").read_text())
CURVE = Curve(
    along="message size",
    unit="B",
    points=[Point(at=at, metrics={"latency": Samples(unit="s", samples=[at, 3 * at])}) for at in (1, 2)],
)


def test_each_benchmark_prints_its_own_records() -> None:
    def printed(name: str) -> str:
        spec = replace(
            STREAM,
            name=name,
            official=Official(
                output=lambda outcomes: "".join(
                    f"{name} {point.at:g} {sum(point.samples['latency']):g}\n"
                    for outcome in outcomes
                    for point in outcome.points
                )
            ),
        )
        records = [RECORD.model_copy(update={"benchmark": "b", "curves": {"size": CURVE}}), RECORD]
        return official.results({name: spec, "stream": STREAM}, records)

    assert printed("b") == "b 1 4\nb 2 8\n"
    assert not printed("stream")


def test_what_has_no_official_code_is_named() -> None:
    official.check({"hpl": find("hpl"), "hpcg": find("hpcg")}, json=False)
    with pytest.raises(BanzukeError, match="stream has no official code"):
        official.check({"hpl": find("hpl"), "stream": STREAM}, json=False)
    with pytest.raises(BanzukeError, match="--official and --json exclude each other"):
        official.check({"hpl": find("hpl")}, json=True)


def read(line: str) -> InputCases:
    return InputCases(cases=((2, {"n": line}),), folder="/scratch/me")


def test_a_command_line_is_read_by_its_benchmark() -> None:
    spec = replace(STREAM, official=Official(command_line=CommandLine("-n 5", read)))
    asked = official.asked_for({"stream": spec}, None, {"stream": "-n 5"})
    assert asked
    assert asked.cases == ((2, {"n": "-n 5"}),)
    assert official.area_of(asked, None) == ["/scratch/me"]
    assert official.area_of(InputCases(cases=()), ["home=/home"]) == ["home=/home"]
    assert official.asked_for({"stream": spec}, None, {}) is None


def test_two_that_say_what_to_run_are_refused() -> None:
    spec = replace(STREAM, official=Official(command_line=CommandLine("-n 5", read)))
    with pytest.raises(BanzukeError, match="--input and --stream each say what to run"):
        official.asked_for({"stream": spec}, Path("x"), {"stream": ""})
    with pytest.raises(BanzukeError, match="only for the benchmark stream"):
        official.asked_for({"stream": spec, "hpl": find("hpl")}, None, {"stream": ""})
    with pytest.raises(BanzukeError, match="each name a folder"):
        official.area_of(read(""), ["home=/home"])
