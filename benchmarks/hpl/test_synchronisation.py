"""Tests of the number of HPL's waits for panels."""

import pytest

from banzuke.errors import BanzukeError
from banzuke.record.figures import Samples
from banzuke.record.model import Record
from banzuke.report.testing.parts import record

from .synchronisation import HplSynchronisation


def factorised(n: int | None = 4700, nb: int | None = 128, time: float | None = 1.85) -> Record:
    parameters = {name: value for name, value in (("n", n), ("nb", nb)) if value is not None}
    metrics = {"flop_rate": Samples(unit="flop/s", samples=[1e11])}
    metrics |= {"time": Samples(unit="s", samples=[time])} if time else {}
    return record("hpl", 1, parameters, metrics, ranks=2)


def test_every_panel_is_waited_for_the_last_narrow_one_too() -> None:
    waits = HplSynchronisation().synchronisation(factorised())
    assert (waits.collectives, waits.exchanges) == (37, 0)
    assert waits.period == pytest.approx(1.85 / 37)


def test_what_is_missing_is_named() -> None:
    for case, called in (
        (factorised(n=None), "order of the matrix"),
        (factorised(nb=None), "width of a panel"),
        (factorised(time=None), "no time"),
    ):
        with pytest.raises(BanzukeError, match=called):
            HplSynchronisation().synchronisation(case)
