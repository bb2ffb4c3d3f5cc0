import pytest

from banzuke.compare.runs import Comparison, compare
from banzuke.compare.sizes import by_size, sizes
from banzuke.compare.test_runs import provenance, record
from banzuke.plan.benchmark import Metric
from banzuke.record.figures import Curve, Point, Samples
from banzuke.record.model import Record

LATENCY = Metric("latency", "s", "lower", "Latency", headline=True)


def launch(at: dict[float, list[float]], number: int = 1, placement: str = "same-numa") -> Record:
    """Return a case with a latency for each size."""
    points = [Point(at=size, metrics={"latency": Samples(unit="s", samples=samples)}) for size, samples in at.items()]
    origin = provenance(placement, id=str(number), placement=placement)
    made = record(next(iter(at.values())), metric=LATENCY, origin=origin)
    return made.model_copy(update={"curves": {"size": Curve(along="message size", unit="B", points=points)}})


def spread(value: float) -> list[float]:
    return [value * (1 + index / 1000) for index in range(20)]


def line(a: list[Record], b: list[Record]) -> Comparison:
    (comparison,) = compare(a, b, {("stream", "latency"): LATENCY})
    return comparison


def run(at: dict[float, float], count: int = 5) -> list[Record]:
    """Return launches that differ by up to 1%."""
    steps = (1.0, 1.01, 0.99, 1.005, 0.995)[:count]
    return [
        launch({size: spread(value * step) for size, value in at.items()}, number) for number, step in enumerate(steps)
    ]


def test_each_size_has_its_own_ratio_and_verdict() -> None:
    judgements = by_size(line(run({8: 1.0, 64: 2.0, 512: 4.0}), run({8: 2.0, 64: 2.0, 512: 2.0})))
    assert list(judgements) == [8, 64, 512]
    assert [at.ratio for at in judgements.values()] == pytest.approx([0.5, 1.0, 2.0])
    assert [at.verdict for at in judgements.values()] == ["slower", "no difference shown", "faster"]
    assert [judgements[8].a.value, judgements[8].b.value] == pytest.approx([1.0095, 2.019], rel=1e-4)
    for at in judgements.values():
        assert at.interval
        assert at.interval.low < (at.ratio or 0) < at.interval.high


def test_launches_decide_and_not_their_samples() -> None:
    judgement = by_size(line(run({8: 1.0}, 2), run({8: 1.1}, 1)))[8]
    assert (judgement.a.samples, judgement.a.launches, judgement.b.launches) == (40, 2, 1)
    assert judgement.verdict == "no verdict from one launch"


def test_a_launch_without_a_size_is_left_out_there() -> None:
    a, b = run({8: 1.0, 64: 1.0}), run({8: 2.0, 64: 2.0})
    judgements = by_size(line([*a[:-1], launch({8: spread(1.0)}, 9)], b))
    assert [(at.a.launches, at.b.launches) for at in judgements.values()] == [(5, 5), (4, 5)]


def test_only_sizes_that_both_have_are_compared() -> None:
    comparison = line([launch({8: spread(1.0), 64: spread(1.0)})], [launch({64: spread(1.0), 512: spread(1.0)})])
    assert sizes(comparison) == [64]
    assert list(by_size(comparison)) == [64]
    assert by_size(comparison, (8,)) == {}


def test_what_has_no_ratio_has_none() -> None:
    judgement = by_size(line([launch({8: [0.0] * 9})], [launch({8: spread(1.0)})]))[8]
    assert (judgement.ratio, judgement.verdict) == (None, "not comparable")


def test_cases_without_sizes_have_none() -> None:
    plain = record(spread(1.0), metric=LATENCY, origin=provenance("h"))
    assert by_size(line([plain], [plain])) == {}
    (alone,) = compare([plain], [], {("stream", "latency"): LATENCY})
    assert sizes(alone) == []


def test_placements_are_matched_with_their_own() -> None:
    places = ("same-numa", "other-socket")
    mine = [launch({8: spread(index + 1.0)}, placement=name) for index, name in enumerate(places)]
    comparisons = compare(mine, mine[::-1], {("stream", "latency"): LATENCY})
    assert [comparison.case.placement for comparison in comparisons] == list(places)
    assert [by_size(comparison)[8].ratio for comparison in comparisons] == pytest.approx([1, 1])
