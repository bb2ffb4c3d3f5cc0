"""Sides that were not interleaved: what is compared and reported, and how often equal sides are called different."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from banzuke.amounts import Scalar
from banzuke.compare.apart import interleaved
from banzuke.compare.blocks import Contrast, blocks, further, missing
from banzuke.compare.matching import CaseLaunches
from banzuke.compare.testing import BEGAN, MACHINES, RATE, Design, launch, verdicts
from banzuke.compare.verdict import Judgement, judge
from banzuke.record.model import Binding, Record
from banzuke.words.language import words

FAR, NEAR = {"exchange_latency": 150e-9}, {"exchange_latency": 38e-9}
BUSY = {"other_busy_fraction": 0.5}
Conditions = Mapping[str, Scalar]
CASES = [
    Design(launches=3, runs=3),
    Design(launches=5, runs=3, in_turn=False),
    Design(launches=3, runs=6, in_turn=False),
    Design(launches=5, runs=1, earlier=10),
]
FEW = 80
TRIALS = dict.fromkeys(MACHINES, FEW) | {"correlation 0.9": 300}
"""The machine nearest to the limit has as many trials as in docs/comparing.md: 5.3% there, and 8 of the first 80."""


def run(values: Sequence[float], number: int, hours: float, conditions: Sequence[Conditions] = ({},)) -> list[Record]:
    began = BEGAN + timedelta(hours=hours)
    return [
        launch(value, number, 100 * number + at, began + timedelta(seconds=30 * at), conditions[at % len(conditions)])
        for at, value in enumerate(values)
    ]


def days(values: Sequence[float], first: int, conditions: Conditions | None = None) -> list[Record]:
    """Return a run every second day, of three launches around the value."""
    return [
        record
        for at, value in enumerate(values)
        for record in run(
            [value, value * 1.002, value * 0.998], 2 * at + first, 48 * at + 24 * first, [conditions or {}]
        )
    ]


def judged(a: Sequence[Record], b: Sequence[Record], earlier: Sequence[Record] = ()) -> Judgement:
    first, second = (CaseLaunches(tuple(side), tuple(earlier)) for side in (a, b))
    return judge(first, second, RATE)


def sentences(judgement: Judgement) -> list[str]:
    return list(map(words(), judgement.told))


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.thorough] * (TRIALS[name] > FEW)) for name in MACHINES]
)
def test_equal_sides_are_seldom_called_different(name: str) -> None:
    trials = TRIALS[name]
    most = 0.05 * trials + 2 * (0.05 * 0.95 * trials) ** 0.5  # 5%, and two standard errors of so many trials
    for design in CASES:
        counts = Counter(verdicts(MACHINES[name], design, trials))
        assert counts["faster"] + counts["slower"] <= most, design


@pytest.mark.parametrize("name", MACHINES)
def test_one_run_a_side_decides_nothing(name: str) -> None:
    assert set(verdicts(MACHINES[name], Design(launches=10, runs=1), 20, 1.5)) == {"cannot be told"}


@pytest.mark.parametrize("name", ["independent", "drift of 2% that goes on", "correlation 0.6"])
def test_a_difference_of_a_tenth_is_found(name: str) -> None:
    for design in CASES:
        assert Counter(verdicts(MACHINES[name], design, 50, 1.1))["faster"] >= 40, design


def test_two_states_are_told_apart_from_a_difference_as_soon_as_blocks_allow() -> None:
    for design in (Design(launches=5, runs=6), Design(launches=5, runs=1, earlier=20)):
        assert Counter(verdicts(MACHINES["two states"], design, 50, 1.1))["faster"] >= 40, design


def test_runs_right_after_each_other_are_one_block() -> None:
    a = [*run([1.0, 1.01], 1, 0), *run([1.0, 1.01], 2, 0.1), *run([1.0], 3, 5)]
    merged = blocks({("a", "own"): [(record, 1.0) for record in a]})
    assert [len(block.medians) for block in merged] == [4, 1]
    closely = Counter(verdicts(MACHINES["independent"], Design(launches=3, runs=6, in_turn=False, hours=0.0), 5, 2.0))
    assert closely == {"cannot be told": 5}


def test_the_remedy_says_how_many_runs_it_takes() -> None:
    a, b = days([1.0], 0), days([1.2], 1)
    judgement = judged(a, b)
    assert (judgement.verdict, judgement.interval, judgement.blocks) == ("cannot be told", None, (1, 1))
    assert judgement.ratio == pytest.approx(1.2)
    (said,) = sentences(judgement)
    assert "Measure 2 times more on each side, in turn and hours apart, with `banzuke run sum --repeat 5`" in said
    assert "Measure once more" in sentences(judged(days([1.0] * 2, 0), days([1.2] * 2, 1)))[0]
    enough = judged(days([1.0, 1.01, 0.99], 0), days([1.2, 1.21, 1.19], 1))
    assert (enough.verdict, sentences(enough)) == ("faster", [])


def test_what_it_takes_to_find_a_tenth_is_said() -> None:
    judgement = judged(days([1.0, 1.1, 1.05, 1.08], 0), days([1.05, 1.01, 1.1, 1.0], 1))
    assert judgement.verdict == "no difference shown"
    (said,) = sentences(judgement)
    assert said.startswith("A difference of 10% would be found with ")
    wild = judged(days([1.0, 9.0, 1.0, 9.0], 0), days([9.0, 1.0, 9.0, 1.0], 1))
    assert sentences(wild) == ["Runs vary so much that finding a difference of 10% would take too many runs"]


def test_how_many_runs_are_missing() -> None:
    assert [missing(counts, 0, 0) for counts in ((1, 1), (2, 2), (3, 3), (5, 0))] == [2, 1, 0, 1]
    assert [missing((1, 1), earlier, 1) for earlier in (1, 3, 5)] == [2, 1, 0]
    assert further((3, 3), Contrast(0.0, 0.001, 3, 0.001)) == 0
    assert further((3, 3), Contrast(0.0, 0.03, 3, 0.04)) == 2
    assert further((3, 3), Contrast(0.0, 0.3, 3, 0.4)) is None


def test_earlier_runs_tell_how_runs_differ_and_later_ones_where_these_are_too_few() -> None:
    past = [record for day in range(5) for record in run([1.0 + 0.002 * (day % 3)], 50 + day, -24 * (5 - day))]
    wild = [record for day in range(5) for record in run([1.0 + 0.5 * (day % 2)], 60 + day, 24 * (5 + day))]
    a, b = days([1.0], 0), days([1.2], 1)
    judgement = judged(a, b, past)
    assert (judgement.verdict, sentences(judgement)) == (
        "faster",
        ["The variation between runs is taken from 5 other runs of this case in the results folder, too"],
    )
    assert judged(a, b, [*past, *wild]) == judgement  # whatever is measured later
    later = [record for day in range(3) for record in run([1.0 + 0.002 * day], 70 + day, 24 * (5 + day))]
    assert judged(a, b, [*past[:2], *later]).verdict == "faster"
    assert judged(a, b, wild).verdict == "no difference shown"
    few = judged(a, b, [*past[:2], *later[:2]])
    assert few.verdict == "cannot be told"
    assert "and 4 other runs that can be used are too few to show how much runs" in sentences(few)[0]


def test_a_drift_over_all_runs_is_no_difference() -> None:
    """Five earlier runs, each 5% faster than the one before; then the two sides."""
    values = [1.05**at for at in range(7)]
    past = [record for at, value in enumerate(values[:5]) for record in run([value], 50 + at, -24 * (5 - at))]
    judgement = judged(run([values[5]], 1, 0), run([values[6] * 1.0001], 2, 24), past)
    assert judgement.verdict != "faster"


def test_launches_of_a_state_are_compared_with_launches_of_that_state() -> None:
    a = [*days([1.0, 1.01, 0.99], 0, FAR), *run([1.6], 31, 200, [NEAR])]
    b = [*days([1.0, 1.01, 0.99], 1, FAR), *run([1.6] * 5, 33, 300, [NEAR]), *run([1.61] * 5, 35, 310, [NEAR])]
    judgement = judged(a, b)
    assert (judgement.verdict, judgement.a.launches, judgement.b.launches) == ("no difference shown", 9, 9)
    assert sentences(judgement) == [
        "Compared in one state of the machine: far processors, in which 9 + 9 of 10 + 19 launches ran"
    ]
    assert judgement.ratio == pytest.approx(1.0)


def test_a_state_on_one_side_only_is_said_and_nothing_concluded() -> None:
    judgement = judged(days([1.0, 1.01, 0.99], 0, FAR), days([1.6, 1.61, 1.59], 1, NEAR))
    assert (judgement.verdict, judgement.interval) == ("cannot be told", None)
    assert judgement.ratio == pytest.approx(1.6)
    assert sentences(judgement)[:2] == [
        "Only in A: far processors (9 launches)",
        "Only in B: near processors (9 launches)",
    ]
    unknown = judged(days([1.0, 1.01, 0.99], 0, FAR) + days([1.6], 9, NEAR), days([1.6, 1.61, 1.59], 1))
    assert unknown.verdict == "cannot be told"
    assert "Only in B: state not recorded (9 launches)" in sentences(unknown)


def test_launches_in_which_the_processors_moved_are_compared_with_none() -> None:
    moved = {**NEAR, "exchange_latency_before": FAR["exchange_latency"]}
    a = days([1.0, 1.01, 0.99], 0, FAR) + days([1.2, 1.21, 1.19], 10, moved)
    judgement = judged(a, days([1.6, 1.61, 1.59], 1, NEAR) + days([1.7, 1.71, 1.69], 11, moved))
    assert judgement.verdict == "cannot be told"


def test_runs_in_which_processors_keep_moving_are_compared_whatever_their_distance() -> None:
    """Each side was near in one run and far in another one, and moved in all."""
    moved = {**NEAR, "exchange_latency_before": FAR["exchange_latency"]}

    def moving(first: int, faster: float, seen: Sequence[Conditions]) -> list[Record]:
        return [
            record
            for at, conditions in enumerate(seen)
            for record in run(
                [faster * (1 + 0.01 * at), 1.02 * faster], 2 * at + first, 48 * at + 24 * first, [conditions, moved]
            )
        ]

    a, b = moving(0, 1.0, [NEAR, FAR, NEAR]), moving(1, 1.5, [FAR, FAR, NEAR])
    judgement = judged(a, b)
    assert (judgement.verdict, judgement.blocks, judgement.a.launches) == ("faster", (3, 3), 6)
    assert [message.code for message in judgement.told] == ["compare-moving"]
    calm = judged(a, [*b, *run([1.5], 9, 300, [NEAR])])  # in one run nothing moved
    assert calm.verdict == "cannot be told"
    assert "compare-moving" not in [message.code for message in calm.told]


def test_one_launch_that_is_left_of_several_is_no_lack_of_launches() -> None:
    judgement = judged(run([1.0, 1.6, 1.6], 1, 0, [FAR, NEAR, NEAR]), run([1.0, 1.0], 2, 24, [FAR]))
    assert (judgement.verdict, judgement.reason, judgement.a.launches) == ("cannot be told", "", 1)
    single = judged(run([1.0], 1, 0, [FAR]), run([1.0, 1.0], 2, 24, [FAR]))
    assert single.verdict == "no verdict from one launch"


def test_launches_on_huge_pages_are_compared_with_launches_on_such() -> None:
    huge, base = (Binding(ranks="0", threads=["0", "1"], pages=kind) for kind in ("transparent", "base"))

    def on(binding: Binding, records: list[Record]) -> list[Record]:
        return [
            launch.model_copy(update={"groups": [launch.groups[0].having(binding=[binding])]}) for launch in records
        ]

    a = [*on(huge, days([1.0, 1.01, 0.99], 0)), *on(base, run([0.6], 31, 200))]
    judgement = judged(a, on(huge, days([1.0, 1.01, 0.99], 1)))
    assert (judgement.verdict, judgement.a.launches, judgement.b.launches) == ("no difference shown", 9, 9)
    assert sentences(judgement) == [
        "Only in A: base pages (1 launch)",
        "Compared in one state of the machine: huge pages, in which 9 + 9 of 10 + 9 launches ran",
    ]


def test_another_layout_has_no_states_in_common() -> None:
    """Distances of two threads are not comparable with those of eighty."""
    a, b = days([1.0, 1.01, 0.99], 0, FAR), [*days([1.2, 1.21, 1.19], 1, NEAR), *run([1.2] * 3, 33, 300, [FAR])]
    wide = [record.model_copy(update={"groups": [record.groups[0].having(threads=80)]}) for record in b]
    assert judged(a, wide).verdict == "faster"
    other = [
        record.model_copy(update={"backend": "mkl", "conditions": {"clock_hz": 2e9 + 1e9 * (at % 2)}})
        for at, record in enumerate(b)
    ]
    assert judged(days([1.0, 1.01, 0.99], 0), other).verdict == "faster"


def test_disturbed_launches_do_not_count_and_are_told() -> None:
    calm = [1.0, 1.01, 0.99]
    judgement = judged([*days(calm, 0), *run([0.1], 31, 300, [BUSY])], days(calm, 1))
    assert (judgement.verdict, judgement.a.launches) == ("no difference shown", 9)
    disturbed = "Not counted: 1 of 10 launches in A, because other processes or the hypervisor disturbed it"
    assert sentences(judgement) == [disturbed]
    all_of_them = judged(days([0.1, 0.1, 0.1], 0, BUSY), days(calm, 1))
    assert all_of_them.verdict == "cannot be told"
    assert sentences(all_of_them)[0].startswith("Not counted: 9 of 9 launches in A")


def test_a_side_with_launches_of_less_spread_alone_does_not_stand_for_the_other() -> None:
    """The other side is another case, as in a container, with its own spread between runs."""

    def other(records: list[Record]) -> list[Record]:
        return [
            record.model_copy(update={"parameters": {"n": 5}, "provenance": own.model_copy(update={"case": "g"})})
            for record in records
            if (own := record.provenance)
        ]

    quiet = days([1.0, 1.001, 0.999, 1.0, 1.001, 0.999], 0)
    assert judged(quiet, other(days([1.3], 1))).verdict == "cannot be told"
    assert [message.code for message in judged(quiet, built(days([1.3], 1))).told] == [
        "compare-cannot-be-told",
        "compare-against",
    ]
    assert judged(quiet, other(days([1.1, 1.6, 1.2], 1))).verdict == "no difference shown"
    assert judged(quiet, other(days([1.31, 1.3, 1.29], 1))).verdict == "faster"


def built(records: list[Record]) -> list[Record]:
    """Return the records as of another build."""
    return [
        record.model_copy(update={"provenance": own.model_copy(update={"case": "g", "variant": {"build": "clang"}})})
        for record in records
        if (own := record.provenance)
    ]


def elsewhere(records: list[Record]) -> list[Record]:
    return [
        record.model_copy(update={"provenance": own.model_copy(update={"machine": "x"})})
        for record in records
        if (own := record.provenance)
    ]


def test_machines_have_spreads_of_their_own() -> None:
    here = days([1.0, 1.01, 0.99], 0)
    assert judged(here, elsewhere(days([1.3], 1))).verdict == "cannot be told"
    assert judged(here, elsewhere(days([1.3, 1.31, 1.29], 1))).verdict == "faster"
    assert judged(here, elsewhere(days([1.0, 1.6, 1.3], 1))).verdict == "no difference shown"


@pytest.mark.parametrize("change", [lambda case: case, lambda case: replace(case, records=case.records[::-1])])
def test_exchanging_the_sides_inverts_the_interval(change: Callable[[CaseLaunches], CaseLaunches]) -> None:
    a, b = (
        change(CaseLaunches(tuple(days(values, at))))
        for at, values in enumerate(([1.0, 1.02, 0.99], [1.3, 1.35, 1.31]))
    )
    forth, back = judge(a, b, RATE), judge(b, a, RATE)
    assert forth.interval
    assert back.interval == pytest.approx((1 / forth.interval.high, 1 / forth.interval.low))
    assert judge(a, b, replace(RATE, better="lower")).verdict == "slower"


def test_runs_in_turn_of_one_launch_each_are_runs() -> None:
    """Compared in pairs, a drift from each run to the next would look like a difference."""
    a, b = (
        [record for at in range(4) for record in run([1.01 ** (2 * at + first)], 2 * at + first, 24 * (2 * at + first))]
        for first in (0, 1)
    )
    judgement = judged(
        a,
        [
            record.model_copy(
                update={
                    "metrics": {
                        "rate": record.metrics["rate"].having(
                            samples=[record.metrics["rate"].samples[0] * (1 + 1e-4 * at)]
                        )
                    }
                }
            )
            for at, record in enumerate(b)
        ],
    )
    assert (judgement.paired, judgement.blocks) == (False, (4, 4))
    assert judgement.verdict == "no difference shown"


def test_launches_of_one_run_share_what_changed() -> None:
    a, b, c = run([1.0, 1.0], 1, 0), run([1.0, 1.0], 1, 0.01), run([1.0, 1.0], 2, 0)
    assert interleaved(CaseLaunches(tuple(a)), CaseLaunches(tuple(b)))
    assert not interleaved(CaseLaunches(tuple(a)), CaseLaunches(tuple(c)))
    unknown = [record.model_copy(update={"provenance": None}) for record in (*a, *b)]
    assert interleaved(CaseLaunches(tuple(unknown[:2])), CaseLaunches(tuple(unknown[:2])))
    assert not interleaved(CaseLaunches(tuple(unknown[:1])), CaseLaunches(tuple(unknown[1:2])))
