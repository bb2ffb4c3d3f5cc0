"""The maps of NUMA nodes, nodes whose own memory is slow, and which machines have the case."""

from collections.abc import Sequence

import pytest

from banzuke.charts.testing import layers, rows
from banzuke.judge.assess import assess
from banzuke.judge.siblings import Siblings
from banzuke.judge.test_examples import record
from banzuke.machine.model import Machine
from banzuke.machine.site import NumaNode
from banzuke.plan.benchmark import Layout
from banzuke.plan.catalogue import find
from banzuke.record.figures import End, Pairs, Samples
from banzuke.testing import machine
from banzuke.views.pairs.slow import slow_of
from banzuke.views.testing import charts, section, shown

from .numa import NumaView, slow_nodes, values

MEMORY = find("memory")
GIB = 1 << 30


def matrix(rows: Sequence[Sequence[float]], unit: str = "B/s", nodes: Sequence[int] = (0, 2)) -> Pairs:
    """Return figures of the processors of nodes, a row each, with the memory of nodes."""
    places = [(origin, memory) for origin, row in enumerate(rows) for memory in range(len(row))]
    return Pairs.model_validate(
        {
            "unit": unit,
            "ends": [End(host="n1", node=node) for node in nodes],
            "from": [origin for origin, _ in places],
            "to": [memory for _, memory in places],
            "values": [rows[origin][memory] for origin, memory in places],
        }
    )


def of_nodes(*sizes: int) -> Machine:
    nodes = [NumaNode(node=place, cpus=[place], bytes=size) for place, size in enumerate(sizes)]
    here = machine(cores=len(sizes))
    return here.changed(node={"numa": nodes})


def test_figures_are_by_the_nodes_own_numbers_and_in_one_direction() -> None:
    assert values(matrix([[20e9, 10e9]])) == {(0, 0): 20e9, (0, 2): 10e9}  # node 2 has memory alone


@pytest.mark.parametrize(
    ("rows", "unit", "slow"),
    [
        ([[20e9, 5e9], [5e9, 18e9]], "B/s", {}),
        ([[20e9, 5e9], [5e9, 10e9]], "B/s", {2: 2.0}),
        ([[80e-9, 400e-9], [400e-9, 160e-9]], "s", {2: 2.0}),
        ([[20e9, 10e9]], "B/s", {}),
    ],
)
def test_a_node_is_slow_by_its_own_memory_alone(rows: list[list[float]], unit: str, slow: dict[int, float]) -> None:
    assert slow_nodes(matrix(rows, unit)) == slow


def test_the_map_is_the_nodes_own_and_no_map_of_ranks() -> None:
    pairs = {"numa_bandwidth": matrix([[20e9, 5e9], [5e9, 10e9]])}
    seen = record(
        "memory", {"local_bandwidth": Samples(unit="B/s", samples=[15e9])}, parameters={"test": "numa"}, pairs=pairs
    )
    assert slow_of(seen, machine()) == ()
    matrices = NumaView().judge(seen, machine())
    assert matrices == pairs
    remark = NumaView().remark(pairs, [])
    assert remark
    assert remark.code == "memory-numa-slow"


@pytest.mark.parametrize(
    ("sizes", "size"), [((8 * GIB,), None), ((8 * GIB, 8 * GIB), 64 << 20), ((8 * GIB, 64 << 20), 8 << 20)]
)
def test_the_case_is_of_machines_with_several_memories(sizes: tuple[int, ...], size: int | None) -> None:
    cases = [(layout, case) for layout, case in MEMORY.sweep(of_nodes(*sizes)) if case["test"] == "numa"]
    assert cases == ([(Layout(1, 2), {"test": "numa", "max_size": size})] if size else [])
    for layout, case in cases:
        assert 0 < MEMORY.seconds(of_nodes(*sizes), layout, {"rounds": 7, **case}) < 60


def test_the_report_has_a_map_and_a_row_for_each_pair() -> None:
    own = {"local_bandwidth": Samples(unit="B/s", samples=[15e9])}
    pairs = {"numa_bandwidth": matrix([[20e9, 5e9], [5e9, 10e9]])}
    case = assess(
        record("memory", own, parameters={"test": "numa"}, pairs=pairs),
        siblings=Siblings(),
        machine=machine(),
        benchmarks={"memory": MEMORY},
        ceilings=(),
    )
    (chart,) = charts(shown(MEMORY, "numa", case)).values()
    squares = rows(chart.spec, layers(chart.spec, "rect")[0])
    assert {(square["y"], square["x"]): square["text"] for square in squares} == {
        (0, 0): "20",
        (0, 2): "5",
        (2, 0): "5",
        (2, 2): "10",
    }
    table = NumaView().tables(section(MEMORY, case))["numa"]
    assert [[cell.value for cell in row.cells[3:]] for row in table.rows][1] == [0, 2, 5e9]
