"""Tests that each line of `nodes.csv` is a plausible figure of a known benchmark, with its source."""

from collections import Counter
from pathlib import Path

import pytest

from banzuke import paths
from banzuke.errors import BanzukeError
from banzuke.machine.nodes import FILE, measured_nodes, ranked_machines
from banzuke.plan.catalogue import find

LEAST = 120
"""Smallest number of lines; with fewer, some were lost."""


def test_every_line_is_a_headline_figure_with_its_source() -> None:
    machines = measured_nodes()
    assert len(machines) > LEAST
    for machine in machines:
        (figure,) = machine.figure
        metric = find(figure.benchmark).metric_of(figure.metric)
        assert (metric.unit, metric.headline) == (figure.unit, True), machine.id
        assert figure.nodes or figure.devices, machine.id
        assert machine.source(figure), machine.id


def test_no_machine_computes_more_with_a_watt_or_a_core_than_there_is() -> None:
    """Check flop/s per watt and per core against ranges that a wrong unit prefix would leave."""
    for machine in measured_nodes():
        (figure,) = machine.figure
        if figure.power:
            assert 0.05e9 < (figure.value or 0.0) / figure.power < 80e9, machine.id
        cores = machine.node.processor.cores if machine.node.processors else None
        if cores and figure.unit == "flop/s":
            assert 0.05e9 < (figure.per_node or 0.0) / cores < 100e9, machine.id


def test_names_are_unique_among_all_that_are_ranked() -> None:
    assert [name for name, count in Counter(machine.id for machine in ranked_machines()).items() if count > 1] == []


def test_a_line_that_is_wrong_is_named(tmp_path: Path) -> None:
    lines = (paths.MACHINES / FILE).read_text(encoding="utf-8").splitlines()[:4]
    file = tmp_path / FILE
    file.write_text("\n".join(lines).replace(",213.0,", ",many,"), encoding="utf-8")
    with pytest.raises(BanzukeError, match="line 4"):
        measured_nodes(file)
    file.write_text("\n".join(lines).replace(",power,", ",watts,"), encoding="utf-8")
    with pytest.raises(BanzukeError, match="columns power, watts"):
        measured_nodes(file)
