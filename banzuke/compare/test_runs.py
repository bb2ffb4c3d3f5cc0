from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banzuke.amounts import Scalar
from banzuke.compare.runs import Comparison, compare
from banzuke.compare.verdict import UNEVEN_PAIRS
from banzuke.plan.benchmark import Metric
from banzuke.record.figures import Samples, Verification
from banzuke.record.hosts import Hosts
from banzuke.record.model import Group, Provenance, Record
from banzuke.testing import changed
from banzuke.words import message

NOW = datetime(2026, 1, 1, tzinfo=UTC)
TRIAD = Metric("triad_bandwidth", "B/s", "higher", "Triad", headline=True)
TIME = Metric("time", "s", "lower", "Time")
METRICS = {("stream", TRIAD.name): TRIAD, ("stream", TIME.name): TIME}
PASSED = Verification(quantity="error", value=0.0, tolerance=1.0, passed=True)
STEADY = [100.0, 101.0, 99.0, 100.5, 99.5, 100.2, 99.8, 100.1]


def provenance(case: str, **changes: str | int) -> Provenance:
    defaults = {"id": "i", "run": "r", "machine": "m", "banzuke": "1", "commit": "c", "command": ["x"]}
    return Provenance.model_validate({**defaults, "case": case, **changes})


def record(
    samples: Sequence[float] = STEADY,
    *,
    metric: Metric = TRIAD,
    parameters: Mapping[str, Scalar] | None = None,
    threads: int = 4,
    origin: Provenance | None = None,
    failed: str | None = None,
    software: Mapping[str, str] | None = None,
    benchmark: str = "stream",
    hosts: int = 1,
    started: datetime = NOW,
) -> Record:
    return Record(
        benchmark=benchmark,
        backend="omp",
        parameters={"n": 1000} if parameters is None else dict(parameters),
        groups=[
            Group(
                program=f"{benchmark}-omp",
                ranks=1,
                threads=threads,
                hosts=[Hosts(names=f"node{i}", ranks=str(i)) for i in range(hosts)],
                software=dict(software or {}),
            )
        ],
        status="failed" if failed else "ok",
        reason=failed,
        started=started,
        ended=started + timedelta(seconds=1),
        metrics={} if failed else {metric.name: Samples(unit=metric.unit, samples=list(samples))},
        verification=[] if failed else [PASSED],
        provenance=origin,
    )


def launches(
    factor: float = 1.0,
    *,
    count: int = 5,
    first: float = 0.0,
    every: float = 10.0,
    metric: Metric = TRIAD,
    drift: Sequence[float] = (1.0, 1.004, 0.996, 1.002, 0.998),
    origin: Provenance | None = None,
) -> list[Record]:
    """Return launches of a case at regular intervals; each differs from the first by the next factor of `drift`."""
    return [
        record(
            scaled(factor * drift[index % len(drift)]),
            metric=metric,
            started=NOW + timedelta(seconds=first + index * every),
            origin=origin.model_copy(update={"id": f"{origin.run}{first}{index}"}) if origin else None,
        )
        for index in range(count)
    ]


def only(lines: list[Comparison]) -> Comparison:
    assert len(lines) == 1
    return lines[0]


def scaled(factor: float) -> list[float]:
    return [value * factor for value in STEADY]


@pytest.mark.parametrize(
    ("metric", "factor", "verdict", "ratio"),
    [
        (TRIAD, 1.2, "faster", 1.2),
        (TRIAD, 0.8, "slower", 0.8),
        (TIME, 1.25, "slower", 0.8),
        (TIME, 0.8, "faster", 1.25),
        (TRIAD, 1.001, "no difference shown", 1.001),
    ],
)
def test_above_1_is_better_in_the_direction_of_the_metric(
    metric: Metric, factor: float, verdict: str, ratio: float
) -> None:
    line = only(compare(launches(metric=metric), launches(factor, metric=metric), METRICS))
    assert line.verdict == verdict
    assert line.ratio == pytest.approx(ratio)
    assert line.interval is not None
    assert line.ratio in line.interval
    assert line.differences == ()


def made(stream: np.random.Generator, cases: int, factor: float = 1.0) -> list[Record]:
    """Return a run of 5 launches with 20 samples per case; the spread is 0.5% within launches and 1% between them."""
    return [
        record(
            list(factor * np.exp(0.01 * stream.standard_normal() + 0.005 * stream.standard_normal(20))),
            parameters={"n": case},
        )
        for _ in range(5)
        for case in range(cases)
    ]


def test_equal_runs_are_seldom_called_different_and_a_real_difference_is_found() -> None:
    stream = np.random.default_rng(0)
    equal = Counter(line.verdict for line in compare(made(stream, 400), made(stream, 400), METRICS))
    assert equal["faster"] + equal["slower"] <= 0.07 * 400  # 5%, and two standard errors
    assert equal["no difference shown"] == 400 - equal["faster"] - equal["slower"]
    better = Counter(line.verdict for line in compare(made(stream, 100), made(stream, 100, 1.05), METRICS))
    assert better["faster"] >= 99


@pytest.mark.parametrize(("a", "b", "said"), [(1, 1, "in A and B"), (1, 5, "in A "), (5, 1, "in B ")])
def test_one_launch_shows_no_difference_however_large(a: int, b: int, said: str) -> None:
    line = only(compare(launches(count=a), launches(10, count=b), METRICS))
    assert (line.verdict, line.interval) == ("no verdict from one launch", None)
    assert said in line.reason
    assert "--repeat 5" in line.reason
    assert line.ratio == pytest.approx(10, rel=0.02)


def test_one_sample_a_launch_is_enough_where_launches_are_several() -> None:
    a, b = ([record([rate * step]) for step in (1.0, 1.01, 0.99)] for rate in (1.0, 2.0))
    assert only(compare(a, b, METRICS)).verdict == "faster"


def test_samples_within_a_launch_decide_nothing() -> None:
    many, few = ([record([1.0 * step] * count) for step in (1.0, 1.01, 0.99)] for count in (100, 2))
    other = [record([1.02 * step] * 5) for step in (1.0, 1.01, 0.99)]
    assert only(compare(many, other, METRICS)).interval == only(compare(few, other, METRICS)).interval


def test_launches_taken_in_turn_are_compared_pair_by_pair() -> None:
    """Both drift by 10% in the same way, and B is always 1% better."""
    drift = (1.0, 1.05, 0.95, 1.02, 1.1)
    a = launches(drift=drift)
    turns, apart = (compare(a, launches(1.01, drift=drift, first=first), METRICS) for first in (5, 3600))
    assert (only(turns).verdict, only(turns).paired) == ("faster", True)
    assert (only(apart).verdict, only(apart).interval, only(apart).paired) == ("cannot be told", None, False)
    assert only(turns).ratio == pytest.approx(only(apart).ratio)


def test_a_round_in_which_one_failed_is_left_out_of_the_pairs() -> None:
    a, b = launches(), launches(1.1, first=5)
    b[1] = record(failed="crashed", started=b[1].started)
    line = only(compare(a, b, METRICS))
    assert line.paired
    assert line.a
    assert line.b
    assert (line.a.launches, line.b.launches) == (5, 4), "figures are of all launches, as everywhere"
    assert "1 of 5 launches in B failed: crashed" in line.reason


def test_where_runs_are_apart_others_of_their_case_tell_how_they_differ() -> None:
    b = launches(1.1, first=9e4, origin=provenance("h", run="b"))
    a = launches(count=1, origin=provenance("h", run="a"))
    past = [
        launch
        for day in range(5)
        for launch in launches(first=-9e4 * (5 - day), origin=provenance("h", run=f"past{day}"))
    ]
    foreign = [
        *launches(9.0, origin=provenance("h", run="elsewhere", machine="other")),
        *(changed(launch, parameters={"n": 2000}) for launch in launches(9.0, origin=provenance("g", run="past"))),
        record(failed="crashed", origin=provenance("h", id="failed")),
    ]
    asked = []

    def launched(cases: Collection[str]) -> list[Record]:
        asked.append(set(cases))
        return [*past, *a, *foreign]

    line = only(compare(a, b, METRICS, launched=launched))
    assert (line.verdict, line.blocks) == ("faster", (1, 1))
    assert line.told == (message("compare-by-history", runs=5),)
    assert asked == [{"h"}]
    assert only(compare(a, b, METRICS, launched=lambda _: a)).verdict == "no verdict from one launch"
    noisy = [
        changed(launch, metrics={TRIAD.name: Samples(unit="B/s", samples=[100.0 + 20 * (at // 5 % 2)])})
        for at, launch in enumerate(past)
    ]
    assert only(compare(a, b, METRICS, launched=lambda _: noisy)).verdict == "no difference shown"


def test_where_one_side_of_a_run_has_one_launch_others_of_its_case_tell_the_spread() -> None:
    b = launches(1.1, origin=provenance("g", run="a", placement="near"))
    a = launches(count=1, origin=provenance("h", run="a"))
    past = launches(first=-9e5, origin=provenance("h", run="past"))
    line = only(compare(a, b, METRICS, launched=lambda _: past))
    assert (line.verdict, line.blocks) == ("faster", None)
    assert "one launch in A: the variation is taken from 5 others" in line.reason


def test_one_launch_a_side_has_no_verdict_whatever_others_tell() -> None:
    a, b, past = (
        launches(factor, count=count, origin=provenance("h", run=run))
        for factor, count, run in ((1.0, 1, "a"), (2.0, 1, "b"), (1.0, 5, "past"))
    )
    assert only(compare(a, b, METRICS, launched=lambda _: past)).verdict == "no verdict from one launch"


def single(values: Sequence[float], metric: Metric = TRIAD) -> list[Record]:
    """Return launches of one sample each."""
    return [record([value], metric=metric) for value in values]


@pytest.mark.parametrize("metric", [TRIAD, TIME])
def test_the_ratio_is_that_of_the_figures_beside_it(metric: Metric) -> None:
    line = only(compare(single([1.0, 1.26, 1.3, 1.2, 9.0], metric), launches(0.111, metric=metric), METRICS))
    assert line.a
    assert line.b
    assert line.a.value == 1.26
    times = line.b.value / line.a.value
    assert line.ratio == pytest.approx(times if metric is TRIAD else 1 / times, rel=1e-12)


def measured_for(seconds: float, factor: float, metric: Metric) -> list[Record]:
    """Return launches of one run."""
    measured = launches(factor, metric=metric, first=seconds, origin=provenance(f"h{seconds}"))
    return [changed(launch, benchmark="noise", parameters={"quantum": 1e-3, "seconds": seconds}) for launch in measured]


def test_figures_measured_for_unlike_times_compare_but_for_extremes() -> None:
    usual = Metric("noise_p50", "s", "lower", "Median")
    worst = Metric("maximum_noise", "s", "lower", "Maximum noise", extreme=True)
    middle, end = (
        only(compare(measured_for(6, 1.0, metric), measured_for(60, 0.5, metric), {("noise", metric.name): metric}))
        for metric in (usual, worst)
    )
    assert (middle.verdict, middle.differences) == ("faster", ("seconds: 6 in A, 60 in B",))
    assert (end.verdict, end.reason) == ("not comparable", "not measured for as long, and extremes grow with time")


def test_launches_measured_for_another_time_tell_how_launches_differ() -> None:
    metric = Metric("noise_p50", "s", "lower", "Median")
    a, b = measured_for(6, 1.0, metric), measured_for(60, 0.5, metric)[:1]
    line = only(compare(a, b, {("noise", metric.name): metric}, (), lambda cases: a if len(cases) == 2 else []))
    assert line.verdict == "faster"
    assert "one launch in B: the variation is taken from 5 others" in line.reason


def test_a_ratio_beside_an_interval_that_does_not_hold_it_says_why() -> None:
    uneven = single([1.0] * 11 + [3.0] * 9)
    line = only(compare(uneven, single([1.0, 1.001, 0.999]), METRICS))
    assert line.interval
    assert line.ratio not in line.interval
    assert "from which the medians lie far" in line.reason


def test_a_ratio_beside_an_interval_of_pairs_says_that_it_is_of_these_alone() -> None:
    uneven = launches(count=20, drift=[1.0] * 11 + [3.0] * 9)
    line = only(compare(uneven, launches(count=20, first=5), METRICS))
    assert line.paired
    assert line.ratio == pytest.approx(1.0)
    assert line.reason == UNEVEN_PAIRS


def test_launches_without_any_spread_have_a_ratio_that_is_their_interval() -> None:
    """Even if they are rounded differently."""
    same = launches(count=6, drift=(1.0,))
    for value in (1.1, 1.3, 1.7):
        for first in (5, 10):
            line = only(compare(same, launches(value, count=6, drift=(1.0,), first=first), METRICS))
            assert line.interval
            assert (line.verdict, line.reason) == ("faster", "")


timings = st.lists(st.floats(min_value=1e-3, max_value=1e3), min_size=1, max_size=12)


@settings(deadline=None, max_examples=25)
@given(timings, timings, st.sampled_from([TRIAD, TIME]))
def test_exchanging_the_runs_inverts_every_line(a: list[float], b: list[float], metric: Metric) -> None:
    forth = only(compare(single(a, metric), single(b, metric), METRICS))
    back = only(compare(single(b, metric), single(a, metric), METRICS))
    opposite = {"faster": "slower", "slower": "faster"}
    assert back.verdict == opposite.get(forth.verdict, forth.verdict)
    assert forth.ratio is not None
    assert back.ratio == pytest.approx(1 / forth.ratio)
    assert (forth.interval is None) == (back.interval is None)
    if forth.interval and forth.interval.low:
        assert back.interval == pytest.approx((1 / forth.interval.high, 1 / forth.interval.low))


@settings(deadline=None, max_examples=25)
@given(timings, timings, st.sampled_from([2.0**-30, 0.5, 2.0**40]))
def test_units_of_measurement_do_not_matter(a: list[float], b: list[float], factor: float) -> None:
    plain = only(compare(single(a), single(b), METRICS))
    other = only(compare(single([x * factor for x in a]), single([x * factor for x in b]), METRICS))
    assert other.verdict == plain.verdict
    assert other.ratio == pytest.approx(plain.ratio)


@settings(deadline=None, max_examples=25)
@given(timings)
def test_a_run_never_differs_from_itself(samples: list[float]) -> None:
    line = only(compare(single(samples), single(samples), METRICS))
    assert line.verdict == ("no difference shown" if len(samples) > 1 else "no verdict from one launch")
    assert line.ratio == 1


def test_failed_launches_are_named_and_the_others_compared() -> None:
    launched = [
        record([100.0, 102.0], origin=provenance("h", repetition=0)),
        record([104.0, 106.0, 105.0], origin=provenance("h", repetition=1)),
        record(origin=provenance("h", repetition=2), parameters={}, failed="ran out of time"),
    ]
    line = only(compare(launched, [record(origin=provenance("h"))], METRICS))
    assert line.a is not None
    assert (line.a.samples, line.a.launches) == (5, 2)
    assert line.a.value == 103.0
    assert "1 of 3 launches in A failed: ran out of time" in line.reason


def test_a_case_that_failed_on_one_side_is_named_and_not_compared() -> None:
    lost = record(failed="verification failed", parameters={}, origin=provenance("h"))
    line = only(compare([record(origin=provenance("h"))], [lost], METRICS))
    assert line.verdict == "not comparable"
    assert line.reason == "in B failed: verification failed"
    assert line.ratio is None


def test_cases_of_one_side_are_listed() -> None:
    stream, other = record(), record(benchmark="dgemm", metric=TIME)
    verdicts = {(line.benchmark, line.verdict) for line in compare([stream], [other], METRICS)}
    assert verdicts == {("stream", "only in A"), ("dgemm", "only in B")}


def test_times_of_different_work_are_not_compared() -> None:
    a, b = record(metric=TIME), record(metric=TIME, parameters={"n": 2000})
    line = only(compare([a], [b], METRICS))
    assert (line.verdict, line.ratio) == ("not comparable", None)
    assert line.differences == ("n: 1000 in A, 2000 in B",)
    assert "not the same work" in line.reason


def test_samples_that_allow_no_ratio_are_not_compared() -> None:
    assert only(compare([record([0.0] * 6)], [record()], METRICS)).reason == "a ratio needs positive medians"
    assert "nothing declares" in only(compare([record()], [record()], {})).reason


def test_rounds_that_others_disturbed_do_not_count() -> None:
    """Half the rate in one launch of five hides a difference of 5%."""
    a, b = launches(), launches(1.05, first=5.0, drift=(1.0, 1.001, 0.999, 1.002, 1.0))
    busy = {"other_busy_fraction": 0.5}

    def slowed(record: Record) -> Record:
        samples = {name: own.having(samples=scaled(0.5)) for name, own in record.metrics.items()}
        return record.having(metrics=samples, conditions=busy)

    line = only(compare(a, [*b[:2], slowed(b[2]), *b[3:]], METRICS))
    assert (line.verdict, line.paired, line.a and line.a.launches) == ("faster", True, 4)
    assert line.ratio == pytest.approx(1.05, rel=0.01)
    assert [said.code for said in line.told] == ["compare-turns-disturbed"]
    few = only(compare(a, [*b[:2], *map(slowed, b[2:])], METRICS))  # two would remain, which show nothing
    assert (few.verdict, few.a and few.a.launches, few.told) == ("no difference shown", 5, ())
