"""Tests of the number of GeoFEM-Cube's waits for other ranks."""

import pytest

from banzuke.errors import BanzukeError
from banzuke.record.figures import Samples
from banzuke.record.model import Record
from banzuke.report.testing.parts import record

from .synchronisation import GeofemSynchronisation


def solved(sweeps: int | None = 1, iterations: float | None = 168) -> Record:
    metrics = {"flop_rate": Samples(unit="flop/s", samples=[1e9]), "time": Samples(unit="s", samples=[1.3])}
    metrics |= {"iterations": Samples(unit="count", samples=[iterations])} if iterations else {}
    return record("geofem", 1, {"nx": 48, **({"sweeps": sweeps} if sweeps else {})}, metrics, ranks=2)


def test_an_iteration_has_three_sums_and_an_exchange_for_each_sweep() -> None:
    once, twice = (GeofemSynchronisation().synchronisation(solved(sweeps)) for sweeps in (1, 2))
    assert (once.collectives, once.exchanges) == (504, 168)
    assert (twice.collectives, twice.exchanges) == (504, 336)
    assert once.period == pytest.approx(1.3 / 672)


def test_what_is_missing_is_named() -> None:
    for case, called in ((solved(sweeps=None), "number of sweeps"), (solved(iterations=None), "number of iterations")):
        with pytest.raises(BanzukeError, match=called):
            GeofemSynchronisation().synchronisation(case)
