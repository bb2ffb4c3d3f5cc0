"""Tests that records of future benchmarks get limits, are compared and are shown, without code that knows them."""

from datetime import timedelta

import pytest

from banzuke import paths
from banzuke.compare.runs import compare
from banzuke.document.markdown import document_markdown
from banzuke.judge.assess import assess
from banzuke.judge.model import Assessment
from banzuke.judge.siblings import Siblings
from banzuke.limit.model import Ceiling
from banzuke.plan.benchmark import Benchmark, Metric
from banzuke.plan.catalogue import benchmarks
from banzuke.plan.resource import Resource, Resources
from banzuke.record.model import Record
from banzuke.report.model import Evaluation
from banzuke.report.page import page
from banzuke.report.testing.documents import document
from banzuke.testing import FLOPS, MEMORY, machine, plain
from banzuke.units import percent

GIGA = 1e9
LINK = Resource("link.bytes", "B/s", "link bandwidth", "link")
WRITE = Resource("storage.write", "B/s", "write bandwidth", "area")
READ = Resource("storage.read", "B/s", "read bandwidth", "area")
OPERATIONS = Resource("storage.operations", "op/s", "rate of metadata operations", "area")
PCIE = Resource("pcie.bytes", "B/s", "transfer bandwidth", "device")


def declared(name: str, *metrics: Metric, measures: tuple[Resource, ...] = ()) -> Benchmark:
    return Benchmark(
        name,
        name,
        metrics,
        lambda *_: {},
        lambda _: [],
        lambda *_: 1.0,
        default_backend="mpi",
        resources=Resources(measures),
    )


KNOWN = {
    **benchmarks(),
    "fft": declared(
        "fft", Metric("flop_rate", "flop/s", "higher", "FFT", headline=True), Metric("time", "s", "lower", "FFT's time")
    ),
    "ior": declared(
        "ior",
        Metric("write_bandwidth", "B/s", "higher", "Writing", headline=True),
        Metric("copy_bandwidth", "B/s", "higher", "Copying"),
        Metric("create_rate", "1/s", "higher", "Creating"),
    ),
    "transfer": declared("transfer", Metric("bandwidth", "B/s", "higher", "Transfer", headline=True)),
    "others": declared("others", measures=(LINK, WRITE, READ, OPERATIONS, PCIE)),
}
CEILINGS = (
    Ceiling(FLOPS, 100 * GIGA, "measured", plain("of the processors"), 4),
    Ceiling(FLOPS, 20_000 * GIGA, "measured", plain("of a device"), device=""),
    Ceiling(MEMORY, 50 * GIGA, "measured", plain("of the processors"), 4),
    Ceiling(LINK, 1 * GIGA, "measured", plain("by others")),
    Ceiling(WRITE, 2 * GIGA, "measured", plain("by others"), area="scratch"),
    Ceiling(WRITE, 1 * GIGA, "measured", plain("by others"), area="burst"),
    Ceiling(READ, 4 * GIGA, "measured", plain("by others"), area="scratch"),
    Ceiling(OPERATIONS, 20e3, "measured", plain("by others"), area="scratch"),
    Ceiling(PCIE, 50 * GIGA, "measured", plain("by others")),
)
LIMITS = {
    # 24 MiB leave the busier host at 1 GB/s: 25.2 ms for 104.9 Mflop.
    "fft": {"flop_rate": 104857600 / (25165824 / GIGA), "time": 25165824 / GIGA},
    # The slower of reading from one area and writing to the other.
    "storage": {"write_bandwidth": 2 * GIGA, "copy_bandwidth": 1 * GIGA, "create_rate": 20e3},
    # 1 Tflop on two hosts of 100 Gflop/s takes longer than 5 Tflop on two devices of 20 Tflop/s.
    "two-programs": {"flop_rate": 6e12 / (1e12 / (2 * 100 * GIGA))},
    "devices": {"bandwidth": 2 * 50 * GIGA},
    "power": {"triad_bandwidth": 2 * 50 * GIGA},
    "energy": {"triad_bandwidth": 2 * 50 * GIGA},
    "screen": {"triad_bandwidth": 10_000 * 50 * GIGA},
}


def golden(name: str) -> Record:
    return Record.model_validate_json((paths.SCHEMA / "golden" / f"{name}.json").read_bytes())


def judged(record: Record) -> Assessment:
    return assess(record, siblings=Siblings(), machine=machine(cores=4), benchmarks=KNOWN, ceilings=CEILINGS)


@pytest.mark.parametrize("name", LIMITS)
def test_has_limits(name: str) -> None:
    judgement = judged(golden(name))
    assert {figure.metric: figure.limit for figure in judgement.figures} == {
        metric: pytest.approx(limit) for metric, limit in LIMITS[name].items()
    }
    headline = next(figure for figure in judgement.figures if figure.headline)
    assert headline.fraction_of_limit == pytest.approx(headline.value / LIMITS[name][headline.metric])


@pytest.mark.parametrize("name", LIMITS)
def test_is_compared(name: str) -> None:
    """The second side is half as fast; five launches each, interleaved."""
    record = golden(name)
    metric = next(metric for metric in KNOWN[record.benchmark].metrics if metric.name in record.metrics)
    slower = record.model_copy(
        update={
            "metrics": {
                key: entry.model_copy(update={"samples": [value / 2 for value in entry.samples]})
                for key, entry in record.metrics.items()
            }
        }
    )

    def launches(source: Record, first: int) -> list[Record]:
        """Return five launches that differ by a thousandth each."""
        scaled = [
            {
                key: entry.model_copy(update={"samples": [value * (1 + 1e-3 * n) for value in entry.samples]})
                for key, entry in source.metrics.items()
            }
            for n in range(5)
        ]
        later = [source.started + timedelta(seconds=10 * (first + 2 * n)) for n in range(5)]
        return [
            source.model_copy(update={"metrics": metrics, "started": moment, "ended": moment})
            for metrics, moment in zip(scaled, later, strict=True)
        ]

    a, b = launches(record, 0), launches(slower, 1)
    lines = compare(
        a, b, {(key, metric.name): metric for key, benchmark in KNOWN.items() for metric in benchmark.metrics}
    )
    line = next(line for line in lines if line.metric == metric)
    assert line.verdict == "slower"
    assert line.ratio == pytest.approx(0.5)


@pytest.mark.parametrize("name", LIMITS)
def test_is_shown(name: str) -> None:
    record = golden(name)
    described = machine(cores=4)
    evaluation = Evaluation(
        run="run",
        machine=described,
        assessments=(judged(record),),
        ceilings=CEILINGS,
        benchmarks=KNOWN,
        started=record.started,
        ended=record.ended,
        planned=1,
        published=(),
    )
    report = document(evaluation)
    shown = document_markdown(report)
    headline = next(figure for figure in judged(record).figures if figure.headline)
    ceiling = "its own best (the measured" if headline.own_ceiling else "the measured"
    assert f"{percent(headline.fraction_of_limit)} of {ceiling}" in shown
    assert ("hpl-cuda: 2 ranks x 2 threads; hpl-blas: 4 ranks x 2 threads" in shown) == (name == "two-programs")
    assert ("/scratch/user, lustre, stripe_count 4" in shown.replace("\\", "")) == (name == "storage")
    assert ("node[00001-04999]: ranks 0-39991" in shown.replace("\\", "")) == (name == "screen")
    assert page(report)
