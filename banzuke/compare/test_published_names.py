"""The benchmarks to which published figures belong; each figure is compared with something."""

from datetime import UTC, datetime

import pytest

from banzuke.compare.runs import RELATIVE, compare_published
from banzuke.machine.published import PublishedFigure, load
from banzuke.plan.catalogue import benchmarks
from banzuke.record.figures import Samples, Verification
from banzuke.record.hosts import Hosts
from banzuke.record.model import Binding, Group, Record
from benchmarks.pt2pt.spec import DIRECT, OF_A_PAIR
from benchmarks.transfer.spec import DIRECT as LINKED
from benchmarks.transfer.spec import OF_DEVICES

NOW = datetime(2026, 1, 1, tzinfo=UTC)
FIGURES = [(machine, figure) for machine in load() for figure in machine.figure]
METRICS = {(name, metric.name): metric for name, benchmark in benchmarks().items() for metric in benchmark.metrics}
NO_METRIC = {
    ("gkv", "time_ratio"): "of two machines",
    ("spmv", "time_ratio"): "of two machines",
    ("dgemm", "flop_rate_ratio"): "of two machines",
    ("stream", "triad_bandwidth_ratio"): "of two machines",
    ("dgemm", "flop_rate_difference"): "of two block sizes",
    ("hpl", "speedup"): "of two dates",
    ("hpl", "power"): "a record has the energy of its timed parts",
    ("mdtest", "operation_rate"): "a bound of four metrics at once",
    ("ior", "total_bandwidth"): "the sum of four areas",
    ("ior", "bandwidth"): "rounded, of reads and writes each",
    ("noise", "maximum_time"): "depends on the quantum; less the shortest time it is maximum_noise",
    ("noise", "slowdown"): "what banzuke predict noise computes",
}
"""Printed quantities that no run has, and why."""


@pytest.mark.catalogue
def test_every_figure_is_of_a_benchmark_and_a_metric_that_exist_or_it_is_known_why_not() -> None:
    assert {figure.benchmark for _, figure in FIGURES} <= set(benchmarks())
    missing = {(f.benchmark, f.metric) for _, f in FIGURES} - METRICS.keys()
    assert missing == NO_METRIC.keys()
    for _, figure in FIGURES:
        if (figure.benchmark, figure.metric) in METRICS:
            assert figure.unit == METRICS[figure.benchmark, figure.metric].unit


def alike(figure: PublishedFigure) -> Record:
    """Return a run of the same kind of case, a tenth better or worse."""
    group = Group(
        program=f"{figure.benchmark}-x",
        ranks=1,
        threads=1,
        hosts=[Hosts(names=f"node{i}", ranks=str(i)) for i in range(min(figure.nodes or 1, 8))],
        binding=[Binding(ranks="0", threads=["0"], devices=[str(i) for i in range(figure.devices or 0)])],
    )
    return Record(
        benchmark=figure.benchmark,
        backend="x",
        parameters={k: v for k, v in figure.parameters.items() if isinstance(v, str | bool)},
        groups=[group],
        status="ok",
        started=NOW,
        ended=NOW,
        metrics={figure.metric: Samples(unit=figure.unit, samples=[1.1 * (figure.value or 1.0)])},
        verification=[Verification(quantity="error", value=0.0, tolerance=1.0, passed=True)],
    )


def test_a_run_of_the_same_kind_is_set_beside_every_figure_that_has_a_number() -> None:
    for machine, figure in FIGURES:
        lines = {id(line.figure): line for line in compare_published([alike(figure)], machine, METRICS)}
        if machine.repeats(figure):
            assert id(figure) not in lines
        elif figure.value is None:
            assert "no number is printed" in lines[id(figure)].reason
        elif (figure.benchmark, figure.metric) in METRICS:
            assert lines[id(figure)].ratio, lines[id(figure)].reason
        else:
            assert figure.kind in RELATIVE or lines[id(figure)].reason.startswith("this run has no")


def test_what_a_figure_chose_is_what_the_program_calls_so() -> None:
    chosen = {
        "pt2pt": {"test": OF_A_PAIR, "buffers": (DIRECT,)},
        "transfer": {"path": (*LINKED, *OF_DEVICES), "test": OF_A_PAIR},
    }
    figures = [figure for _, figure in FIGURES if figure.benchmark in chosen]
    assert len(figures) == 8 + 4
    for figure in figures:
        for name, values in chosen[figure.benchmark].items():
            assert figure.parameters.get(name) in values or (name == "buffers" and not figure.devices)


def test_messages_between_devices_are_not_compared_with_those_of_processors_nor_a_pair_at_hand_first() -> None:
    machine, figure = next(pair for pair in FIGURES if pair[1].benchmark == "pt2pt" and pair[1].devices)
    far = alike(figure)
    without = far.model_copy(update={"groups": [far.groups[0].model_copy(update={"binding": []})]})
    (line,) = [line for line in compare_published([without], machine, METRICS) if line.figure is figure]
    assert "only for devices, measured on processors" in line.reason
    near = far.model_copy(update={"groups": [far.groups[0].model_copy(update={"hosts": [], "threads": 2})]})
    (line,) = [line for line in compare_published([near, far], machine, METRICS) if line.figure is figure]
    assert line.case
    assert line.case.nodes == 2
