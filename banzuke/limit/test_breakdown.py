import pytest

from banzuke.limit.breakdown import spent
from banzuke.limit.test_examples import ENGLISH, GIGA, SOLVER, broken_down, confirm, judge, solver
from banzuke.record.figures import Breakdown
from banzuke.record.model import Record

COSTLY, SLOW = "limit-costly-phase", "limit-slow-work"


def whats(record: Record) -> list[tuple[str, str]]:
    return [(one.message.code, ENGLISH.fact(one.message.facts["phase"])) for one in judge(record).causes]


def test_the_work_itself_comes_first_and_shares_add_up() -> None:
    found = judge(broken_down(1.0, 10.0, panel=[1.0, 2.0], other_things=[1.0, 0.0], update=[4.0, 2.0])).spent
    assert [(part.title, part.useful, part.seconds) for part in found] == [
        ("update", True, 6.0),
        ("panel factorisation", False, 3.0),
        ("other things", False, 1.0),
    ]
    assert sum(part.share for part in found) == pytest.approx(1.0)


def test_no_breakdown_and_no_time_have_no_shares() -> None:
    assert spent(None, SOLVER.parts) == ()
    still = Breakdown(along="way", ends=[1.0], flops=[1.0], seconds={"update": [0.0]})
    assert [part.share for part in spent(still, SOLVER.parts)] == [0.0]
    assert whats(broken_down(1800 * GIGA, 10.0, update=[0.0, 0.0])) == []


def test_what_costs_most_is_told_first() -> None:
    slow = broken_down(1800 * GIGA, 10.0, update=[3.0, 3.0], panel=[0.5, 0.7], swap=[1.0, 1.8])
    assert whats(slow) == [
        (COSTLY, "swap"),
        (COSTLY, "panel factorisation"),
        (SLOW, "update"),
    ]
    slower = broken_down(1080 * GIGA, 10.0, update=[4.0, 4.0], panel=[1.0, 1.0])
    assert whats(slower) == [(SLOW, "update"), (COSTLY, "panel factorisation")]


def test_advice_is_the_specifications_or_where_to_read() -> None:
    causes = judge(broken_down(2400 * GIGA, 10.0, update=[3.0, 4.0], panel=[0.5, 0.7], swap=[0.8, 1.0])).causes
    assert {ENGLISH(cause.message): confirm(cause) for cause in causes} == {
        "swap": "`banzuke explain solver` describes it",
        "panel factorisation": "run with a smaller nb",
        "update runs below its limit": "Check the library and the sizes that it is called with",
    }


def test_noise_and_memory_do_not_make_the_work_slow() -> None:
    assert whats(broken_down(3546 * GIGA, 12.0, update=[5.0, 5.0], panel=[1.0, 1.0])) == [
        (COSTLY, "panel factorisation")
    ]
    bound_by_memory = solver(20.0, flops=1e9, moved=400e9, breakdown=broken_down(1e9, 20.0, update=[9, 11]).breakdown)
    assert whats(bound_by_memory) == []


def test_near_the_limit_nothing_is_sought() -> None:
    assert whats(broken_down(3500 * GIGA, 10.0, update=[4.0, 5.0], panel=[0.5, 0.5])) == []
