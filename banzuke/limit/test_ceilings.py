from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.judge.test_examples import (
    BENCHMARKS,
    ENGLISH,
    GIGA,
    LLC,
    MACHINE,
    N,
    dgemm,
    machine,
    provenance,
    record,
    solver,
    triad,
)
from banzuke.limit.ceilings import ceilings
from banzuke.limit.model import Ceiling
from banzuke.machine.model import Machine
from banzuke.plan.resource import Resource
from banzuke.record.figures import Demand, Samples
from banzuke.record.hosts import Hosts
from banzuke.record.model import Record
from banzuke.testing import FLOPS, LOADS, MEMORY, Work


def measured(resource: Resource, *records: Record, on: Machine = MACHINE) -> Ceiling | None:
    matches = [
        c for c in ceilings(records, on, BENCHMARKS) if (c.resource, c.kind, c.above) == (resource, "measured", False)
    ]
    assert len(matches) <= 1
    return matches[0] if matches else None


def value(resource: Resource, *records: Record, on: Machine = MACHINE) -> float | None:
    ceiling = measured(resource, *records, on=on)
    return ceiling.value if ceiling else None


def test_best_sample_of_all_records_sets_the_flop_rate() -> None:
    assert value(FLOPS, dgemm(300 * GIGA, 350 * GIGA), dgemm(340 * GIGA)) == 350 * GIGA


def test_fma_rate_comes_from_the_machine() -> None:
    (above,) = [c for c in ceilings((), MACHINE, BENCHMARKS) if c.above]
    assert (above.resource, above.value, ENGLISH(above.name)) == (FLOPS, 400 * GIGA, "register FMA rate")
    assert not [c for c in ceilings((), machine(fma_rate=None), BENCHMARKS) if c.above]


def test_bandwidth_counts_moved_bytes() -> None:
    assert value(MEMORY, triad(30 * GIGA, moved=32)) == pytest.approx(40 * GIGA)


def test_every_kernel_of_the_provider_counts() -> None:
    work = Work(flops=0, bytes=16 * N, moved=24 * N)
    copy = Samples(unit="B/s", samples=[30 * GIGA], **work.of("B/s"))
    best = record("stream", triad(20 * GIGA).metrics | {"copy_bandwidth": copy})
    ceiling = measured(MEMORY, triad(40 * GIGA), best)
    assert ceiling is not None
    assert ceiling.value == pytest.approx(45 * GIGA)
    assert "copy_bandwidth" in ENGLISH(ceiling.source)


def test_cases_that_only_use_a_resource_set_no_ceiling() -> None:
    picky = replace(MEMORY, measured_by={"kind": ("direct", "near")})
    stream = BENCHMARKS["stream"]
    benchmarks = {"stream": replace(stream, resources=replace(stream.resources, measures=(picky,)))}

    def rates(*kinds: str) -> list[float]:
        cases = [replaced(triad(rate * GIGA), kind) for kind, rate in zip(kinds, (40, 30), strict=False)]
        return [c.value / GIGA for c in ceilings(cases, MACHINE, benchmarks) if c.kind == "measured"]

    def replaced(original: Record, kind: str) -> Record:
        return original.model_copy(update={"parameters": {**original.parameters, "kind": kind}})

    assert rates("direct") == rates("near", "direct") != []
    (fast,), (slow,) = rates("direct", "near"), rates("staged", "near")
    assert slow == pytest.approx(fast * 30 / 40)
    assert rates("staged") == []


def test_only_providers_set_ceilings() -> None:
    assert value(MEMORY, dgemm(300 * GIGA), solver(1.0, flops=1, moved=1e12)) is None
    assert value(FLOPS, triad(40 * GIGA)) is None


def test_rates_from_cache_set_no_ceiling() -> None:
    assert value(MEMORY, triad(40 * GIGA), triad(400 * GIGA, n=1000)) == pytest.approx(40 * GIGA)


def test_what_stayed_in_the_caches_is_no_ceiling_of_memory() -> None:
    assert value(MEMORY, triad(60 * GIGA, n=1_000_000), triad(400 * GIGA, n=1000)) is None
    with_working_set = triad(60 * GIGA, n=1_000_000, conditions={"working_set": 24e9})
    assert value(MEMORY, with_working_set) == pytest.approx(60 * GIGA)


def test_a_ceiling_part_of_which_caches_may_have_served_says_so() -> None:
    small = measured(MEMORY, triad(60 * GIGA, n=2_000_000))
    assert small is not None
    assert small.value == pytest.approx(60 * GIGA)
    assert "last-level cache of 32 MiB" in ENGLISH(small.source)
    large = measured(MEMORY, triad(60 * GIGA))
    assert large is not None
    assert "cache" not in ENGLISH(large.source)


def test_only_this_machine_counts() -> None:
    here = dgemm(300 * GIGA, provenance=provenance())
    elsewhere = dgemm(390 * GIGA, provenance=provenance(machine="other"))
    assert value(FLOPS, here, elsewhere) == 300 * GIGA


def test_several_hosts_give_the_rate_of_each() -> None:
    two = [Hosts(names="a", ranks="0"), Hosts(names="b", ranks="1")]
    ceiling = measured(FLOPS, dgemm(600 * GIGA, ranks=2, hosts=two))
    assert ceiling is not None
    assert (ceiling.value, ceiling.threads) == (300 * GIGA, 4)
    assert ENGLISH(ceiling.source) == "measured by dgemm on 4 cores of each of 2 hosts"


def test_failed_and_unknown_records_are_left_out() -> None:
    failed = Record.model_validate(
        dgemm(300 * GIGA).model_dump() | {"status": "failed", "reason": "crashed", "metrics": {}}
    )
    unknown = dgemm(300 * GIGA).model_copy(update={"benchmark": "unheard-of"})
    assert value(FLOPS, failed, unknown) is None


def test_ceiling_says_on_how_many_cores_it_was_reached() -> None:
    ceiling = measured(FLOPS, dgemm(90 * GIGA, threads=1))
    assert ceiling is not None
    assert ceiling.threads == 1
    assert ENGLISH(ceiling.source) == "measured by dgemm on 1 core"


def test_threads_beyond_the_cores_do_not_count_as_cores() -> None:
    ceiling = measured(FLOPS, dgemm(90 * GIGA, threads=8))
    assert ceiling is not None
    assert ceiling.threads == 4


def test_bandwidth_says_on_how_many_cores_it_was_reached_and_never_more_than_there_are() -> None:
    for ranks, threads, cores in ((1, 1, 1), (2, 1, 2), (1, 4, 4), (2, 4, 4)):
        ceiling = measured(MEMORY, triad(40 * GIGA, ranks=ranks, threads=threads))
        assert ceiling is not None
        assert ceiling.threads == cores


def test_ranks_and_threads_multiply_in_the_flop_rate_too() -> None:
    ceiling = measured(FLOPS, dgemm(90 * GIGA, ranks=3, threads=1))
    assert ceiling is not None
    assert ceiling.threads == 3


def test_the_widest_kernel_tells_how_large_the_data_is() -> None:
    n = 20_000_000
    assert 24 * n > MEMORY.beyond_caches * LLC > 16 * n
    small = triad(10 * GIGA, n=n)
    copy = small.metrics["copy_bandwidth"].model_copy(update={"samples": [50 * GIGA]})
    subject = record("stream", small.metrics | {"copy_bandwidth": copy})
    ceiling = measured(MEMORY, subject, triad(20 * GIGA))
    assert ceiling is not None
    assert ceiling.value == pytest.approx(50 * GIGA)
    assert "cache" not in ENGLISH(ceiling.source)


def test_loads_alone_have_a_ceiling_of_their_own() -> None:
    loads = Samples(unit="B/s", samples=[30 * GIGA], counted=N, demand=[Demand(resource="memory.loads", amount=N)])
    ceiling = measured(LOADS, record("stream", {"dot_bandwidth": loads}, conditions={"working_set": 1e12}))
    assert ceiling is not None
    assert ceiling.value == pytest.approx(30 * GIGA)
    assert ENGLISH(ceiling.name) == "memory bandwidth of loads alone"


def test_what_asks_for_nothing_sets_no_ceiling_and_times_do_as_well_as_rates() -> None:
    assert value(MEMORY, record("stream", {"x": Samples(unit="B/s", samples=[1e12])})) is None
    work = Work(flops=0, bytes=1e9, moved=1e9)
    timed = Samples(unit="s", samples=[0.05], **work.of("s"))
    assert value(MEMORY, record("stream", {"time": timed})) == pytest.approx(20 * GIGA)


def test_known_peaks_are_theoretical_ceilings_and_unknown_ones_are_absent() -> None:
    theoretical = [c for c in ceilings((), MACHINE, BENCHMARKS) if c.kind == "theoretical"]
    assert [(c.resource, c.value) for c in theoretical] == [(FLOPS, 448 * GIGA)]
    assert "3.5 GHz" in ENGLISH(theoretical[0].source)


rates = st.lists(st.floats(1e6, 1e15), min_size=1, max_size=5)


@given(st.lists(rates, min_size=1, max_size=5))
def test_no_record_exceeds_the_ceiling_that_it_helped_to_set(runs: list[list[float]]) -> None:
    ceiling = value(MEMORY, *(triad(*run) for run in runs))
    assert ceiling is not None
    assert all(rate <= ceiling * (1 + 1e-12) for run in runs for rate in run)
