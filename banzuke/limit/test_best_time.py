from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from banzuke.judge.test_examples import GIGA, LLC, MACHINE
from banzuke.limit.best_time import Asked, TimeBound, bound, last_level_cache
from banzuke.limit.capacity import Roof
from banzuke.machine.site import Cache
from banzuke.record.figures import Samples
from banzuke.testing import FLOPS, LOADS, MEMORY, plain
from banzuke.words import Message

positive = st.floats(1e-3, 1e18)
F, B, L = Roof(100 * GIGA, plain("F"), FLOPS), Roof(10 * GIGA, plain("B"), MEMORY), Roof(8 * GIGA, plain("L"), LOADS)


def asked(flops: float, moved: float, compute: Roof | Message = F, memory: Roof | Message = B) -> TimeBound:
    return bound(
        [
            Asked(flops, FLOPS.name, compute, at_least=FLOPS.at_least),
            Asked(moved, MEMORY.name, memory, at_least=MEMORY.at_least),
        ]
    )


@given(flops=positive, moved=positive, compute=positive, memory=positive)
def test_the_slower_of_arithmetic_and_traffic_sets_the_best_time(
    flops: float, moved: float, compute: float, memory: float
) -> None:
    best = asked(flops, moved, Roof(compute, plain("here"), FLOPS), Roof(memory, plain("here"), MEMORY))
    assert best.seconds == max(flops / compute, moved / memory)
    assert best.compute == (flops / compute >= moved / memory)


@given(flops=positive, moved=positive, faster=st.floats(1.0, 100.0))
def test_a_higher_roof_never_takes_longer(flops: float, moved: float, faster: float) -> None:
    before, after = asked(flops, moved).seconds, asked(flops, moved, replace(F, rate=F.rate * faster)).seconds
    assert before is not None
    assert after is not None
    assert after <= before


def test_the_largest_of_many_demands_binds_and_is_named() -> None:
    best = bound([Asked(10.0, FLOPS.name, F), Asked(10.0, MEMORY.name, B), Asked(9.0, LOADS.name, L)])
    assert best.seconds == pytest.approx(9.0 / L.rate)
    assert (best.resource, best.memory, best.compute) == ("memory.loads", True, False)


@given(seconds=st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=5), counted=st.floats(1e-3, 1e15))
def test_time_and_value_are_inverse_for_rates_of_anything(seconds: list[float], counted: float) -> None:
    for unit in ("flop/s", "B/s", "1/s", "update/s", "s"):
        made = Samples(unit=unit, samples=[1.0], counted=counted)
        values = [value for second in seconds if (value := made.value_at(second)) is not None]
        assume(all(1e-30 <= value <= 1e30 for value in values))
        assert Samples(unit=unit, samples=values, counted=counted).seconds == pytest.approx(seconds)


def test_units_without_a_time_and_work_without_a_count_give_no_value() -> None:
    assert Samples(unit="iterations", samples=[1.0], counted=1.0).value_at(1.0) is None
    assert Samples(unit="flop/s", samples=[1.0]).value_at(1.0) is None
    assert Samples(unit="B/s", samples=[1.0]).seconds == ()
    assert Samples(unit="B/s", samples=[0.0], counted=1.0).seconds == ()
    assert Samples(unit="1", samples=[1.0], counted=1.0).seconds == ()


def test_no_work_has_no_best_time() -> None:
    best = asked(0, 0)
    assert best.seconds is None
    assert best.reason


@pytest.mark.parametrize(
    ("flops", "compute", "memory", "seconds"),
    [
        pytest.param(0.1, plain("no F"), B, 1e-10, id="little arithmetic needs no flop rate"),
        pytest.param(2.0, plain("no F"), B, None, id="much arithmetic does"),
        pytest.param(100.0, F, plain("no B"), 1e-9, id="much arithmetic needs no bandwidth"),
        pytest.param(2.0, F, plain("no B"), None, id="little arithmetic does"),
        pytest.param(2.0, plain("no F"), plain("no B"), None, id="nothing is known"),
    ],
)
def test_an_unknown_roof_is_left_out_only_where_it_cannot_bind(
    flops: float, compute: Roof | Message, memory: Roof | Message, seconds: float | None
) -> None:
    best = asked(flops, 1, compute, memory)
    assert best.seconds == (seconds if seconds is None else pytest.approx(seconds))
    assert (best.reason in (plain("no F"), plain("no B"))) == (seconds is None)


def test_what_is_within_a_known_rate_is_left_out_where_it_is_unknown_itself() -> None:
    loads = Asked(1.0, LOADS.name, plain("no L"), within=(MEMORY.name,))
    assert bound([Asked(1.0, MEMORY.name, B), loads]).seconds == pytest.approx(1 / B.rate)
    assert bound([Asked(1.0, MEMORY.name, plain("no B")), loads]).reason == plain("no B")
    assert bound([loads]).reason == plain("no L")


def test_a_rate_that_no_benchmark_bounds_leaves_the_limit_unknown() -> None:
    assert bound([Asked(1.0, MEMORY.name, B), Asked(1e-9, "link.bytes", plain("no link"))]).reason == plain("no link")


def test_last_level_cache_sums_instances_of_the_highest_data_level() -> None:
    assert last_level_cache(MACHINE.allotment.caches) == LLC
    two = Cache(level=3, kind="unified", bytes=LLC, instances=2, shared_by=4)
    assert last_level_cache([*MACHINE.allotment.caches[:1], two]) == 2 * LLC
    code = Cache(level=1, kind="instruction", bytes=1 << 15, instances=4, shared_by=2)
    assert last_level_cache([code]) is None
