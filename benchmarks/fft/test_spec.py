"""Tests of FFT's policy on machines of all sizes."""

import math
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banzuke.machine.allotment import AllottedDevice
from banzuke.machine.model import Machine
from banzuke.machine.site import NumaNode
from banzuke.plan.benchmark import Layout
from banzuke.plan.case import Case
from banzuke.plan.cases import plan
from banzuke.plan.catalogue import find
from banzuke.plan.on_devices import on_devices
from banzuke.plan.request import Request
from banzuke.testing import machine, refusal
from banzuke.views.breakdown import TimeBreakdown

FFT = find("fft")
MPI = {"/bin/mpiexec": "MPICH 5"}


def nodes_of(
    cores: int, nodes: int = 1, *, cache: int = 32 << 20, memory: int = 256 << 30, mpi: Mapping[str, str] = MPI
) -> Machine:
    here = machine(cores=cores, last_level=cache, memory=memory)
    cpus = here.allotment.one_per_core
    numa = [NumaNode(node=i, cpus=cpus[i * cores // nodes : (i + 1) * cores // nodes]) for i in range(nodes)]
    return here.changed(node={"numa": numa}, partition={"software": here.software.model_copy(update={"mpi": mpi})})


def cases(here: Machine) -> list[Case]:
    return plan(FFT, here, Request())


def numbers(case: Case) -> int:
    return int(case.parameters["n"])


def factors(n: int) -> set[int]:
    """Return the prime factors up to 5, and the rest."""
    primes = set()
    for prime in (2, 3, 5):
        while n % prime == 0:
            primes.add(prime)
            n //= prime
    return primes | ({n} if n > 1 else set())


@pytest.mark.parametrize(
    ("cache", "memory", "length"),
    [
        (32 << 20, 256 << 30, 1 << 24),
        (64 << 20, 256 << 30, 1 << 24),
        (65 << 20, 256 << 30, 1 << 25),
        (1 << 30, 256 << 30, 1 << 28),
        (1 << 30, 4 << 30, 1 << 25),
        (32 << 20, 1 << 20, 1 << 13),
    ],
)
def test_the_headline_is_past_the_caches_within_the_memory(cache: int, memory: int, length: int) -> None:
    assert numbers(cases(nodes_of(4, cache=cache, memory=memory))[0]) == length


def test_the_standard_cases() -> None:
    here = nodes_of(8, 2, cache=32 << 20, memory=16 << 30)
    (headline, by_memory, mixed, small, plain, natural, cyclic, shared) = cases(here)
    assert [(c.ranks, c.threads) for c in (headline, by_memory, mixed, small, plain)] == [(1, 8)] * 5
    assert [(c.ranks, c.threads) for c in (natural, cyclic, shared)] == [(8, 1), (8, 1), (2, 4)]
    assert 0.75 < 64 * numbers(by_memory) / (0.8 * (16 << 30)) <= 1
    assert factors(numbers(mixed)) == {2, 3, 5}
    assert 0.9 < numbers(mixed) / numbers(headline) < 1
    assert 48 * numbers(small) <= 16 << 20 < 96 * numbers(small)
    assert plain.parameters["stores"] == "plain"
    assert [case.parameters["order"] for case in (natural, cyclic)] == ["natural", "cyclic"]
    assert len({numbers(case) for case in (headline, plain, natural, cyclic, shared)}) == 1


def test_ranks_are_those_that_divide_a_length() -> None:
    assert {case.ranks for case in cases(nodes_of(7))} == {1, 6}
    assert {case.ranks for case in cases(nodes_of(7, mpi={}))} == {1}
    assert {case.ranks for case in cases(nodes_of(1))} == {1}


def test_several_hosts_have_a_rank_for_each_numa_node_and_more_numbers() -> None:
    several = nodes_of(4, 2).changed(allotment={"hosts": ["n0", "n1", "n2"]})
    across = [case for case in cases(several) if case.nodes > 1]
    assert [(case.placement, case.ranks, case.threads) for case in across] == [
        (f"{nodes}-nodes-numa", 2 * nodes, 2) for nodes in (2, 2, 3, 3)
    ]
    assert [case.parameters["order"] for case in across] == ["natural", "cyclic"] * 2
    assert [numbers(case) / numbers(cases(several)[0]) for case in across] == pytest.approx([2, 2, 3, 3], rel=0.1)
    assert all(case.seconds > 10 for case in across), "over a slow network"


@pytest.mark.slow
@settings(max_examples=20, deadline=None)  # each asks the program about a dozen times
@given(
    cores=st.integers(1, 300),
    nodes=st.integers(1, 8),
    cache=st.integers(0, 1 << 32),
    memory=st.integers(1 << 20, 1 << 45),
)
def test_all_cases_are_accepted_and_fit_in_memory(cores: int, nodes: int, cache: int, memory: int) -> None:
    for case in cases(nodes_of(cores, nodes, cache=cache, memory=memory)):
        answer = FFT.ask(Layout(case.ranks, case.threads), case.parameters)
        assert case.ranks > 1 or answer.problem.footprint <= memory
        assert factors(numbers(case)) <= {2, 3, 5}
        assert case.seconds < 150


@pytest.mark.parametrize(
    ("of_device", "of_host", "length", "edge"),
    [(80 << 30, 256 << 30, 1 << 28, 512), (16 << 30, 256 << 30, 1 << 27, 512), (80 << 30, 2 << 30, 1 << 26, 256)],
)
def test_on_a_device_it_is_past_the_cache_in_it_and_of_a_cube(
    of_device: int, of_host: int, length: int, edge: int
) -> None:
    device = AllottedDevice(
        identity="GPU-0", name="H100", vendor="NVIDIA", memory=of_device, memory_available=of_device
    )
    here = machine(memory=of_host).changed(allotment={"devices": [device]})
    planned = [{**FFT.defaults(here, layout), **case} for layout, case in on_devices(FFT, "cuda").sweep(here)]
    assert [(case["n"], case.get("dimensions", 1)) for case in planned] == [(length, 1), (1 << 20, 1), (edge**3, 3)]
    assert all(FFT.seconds(here, Layout(1, 1, devices=1), case) < 20 for case in planned)


def test_the_time_that_is_wanted_sets_the_rounds() -> None:
    here = nodes_of(4)
    usual, longer = (FFT.defaults(here, Layout(1, 4, seconds=wanted)) for wanted in (None, 60.0))
    assert usual["n"] == longer["n"]
    assert 0.8 < FFT.seconds(here, Layout(1, 4), longer) / 60 < 1.4
    assert usual["rounds"] == 5
    assert FFT.defaults(here, Layout(1, 4, seconds=0.1))["rounds"] == 3


def test_other_lengths_are_named() -> None:
    assert not refusal(FFT, 8, n=3_200_000_000)
    assert refusal(FFT, 1, n=1001).endswith("Nearest: n=1000 or n=1024")
    assert "multiple of the square of the 8 ranks). Nearest: n=960 or n=1024" in refusal(FFT, 8, n=1000)
    assert refusal(FFT, 7).endswith("Nearest: 6 ranks")


def test_what_the_program_reports_is_declared() -> None:
    (phases,) = [view.phases for view in FFT.views if isinstance(view, TimeBreakdown)]
    assert set(phases) == {"first", "second", "reorder", "exchange"}
    assert all(phase.advice for phase in phases.values())


@given(n=st.integers(1, 1 << 45), ranks=st.integers(1, 64), threads=st.integers(1, 64))
def test_times_are_estimated_for_any_case(n: int, ranks: int, threads: int) -> None:
    assert 0 < FFT.seconds(machine(), Layout(ranks, threads), {"n": str(n)}) < math.inf
