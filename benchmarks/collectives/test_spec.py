"""Tests of the collectives' policy on machines of all sizes."""

import pytest

from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Layout
from banzuke.plan.catalogue import find
from banzuke.testing import machine, refusal

COLLECTIVES = find("collectives")


def with_mpi(*, cores: int = 4, hosts: int = 1, memory: int = 64 << 30) -> Machine:
    here = machine(cores=cores, memory=memory)
    software = here.software.model_copy(update={"mpi": {"mpiexec": "MPICH"}})
    names = [f"n{number}" for number in range(hosts)] if hosts > 1 else []
    return here.changed(partition={"software": software}, allotment={"hosts": names})


def cases(here: Machine) -> list[tuple[str, object, object]]:
    return [
        (layout.placement.name if layout.placement else "", case["operation"], case["mode"])
        for layout, case in COLLECTIVES.sweep(here)
    ]


def test_one_host_has_every_operation_and_two_of_them_non_blocking() -> None:
    planned = cases(with_mpi(cores=4))
    assert planned[0] == ("one-node", "allreduce", "blocking")
    assert len(planned) == len(set(planned)) == 11
    assert len({operation for _, operation, mode in planned if mode == "blocking"}) == 9
    assert {operation for _, operation, mode in planned if mode == "non-blocking"} == {"allreduce", "alltoall"}
    assert all(layout.ranks == 4 and layout.threads == 1 for layout, _ in COLLECTIVES.sweep(with_mpi(cores=4)))


@pytest.mark.parametrize("hosts", [2, 12, 120])
def test_every_placement_on_several_hosts_has_barrier_allreduce_and_alltoall(hosts: int) -> None:
    planned = cases(with_mpi(hosts=hosts))
    for name in (f"{hosts}-nodes-1", f"{hosts}-nodes-all"):
        assert {operation for placement, operation, _ in planned if placement == name} == {
            "barrier",
            "allreduce",
            "alltoall",
        }


@pytest.mark.slow  # asks the program some hundred times
def test_ten_thousand_hosts_take_minutes() -> None:
    here = with_mpi(cores=96, hosts=10_000, memory=1 << 42)
    planned = [
        (layout, case, COLLECTIVES.seconds(here, layout, {**COLLECTIVES.defaults(here, layout), **case}))
        for layout, case in COLLECTIVES.sweep(here)
    ]
    assert max(seconds for layout, _, seconds in planned if layout.placement and layout.placement.nodes > 1) <= 60
    assert sum(seconds for *_, seconds in planned) < 45 * 60
    assert not any("iterations" in case for layout, case, _ in planned if layout.ranks < 100)  # OSU's stay


def test_one_core_and_a_machine_without_mpi_have_none() -> None:
    assert COLLECTIVES.sweep(with_mpi(cores=1)) == []
    assert COLLECTIVES.sweep(machine(cores=4)) == []


def test_one_rank_and_crossed_sizes_are_refused() -> None:
    assert "at least 2 ranks" in refusal(COLLECTIVES, 1, min_size=1, max_size=8)
    assert "more than max_size" in refusal(COLLECTIVES, 2, min_size=9, max_size=8)
    assert not refusal(COLLECTIVES, 2, min_size=1, max_size=8)


@pytest.mark.slow
@pytest.mark.parametrize("cores", [2, 64, 1024])
def test_buffers_fit_into_half_the_memory(cores: int) -> None:
    memory = 1 << 30
    for layout, case in COLLECTIVES.sweep(with_mpi(cores=cores, memory=memory)):
        size, buffers = (
            case.get("max_size", 1 << 20),
            {"alltoall": 2, "allreduce": 0, "bcast": 0}.get(str(case["operation"]), 1),
        )
        assert isinstance(size, int)
        if case["operation"] in ("alltoall", "allgather", "gather", "scatter"):
            assert buffers * min(size * cores, 512 << 20) * layout.ranks <= 0.5 * memory or size == 1
        else:
            assert "max_size" not in case


def test_memory_that_is_enough_leaves_the_sizes_alone() -> None:
    assert all("max_size" not in case for _, case in COLLECTIVES.sweep(with_mpi(cores=4)))


def test_the_estimate_grows_with_ranks_and_sizes() -> None:
    def estimate(ranks: int, **parameters: int | str) -> float:
        return COLLECTIVES.seconds(with_mpi(), Layout(ranks, 1), parameters)

    assert 1 < estimate(2) < estimate(64) < 10
    assert estimate(64, operation="alltoall") < 60
    assert estimate(2, mode="non-blocking") > estimate(2)
    assert estimate(2, max_size=1024) < estimate(2)
    assert estimate(2, iterations=10) < estimate(2)
