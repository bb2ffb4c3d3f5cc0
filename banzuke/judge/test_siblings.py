"""The other records with which a record is compared."""

from collections.abc import Sequence
from statistics import median

from hypothesis import given
from hypothesis import strategies as st

from banzuke.judge.siblings import Siblings
from banzuke.judge.test_examples import MACHINE, triad
from banzuke.record.model import Record

METRIC = "triad_bandwidth"
samples = st.lists(st.sampled_from([1e9, 2e9, 3e9, 4e9, 5e9]), min_size=1, max_size=4)


def run(values: Sequence[float] = (1e9,), **parameters: str) -> Record:
    return triad(*values, parameters=parameters)


def differences(mine: Record, others: Sequence[Record], tunable: Sequence[str] = ()) -> list[dict[str, str]]:
    return [dict(changed) for _, changed in Siblings([mine, *others], MACHINE).others(mine, METRIC, "higher", tunable)]


@given(mine=samples, theirs=st.lists(samples, min_size=1, max_size=6))
def test_nothing_better_is_passed_over(mine: list[float], theirs: list[list[float]]) -> None:
    own, others = run(mine), [run(values) for values in theirs]

    def better(than: Record, other: Record) -> float:
        a, b = than.metrics[METRIC].samples, other.metrics[METRIC].samples
        return min(median(b) / median(a), max(b) / max(a))

    kept = [other for other, _ in Siblings([own, *others], MACHINE).others(own, METRIC, "higher", ())]
    assert all(any(other is record for record in others) for other in kept)
    best = max(better(own, other) for other in others)
    assert best <= 1 or max(better(own, other) for other in kept) == best


def test_one_setting_may_differ_and_not_two() -> None:
    mine = run(stores="plain", ordering="levels")
    assert differences(mine, [run(stores="nontemporal", ordering="levels")], ["stores"]) == [{"stores": "nontemporal"}]
    assert differences(mine, [run(stores="nontemporal", ordering="colours")], ["stores", "ordering"]) == []


def test_another_problem_is_none() -> None:
    assert differences(run(n="1"), [run(n="2")], ["stores"]) == []


def test_another_partition_is_another_case() -> None:
    other = run([2e9])
    elsewhere = other.model_copy(update={"groups": [other.groups[0].model_copy(update={"partition": "fat"})]})
    assert differences(run(), [elsewhere]) == []


def test_a_setting_left_out_is_the_default() -> None:
    assert differences(run(stores="plain"), [run()], ["stores"]) == [{"stores": ""}]
    assert differences(run(), [run(stores="plain")], ["stores"]) == [{"stores": "plain"}]


def test_a_repetition_differs_in_nothing_and_is_told_once() -> None:
    assert differences(run(), [run([2e9])], ["stores", "ordering"]) == [{}]


def test_what_failed_is_not_compared_with() -> None:
    failed = run().model_copy(update={"status": "failed", "reason": "why"})
    assert differences(run(), [failed]) == []


def test_the_farthest_is_of_the_same_processors() -> None:
    near, far = (run().model_copy(update={"conditions": {"exchange_latency": t}}) for t in (5e-8, 1e-7))
    assert Siblings([near, far], MACHINE).farthest(near) == 1e-7
    assert Siblings([near], MACHINE).farthest(far) == 5e-8
    assert Siblings([], MACHINE).farthest(far) == 0.0
