"""Tests of interpolation from few values: exact for suitable functions, and at computed points."""

import random
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from banzuke.predict.explore.interpolant import PLACES, Family, Interpolant, Numbers, factors, interpolate, places_of

NOMINAL = [0.0, -1.0, 0.0]
FAMILIES: Sequence[Family] = ("newton", "hat")


def fitted(function: Callable[..., float], family: Family, most: int = 200) -> Interpolant:
    def vector(at: Sequence[float]) -> Numbers:
        return np.array([function(*at)])

    return interpolate(vector, family, NOMINAL, most, 1e-9, np.ones(1))


def anywhere(number: int = 50) -> list[list[float]]:
    draw = random.Random(2)  # noqa: S311  (a test)
    return [[draw.uniform(-1, 1) for _ in NOMINAL] for _ in range(number)]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("nominal", [0.0, -1.0])
def test_each_function_is_1_at_its_place_and_0_at_those_before(family: Family, nominal: float) -> None:
    places = places_of(family, nominal)
    assert places[0] == nominal
    assert len(set(places)) == len(places) == sum(PLACES[family])
    assert {min(places), max(places)} == {-1, 1}
    for number, place in enumerate(places):
        values = factors(family, places, place)
        assert values[number] == pytest.approx(1)
        assert values[number + 1 :] == pytest.approx([0] * (len(places) - number - 1), abs=1e-12)


def test_polynomials_are_exact() -> None:
    interpolant = fitted(lambda x, y, z: 1 + x * y + 2 * z**2 * x - y**3, "newton")
    assert all(
        interpolant(at)[0] == pytest.approx(1 + at[0] * at[1] + 2 * at[2] ** 2 * at[0] - at[1] ** 3)
        for at in anywhere()
    )
    assert len(interpolant.indices) < 200


@pytest.mark.parametrize("family", FAMILIES)
def test_computed_points_are_met(family: Family) -> None:
    interpolant = fitted(lambda x, y, z: np.exp(x - y) + abs(z - 0.1), family)
    for index in interpolant.indices:
        x, y, z = (axis[i] for axis, i in zip(interpolant.places, index, strict=True))
        assert interpolant([x, y, z])[0] == pytest.approx(np.exp(x - y) + abs(z - 0.1), abs=1e-9)


def test_hats_follow_a_kink_that_polynomials_do_not() -> None:
    interpolants = {family: fitted(lambda x, *_: max(x, 0.3), family) for family in FAMILIES}
    worst = {
        family: max(abs(interpolant(at)[0] - max(at[0], 0.3)) for at in anywhere())
        for family, interpolant in interpolants.items()
    }
    assert worst["hat"] < 0.02 < worst["newton"]


def test_the_number_of_points_is_kept() -> None:
    interpolant = fitted(lambda x, y, z: 1 / (1.1 + x * y * z), "newton", most=40)
    assert 40 <= len(interpolant.indices) <= 50


def test_what_is_far_from_any_other_is_computed_too() -> None:
    """Use a function that is zero at both ends of every axis and on each axis alone."""
    interpolant = fitted(lambda x, _, z: x * z, "newton")
    assert interpolant([0.5, -1.0, 0.5])[0] == pytest.approx(0.25)


def test_nothing_varies() -> None:
    interpolant = interpolate(lambda _: np.array([3.0, 4.0]), "hat", [], 10, 1e-3, np.ones(2))
    assert list(interpolant([])) == [3.0, 4.0]
