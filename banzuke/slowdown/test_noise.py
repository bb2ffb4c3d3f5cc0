"""The formula is compared with figures printed for Fugaku, the measured distribution with the formula and
random draws.
"""

import math
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.errors import BanzukeError
from banzuke.record.figures import Distribution
from banzuke.report.testing.noise import fwq
from banzuke.slowdown.noise import FixedWork, Measured, PeriodicNoise
from banzuke.slowdown.remarks import ranks_text, remarks
from benchmarks.noise.quanta import RecordedNoise

LQCD = 250e-6
"""Seconds between synchronisations of the application in the report."""
NODES = 158_976


@pytest.mark.parametrize(
    ("length", "ranks", "slowdown"),
    [
        (1e-3, 4 * 100_000, 0.614),
        (1.13e-6, 4 * NODES, 0.001052),
        (0.10e-6, 4 * NODES, 0.000093),
        (1e-3, 100_000, 0.163),  # with one rank a node the printed figure does not follow
        (1e-3, NODES, 0.256),
        (1e-3, 4 * NODES, 0.931),
    ],
)
def test_the_published_slowdowns_follow_with_four_ranks_a_node(length: float, ranks: int, slowdown: float) -> None:
    # The report's first line has 1 ms every 600 s; the others keep its interval.
    assert PeriodicNoise(length, 600.0).slowdown(ranks, LQCD) == pytest.approx(slowdown, rel=0.008)


@given(
    length=st.floats(1e-9, 1.0),
    interval=st.floats(1e-3, 1e6),
    share=st.floats(1e-9, 1.0),
    ranks=st.integers(1, 10**9),
)
def test_the_inverse_leads_back_and_more_ranks_never_help(
    length: float, interval: float, share: float, ranks: int
) -> None:
    noise, period = PeriodicNoise(length, interval), interval * share
    slowdown = noise.slowdown(ranks, period)
    assert 0 < slowdown <= length / period * (1 + 1e-12)
    assert noise.bearable(slowdown, ranks, period) == pytest.approx(length, rel=1e-9)
    assert noise.slowdown(ranks + 1, period) >= slowdown * (1 - 1e-12)


@given(share=st.floats(1e-6, 0.999), slowdown=st.floats(1e-4, 10.0))
def test_the_number_of_ranks_leads_back_too(share: float, slowdown: float) -> None:
    noise, period = PeriodicNoise(1e-3, 1.0), share
    ranks = noise.ranks_for(slowdown, period)
    if ranks is None:
        assert noise.slowdown(10**9, period) <= slowdown * (1 + 1e-9)
    else:
        assert noise.slowdown(math.ceil(ranks), period) >= slowdown * (1 - 1e-9)
        assert ranks < 2 or noise.slowdown(math.floor(ranks), period) <= slowdown * (1 + 1e-9)


def test_tiny_chances_are_not_lost() -> None:
    assert PeriodicNoise(1e-6, 1e12).slowdown(1, 1e-6) == pytest.approx(1e-18, rel=1e-9, abs=0)


ONE_IN_FIFTY = Measured(quantum=6e-3, lines=[[2e-3 if i % 50 == 7 else 0.0 for i in range(10_000)]])


@pytest.mark.parametrize("ranks", [1, 100, 10**4, 10**7])
def test_of_one_noise_alone_the_distribution_says_what_the_formula_says(ranks: int) -> None:
    worst = ONE_IN_FIFTY.worst()
    assert worst is not None
    assert worst.length == 2e-3
    assert worst.interval == pytest.approx(0.3)
    assert ONE_IN_FIFTY.over(LQCD).slowdown(ranks) == pytest.approx(worst.slowdown(ranks, LQCD), rel=1e-9)


def heavy_tailed(seed: int) -> Measured:
    draw = random.Random(seed)  # noqa: S311
    return Measured(quantum=1e-3, lines=[[1e-6 * draw.paretovariate(1.5) for _ in range(5000)]])


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
    measured = Measured(quantum=1.0, lines=[[1, 1, 0, 0, 1, 1]])
    assert measured.over(2.0).counted == ((0, 1), (2, 2))
    with pytest.raises(BanzukeError, match="at most 6 s of work on a processor"):
        measured.over(6.1)


@pytest.mark.parametrize("period", [0.3, 1.0, 1.5, 2.25, 7.0, 40.0])
def test_one_rank_loses_what_the_quanta_lost_whatever_the_period(period: float) -> None:
    measured = Measured(quantum=1.0, lines=[[0.5] * 1000])
    assert measured.over(period).slowdown(1) == pytest.approx(0.5, rel=0.01)


def test_noise_of_nothing_is_none() -> None:
    silent = Measured(quantum=1e-3, lines=[[0.0] * 10])
    assert silent.worst() is None
    assert silent.over(1e-3).slowdown(10**6) == 0


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_what_is_not_finite_is_called_so(value: float) -> None:
    with pytest.raises(BanzukeError, match="the synchronisation interval is not finite"):
        PeriodicNoise(1.0, 1.0).slowdown(1, value)


@pytest.mark.parametrize("value", [0.0, -1.0, math.inf, math.nan])
def test_absurd_values_are_refused(value: float) -> None:
    with pytest.raises(BanzukeError):
        PeriodicNoise(value, 1.0)
    with pytest.raises(BanzukeError):
        PeriodicNoise(1.0, value)
    with pytest.raises(BanzukeError):
        PeriodicNoise(1.0, 1.0).slowdown(1, value)
    with pytest.raises(BanzukeError):
        Measured(value, [[1.0]])
    if value != 0:
        with pytest.raises(BanzukeError):
            Measured(1.0, [[value]])


def test_synchronising_more_rarely_than_noise_comes_is_refused_by_the_formula_alone() -> None:
    with pytest.raises(BanzukeError, match="rarer than synchronisation"):
        PeriodicNoise(1e-3, 1.0).slowdown(10, 2.0)
    with pytest.raises(BanzukeError, match="0 ranks"):
        PeriodicNoise(1e-3, 1.0).slowdown(0, 0.5)


def recorded(values: list[list[int]], clock: list[list[int]] | None = None, quantum: float = 1e-3) -> FixedWork:
    """Return the work of one host's processors, each with its quanta in ns above the shortest."""
    made = fwq(1, processors=len(values), quanta=len(values[0]), sick=None).record
    times = [
        line.model_copy(update={"values": quanta})
        for line, quanta in zip(made.series["time"].lines, values, strict=True)
    ]
    parts = clock or [[0] * len(quanta) for quanta in values]
    clocks = [
        line.model_copy(update={"values": quanta})
        for line, quanta in zip(made.series["clock"].lines, parts, strict=True)
    ]
    beyond = [
        max(0, v - c) for quanta, part in zip(values, parts, strict=True) for v, c in zip(quanta, part, strict=True)
    ]
    distributions = {
        name: Distribution(unit="s", resolution=1e-9, values=sorted(counts), counts=[counts[v] for v in sorted(counts)])
        for name, counts in (
            ("noise", Counter(value for quanta in values for value in quanta)),
            ("noise_beyond_clock", Counter(beyond)),
        )
    }
    series = {
        "time": made.series["time"].model_copy(update={"lines": times}),
        "clock": made.series["clock"].model_copy(update={"lines": clocks}),
    }
    conditions = {**made.conditions, "quantum": quantum}
    update = {"series": series, "distributions": distributions, "conditions": conditions}
    noise = RecordedNoise.of(made.model_copy(update=update))
    assert noise
    assert noise.fixed_work
    return noise.fixed_work


def test_a_record_gives_the_distribution_of_all_its_processors() -> None:
    lines = [[0] * 99 + [2000], [0] * 98 + [1000, 1000]]
    measured = recorded(lines).whole
    assert measured.quanta == 200
    worst = measured.worst()
    assert worst
    assert [worst.length, worst.interval] == pytest.approx([2e-6, 200 / 3 * 1e-3])
    assert measured.over(1e-4).slowdown(1) == pytest.approx(0.1 * 4e-6 / 200 / 1e-4)
    twice = Measured.together([recorded(lines).whole, recorded(lines).whole])
    assert (twice.quanta, len(twice.lines)) == (400, 4)


def test_sums_over_long_periods_do_not_cross_processors() -> None:
    values = [[0] * 50 + [1000, 1000], [3000, 3000] + [0] * 50]
    delays = recorded(values).whole.over(50e-3)
    assert [round(1e9 * delay) for delay, _ in delays.counted] == [0, 6000]


def test_the_clock_s_part_is_known_by_itself() -> None:
    values, clock = [[0] * 90 + [500] * 10], [[0] * 90 + [400] * 10]
    noise = recorded(values, clock)
    without, with_it = noise.beyond_clock, noise.whole
    assert without
    assert [measured.steps[-1][0] for measured in (without, with_it)] == pytest.approx([100e-9, 500e-9])
    long = [measured.over(100e-3).counted[-1][0] for measured in (without, with_it)]
    assert long == pytest.approx([1000e-9, 5000e-9])


def test_millions_of_different_sums_stay_few_and_hardly_larger() -> None:
    draw = random.Random(7)  # noqa: S311
    measured = Measured(1e-3, [[draw.paretovariate(1.2) for _ in range(60_000)]])
    delays = measured.over(2e-3)
    exact = [sum(measured.lines[0][at : at + 2]) for at in range(0, 60_000, 2)]
    assert len(delays.counted) < 12_000
    assert delays.counted[-1][0] == max(exact)
    seen = sum(delay * count for delay, count in delays.counted)
    assert sum(exact) <= seen <= sum(exact) * 1.001


def test_the_longest_seen_caps_from_where_every_other_period_meets_it() -> None:
    delays = ONE_IN_FIFTY.over(LQCD)
    ranks = delays.capped
    assert ranks
    assert delays.slowdown(round(ranks)) == pytest.approx(0.5 * 2e-3 / LQCD, rel=0.01)


@pytest.mark.parametrize("slowdown", [1e-3, 0.1, 3.0, 1e4])
def test_the_distribution_s_number_of_ranks_is_the_fewest_with_the_slowdown(slowdown: float) -> None:
    delays = heavy_tailed(1).over(1e-4)
    ranks = delays.ranks_for(slowdown)
    if ranks is None:
        assert delays.slowdown(10**12) < slowdown
    else:
        assert delays.slowdown(ranks) >= slowdown
        assert ranks == 1 or delays.slowdown(ranks - 1) < slowdown


def test_more_ranks_than_there_can_be_are_refused() -> None:
    for count in (10**12 + 1, 10**400):
        with pytest.raises(BanzukeError, match="so many ranks cannot wait"):
            PeriodicNoise(1e-3, 1.0).slowdown(count, 0.5)
        with pytest.raises(BanzukeError, match="so many ranks cannot wait"):
            ONE_IN_FIFTY.over(LQCD).slowdown(count)


def test_remarks_say_by_what_factor_and_why() -> None:
    measured = heavy_tailed(1)
    said = " ".join(remarks(measured.worst(), measured, measured.over(1e-4)))
    assert "At 1 rank the distribution gives" in said
    assert "times the formula" in said
    assert "A period is 10% of a quantum" in said
    assert "every other period meets the longest measured delay" in said
    missed = math.log(2) * measured.quantum * measured.quanta / 1e-4
    assert f"From {ranks_text(missed)}, noise too rare" in said
    alike = " ".join(remarks(ONE_IN_FIFTY.worst(), ONE_IN_FIFTY, ONE_IN_FIFTY.over(LQCD)))
    assert "agree within 20%" in alike
    often = Measured(1e-3, [[1e-5] * 1000])
    assert "The formula does not apply" in " ".join(remarks(None, often, often.over(1.0)))
    silent = Measured(1e-3, [[0.0] * 1000])
    assert "no noise to predict from" in " ".join(remarks(None, silent, silent.over(1.0)))
    several = " ".join(remarks(measured.worst(), measured, measured.over(7e-3)))
    assert "A period is 7 quanta" in several
