"""Verdicts on figures: by interval or median, over nodes, by the rules."""

from dataclasses import replace

import pytest

from banzuke.acceptance.cases import MeasuredRun, distinct
from banzuke.acceptance.judge import judge_figure
from banzuke.acceptance.testing import DRIFT, STREAM, TRIAD, codes, judged, measured_run, term
from banzuke.compare.verdict import overall
from banzuke.machine.model import Machine
from banzuke.plan.official import Official, Outcome, Violation
from banzuke.report.testing.parts import machine

FAILED = {"status": "failed", "reason": "residual 2 > 1", "metrics": {}}
BUSY = {"conditions": {"other_busy_fraction": 0.5}}


@pytest.mark.parametrize(("factor", "verdict"), [(1.02, "pass"), (0.98, "fail"), (1.001, "untold"), (0.999, "untold")])
def test_the_interval_decides(factor: float, verdict: str) -> None:
    result = judged(term(), measured_run([factor * drift for drift in DRIFT]))
    assert result.verdict == verdict
    assert codes(result) == ([] if verdict != "untold" else ["accept-holds"])


@pytest.mark.parametrize(("factor", "verdict"), [(1.001, "pass"), (0.999, "fail")])
def test_by_agreement_the_median_decides(factor: float, verdict: str) -> None:
    assert judged(term(confidence="median"), measured_run([factor * drift for drift in DRIFT])).verdict == verdict


def test_launches_that_probably_decide_are_asked_for() -> None:
    near = judged(term(), measured_run([1.002 * drift for drift in DRIFT]))
    (why,) = near.nodes[0].why
    assert (why.code, 5 < int(str(why.facts["launches"])) < 30) == ("accept-holds", True)
    assert why.facts["command"] == f"banzuke run stream --repeat {why.facts['launches']}"
    too_near = judged(term(), measured_run([1.0001 * drift for drift in DRIFT]))
    assert codes(too_near) == ["accept-too-near"]


@pytest.mark.parametrize(("factor", "verdict"), [(0.98, "pass"), (1.02, "fail"), (0.999, "untold")])
def test_a_time_passes_below_its_requirement(factor: float, verdict: str) -> None:
    latency = replace(TRIAD, better="lower")
    result = judged(term(metric=latency), measured_run([factor * drift for drift in DRIFT]))
    assert result.verdict == verdict
    assert result.worst is result.nodes[0]


def test_few_or_equal_launches_show_nothing() -> None:
    assert codes(judged(term(), measured_run([2.0, 2.01]))) == ["accept-few-launches"]
    assert codes(judged(term(), measured_run([2.0] * 4))) == ["accept-no-interval"]
    assert judged(term(), measured_run([2.0] * 6)).verdict == "pass"


def test_a_launch_that_does_not_verify_fails_it_unless_agreed_otherwise() -> None:
    run = measured_run([2 * drift for drift in DRIFT], changes={1: FAILED})
    result = judged(term(), run)
    assert (result.verdict, codes(result)) == ("fail", ["accept-unverified"])
    lenient = judged(term(verified=False), run)
    assert (lenient.verdict, lenient.nodes[0].launches, lenient.nodes[0].of) == ("pass", 4, 5)
    nothing = measured_run([2.0], changes={0: FAILED})
    assert codes(judged(term(verified=False), nothing)) == ["accept-none-verified"]


def test_disturbed_launches_do_not_count() -> None:
    run = measured_run([2 * drift for drift in DRIFT], changes={0: BUSY, 1: BUSY})
    result = judged(term(), run)
    assert (result.verdict, result.nodes[0].launches, codes(result)) == ("pass", 3, ["accept-left-out"])
    assert judged(term(undisturbed=False), run).nodes[0].launches == 5
    every = measured_run([2 * drift for drift in DRIFT], changes=dict.fromkeys(range(5), BUSY))
    assert codes(judged(term(), every)) == ["accept-none-counts", "accept-left-out"]


def test_a_figure_from_a_cache_does_not_count() -> None:
    asked = {"resource": "memory.bytes", "amount": 8e9}
    run = measured_run([2 * drift for drift in DRIFT], machine=machine())
    cached = [
        record.model_validate(
            record.model_dump()
            | {"conditions": {"working_set": 1000.0}}
            | {
                "metrics": {
                    name: samples.model_dump() | {"demand": [asked]} for name, samples in record.metrics.items()
                }
            }
        )
        for record in run.records
    ]
    result = judged(term(), type(run)(run.name, cached, run.machine))
    assert (result.verdict, codes(result)) == ("untold", ["accept-none-counts", "accept-left-out"])


def test_runs_that_were_agreed_on_are_half_an_hour_apart() -> None:
    first = measured_run([2 * drift for drift in DRIFT])
    assert codes(judged(term(runs=2), first)) == ["accept-few-runs"]
    soon = measured_run([2 * drift for drift in DRIFT], name="s", after=600)
    assert codes(judged(term(runs=2), first, soon)) == ["accept-few-runs"]
    late = measured_run([2 * drift for drift in DRIFT], name="t", after=7200)
    assert judged(term(runs=2), first, late).verdict == "pass"


def test_three_runs_give_the_interval_between_runs() -> None:
    runs = [
        measured_run([factor * drift for drift in DRIFT], name=f"r{number}", after=7200 * number)
        for number, factor in enumerate((1.02, 1.1, 1.15))
    ]
    result = judged(term(), *runs)
    (node,) = result.nodes
    assert (node.between_runs, result.verdict, codes(result)) == (True, "untold", ["accept-holds-runs"])
    assert judged(term(), *runs[:2]).verdict == "pass"


def nodes(good: int, bad: int) -> list[MeasuredRun]:
    factors = [1.1] * good + [0.9] * bad
    return [
        measured_run([factor * drift for drift in DRIFT], host=f"n{number}", name=f"r{number}")
        for number, factor in enumerate(factors)
    ]


@pytest.mark.parametrize(
    ("good", "bad", "verdict"), [(10, 0, "pass"), (9, 1, "pass"), (8, 2, "fail"), (8, 0, "untold"), (1, 2, "fail")]
)
def test_the_share_is_of_the_nodes_that_it_is_asked_of(good: int, bad: int, verdict: str) -> None:
    result = judged(term(share=0.9, nodes=10), *nodes(good, bad))
    assert (result.verdict, result.reached, result.failed, result.of) == (verdict, good, bad, 10)
    assert ("accept-more-nodes" in codes(result)) == (good + bad < 10)
    assert ("accept-missed" in codes(result)) == (bad > 0)


def test_without_a_number_all_measured_nodes_must_reach_it() -> None:
    assert judged(term(), *nodes(3, 1)).verdict == "fail"
    assert judged(term(share=0.75), *nodes(3, 1)).verdict == "pass"


def test_a_copy_of_a_run_counts_once() -> None:
    run = measured_run([2.0, 2.01])
    first, second = distinct([run, type(run)("copy", run.records, run.machine)])
    assert (len(first.records), len(second.records)) == (2, 0)


def test_what_was_not_measured_cannot_be_told() -> None:
    run = measured_run([2 * drift for drift in DRIFT])
    other = judged(term(case={"n": 5}), run)
    assert (other.verdict, codes(other)) == ("untold", ["accept-unmatched"])
    assert other.why[0].facts["command"] == "banzuke run stream --set n=5"
    assert judged(term(case={"n": 1000}), run).verdict == "pass"
    assert codes(judged(term(case={"hosts": 2}), run)) == ["accept-unmatched"]
    assert codes(judged(term(case={"nonsense": 2}), run)) == ["accept-unmatched"]


def test_runs_of_unlike_cases_are_not_mixed() -> None:
    small, large = (
        measured_run([2 * drift for drift in DRIFT], name=f"r{n}", parameters={"n": n}) for n in (1000, 2000)
    )
    assert codes(judged(term(), small, large)) == ["accept-unlike"]
    assert judged(term(case={"n": 2000}), small, large).verdict == "pass"


def test_limits_are_those_of_the_system() -> None:
    here = machine("koto")
    run = measured_run([2 * drift for drift in DRIFT], machine=here)
    site, partition = here.site.name, here.allotment.partition
    asked = term()
    for requirements, verdict in (
        ({f"{site}:{partition}": 1.0, "*": 9.0}, "pass"),
        ({site: 9.0, "*": 1.0}, "fail"),
        ({f"*:{partition}": 1.0, "*": 9.0}, "pass"),
        ({"elsewhere": 1.0}, "untold"),
    ):
        asked_by_system = type(asked)(asked.asked.having(minimum=requirements), asked.metric, asked.rules, asked.factor)
        assert judged(asked_by_system, run).verdict == verdict, requirements


def test_one_failure_decides_before_what_cannot_be_told() -> None:
    assert overall(["pass", "untold", "fail"]) == "fail"
    assert overall(["pass", "untold"]) == "untold"
    assert overall(["pass"]) == "pass"


def test_only_official_results_count_where_agreed() -> None:
    def rules(_machine: Machine, outcome: Outcome) -> list[Violation]:
        return [] if outcome.parameters["n"] == 1000 else [Violation("n of 1000", "another")]

    official = replace(STREAM, official=Official(rules=rules))
    run, other = (
        measured_run([2 * drift for drift in DRIFT], machine=machine(), parameters={"n": n}) for n in (1000, 2000)
    )
    assert judge_figure(term(official=True), [run], official).verdict == "pass"
    result = judge_figure(term(official=True), [other], official)
    assert (result.verdict, codes(result)) == ("untold", ["accept-none-counts", "accept-left-out"])
    unknown = judge_figure(term(official=True), [replace(run, machine=None)], official)
    assert "accept-rules-unknown" in str(unknown.nodes[0].why)
