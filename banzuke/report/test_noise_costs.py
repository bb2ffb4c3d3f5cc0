"""Tests of the cost of noise for applications, in the report's section on noise."""

from dataclasses import replace

import pytest

from banzuke.judge.assess import assess
from banzuke.judge.model import Assessment
from banzuke.judge.siblings import Siblings
from banzuke.plan.catalogue import find
from banzuke.record.figures import Samples
from banzuke.report.model import Evaluation
from banzuke.report.testing import only
from banzuke.report.testing.documents import section, tables
from banzuke.report.testing.noise import KNOWN, fwq
from banzuke.report.testing.parts import machine, record

BENCHMARKS = {**KNOWN, "geofem": find("geofem")}
CAPTION = "Slowdown by noise"


def solver(seconds: float) -> Assessment:
    """Return an assessment of GeoFEM-Cube with 400 waits."""
    metrics = {
        "flop_rate": Samples(unit="flop/s", samples=[1e9]),
        "time": Samples(unit="s", samples=[seconds]),
        "iterations": Samples(unit="count", samples=[100.0]),
    }
    made = record("geofem", 20, {"nx": 40, "sweeps": 1}, metrics, ranks=2)
    return assess(made, siblings=Siblings(), machine=machine(), benchmarks=BENCHMARKS, ceilings=())


def run(*cases: Assessment) -> Evaluation:
    return replace(only(*cases), benchmarks=BENCHMARKS)


def shown(evaluation: Evaluation, name: str = "noise") -> list[list[str]]:
    matching = [table for table in tables(section(evaluation, f"benchmark-{name}")) if table.caption == CAPTION]
    return [[cell.text for cell in row.cells] for table in matching for row in table.rows]


def test_each_environment_has_a_row_for_each_application() -> None:
    rows = shown(run(fwq(1, "native", sick=None), fwq(2, "isolated", sick=None), solver(0.2)))
    assert [row[:3] for row in rows] == [["GeoFEM-Cube", "500 µs", "native"], ["GeoFEM-Cube", "500 µs", "isolated"]]
    native, isolated = ([float(text.rstrip("%").replace(",", "")) for text in row[3:]] for row in rows)
    assert native[1] > native[0] > 10 * isolated[0]


def test_the_table_says_what_the_command_says() -> None:
    evaluation = run(fwq(1, "native", sick=None), solver(0.2))
    (row,) = (table.rows[0] for table in tables(section(evaluation, "benchmark-noise")) if table.caption == CAPTION)
    noise = evaluation.assessments[0].record
    (view,) = (view for view in find("noise").views if hasattr(view, "fixed_work"))
    delays = view.fixed_work(noise).beyond_clock.over(0.2 / 400)
    assert [cell.value for cell in row.cells[3:]] == pytest.approx([delays.slowdown(1000), delays.slowdown(100_000)])


def test_there_is_none_without_applications_or_noise_or_for_longer_than_was_measured() -> None:
    assert not shown(run(fwq(1, "native", sick=None)))
    assert not shown(run(solver(0.2)), "geofem")
    assert not shown(run(fwq(1, "native", sick=None), solver(1e6)))
