"""Tests of lasting changes, by simulated series of one run a day."""

import pytest

from banzuke.compare.changes import LEAST, changes, is_suspected, reference
from banzuke.compare.testing import DAILY, false_alarms, found_in_a_week

YEARS = 6


@pytest.mark.parametrize("name", DAILY)
def test_a_figure_has_at_most_one_false_alarm_in_three_years(name: str) -> None:
    assert false_alarms(DAILY[name], YEARS) <= YEARS / 3


@pytest.mark.slow
def test_twenty_figures_have_at_most_one_in_a_year_together() -> None:
    years = 40
    assert 20 * false_alarms(DAILY["correlation 0.6"], years, figures=20) / years <= 1


@pytest.mark.parametrize(("name", "least"), list(zip(DAILY, (0.97, 0.75, 0.75, 0.7), strict=True)))
def test_a_lasting_change_of_5_percent_is_found_within_a_week(name: str, least: float) -> None:
    """With a spread of 1% it nearly always is, and with 1.5% as often as noise of this kind allows."""
    assert found_in_a_week(DAILY[name], 1.05, trials=100, noise_of_days=0.01) >= 0.93
    assert found_in_a_week(DAILY[name], 0.95, trials=100) >= least


def test_a_change_has_its_first_run_its_ratio_and_one_run_more_to_confirm_it() -> None:
    steady = [100.0, 100.3, 99.8, 100.1, 99.9] * 6
    values = [*steady, 90.0, 90.2, 89.9]
    assert not list(changes(values))
    assert is_suspected(values)
    (change,) = changes([*values, 90.1])
    assert (change.onset, change.confirmed) == (30, 33)
    assert change.ratio == pytest.approx(0.9, rel=0.005)


def test_further_runs_make_the_ratio_of_a_change_more_exact() -> None:
    steady = [100.0, 100.3, 99.8, 100.1, 99.9] * 4
    (change,) = changes([*steady, 93.0, 96.0, 96.0, 96.0, *([94.0] * 20)])
    assert change.ratio == pytest.approx(0.94, rel=0.001)


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
