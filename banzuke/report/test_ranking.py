"""Tests of a figure in the history of a list, and of the nearest machines."""

from dataclasses import replace

import pytest

from banzuke.document import Chart, Details, Table
from banzuke.machine.nodes import ranked_machines
from banzuke.plan.catalogue import find
from banzuke.report import testing
from banzuke.report.chapter import Chapter, chapters
from banzuke.report.nearest import nearest, ranked_figure
from banzuke.report.ranking import ranking_blocks
from banzuke.words.language import words


def chapter(value: float) -> Chapter:
    """Return HPL's chapter with all figures set to this value."""
    evaluation = testing.rich()
    benchmarks = {**evaluation.benchmarks, "hpl": find("hpl")}
    assessments = tuple(
        replace(case, figures=tuple(replace(figure, value=value) for figure in case.figures))
        for case in evaluation.assessments
        if case.record.benchmark == "hpl"
    )
    (only,) = chapters(replace(evaluation, benchmarks=benchmarks, assessments=assessments), words())
    return only


@pytest.mark.parametrize("value", [1e6, 1e11, 1e16, 1e19])
def test_the_figure_crosses_the_list_and_the_caption_says_where(value: float) -> None:
    chart, *rest = ranking_blocks(chapter(value), words())
    assert isinstance(chart, Chart)
    assert chart.id == "hpl-history"
    lines, rule, text = chart.spec["layer"]
    assert {row["series"] for row in lines["data"]["values"]} == {"place 1", "place 100", "place 500"}
    assert rule["data"]["values"][0]["limit"] == value
    low, high = lines["encoding"]["y"]["scale"]["domain"]
    assert low < value < high
    assert "this machine" in text["data"]["values"][0]["text"]
    assert chart.caption.startswith("In the TOP500: ")
    assert bool(rest) == (value > 1e6), "places only where there is one"


def test_the_table_has_the_place_in_each_edition() -> None:
    _, details = ranking_blocks(chapter(1.1e11), words())
    assert isinstance(details, Details)
    (table,) = details.blocks
    assert isinstance(table, Table)
    assert table.file == "hpl-places"
    assert [row.cells[1].value for row in table.rows][:2] == [1, 2]


def test_there_is_none_without_a_list_or_a_verified_figure() -> None:
    whole = chapter(1e11)
    without = tuple(replace(case, assessment=replace(case.assessment, figures=())) for case in whole.cases)
    assert ranking_blocks(replace(whole, cases=without), words()) == []
    assert ranking_blocks(replace(whole, benchmark=find("stream")), words()) == []
    assert ranking_blocks(replace(whole, benchmark=None), words()) == []


def test_japanese_says_the_same() -> None:
    chart, *_ = ranking_blocks(chapter(1e11), words("ja"))
    assert isinstance(chart, Chart)
    assert "TOP500では" in chart.caption
    assert "本システム" in chart.title


def test_neighbours_are_of_each_machine_once_and_in_order() -> None:
    evaluation, benchmark = testing.rich(), find("hpl")
    ranked = ranked_figure([case for case in evaluation.assessments if case.record.benchmark == "hpl"], benchmark)
    assert ranked
    for around in nearest(evaluation.machine, *ranked, benchmark, ranked_machines(), ("", "node", "core", "watt")):
        better, worse = ([value for _, value in side] for side in (around.above, around.below))
        assert better == sorted(better)
        assert worse == sorted(worse, reverse=True)
        assert around.place == len(better) + 1
        assert around.count == len(better) + len(worse) + 1
        names = [peer.machine for peer, _ in (*around.above, *around.below)]
        assert len(set(names)) == len(names)
