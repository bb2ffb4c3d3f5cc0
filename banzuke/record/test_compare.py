from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banzuke.machine.published import Figure, PublishedMachine
from banzuke.plan.benchmark import Metric
from banzuke.record.compare import Comparison, cautions, compare, compare_published
from banzuke.record.model import Host, Provenance, Record, Samples, Scalar, Verification

NOW = datetime(2026, 1, 1, tzinfo=UTC)
TRIAD = Metric("triad_bandwidth", "B/s", "higher", "Triad", headline=True)
TIME = Metric("time", "s", "lower", "Time")
METRICS = {("stream", TRIAD.name): TRIAD, ("stream", TIME.name): TIME}
PASSED = Verification(quantity="error", value=0.0, tolerance=1.0, passed=True)
STEADY = [100.0, 101.0, 99.0, 100.5, 99.5, 100.2, 99.8, 100.1]


def provenance(case: str, **changes: str | int) -> Provenance:
    known = {"id": "i", "run": "r", "machine": "m", "banzuke": "1", "commit": "c", "command": ["x"]}
    return Provenance.model_validate({**known, "case": case, **changes})


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
) -> Record:
    return Record(
        benchmark=benchmark,
        backend="omp",
        parameters={"n": 1000} if parameters is None else dict(parameters),
        ranks=1,
        threads=threads,
        status="failed" if failed else "ok",
        reason=failed,
        started=NOW,
        ended=NOW,
        metrics={} if failed else {metric.name: Samples(unit=metric.unit, samples=list(samples))},
        verification=[] if failed else [PASSED],
        hosts=[Host(name=f"node{i}", ranks=str(i)) for i in range(hosts)],
        software=dict(software or {}),
        provenance=origin,
    )


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
        (TRIAD, 1.0005, "no difference shown", 1.0005),
    ],
)
def test_above_1_is_better_in_the_direction_of_the_metric(
    metric: Metric, factor: float, verdict: str, ratio: float
) -> None:
    line = only(compare([record(metric=metric)], [record(scaled(factor), metric=metric)], METRICS))
    assert line.verdict == verdict
    assert line.ratio == pytest.approx(ratio)
    assert line.interval is not None
    assert line.ratio in line.interval
    assert line.differences == ()


@pytest.mark.parametrize(("a", "b", "said"), [(4, 8, "A has 4"), (8, 4, "B has 4"), (1, 1, "A has 1, B has 1")])
def test_few_samples_show_no_difference_however_large(a: int, b: int, said: str) -> None:
    line = only(compare([record(STEADY[:a])], [record(scaled(10)[:b])], METRICS))
    assert line.verdict == "no difference shown"
    assert said in line.reason
    assert line.ratio == pytest.approx(10, rel=0.02)


timings = st.lists(st.floats(min_value=1e-3, max_value=1e3), min_size=1, max_size=12)


@settings(deadline=None, max_examples=25)
@given(timings, timings, st.sampled_from([TRIAD, TIME]))
def test_exchanging_the_runs_inverts_every_line(a: list[float], b: list[float], metric: Metric) -> None:
    forth = only(compare([record(a, metric=metric)], [record(b, metric=metric)], METRICS))
    back = only(compare([record(b, metric=metric)], [record(a, metric=metric)], METRICS))
    opposite = {"faster": "slower", "slower": "faster"}
    assert back.verdict == opposite.get(forth.verdict, forth.verdict)
    assert forth.ratio is not None
    assert back.ratio == pytest.approx(1 / forth.ratio)
    if forth.interval is not None:
        assert back.interval == pytest.approx((1 / forth.interval.high, 1 / forth.interval.low))


@settings(deadline=None, max_examples=25)
@given(timings, timings, st.sampled_from([2.0**-30, 0.5, 2.0**40]))
def test_units_of_measurement_do_not_matter(a: list[float], b: list[float], factor: float) -> None:
    plain = only(compare([record(a)], [record(b)], METRICS))
    other = only(compare([record([x * factor for x in a])], [record([x * factor for x in b])], METRICS))
    assert (other.ratio, other.interval, other.verdict) == (plain.ratio, plain.interval, plain.verdict)


@settings(deadline=None, max_examples=25)
@given(timings)
def test_a_run_never_differs_from_itself(samples: list[float]) -> None:
    line = only(compare([record(samples)], [record(samples)], METRICS))
    assert line.verdict == "no difference shown"
    assert line.ratio == 1


def test_launches_of_a_case_are_pooled_and_failed_ones_named() -> None:
    launches = [
        record([100.0, 101.0], origin=provenance("h", repetition=0)),
        record([102.0, 103.0], origin=provenance("h", repetition=1)),
        record(origin=provenance("h", repetition=2), parameters={}, failed="ran out of time"),
    ]
    line = only(compare(launches, [record(origin=provenance("h"))], METRICS))
    assert line.a is not None
    assert (line.a.samples, line.a.launches, line.a.median) == (4, 2, 101.5)
    assert "1 of 3 launches in A failed: ran out of time" in line.reason


def test_a_case_that_failed_on_one_side_is_named_and_not_compared() -> None:
    lost = record(failed="verification failed", parameters={}, origin=provenance("h"))
    line = only(compare([record(origin=provenance("h"))], [lost], METRICS))
    assert line.verdict == "not comparable"
    assert line.reason == "in B failed: verification failed"
    assert line.ratio is None


def test_cases_of_one_side_are_listed() -> None:
    one, other = record(), record(benchmark="dgemm", metric=TIME)
    verdicts = {(line.benchmark, line.verdict) for line in compare([one], [other], METRICS)}
    assert verdicts == {("stream", "only in A"), ("dgemm", "only in B")}


def test_cases_are_matched_by_parameters_and_layout() -> None:
    def run(factor: float, order: int) -> list[Record]:
        cases = [(n, t) for n in (10, 20) for t in (1, 2)][::order]
        return [record(scaled(n * t * factor), parameters={"n": n}, threads=t) for n, t in cases]

    lines = compare(run(1, 1), run(3, -1), METRICS)
    assert len(lines) == 4
    assert [line.ratio for line in lines] == pytest.approx([3] * 4)
    assert all(line.differences == () for line in lines)


def test_environments_are_matched_and_the_difference_is_said() -> None:
    a = [record(threads=t, origin=provenance(f"a{t}")) for t in (4, 2)]
    b = [record(threads=t, origin=provenance(f"b{t}", environment="isolated")) for t in (2, 4)]
    lines = compare(a, b, METRICS)
    assert [line.case.record.threads for line in lines] == [4, 2]
    assert {line.differences for line in lines} == {("environment: native in A, isolated in B",)}


def test_two_libraries_are_matched_where_each_side_has_one() -> None:
    mine, theirs = record(), record(scaled(2)).model_copy(update={"backend": "mkl"})
    line = only(compare([mine], [theirs], METRICS))
    assert line.verdict == "faster"
    assert line.ratio == pytest.approx(2)
    assert "backend: omp in A, mkl in B" in line.differences
    assert {line.verdict for line in compare([mine, theirs], [theirs], METRICS)} == {"no difference shown", "only in A"}


def test_the_same_case_in_another_environment_goes_before_another_case() -> None:
    a = [record(parameters={"n": n}, origin=provenance(f"a{n}")) for n in (1000, 500)]
    b = [record(parameters={"n": 500}, origin=provenance("b", environment="isolated"))]
    matched, alone = compare(a, b, METRICS)
    assert matched.differences == ("environment: native in A, isolated in B",)
    assert (alone.verdict, alone.case.record.parameters["n"]) == ("only in A", 1000)


def test_machines_with_other_sizes_match_case_by_case_of_the_sweep() -> None:
    def sweep(n: int, cores: int) -> list[Record]:
        headline = record(parameters={"n": n, "stores": "nt"}, threads=cores)
        plain = record(parameters={"n": n, "stores": "plain"}, threads=cores)
        single = record(parameters={"n": n, "stores": "nt"}, threads=1)
        return [headline, plain, single, record(parameters={"n": n, "stores": "nt"}, threads=48)][
            : 4 if cores > 48 else 3
        ]

    lines = compare(sweep(1000, 64), sweep(500, 8), METRICS)
    assert [line.verdict for line in lines] == ["no difference shown"] * 3 + ["only in A"]
    sizes = "n: 1000 in A, 500 in B"
    assert [line.differences for line in lines] == [
        (sizes, "threads: 64 in A, 8 in B"),
        (sizes, "threads: 64 in A, 8 in B"),
        (sizes,),
        (),
    ]
    assert [line.case.record.parameters["stores"] for line in lines[:3]] == ["nt", "plain", "nt"]


def test_times_of_different_work_are_not_compared() -> None:
    a, b = record(metric=TIME), record(metric=TIME, parameters={"n": 2000})
    line = only(compare([a], [b], METRICS))
    assert (line.verdict, line.ratio) == ("not comparable", None)
    assert line.differences == ("n: 1000 in A, 2000 in B",)
    assert "not the same work" in line.reason


def test_samples_that_allow_no_ratio_are_not_compared() -> None:
    assert only(compare([record([0.0] * 6)], [record()], METRICS)).reason == "a ratio needs positive medians"
    assert only(compare([record([float("inf")] * 6)], [record()], METRICS)).reason == "some samples are not finite"
    assert "nothing declares" in only(compare([record()], [record()], {})).reason


def test_what_makes_two_runs_differ_is_said() -> None:
    a = [record(software={"blas": "OpenBLAS 0.3.21", "compiler": "gcc 12"}, origin=provenance("h", machine="x"))]
    b = [record(software={"blas": "MKL 2025", "compiler": "gcc 12"}, origin=provenance("h", machine="y"), hosts=2)]
    assert cautions(a, b) == [
        "machine: x in A, y in B",
        "nodes: 1 in A, 2 in B",
        "blas of stream omp: OpenBLAS 0.3.21 in A, MKL 2025 in B",
        "one launch of each case in A and B: the intervals do not hold what changes from launch to launch",
    ]
    assert cautions([*a, *a], [*a, *a]) == []


def test_processors_that_were_moved_are_said_and_how_a_library_was_chosen_is_not() -> None:
    def runs(seconds: float, choice: str) -> list[Record]:
        one = record(software={"blas_choice": choice})
        return 2 * [one.model_copy(update={"conditions": {"exchange_latency": seconds}})]

    (caution,) = cautions(runs(190e-9, "200 Gflop/s"), runs(41e-9, "201 Gflop/s"))
    assert "nearer to each other in B: a cache line passed in 41 ns against 190 ns" in caution
    assert cautions(runs(60e-9, "x"), runs(41e-9, "y")) == []
    assert cautions(runs(300e-6, "x"), runs(41e-9, "y")) == []


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
    return PublishedMachine.model_validate(
        {
            "id": "x",
            "name": "X",
            "title": "X",
            "site": "S",
            "node": {"memory_bandwidth": 200.0},
            "reports": {"r": report},
            "figure": [Figure.model_validate({**standard, **figure}).model_dump()],
        }
    )


@pytest.mark.parametrize(("factor", "verdict"), [(2.0, "faster"), (0.5, "slower"), (1.0, "no difference shown")])
def test_a_published_figure_outside_our_interval_is_a_difference(factor: float, verdict: str) -> None:
    (line,) = compare_published([record(scaled(factor))], machine(), METRICS)
    assert line.verdict == verdict
    assert line.ratio == pytest.approx(factor, rel=0.01)
    assert line.interval is not None
    assert (1 in line.interval) == (verdict == "no difference shown")


def test_a_published_time_is_better_when_shorter() -> None:
    published = machine(metric="time", unit="s", as_printed="100 s")
    (line,) = compare_published([record(scaled(0.5), metric=TIME)], published, METRICS)
    assert (line.verdict, line.per_node) == ("faster", False)
    assert line.ratio == pytest.approx(2, rel=0.01)


def test_published_rates_are_compared_per_node_and_as_fraction_of_peak() -> None:
    published = machine(nodes=10, value=1000.0)
    (line,) = compare_published([record(scaled(4), hosts=2)], published, METRICS, lambda *_: 1600.0)
    assert line.per_node
    assert line.published == 100
    assert line.ours is not None
    assert line.ours.median == pytest.approx(200, rel=0.01)
    assert line.verdict == "faster"
    assert line.published_of_peak == pytest.approx(0.5)
    assert line.ours_of_peak == pytest.approx(0.25, rel=0.01)
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


def test_few_samples_say_nothing_against_a_published_figure() -> None:
    (line,) = compare_published([record([500.0])], machine(), METRICS)
    assert line.verdict == "no difference shown"
    assert "the run has 1" in line.reason


def test_benchmarks_that_were_not_run_and_ratios_are_left_out() -> None:
    assert compare_published([record()], machine(kind="ratio", metric="time_ratio"), METRICS) == []
    assert compare_published([record()], machine(benchmark="hpl"), METRICS) == []
