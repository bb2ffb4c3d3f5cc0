"""Tests of lasting changes, by simulated series of one run a day."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from banzuke.compare.changes import LEAST, LastingChange, changes, is_suspected, reference

YEAR, YEARS = 365, 6
NOISE = 0.015
"""Standard deviation of runs."""
Noise = Callable[[np.random.Generator, int], np.ndarray]


def independent(stream: np.random.Generator, runs: int) -> np.ndarray:
    return stream.standard_normal(runs)


def correlated(stream: np.random.Generator, runs: int) -> np.ndarray:
    """Return runs of which each has a correlation of 0.6 with the one before."""
    values = stream.standard_normal(runs)
    for at in range(1, runs):
        values[at] = 0.6 * values[at - 1] + 0.8 * values[at]
    return values


def heavy(stream: np.random.Generator, runs: int) -> np.ndarray:
    """Return values by Student's t of 3 degrees of freedom."""
    return stream.standard_t(3, runs)


def with_bad_runs(stream: np.random.Generator, runs: int) -> np.ndarray:
    """Return runs of which one in thirty is 15% low."""
    bad = stream.random(runs) < 1 / 30
    return np.where(bad, -10.0, independent(stream, runs))


def found(logs: np.ndarray | Sequence[float]) -> list[LastingChange]:
    return list(changes([math.exp(value) for value in logs]))


@pytest.mark.parametrize("noise", [independent, correlated, heavy, with_bad_runs])
def test_there_is_at_most_one_false_alarm_a_year(noise: Noise) -> None:
    stream = np.random.default_rng(1)
    alarms = [change for _ in range(YEARS) for change in found(NOISE * noise(stream, YEAR))]
    assert len(alarms) <= 0.5 * YEARS


@pytest.mark.parametrize(("noise", "least"), [(independent, 0.8), (heavy, 0.6), (with_bad_runs, 0.7)])
@pytest.mark.parametrize("ratio", [0.95, 1.05])
def test_a_lasting_change_of_5_percent_is_found_within_a_week(noise: Noise, least: float, ratio: float) -> None:
    stream, begin, trials = np.random.default_rng(2), 40, 100
    hits = 0
    for _ in range(trials):
        logs = NOISE * noise(stream, begin + 7)
        logs[begin:] += math.log(ratio)
        hits += any(begin < change.confirmed and (change.ratio > 1) == (ratio > 1) for change in found(logs))
    assert hits >= least * trials


def test_a_change_has_its_first_run_its_ratio_and_one_run_more_to_confirm_it() -> None:
    steady = [100.0, 100.3, 99.8, 100.1, 99.9] * 6
    values = [*steady, 90.0, 90.2, 89.9]
    assert not list(changes(values))
    assert is_suspected(values)
    (change,) = changes([*values, 90.1])
    assert (change.onset, change.confirmed) == (30, 33)
    assert change.ratio == pytest.approx(0.9, rel=0.005)


def test_two_bad_runs_are_no_change() -> None:
    steady = [100.0, 100.3, 99.8, 100.1, 99.9] * 6
    assert not list(changes([*steady, 50.0, 50.0, *steady]))


def test_one_change_follows_another() -> None:
    steady = [100.0, 100.3, 99.8, 100.1, 99.9] * 4
    levels = [0.8 * value for value in steady]
    down, up = changes([*steady, *levels, *steady])
    assert (down.onset, up.onset) == (20, 40)
    assert down.ratio == pytest.approx(0.8, rel=0.01)
    assert up.ratio == pytest.approx(1.25, rel=0.01)


def test_equal_runs_vary_by_something() -> None:
    assert not list(changes([1.0] * 50))
    held = reference([1.0] * 50)
    assert held
    assert held.finds(7) == LEAST
    (change,) = changes([*[1.0] * 20, *[0.9] * 4])
    assert change.onset == 20


def test_too_few_runs_tell_nothing() -> None:
    assert reference([1.0] * 11) is None
    assert not list(changes([]))
    assert not list(changes([1.0] * 5 + [0.5] * 5))
    assert not is_suspected([1.0])
