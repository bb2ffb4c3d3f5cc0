"""The chapter of a fleet: its findings, charts and tables, for few nodes and many, in each language."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from banzuke.charts.testing import layers, rows
from banzuke.document import Chart, Section, Table, inside
from banzuke.fleet.judge import judge
from banzuke.fleet.load import load
from banzuke.fleet.model import Fleet, Node, NodeFigure
from banzuke.fleet.page import nodes_table, sections
from banzuke.fleet.summary import blocks
from banzuke.fleet.testing import MadeFleet
from banzuke.fleet.verdict import FleetJudgement, NodeVerdict, SlowFigure, SlowLink
from banzuke.results.store import Store
from banzuke.testing import plain
from banzuke.words.language import LANGUAGES, words

TRIAD = "stream-omp:triad_bandwidth"
DRAWN = ["fleet-nodes", "fleet-distribution", "fleet-0-links"]


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Fleet:
    """Return 300 nodes in ten racks: node 7 is slow and has another governor, 11 hung, rack 3 is of a slower type."""
    made = MadeFleet(
        300,
        slow={7: {0: 0.8}, **{node: {0: 0.7} for node in range(60, 90)}},
        states={11: "hung"},
        facts={7: {"setting.governor": "powersave"}},
        bins=dict.fromkeys(range(60, 90), "Example 7000"),
        racks=30,
        links=tuple((at, (at + step) % 300, 2.4e10) for step in (1, 30) for at in range(300)),
    )
    return load([made.write(Store(tmp_path_factory.mktemp("many")))])


def charts_and_tables(chapter: list[Section]) -> tuple[Mapping[str, Mapping[str, Any]], Mapping[str, list[list[str]]]]:
    """Return charts by name, and the cells of tables by caption."""
    shown = [block for section in chapter for block in inside(section.blocks)]
    tables = {
        block.caption: [[cell.text for cell in row.cells] for row in block.rows]
        for block in shown
        if isinstance(block, Table)
    }
    return {block.id: block.spec for block in shown if isinstance(block, Chart)}, tables


def test_who_is_slow_is_named_with_what_was_seen_and_why(many: Fleet) -> None:
    _, tables = charts_and_tables(sections(many, judge(many), words()))
    hung, slow = tables["Nodes that failed"]
    assert [hung[0], slow[0]] == ["n00011", "n00007"]
    assert hung[1].startswith("hung")
    assert slow[1].startswith("STREAM Triad: 2")
    assert "powersave" in slow[2]
    (types,) = (cells for caption, cells in tables.items() if caption.startswith("Nodes of a type"))
    assert types == [
        ["Example 9000, 48 cores", "270", "268", "2", "0"],
        ["Example 7000, 48 cores", "30", "30", "0", "0"],
    ]
    assert tables["Settings in which nodes of a type differ"] == [
        ["governor", "Example 9000, 48 cores", "performance", "269", "powersave (1 node)"]
    ]


def test_many_nodes_are_drawn_by_rack_and_those_that_failed_by_name(many: Fleet) -> None:
    charts, _ = charts_and_tables(sections(many, judge(many), words()))
    assert list(charts) == DRAWN
    spec = charts["fleet-nodes"]
    filled, framed, *_ = layers(spec, "rect")
    squares = rows(spec, filled)
    axis = filled["encoding"]["x"]["axis"]
    assert "values" not in axis, "browsers would leave out the first label"
    names = json.loads(axis["labelExpr"].removesuffix("[datum.value]"))
    assert list(names.values()) == ["n00007", *(f"rack {at:02}" for at in range(1, 11))]
    assert len(squares) == 5 * 11
    usual = median(
        n.values[TRIAD] for n in many.nodes.values() if n.values and "7000" not in str(n.facts["type.processor"])
    )
    triad = next(row for row in squares if row["x"] == 0 and row["share"] < 0.9)
    assert triad["share"] == pytest.approx(many.nodes["n00007"].values[TRIAD] / usual, rel=1e-3)
    assert triad["step"] in {"50% – 80%", "80% – 90%"}
    assert {row["step"] for row in squares if row["x"] > 0} == {"≥ 97%"}, "medians of racks, beside their own type"
    assert "datum.slow" in str(framed["transform"])
    assert {row["x"] for row in squares if row.get("slow")} == {0}
    spec = charts["fleet-distribution"]
    (bars,), (marks,) = layers(spec, "rect"), layers(spec, "point")
    assert sum(row["nodes"] for row in rows(spec, bars)) == 5 * 299
    (mark,) = rows(spec, marks)
    assert mark["node"] == "n00007"
    assert mark["x"] == pytest.approx(triad["share"] * 100, abs=0.01)


def test_each_of_few_nodes_has_its_column_and_its_share_in_writing(tmp_path: Path) -> None:
    few = load([MadeFleet(4, slow={2: {1: 0.5}}, racks=0, links=((0, 1, 2e10), (2, 3, 1e10))).write(Store(tmp_path))])
    charts, _ = charts_and_tables(sections(few, judge(few), words()))
    squares = rows(charts["fleet-nodes"], layers(charts["fleet-nodes"], "text")[0])
    assert len(squares) == 4 * 5
    assert [row["x"] for row in squares if float(row["text"]) < 60] == [2]
    links = rows(charts["fleet-0-links"], layers(charts["fleet-0-links"], "rect")[0])
    assert {(row["x"], row["y"], row["link"]) for row in links if row["x"] < row["y"]} == {
        (0, 1, "n00000 – n00001"),
        (2, 3, "n00002 – n00003"),
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_the_whole_chapter(many: Fleet, language: str) -> None:
    chapter = sections(many, judge(many), words(language))
    charts, tables = charts_and_tables(chapter)
    assert list(charts) == DRAWN
    assert len(tables) == 4
    assert len({section.title for section in chapter}) == len(chapter) == 5


def test_the_same_without_charts_is_for_a_terminal(many: Fleet) -> None:
    text, failed, figures = blocks(many, judge(many), words())
    assert "298 passed, 2 failed" in str(text)
    assert isinstance(failed, Table)
    assert isinstance(figures, Table)
    assert [row.cells[0].text for row in figures.rows][::2] == ["DGEMM", "FFT", "HPCG", "HPL", "STREAM Triad"]
    assert {row.cells[2].value for row in figures.rows} == {269, 30}


def test_all_nodes_are_listed_for_programs(many: Fleet) -> None:
    header, listed = nodes_table(many, judge(many))
    assert header[:5] == ["node", "verdict", "state", "place", "kind"]
    assert len(header) == 5 + 5
    assert len(listed) == 300
    assert [row[:4] for row in listed if row[1] != "pass"] == [
        ["n00007", "fail", "measured", "rack 01"],
        ["n00011", "fail", "hung", "rack 01"],
    ]
    assert listed[3][header.index(TRIAD)] == many.nodes["n00003"].values[TRIAD]


def test_a_fleet_of_which_nothing_is_known_is_no_crash() -> None:
    chapter = sections(Fleet({}, {}), FleetJudgement(), words())
    charts, _ = charts_and_tables(chapter)
    assert not charts


def test_what_varies_much_between_healthy_nodes_is_no_pattern_of_colours() -> None:
    """Such as OS noise: half or twice as much is normal there; a tenth of the speed is not."""
    figure = NodeFigure("noise", "Noise", "s", "lower")
    levels = [0.5, 0.7, 0.8, 1.0, 1.2, 1.4, 2.0, 10.0]
    nodes = {f"n{at}": Node(f"n{at}", "k", values={"noise": level}) for at, level in enumerate(levels)}
    charts, _ = charts_and_tables(
        sections(Fleet({"noise": figure}, nodes), FleetJudgement(nodes=unjudged(nodes)), words())
    )
    squares = rows(charts["fleet-nodes"], layers(charts["fleet-nodes"], "text")[0])
    assert [row["x"] for row in squares if row["step"] != "≥ 97%"] == [7]


def test_of_two_nodes_nothing_is_drawn() -> None:
    nodes = {host: Node(host, "k", values={"f": 1.0}) for host in ("n1", "n2")}
    charts, tables = charts_and_tables(
        sections(Fleet({"f": NodeFigure("f", "F", "s")}, nodes), FleetJudgement(nodes=unjudged(nodes)), words())
    )
    assert not charts
    assert len(tables) == 2


def test_a_node_with_no_other_of_its_type_has_no_spread() -> None:
    kinds = {"n1": "a", "n2": "b", "n3": "b"}
    nodes = {host: Node(host, kind, values={"f": 1.0}) for host, kind in kinds.items()}
    fleet = Fleet({"f": NodeFigure("f", "F", "s")}, nodes)
    *_, figures = blocks(fleet, FleetJudgement(nodes=unjudged(nodes)), words())
    assert isinstance(figures, Table)
    assert [[cell.text for cell in row.cells[2:]] for row in figures.rows] == [
        ["1", "1 s", "–", "–", "–"],
        ["2", "1 s", "0%", "1 s", "1 s"],
    ]


def test_each_slow_link_is_listed_once() -> None:
    figure = NodeFigure("link", "Link", "B/s")
    slow = [SlowLink(("n1", host), SlowFigure(figure, 1e9, 2e9, 9.0)) for host in ("n2", "n3")]
    _, links = blocks(Fleet({}, {}), FleetJudgement(links=tuple(slow)), words())
    assert isinstance(links, Table)
    assert [row.cells[0].text for row in links.rows] == ["n1 – n2", "n1 – n3"]


def unjudged(hosts: Iterable[str]) -> Mapping[str, NodeVerdict]:
    return {host: NodeVerdict(host, "unknown", plain("compare")) for host in hosts}
