"""Counts of which all launches of a side agree: equal, different, or too few to tell."""

from collections.abc import Sequence

import pytest

from banzuke.compare.matching import CaseLaunches
from banzuke.compare.test_apart import FAR, NEAR, run
from banzuke.compare.verdict import Judgement, judge
from banzuke.plan.benchmark import Metric
from banzuke.record.model import Record
from banzuke.words.language import words

COUNT = Metric("rate", "count", "lower", "Iterations")


def side(counts: Sequence[float], number: int, others: Sequence[Record] = ()) -> CaseLaunches:
    """Return a run a day, near and far in turn."""
    return CaseLaunches(tuple(run(counts, number, 24 * number, [NEAR, FAR])), tuple(others))


def judged(a: Sequence[float], b: Sequence[float], others: Sequence[Record] = ()) -> Judgement:
    return judge(side(a, 1, others), side(b, 2, others), COUNT)


def codes(judgement: Judgement) -> list[str]:
    return [message.code for message in judgement.told]


def sentence(judgement: Judgement) -> str:
    (said,) = map(words(), judgement.told)
    return said


def test_the_same_count_in_all_launches_is_equal_in_whatever_state() -> None:
    judgement = judged([100.0] * 4, [100.0] * 4)
    assert (judgement.verdict, judgement.ratio, judgement.interval) == ("equal", 1.0, (1.0, 1.0))
    assert list(map(words(), judgement.told)) == ["All 8 launches gave the same count"]
    few = judged([100.0], [100.0] * 3)
    assert (few.verdict, few.interval) == ("equal", None)


def test_counts_that_differ_are_told_apart_if_launches_suffice() -> None:
    fewer = judged([100.0] * 4, [98.0] * 4)
    assert fewer.verdict == "faster"  # fewer iterations are better
    assert fewer.ratio == pytest.approx(100 / 98)
    assert fewer.interval == pytest.approx((100 / 98, 100 / 98))
    assert codes(fewer) == ["compare-counts-differ"]
    assert sentence(fewer).endswith("unless the count varies from run to run, which two runs do not show")
    assert judged([98.0] * 4, [100.0] * 4).verdict == "slower"
    few = judged([100.0] * 3, [98.0] * 3)  # they would divide so in 1 of 10 cases by chance
    assert (few.verdict, codes(few)) == ("cannot be told", ["compare-counts-few"])
    assert judged([100.0] * 3, [98.0]).verdict == "no verdict from one launch"


def test_other_runs_show_whether_a_count_varies() -> None:
    past = [record for day in (5, 6) for record in run([100.0] * 3, day, 24 * day)]
    judgement = judged([100.0] * 3, [98.0] * 3, past)
    assert judgement.verdict == "faster"
    assert sentence(judgement).endswith("differ. All 4 runs agree with their side")
    beside = [*past, *side([100.0] * 3, 1).records, *side([98.0] * 3, 2).records]  # as the results folder has them all
    assert judged([100.0] * 3, [98.0] * 3, beside).verdict == "faster"
    varying = [*past, *run([98.0], 7, 24 * 7)]
    assert judged([100.0] * 4, [98.0] * 4, varying).verdict == "cannot be told"
    assert judged([100.0] * 4, [100.0] * 4, varying).interval is None


def of_other_case(records: Sequence[Record]) -> list[Record]:
    """Return the launches as those of a case with another problem."""
    changed = []
    for record in records:
        own = record.provenance
        assert own
        parameters = {**record.parameters, "ordering": "other"}
        changed.append(
            record.model_copy(update={"provenance": own.model_copy(update={"case": "other"}), "parameters": parameters})
        )
    return changed


def test_other_runs_of_two_cases_count_with_their_own_side() -> None:
    past = [record for day in (5, 6) for record in run([100.0] * 3, day, 24 * day)]
    theirs = of_other_case([record for day in (7, 8) for record in run([98.0] * 3, day, 24 * day)])
    a, b = side([100.0] * 2, 1, past), side([98.0] * 2, 2)
    b = CaseLaunches(tuple(of_other_case(b.records)), tuple(theirs))
    assert judge(a, b, COUNT).verdict == "faster"
    varying = CaseLaunches(a.records, tuple(run([98.0] * 4, 5, 24 * 5)))  # A's case had the count of B before
    assert judge(varying, b, COUNT).verdict == "cannot be told"


def test_counts_of_parts_dealt_by_rates_are_compared_as_runs_unless_in_turn() -> None:
    """The parts follow the state of the machine, and the count may follow the parts."""

    def dealt(case: CaseLaunches) -> CaseLaunches:
        parameters = {**case.record.parameters, "deal": "rates"}
        return CaseLaunches(tuple(record.model_copy(update={"parameters": parameters}) for record in case.records))

    a, b = dealt(side([100.0] * 4, 1)), dealt(side([98.0] * 4, 2))
    assert judge(a, b, COUNT).verdict == "cannot be told"
    same_run = dealt(CaseLaunches(tuple(run([98.0] * 4, 1, 24.1))))
    in_turn = judge(a, same_run, COUNT)
    assert in_turn.verdict == "faster"
    assert sentence(in_turn).endswith("what was launched or its surroundings differ")


def test_a_count_that_varies_in_a_side_is_judged_as_other_figures_are() -> None:
    judgement = judged([100.0, 101.0, 100.0, 100.0], [98.0] * 4)
    assert (judgement.verdict, judgement.blocks) == ("cannot be told", (1, 1))


def test_equal_figures_that_are_no_counts_are_not_taken_for_certain() -> None:
    metric = Metric("rate", "s", "lower", "Time")
    assert judge(side([1.0] * 4, 1), side([1.0] * 4, 2), metric).verdict == "cannot be told"
