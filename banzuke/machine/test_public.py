"""Machines of public lists: every line is a description that can be predicted, with the figures that lists print."""

from pathlib import Path

import pytest

from banzuke import paths
from banzuke.errors import BanzukeError
from banzuke.machine.public import FILE, known_machines, public_ids, public_machines
from banzuke.machine.published import load
from banzuke.machine.site import Partition

LEAST = 100
"""Least number of machines; fewer would mean that lines were lost."""


def test_every_line_describes_nodes_with_a_network_and_at_least_one_figure() -> None:
    machines = public_machines()
    assert len(machines) > LEAST
    assert public_ids() == [machine.id for machine in machines]
    for machine in machines:
        assert isinstance(machine.part, Partition)
        assert machine.part.nodes
        assert machine.node.processor.peaks["flops.fp64"].value
        assert machine.node.processor.cores
        assert machine.part.network is not None
        assert machine.part.network.bandwidth
        assert {figure.benchmark for figure in machine.figure} <= {"hpl", "hpcg"}
        assert machine.figure
        assert all(figure.kind == "measured" and machine.source(figure) for figure in machine.figure)


def test_peaks_follow_from_clock_and_cores_and_memory_holds_the_matrix() -> None:
    for machine in public_machines():
        processor, peaks = machine.node.processor, machine.node.processor.peaks
        per_cycle = (peaks["flops.fp64"].value or 0) / ((processor.cores or 1) * (processor.nominal_hz or 1))
        assert per_cycle == pytest.approx(round(per_cycle), rel=0.02), machine.id
        memory = machine.node.memory
        if memory.total:
            devices = sum(device.count * (device.memory or 0) for device in machine.node.devices)
            for figure in machine.figure:
                order = figure.parameters.get("n", 0)
                assert isinstance(order, int)
                assert 8 * order**2 / (machine.part.nodes or 1) < memory.total + devices, machine.id  # type: ignore[union-attr]


def test_power_is_a_nodes_and_no_list_has_a_machine_that_computes_more_with_it() -> None:
    """The bounds are in watts; with a wrong prefix all values would be outside."""
    machines = {machine.id: machine for machine in public_machines()}
    assert (machines["frontier"].node.power or 0.0) * 9248 == pytest.approx(21.1e6)
    for machine in machines.values():
        if machine.node.power is not None:
            assert 20 < machine.node.power < 10_000, machine.id
            (hpl,) = (figure.value for figure in machine.figure if figure.benchmark == "hpl")
            assert 0.05e9 < (hpl or 0.0) / (machine.node.power * (machine.part.nodes or 0)) < 80e9, machine.id  # type: ignore[union-attr]


def test_ids_are_unique_among_all_known_machines_and_reports_come_first() -> None:
    ids = [machine.id for machine in known_machines()]
    assert len(set(ids)) == len(ids)
    assert ids[: len(load())] == [machine.id for machine in load()]


def test_clocks_and_memories_do_not_contradict_themselves() -> None:
    for machine in public_machines():
        processor, memory = machine.node.processor, machine.node.memory
        assert (processor.vector_hz or 0) <= (processor.nominal_hz or 0)
        assert (memory.fast or 0) <= (memory.total or float("inf"))


def test_a_line_that_is_wrong_is_named(tmp_path: Path) -> None:
    lines = (paths.MACHINES / FILE).read_text(encoding="utf-8").splitlines()[:3]
    file = tmp_path / "public.csv"
    file.write_text("\n".join(lines).replace("torus", "ring"), encoding="utf-8")
    with pytest.raises(BanzukeError, match="line 3"):
        public_machines(file)
    file.write_text("\n".join(lines).replace("hpcg_edition", "edition_of_hpcg"), encoding="utf-8")
    with pytest.raises(BanzukeError, match="columns"):
        public_machines(file)
