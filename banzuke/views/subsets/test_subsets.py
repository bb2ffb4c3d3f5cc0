"""Tests of the table of what nodes of several partitions reach alone and together, with HPL."""

from collections.abc import Mapping

from banzuke.document import Paragraph, inside
from banzuke.judge.model import Assessment
from banzuke.plan.catalogue import find
from banzuke.record.figures import Samples
from banzuke.record.hosts import Hosts
from banzuke.record.model import Group
from banzuke.report.testing.parts import assess, record
from banzuke.views.testing import shown, tables, texts

HPL = find("hpl")
G = 1e9


def case(rate: float, parts: Mapping[str, tuple[int, int]], number: int = 1) -> Assessment:
    """Return a case on so many nodes of each partition, with so many ranks on each."""
    made = record("hpl", number, {"n": 8000}, {"flop_rate": Samples(unit="flop/s", samples=[rate])})
    groups, first = [], 0
    for name, (nodes, ranks) in parts.items():
        hosts = [
            Hosts(names=f"{name}{at}", ranks=f"{first + at * ranks}-{first + (at + 1) * ranks - 1}")
            for at in range(nodes)
        ]
        groups.append(Group(program="hpl-blas", ranks=nodes * ranks, threads=2, hosts=hosts, partition=name))
        first += nodes * ranks
    return assess(made.model_copy(update={"groups": groups}), {"hpl": HPL})


FAST, SLOW = case(60 * G, {"fast": (2, 1)}), case(25 * G, {"slow": (3, 1)})


def test_each_alone_and_together() -> None:
    both = case(80 * G, {"fast": (2, 2), "slow": (3, 1)})
    (table,) = tables(shown(HPL, "subsets", both, FAST, SLOW))
    assert texts(table) == [
        ["3 nodes of slow", "1", "25 Gflop/s", "", "", ""],
        ["2 nodes of fast", "1", "60 Gflop/s", "", "", ""],
        ["2 nodes of fast and 3 nodes of slow", "2, 1", "80 Gflop/s", "85 Gflop/s", "94.1%", "+20 Gflop/s"],
    ]
    (table,) = tables(shown(HPL, "subsets", both, FAST, SLOW, language="ja"))
    assert texts(table)[1][0].startswith("fastの2")


def test_nodes_that_slow_the_others_down_are_named() -> None:
    both = case(50 * G, {"fast": (2, 2), "slow": (3, 1)})
    blocks = shown(HPL, "subsets", both, FAST, SLOW)
    (said,) = [block.text for block in inside(blocks) if isinstance(block, Paragraph)]
    assert said == (
        "Nodes of slow slow the others down: the best figure is that of 2 nodes of fast without them, 60 Gflop/s."
    )
    assert texts(*tables(blocks))[2][3:] == ["85 Gflop/s", "58.8%", "-10 Gflop/s"]


def test_a_sum_of_other_numbers_of_nodes_is_none() -> None:
    both = case(80 * G, {"fast": (1, 2), "slow": (3, 1)})
    assert texts(*tables(shown(HPL, "subsets", both, FAST, SLOW)))[2][3:5] == ["", ""]


def test_one_partition_has_no_table() -> None:
    assert not shown(HPL, "subsets", FAST, FAST)


def test_the_share_of_the_peak_is_a_column_where_the_peak_is_known() -> None:
    fast, slow = (assess(alone.record, {"hpl": HPL}, peak=100 * G) for alone in (FAST, SLOW))
    (table,) = tables(shown(HPL, "subsets", fast, slow))
    assert [row[-1] for row in texts(table)] == ["25%", "60%"]
