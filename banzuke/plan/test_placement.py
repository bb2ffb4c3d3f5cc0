"""Placements on artificial machines: one for each distance that there is."""

from collections.abc import Sequence

import pytest

from banzuke.machine.model import Machine
from banzuke.machine.site import Interface, NumaNode
from banzuke.plan.layouts import host_placements
from banzuke.plan.placement import Placement, group_placements, pair_placements
from banzuke.testing import machine

Cores = list[list[int]]


def built(sockets: list[list[list[Cores]]], *, caches: bool = True) -> Machine:
    """Return a machine with these hardware threads of each core, by socket, NUMA node and complex."""
    nodes = [node for socket in sockets for node in socket]
    complexes = [complex_ for node in nodes for complex_ in node]
    cores = [core for complex_ in complexes for core in complex_]

    def flat(groups: Sequence[Sequence[Sequence[int]]]) -> list[int]:
        return sorted(cpu for group in groups for core in group for cpu in core)

    described = machine(cores=len(cores))
    allotment = {
        "allowed": flat(complexes),
        "one_per_core": [core[0] for core in cores],
        "siblings": cores,
        "complexes": [flat([complex_]) for complex_ in complexes] if caches else [],
        "packages": [flat([complex_ for node in socket for complex_ in node]) for socket in sockets],
    }
    numa = [NumaNode(node=number, cpus=flat(node)) for number, node in enumerate(nodes)]
    return described.changed(allotment=allotment, node={"numa": numa})


def single(*cpus: int) -> Cores:
    return [[cpu] for cpu in cpus]


LAPTOP = built([[[[[0, 4], [1, 5], [2, 6], [3, 7]]]]])
VIRTUAL = built([[[single(0, 1)]]])
EPYC = built([[[single(0, 1), single(2, 3)], [single(4, 5), single(6, 7)]]])
XEON = built([[[single(0, 1)]], [[single(2, 3)]]])
A64FX = built([[[single(12, 13)], [single(14, 15)], [single(16, 17)], [single(18, 19)]]], caches=False)
LEFTOVER = built([[[single(3)], [single(6, 7)]]])
LONE = built([[[single(5)]]])


def on(described: Machine, hosts: int, *cards: int | None, rates: Sequence[float | None] = ()) -> Machine:
    """Return the machine with this many hosts, and with network cards on these NUMA nodes."""
    links = [
        Interface(name=f"ib{i}", kind="infiniband", bits_per_second=rate, numa_node=node)
        for i, (node, rate) in enumerate(zip(cards, rates or [1e11] * len(cards), strict=True))
    ]
    return described.changed(allotment={"hosts": [f"n{i}" for i in range(hosts)]}, node={"interfaces": links})


def brief(placements: list[Placement]) -> dict[str, list[int]]:
    assert all(len(cpus) == 1 for placement in placements for cpus in placement.cpus)
    return {placement.name: [cpus[0] for cpus in placement.cpus] for placement in placements}


@pytest.mark.parametrize(
    ("described", "pairs"),
    [
        (LAPTOP, {"same-core": [0, 4], "same-complex": [0, 1]}),
        (VIRTUAL, {"same-complex": [0, 1]}),
        (EPYC, {"same-complex": [0, 1], "same-numa": [0, 2], "same-socket": [0, 4]}),
        (XEON, {"same-complex": [0, 1], "other-socket": [0, 2]}),
        (A64FX, {"same-numa": [12, 13], "same-socket": [12, 14]}),
        (LEFTOVER, {"same-complex": [6, 7], "same-socket": [3, 6]}),
        (LONE, {}),
        (machine(cores=2), {"same-numa": [0, 1]}),  # described by an earlier version
    ],
    ids=["laptop", "virtual", "epyc", "xeon", "a64fx", "leftover", "lone", "old"],
)
def test_pairs_on_one_host(described: Machine, pairs: dict[str, list[int]]) -> None:
    placements = pair_placements(described)
    assert brief(placements) == pairs
    assert all((placement.nodes, placement.per_node, placement.ranks) == (1, 2, 2) for placement in placements)


@pytest.mark.parametrize(
    ("described", "pairs"),
    [
        (on(VIRTUAL, 2, 0), {"other-node": [0, 1]}),
        (on(LONE, 2), {"other-node": [5]}),
        (on(XEON, 2), {"other-node": [0, 1]}),
        (on(XEON, 2, None), {"other-node": [0, 1]}),
        (on(XEON, 2, 1), {"other-node-near": [2, 3], "other-node-far": [0, 1]}),
        (on(XEON, 2, 1, 0), {"other-node": [0, 1]}),
        (on(XEON, 2, 1, 0, rates=[25e9, 100e9]), {"other-node-near": [0, 1], "other-node-far": [2, 3]}),
        (on(XEON, 2, 1, 0, rates=[25e9, None]), {"other-node-near": [2, 3], "other-node-far": [0, 1]}),
        (on(A64FX, 2, 2), {"other-node-near": [16, 17], "other-node-far": [12, 13]}),
        (on(XEON, 1, 1), {}),
    ],
)
def test_pairs_on_two_hosts(described: Machine, pairs: dict[str, list[int]]) -> None:
    here = {placement.name for placement in pair_placements(described.changed(allotment={"hosts": []}))}
    placements = [placement for placement in pair_placements(described) if placement.name not in here]
    assert brief(placements) == pairs
    assert all((placement.nodes, placement.per_node, placement.ranks) == (2, 1, 2) for placement in placements)


def test_far_from_the_card_is_another_socket_where_there_is_one() -> None:
    snc = built([[[single(0)], [single(1)]], [[single(2)], [single(3)]]])
    assert brief(pair_placements(on(snc, 2, 0)))["other-node-far"] == [2, 3]


@pytest.mark.parametrize("shared", [[[0, 1], [2, 3]], [[0, 1, 2, 3]]])
def test_memory_without_processors_of_its_own_hides_no_distance(shared: list[list[int]]) -> None:
    snc = on(built([[[single(0, 1)], [single(2, 3)]]]), 2, 0)
    memory = [NumaNode(node=8 + number, cpus=cpus) for number, cpus in enumerate(shared)]
    with_memory = snc.changed(node={"numa": [*snc.node.numa, *memory]})
    assert pair_placements(with_memory) == pair_placements(snc)
    assert {"same-socket", "other-node-near"} < brief(pair_placements(snc)).keys()


def test_groups() -> None:
    assert brief(group_placements(LAPTOP)) == {"one-node": [0, 1, 2, 3]}
    assert brief(group_placements(A64FX)) == {"one-node": [*range(12, 20)]}
    assert group_placements(LONE) == []
    assert brief(group_placements(on(LONE, 2))) == {"2-nodes-1": [5]}
    by_name = {placement.name: placement for placement in group_placements(on(XEON, 12, 1))}
    assert list(by_name) == ["one-node"] + [f"{n}-nodes-{w}" for n in (2, 4, 8, 12) for w in ("1-near", "1-far", "all")]
    assert (by_name["12-nodes-all"].ranks, by_name["12-nodes-all"].per_node, by_name["8-nodes-1-far"].ranks) == (
        48,
        4,
        8,
    )
    assert by_name["8-nodes-1-far"].cpus == ((0,), (1,))


def test_without_processors_there_is_nowhere_to_run() -> None:
    none = on(LAPTOP, 2).changed(allotment={"allowed": []})
    assert group_placements(none) == host_placements(none) == []


def test_a_quota_leaves_cores_out_of_a_group() -> None:
    limited = EPYC.changed(allotment={"quota": 2.0})
    assert brief(group_placements(limited)) == {"one-node": [0, 4]}


def test_large_allocations_stay_small() -> None:
    placements = group_placements(on(EPYC, 10_000))
    assert len(placements) == 1 + 2 * 14
    assert max(len(placement.cpus) for placement in placements) == 8


def test_names_are_given_once() -> None:
    for described in (LAPTOP, on(EPYC, 8, 0), on(XEON, 5, 1), on(A64FX, 16, 3)):
        names = [placement.name for placement in (*pair_placements(described), *group_placements(described))]
        assert len(set(names)) == len(names)
