"""HPCG's policy on machines of all sizes, and its rules."""

import itertools
import math
import sys
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.machine.model import Machine
from banzuke.machine.site import Cache
from banzuke.plan.benchmark import Layout, Outcome, Scalar
from banzuke.plan.cases import Request, check, parse_overrides, plan
from banzuke.plan.catalogue import find
from banzuke.testing import machine

HPCG = find("hpcg")
MPI = {"/bin/mpiexec": "MPICH 5"}
MEASURED = {
    "flop_rate",
    "raw_flop_rate",
    "spmv_flop_rate",
    "mg_flop_rate",
    "dot_flop_rate",
    "waxpby_flop_rate",
}
PARTS = {"mg", "spmv", "dot", "waxpby", "halo_wait", "allreduce"}
POINT, HELD = 1000, 450


def sizes() -> ModuleType:
    return sys.modules["banzuke_spec_hpcg.sizes"]


def cores(count: int, *, complexes: int = 1, memory: int = 256 << 30, mpi: Mapping[str, str] = MPI) -> Machine:
    here = machine(cores=count, memory=memory)
    software = here.software.model_copy(update={"mpi": mpi})
    caches = [Cache(level=3, kind="unified", bytes=32 << 20, instances=complexes, shared_by=count // complexes)]
    return here.changed(partition={"software": software}, allotment={"caches": caches})


def local(here: Machine, layout: Layout) -> tuple[int, int, int]:
    values = HPCG.defaults(here, layout)
    return int(values["nx"]), int(values["ny"]), int(values["nz"])


def refusal(ranks: int, nx: int, ny: int, nz: int, grid: tuple[int, int, int] = (0, 0, 0)) -> str:
    assert HPCG.conflict is not None
    px, py, pz = grid
    return HPCG.conflict(ranks, {"nx": nx, "ny": ny, "nz": nz, "px": px, "py": py, "pz": pz})


@pytest.mark.parametrize(
    ("here", "layout"),
    [
        (cores(1), (1, 1)),
        (cores(2), (2, 1)),
        (cores(2, mpi={}), (1, 2)),
        (cores(11), (1, 11)),
        (cores(14), (14, 1)),
        (cores(16), (16, 1)),
        (cores(24, complexes=4), (4, 6)),
        (cores(64, complexes=8), (8, 8)),
        (cores(96, complexes=2), (12, 8)),
        (cores(52, complexes=3), (4, 13)),
    ],
)
def test_the_headline_has_all_cores(here: Machine, layout: tuple[int, int]) -> None:
    first, _ = HPCG.sweep(here)[0]
    assert (first.ranks, first.threads) == layout


@given(count=st.integers(1, 300), complexes=st.integers(1, 8))
def test_every_case_is_legal(count: int, complexes: int) -> None:
    here = cores(count * complexes, complexes=complexes, memory=1 << 44)
    for case in plan(HPCG, here, Request()):
        assert case.ranks * case.threads == count * complexes
        nx, ny, nz = (int(case.parameters[name]) for name in ("nx", "ny", "nz"))
        assert not refusal(case.ranks, nx, ny, nz)
        assert 0 < case.seconds < math.inf


def test_the_sweep_has_the_other_layout_the_other_ordering_and_a_smaller_grid() -> None:
    headline, other, ordering, smaller = plan(HPCG, cores(4), Request())
    assert [(case.ranks, case.threads) for case in (headline, other, ordering, smaller)] == [
        (4, 1),
        (1, 4),
        *[(4, 1)] * 2,
    ]
    assert headline.parameters == {"nx": 104, "ny": 104, "nz": 104, "seconds": 20.0}
    assert ordering.parameters == {**headline.parameters, "seconds": 5.0, "ordering": "colours"}
    assert smaller.parameters["nx"] == 56
    assert [(c.ranks, c.threads) for c in plan(HPCG, cores(64, complexes=8), Request())][1] == (64, 1)
    assert [(c.ranks, c.threads) for c in plan(HPCG, cores(1), Request())] == [(1, 1)] * 3


@given(memory=st.integers(1 << 30, 1 << 45), ranks=st.integers(1, 64), wanted=st.sampled_from([None, 60.0, 1800.0]))
def test_the_local_grid_fits(memory: int, ranks: int, wanted: float | None) -> None:
    extent = local(cores(64, memory=memory), Layout(ranks, 1, wanted))
    assert sizes().legal(extent)
    assert extent == (16, 16, 16) or math.prod(extent) * POINT * ranks <= 0.8 * memory


def test_a_large_cache_is_left() -> None:
    here = cores(4)
    vast = here.changed(allotment={"caches": [here.allotment.caches[0].model_copy(update={"bytes": 1 << 30})]})
    assert local(here, Layout(4, 1)) == (104, 104, 104)
    assert math.prod(local(vast, Layout(4, 1))) * 324 * 4 >= 4 << 30


@pytest.mark.parametrize(("ranks", "memory"), [(1, 24 << 30), (2, 24 << 30), (16, 256 << 30), (64, 1 << 40)])
def test_a_run_of_official_length_takes_a_quarter_of_the_memory(ranks: int, memory: int) -> None:
    extent = local(cores(64, memory=memory), Layout(ranks, 1, 1800.0))
    assert 0.25 < math.prod(extent) * HELD * ranks / memory < 0.45


@pytest.mark.parametrize(
    ("extent", "nearest"),
    [
        ((100, 104, 104), "Nearest: 96 x 104 x 104 or 104 x 104 x 104"),
        ((8, 16, 16), "Nearest: 16 x 16 x 16"),
        ((1, 1, 1), "Nearest: 16 x 16 x 16"),
        ((16, 16, 136), "Nearest: 24 x 24 x 136"),
        ((20, 16, 1024), "Nearest: 128 x 128 x 1024"),
    ],
)
def test_an_illegal_grid_is_answered_with_the_nearest(extent: tuple[int, int, int], nearest: str) -> None:
    assert refusal(1, *extent).endswith(nearest)


@given(st.tuples(*[st.integers(1, 2000)] * 3))
def test_what_is_named_nearest_is_legal(extent: tuple[int, int, int]) -> None:
    text = refusal(1, *extent)
    assert bool(text) != sizes().legal(extent)
    for named in text.partition("Nearest: ")[2].split(" or ") if text else ():
        x, y, z = map(int, named.split(" x "))
        assert not refusal(1, x, y, z)


@pytest.mark.parametrize(
    ("ranks", "grid", "said"),
    [
        (8, (2, 2, 2), ""),
        (8, (0, 0, 8), ""),
        (8, (0, 0, 0), ""),
        (8, (3, 0, 0), "no grid of 3 x 0 x 0 processes (0: chosen) has 8"),
        (8, (2, 2, 1), "no grid of 2 x 2 x 1 processes (0: chosen) has 8"),
        (11, (0, 0, 0), "processes: no direction may have more than 8 times as many as another. Take 10 ranks"),
        (16, (1, 1, 16), "1 x 1 x 16 processes: no direction may have more than 8 times as many as another. Leave px"),
    ],
)
def test_process_grids_follow_the_rules(ranks: int, grid: tuple[int, int, int], said: str) -> None:
    text = refusal(ranks, 104, 104, 104, grid)
    assert said in text
    assert bool(said) == bool(text)


def official(ranks: int) -> tuple[int, ...]:
    """As ComputeOptimalShapeXYZ of HPCG 3.1 chooses, by trial of all grids.

    The powers of the primes count like the digits of a number, the smallest prime's first, x outside of y, and the
    first grid of least surface is kept.
    """
    divisors = [d for d in range(1, ranks + 1) if ranks % d == 0]
    primes = [d for d in divisors[1:] if not any(d % p == 0 for p in range(2, d))]

    def digits(side: int) -> list[int]:
        """The largest prime's first."""
        return [max(power for power in range(11) if side % prime**power == 0) for prime in reversed(primes)]

    if ranks == 1:
        return 1, 1, 1
    powers = dict(zip(reversed(primes), digits(ranks), strict=True))
    match [prime for prime in primes for _ in range(powers[prime])]:
        case [p, *rest] if rest.count(p) == len(rest):
            return p ** ((powers[p] + 2) // 3), p ** ((powers[p] + 1) // 3), p ** (powers[p] // 3)
        case p, q:
            return p, q, 1
        case p, q, r:
            return (p, r, p) if p == q else (p, q, r)
    grids = [(x, y, ranks // x // y) for x in divisors[1:] for y in divisors[1:] if ranks % (x * y) == 0]
    return min(grids, key=lambda g: (g[0] * g[1] + g[1] * g[2] + g[2] * g[0], digits(g[0]), digits(g[1])))


def test_process_grids_are_hpcgs_for_every_number_of_ranks() -> None:
    wrong = [ranks for ranks in range(1, 1001) if sizes().process_grid(ranks) != official(ranks)]
    assert wrong == []


@pytest.mark.parametrize(
    ("given", "grid"), [((0, 0, 3), (2, 2, 3)), ((1, 0, 0), (1, 4, 3)), ((1, 12, 1), (1, 12, 1)), ((5, 0, 0), None)]
)
def test_what_is_given_of_a_process_grid_stays(given: tuple[int, int, int], grid: tuple[int, int, int] | None) -> None:
    assert sizes().process_grid(12, given) == grid


def test_many_ranks_are_laid_out_at_once() -> None:
    assert math.prod(sizes().process_grid(10_000 * 128)) == 10_000 * 128


def test_nonzeros_are_counted() -> None:
    def brute(extent: tuple[int, ...]) -> int:
        near = [sum(0 <= i + step < n for i in range(n) for step in (-1, 0, 1)) for n in extent]
        return math.prod(near)

    for extent in itertools.product((1, 2, 5), repeat=3):
        assert sizes().nonzeros(extent) == brute(extent)


def outcome(seconds: float, memory: float, hosts: int = 1) -> Outcome:
    parameters: Mapping[str, Scalar] = {"nx": 104, "ny": 104, "nz": 104}
    conditions = {"timed_seconds": seconds, "memory_bytes": memory}
    return Outcome(parameters, "ok", None, datetime.fromtimestamp(0, UTC), conditions=conditions, hosts=hosts)


@pytest.mark.parametrize(
    ("found", "broken"),
    [
        (outcome(1800.0, 64 << 30), []),
        (outcome(20.26, 64 << 30), ["20.3 s instead of at least 1,800 s of timed sets"]),
        (outcome(1800.0, 32 << 30), ["12.5% instead of at least 25% of the memory"]),
        (outcome(1800.0, 128 << 30, hosts=4), ["12.5% instead of at least 25% of the memory"]),
        (
            replace(outcome(0, 0), conditions={}),
            ["0 s instead of at least 1,800 s of timed sets", "0% instead of at least 25% of the memory"],
        ),
    ],
)
def test_rules_that_a_run_did_not_follow_are_named(found: Outcome, broken: list[str]) -> None:
    assert HPCG.rules is not None
    assert [f"{breach.found} instead of {breach.rule}" for breach in HPCG.rules(cores(4), found)] == broken


def test_seconds_set_the_time_and_not_the_size() -> None:
    asked = Request(seconds=60.0, overrides=parse_overrides(["nx=64", "ny=64", "nz=64"]))
    check(HPCG, asked)
    (case,) = plan(HPCG, cores(2), asked)
    assert case.parameters == {"nx": "64", "ny": "64", "nz": "64", "seconds": 60.0}


def test_what_the_program_reports_is_declared() -> None:
    assert {metric.name for metric in HPCG.metrics} == MEASURED
    assert set(HPCG.parts) == PARTS
    assert {name for name, part in HPCG.parts.items() if part.advice} >= {"mg", "spmv", "halo_wait", "allreduce"}
