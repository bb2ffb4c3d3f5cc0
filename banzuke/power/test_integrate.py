import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.power.integrate import MeasuredEnergy, Sensor, SensorReading, Timed, integrate

RATING = 1000.0
RANGE = 262143.328850
"""Range of RAPL on many processors in J."""
COUNTER = Sensor("powercap/intel-rapl:0", "energy", "package", RANGE)
WATTS = Sensor("hwmon/power1", "power", "node")


def counted(power: Callable[[float], float], end: float, every: float = 0.1, start: float = 0.0) -> list[SensorReading]:
    """Return the readings of a counter that starts at `start` and integrates in steps of a tenth of `every`."""
    readings, joule, time = [SensorReading(0.0, start)], start, 0.0
    while time < end - 1e-9:
        for _ in range(10):
            joule += power(time) * every / 10
            time += every / 10
        readings.append(SensorReading(time, joule % RANGE))
    return readings


def measured(result: object) -> MeasuredEnergy:
    assert isinstance(result, MeasuredEnergy), result
    return result


@given(
    st.floats(1.0, 900.0),
    st.floats(0.0, 20.0),
    st.lists(st.tuples(st.floats(1.0, 18.0), st.floats(0.01, 2.0)), min_size=1, max_size=5),
)
def test_a_constant_power_gives_its_energy_through_any_wrap(
    watt: float, wraps: float, drawn: list[tuple[float, float]]
) -> None:
    start = RANGE - wraps * watt
    timed = Timed.of((begin, begin + length) for begin, length in drawn)
    result = integrate(COUNTER, counted(lambda _: watt, 20.5, start=start), timed, RATING)
    if isinstance(result, MeasuredEnergy):
        assert result.joule == pytest.approx(watt * timed.seconds, rel=1e-6)
        assert 0 <= result.uncertainty <= 0.1 + 1e-9
        assert result.rate == pytest.approx(10)
    else:
        assert result == "too-short"
        assert any(length < 2 for _, length in drawn)


@given(st.floats(0.0, 1.0), st.floats(100.0, 500.0), st.floats(10.0, 90.0))
def test_what_the_machine_takes_before_and_after_is_at_most_the_uncertainty(
    offset: float, busy: float, idle: float
) -> None:
    begin, end = 2.0 + offset, 9.3 + offset
    readings = counted(lambda time: busy if begin <= time < end else idle, 15.0)
    result = measured(integrate(COUNTER, readings, Timed.of([(begin, end)]), RATING))
    assert abs(result.joule - busy * (end - begin)) <= (result.uncertainty + 0.005) * result.joule


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0, 100)), max_size=6), st.floats(-10, 110), st.floats(-10, 110))
def test_time_within_parts_is_that_of_their_union(drawn: list[tuple[float, float]], first: float, other: float) -> None:
    timed = Timed.of(drawn)
    low, high = sorted((first, other))
    assert timed.seconds <= sum(max(0.0, end - begin) for begin, end in drawn) + 1e-9
    exact = math.fsum(max(0.0, min(end, high) - max(begin, low)) for begin, end in timed.parts)
    assert timed.within(low, high) == pytest.approx(exact, abs=1e-9)
    assert all(before[1] < after[0] for before, after in zip(timed.parts, timed.parts[1:], strict=False))


PARTS = Timed.of([(2.0, 8.0)])


def test_a_power_is_integrated_between_its_readings() -> None:
    ramp = [SensorReading(time / 4, 100.0 + time) for time in range(41)]
    assert measured(integrate(WATTS, ramp, PARTS, RATING)).joule == pytest.approx(6 * 120)


@pytest.mark.parametrize(
    ("sensor", "readings", "why"),
    [
        pytest.param(
            COUNTER, [SensorReading(t / 10, 7.0) for t in range(101)], "stands-still", id="counter that stands"
        ),
        pytest.param(
            WATTS, [SensorReading(t / 10, 7.0) for t in range(101)], "stands-still", id="power that never changes"
        ),
        pytest.param(WATTS, [SensorReading(t / 10, 0.0) for t in range(9)], "stopped", id="ended before"),
        pytest.param(COUNTER, counted(lambda _: 50.0, 5.0), "stopped", id="ended within"),
        pytest.param(
            COUNTER,
            [SensorReading(t / 10, 5.0 * min(t, 50)) for t in range(101)],
            "stands-still",
            id="counter that stops counting",
        ),
        pytest.param(
            Sensor("a", "energy", "package"),
            [SensorReading(t / 10, 5.0 * (t % 40)) for t in range(101)],
            "goes-back",
            id="a counter that begins again without a range",
        ),
        pytest.param(
            COUNTER, [SensorReading(t / 10, 5.0 * (t % 40)) for t in range(101)], "goes-back", id="one that was reset"
        ),
        pytest.param(COUNTER, counted(lambda _: 1500.0, 10.0), "impossible", id="counter above the rating"),
        pytest.param(WATTS, [SensorReading(t / 10, 990.0 + t) for t in range(101)], "impossible", id="power above it"),
        pytest.param(WATTS, [SensorReading(t / 10, 9.0 - t) for t in range(101)], "impossible", id="power below 0"),
        pytest.param(
            WATTS,
            [SensorReading(t / 10, 100.0 + t) for t in range(101) if not 40 < t < 60],
            "gap",
            id="readings of a power that are missing",
        ),
        pytest.param(
            Sensor("a", "energy", "package", 100.0),
            [SensorReading(t / 2, 30.0 * t % 100) for t in range(21)],
            "gap",
            id="a counter that may begin again twice between readings",
        ),
        pytest.param(COUNTER, counted(lambda _: 50.0, 10.0, every=2.5), "too-short", id="seldom read"),
        pytest.param(
            COUNTER,
            [SensorReading(t / 10, 500.0 * (t // 50)) for t in range(101)],
            "too-short",
            id="a counter that seldom counts",
        ),
        pytest.param(COUNTER, [], "stopped", id="none"),
    ],
)
def test_sensors_that_cannot_be_used(sensor: Sensor, readings: list[SensorReading], why: str) -> None:
    assert integrate(sensor, readings, PARTS, RATING) == why


def test_a_counter_bridges_readings_that_are_missing() -> None:
    readings = [reading for reading in counted(lambda _: 100.0, 10.0) if not 4 < reading.time < 6]
    assert measured(integrate(COUNTER, readings, PARTS, RATING)).joule == pytest.approx(600)


def test_readings_that_a_clock_set_back_repeats_do_not_count_twice() -> None:
    readings = counted(lambda _: 100.0, 10.0)
    assert measured(integrate(COUNTER, [*readings[:50], *readings[40:]], PARTS, RATING)).joule == pytest.approx(600)


def test_what_a_sensor_belongs_to() -> None:
    assert COUNTER.source == "powercap/intel-rapl:"
    assert Sensor("nvml", "energy", "device").source == "nvml"
