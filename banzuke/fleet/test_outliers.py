"""Thresholds follow spread and tail. scripts/simulate_screens.py has the shares for many whole screens."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.fleet.judge import FALSE_ALARMS
from banzuke.fleet.outliers import LEAST_SCALE, TailFit, fit, fit_few
from banzuke.fleet.slowness import Values
from scripts.simulate_screens import FIGURES, HEALTHY, SLOW

NODES = 10_000
PROBABILITY = FALSE_ALARMS / (NODES * (FIGURES + 1))


def beyond(slowness: Values) -> list[int]:
    """Return the indices of outliers."""
    fitted = fit(slowness)
    assert fitted
    return [int(at) for at in np.flatnonzero(fitted.distances(slowness) > fitted.threshold(PROBABILITY))]


@pytest.mark.parametrize("healthy", HEALTHY)
def test_of_200_000_healthy_values_none_stands_out(healthy: str) -> None:
    rng = np.random.default_rng(11)
    screens = [HEALTHY[healthy](rng, NODES) for _ in range(5)]
    alarms = [any(beyond(figure) for figure in screen.T) for screen in screens]
    assert sum(alarms) <= 1  # of 5; two happen once in 160 times if the share is 2.5%


def test_a_value_8_percent_slow_stands_out_where_the_spread_is_1_percent() -> None:
    figures = [figure for screen in range(5) for figure in HEALTHY["normal"](np.random.default_rng(screen), NODES).T]
    times = 0
    for figure in figures:
        figure[17] -= np.log1p(-SLOW)
        times += 17 in beyond(figure)
    assert times >= 0.97 * len(figures)


def test_many_slow_values_do_not_hide_each_other() -> None:
    slowness = HEALTHY["normal"](np.random.default_rng(1), NODES)[:, 0]
    slow = slice(0, NODES // 20)
    slowness[slow] += 0.15
    assert beyond(slowness) == list(range(NODES // 20))


def test_a_value_slow_within_its_bin_stands_out() -> None:
    slowness = HEALTHY["two bins"](np.random.default_rng(1), NODES)[:, 0]
    fitted = fit(slowness)
    assert fitted
    assert fitted.slow_bin
    assert fitted.slow_bin - fitted.centre == pytest.approx(0.03, abs=0.002)
    assert fitted.scale >= 0.0099  # values between the bins do not make it smaller
    in_slow_bin = int(np.argmin(np.abs(slowness - fitted.slow_bin)))
    slowness[in_slow_bin] += 0.08
    assert beyond(slowness) == [in_slow_bin]


def test_values_that_are_all_the_same_have_the_least_scale() -> None:
    slowness = np.zeros(NODES)
    assert beyond(slowness) == []
    slowness[0] = 10 * LEAST_SCALE
    assert beyond(slowness) == [0]


def test_few_values_have_wider_thresholds_and_two_have_none() -> None:
    slowness = HEALTHY["normal"](np.random.default_rng(2), NODES)[:, 0]
    fitted = [fit(slowness[:nodes]) for nodes in (4, 16, 100, 1000, NODES)]
    thresholds = [estimate.threshold(1e-5) / estimate.scale for estimate in fitted if estimate]
    assert thresholds == sorted(thresholds, reverse=True)
    assert len(thresholds) == len(fitted)
    assert fit(slowness[:2]) is None
    assert fit(np.array([0.0, np.nan, np.inf, 1.0])) is None


def test_scores_are_those_of_a_normal_distribution() -> None:
    levels = np.array([0.5, 0.1, 0.01, 1e-6])
    normal = TailFit(1.0, 0.02, 0.0, 100)
    heavy = TailFit(1.0, 0.02, 1 / 3, 100)
    for level, score in zip(levels, (0, 1.2816, 2.3263, 4.7534), strict=True):
        for estimate in (normal, heavy):
            assert estimate.scores(np.array([estimate.threshold(level)]))[0] == pytest.approx(score, abs=0.02)
    assert heavy.threshold(1e-6) == pytest.approx(0.02 * 103.3, rel=0.01)  # Student's t with 3 degrees of freedom


@given(st.lists(st.floats(width=64, allow_nan=True, allow_infinity=True), max_size=30))
def test_any_values_have_a_threshold_or_none(values: list[float]) -> None:
    slowness = np.clip(np.array(values, dtype=np.float64), -1e3, 1e3)
    fitted = fit(slowness)
    if fitted is not None:
        assert fitted.scale > 0
        assert 0 < fitted.threshold(1e-4) < np.inf


@pytest.mark.parametrize("number", [3, 5, 20])
@pytest.mark.parametrize("spread", [0.02, 0.1])
def test_of_few_earlier_values_the_next_is_no_outlier_more_often_than_stated(number: int, spread: float) -> None:
    seen = np.random.default_rng(7).normal(0, spread, (4000, number + 1))
    beyond = [
        estimate.distances(row[-1:])[0] > estimate.threshold(0.025)
        for row in seen
        if (estimate := fit_few(row[:-1])) is not None
    ]
    assert len(beyond) == 4000
    assert 0.012 < np.mean(beyond) < 0.032


def test_a_value_within_those_seen_before_is_no_outlier() -> None:
    fitted = fit_few(np.log(np.array([49.247, 29.833, 27.260])))
    assert fitted
    assert fitted.distances(np.log(np.array([46.086])))[0] < fitted.threshold(0.006)
    assert fit_few(np.array([1.0, np.nan, 2.0])) is None
