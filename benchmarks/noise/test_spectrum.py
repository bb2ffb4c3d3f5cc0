"""Tests that peaks of given events are found, and no others."""

import random

import numpy as np
import pytest

from benchmarks.noise.families import Numbers
from benchmarks.noise.spectrum import repeated, spectrum
from benchmarks.noise.testing import RATE, WORK, taken


def work(seconds: int = 16, *, tick: float = 0.0, every: int = 4, rare: float = 0.0, seed: int = 1) -> Numbers:
    """Return work per millisecond, with some random loss, ticks, and an event each 91 ms (`tick`, `rare`: seconds)."""
    source = random.Random(seed)  # noqa: S311
    series: list[float] = []
    for at in range(seconds * RATE):
        lost = abs(source.gauss(0, 2e-7)) + (tick if at % every == 1 else 0.0) + (rare if at % 91 == 7 else 0.0)
        series.append(round(WORK * (1 - lost * RATE)))
    return np.array(series)


@pytest.mark.parametrize(("processors", "seconds"), [(1, 9), (1, 16), (3, 9), (3, 40)])
def test_ticks_are_found_with_their_length(processors: int, seconds: int) -> None:
    result = spectrum([work(seconds, tick=3e-6, rare=40e-6, seed=seed) for seed in range(processors)], 1 / RATE)
    assert result
    assert [round(peak.frequency, 1) for peak in result.peaks] == [11.0, 250.0]
    rare, tick = result.peaks
    assert tick.lost == pytest.approx(3e-6, rel=0.05)
    assert rare.lost == pytest.approx(40e-6, rel=0.05)
    assert rare.multiples > 40
    assert result.at(250) is tick
    assert result.at(251) is None


def lost(rate: float, seconds: int = 8, drift: float = 0.0, noise: float = 1e-7, shared: float = 0.0) -> Numbers:
    """Return the seconds that each millisecond lost to ticks of 9 to 24 us; after some of them others ran for 4 ms."""
    source = random.Random(7)  # noqa: S311
    losses = [abs(source.gauss(0, noise)) for _ in range(seconds * RATE)]
    time = source.random() / rate
    while time < seconds - 0.1:
        end = time + source.uniform(9e-6, 24e-6) + (4e-3 if source.random() < shared else 0.0)
        for interval in range(int(time * RATE), int(end * RATE) + 1):
            part = min(end, (interval + 1) / RATE) - max(time, interval / RATE)
            losses[interval] = min(1 / RATE, losses[interval] + part)
        time += (1 + drift) / rate
    return np.array(losses)


@pytest.mark.parametrize("rate", [100, 250, 300])
@pytest.mark.parametrize("drift", [0.0, 5e-5])
@pytest.mark.parametrize("shared", [0.0, 0.03, 0.2])
def test_an_event_costs_what_is_lost_at_each_and_not_at_some(rate: int, drift: float, shared: float) -> None:
    cost = repeated(lost(rate, drift=drift, shared=shared), 1 / RATE, rate)
    assert cost
    assert 9e-6 <= cost <= 16e-6


def test_what_does_not_come_at_that_rate_or_in_nearly_every_interval_costs_nothing_known() -> None:
    assert repeated(lost(250, shared=0.05), 1 / RATE, 300) is None
    assert repeated(lost(250, noise=50e-6), 1 / RATE, 250) is None
    assert repeated(lost(250), 1 / RATE, 600) is None
    assert repeated(lost(250)[:200], 1 / RATE, 250) is None


def test_what_stands_higher_at_a_multiple_comes_by_itself() -> None:
    slow, fast = work(16, tick=10e-6, every=50), work(16, tick=30e-6, every=5)
    alone, both = (spectrum([series], 1 / RATE) for series in (slow, slow + fast))
    assert alone
    assert both
    assert [round(peak.frequency) for peak in alone.peaks] == [20]
    assert [round(peak.frequency) for peak in both.peaks] == [20, 200]


LONG, SHORT, TINY = (1.0, 50e-3), (0.097, 1e-3), (0.00731, 10e-6)


@pytest.mark.parametrize(
    "sources",
    [
        (LONG, SHORT),
        (LONG, TINY),
        ((2.3, 20e-3), (0.0317, 100e-6)),
        ((0.413, 5e-3), (0.0317, 100e-6)),
        (LONG, SHORT, TINY),
        (LONG, SHORT, (0.0317, 0.1e-3), TINY),
        ((0.0997137, 2e-3), (0.0997137 / 3.05, 0.3e-3)),
        ((0.0997137, 2e-3), (0.0997137 / 7.1, 0.3e-3)),
    ],
    ids=lambda sources: " ".join(f"{length * 1e3:g}/{period * 1e3:.4g}" for period, length in sources),
)
def test_each_of_several_is_found_with_its_length_and_nothing_else(sources: tuple[tuple[float, float], ...]) -> None:
    result = spectrum([taken(*sources)], 1 / RATE)
    assert result
    expected = sorted((1 / period, length) for period, length in sources)
    assert [peak.frequency for peak in result.peaks] == pytest.approx([rate for rate, _ in expected], rel=1e-3)
    for peak, (rate, length) in zip(result.peaks, expected, strict=True):
        if length < 0.1 / rate and rate < 100:
            assert peak.lost == pytest.approx(length, rel=0.2)


def test_the_shortest_is_found_beside_a_long_one_that_leaves_traces() -> None:
    result = spectrum([taken(LONG, (0.0117, 10e-6))], 1 / RATE)
    assert result
    assert result.at(1.0)
    assert result.at(1 / 0.0117)
    assert len(result.peaks) <= 3


def test_short_ones_beside_long_ones_that_come_a_little_early_or_late() -> None:
    result = spectrum([taken((0.413, 5e-3), SHORT, jitter=0.01)], 1 / RATE)
    assert result
    assert [round(peak.frequency, 1) for peak in result.peaks] == [2.4, 10.3]


def test_a_drift_hides_nothing() -> None:
    drifting = work(tick=3e-6, rare=40e-6) * (1 - 0.3 * np.arange(16_000) / 16_000)
    result = spectrum([drifting], 1 / RATE)
    assert result
    assert [round(peak.frequency, 1) for peak in result.peaks] == [11.0, 250.0]


def test_what_is_left_of_lines_that_were_taken_out_is_no_peak() -> None:
    for short in (5.0, 150.0, 20_000.0, WORK):
        result = spectrum([np.where(np.arange(17_000) % 100 == 7, WORK - short, WORK)], 1 / RATE)
        assert result
        assert [round(peak.frequency, 2) for peak in result.peaks] == [10.0]


def test_noise_at_random_has_no_peak() -> None:
    for seed in range(20):
        result = spectrum([work(4, seed=seed)], 1 / RATE)
        assert result
        assert result.peaks == ()


def test_what_comes_more_often_than_half_the_intervals_is_sought_where_it_appears() -> None:
    result = spectrum([work(4)], 1 / RATE)
    assert result
    assert result.highest == pytest.approx(500)
    assert [result.seen(rate) for rate in (100, 700, 1000, 1250)] == pytest.approx([100, 300, 0, 250])


@pytest.mark.parametrize("series", [[], [[1.0] * 10], [[0.0] * 100]])
def test_too_little_has_none(series: list[list[float]]) -> None:
    assert spectrum([np.array(values) for values in series], 1e-3) is None
