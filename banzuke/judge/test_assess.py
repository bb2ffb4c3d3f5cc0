from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke import paths
from banzuke.judge.assess import assess, withhold
from banzuke.judge.model import Assessment, Figure
from banzuke.judge.siblings import Siblings
from banzuke.judge.test_examples import (
    BANDWIDTH,
    BENCHMARKS,
    CEILINGS,
    ENGLISH,
    FLOP_RATE,
    FMA_RATE,
    GIGA,
    MACHINE,
    N,
    dgemm,
    judge,
    machine,
    provenance,
    record,
    solver,
    triad,
)
from banzuke.limit.best_time import fraction
from banzuke.limit.model import Ceiling
from banzuke.plan.benchmark import Metric
from banzuke.plan.placement import Placement
from banzuke.plan.resource import Resource, Resources
from banzuke.record.figures import Area, Bound, Demand, Samples, Verification
from banzuke.record.model import Record
from banzuke.testing import LOADS, MEMORY, Work, plain

positive = st.floats(1e-3, 1e15)


def headline(figures: tuple[Figure, ...]) -> Figure:
    return next(figure for figure in figures if figure.headline)


@given(value=positive, limit=positive, scale=st.floats(1e-3, 1e3))
def test_fraction_does_not_depend_on_the_unit(value: float, limit: float, scale: float) -> None:
    for better in ("higher", "lower"):
        before = fraction(value, limit, better)
        assert fraction(value * scale, limit * scale, better) == pytest.approx(before)


@given(value=positive, limit=positive)
def test_fraction_is_the_ratio_to_the_limit_in_either_direction(value: float, limit: float) -> None:
    assert fraction(value, limit, "higher") == pytest.approx(value / limit)
    assert fraction(value, limit, "lower") == pytest.approx(limit / value)
    assert fraction(limit, limit, "higher") == fraction(limit, limit, "lower") == 1.0


def test_unknown_limit_and_zero_time_have_no_fraction() -> None:
    assert fraction(1.0, None, "higher") is None
    assert fraction(0.0, 1.0, "lower") is None


@given(st.lists(st.floats(1e6, 40e9), min_size=1, max_size=9).filter(lambda rates: len(rates) % 2 == 1))
def test_a_rate_and_the_time_that_it_stands_for_are_the_same_share_of_the_limit(rates: list[float]) -> None:
    moved = 24.0 * N
    by_rate = headline(judge(triad(*rates)).figures)
    by_time = headline(judge(solver(*(moved / rate for rate in rates), flops=2 * N, moved=moved)).figures)
    assert by_rate.fraction_of_limit == pytest.approx(by_time.fraction_of_limit)


def test_value_is_the_median_and_best_follows_the_direction() -> None:
    rate = headline(judge(triad(30 * GIGA, 10 * GIGA, 38 * GIGA)).figures)
    assert (rate.value, rate.best, rate.samples) == (30 * GIGA, 38 * GIGA, (30 * GIGA, 10 * GIGA, 38 * GIGA))
    time = headline(judge(solver(3.0, 1.0, 2.0, flops=1, moved=1e10)).figures)
    assert (time.value, time.best) == (2.0, 1.0)


def test_bandwidth_is_limited_in_counted_bytes() -> None:
    figure = headline(judge(triad(27 * GIGA, moved=32)).figures)
    assert figure.limit == pytest.approx(30 * GIGA)
    assert figure.fraction_of_limit == pytest.approx(0.9)
    assert "1.33 bytes move for each byte counted" in ENGLISH(figure.limit_source)
    assert "its own ceiling" in ENGLISH(figure.limit_source)
    assert figure.own_ceiling


def test_dgemm_is_judged_against_the_register_rate_and_others_against_dgemm() -> None:
    assert headline(judge(dgemm(300 * GIGA)).figures).limit == pytest.approx(FMA_RATE.value)
    other = headline(judge(solver(1.0, flops=360e9, moved=1e6)).figures)
    assert other.limit == pytest.approx(360e9 / FLOP_RATE.value)
    assert "its own ceiling" not in ENGLISH(other.limit_source)
    assert not other.own_ceiling


def test_a_theoretical_limit_is_nobodys_own() -> None:
    peak = Ceiling(MEMORY, 50 * GIGA, "theoretical", plain("8 channels"))
    figure = headline(judge(triad(30 * GIGA), under=(peak,)).figures)
    assert ENGLISH(figure.peak_source) == "memory bandwidth 50 GB/s, 8 channels"
    assert figure.fraction_of_peak == pytest.approx(0.6)
    assert figure.fraction_of_limit is None


def test_dgemm_alone_stands_for_no_limit_of_its_own() -> None:
    subject = dgemm(300 * GIGA)
    figure = headline(judge(subject, on=machine(fma_rate=None), under=None).figures)
    assert figure.limit is None
    assert figure.fraction_of_limit is None
    assert ENGLISH(figure.limit_source) == "what bounds the flop rate is not measured yet (run `banzuke machine`)"


def test_a_missing_ceiling_names_the_benchmark_that_measures_it() -> None:
    figure = headline(judge(solver(1.0, flops=1, moved=1e9), under=()).figures)
    assert ENGLISH(figure.limit_source) == "the memory bandwidth is not measured yet (run `banzuke run stream`)"


def test_register_rate_stands_in_where_dgemm_has_not_run() -> None:
    figure = headline(judge(solver(1.0, flops=400e9, moved=1e6), under=(BANDWIDTH, FMA_RATE)).figures)
    assert figure.limit == pytest.approx(1.0)


def test_compute_limit_of_one_core_is_its_share() -> None:
    assessment = judge(dgemm(95 * GIGA, threads=1))
    assert headline(assessment.figures).limit == pytest.approx(100 * GIGA)
    assert "scaled from 4 cores to 1 core" in ENGLISH(headline(assessment.figures).limit_source)
    assert ENGLISH.joined(assessment.verdict) == (
        "95 Gflop/s on 1 of 4 cores; 95% of the measured register FMA rate of as many cores"
    )


def test_memory_limit_of_one_core_is_the_whole_machines() -> None:
    assessment = judge(triad(20 * GIGA, threads=1))
    assert headline(assessment.figures).limit == pytest.approx(BANDWIDTH.value)
    assert (
        ENGLISH.joined(assessment.verdict)
        == "20 GB/s on 1 of 4 cores; 50% of its own best (the measured memory bandwidth)"
    )


def test_verdict_of_a_time_speaks_of_speed() -> None:
    assert ENGLISH.joined(judge(solver(2.0, flops=1, moved=40e9)).verdict) == (
        "2 s; 50% of the speed that the measured memory bandwidth allows"
    )


def test_peak_is_known_without_the_unknown_bandwidth_where_arithmetic_rules() -> None:
    compute = headline(judge(dgemm(224 * GIGA), under=None).figures)
    assert compute.fraction_of_peak == pytest.approx(0.5)
    memory = headline(judge(triad(30 * GIGA), under=None).figures)
    assert memory.peak is None
    assert "memory channels are unknown" in ENGLISH(memory.peak_source)


def asking(resource: str, unit: str = "s") -> Record:
    demand = [Demand(resource=resource, amount=1e9)]
    return record("mystery", {"figure": Samples(unit=unit, samples=[1.0], counted=1.0, demand=demand)})


@pytest.mark.parametrize(
    ("subject", "reason"),
    [
        (asking("gpu.bytes"), "no benchmark here measures the rate of gpu.bytes"),
        (asking("memory.bytes", unit="1"), "no work is counted in the unit of this metric, 1"),
    ],
)
def test_an_unknown_limit_says_why(subject: Record, reason: str) -> None:
    assessment = judge(subject)
    assert assessment.figures[0].limit is None
    assert reason in ENGLISH(assessment.figures[0].limit_source)
    assert reason in ENGLISH.joined(assessment.verdict)


def test_what_asks_for_nothing_has_no_limit() -> None:
    assessment = judge(record("mystery", {"time": Samples(unit="s", samples=[1.0])}))
    assert assessment.figures[0].limit is None
    assert ENGLISH.joined(assessment.verdict) == "1 s"


def test_rates_of_anything_have_limits() -> None:
    updates = Samples(unit="update/s", samples=[4e9], counted=1e9, demand=[Demand(resource="memory.bytes", amount=8e9)])
    figure = judge(record("mystery", {"update_rate": updates})).figures[0]
    assert figure.limit == pytest.approx(5e9)
    assert figure.fraction_of_limit == pytest.approx(0.8)


def test_loads_bind_what_hardly_stores() -> None:
    loads = Ceiling(LOADS, 30 * GIGA, "measured", plain("measured by stream's dot_bandwidth on 4 cores"), 4)
    demand = [Demand(resource="memory.bytes", amount=10e9), Demand(resource="memory.loads", amount=9e9)]
    subject = record("solver", {"time": Samples(unit="s", samples=[0.4], demand=demand)})
    assert headline(judge(subject).figures).fraction_of_limit == pytest.approx(0.25 / 0.4)
    assessment = judge(subject, under=(*CEILINGS, loads))
    assert headline(assessment.figures).fraction_of_limit == pytest.approx(0.3 / 0.4)
    assert "the measured memory bandwidth of loads alone" in ENGLISH.joined(assessment.verdict)


def test_each_area_of_storage_has_its_own_rate() -> None:
    writing = Resource("storage.write", "B/s", "write bandwidth", "area")
    rates = {"scratch": 4 * GIGA, "home": 1 * GIGA}
    under = tuple(Ceiling(writing, rate, "measured", plain("here"), area=area) for area, rate in rates.items())
    shares = []
    for area in rates:
        demand = [Demand(resource="storage.write", amount=1e9, area=area)]
        samples = Samples(unit="B/s", samples=[1e9], counted=1e9, demand=demand)
        subject = record("mystery", {"write_bandwidth": samples}, areas={area: Area(path="/x", type="xfs")})
        shares.append(judge(subject, under=under).figures[0].fraction_of_limit)
    assert shares == pytest.approx([0.25, 1.0])


def test_metrics_that_the_specification_lacks_are_shown_last_and_never_in_the_headline() -> None:
    metrics = triad(30 * GIGA).metrics | {"time": Samples(unit="s", samples=[1.0])}
    assessment = judge(record("stream", {"time": metrics.pop("time"), **metrics}))
    assert [figure.metric for figure in assessment.figures] == ["copy_bandwidth", "triad_bandwidth", "time"]
    assert assessment.figures[-1].better == "lower"
    assert ENGLISH.joined(assessment.verdict).startswith("30 GB/s")


def withheld(status: str, reason: str, *checks: Verification) -> str:
    base = triad(30 * GIGA).model_dump()
    failed = base | {"status": status, "reason": reason, "metrics": {}, "verification": list(checks)}
    assessment = judge(Record.model_validate(failed))
    assert assessment.figures == ()
    assert assessment.causes == ()
    assert assessment.warnings == ()
    return ENGLISH.joined(assessment.verdict)


def test_a_record_without_figures_says_why() -> None:
    wrong = Verification(quantity="residual", value=20.5, tolerance=16.0, passed=False)
    lost = Verification(quantity="residual", value=None, tolerance=16.0, passed=False)
    assert withheld("failed", "verification failed", wrong) == (
        "figure withheld, verification failed: residual is 20.5, allowed is 16"
    )
    assert "residual is not finite" in withheld("failed", "verification failed", lost)
    assert withheld("failed", "killed by signal 9") == "no figure: killed by signal 9"
    assert withheld("skipped", "no GPU") == "skipped: no GPU"


def test_ceilings_that_the_records_set_bound_them() -> None:
    runs = [triad(30 * GIGA, 39 * GIGA), triad(40 * GIGA), dgemm(350 * GIGA)]
    first = headline(judge(*runs, under=None).figures)
    assert first.fraction_of_limit == pytest.approx(34.5 / 40)


@given(st.floats(0.01, 100.0))
def test_a_machine_that_is_faster_in_everything_has_the_same_fractions(scale: float) -> None:
    scaled = tuple(replace(c, value=c.value * scale) for c in CEILINGS)
    slow, fast = judge(triad(30 * GIGA)), judge(triad(30 * GIGA * scale), under=scaled)
    for figure, other in zip(slow.figures, fast.figures, strict=True):
        assert figure.fraction_of_limit == pytest.approx(other.fraction_of_limit)


@given(n=st.floats(1e3, 1e10), flops=st.just(0.0) | st.floats(1e-9, 1e3))
def test_a_time_at_its_limit_is_at_one(n: float, flops: float) -> None:
    best = max(flops * n / FLOP_RATE.value, n / BANDWIDTH.value)
    figure = headline(judge(solver(best, flops=flops * n, moved=n)).figures)
    assert figure.limit == pytest.approx(best)
    assert figure.fraction_of_limit == pytest.approx(1.0)


def test_work_is_that_of_the_metric_and_not_of_the_benchmark() -> None:
    light, heavy = Work(flops=0, bytes=1e10, moved=1e10), Work(flops=0, bytes=1e10, moved=2e10)
    subject = record(
        "stream",
        {
            "copy_bandwidth": Samples(unit="B/s", samples=[20 * GIGA], **heavy.of("B/s")),
            "triad_bandwidth": Samples(unit="B/s", samples=[20 * GIGA], **light.of("B/s")),
        },
    )
    copy, triad_figure = judge(subject, on=MACHINE).figures
    assert (copy.fraction_of_limit, triad_figure.fraction_of_limit) == pytest.approx((1.0, 0.5))


MEASURED = Bound(kind="measured", seconds=0.5, source="a direct copy between the two processors")
LINK = Bound(kind="theoretical", seconds=0.25, source="link of ib0, 25 GB/s")
MESSAGES = replace(
    BENCHMARKS["stream"],
    name="messages",
    metrics=(
        Metric("latency", "s", "lower", "Latency", headline=True),
        Metric("bandwidth", "B/s", "higher", "Bandwidth", headline=True),
    ),
    resources=Resources(),
    placements=lambda _: [Placement("same-numa", "two cores of one NUMA node", ((0,), (1,)), per_node=2)],
)


def message(unit: str, sample: float, *bounds: Bound, placement: str | None = "same-numa", **seen: Any) -> Assessment:
    """Return the assessment of a message of 100 B, with the bounds that its program measured."""
    name = "latency" if unit == "s" else "bandwidth"
    work = Work(bytes=100)
    samples = Samples(unit=unit, samples=[sample], **work.of(unit), bounds=list(bounds))
    subject = record(
        "messages", {name: samples}, threads=1, ranks=2, conditions=seen, provenance=provenance(placement=placement)
    )
    return assess(subject, siblings=Siblings(), machine=MACHINE, benchmarks={"messages": MESSAGES}, ceilings=CEILINGS)


def test_a_time_is_judged_by_what_was_measured_beside_it() -> None:
    assessment = message("s", 2.0, MEASURED, LINK, headline_size=8)
    figure = headline(assessment.figures)
    assert (figure.limit, figure.fraction_of_limit, ENGLISH(figure.limit_source)) == (0.5, 0.25, MEASURED.source)
    assert figure.peak is None
    assert ENGLISH.joined(assessment.verdict) == (
        "2 s at 8 B (two cores of one NUMA node); 25% of the speed of a direct copy between the two processors"
    )
    assert assessment.causes == ()


def test_a_rate_is_judged_by_the_time_that_its_bytes_could_take() -> None:
    assessment = message("B/s", 150.0, MEASURED, headline_size=1 << 20)
    figure = headline(assessment.figures)
    assert (figure.limit, figure.fraction_of_limit) == (200.0, 0.75)
    assert "75% of a direct copy between the two processors" in ENGLISH.joined(assessment.verdict)
    assert "at 1 MiB" in ENGLISH.joined(assessment.verdict)


def test_the_tightest_bound_of_a_kind_counts() -> None:
    looser = MEASURED.model_copy(update={"seconds": 0.1})
    assert headline(message("s", 1.0, looser, MEASURED).figures).limit == 0.5


def test_a_link_alone_tells_the_share_of_its_rate() -> None:
    assessment = message("B/s", 300.0, LINK, placement="other-node", headline_size=4 << 20)
    figure = headline(assessment.figures)
    assert figure.limit is None
    assert (figure.peak, figure.fraction_of_peak, ENGLISH(figure.peak_source)) == (400.0, 0.75, LINK.source)
    assert ENGLISH.joined(assessment.verdict) == (
        "300 B/s at 4 MiB (other node); 75% of the theoretical rate (link of ib0, 25 GB/s)"
    )
    assert "theoretical" not in ENGLISH.joined(message("s", 1.0, LINK).verdict)


def test_without_any_bound_nothing_is_said_of_limits() -> None:
    assert ENGLISH.joined(message("s", 1.0, placement=None).verdict) == "1 s on 2 of 4 cores"


def test_groups_are_called_by_their_processors() -> None:
    assert ENGLISH.joined(message("s", 1.0, placement="0-1+2").verdict).startswith("1 s (0-1+2)")


def test_faster_than_what_was_measured_beside_it_is_told() -> None:
    (warning,) = map(ENGLISH, message("s", 0.4, MEASURED).warnings)
    assert "125% of its limit (a direct copy between the two processors)" in warning
    assert "there is a faster way" in warning
    (warning,) = map(ENGLISH, message("B/s", 800.0, LINK).warnings)
    assert "200% of the theoretical peak (link of ib0, 25 GB/s)" in warning
    assert "did not take the path" in warning


@pytest.mark.parametrize("file", sorted((paths.SCHEMA / "golden").glob("*.json")), ids=lambda file: file.stem)
def test_a_record_that_cannot_be_judged_shows_nothing_that_came_of_it(file: Path) -> None:
    """Neither figures nor anything else that was recorded."""
    whole = Record.model_validate_json(file.read_text(encoding="utf-8"))
    with pytest.raises(ValueError, match="odd") as raised:
        int("odd")
    failed = withhold(whole, raised.value).record
    assert (failed.status, "odd" in (failed.reason or "")) == ("failed", True)
    says = ("schema_version", "benchmark", "backend", "parameters", "groups", "started", "ended", "provenance")
    left = set(Record.model_fields) - {*says, "status", "reason"}
    assert not {name: value for name in left if (value := getattr(failed, name))}
    assert all(getattr(failed, name) == getattr(whole, name) for name in says)
    assert Record.model_validate_json(failed.model_dump_json()) == failed
