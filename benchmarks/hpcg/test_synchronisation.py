"""Tests of the number of HPCG's waits for other ranks."""

from typing import Any

import pytest

from banzuke.errors import BanzukeError
from banzuke.record.figures import Samples
from banzuke.record.model import Record
from banzuke.report.testing.parts import record
from banzuke.testing import changed

from .synchronisation import HpcgSynchronisation


def rated(**conditions: Any) -> Record:
    made = record("hpcg", 1, {"nx": 56}, {"flop_rate": Samples(unit="flop/s", samples=[1e9])}, ranks=2)
    seen = {"sets": 2.0, "optimized_iterations": 50.0, "timed_seconds": 2.96, **conditions}
    return changed(made, conditions=seen)


def test_waits_follow_from_sets_and_iterations() -> None:
    waits = HpcgSynchronisation().synchronisation(rated())
    assert (waits.collectives, waits.exchanges) == (302, 702)
    assert waits.period == pytest.approx(2.96 / 1004)


@pytest.mark.parametrize(
    ("missing", "called"),
    [
        ("sets", "number of sets"),
        ("optimized_iterations", "number of iterations"),
        ("timed_seconds", "time of the sets"),
    ],
)
def test_what_is_missing_is_named(missing: str, called: str) -> None:
    with pytest.raises(BanzukeError, match=called):
        HpcgSynchronisation().synchronisation(rated(**{missing: None}))
