# ruff: noqa: S311, nothing here is secret
import math
import random
from statistics import median as reference_median
from statistics import quantiles as reference_quantiles

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banzuke.compare.statistics import (
    Interval,
    median,
    median_interval,
    quantile,
    quantiles,
    spread,
)

positive = st.floats(min_value=1e-9, max_value=1e15)
samples = st.lists(positive, min_size=5, max_size=30)
exact_factor = st.sampled_from([2.0**power for power in (-20, -3, 1, 10, 30)])


@given(samples)
def test_median_and_quartiles_agree_with_the_standard_library(values: list[float]) -> None:
    assert median(values) == pytest.approx(reference_median(values), rel=1e-12)
    assert quantiles(values, (0.25, 0.5, 0.75)) == pytest.approx(
        reference_quantiles(values, n=4, method="inclusive"), rel=1e-9
    )


def test_quantile_of_known_values() -> None:
    assert quantile([4.0, 1.0, 3.0, 2.0], 0) == 1
    assert quantile([4.0, 1.0, 3.0, 2.0], 1) == 4
    assert quantile([1.0, 2.0, 3.0, 4.0], 0.5) == 2.5
    assert spread([1.0, 2.0, 3.0, 4.0, 5.0]) == pytest.approx(2 / 3)


@pytest.mark.parametrize("fraction", [-0.1, 1.1, math.nan])
def test_a_fraction_outside_0_to_1_is_refused(fraction: float) -> None:
    with pytest.raises(ValueError, match="not a fraction"):
        quantile([1.0], fraction)


def test_no_samples_are_refused() -> None:
    with pytest.raises(ValueError, match="no samples"):
        median([])


def test_few_samples_have_a_median_and_nothing_else() -> None:
    assert median([7.0]) == 7
    assert spread([7.0]) is None
    assert median_interval([7.0]) is None
    assert median_interval([1.0, 2.0, 3.0, 4.0]) is None, "all four hold it between them in 88 of 100 cases"
    assert spread([-1.0, 0.0, 1.0]) is None


def test_equal_samples_have_an_interval_of_one_point() -> None:
    assert median_interval([3.0] * 8) == Interval(3.0, 3.0)


@settings(deadline=None, max_examples=30)
@given(samples)
def test_the_interval_lies_within_the_samples_and_holds_the_median(values: list[float]) -> None:
    interval = median_interval(values)
    assert interval is not None
    assert min(values) <= interval.low <= interval.high <= max(values)
    assert median(values) in interval


@settings(deadline=None, max_examples=30)
@given(samples, exact_factor)
def test_units_do_not_matter(a: list[float], factor: float) -> None:
    scaled = [value * factor for value in a]
    interval, larger = median_interval(a), median_interval(scaled)
    assert interval is not None
    assert larger == Interval(interval.low * factor, interval.high * factor)


def exact(count: int) -> float:
    """Return the exact coverage of the interval for this many independent samples, with any distribution."""
    interval = median_interval([float(i) for i in range(count)])
    assert interval is not None
    low, high = int(interval.low), int(interval.high)
    assert high == count - 1 - low
    return math.fsum(math.comb(count, below) / 2**count for below in range(low + 1, count - low))


def test_95_percent_intervals_of_any_number_of_samples_cover_the_true_median_that_often() -> None:
    assert exact(5) == 0.9375
    assert all(0.95 <= exact(count) < 0.993 for count in (*range(6, 130), 500, 999, 1000, 1500))


def test_a_simulation_agrees() -> None:
    stream = random.Random(7)
    hits = [1.0 in (median_interval([stream.lognormvariate(0, 0.3) for _ in range(7)]) or ()) for _ in range(4000)]
    assert 0.975 < sum(hits) / 4000 < 0.993
