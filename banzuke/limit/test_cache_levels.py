"""What lies in a cache is bounded by that cache's rate, if a benchmark measured it."""

from typing import Any

import pytest

from banzuke.judge.assess import assess
from banzuke.judge.model import Assessment, Figure
from banzuke.judge.siblings import Siblings
from banzuke.judge.test_examples import BENCHMARKS, ENGLISH, GIGA, LLC, MACHINE, benchmark, record
from banzuke.limit.ceilings import ceilings
from banzuke.limit.model import Residence
from banzuke.limit.residence import residence
from banzuke.machine.cache_levels import cache_levels
from banzuke.machine.site import Cache
from banzuke.plan.benchmark import Metric
from banzuke.plan.resource import Resource
from banzuke.record.figures import Demand, Samples
from banzuke.record.model import Record
from banzuke.testing import Work

MIB = 1 << 20
L2 = Resource("memory.l2.bytes", "B/s", "bandwidth of the L2 cache", "core", cache=2, instead_of="memory.bytes")
L3 = Resource("memory.l3.bytes", "B/s", "bandwidth of the L3 cache", "host", cache=3, instead_of="memory.bytes")
LOADS = Resource(
    "memory.l3.loads", "B/s", "bandwidth of loads alone", "host", cache=3, instead_of="memory.loads", within=(L3.name,)
)
INNER = Resource("flops.inner", "flop/s", "rate of inner loops", "core", metric="inner_rate", within=("flops.fp64",))
LEVELS = benchmark("levels", (Metric("l3_bandwidth", "B/s", "higher", "L3", headline=True),), L2, L3, LOADS)
LOOPS = benchmark(
    "loops",
    (
        Metric("flop_rate", "flop/s", "higher", "Loops", headline=True),
        Metric("inner_rate", "flop/s", "higher", "Inner loops"),
    ),
    INNER,
)
EVERY = {**BENCHMARKS, "levels": LEVELS, "loops": LOOPS}


def measured(resource: Resource, rate: float, threads: int = 4) -> Record:
    samples = Samples(unit="B/s", samples=[rate], counted=1e9, demand=[Demand(resource=resource.name, amount=1e9)])
    return record("levels", {f"{resource.cache}_bandwidth": samples}, threads=threads)


def solver(working_set: float, rate: float, *, loads: bool = False, **changes: Any) -> Record:
    """Return one second of traffic of `rate` B/s."""
    work = Work(flops=1.0, bytes=rate, moved=rate).of("s")
    if loads:
        work["demand"].append(Demand(resource="memory.loads", amount=rate))
    conditions = {"working_set": working_set}
    return record("solver", {"time": Samples(unit="s", samples=[1.0], **work)}, conditions=conditions, **changes)


def judge(subject: Record, *others: Record) -> Assessment:
    records = (subject, *others)
    limiting = ceilings(records, MACHINE, EVERY)
    return assess(subject, siblings=Siblings(records, MACHINE), machine=MACHINE, benchmarks=EVERY, ceilings=limiting)


def figure(assessment: Assessment, metric: str = "time") -> Figure:
    return next(figure for figure in assessment.figures if figure.metric == metric)


def where(working_set: float) -> Residence:
    lying = residence(solver(working_set, 1.0), MACHINE)
    assert lying
    return lying


def test_what_one_core_reaches_in_its_own_cache_bounds_each_of_all() -> None:
    """Others used a processor while all cores were measured: one core alone would exceed a half of that rate."""
    disturbed, alone = measured(L2, 100 * GIGA), measured(L2, 50 * GIGA, threads=1)
    (best,) = (c for c in ceilings((disturbed, alone), MACHINE, EVERY) if c.resource == L2)
    assert best.value == pytest.approx(50 * GIGA)
    assert (best.threads, best.other) == (1, None)
    (shared,) = (
        c
        for c in ceilings((measured(L3, 100 * GIGA), measured(L3, 50 * GIGA, threads=1)), MACHINE, EVERY)
        if c.resource == L3
    )
    assert shared.value == pytest.approx(100 * GIGA)


def test_data_lie_in_the_nearest_caches_that_hold_all_of_them() -> None:
    assert [(where(size).level, where(size).nearer) for size in (1.0, 4.0 * MIB, 5.0 * MIB, 16.0 * MIB, LLC)] == [
        (2, 0),
        (2, 0),
        (3, 4 * MIB),
        (3, 0),
        (3, 0),
    ]
    assert where(LLC + 1).level == 0


def test_one_core_has_the_caches_that_it_reaches() -> None:
    lying = residence(solver(2.0 * MIB, 1.0, threads=1), MACHINE)
    assert lying
    assert (lying.level, lying.nearer) == (3, MIB)


def test_levels_leave_out_instructions_and_count_the_instances_that_are_used() -> None:
    caches = [
        Cache(level=2, kind="unified", bytes=100, instances=8, shared_by=1),
        Cache(level=1, kind="instruction", bytes=7, instances=8, shared_by=1),
        Cache(level=1, kind="data", bytes=10, instances=8, shared_by=1),
    ]
    assert cache_levels(caches) == {1: 80, 2: 800}
    assert list(cache_levels(caches, 3).items()) == [(1, 30), (2, 300)]


def test_the_cache_that_holds_the_data_is_the_limit() -> None:
    rates = [measured(L2, 800 * GIGA), measured(L3, 200 * GIGA)]
    in_l3 = figure(judge(solver(16.0 * MIB, 100 * GIGA), *rates))
    assert in_l3.fraction_of_limit == pytest.approx(0.5)
    assert "bandwidth of the L3 cache 200 GB/s" in ENGLISH(in_l3.limit_source)
    assert not in_l3.own_ceiling
    assert figure(judge(solver(1.0 * MIB, 100 * GIGA), *rates)).fraction_of_limit == pytest.approx(1 / 8)


def test_a_core_has_its_share_of_caches_of_its_own() -> None:
    of_core = figure(judge(solver(0.5 * MIB, 100 * GIGA, threads=1), measured(L2, 800 * GIGA)))
    assert of_core.fraction_of_limit == pytest.approx(0.5)


def test_a_rate_of_loads_that_is_unknown_leaves_the_others() -> None:
    rates = [measured(L3, 200 * GIGA)]
    assert figure(judge(solver(16.0 * MIB, 100 * GIGA, loads=True), *rates)).fraction_of_limit == pytest.approx(0.5)
    slower = [*rates, measured(LOADS, 125 * GIGA)]
    assert figure(judge(solver(16.0 * MIB, 100 * GIGA, loads=True), *slower)).fraction_of_limit == pytest.approx(0.8)


@pytest.mark.parametrize(("l2", "limit"), [(800, 800), (3000, 1000)])
def test_a_nearer_cache_serves_what_it_holds_at_its_own_rate_at_best(l2: float, limit: float) -> None:
    """A fifth of 5 MiB does not fit into the 4 MiB of L2: L3 bounds that, and L2 all of it."""
    rates = [measured(L2, l2 * GIGA), measured(L3, 200 * GIGA)]
    partly = figure(judge(solver(5.0 * MIB, 100 * GIGA), *rates))
    assert partly.fraction_of_limit == pytest.approx(100 / limit)
    assert "up to 80% of the data may come from the 4 MiB of the next nearer caches" in ENGLISH(partly.limit_source)
    assert "next nearer" not in ENGLISH(figure(judge(solver(16.0 * MIB, 100 * GIGA), *rates)).limit_source)
    (warning,) = judge(solver(5.0 * MIB, 1.1 * limit * GIGA), *rates).warnings
    assert warning.code == "limit-above"


@pytest.mark.parametrize(("working_set", "limit"), [(8.0 * MIB, 400), (5.0 * MIB, None)])
def test_a_nearer_cache_of_unknown_rate_may_serve_half_at_most(working_set: float, limit: float | None) -> None:
    unknown = figure(judge(solver(working_set, 100 * GIGA), measured(L3, 200 * GIGA)))
    assert unknown.limit == (limit and pytest.approx(100 / limit))
    assert ("bandwidth of the L2 cache is not measured yet" in ENGLISH(unknown.limit_source)) == (limit is None)


def test_a_cache_that_was_not_measured_leaves_the_limit_unknown() -> None:
    unknown = figure(judge(solver(1.0 * MIB, 100 * GIGA), measured(L3, 200 * GIGA)))
    assert unknown.limit is None
    assert ENGLISH(unknown.limit_source) == (
        "the working set of 1 MiB stays in the last-level cache of 32 MiB, so memory does not bound it; the bandwidth "
        "of the L2 cache is not measured yet (run `banzuke run levels`)"
    )


def test_data_in_memory_are_not_judged_by_a_cache() -> None:
    assert figure(judge(solver(4.0 * LLC, 100 * GIGA), measured(L3, 200 * GIGA))).limit is None


def loops(flop_rate: float, inner_rate: float) -> Record:
    demand = [Demand(resource=INNER.name, amount=1e9)]
    rates = {"flop_rate": flop_rate, "inner_rate": inner_rate}
    metrics = {name: Samples(unit="flop/s", samples=[rate], counted=1e9, demand=demand) for name, rate in rates.items()}
    return record("loops", metrics)


def test_a_benchmark_is_judged_by_the_figure_that_measures_its_own_resource() -> None:
    assessment = judge(loops(60 * GIGA, 80 * GIGA), loops(90 * GIGA, 70 * GIGA))
    main, inner = figure(assessment, "flop_rate"), figure(assessment, "inner_rate")
    assert main.limit == pytest.approx(80 * GIGA)
    assert not main.own_ceiling
    assert inner.own_ceiling
    assert inner.fraction_of_limit == pytest.approx(1.0)
