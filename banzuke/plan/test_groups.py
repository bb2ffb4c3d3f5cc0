"""Groups of unlike processors: what a user may name, and the cases that follow."""

import pytest

from banzuke.errors import BanzukeError
from banzuke.plan.case import key
from banzuke.plan.cases import plan
from banzuke.plan.catalogue import find
from banzuke.plan.groups import SharingGroup, placements_of, read_groups
from banzuke.plan.request import Request, check
from banzuke.plan.variant import Variants
from banzuke.testing import machine

DGEMM = find("dgemm")
GROUPS = read_groups("0-2+3")


def test_groups_are_lists_of_processors() -> None:
    assert read_groups("0-2+3") == (SharingGroup((0, 1, 2)), SharingGroup((3,)))
    assert read_groups("0,4-5+1+2") == (SharingGroup((0, 4, 5)), SharingGroup((1,)), SharingGroup((2,)))
    assert read_groups("0-1+2@GPU-8f") == (SharingGroup((0, 1)), SharingGroup((2,), "GPU-8f"))


def test_none_to_two_processors_are_reserved_for_a_device() -> None:
    assert read_groups("0-1+1@0") == (SharingGroup((0, 1)), SharingGroup((1,), "0"))
    assert read_groups("0+1-2@0") == (SharingGroup((0,)), SharingGroup((1, 2), "0"))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("0-1+", "a group has no processor"),
        ("+", "a group has no processor"),
        ("0+a", "'a' is no list of processors"),
        ("0-3", "one group has nobody to share with"),
        ("0-2+2-3+3", "groups would share the processors 2-3"),
        ("0-2+3@", "'3@' names no device"),
        ("0-2+@0", "a group has no processor"),
        ("0+1-3@1", "'1-3@1' has 3 processors .one drives the device, and more than 2 would have nothing to do"),
        ("0-1+2@0+3@0", "the device 0 has several groups"),
        ("0-1+1@0+1@1", "more than one device would be driven by the processors 1"),
        ("0@0+1@1", "no group computes with processors"),
    ],
)
def test_what_is_no_list_of_groups_is_refused(text: str, why: str) -> None:
    with pytest.raises(BanzukeError, match=why):
        read_groups(text)


def test_each_group_has_a_rank_with_threads_of_its_own() -> None:
    (case,) = plan(DGEMM, machine(cores=4), Request(groups=GROUPS))
    assert [(group.ranks, group.threads, group.placement) for group in case.groups] == [
        (1, 3, placements_of(GROUPS)[0]),
        (1, 1, placements_of(GROUPS)[1]),
    ]
    assert (case.placement, case.ranks, case.nodes) == ("0-2+3", 2, 1)
    assert case.parameters["split"] == "adaptive"
    (other,) = plan(DGEMM, machine(cores=4), Request(groups=read_groups("0-1+2-3")))
    assert key(case) != key(other)


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        (Request(groups=GROUPS, ranks=2), "--groups already sets --ranks and --threads"),
        (Request(groups=GROUPS, threads=2), "--groups already sets --ranks and --threads"),
        (Request(groups=GROUPS, variants=Variants(cores=("0-1",))), "--groups already names the processors"),
    ],
)
def test_what_contradicts_groups_is_refused(request_: Request, why: str) -> None:
    check(DGEMM, Request(groups=GROUPS))
    with pytest.raises(BanzukeError, match=why):
        check(DGEMM, request_)


def test_a_benchmark_whose_ranks_share_nothing_takes_none() -> None:
    with pytest.raises(BanzukeError, match="stream takes no --groups"):
        check(find("stream"), Request(groups=GROUPS))


def test_processors_that_may_not_be_used_are_refused() -> None:
    with pytest.raises(BanzukeError, match=r"--groups: 3 may not be used here \(the processors that may are 0-2\)"):
        plan(DGEMM, machine(cores=3), Request(groups=GROUPS))
