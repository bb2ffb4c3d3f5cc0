"""The improvement over a predecessor: ratios, their geometric mean, and when there is none."""

import math
from dataclasses import replace

import pytest

from banzuke.acceptance.contract import Improvement
from banzuke.acceptance.improvement import ImprovementResult, improvement
from banzuke.acceptance.judge import FigureResult
from banzuke.acceptance.testing import DRIFT, judged, measured_run, term
from banzuke.machine import published
from banzuke.plan.catalogue import benchmarks

OLD = [measured_run(DRIFT, name=f"old{n}", after=7200 * n) for n in range(3)]


def over(*figures: FigureResult, **agreed: object) -> ImprovementResult:
    """Return the improvement over three runs of 1 GB/s."""
    asked = Improvement.model_validate({"predecessor": "old", **agreed})
    records = [record for run in OLD for record in run.records]
    return improvement(asked, type(OLD[0])("old", records), figures, benchmarks())


def of_factor(factor: float, runs: int = 3) -> FigureResult:
    """Return the figure of so many runs, as many times better."""
    own = [
        measured_run([factor * spread * drift for drift in DRIFT], name=f"new{factor}{n}", after=1e5 + 7200 * n)
        for n, spread in enumerate((1.0, 1.01, 0.99)[:runs])
    ]
    return judged(term(), *own)


def test_the_mean_is_geometric_and_its_interval_is_of_the_ends() -> None:
    result = over(of_factor(2.0), of_factor(8.0), minimum=3.5)
    assert result.ratio == pytest.approx(4.0, rel=1e-3)
    ends = [figure.interval for figure in result.figures if figure.interval]
    assert result.interval is not None
    assert result.interval.low == pytest.approx(math.sqrt(ends[0].low * ends[1].low))
    assert result.verdict == "pass"
    assert over(of_factor(2.0), of_factor(8.0), minimum=4.5).verdict == "fail"


def test_an_interval_that_holds_the_agreed_mean_tells_nothing() -> None:
    result = over(of_factor(2.0), minimum=2.0)
    assert (result.verdict, [why.code for why in result.why]) == ("untold", ["accept-improvement-holds"])
    assert over(of_factor(2.0), minimum=1.99, confidence="median").verdict == "pass"


def test_without_knowing_how_runs_differ_there_is_no_interval() -> None:
    result = over(of_factor(2.0, runs=1), minimum=1.5)
    assert (result.verdict, result.interval, [why.code for why in result.why]) == (
        "untold",
        None,
        ["accept-improvement-runs"],
    )
    assert result.ratio == pytest.approx(2.0, rel=1e-3)


def test_a_figure_that_cannot_be_compared_leaves_the_mean_without_a_verdict() -> None:
    missing = judged(term(case={"n": 5}), *OLD)
    result = over(of_factor(2.0), missing, minimum=1.5)
    assert (result.verdict, [why.code for why in result.why]) == ("untold", ["accept-not-all-compared"])
    waived = missing.term.asked.having(waiver={"reason": "r", "name": "n"})
    free = type(missing)(type(missing.term)(waived, missing.term.metric, missing.term.rules, 1e9), "untold")
    assert over(of_factor(2.0), free, minimum=1.5).verdict == "pass"


def test_a_figure_may_be_left_out_of_the_mean() -> None:
    twice, left_out = of_factor(2.0), of_factor(8.0)
    without = replace(left_out.term, asked=left_out.term.asked.having(improvement=False))
    result = over(twice, replace(left_out, term=without), minimum=1.5)
    assert len(result.figures) == 1
    assert result.ratio == pytest.approx(2.0, rel=1e-3)


def test_an_improvement_without_a_minimum_is_only_shown() -> None:
    result = over(of_factor(2.0))
    assert result.verdict is None
    assert result.ratio == pytest.approx(2.0, rel=1e-3)


def test_a_published_machine_is_compared_by_node() -> None:
    machine = next(
        machine
        for machine in published.load()
        for figure in machine.figure
        if (figure.benchmark, figure.metric) == ("stream", "triad_bandwidth") and figure.per_node
    )
    node = next(f.per_node for f in machine.figure if f.metric == "triad_bandwidth" and f.per_node)
    result = improvement(Improvement(predecessor=machine.id), machine, [of_factor(2.0)], benchmarks())
    assert result.ratio == pytest.approx(2e9 / node, rel=1e-2)
    other = judged(term(case={"n": 5}), *OLD)
    (lacking,) = improvement(Improvement(predecessor=machine.id), machine, [other], benchmarks()).figures
    assert lacking.why is not None
    assert lacking.why.code == "accept-no-figure-here"
