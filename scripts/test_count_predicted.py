"""Tests that own cases are counted by whether they lie within their intervals."""

from banzuke.document.markdown import blocks_markdown
from banzuke.judge.test_examples import CEILINGS, FLOP_RATE, GIGA, MACHINE, judge, triad
from banzuke.predict.residual import residuals
from banzuke.predict.test_residual import WITH_MODEL, run
from scripts.count_predicted import Count, count, count_blocks, share_within


def counted() -> dict[str, Count]:
    near, far, unknown = run(3.0), run(6.0), run(3.0)
    judged = [judge(near), judge(far), judge(unknown, under=(FLOP_RATE,)), judge(triad(40 * GIGA))]
    compared = residuals(judged, MACHINE, CEILINGS, WITH_MODEL)
    return count((subject.record.benchmark, outcome) for subject, outcome in zip(judged, compared, strict=True))


def test_cases_are_counted_by_whether_they_lie_within() -> None:
    counts = counted()
    solver = counts["solver"]
    assert (len(solver.ratios), solver.within, sum(solver.reasons.values())) == (2, 1, 1)
    assert share_within(counts.values()) == 0.5
    assert share_within([]) is None
    assert "stream" not in counts


def test_the_table_has_shares_and_reasons() -> None:
    text = "\n".join(blocks_markdown(count_blocks(counted())))
    assert "| solver | 2 | 1 | 50% |" in text
    assert "the memory bandwidth is unknown" in text
