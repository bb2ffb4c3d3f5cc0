"""A run compared with the published figures of a machine."""

from dataclasses import replace

import pytest

from banzuke.compare.runs import compare_published
from banzuke.compare.test_runs import METRICS, TIME, TRIAD, launches, provenance, record, scaled
from banzuke.machine.published import PublishedMachine, PublishedSite


def machine(**figure: object) -> PublishedMachine:
    standard = {
        "benchmark": "stream",
        "metric": TRIAD.name,
        "value": 100.0,
        "unit": "B/s",
        "as_printed": "100 B/s",
        "nodes": 1,
        "kind": "measured",
        "report": "r",
        "where": "Table 1",
    }
    report = {"authors": ["A"], "title": "T", "published": "P"}
    site = PublishedSite.model_validate(
        {
            "name": "X",
            "partitions": {"nodes": {"node": {"peaks": {"memory.bytes": {"value": 200.0, "unit": "B/s"}}}}},
            "reports": {"r": report},
            "figure": [{**standard, **figure}],
        }
    )
    (machine,) = site.machines("x")
    return machine


@pytest.mark.parametrize(("factor", "verdict"), [(3.0, "faster"), (0.3, "slower"), (1.0, "no difference shown")])
def test_a_published_figure_outside_our_interval_is_a_difference(factor: float, verdict: str) -> None:
    (line,) = compare_published(launches(factor), machine(), METRICS)
    assert line.verdict == verdict
    assert line.ratio == pytest.approx(factor, rel=0.01)
    assert line.interval is not None
    assert (1 in line.interval) == (verdict == "no difference shown")


def test_a_published_time_is_better_when_shorter() -> None:
    published = machine(metric="time", unit="s", as_printed="100 s")
    (line,) = compare_published(launches(0.25, metric=TIME), published, METRICS)
    assert (line.verdict, line.per_node) == ("faster", False)
    assert line.ratio == pytest.approx(4, rel=0.01)


def test_what_the_states_of_a_machine_may_explain_needs_several_runs() -> None:
    """Launches of one run agree to 1%, runs to 10%, so 5% above a published figure is no difference."""
    runs = [
        launches(rate, first=86400 * day, origin=provenance("h", run=str(day))) for day, rate in enumerate((0.95, 1.05))
    ]
    today = launches(1.05, first=86400 * 9, origin=provenance("h", run="today"))
    (line,) = compare_published(today, machine(), METRICS)
    assert (line.verdict, "three of them as one side" in line.reason) == ("cannot be told", True)
    past = [record for run in runs for record in run]
    (line,) = compare_published(today, machine(), METRICS, launched=lambda _: past)
    assert line.verdict == "cannot be told"
    past += launches(0.97, first=86400 * 5, origin=provenance("h", run="5"))
    (line,) = compare_published(today, machine(), METRICS, launched=lambda _: past)
    assert line.verdict == "no difference shown"
    assert line.interval
    assert line.interval.high / line.interval.low > 1.1
    (line,) = compare_published(
        launches(1.8, first=86400 * 9, origin=provenance("h", run="today")), machine(), METRICS, launched=lambda _: past
    )
    assert line.verdict == "faster", "it lies further off than runs do"


def test_published_rates_are_compared_per_node_and_as_fraction_of_peak() -> None:
    published = machine(nodes=10, value=1000.0)
    ours = [record(scaled(6 * step), hosts=2) for step in (1.0, 1.01, 0.99)]
    (line,) = compare_published(ours, published, METRICS, lambda *_: 1600.0)
    assert line.per_node
    assert line.published == 100
    assert line.ours is not None
    assert line.ours.value == pytest.approx(300, rel=0.01)
    assert line.verdict == "faster"
    assert line.published_of_peak == pytest.approx(0.5)
    assert line.ours_of_peak == pytest.approx(0.375, rel=0.01)
    assert line.differences == ("published for 10 nodes, measured on 2 nodes",)


def test_part_of_a_machine_a_projection_and_a_flag_are_said() -> None:
    published = machine(nodes=None, part="one P100", kind="projection", flags=["does not follow"])
    (line,) = compare_published([record()], published, METRICS)
    assert not line.per_node
    assert line.differences == (
        "published for one P100, measured on one node",
        "published as projection, not as a measurement",
        "doubtful in print: does not follow",
    )


def test_a_published_test_of_another_kind_is_not_compared() -> None:
    published = machine(parameters={"stores": "plain", "n": 5})
    (unlike,) = compare_published([record(parameters={"stores": "nt", "n": 5})], published, METRICS)
    assert unlike.verdict == "not comparable"
    assert "stores: plain published, nt here" in unlike.reason
    both = [record(parameters={"stores": kind, "n": 7}) for kind in ("nt", "plain")]
    (alike,) = compare_published(both, published, METRICS)
    assert alike.case is not None
    assert alike.case.record.parameters["stores"] == "plain"
    assert alike.differences == ("n: 5 published, 7 here",)


def test_a_figure_that_is_only_a_graph_is_listed_without_a_number() -> None:
    published = machine(value=None, as_printed=None, note="Fig. 3 only.")
    (line,) = compare_published([record()], published, METRICS)
    assert (line.verdict, line.reason) == ("not comparable", "no number is printed: Fig. 3 only.")


def test_one_launch_says_nothing_against_a_published_figure_but_with_others_of_its_case() -> None:
    ours = launches(5.0, count=1, origin=provenance("h", run="a"))
    (line,) = compare_published(ours, machine(), METRICS)
    assert (line.verdict, line.interval) == ("no verdict from one launch", None)
    assert "one launch in the run" in line.reason
    past = launches(5.0, origin=provenance("h", run="past"))
    (line,) = compare_published(ours, machine(), METRICS, launched=lambda _: past)
    assert line.verdict == "faster"
    assert "taken from 5 others" in line.reason


def test_benchmarks_that_were_not_run_and_ratios_are_left_out() -> None:
    assert compare_published([record()], machine(kind="ratio", metric="time_ratio"), METRICS) == []
    assert compare_published([record()], machine(benchmark="hpl"), METRICS) == []


@pytest.mark.parametrize(
    ("again", "lines"),
    [
        ({"value": 100.4, "as_printed": "100.4 B/s"}, 1),
        ({"value": 100.4, "as_printed": "100.4 B/s", "kind": "rounded"}, 1),
        ({"value": 102.0, "as_printed": "102 B/s"}, 2),
        ({"value": 100.4, "as_printed": "100.4 B/s", "kind": "projection"}, 2),
        ({"nodes": 2}, 2),
    ],
)
def test_a_figure_that_is_printed_twice_is_compared_once(again: dict[str, object], lines: int) -> None:
    once = machine()
    twice = replace(once, figure=(*once.figure, once.figure[0].having(**again)))
    comparisons = compare_published(launches(2.0), twice, METRICS)
    assert [line.published for line in comparisons][:1] == [100.0]
    assert len(comparisons) == lines


def test_disturbed_launches_are_left_out_beside_a_published_figure_and_told() -> None:
    busy = [record.having(conditions={"other_busy_fraction": 0.5}) for record in launches(0.5, count=4)]
    quiet = launches(3.0, count=2, first=1000.0)
    (line,) = compare_published([*busy, *quiet], machine(), METRICS)
    assert line.ratio == pytest.approx(3.0, rel=0.01)
    assert line.verdict == "faster"
    assert line.differences == ("others used the processors in 4 of 6 launches here, which are left out",)


def test_runs_that_agree_exactly_show_nothing_of_how_runs_differ() -> None:
    past = [launches(1.2, first=86400 * day, count=1, origin=provenance("h", run=str(day)))[0] for day in range(3)]
    today = launches(1.2, first=86400 * 9, count=1, origin=provenance("h", run="today"))
    (line,) = compare_published(today, machine(), METRICS, launched=lambda _: past)
    assert line.verdict != "faster"
