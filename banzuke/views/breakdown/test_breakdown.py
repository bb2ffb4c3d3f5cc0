"""Tests of the breakdown of time: shares, causes, charts."""

import dataclasses
import itertools
from collections.abc import Mapping
from typing import Any

import pytest

from banzuke.charts.style import HEIGHT
from banzuke.charts.testing import layers, rows
from banzuke.judge.model import Assessment
from banzuke.judge.test_examples import ENGLISH, GIGA, PHASES, broken_down, confirm, judge, solver
from banzuke.record.figures import Breakdown, Samples
from banzuke.record.model import Record
from banzuke.report import testing
from banzuke.report.testing.parts import HPL, assess, record, samples
from banzuke.testing import Work
from banzuke.views.breakdown import TimeBreakdown
from banzuke.views.breakdown.times import Times
from banzuke.views.testing import charts, shown, tables, texts

VIEW = TimeBreakdown(PHASES)
COSTLY, SLOW = "views-costly-phase", "views-slow-work"


def seen(assessment: Assessment) -> Times:
    return VIEW.of(assessment) or ()


def whats(record: Record) -> list[tuple[str, str]]:
    return [(cause.message.code, ENGLISH.fact(cause.message.facts["phase"])) for cause in judge(record).causes]


def test_the_work_itself_comes_first_and_shares_add_up() -> None:
    phases = seen(judge(broken_down(1.0, 10.0, panel=[1.0, 2.0], other_things=[1.0, 0.0], update=[4.0, 2.0])))
    assert [(phase.title.english, phase.useful, phase.seconds) for phase in phases] == [
        ("update", True, 6.0),
        ("panel factorisation", False, 3.0),
        ("other things", False, 1.0),
    ]
    assert sum(phase.share for phase in phases) == pytest.approx(1.0)


def test_what_took_no_time_is_not_seen() -> None:
    assert seen(judge(broken_down(1.0, 10.0, panel=[0.0, 0.0], update=[4.0, 2.0])))[0].name == "update"
    assert VIEW.judge(broken_down(1800 * GIGA, 10.0, update=[0.0, 0.0]), testing.parts.machine()) is None
    assert whats(broken_down(1800 * GIGA, 10.0, update=[0.0, 0.0])) == []


def test_every_declared_word_has_a_code_of_its_benchmark() -> None:
    declared = {said.code: said.english for said in VIEW.declared("solver")}
    assert declared == {
        "solver-phase-update": "update",
        "solver-phase-panel": "panel factorisation",
        "solver-phase-panel-advice": "run with a smaller nb",
    }


def test_amounts_of_all_phases_are_in_the_csv() -> None:
    phases = seen(judge(broken_down(1.0, 10.0, panel=[1.0, 2.0], update=[4.0, 2.0])))
    assert {name: amount.value for name, amount in VIEW.amounts(phases).items()} == {
        "breakdown.update": 6.0,
        "breakdown.panel": 3.0,
    }


def test_what_costs_most_is_told_first() -> None:
    slow = broken_down(1800 * GIGA, 10.0, update=[3.0, 3.0], panel=[0.5, 0.7], swap=[1.0, 1.8])
    assert whats(slow) == [(COSTLY, "swap"), (COSTLY, "panel factorisation"), (SLOW, "update")]
    slower = broken_down(1080 * GIGA, 10.0, update=[4.0, 4.0], panel=[1.0, 1.0])
    assert whats(slower) == [(SLOW, "update"), (COSTLY, "panel factorisation")]


def test_advice_is_the_specifications_or_where_to_read() -> None:
    causes = judge(broken_down(2400 * GIGA, 10.0, update=[3.0, 4.0], panel=[0.5, 0.7], swap=[0.8, 1.0])).causes
    assert {ENGLISH(cause.message): confirm(cause) for cause in causes} == {
        "Time spent on swap": "`banzuke explain solver` describes it",
        "Time spent on panel factorisation": "run with a smaller nb",
        "Below its limit: update": "Check the library and the sizes that it is called with",
    }


def test_noise_and_memory_do_not_make_the_work_slow() -> None:
    assert whats(broken_down(3546 * GIGA, 12.0, update=[5.0, 5.0], panel=[1.0, 1.0])) == [
        (COSTLY, "panel factorisation")
    ]
    bound_by_memory = solver(20.0, flops=1e9, moved=400e9, breakdown=broken_down(1e9, 20.0, update=[9, 11]).breakdown)
    assert whats(bound_by_memory) == []


def test_near_the_limit_nothing_is_sought() -> None:
    assert whats(broken_down(3500 * GIGA, 10.0, update=[4.0, 5.0], panel=[0.5, 0.5])) == []


def drawn(assessment: Assessment) -> dict[str, Mapping[str, Any]]:
    return {name: chart.spec for name, chart in charts(shown(HPL, "breakdown", assessment)).items()}


def with_breakdown(**changes: Any) -> Assessment:
    """Return two parts in three unequal intervals, the second of which took no time, and a third part without time."""
    base = {"along": "way", "ends": [0.25, 0.5, 1.0], "flops": [6e9, 0.0, 2e9]}
    seconds = {"panel": [0.5, 0.0, 1.0], "swap": [0.0] * 3, "update": [1.5, 0.0, 1.0]}
    where = Breakdown.model_validate(base | {"seconds": seconds} | changes)
    metric = samples(4e9, "flop/s", 1, Work(flops=8e9, bytes=0, moved=1))
    case = record("hpl", 1, {}, {"flop_rate": metric}).model_copy(update={"breakdown": where})
    return assess(case, limit=lambda _: 5e9)


def test_rate_over_progress_with_the_limit() -> None:
    spec = drawn(with_breakdown())["hpl-rate"]
    (line,), (rule,) = layers(spec, "line"), layers(spec, "rule")
    assert [(row["x"], row["y"]) for row in rows(spec, line)] == [(0, 3), (50, 1), (100, 1)]
    assert line["mark"]["interpolate"] == "step-after"
    assert rows(spec, rule)[0]["limit"] == 5
    assert line["encoding"]["y"]["title"] == "Gflop/s"
    assert line["encoding"]["x"]["title"] == "way, %"


def test_the_limit_of_a_time_is_drawn_as_the_rate_that_it_allows() -> None:
    case = with_breakdown()
    timed = Samples(unit="s", samples=[4.0], **Work(flops=8e9, bytes=0, moved=1).of("s"))
    slow = assess(case.record.model_copy(update={"metrics": {"flop_rate": timed}}), limit=lambda _: 2.0)
    figures = tuple(dataclasses.replace(figure, unit="s") for figure in slow.figures)
    spec = drawn(dataclasses.replace(slow, figures=figures))["hpl-rate"]
    (rule,) = layers(spec, "rule")
    assert rows(spec, rule)[0]["limit"] == 4
    unknown = dataclasses.replace(case, figures=tuple(dataclasses.replace(f, limit=None) for f in case.figures))
    assert layers(drawn(unknown)["hpl-rate"], "rule") == []


def test_shares_of_the_parts_are_stacked_with_the_work_itself_below() -> None:
    (chart,) = charts(shown(HPL, "breakdown", with_breakdown(flops=[0, 0, 0]))).values()
    spec = chart.spec
    (area,) = layers(spec, "area")
    stack = [(row["phase"], row["x"], row["low"], row["high"]) for row in rows(spec, area)]
    assert stack == [
        ("update", 0, 0, 75),
        ("panel factorisation", 0, 75, 100),
        ("update", 50, 0, 50),
        ("panel factorisation", 50, 50, 100),
        ("update", 100, 0, 50),
        ("panel factorisation", 100, 50, 100),
    ]
    (labels,) = layers(spec, "text")
    assert [(row["phase"], row["y"]) for row in rows(spec, labels)] == [
        ("update", 31.25),
        ("panel factorisation", 81.25),
    ]
    assert "The first half of the run took 50% of the time." in chart.caption
    assert "update 62.5%" in chart.description


@pytest.mark.parametrize(("name", "lines"), [("part", 1), ("a_name_of_two_lines", 2)])
def test_labels_of_thin_parts_keep_apart(name: str, lines: int) -> None:
    thin = {f"{name} {index}": [0.01, 0.0, 0.01] for index in range(6)} | {"update": [1.0, 0.0, 1.0]}
    spec = drawn(with_breakdown(seconds=thin))["hpl-breakdown"]
    (labels,) = layers(spec, "text")
    label_rows = rows(spec, labels)
    assert max(row["text"].count("\n") for row in label_rows) == lines - 1
    middles = [row["y"] / 100 * HEIGHT - 7 * row["text"].count("\n") for row in label_rows]
    assert all(b - a >= 14 * lines - 1e-9 for a, b in itertools.pairwise(middles))


def test_long_labels_have_lines_around_their_part() -> None:
    name = "a_part_whose_name_is_longer_than_its_label"
    spec = drawn(with_breakdown(seconds={"update": [1.5, 0.0, 1.0], name: [0.5, 0.0, 1.0]}))["hpl-breakdown"]
    (labels,) = layers(spec, "text")
    (_, label) = rows(spec, labels)
    assert label["text"].split(labels["mark"]["lineBreak"]) == ["a part whose name", "is longer than its", "label"]
    assert label["y"] / 100 * HEIGHT == pytest.approx(0.8125 * HEIGHT + 14)


def test_every_interval_tells_its_parts_under_the_pointer() -> None:
    spec = drawn(with_breakdown())["hpl-breakdown"]
    (rect,) = layers(spec, "rect")
    first = rows(spec, rect)[0]
    tips = {tip.get("title", tip["field"]): first[tip["field"]] for tip in rect["encoding"]["tooltip"]}
    assert tips == {
        "way": "0% to 25%",
        "time": "2 s",
        "rate": "3 Gflop/s",
        "update": "75%",
        "panel factorisation": "25%",
    }


def test_no_time_and_no_breakdown_draw_nothing() -> None:
    nothing = {"panel": [0.0] * 3, "update": [0.0] * 3}
    assert drawn(with_breakdown(seconds=nothing)) == {}
    assert drawn(testing.stream(1, 2, 1.0)) == {}


def test_one_interval_is_a_table_without_charts() -> None:
    whole = with_breakdown(ends=[1.0], flops=[8e9], seconds={"panel": [1.5], "update": [2.5]})
    blocks = shown(HPL, "breakdown", whole)
    assert not charts(blocks)
    (table,) = tables(blocks)
    assert texts(table) == [["update", "2.5 s", "62.5%"], ["panel factorisation", "1.5 s", "37.5%"]]


def test_cases_are_beside_each_other_whichever_have_a_breakdown() -> None:
    none, first, second = (
        testing.stream(1, 2, 1.0),
        with_breakdown(),
        with_breakdown(seconds={"update": [6.0, 0.0, 0.0]}),
    )
    blocks = shown(HPL, "breakdown", none, first, second)
    of_first, of_all = tables(blocks)
    assert [row[0] for row in texts(of_first)] == ["update", "panel factorisation"]
    assert [column.title for column in of_all.columns] == ["Case", "Phase", "Time", "Share of time"]
    assert texts(of_all) == [
        ["case 2", "update", "2.5 s", "62.5%"],
        ["case 2", "panel factorisation", "1.5 s", "37.5%"],
        ["case 3", "update", "6 s", "100%"],
    ]
    assert [row.cells[0].above for row in of_all.rows] == [False, True, False]
    spec = charts(blocks)["hpl-phases"].spec
    (bars,) = layers(spec, "bar")
    assert [(row["case"], row["phase"], row["low"], row["high"]) for row in rows(spec, bars)] == [
        ("case 2", "update", 0, 2.5),
        ("case 2", "panel factorisation", 2.5, 4),
        ("case 3", "update", 0, 6),
    ]


def test_many_cases_are_a_table_alone() -> None:
    blocks = shown(HPL, "breakdown", *[with_breakdown()] * 25)
    assert len(tables(blocks)[1].rows) == 25 * 2
    assert "hpl-phases" not in charts(blocks)


def test_words_are_those_of_the_language() -> None:
    (table,) = tables(shown(HPL, "breakdown", with_breakdown(), language="ja"))
    assert [column.title for column in table.columns] == ["処理", "時間", "時間比率"]
