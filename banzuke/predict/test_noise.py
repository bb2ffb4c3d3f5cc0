"""The formula against the figures printed for Fugaku, the measured distribution against the formula and real draws."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.errors import BanzukeError
from banzuke.predict.noise import Measured, Noise

LQCD = 250e-6
"""Seconds between synchronisations of the application in the report."""
NODES = 158_976


@pytest.mark.parametrize(
    ("length", "ranks", "slowdown"),
    [
        (1e-3, 4 * 100_000, 0.614),
        (1.13e-6, 4 * NODES, 0.001052),
        (0.10e-6, 4 * NODES, 0.000093),
        (1e-3, 100_000, 0.163),  # one rank a node does not give what the report prints
        (1e-3, NODES, 0.256),
        (1e-3, 4 * NODES, 0.931),
    ],
)
def test_the_published_slowdowns_follow_with_four_ranks_a_node(length: float, ranks: int, slowdown: float) -> None:
    # The report's first line has 1 ms every 600 s; the others keep its interval.
    assert Noise(length, 600.0).slowdown(ranks, LQCD) == pytest.approx(slowdown, rel=0.008)


@given(
    length=st.floats(1e-9, 1.0),
    interval=st.floats(1e-3, 1e6),
    share=st.floats(1e-9, 1.0),
    ranks=st.integers(1, 10**9),
)
def test_the_inverse_leads_back_and_more_ranks_never_help(
    length: float, interval: float, share: float, ranks: int
) -> None:
    noise, period = Noise(length, interval), interval * share
    slowdown = noise.slowdown(ranks, period)
    assert 0 < slowdown <= length / period * (1 + 1e-12)
    assert noise.bearable(slowdown, ranks, period) == pytest.approx(length, rel=1e-9)
    assert noise.slowdown(ranks + 1, period) >= slowdown * (1 - 1e-12)


@given(share=st.floats(1e-6, 0.999), slowdown=st.floats(1e-4, 10.0))
def test_the_number_of_ranks_leads_back_too(share: float, slowdown: float) -> None:
    noise, period = Noise(1e-3, 1.0), share
    ranks = noise.ranks_for(slowdown, period)
    if ranks is None:
        assert noise.slowdown(10**9, period) <= slowdown * (1 + 1e-9)
    else:
        assert noise.slowdown(math.ceil(ranks), period) >= slowdown * (1 - 1e-9)
        assert ranks < 2 or noise.slowdown(math.floor(ranks), period) <= slowdown * (1 + 1e-9)


def test_tiny_chances_are_not_lost() -> None:
    assert Noise(1e-6, 1e12).slowdown(1, 1e-6) == pytest.approx(1e-18, rel=1e-9)


ONE_IN_FIFTY = Measured(quantum=6e-3, lengths=[2e-3 if i % 50 == 7 else 0.0 for i in range(10_000)])


@pytest.mark.parametrize("ranks", [1, 100, 10**4, 10**7])
def test_of_one_noise_alone_the_distribution_says_what_the_formula_says(ranks: int) -> None:
    worst = ONE_IN_FIFTY.worst()
    assert worst is not None
    assert worst.length == 2e-3
    assert worst.interval == pytest.approx(0.3)
    assert ONE_IN_FIFTY.over(LQCD).slowdown(ranks) == pytest.approx(worst.slowdown(ranks, LQCD), rel=1e-9)


def heavy_tailed(seed: int) -> Measured:
    draw = random.Random(seed)  # noqa: S311
    return Measured(quantum=1e-3, lengths=[1e-6 * draw.paretovariate(1.5) for _ in range(5000)])


@pytest.mark.parametrize("period", [1e-4, 1e-3, 7e-3])
@pytest.mark.parametrize("ranks", [1, 30, 300])
def test_the_longest_delay_is_that_of_drawing_for_every_rank(period: float, ranks: int) -> None:
    measured = heavy_tailed(1)
    delays = measured.over(period)
    seen = [delay for delay, count in delays.counted for _ in range(count)]
    draw = random.Random(2)  # noqa: S311

    def one() -> float:
        return draw.choice(seen) if draw.random() < delays.chance else 0.0

    drawn = [max(one() for _ in range(ranks)) for _ in range(3000)]
    expected = sum(drawn) / len(drawn) / period
    assert delays.slowdown(ranks) == pytest.approx(expected, rel=0.15)
    assert delays.simulate(ranks, 30_000, seed=3) == pytest.approx(delays.slowdown(ranks), rel=0.1)


def test_ten_million_ranks_meet_the_longest_delay_seen() -> None:
    delays = heavy_tailed(4).over(1e-3)
    longest = delays.counted[-1][0]
    assert delays.slowdown(10**7) == pytest.approx(longest / 1e-3, rel=1e-9)
    assert delays.simulate(10**7, 100, seed=5) == pytest.approx(longest / 1e-3, rel=1e-9)


def test_long_periods_take_blocks_of_quanta_as_they_followed_each_other() -> None:
    measured = Measured(quantum=1.0, lengths=[1, 1, 0, 0, 1, 1])
    assert measured.over(2.0).counted == ((0, 1), (2, 2))
    assert measured.over(100.0).counted == ((4, 1),)


def test_noise_of_nothing_is_none() -> None:
    silent = Measured(quantum=1e-3, lengths=[0.0] * 10)
    assert silent.worst() is None
    assert silent.over(1e-3).slowdown(10**6) == 0


@pytest.mark.parametrize("value", [0.0, -1.0, math.inf, math.nan])
def test_absurd_values_are_refused(value: float) -> None:
    with pytest.raises(BanzukeError):
        Noise(value, 1.0)
    with pytest.raises(BanzukeError):
        Noise(1.0, value)
    with pytest.raises(BanzukeError):
        Noise(1.0, 1.0).slowdown(1, value)
    with pytest.raises(BanzukeError):
        Measured(value, [1.0])
    if value != 0:
        with pytest.raises(BanzukeError):
            Measured(1.0, [value])


def test_synchronising_more_rarely_than_noise_comes_is_refused_by_the_formula_alone() -> None:
    with pytest.raises(BanzukeError, match="rarer than synchronisation"):
        Noise(1e-3, 1.0).slowdown(10, 2.0)
    with pytest.raises(BanzukeError, match="0 ranks"):
        Noise(1e-3, 1.0).slowdown(0, 0.5)
