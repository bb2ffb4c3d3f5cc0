"""Intervals from the medians of launches: their coverage, and what they are for few launches."""

import math
from collections.abc import Callable

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from banzuke.compare.statistics import (
    CONFIDENCE,
    MOST_FREEDOM_OF_THREE,
    Interval,
    Launches,
    geometric_mean,
    launch_spread,
    mean_interval,
    paired_interval,
    ratio_interval,
    times_better,
)

WITHIN = 0.005
TRIALS = 4000
"""A coverage of 95% is then known to within 0.7% (two standard errors)."""

medians = st.lists(st.floats(min_value=1e-3, max_value=1e3), min_size=2, max_size=10)


def drawn(seed: int, launches: int, samples: int, between: float) -> list[list[float]]:
    """Draw medians of the launches of many equal sides; `between`: spread between launches relative to that within."""
    stream = np.random.default_rng(seed)
    within = WITHIN * stream.standard_normal((TRIALS, launches, samples))
    shift = between * WITHIN * stream.standard_normal((TRIALS, launches, 1))
    drawn_medians: list[list[float]] = np.median(np.exp(within + shift), axis=2).tolist()
    return drawn_medians


CELLS = [
    (launches, other, samples, between)
    for launches, other in ((3, 3), (3, 10), (5, 5), (10, 10))
    for samples, between in ((5, 0.0), (5, 4.0), (20, 2.0), (100, 0.0), (100, 4.0))
]


@pytest.mark.parametrize(("launches", "other", "samples", "between"), CELLS)
def test_the_interval_covers_the_true_ratio_as_often_as_it_says(
    launches: int, other: int, samples: int, between: float
) -> None:
    a, b = drawn(1, launches, samples, between), drawn(2, other, samples, between)
    intervals = [ratio_interval(Launches(x), Launches(y)) for x, y in zip(a, b, strict=True)]
    assert 0.93 <= share(intervals) <= 0.975


@pytest.mark.parametrize(("launches", "other", "wider"), [(3, 10, 0.6), (3, 50, 1.5)])
def test_three_launches_against_many_with_any_spread_cover_no_less(launches: int, other: int, wider: float) -> None:
    """With Welch's own degrees of freedom, 3 against 50 would cover 92%."""
    stream = np.random.default_rng(11)
    trials = 15_000
    a = np.exp(WITHIN * stream.standard_normal((trials, launches))).tolist()
    b = np.exp(wider * WITHIN * stream.standard_normal((trials, other))).tolist()
    assert share([ratio_interval(Launches(x), Launches(y)) for x, y in zip(a, b, strict=True)]) >= 0.93


@pytest.mark.parametrize("launches", [3, 5, 10])
def test_heavy_tails_cover_no_less(launches: int) -> None:
    stream = np.random.default_rng(12)
    a, b = (np.exp(WITHIN * stream.standard_t(3, (TRIALS, launches))).tolist() for _ in range(2))
    assert share([ratio_interval(Launches(x), Launches(y)) for x, y in zip(a, b, strict=True)]) >= 0.93


def alike(stream: np.random.Generator) -> np.ndarray:
    """Draw launches that correlate with the one before by 0.3."""
    logs = stream.standard_normal((TRIALS, 5))
    for place in range(1, 5):
        logs[:, place] = 0.3 * logs[:, place - 1] + math.sqrt(1 - 0.3**2) * logs[:, place]
    return logs


def with_outliers(stream: np.random.Generator) -> np.ndarray:
    """Draw launches of which one in ten is off by thirty times the spread of the rest."""
    far = stream.random((TRIALS, 5)) < 0.1
    return np.asarray(stream.standard_normal((TRIALS, 5)) + 30 * (far - 0.1))


@pytest.mark.parametrize(
    ("draw", "times"),
    [
        (lambda stream: stream.uniform(-1, 1, (TRIALS, 5)), 93),
        (lambda stream: stream.exponential(1, (TRIALS, 5)) - 1, 88),
        (alike, 88),
        (with_outliers, 41),
    ],
)
def test_launches_of_other_kinds_are_covered_as_often_as_is_told(
    draw: Callable[[np.random.Generator], np.ndarray], times: int
) -> None:
    """Times in 100, as in the docstring of `banzuke.compare.statistics`."""
    medians = np.exp(WITHIN * draw(np.random.default_rng(13))).tolist()
    assert share([mean_interval(Launches(launches)) for launches in medians]) == pytest.approx(times / 100, abs=0.01)


@pytest.mark.parametrize("launches", [2, 3, 5, 10])
@pytest.mark.parametrize("drift", [0.0, 4.0])
def test_paired_intervals_do_whatever_both_sides_of_a_pair_share(launches: int, drift: float) -> None:
    shared = np.exp(drift * WITHIN * np.random.default_rng(3).standard_normal((TRIALS, launches)))
    a, b = ((np.array(drawn(seed, launches, 20, 1.0)) * shared).tolist() for seed in (4, 5))
    assert 0.93 <= share([paired_interval(x, y) for x, y in zip(a, b, strict=True)]) <= 0.975


@pytest.mark.parametrize("launches", [3, 5, 10])
def test_a_sides_own_interval_covers_its_value(launches: int) -> None:
    assert 0.93 <= share([mean_interval(Launches(x)) for x in drawn(6, launches, 20, 2.0)]) <= 0.975


@pytest.mark.parametrize(("launches", "other"), [(2, 2), (2, 3), (2, 10)])
def test_two_launches_are_told_from_too_seldom_and_never_too_often(launches: int, other: int) -> None:
    """With Welch's own degrees of freedom, 2 against 10 would cover 90%."""
    a, b = drawn(7, launches, 20, 2.0), drawn(8, other, 20, 2.0)
    assert share([ratio_interval(Launches(x), Launches(y)) for x, y in zip(a, b, strict=True)]) >= 0.975


@pytest.mark.parametrize("other", [3, 10])
def test_one_launch_with_the_spread_of_others_covers_no_less(other: int) -> None:
    """Even if these others are the launches of the other side."""
    single, theirs = drawn(9, 1, 20, 2.0), drawn(10, other, 20, 2.0)
    intervals = [ratio_interval(Launches(x, y), Launches(y)) for x, y in zip(single, theirs, strict=True)]
    assert 0.93 <= share(intervals) <= 0.975


def share(intervals: list[Interval | None]) -> float:
    return sum(interval is not None and 1 in interval for interval in intervals) / len(intervals)


@given(medians, medians)
def test_intervals_agree_with_the_tests_of_scipy(a: list[float], b: list[float]) -> None:
    few = min(len(a), len(b))
    assume(min(len(set(a)), len(set(b)), len({x / y for x, y in zip(a, b, strict=False)})) > 2)
    logs, others = np.log(a), np.log(b)
    welch = scipy.stats.ttest_ind(logs, others, equal_var=False)
    assume(few > 3 or welch.df <= MOST_FREEDOM_OF_THREE)
    for interval, test in (
        (ratio_interval(Launches(a), Launches(b)), welch),
        (paired_interval(a[:few], b[:few]), scipy.stats.ttest_rel(logs[:few], others[:few])),
        (mean_interval(Launches(a)), scipy.stats.ttest_1samp(logs, 0)),
    ):
        expected = test.confidence_interval(CONFIDENCE)
        assert interval == pytest.approx((np.exp(expected.low), np.exp(expected.high)))


def test_a_single_launch_has_no_interval() -> None:
    assert mean_interval(Launches([7.0])) is None
    assert ratio_interval(Launches([7.0]), Launches([1.0, 2.0, 3.0])) is None
    assert ratio_interval(Launches([1.0, 2.0, 3.0]), Launches([7.0], [6.0])) is None
    assert paired_interval([7.0], [6.0]) is None
    assert launch_spread([7.0]) is None


def test_launches_that_agree_exactly_differ_only_if_they_are_many() -> None:
    """So many that agreement by chance is rarer than the interval's error."""
    assert ratio_interval(Launches([3.0] * 3), Launches([2.0] * 3)) is None
    assert ratio_interval(Launches([3.0] * 4), Launches([2.0] * 4)) == pytest.approx((1.5, 1.5))
    assert paired_interval([3.0] * 5, [2.0] * 5) is None
    assert paired_interval([3.0] * 6, [2.0] * 6) == pytest.approx((1.5, 1.5))
    assert mean_interval(Launches([3.1] * 6)) == pytest.approx((3.1, 3.1))


def test_the_spread_is_relative() -> None:
    assert launch_spread([99.0, 101.0]) == pytest.approx(math.sqrt(2) / 100, rel=1e-3)
    assert launch_spread([0.1] * 7) == 0


@settings(max_examples=30)
@given(medians, medians)
def test_exchanging_the_sides_inverts_the_interval(a: list[float], b: list[float]) -> None:
    forth, back = ratio_interval(Launches(a), Launches(b)), ratio_interval(Launches(b), Launches(a))
    if forth is None or back is None:
        assert forth == back
        return
    assert forth.low == pytest.approx(1 / back.high) or forth.low == 0 == 1 / back.high
    middle = (geometric_mean(a) or 0.0) / (geometric_mean(b) or 1.0)
    assert forth.low / (1 + 1e-12) <= middle <= forth.high * (1 + 1e-12)


def test_extreme_values_have_a_ratio() -> None:
    assert times_better(1e300, 1e-300, "higher") == math.inf
    assert times_better(1e-300, 1e300, "lower") == math.inf
    assert times_better(0.0, 1.0, "higher") is None
    interval = ratio_interval(Launches([1e300, 1e-300]), Launches([1.0, 1.0]))
    assert interval == (0.0, math.inf)
    assert geometric_mean([1.7e308] * 3) == pytest.approx(1.7e308)
