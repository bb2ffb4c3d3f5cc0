"""What fits into a budget, and how an evaluation proceeds by the clock, with benchmarks that take no time."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

import pytest

from banzuke.errors import BanzukeError
from banzuke.machine.allotment import AllottedDevice
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark, Collection, Devices, Layout, Metric, Scalar, Sizing, Statistic
from banzuke.plan.budget import LAUNCHES, Budget, Fitted, Schedule, divided, fit, lengths
from banzuke.plan.case import Case, key
from banzuke.plan.cases import plan
from banzuke.plan.cut_short import cut_short, messages, missing
from banzuke.plan.request import Request
from banzuke.plan.resource import Resources
from banzuke.plan.variant import Variants
from banzuke.testing import MEMORY, machine
from banzuke.words.language import words

MACHINE = machine()


def made(name: str, *seconds: float, timed: tuple[float, float] | None = None, weight: float = 1.0) -> Benchmark:
    """A benchmark whose cases take so many seconds, the first where no length is chosen."""

    def defaults(_machine: Machine, layout: Layout) -> dict[str, Scalar]:
        return {"seconds": layout.seconds or seconds[0]}

    def sweep(_machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
        others: list[dict[str, Scalar]] = [{"seconds": took, "number": index} for index, took in enumerate(seconds[1:])]
        return [(Layout(1, 1), settings) for settings in ({}, *others)]

    def estimate(_machine: Machine, _layout: Layout, parameters: Mapping[str, Scalar]) -> float:
        return float(parameters["seconds"])

    metrics = (Metric("rate", "1/s", "higher", "Rate", headline=True),)
    return Benchmark(name, name, metrics, defaults, sweep, estimate, sizing=Sizing(lengths=timed, weight=weight))


def fitted(seconds: float, *chosen: Benchmark, repeat: int | None = None, request: Request | None = None) -> Fitted:
    asked = request or Request()
    return fit(
        {benchmark.name: benchmark for benchmark in chosen},
        lambda benchmark: plan(benchmark, MACHINE, asked),
        seconds,
        repeat,
    )


def carried_out(
    evaluation: Fitted, factor: float = 1.0, before: int = 0
) -> tuple[list[tuple[float, Case, int]], float, Budget]:
    """Launches with the time at which each began, the time at which it was over, and what became of the budget.

    Each takes `factor` times its estimate. `before`: launches after which it is interrupted, and another one goes on.
    """
    schedule, clock = Schedule(evaluation.cases, evaluation.budget), 0.0
    begun: list[tuple[float, Case, int]] = []
    while launch := schedule.next(clock):
        case, repetition = launch
        begun.append((clock, case, repetition))
        clock += case.seconds * factor
        schedule.ended(key(case), case.seconds * factor)
        if len(begun) == before:
            schedule = Schedule(evaluation.cases, evaluation.budget)
            for _, earlier, _ in begun:
                schedule.ended(key(earlier), earlier.seconds * factor)
    return begun, clock, schedule.over()


def headline_launches(begun: list[tuple[float, Case, int]], name: str) -> list[tuple[float, int]]:
    """When the headline of a benchmark was launched."""
    return [
        (clock, number) for clock, case, number in begun if case.benchmark == name and "number" not in case.parameters
    ]


SEVERAL = (made("a", 4, 2, 2, 2), made("b", 3, 1, 1), made("c", 5, *[3] * 40), made("d", 2, *[1] * 20))


def test_time_that_one_does_not_want_goes_to_the_others_by_weight() -> None:
    assert divided(100, {"a": 1, "b": 1}, {"a": 10, "b": 1000}) == {"a": 10, "b": 90}
    assert divided(100, {"a": 1, "b": 3}, {"a": 1000, "b": 1000}) == {"a": 25, "b": 75}
    assert divided(90, {"a": 1, "b": 1, "c": 1}, {"a": 40, "b": 10, "c": 1000}) == {"a": 40, "b": 10, "c": 40}
    assert divided(5, {"a": 1, "b": 1}, {"a": 1, "b": 2}) == {"a": 1, "b": 2}


def test_a_benchmark_that_joins_takes_a_share_and_the_whole_stays() -> None:
    for count in (1, 2, 8):
        _, over, _ = carried_out(fitted(100, *(made(f"b{i}", 2, *[1] * 200) for i in range(count))))
        assert 95 <= over <= 100


@pytest.mark.parametrize("factor", [0.1, 0.7, 1.0, 1.9, 4.0])
def test_the_measuring_is_over_in_time_however_rough_the_estimates(factor: float) -> None:
    begun, over, _ = carried_out(fitted(120, *SEVERAL), factor)
    longest = 5 * factor
    assert over <= 120 + longest, "the first launch of a kind may take longer than expected"
    assert {case.benchmark for _, case, _ in begun} == {"a", "b", "c", "d"}


def test_headlines_are_launched_in_each_third() -> None:
    begun, over, _ = carried_out(fitted(120, *SEVERAL))
    for name in "abcd":
        clocks = headline_launches(begun, name)
        assert [number for _, number in clocks] == [0, 1, 2]
        assert [int(3 * clock / over) for clock, _ in clocks] == [0, 1, 2]


def test_the_first_case_on_devices_is_a_headline_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("banzuke.plan.on_devices.drives", lambda _, backend: {"cuda": "NVIDIA"}.get(backend, ""))
    device = AllottedDevice(identity="GPU-1", name="A", vendor="NVIDIA", memory=1, memory_available=1)
    with_devices = MACHINE.changed(allotment={"devices": [device]})
    own = made("own", 1.0, 1.0)
    sweep: list[tuple[Layout, dict[str, Scalar]]] = [(Layout(1, 1, devices=1), {"number": n}) for n in range(2)]
    both = replace(own, devices=Devices(lambda _: sweep))
    evaluation = fit({"own": both}, lambda benchmark: plan(benchmark, with_devices, Request(backend="omp,cuda")), 100.0)
    placed = [
        (case.groups[0].devices, launches)
        for case, launches in zip(evaluation.cases, evaluation.budget.launches, strict=True)
    ]
    assert placed == [(0, LAUNCHES), (1, LAUNCHES), (0, 1), (1, 1)]


def test_headlines_are_spread_over_what_it_takes_where_that_is_less_than_the_budget() -> None:
    begun, over, _ = carried_out(fitted(10_000, *SEVERAL))
    assert over < 300
    assert [int(3 * clock / over) for clock, _ in headline_launches(begun, "a")] == [0, 1, 2]
    assert Counter(case.benchmark for _, case, _ in begun) == {"a": 6, "b": 5, "c": 43, "d": 23}


def test_others_run_in_their_order_and_by_weight() -> None:
    begun, _, _ = carried_out(fitted(200, made("a", 1, *[1] * 300), made("b", 1, *[1] * 300, weight=3)))
    used: Counter[str] = Counter()
    for name in "ab":
        numbers = [
            case.parameters["number"] for _, case, _ in begun if "number" in case.parameters and case.benchmark == name
        ]
        assert numbers == sorted(numbers)
        used[name] = sum(case.benchmark == name for _, case, _ in begun)
    assert used["b"] / used["a"] == pytest.approx(3, rel=0.1)


def test_a_case_that_does_not_fit_is_passed_over_for_a_shorter_one() -> None:
    begun, _, budget = carried_out(fitted(20, made("a", 1, 50, 2)))
    assert [case.seconds for _, case, _ in begun] == [1, 2, 1, 1]
    assert budget.launches == (3, 0, 1)


def test_what_measures_limits_comes_first_and_then_what_weighs_most() -> None:
    """Even if the time only suffices for one."""
    light, heavy = made("a", 1.0), made("b", 1.0, weight=2.0)
    measuring = replace(made("c", 1.0), resources=Resources(measures=(MEMORY,)))
    evaluation = fitted(100.0, light, heavy, measuring)
    assert [case.benchmark for case in evaluation.cases] == ["c", "b", "a"]
    assert [case.benchmark for _, case, _ in carried_out(fitted(1.0, light, heavy, measuring))[0]] == ["c"]


def test_what_most_others_are_judged_by_comes_first_of_all() -> None:
    """For example STREAM before DGEMM and pt2pt."""
    arithmetic = replace(MEMORY, name="flops")
    flops = replace(made("a", 1.0), resources=Resources(measures=(arithmetic,), needs=(MEMORY.name,)))
    link = replace(made("b", 1.0), resources=Resources(measures=(replace(MEMORY, name="link"),)))
    memory = replace(made("c", 1.0), resources=Resources(measures=(MEMORY,)))
    heavy = replace(made("d", 1.0, weight=2.0), resources=Resources(needs=(MEMORY.name, "flops")))
    assert [case.benchmark for case in fitted(100.0, flops, link, memory, heavy).cases] == ["c", "a", "b", "d"]


def test_an_evaluation_without_time_for_a_benchmark_is_incomplete() -> None:
    evaluation = fitted(60, made("a", 10), made("b", 20))
    say = words()
    _, _, budget = carried_out(evaluation, 5.0)
    assert budget.launches == (1, 0)
    sentence = missing(evaluation.cases, budget)
    assert sentence
    assert say(sentence) == (
        "This evaluation is incomplete: b has no figure, because 1 min was too short. --minutes 4 is probably enough"
    )
    late = missing(evaluation.cases, replace(budget, launches=(2, 1)), {"b"})
    assert late
    assert "b has no figure" in say(late)
    assert missing(evaluation.cases, replace(budget, launches=(2, 1))) is None
    assert missing(evaluation.cases, None) is None


def test_lengths_are_round_and_within_bounds() -> None:
    assert lengths(2.0, 10.0) == [2.0, 3.0, 5.0, 7.0, 10.0]
    assert all(second > first for first, second in pairwise(lengths(1.5, 600)))


def test_headlines_are_shortened_or_lengthened_to_fit() -> None:
    timed = made("t", 20, 1, timed=(2.0, 600.0))
    first = {seconds: fitted(seconds, timed).cases[0].seconds for seconds in (1e-9 + 10, 100, 150, 1000, 1e6)}
    assert first == {1e-9 + 10: 2, 100: 20, 150: 20, 1000: 200, 1e6: 600}
    assert fitted(60, timed).cases[0].seconds == 10
    beside = next(case.seconds for case in fitted(60, timed, made("o", 10, weight=3)).cases if case.benchmark == "t")
    assert beside == 5, "the share is 15 s, and what the other does not want"


def test_the_problems_of_a_collection_are_launched_once_over_the_whole_time() -> None:
    noted = Collection("problems", lambda *_: [], "family", "size", "file", (), Statistic("size", "size"))
    many = replace(made("many", *[0.5] * 60), collection=noted)
    chosen = {benchmark.name: benchmark for benchmark in (*SEVERAL, many)}
    evaluation = fit(chosen, lambda benchmark: plan(replace(benchmark, collection=None), MACHINE, Request()), 120)
    begun, over, budget = carried_out(evaluation)
    clocks = [clock for clock, case, _ in begun if case.benchmark == "many"]
    assert len(clocks) == 60
    thirds = Counter(int(3 * clock / over) for clock in clocks)
    assert max(thirds.values()) - min(thirds.values()) <= 4
    assert set(budget.launches[-60:]) == {1}
    assert fitted(100, *SEVERAL).budget.launches[:2] == (LAUNCHES, 1)


def test_repeat_launches_every_case_so_often() -> None:
    evaluation = fitted(1000, *SEVERAL[:2], repeat=4)
    assert set(evaluation.budget.launches) == {4}
    begun, _, _ = carried_out(evaluation)
    assert Counter(number for _, _, number in begun) == dict.fromkeys(range(4), 7)


def test_variants_of_a_case_run_one_after_the_other() -> None:
    request = Request(variants=Variants(neighbours=(0, 3)))
    begun, _, _ = carried_out(fitted(70, *SEVERAL, request=request))
    neighbours = [case.variant.neighbours for _, case, _ in begun]
    assert neighbours == [0, 3] * (len(begun) // 2)
    for (_, first, _), (_, second, _) in zip(begun[::2], begun[1::2], strict=True):
        assert first == replace(second, variant=first.variant)


def test_an_interrupted_evaluation_goes_on_with_the_time_that_was_left() -> None:
    evaluation = fitted(120, *SEVERAL)
    begun, over, budget = carried_out(evaluation)
    again = [carried_out(evaluation, before=launches) for launches in range(1, len(begun), 7)]
    assert {(tuple(map(str, launched)), ended) for launched, ended, _ in again} == {(tuple(map(str, begun)), over)}
    assert all(state == budget for _, _, state in again)


def test_a_budget_too_small_for_anything_is_refused() -> None:
    with pytest.raises(
        BanzukeError, match=r"1 s is too short.*b, takes about 3 s.*one launch of each 7 s.*--minutes 0.12"
    ):
        fitted(1, made("a", 4), made("b", 3))
    assert fitted(3.5, made("a", 4), made("b", 3)).cases
    begun, over, _ = carried_out(fitted(3.5, made("a", 4), made("b", 3)))
    assert ([case.benchmark for _, case, _ in begun], over) == (["b"], 3)


def test_what_was_cut_short_is_told() -> None:
    evaluation = fitted(30, made("a", 4, 9, 90), made("t", 20, timed=(2.0, 600.0)))
    _, _, budget = carried_out(evaluation)
    first, second = cut_short(evaluation.cases, budget)
    say = words()
    assert say(first.message) == "a: 2 of 3 cases"
    assert say(second.message) == "t: headline shortened from about 20 s to 3 s"
    whole, *_ = messages(evaluation.cases, budget)
    assert say(whole) == "Cut short to fit 30 s. All of it would take about 2 min 51 s (--minutes 3)."
    enough = fitted(1000, made("a", 4, 9, 90))
    assert cut_short(enough.cases, carried_out(enough)[2]) == []
    assert messages(enough.cases, enough.budget) == []
    assert messages(enough.cases, None) == []


def test_the_clock_corrects_estimates_of_a_benchmark() -> None:
    """The estimates are ten times too high, so nearly all launches fit."""
    evaluation = fitted(60, made("a", 10, *[10] * 30))
    begun, over, budget = carried_out(evaluation, 0.1)
    assert len(begun) == 33
    assert over == pytest.approx(33)
    assert sum(budget.whole.values()) == pytest.approx(33, rel=0.1)


def test_hundreds_of_cases_are_scheduled_quickly() -> None:
    many = [made(f"b{i}", *[0.1 + (7 * i + 13 * j) % 20 / 10 for j in range(100)]) for i in range(9)]
    begun, _, _ = carried_out(fitted(10_000, *many))
    assert len(begun) == 9 * 102


def test_other_cases_leave_time_for_the_headlines_to_come() -> None:
    _, over, budget = carried_out(fitted(30, *(made(name, 3, 5) for name in "abc")))
    assert (budget.launches, over) == ((3, 0) * 3, 27)
