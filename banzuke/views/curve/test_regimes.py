import random
from collections.abc import Callable
from itertools import pairwise
from math import inf, nan, sqrt
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.judge.outliers import outliers
from banzuke.record.figures import Curve, Point, Samples
from banzuke.report.testing.messages import THROUGH_A_BUCKET
from banzuke.views.curve.regimes import FEWEST, ODD_SHARE, SHARP, FitParameter, Regime, regimes
from banzuke.views.curve.statistics import message_times, metrics_of, statistics

SIZES = [0.0, *(float(1 << power) for power in range(23))]
KIB = 1024.0


def along(time: Callable[[float], float], sizes: list[float] = SIZES) -> list[tuple[float, float]]:
    return [(size, time(size)) for size in sizes]


def line(alpha: float, beta: float) -> Callable[[float], float]:
    return lambda size: alpha + size / beta


def eager(size: float) -> float:
    """Return the time with a protocol for small messages, and one with a handshake from 8 KiB on."""
    return line(1e-6, 5e9)(size) if size < 8 * KIB else line(3e-6, 10e9)(size)


def between_devices(size: float) -> float:
    """Return the time of copies by the processor up to 8 KiB, then staged by one adapter, from 512 KiB on by two."""
    if size <= 8 * KIB:
        return line(2.5e-6, 4e9)(size)
    return line(8e-6, 6.3e9)(size) if size < 512 * KIB else line(30e-6, 9.5e9)(size)


def noisy(time: Callable[[float], float], sigma: float, seed: int) -> Callable[[float], float]:
    source = random.Random(seed)  # noqa: S311
    return lambda size: time(size) * max(0.2, 1 + source.gauss(0, sigma))


def beta_of(regime: Regime) -> float | None:
    return regime.beta.known if regime.beta else None


alphas = st.floats(1e-8, 1e-3)
betas = st.floats(1e6, 1e12)


@given(alpha=alphas, beta=betas)
def test_one_protocol_is_one_regime_with_its_own_parameters(alpha: float, beta: float) -> None:
    (regime,) = regimes(along(line(alpha, beta)))
    assert (regime.first, regime.last, regime.sizes, regime.odd) == (0, 4 << 20, len(SIZES), ())
    assert regime.alpha.known == pytest.approx(alpha, rel=1e-3)
    if SIZES[-1] / beta > 0.01 * alpha:
        assert beta_of(regime) == pytest.approx(beta, rel=1e-3)
        assert regime.half_size == pytest.approx(alpha * beta, rel=1e-2)
    assert regime.worst < 1e-6


@given(
    alpha=alphas,
    beta=betas,
    sizes=st.sets(st.integers(0, 1 << 23), min_size=FEWEST, max_size=30),
    scale=st.floats(1e-3, 1e3),
    steps=st.lists(st.floats(0.5, 4.0), min_size=30, max_size=30),
)
def test_regimes_hold_each_size_once_and_in_order_whatever_the_unit_of_time(
    alpha: float, beta: float, sizes: set[int], scale: float, steps: list[float]
) -> None:
    points = [(float(n), line(alpha, beta)(n) * step) for n, step in zip(sorted(sizes), steps, strict=False)]
    fitted = regimes(points)
    assert all(before.last < after.first for before, after in pairwise(fitted))
    odd = [size for regime in fitted for size in regime.odd]
    assert not fitted or sum(regime.sizes for regime in fitted) + len(odd) == len(points)
    assert all(regime.sizes >= FEWEST for regime in fitted)
    assert regimes(reversed(points)) == fitted
    scaled = regimes([(n, scale * t) for n, t in points])
    assert [(r.first, r.last) for r in scaled] == [(r.first, r.last) for r in fitted]
    assert [r.alpha.value for r in scaled] == pytest.approx(
        [scale * r.alpha.value for r in fitted], rel=1e-3, abs=1e-12 * scale
    )


@pytest.mark.parametrize("sigma", [0.0, 0.02, 0.05])
def test_the_size_where_the_protocol_changes_is_found(sigma: float) -> None:
    for seed in range(20):
        small, large = regimes(along(noisy(eager, sigma, seed)))
        assert (small.last, large.first) == (4 * KIB, 8 * KIB)
        assert small.alpha.known == pytest.approx(1e-6, rel=0.1)
        assert large.beta
        assert large.beta.value == pytest.approx(10e9, rel=0.1)


def test_a_change_of_slope_alone_is_one_of_protocol() -> None:
    at = 64 * KIB
    fast, slow = line(1e-6, 10e9), line(1e-6 + at / 10e9 - at / 5e9, 5e9)
    first, second = regimes(along(lambda n: fast(n) if n <= at else slow(n)))
    assert (first.last, second.first) == (at, 2 * at)
    assert beta_of(second) == pytest.approx(5e9)
    assert second.alpha.value < 0
    assert second.half_size is None


@pytest.mark.parametrize(("sigma", "allowed"), [(0.05, 0), (0.1, 2), (0.2, 5)])
def test_noise_is_no_change_of_protocol(sigma: float, allowed: int) -> None:
    split = [seed for seed in range(60) if len(regimes(along(noisy(line(1e-6, 1e10), sigma, seed)))) != 1]
    assert len(split) <= allowed


@pytest.mark.parametrize("loud", [lambda n: n >= 64 * KIB, lambda n: n < 64])
def test_noise_at_some_sizes_alone_is_no_change_of_protocol(loud: Callable[[float], bool]) -> None:
    quiet = noisy(line(1e-6, 1e10), 0.01, 1)

    def partly(seed: int) -> Callable[[float], float]:
        noise = noisy(line(1e-6, 1e10), 0.15, seed)
        return lambda n: noise(n) if loud(n) else quiet(n)

    split = [seed for seed in range(40) if len(regimes(along(partly(seed)))) > 1]
    assert len(split) <= 8


def test_what_is_all_noise_has_no_line() -> None:
    assert sum(bool(regimes(along(noisy(line(1e-6, 1e10), 0.6, seed)))) for seed in range(40)) <= 8


def test_a_line_is_told_for_the_sizes_that_it_holds_for() -> None:
    (regime,) = regimes(along(lambda n: line(1e-6, 1e10)(n) * (3 if n == 4 << 20 else 1)))
    assert (regime.last, regime.odd) == (2 << 20, (4 << 20,))
    assert regime.sizes == len(SIZES) - 1


def test_two_odd_sizes_at_an_end_are_no_regime_of_their_own() -> None:
    (regime,) = regimes(along(lambda n: line(1e-6, 1e10)(n) * (10 if n > 1 << 20 else 1)))
    assert regime.odd == (2 << 20, 4 << 20)


def test_several_odd_sizes_are_left_out_and_do_not_bend_the_line() -> None:
    odd = {64.0: 3.0, 32 * KIB: 7.0, 4096 * KIB: 0.5}
    (regime,) = regimes(along(lambda n: line(1e-6, 1e10)(n) * odd.get(n, 1.0)))
    assert regime.odd == tuple(odd)
    assert regime.alpha.known == pytest.approx(1e-6)
    assert beta_of(regime) == pytest.approx(1e10)


def test_a_line_of_mostly_odd_sizes_is_none() -> None:
    for regime in regimes(along(lambda n: line(1e-6, 1e10)(n) * (1 + int(n) % 5))):
        assert len(regime.odd) <= max(1, (regime.sizes + len(regime.odd)) // ODD_SHARE)


def test_sizes_somewhat_off_the_line_pull_less_than_in_least_squares() -> None:
    (regime,) = regimes(along(lambda n: line(1e-6, 1e10)(n) * (1.15 if n in (512 * KIB, 2048 * KIB) else 1)))
    assert regime.odd == ()
    assert beta_of(regime) == pytest.approx(1e10, rel=0.01)  # 3% less with least squares


@pytest.mark.parametrize("sizes", [SIZES, SIZES[11:19], SIZES[11:15], SIZES[14:17]], ids=len)
@pytest.mark.parametrize("sigma", [0.002, 0.02])
def test_the_interval_of_a_parameter_holds_the_truth(sizes: list[float], sigma: float) -> None:
    alpha, slope = 1e-5, 1e-9
    fits = [regimes(along(noisy(line(alpha, 1 / slope), sigma, seed), sizes)) for seed in range(200)]
    lines = [(regime.alpha, regime.beta) for (regime,) in fits if regime.beta]
    assert len(lines) == len(fits)
    held = [abs(a.value - alpha) <= a.error * abs(a.value) for a, _ in lines]
    assert 0.91 <= fmean(held) <= 0.99
    held = [abs(1 / b.value - slope) <= b.error / b.value for _, b in lines]
    assert 0.91 <= fmean(held) <= 0.99


def heavy_tailed(source: random.Random) -> float:
    """Return Student's t with two degrees of freedom: one in fifty is ten times as far off as usual."""
    return max(0.2, 1 + 0.03 * source.gauss(0, 1) / sqrt(source.expovariate(1) + 1e-9))


def one_in_ten_far_off(source: random.Random) -> float:
    return (1 + source.gauss(0, 0.02)) * (source.uniform(1.5, 5) if source.random() < 0.1 else 1)


def as_large_as_what_is_asked(source: random.Random) -> float:
    return max(0.2, 1 + source.gauss(0, 0.15))


@pytest.mark.parametrize(
    ("disturbance", "share_known"), [(heavy_tailed, 0.5), (one_in_ten_far_off, 0.6), (as_large_as_what_is_asked, 0.0)]
)
def test_what_is_told_under_noise_is_true(disturbance: Callable[[random.Random], float], share_known: float) -> None:
    parameters = []
    for seed in range(60):
        source = random.Random(seed)  # noqa: S311
        for regime in regimes([(n, eager(n) * disturbance(source)) for n in SIZES]):
            if regime.last < 8 * KIB:
                parameters += [(regime.alpha, 1e-6), (regime.beta, 5e9)]
            elif regime.first >= 8 * KIB:
                parameters += [(regime.alpha, 3e-6), (regime.beta, 1e10)]
    shown = [(parameter.known, truth) for parameter, truth in parameters if parameter and parameter.known is not None]
    wrong = [value for value, truth in shown if abs(value / truth - 1) > SHARP]
    assert len(shown) >= share_known * len(parameters)
    assert len(wrong) <= 0.05 * len(shown)


@pytest.mark.parametrize("times", THROUGH_A_BUCKET.values(), ids=THROUGH_A_BUCKET)
def test_a_token_bucket_has_its_rate_or_none(times: list[float]) -> None:
    """Small messages cost only the start; those that fit into the bucket pass while it fills from both sides."""
    rate = 430e6 / 8 * 1448 / 1514
    small, *middle, large = regimes([(n, 1e-6 * time) for n, time in zip(SIZES, times, strict=True)])
    assert small.alpha.known == pytest.approx(1e-6 * times[4], rel=0.05)
    assert beta_of(small) is None
    assert all(beta_of(regime) in (None, pytest.approx(2 * rate, rel=0.1)) for regime in middle)
    assert beta_of(large) in (None, pytest.approx(rate, rel=0.1))
    assert large.last == SIZES[-1]
    if times is THROUGH_A_BUCKET["steady"]:
        assert beta_of(large) == pytest.approx(rate, rel=0.02)


def test_a_parameter_is_known_when_its_interval_is_narrow() -> None:
    assert FitParameter(2e-6, SHARP).known == 2e-6
    assert FitParameter(2e-6, 1.01 * SHARP).known is None


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("factor", [0.3, 2.0, 50.0])
def test_one_odd_size_does_not_bend_the_line(size: float, factor: float) -> None:
    (regime,) = regimes(along(lambda n: line(1e-6, 1e10)(n) * (factor if n == size else 1)))
    assert regime.odd == (size,)
    assert regime.alpha.known == pytest.approx(1e-6)
    assert beta_of(regime) == pytest.approx(1e10)
    assert regime.worst < 1e-6


def test_a_time_that_does_not_grow_has_no_rate() -> None:
    (regime,) = regimes(along(lambda _: 2e-6))
    assert regime.alpha.known == pytest.approx(2e-6)
    assert (regime.beta, regime.half_size) == (None, None)
    (falling,) = regimes(along(lambda n: 2e-6 * (1 - n / 1e9)))
    assert falling.beta is None


@pytest.mark.parametrize("points", [[], [(0, 1e-6)], [(0, 1e-6), (8, 2e-6)], [(0, nan), (1, inf), (2, 0.0), (3, 1.0)]])
def test_too_few_sizes_have_no_line(points: list[tuple[float, float]]) -> None:
    assert regimes(points) == ()


def test_a_rate_is_the_time_of_one_message() -> None:
    curve = Curve(
        along="message size",
        unit="B",
        points=[
            Point(at=0, metrics={"latency": Samples(unit="s", samples=[1.0, 2.0, 9.0])}),
            Point(at=64, metrics={"bandwidth": Samples(unit="B/s", samples=[16.0])}),
            Point(at=128, metrics={"bandwidth": Samples(unit="B/s", samples=[0.0])}),
        ],
    )
    assert metrics_of(curve) == ["latency", "bandwidth"]
    assert message_times(curve, "latency") == [(0, 2.0)]
    assert message_times(curve, "bandwidth") == [(64, 4.0)]


def test_the_average_of_rates_is_all_work_over_all_time() -> None:
    assert statistics(Samples(unit="B/s", samples=[1.0, 3.0])).mean == pytest.approx(2 / (1 + 1 / 3))
    assert statistics(Samples(unit="B/s", samples=[0.0, 3.0])).mean == 0.0
    assert statistics(Samples(unit="s", samples=[1.0, 3.0])).mean == 2.0


@pytest.mark.parametrize(
    ("count", "fractions"),
    [
        (1, []),
        (19, []),
        (20, [0.25, 0.75]),
        (100, [0.05, 0.25, 0.75, 0.95]),
        (1000, [0.01, 0.05, 0.25, 0.75, 0.95, 0.99]),
        (10000, [0.01, 0.05, 0.25, 0.75, 0.95, 0.99, 0.999]),
    ],
)
def test_a_percentile_needs_samples_beyond_it(count: int, fractions: list[float]) -> None:
    summary = statistics(Samples(unit="s", samples=[1.0 + index / count for index in range(count)]))
    assert list(summary.percentiles) == fractions
    assert list(summary.percentiles.values()) == sorted(summary.percentiles.values())
    for fraction, value in summary.percentiles.items():
        assert value == pytest.approx(1 + fraction, abs=2 / count)


@given(st.lists(st.floats(1e-9, 1e3), min_size=1, max_size=200))
def test_statistics_lie_within_the_samples(values: list[float]) -> None:
    times, rates = (statistics(Samples(unit=unit, samples=values)) for unit in ("s", "B/s"))
    for summary in (times, rates):
        assert summary.minimum <= summary.median <= summary.maximum
        assert summary.minimum * (1 - 1e-9) <= summary.mean <= summary.maximum * (1 + 1e-9)
        assert summary.outliers.share <= summary.outliers.time_share <= 1
        assert summary.outliers.share <= 0.5
    assert rates.mean <= fmean(values) * (1 + 1e-9)


def test_far_samples_are_outliers_and_noise_is_not() -> None:
    source = random.Random(1)  # noqa: S311
    quiet = [1e-6 * (1 + 0.05 * source.gauss(0, 1)) for _ in range(990)]
    assert outliers(quiet).count == 0
    far = outliers(quiet + [50e-6] * 10)
    assert (far.count, far.share) == (10, 0.01)
    assert far.farthest == pytest.approx(50, rel=0.05)
    assert far.time_share == pytest.approx(500 / (500 + 990), rel=0.02)


def test_steady_samples_make_no_outlier_of_what_the_clock_rounds() -> None:
    assert outliers([1e-6] * 99 + [1.4e-6]).count == 0
    assert outliers([1e-6] * 99 + [1.6e-6]).count == 1
    assert outliers([1e-6, nan]).count == 0


def test_a_slow_window_is_an_outlier_of_a_bandwidth() -> None:
    slow = statistics(Samples(unit="B/s", samples=[1e10] * 9 + [1e9])).outliers
    assert slow.count == 1
    assert slow.farthest == pytest.approx(10)
    assert statistics(Samples(unit="B/s", samples=[1e10] * 9 + [9e10])).outliers.count == 0


@pytest.mark.parametrize("seed", range(5))
def test_each_path_between_devices_begins_at_its_size(seed: int) -> None:
    fitted = regimes(along(noisy(between_devices, 0.003, seed)))
    assert [(regime.first, regime.last) for regime in fitted] == [
        (0, 8 * KIB),
        (16 * KIB, 256 * KIB),
        (512 * KIB, 4096 * KIB),
    ]
