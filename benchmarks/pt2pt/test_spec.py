"""Tests of which tests run where, and of refusals."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banzuke.machine.allotment import AllottedDevice
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Layout, Scalar
from banzuke.plan.catalogue import find
from banzuke.plan.placement import pair_placements
from banzuke.testing import machine, refusal

PT2PT = find("pt2pt")


def with_mpi(*, cores: int = 4, hosts: int = 1) -> Machine:
    here = machine(cores=cores)
    software = here.software.model_copy(update={"mpi": {"mpiexec": "MPICH"}})
    names = [f"n{number}" for number in range(hosts)] if hosts > 1 else []
    return here.changed(partition={"software": software}, allotment={"hosts": names})


def sweep(here: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    return [(layout, {**PT2PT.defaults(here, layout), **overrides}) for layout, overrides in PT2PT.sweep(here)]


def cases(here: Machine) -> list[tuple[str, Scalar]]:
    return [(layout.placement.name if layout.placement else "", case["test"]) for layout, case in sweep(here)]


def test_two_cores_have_every_test_latency_first() -> None:
    assert cases(with_mpi(cores=2)) == [
        ("same-numa", "latency"),
        ("same-numa", "bandwidth"),
        ("same-numa", "bidirectional"),
        ("one-node", "multi-pair"),
        ("one-node", "pairs"),
        ("one-node", "rings"),
    ]


def test_the_headline_is_between_two_cores_also_where_they_have_several_threads() -> None:
    here = with_mpi(cores=2)
    threads = {"siblings": [[0, 2], [1, 3]], "allowed": [0, 1, 2, 3]}
    places = [place for place, test in cases(here.changed(allotment=threads)) if test == "latency"]
    assert places == ["same-numa", "same-core"]


def test_hosts_have_a_pair_between_them_and_their_own_matrix() -> None:
    planned = cases(with_mpi(cores=4, hosts=12))
    assert {test for place, test in planned if place == "other-node"} == {"latency", "bandwidth", "bidirectional"}
    assert [place for place, test in planned if test == "pairs"] == ["one-node", "12-nodes-1"]
    assert ("12-nodes-all", "multi-pair") in planned
    assert ("12-nodes-all", "rings") in planned


@pytest.mark.slow
@settings(max_examples=5)  # each asks the program about a dozen times
@given(cores=st.integers(1, 200), hosts=st.sampled_from([1, 2, 3, 120, 3000]))
def test_every_case_can_run(cores: int, hosts: int) -> None:
    here = with_mpi(cores=cores, hosts=hosts)
    for layout, case in sweep(here):
        assert not refusal(PT2PT, layout.ranks, **case)
        assert 1 < PT2PT.seconds(here, layout, case) < 3600


@pytest.mark.slow
def test_ten_thousand_hosts_take_minutes() -> None:
    here = with_mpi(cores=96, hosts=10_000)
    planned = sweep(here)
    assert sum(PT2PT.seconds(here, layout, case) for layout, case in planned) < 30 * 60
    assert [(layout.ranks, case.get("rounds")) for layout, case in planned if case["test"] == "pairs"] == [
        (96, None),
        (10_000, 16),
    ]
    assert [layout.ranks for layout, case in planned if case["test"] == "rings"] == [96, 10_000]


def test_many_pairs_on_a_slow_network_leave_the_largest_messages_out() -> None:
    largest = {
        layout.placement.name: case.get("max_size")
        for layout, case in sweep(with_mpi(cores=64, hosts=2))
        if layout.placement and case["test"] == "multi-pair"
    }
    assert largest == {"one-node": None, "2-nodes-all": 4 << 10}


def test_one_core_and_a_machine_without_mpi_have_none() -> None:
    assert PT2PT.sweep(with_mpi(cores=1)) == []
    assert PT2PT.sweep(machine(cores=4)) == []


@pytest.mark.parametrize(("ranks", "test"), [(2, "latency"), (3, "pairs"), (1024, "pairs"), (1026, "multi-pair")])
def test_ranks_alone_choose_a_test_that_can_have_them(ranks: int, test: str) -> None:
    chosen = PT2PT.defaults(with_mpi(), Layout(ranks, 1))
    assert chosen == {"test": test}
    assert not refusal(PT2PT, ranks, **chosen)


@pytest.mark.parametrize(
    ("ranks", "test", "why"),
    [
        (1, "latency", "needs 2 ranks"),
        (1, "pairs", "needs 2 ranks"),
        (1, "rings", "needs 2 ranks"),
        (3, "bandwidth", "bandwidth is between 2 ranks, not 3). Nearest: 2 ranks or test=pairs"),
        (5, "multi-pair", "needs an even number of ranks, not 5). Nearest: 4 ranks or 6 ranks"),
        (1025, "pairs", "524800 pairs, more than the 523776 that a record holds). Nearest: 1024 ranks or rounds=1023"),
    ],
)
def test_ranks_that_a_test_cannot_have_are_refused(ranks: int, test: str, why: str) -> None:
    assert why in refusal(PT2PT, ranks, test=test)


@pytest.mark.parametrize(
    ("test", "smallest", "largest", "refused"),
    [
        ("latency", 0, 0, False),
        ("bandwidth", 0, 0, True),
        ("bandwidth", 0, 1, False),
        ("latency", 5, 7, True),
        ("latency", 5, 8, False),
        ("latency", 16, 8, True),
        ("pairs", 16, 8, False),
    ],
)
def test_sizes_without_a_power_of_two_are_refused(test: str, smallest: int, largest: int, *, refused: bool) -> None:
    why = refusal(PT2PT, 2, test=test, min_size=smallest, max_size=largest)
    assert bool(why) == refused
    assert not refused or f"from min_size {smallest} to max_size {largest}" in why


def test_the_estimate_grows_with_the_work_and_the_way() -> None:
    here = with_mpi(hosts=2)
    near, far = (Layout.of(place) for place in pair_placements(here))

    def estimate(layout: Layout, test: str = "bandwidth", **more: Scalar) -> float:
        return PT2PT.seconds(here, layout, {"test": test, **more})

    assert estimate(near) < estimate(far)
    assert estimate(near, max_size=1024) < estimate(near) < estimate(near, window=640)
    assert estimate(near, "latency", iterations=10) < estimate(near, "latency") < 10
    assert estimate(Layout(4, 1), "pairs") < estimate(Layout(64, 1), "pairs") < 60
    assert estimate(Layout(4, 1), "rings") < estimate(Layout(64, 1), "rings") < 60


def test_the_rate_of_a_hosts_link_is_measured_here() -> None:
    assert [(measure.name, measure.scope, measure.beyond_caches) for measure in PT2PT.resources.measures] == [
        ("link.bytes", "link", 0)
    ]


def with_devices(count: int, *, hosts: int = 1) -> Machine:
    memory = 80 << 30
    devices = [
        AllottedDevice(identity=f"GPU-{number}", name="H100", vendor="NVIDIA", memory=memory, memory_available=memory)
        for number in range(count)
    ]
    return with_mpi(hosts=hosts).changed(allotment={"devices": devices})


def on_devices(here: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    assert PT2PT.devices
    return PT2PT.devices.sweep(here)


def test_two_devices_have_every_test_by_every_way_and_the_headline_is_handed_to_mpi() -> None:
    planned = on_devices(with_devices(2))
    assert planned[0] == (Layout(2, 1, devices=1), {"test": "latency", "buffers": "device"})
    assert len(planned) == len({tuple(case.values()) for _, case in planned}) == 11
    assert {case["buffers"] for _, case in planned} == {"device", "staged", "pipelined", "host-device", "device-host"}


def test_one_device_has_a_partner_on_another_host_alone() -> None:
    assert on_devices(with_devices(1)) == []
    assert {(layout.hosts, layout.devices) for layout, _ in on_devices(with_devices(1, hosts=2))} == {(2, 1)}
    assert on_devices(machine(cores=4).changed(allotment={"devices": with_devices(2).allotment.devices})) == []
