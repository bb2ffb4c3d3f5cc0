"""One node, where nothing was learnt of its type, by its memory's theoretical peak."""

from pathlib import Path

import pytest

from banzuke import paths
from banzuke.cli.screen_baseline import by_peak
from banzuke.errors import BanzukeError
from banzuke.machine.site import Peak
from banzuke.record.model import Record
from banzuke.record.run import Run
from banzuke.testing import machine

REACHED = 11.25e9
"""Median of the record's samples, B/s."""


@pytest.fixture
def run(tmp_path: Path) -> Run:
    made = Run(tmp_path)
    made.append(Record.model_validate_json((paths.SCHEMA / "golden" / "verified.json").read_text()))
    return made


@pytest.mark.parametrize(("share", "verdict", "status"), [(0.51, "pass", 0), (0.49, "fail", 1)])
def test_a_healthy_node_reaches_half_of_the_peak(share: float, verdict: str, status: int, run: Run) -> None:
    peaks = {"memory.bytes": Peak(value=REACHED / share, unit="B/s")}
    judgement = by_peak(run, "n1", machine().changed(node={"peaks": peaks}))
    assert judgement.nodes["n1"].verdict == verdict
    assert judgement.exit_status == status
    assert [cause.code for cause in judgement.nodes["n1"].causes] == ["screen-below-peak"] * status


def test_without_a_known_peak_nothing_is_judged(run: Run) -> None:
    with pytest.raises(BanzukeError, match="n1 cannot be judged"):
        by_peak(run, "n1", machine().changed(node={"peaks": {}}))
