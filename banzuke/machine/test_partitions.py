"""Tests of the parts that a job has of several partitions."""

import pytest

from banzuke.errors import BanzukeError
from banzuke.machine.partitions import NodeCount, check_distinct, hosts_of_parts, names_of
from banzuke.machine.site import Partition, Site
from banzuke.testing import machine, partitioned, with_hosts

SITE = Site(name="s", partitions={"cpu": Partition(), "large": Partition()})
DESCRIBED = Site(name="s", partitions={"cpu": Partition(hosts=["c[1-4]"]), "large": Partition(hosts=["l[1-4]"])})
BOTH = ("cpu", "large")


def test_names_and_numbers_of_several_partitions_have_plus_signs_between() -> None:
    assert names_of("cpu") == ("cpu",)
    assert names_of("cpu+large") == BOTH
    both, single = NodeCount.of("2+3"), NodeCount.of("4")
    assert (both, both.parts, str(both)) == (5, (2, 3), "2+3")
    assert (single, single.parts, str(single)) == (4, (), "4")


@pytest.mark.parametrize("text", ["", "+", "cpu+", "+large", "cpu++large", "cpu+cpu"])
def test_names_that_mean_nothing_are_refused(text: str) -> None:
    with pytest.raises(BanzukeError, match="--partition"):
        names_of(text)


@pytest.mark.parametrize("text", ["", "+", "2+", "x", "0", "2+0", "0+2", "-1", "1.5", "2+x", "99999999", "1e3", "²"])
def test_numbers_that_mean_nothing_are_refused(text: str) -> None:
    with pytest.raises(BanzukeError, match="--nodes"):
        NodeCount.of(text)


def test_one_partition_by_two_names_is_refused() -> None:
    with pytest.raises(BanzukeError, match="names cpu twice"):
        check_distinct("cpu+queue", ["cpu", "cpu"])


@pytest.mark.parametrize(
    ("site", "counts", "groups", "parts"),
    [
        (SITE, (), [["a", "b"], ["c"]], [["a", "b"], ["c"]]),  # the parts of a heterogeneous job
        (SITE, (1, 1), [["a", "b"], ["c"]], [["a"], ["c"]]),
        (SITE, (1, 2), [["a", "b", "c"]], [["a"], ["b", "c"]]),  # PBS and lists of hosts, in order
        (DESCRIBED, (), [["l2", "c1", "c3.site"]], [["c1", "c3.site"], ["l2"]]),  # as the site describes them
        (DESCRIBED, (1, 1), [["c1", "c2", "l1"]], [["c1"], ["l1"]]),
    ],
)
def test_each_partition_has_its_hosts(
    site: Site, counts: tuple[int, ...], groups: list[list[str]], parts: list[list[str]]
) -> None:
    assert hosts_of_parts(site, BOTH, counts, groups) == parts


@pytest.mark.parametrize(
    ("site", "counts", "groups", "said"),
    [
        (SITE, (), [["a", "b"]], "which hosts belong to cpu and large is not known"),
        (SITE, (), [["a"], ["b"], ["c"]], "the job has 3 parts, and --partition names 2"),
        (SITE, (2, 1), [["a"], ["b"]], "2 hosts are needed of the partition cpu (1 may be used)"),
        (SITE, (1, 2), [["a"]], "2 hosts are needed of the partition large (none may be used)"),
        (DESCRIBED, (), [["c1"]], "1 host is needed of the partition large (none may be used)"),
        (DESCRIBED, (), [["c1", "x"]], "the site file has x in neither of cpu, large"),
        (DESCRIBED, (), [["l1"], ["c1"]], "l1 is not in the partition cpu"),
        (DESCRIBED, (), [[]], "1 host is needed of the partition cpu"),
    ],
)
def test_hosts_that_fit_no_partition_are_named(
    site: Site, counts: tuple[int, ...], groups: list[list[str]], said: str
) -> None:
    with pytest.raises(BanzukeError) as refused:
        hosts_of_parts(site, BOTH, counts, groups)
    assert said in str(refused.value)


def test_overlapping_partitions_are_named() -> None:
    overlapping = Site(name="s", partitions={"cpu": Partition(hosts=["c[1-4]"]), "large": Partition(hosts=["c[3-6]"])})
    with pytest.raises(BanzukeError, match="the site file has c3 in cpu and large"):
        hosts_of_parts(overlapping, BOTH, (), [["c1", "c3", "c5"]])


def test_one_machine_has_the_nodes_of_all() -> None:
    fast, slow = with_hosts(machine(cores=8), 2), machine(cores=2)
    both = partitioned(fast=fast, slow=slow)
    assert [allotment.partition for allotment in both.allotments] == ["fast", "slow"]
    assert (both.of("fast").allotment, both.of("fast").node) == (
        fast.allotment.model_copy(update={"partition": "fast"}),
        fast.node,
    )
    assert both.of("slow").node == slow.node
    assert both.allotment.partition == "fast"
