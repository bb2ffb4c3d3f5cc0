"""The search on simulated machines."""

import random
from collections.abc import Callable, Mapping, Sequence

import pytest

from banzuke.plan.benchmark import Layout, Scalar, Setting
from banzuke.tuning.search import LEAST_ROUNDS, ROUNDS, Search, _beats, _Entrant

START = Setting(Layout(1, 4), {"nb": 256, "swap": "mixed", "lookahead": 1})
BLOCKS = (64, 128, 192, 256, 384)


def neighbours(setting: Setting) -> list[Setting]:
    at = BLOCKS.index(int(setting.parameters["nb"]))
    return [setting.changed(nb=BLOCKS[i]) for i in (at - 1, at + 1) if 0 <= i < len(BLOCKS)]


def swaps(setting: Setting) -> list[Setting]:
    """Return alternatives along an axis that does not matter with one rank."""
    return [setting.changed(swap=kind) for kind in ("exchange", "roll") if setting.layout.ranks > 1]


AXES: Mapping[str, Callable[[Setting], Sequence[Setting]]] = {
    "layout": lambda setting: [setting.changed(Layout(ranks, 4 // ranks)) for ranks in (1, 2, 4)],
    "nb": neighbours,
    "swap": swaps,
}


class Machine:
    """Measures a setting in `seconds` of a clock of its own; disturbances slow it, as real ones do."""

    def __init__(self, rate: Callable[[Setting], float | None], *, noise: float = 0.0, seconds: float = 3.0) -> None:
        self.rate, self.noise, self.seconds = rate, noise, seconds
        self.random = random.Random(1)  # noqa: S311
        self.now = 0.0
        self.measured: list[Setting] = []
        self.settled_axes: list[tuple[str, float]] = []

    def measure(self, setting: Setting, limit: float) -> float | None:
        self.measured.append(setting)
        rate = self.rate(setting)
        self.now += min(limit, self.seconds if rate is None else self.seconds * 100 / rate)
        if rate is None or self.seconds * 100 / rate > limit:
            return None
        return rate * (1 - self.noise * abs(self.random.gauss(0, 1)))

    def trying(self, axis: str, setting: Setting, left: float) -> None:
        assert axis in {"start", *AXES, "confirmation"}
        assert setting.parameters["lookahead"] == 1
        assert left > 0

    def settled(self, axis: str, before: Setting, after: Setting, ratio: float) -> None:
        assert (before == after) == (ratio == 1.0)
        self.settled_axes.append((axis, ratio))

    def search(self, seconds: float) -> Search:
        search = Search(START, AXES, self.measure, self, seconds=seconds, clock=lambda: self.now)
        search.run()
        return search


def surface(setting: Setting) -> float:
    """Best at two ranks, nb = 128 and roll: 1.1 x 1.08 x 1.06 of the start's 100."""
    value = 100.0
    value *= {1: 1.0, 2: 1.1, 4: 0.8}[setting.layout.ranks]
    value *= {64: 0.9, 128: 1.08, 192: 1.05, 256: 1.0, 384: 0.9}[int(setting.parameters["nb"])]
    value *= {"mixed": 1.0, "exchange": 0.95, "roll": 1.06}[str(setting.parameters["swap"])]
    return value


BEST = Setting(Layout(2, 2), {"nb": 128, "swap": "roll", "lookahead": 1})


def test_the_best_is_found_along_the_axes() -> None:
    search = Machine(surface).search(1000)
    assert search.best == BEST
    assert search.gain == pytest.approx(1.1 * 1.08 * 1.06)
    assert all(search.tried.count(setting) == 1 for setting in search.tried), "nothing is searched twice"


def test_noise_hides_nothing_that_stands_out_of_it() -> None:
    for seed in range(20):
        machine = Machine(surface, noise=0.02)
        machine.random.seed(seed)
        assert machine.search(1000).best.layout == Layout(2, 2)


def test_noise_is_not_taken_for_a_gain() -> None:
    changed = 0
    for seed in range(100):
        machine = Machine(lambda _: 100.0, noise=0.02)
        machine.random.seed(seed)
        changed += machine.search(1000).best != START
    assert changed < 15


@pytest.mark.parametrize(
    ("other", "first", "better"),
    [
        ([1.03, 1.64, 1.03, 1.65], [1.0, 1.6, 1.0, 1.6], True),
        ([1.01, 1.01, 1.02, 1.0], [1.0, 1.0, 1.0, 1.0], False),
        ([1.02, 1.02, 1.02], [1.0, 1.0, 1.0], True),
        ([1.004, 1.004, 1.004], [1.0, 1.0, 1.0], False),
    ],
    ids=["two states of the machine", "by chance", "without noise", "too little"],
)
def test_rounds_decide_one_by_one(other: list[float], first: list[float], *, better: bool) -> None:
    rounds = [1, 2, 3, 4]
    mine, theirs = (_Entrant(START, values, rounds[: len(values)]) for values in (other, first))
    assert _beats(mine, theirs) == better


def test_rounds_in_which_one_gave_nothing_decide_nothing() -> None:
    first = _Entrant(START, [1.0, 9.0, 1.0], [1, 3, 4])
    assert _beats(_Entrant(START, [1.1, 1.1, 9.9, 1.11], [1, 2, 3, 4]), first)


def test_the_time_is_kept_whatever_is_slow() -> None:
    for budget in (1, 4, 20, 47, 90, 180, 333):
        for noise in (0.0, 0.03):
            machine = Machine(lambda s: surface(s) / (1 if s.layout.ranks < 4 else 20), noise=noise)
            machine.search(budget)
            assert machine.now <= budget


def test_what_a_short_time_allows_is_found_and_confirmed() -> None:
    machine = Machine(surface)
    search = machine.search(3 * (1 + 4 * ROUNDS + 2 * LEAST_ROUNDS + 2))
    assert search.best == START.changed(Layout(2, 2))
    assert search.gain == pytest.approx(1.1)


def test_without_time_nothing_is_claimed() -> None:
    search = Machine(surface).search(10)
    assert (search.best, search.gain) == (START, 1.0)


def test_an_axis_that_cannot_matter_is_skipped() -> None:
    machine = Machine(lambda s: 100.0 if s.layout.ranks == 1 else 50.0)
    machine.search(1000)
    assert "swap" not in dict(machine.settled_axes)
    assert {s.parameters["swap"] for s in machine.measured} == {"mixed"}


def test_a_candidate_always_runs_beside_the_best_so_far() -> None:
    machine = Machine(lambda s: 110.0 if s.parameters["nb"] == 192 else 100.0)
    machine.search(1000)
    blocks: list[Scalar] = [s.parameters["nb"] for s in machine.measured if s.layout.ranks == 1]
    around = blocks[blocks.index(192) - 1 :][:8]
    assert around == [256, 192, 384, 384, 192, 256, 256, 192], "in turn, and the order turns round as well"


def test_what_fails_or_takes_too_long_is_left_out() -> None:
    machine = Machine(lambda s: None if s.layout.ranks == 2 else 10.0 if s.layout.ranks == 4 else surface(s))
    search = machine.search(1000)
    assert search.best == START.changed(nb=128)
    for ranks in (2, 4):
        tries = [setting for setting in machine.measured if setting.layout.ranks == ranks]
        assert [setting.parameters["nb"] for setting in tries] == [256, 128], "once in each pass over the axes"


def test_a_start_that_fails_is_said() -> None:
    machine = Machine(lambda _: None)
    search = Search(START, AXES, machine.measure, machine, seconds=100, clock=lambda: machine.now)
    assert not search.run()


def test_an_interrupt_keeps_what_was_found() -> None:
    machine = Machine(surface)

    def measure(setting: Setting, limit: float) -> float | None:
        if len(machine.measured) == 12:
            raise KeyboardInterrupt
        return machine.measure(setting, limit)

    search = Search(START, AXES, measure, machine, seconds=1000, clock=lambda: machine.now)
    with pytest.raises(KeyboardInterrupt):
        search.run()
    assert search.best == START.changed(Layout(2, 2))
    assert search.gain is None


def test_what_the_confirmation_does_not_bear_out_is_dropped() -> None:
    machine = Machine(lambda s: surface(s) if len(machine.measured) < 40 else 100.0)
    search = machine.search(1000)
    assert (search.best, search.gain) == (START, 1.0)
