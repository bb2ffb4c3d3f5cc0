"""Tests of published figures and their predictions, with a model that is fully known."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from banzuke.document import Table
from banzuke.errors import BanzukeError
from banzuke.machine import published
from banzuke.machine.published import PublishedFigure, PublishedMachine
from banzuke.plan.benchmark import Benchmark, Metric
from banzuke.plan.catalogue import benchmarks
from banzuke.predict.constants import Constant
from banzuke.predict.hardware import Hardware
from banzuke.predict.model import Call, Estimate
from banzuke.predict.validate import Validated, machine_of, summaries, validated
from banzuke.predict.validation_page import FITTED, NOTHING, validation_blocks

SITE = """
name = "{name}"
[partitions.nodes]
nodes = 100
node.peaks."flops.fp64" = {{ value = {peak}, unit = "flop/s" }}
network = {{ bandwidth = 12.5e9 }}
[reports.one]
authors = ["A"]
title = "T"
published = "2020"
"""
FIGURE = """
[[figure]]
benchmark = "sum"
metric = "flop_rate"
unit = "flop/s"
kind = "{kind}"
value = {value}
as_printed = "{value}"
nodes = {nodes}
report = "one"
where = "here"
"""


class Half:
    """A model that predicts half of the peak, and a fifth less on several nodes."""

    metric = "flop_rate"
    constants: Mapping[str, Constant] = {"sum.share": Constant(0.5, 0.4, 0.6, "share", "assumed")}
    settings: Mapping[str, str] = {}

    def estimate(self, machine: Hardware, call: Call) -> Estimate:
        share = machine.constants["sum.share"] * (0.8 if machine.nodes > 1 else 1.0)
        if call.get("n") == 0:
            raise BanzukeError("N does not fit")
        return Estimate(share * machine.peak, 1.0, {}, {"flops.fp64": 1.0}, call)

    def published(self, figure: PublishedFigure) -> Call | str:
        return "N is not printed" if figure.parameters.get("unknown") else figure.parameters  # type: ignore[return-value]


SUM = Benchmark(
    name="sum", title="Sum", metrics=(Metric("flop_rate", "flop/s", "higher", "Sum", headline=True),), model=Half
)


@pytest.fixture
def site(tmp_path: Path) -> Any:
    """Return a function that makes a machine with this peak per node, and with figures."""

    def written(name: str, peak: float, *figures: str) -> PublishedMachine:
        file = tmp_path / f"{name}.toml"
        file.write_text(SITE.format(name=name, peak=peak) + "".join(figures))
        machine = published.in_file(str(file))
        assert machine is not None
        return machine

    return written


def figure(value: float, nodes: int, kind: str = "measured", more: str = "") -> str:
    return FIGURE.format(value=value, nodes=nodes, kind=kind) + more


def only(machines: list[PublishedMachine], name: str) -> list[Validated]:
    return [figure for figure in validated({"sum": SUM}, machines) if figure.machine == name]


def test_errors_of_the_model_and_of_what_needs_none(site: Any) -> None:
    machines = [
        site("one", 1e12, figure(0.5e12, 1), figure(3.6e12, 10)),
        site("two", 2e12, figure(0.6e12, 1)),
        site("three", 1e12, figure(0.5e12, 1)),
    ]
    single, several = only(machines, "one")
    assert single.error == pytest.approx(0)
    assert single.naive_error is None
    assert several.error == pytest.approx(4 / 3.6 - 1)
    assert several.naive_error == pytest.approx(5 / 3.6 - 1)
    assert several.baseline == pytest.approx(4e12), "the median of 30% and 50%, of 10e12"
    assert (single.within, several.within) == (True, True)
    (two,) = only(machines, "two")
    assert two.baseline == pytest.approx(1e12), "the median of 50%, 36% and 50%: nothing of the machine itself"
    (summary,) = summaries(validated({"sum": SUM}, machines))
    assert (summary.model.figures, summary.beats_linear, summary.excused) == (4, True, 0)
    assert summary.model.worst == pytest.approx(1 / 0.6 - 1)


def test_what_cannot_be_predicted_says_why(site: Any) -> None:
    machines = [
        site(
            "one",
            1e12,
            figure(0.5e12, 1),
            figure(0.502e12, 1, "comparison"),
            figure(0.6e12, 1, "projection"),
            figure(0.7e12, 1, more="parameters = { unknown = true }"),
            figure(0.8e12, 1, more="parameters = { n = 0 }"),
            figure(99e12, 101),
        )
    ]
    reasons = [(figure.left_out, figure.excused) for figure in only(machines, "one")]
    assert reasons[:4] == [
        ("", False),
        ("the same as another figure of this machine", False),
        ("a projection, not a measurement", False),
        ("N is not printed", True),
    ]
    assert reasons[4] == ("N does not fit", True)
    assert "has 100 nodes, not 101" in reasons[5][0]
    (summary,) = summaries(validated({"sum": SUM}, machines))
    assert (summary.model.figures, summary.excused, summary.baseline) == (1, 3, None)


@pytest.mark.catalogue
def test_every_figure_stands_there_with_its_error_or_the_reason() -> None:
    machines = published.load()
    plain = {name: replace(benchmark, model=None) for name, benchmark in benchmarks().items()}
    figures = validated(plain, machines)
    assert len(figures) == sum(len(machine.figure) for machine in machines)
    assert all(" is not predicted (" in figure.left_out for figure in figures)


def test_a_figure_without_a_number_says_so_and_errors_are_not_rounded_to_two_digits(site: Any) -> None:
    graph = figure(1, 1).replace('value = 1\nas_printed = "1"', 'note = "Only 2.6% of the peak is printed."')
    machines = [site("one", 1e12, figure(0.5e12 / 1.1246, 1), graph), site("two", 2e12, figure(0.9e12, 1))]
    figures = validated({"sum": SUM}, machines)
    reasons = {entry.machine: entry.left_out for entry in figures if entry.printed is None}
    assert reasons == {"one": "no number is printed: Only 2.6% of the peak is printed."}
    blocks = validation_blocks(figures, summaries(figures), {"sum": SUM})
    summary, predicted, left_out = (block for block in blocks if isinstance(block, Table))
    assert [cell.text for cell in summary.rows[0].cells][4] == "12.5%"
    fitted = [column.title for column in predicted.columns].index(FITTED)
    assert all(row.cells[fitted].text.endswith("%") for row in predicted.rows)
    assert [row.cells[3].text for row in left_out.rows] == [NOTHING]


def test_what_was_measured_on_unlike_nodes() -> None:
    (machine,) = (machine for machine in published.load() if machine.id == "tsubame")
    best = next(figure for figure in machine.figure if figure.value == 77.48e12 and figure.nodes == 712)
    measured_on = machine_of(machine, best)
    assert not isinstance(measured_on, str)
    assert measured_on.nodes == {"tsubame-tesla-node": 314, "tsubame-node": 330, "tsubasa": 68}
    assert machine_of(machine, replace_parameters(best)) == "the nodes of each partition are not printed"


def replace_parameters(figure: PublishedFigure) -> PublishedFigure:
    return figure.model_copy(update={"parameters": {}})


def test_without_intervals_the_figures_are_the_same(site: Any) -> None:
    machines = [site("one", 1e12, figure(0.5e12, 1))]
    (fast,) = validated({"sum": SUM}, machines, intervals=False)
    (whole,) = validated({"sum": SUM}, machines)
    assert fast.forecast is not None
    assert whole.forecast is not None
    assert fast.forecast.estimate == whole.forecast.estimate
    assert fast.forecast.low == fast.forecast.high
    assert whole.forecast.low == pytest.approx(0.4e12)
    assert replace(fast, forecast=whole.forecast, intervals=True) == whole
    assert (fast.within, whole.within) == (None, True)
    assert [summary.within for figure in (fast, whole) for summary in summaries([figure])] == [None, 1], (
        "not none inside of it"
    )


def test_constants_fitted_to_the_other_machines(site: Any) -> None:
    """All reach 55% of the peak where 50% is assumed, and the others show nearly all of this."""
    machines = [site(name, peak, figure(0.55 * peak, 1)) for name, peak in (("a", 1e12), ("b", 2e12), ("c", 4e12))]
    (summary,) = summaries(validated({"sum": SUM}, machines))
    assert summary.model.median == pytest.approx(1 - 0.5 / 0.55)
    assert summary.refitted is not None
    assert summary.refitted.worst < summary.model.median / 4
    far = [*machines[:2], site("far", 1e12, figure(0.1e12, 1))]
    (summary,) = summaries(validated({"sum": SUM}, far))
    assert summary.refitted is not None
    assert summary.refitted.worst > 4, "what is told of the odd one by the others, not by itself"
    (alone,) = summaries(validated({"sum": SUM}, machines[:1]))
    assert alone.refitted is None
    (fast,) = summaries(validated({"sum": SUM}, machines, intervals=False))
    assert fast.refitted is None
