"""Tests of the tables of GKV's times, between variants and between machines."""

from typing import Any

import pytest

from banzuke.judge.model import Assessment
from banzuke.plan.catalogue import find
from banzuke.record.figures import Breakdown, Samples
from banzuke.report.testing.parts import assess, record
from banzuke.testing import Work
from banzuke.views.testing import section, tables, texts, view
from banzuke.views.view import ComparesRuns

GKV = find("gkv")
VIEW = view(GKV, "variants")


def case(seconds: float, kernel: str = "intgrl", variant: str = "default", **changes: Any) -> Assessment:
    """Return a case with one run of `seconds`; in kernel fft a quarter is the exchange."""
    metric = Samples(unit="s", samples=[seconds], **Work(flops=1, bytes=1, moved=1).of("s"))
    settings = {"kernel": kernel, "variant": variant, "nv": changes.pop("nv", 4), "rounds": changes.pop("rounds", 1)}
    measured = record("gkv", 1, settings, {"time": metric})
    if kernel == "fft":
        parts = {"fft": [0.75 * seconds], "alltoall": [0.25 * seconds], "other": [0.0]}
        breakdown = {"along": "runs", "ends": [1.0], "flops": [1.0], "seconds": parts}
        measured = measured.model_copy(update={"breakdown": Breakdown.model_validate(breakdown)})
    assert measured.provenance
    launched = measured.provenance.model_copy(update={"variant": changes})
    return assess(measured.model_copy(update={"provenance": launched}), {"gkv": GKV})


def rows(*cases: Assessment) -> list[list[str]]:
    (table,) = tables(VIEW.show(section(GKV, *cases)))
    return [[*row, cell.cells[0].note] for row, cell in zip(texts(table), table.rows, strict=True)]


def test_variants_of_the_same_problem_have_a_ratio() -> None:
    table = rows(case(4.0), case(1.0, variant="opt"), case(9.0, nv=8), case(2.0, variant="opt", rounds=3))
    assert table == [["intgrl", "4 s", "2 s", "0.5", ""]]


def test_opt_of_kernel_fft_is_the_fastest_setting() -> None:
    tried = [case(seconds, "fft", ALGORITHM=name) for name, seconds in (("auto", 4.0), ("b", 3.0), ("c", 5.0))]
    assert rows(*tried) == [["fft, 1 ranks x 2 threads", "4 s", "3 s", "0.75", "ALGORITHM=b"]]
    assert rows(*tried[1:], case(2.0, "fft")) == [["fft, 1 ranks x 2 threads", "2 s", "2 s", "1", ""]]
    assert not VIEW.show(section(GKV, tried[0], case(1.0, "fft", memory="local")))


@pytest.mark.parametrize("turn", [1, -1])
def test_two_machines_have_the_ratio_of_their_times(turn: int) -> None:
    here = [case(4.0), case(8.0, "fft"), case(6.0, "fft", ALGORITHM="b"), case(1.0, variant="opt", nv=16)]
    there = [case(8.0, rounds=7), case(12.0, "fft"), case(1.0, variant="opt", nv=8)]
    assert isinstance(VIEW, ComparesRuns)
    (table,) = tables(VIEW.beside(section(GKV, *here[::turn]), section(GKV, *there), ("koto", "nada"), "both"))
    assert [column.title for column in table.columns] == ["Kernel", "koto", "nada", "Time of koto / nada"]
    assert sorted(map(list, texts(table))) == [
        ["fft default", "6 s", "12 s", "50%"],
        ["fft default: Alltoall", "1.5 s", "3 s", "50%"],
        ["fft default: FFT", "4.5 s", "9 s", "50%"],
        ["intgrl default", "4 s", "8 s", "50%"],
    ]
    assert not VIEW.beside(section(GKV, here[0]), section(GKV, there[1]), ("koto", "nada"), "both")
