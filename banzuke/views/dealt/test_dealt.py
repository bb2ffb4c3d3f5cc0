"""Tests of the view of parts that share one problem unequally, with HPL's columns of the grid."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import pytest

from banzuke.charts.testing import layers, rows
from banzuke.judge.evidence import Evidence
from banzuke.judge.finding import Finding
from banzuke.judge.model import Assessment
from banzuke.plan.catalogue import find
from banzuke.record.figures import Samples
from banzuke.record.model import Group
from banzuke.report.testing.parts import assess, record
from banzuke.views.dealt import Dealt
from banzuke.views.dealt.parts import shared_problem
from banzuke.views.testing import charts, shown, tables, texts, view
from banzuke.views.view import NamesKinds
from banzuke.words.language import words

HPL = find("hpl")
COLUMNS = next(shown_by.terms for shown_by in HPL.views if isinstance(shown_by, Dealt))
G = 1e9
SECONDS = {"update": [6.0, 5.0], "panel": [1.0, 2.0], "swap": [0.5, 0.0], "broadcast_wait": [0.5, 1.0]}


def dealt(
    shares: Sequence[float] = (0.75, 0.25), placement: str = "0+1", deal: str = "rates", **conditions: object
) -> Assessment:
    """Return a case with columns of 30 and 10 Gflop/s that reach 36 of their 40."""
    case = record("hpl", 1, {"n": 8000, "deal": deal}, {"flop_rate": Samples(unit="flop/s", samples=[36 * G])})
    assert case.provenance
    seen: dict[str, Any] = {"sum_of_rates": 40 * G, "column_rates": [30 * G, 10 * G], "column_shares": list(shares)}
    placed = case.provenance.model_copy(update={"placement": placement})
    seen |= {"column_seconds": SECONDS, **conditions}
    return assess(case.model_copy(update={"conditions": seen, "provenance": placed}), {"hpl": HPL})


def said(case: Assessment, language: str = "en") -> str:
    shown_by = view(HPL, "dealt")
    remark = shown_by.remark(shown_by.of(case), [])
    assert remark
    return words(language)(remark)


def test_why_columns_have_what_they_have_is_said() -> None:
    assert said(dealt()) == (
        "columns of the grid have 75% and 25% of the matrix, because their DGEMM rates are 30 Gflop/s and "
        "10 Gflop/s with all ranks running at once; together they reach 90% of the sum over all ranks, 40 Gflop/s"
    )
    corrected = said(dealt(shares=(0.8, 0.2)))
    assert corrected.endswith(
        "40 Gflop/s; the shares also follow what else takes the columns' time, mostly messages, in a "
        "trial of about 1 s before the clock started"
    )
    assert "trial" not in said(dealt(shares=(0.8, 0.2), deal="4:1"))
    assert "25% of the matrix, as asked for; their" in said(dealt(deal="3:1"))
    assert said(dealt(shares=(0.5, 0.5))).startswith("columns of the grid have equal parts of the matrix; their")
    assert "40 Gflop/sの90%に達した" in said(dealt(), "ja")


def test_a_limit_of_the_shares_is_said_if_the_benchmark_has_one() -> None:
    case, shown_by = dealt(), view(find("hpcg"), "dealt")
    seen = view(HPL, "dealt").of(case)
    assert seen
    for limited in (False, True):
        remark = shown_by.remark(replace(seen, limited=limited), [])
        assert remark
        assert words("en")(remark).endswith("do not allow the shares that the rates ask for") == limited


def test_given_shares_that_do_not_fit_the_rates_are_the_cause_and_not_the_messages() -> None:
    waiting = {"update": [2.0, 8.0], "broadcast_wait": [6.0, 0.0]}
    shown_by = view(HPL, "dealt")

    def findings(case: Assessment) -> list[Finding]:
        return list(shown_by.findings(shown_by.of(case), cast(Evidence, None)))

    (finding,) = findings(dealt(shares=(0.5, 0.5), deal="1:1", column_seconds=waiting))
    evidence, confirm = (words("en").attribute(finding.message, name) for name in ("evidence", "confirm"))
    assert evidence == (
        "columns of the grid have 50% and 50% of the matrix, and their rates call for 75% and 25%: waiting for the one "
        "with too much takes 50% of the time"
    )
    assert confirm == "Use --set shares=rates, by which the shares follow the rates"
    assert finding.explains >= {"broadcast_wait"}
    assert finding.weight == pytest.approx(0.5)
    assert not findings(dealt(shares=(0.5, 0.5), column_seconds=waiting)), "by rates: not the user's choice"
    assert not findings(dealt(deal="3:1", column_seconds=waiting)), "they fit the rates"


@pytest.mark.parametrize(
    ("ranks", "placement", "names"),
    [
        ([1, 1], "0+1", ["processors 0", "processors 1"]),
        ([2, 1, 1], "0-1+2+3", ["column 0", "column 1"]),  # a column of two ranks of the second and third group
        ([2, 2], "fast+slow", ["a", "b"]),
        ([4, 2, 2], "fast+slow+slower", ["a, 1 of 2", "a, 2 of 2", "b", "c"]),
    ],
)
def test_a_part_is_named_by_its_group_of_ranks(ranks: Sequence[int], placement: str, names: Sequence[str]) -> None:
    partitions = [None] * len(ranks) if placement[0].isdigit() else "abc"
    groups = [
        Group(program="hpl-blas", ranks=count, threads=1, partition=partition)
        for count, partition in zip(ranks, partitions, strict=False)
    ]
    case = dealt(placement=placement).record.model_copy(update={"groups": groups})
    many = case.having(
        parameters={**case.parameters, "p": 2, "order": "column"},
        conditions={
            **case.conditions,
            "column_rates": [G] * len(names),
            "column_shares": [1 / len(names)] * len(names),
        },
    )
    if placement == "0+1":
        many = case
    seen = shared_problem(many, COLUMNS)
    assert seen
    assert [words("en")(part.name) for part in seen.parts] == names


def test_it_names_no_kinds_of_cases() -> None:
    """A view with a method `kinds` would be asked for them."""
    assert not isinstance(view(HPL, "dealt"), NamesKinds)


def test_the_table_has_what_each_did() -> None:
    (table,) = tables(shown(HPL, "dealt", dealt()))
    assert texts(table) == [
        ["case 1", "processors 0", "30 Gflop/s", "75%", "7 s", "500 ms", "500 ms"],
        ["case 1", "processors 1", "10 Gflop/s", "25%", "7 s", "0 s", "1 s"],
    ]
    assert texts(*tables(shown(HPL, "dealt", dealt(placement=""))))[1][1] == "column 1"


def test_what_each_did_is_drawn() -> None:
    chart = charts(shown(HPL, "dealt", dealt()))["hpl-dealt"]
    assert chart.description == "Of the columns of the grid, the one that waits most waits for 12.5% of its time."
    bars: list[dict[str, Any]] = [row for layer in layers(chart.spec, "bar") for row in rows(chart.spec, layer)]
    assert [(bar["who"], bar["kind"], bar["low"], bar["high"]) for bar in bars[:3]] == [
        ("processors 0", "computed", 0.0, 7.0),
        ("processors 0", "moved data", 7.0, 7.5),
        ("processors 0", "waited", 7.5, 8.0),
    ]
    assert len(bars) == 6
    two = charts(shown(HPL, "dealt", dealt(), dealt()))["hpl-dealt"].spec
    assert rows(two, layers(two, "bar")[0])[0]["who"] == "case 1, processors 0"


def test_what_each_did_over_the_steps_is_drawn() -> None:
    intervals = {"update": [[1.0, 2.0], [2.0, 1.0]], "broadcast_wait": [[1.0, 0.0], [0.0, 1.0]]}
    drawn = charts(shown(HPL, "dealt", dealt(column_intervals=intervals)))
    assert list(drawn) == ["hpl-dealt", "hpl-dealt-steps"]
    spec = drawn["hpl-dealt-steps"].spec
    bars: list[dict[str, Any]] = [row for layer in layers(spec, "rect") for row in rows(spec, layer)]
    assert [(bar["who"], bar["kind"], bar["begin"], bar["end"], bar["seconds"]) for bar in bars[:3]] == [
        ("processors 0", "computed", 0.0, 50.0, "1 s"),
        ("processors 0", "moved data", 0.0, 50.0, "0 s"),
        ("processors 0", "waited", 0.0, 50.0, "1 s"),
    ]
    assert len(bars) == 12
    for damaged in (
        {},
        {"update": [[1.0]]},
        {"update": "x"},
        {"update": [[1.0], [1.0, 2.0]]},
        [1],
        {"a": [["x"], [1]]},
    ):
        assert list(charts(shown(HPL, "dealt", dealt(column_intervals=damaged)))) == ["hpl-dealt"]


@pytest.mark.parametrize(
    "missing",
    [
        {"column_rates": []},
        {"column_rates": [1.0, "x"]},
        {"column_shares": [1.0]},
        {"sum_of_rates": "much"},
        {"sum_of_rates": 0},
    ],
)
def test_a_record_without_rates_shows_nothing(missing: dict[str, object]) -> None:
    assert not shown(HPL, "dealt", dealt(**missing))  # type: ignore[arg-type]


def test_the_share_of_the_peak_of_all_parts_stands_beside_the_first() -> None:
    (table,) = tables(shown(HPL, "dealt", assess(dealt().record, {"hpl": HPL}, peak=48 * G)))
    assert table.columns[-1].title == "of peak"
    assert [row[-1] for row in texts(table)] == ["75%", ""]
    (table,) = tables(shown(HPL, "dealt", dealt()))
    assert table.columns[-1].title != "of peak"
