import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from banzuke.limit.model import Ceiling
from banzuke.limit.roofline import (
    Roof,
    Share,
    bandwidth_note,
    bound,
    compute_roof,
    last_level_cache,
    memory_roof,
    times,
    value_at,
)
from banzuke.limit.test_examples import BANDWIDTH, FMA_RATE, GIGA, LLC, MACHINE, dgemm, machine
from banzuke.machine.model import Cache
from banzuke.record.model import Host, Samples, Work

positive = st.floats(1e-3, 1e18)
F = Roof("flop_rate", 100 * GIGA, "F")
B = Roof("memory_bandwidth", 10 * GIGA, "B")


@given(flops=positive, moved=positive, compute=positive, memory=positive)
def test_the_slower_of_arithmetic_and_traffic_sets_the_best_time(
    flops: float, moved: float, compute: float, memory: float
) -> None:
    work = Work(flops=flops, bytes=moved, moved=moved)
    found = bound(work, Roof("flop_rate", compute, ""), Roof("memory_bandwidth", memory, ""))
    assert found.seconds == max(flops / compute, moved / memory)
    assert found.compute == (flops / compute >= moved / memory)


@given(flops=positive, moved=positive, faster=st.floats(1.0, 100.0))
def test_a_higher_roof_never_takes_longer(flops: float, moved: float, faster: float) -> None:
    work = Work(flops=flops, bytes=moved, moved=moved)
    before = bound(work, F, B).seconds
    after = bound(work, Roof(F.name, F.rate * faster, ""), B).seconds
    assert before is not None
    assert after is not None
    assert after <= before


@given(seconds=st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=5), flops=positive, counted=positive)
def test_time_and_value_are_inverse(seconds: list[float], flops: float, counted: float) -> None:
    work = Work(flops=flops, bytes=counted, moved=counted)
    for unit in ("flop/s", "B/s", "s"):
        values = [value_at(second, unit, work) for second in seconds]
        known = [value for value in values if value is not None]
        assume(all(known))
        assert times(Samples(unit=unit, samples=known, work=work)) == pytest.approx(seconds)


def test_units_without_a_time_and_work_without_a_count_give_no_value() -> None:
    assert value_at(1.0, "iterations", Work(flops=1, bytes=1, moved=1)) is None
    assert value_at(1.0, "flop/s", Work(flops=0, bytes=1, moved=1)) is None
    assert times(Samples(unit="B/s", samples=[1.0])) == ()
    nothing = Work(flops=0, bytes=0, moved=0)
    assert times(Samples(unit="B/s", samples=[1.0], work=nothing)) == ()
    assert times(Samples(unit="B/s", samples=[0.0], work=Work(flops=0, bytes=1, moved=1))) == ()


def test_no_work_has_no_best_time() -> None:
    found = bound(Work(flops=0, bytes=0, moved=0), F, B)
    assert found.seconds is None
    assert "counts no work" in found.reason


@pytest.mark.parametrize(
    ("flops", "compute", "memory", "seconds"),
    [
        pytest.param(0.1, "no F", B, 1e-10, id="little arithmetic needs no flop rate"),
        pytest.param(2.0, "no F", B, None, id="much arithmetic does"),
        pytest.param(100.0, F, "no B", 1e-9, id="much arithmetic needs no bandwidth"),
        pytest.param(2.0, F, "no B", None, id="little arithmetic does"),
        pytest.param(2.0, None, B, 1e-10, id="what is not declared is not asked"),
        pytest.param(2.0, F, None, 2e-11, id="nor for memory"),
    ],
)
def test_an_unknown_roof_is_left_out_only_where_it_cannot_bind(
    flops: float, compute: Roof | str | None, memory: Roof | str | None, seconds: float | None
) -> None:
    found = bound(Work(flops=flops, bytes=1, moved=1), compute, memory)
    assert found.seconds == (seconds if seconds is None else pytest.approx(seconds))
    assert (found.reason in ("no F", "no B")) == (seconds is None)


def test_work_that_nothing_declared_bounds_has_no_best_time() -> None:
    found = bound(Work(flops=0, bytes=1, moved=1), F, None)
    assert found.seconds is None
    assert found.reason


@given(cores=st.integers(1, 4))
def test_arithmetic_scales_with_cores_and_memory_does_not(cores: int) -> None:
    share = Share(cores, 4)
    assert compute_roof(FMA_RATE, share, MACHINE).rate == pytest.approx(cores / 4 * FMA_RATE.value)
    assert memory_roof(BANDWIDTH, share).rate == BANDWIDTH.value
    assert (f"{cores} of 4 cores" in memory_roof(BANDWIDTH, share).source) == (cores < 4)


def test_few_cores_may_clock_higher() -> None:
    boosting = machine(single_vector_hz=3.6e9, vector_hz=3.0e9)
    assert compute_roof(FMA_RATE, Share(1, 4), boosting).rate == pytest.approx(1.2 * FMA_RATE.value / 4)
    assert "3.6 GHz instead of 3 GHz" in compute_roof(FMA_RATE, Share(1, 4), boosting).source
    assert compute_roof(FMA_RATE, Share(4, 4), boosting).rate == FMA_RATE.value
    peak = Ceiling("flop_rate", 400 * GIGA, "theoretical", "")
    assert compute_roof(peak, Share(1, 4), boosting).rate == 100 * GIGA


def test_a_ceiling_of_one_core_scales_up() -> None:
    alone = Ceiling("flop_rate", 100 * GIGA, "measured", "", threads=1)
    assert compute_roof(alone, Share(4, 4), MACHINE).rate == 400 * GIGA


def test_hosts_add_up() -> None:
    hosts = [Host(name="a", ranks="0"), Host(name="b", ranks="1")]
    share = Share.of(dgemm(1.0, ranks=2, hosts=hosts), MACHINE)
    assert (share.cores, share.available) == (8, 8)
    assert memory_roof(BANDWIDTH, share).rate == 2 * BANDWIDTH.value
    assert compute_roof(FMA_RATE, share, MACHINE).rate == 2 * FMA_RATE.value
    assert compute_roof(Ceiling("flop_rate", 1.0, "theoretical", ""), share, MACHINE).rate == 2.0


def test_one_host_is_not_multiplied() -> None:
    assert "hosts" not in memory_roof(BANDWIDTH, Share(4, 4)).source
    assert "times 2 hosts" in memory_roof(BANDWIDTH, Share(8, 8, hosts=2)).source


def test_share_is_capped_at_the_machine() -> None:
    assert Share.of(dgemm(1.0, threads=8), MACHINE) == Share(4, 4)
    assert Share.of(dgemm(1.0, threads=2), MACHINE) == Share(2, 4)


def test_last_level_cache_sums_instances_of_the_highest_data_level() -> None:
    assert last_level_cache(MACHINE.caches) == LLC
    two = Cache(level=3, kind="unified", bytes=LLC, instances=2, shared_by=4)
    assert last_level_cache([*MACHINE.caches[:1], two]) == 2 * LLC
    code = Cache(level=1, kind="instruction", bytes=1 << 15, instances=4, shared_by=2)
    assert last_level_cache([code]) is None


def test_note_appears_only_where_counted_and_moved_bytes_differ() -> None:
    assert bandwidth_note(Work(flops=0, bytes=24, moved=24)) == ""
    assert "1.5 bytes move" in bandwidth_note(Work(flops=0, bytes=16, moved=24))
