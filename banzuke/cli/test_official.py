"""What the official codes print, and who has one."""

from dataclasses import replace

import pytest

from banzuke import paths
from banzuke.cli import official
from banzuke.errors import BanzukeError
from banzuke.plan.catalogue import find
from banzuke.plan.official import Official
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
