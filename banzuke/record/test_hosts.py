"""Tests of compact lists of hosts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from banzuke.record.hosts import Host, Hosts, folded_hosts


def test_one_host_has_all_its_ranks() -> None:
    assert Hosts(names="n1.site", ranks="0,8").each == (Host("n1.site", [0, 8]),)
    assert Hosts(names="(none)", ranks="").each == (Host("(none)", []),)


def test_hosts_in_a_row_have_equal_blocks() -> None:
    assert Hosts(names="n[09-11]-ib", ranks="4-9").each == (
        Host("n09-ib", [4, 5]),
        Host("n10-ib", [6, 7]),
        Host("n11-ib", [8, 9]),
    )


@given(first=st.integers(0, 10**6), count=st.integers(1, 300), block=st.integers(1, 5), width=st.integers(1, 8))
def test_every_rank_is_on_one_host(first: int, count: int, block: int, width: int) -> None:
    names = f"n[{first:0{width}d}-{first + count - 1:0{width}d}]"
    hosts = Hosts(names=names, ranks=f"0-{count * block - 1}").each
    assert [host.name for host in hosts] == [f"n{number:0{width}d}" for number in range(first, first + count)]
    assert [rank for host in hosts for rank in host.ranks] == list(range(count * block))
    assert {len(host.ranks) for host in hosts} == {block}


@pytest.mark.parametrize("names", ["n[1", "n1]", "n[1-2", "n[a-b]", "n[1-2][3-4]", "n[1,2]", "", "n[\u0661-\u0663]"])
def test_what_is_no_range_is_a_name(names: str) -> None:
    assert [host.name for host in Hosts(names=names, ranks="0").each] == [names]


@pytest.mark.parametrize(
    ("names", "ranks"), [("n[1-2]", "0-2"), ("n[2-1]", "0"), ("n[0-999999999]", "0-5"), ("n[1-3]", "0,1")]
)
def test_ranges_that_do_not_go_up_are_refused(names: str, ranks: str) -> None:
    with pytest.raises(ValidationError):
        Hosts(names=names, ranks=ranks)


def test_hosts_in_another_order_than_their_ranks_are_named_once() -> None:
    listed = [Hosts(names=f"n{number}", ranks=str(rank)) for rank, number in enumerate((10, 8, 9, 11, 3))]
    folded = folded_hosts([*listed, Hosts(names="login", ranks="5")])
    assert [hosts.names for hosts in folded] == ["n3", "n[8-9]", "n[10-11]", "login"]
    ranks = {host.name: list(host.ranks) for hosts in folded for host in hosts.each}
    assert ranks == {"n10": [0], "n8": [1], "n9": [2], "n11": [3], "n3": [4], "login": [5]}
    scattered = folded_hosts([Hosts(names="n1", ranks="1,2"), Hosts(names="n2", ranks="0,3")])
    assert [(hosts.names, hosts.ranks, hosts.dealt) for hosts in scattered] == [("n[1-2]", "0-3", [1, 2, 0, 3])]
    with pytest.raises(ValueError, match="others are dealt out"):
        Hosts(names="n[1-2]", ranks="0-1", dealt=[0, 2])
