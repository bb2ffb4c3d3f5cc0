"""Tests of the map of all pairs of ranks, and of its outliers."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from banzuke.charts.testing import layers, rows
from banzuke.document import Items, Paragraph
from banzuke.judge.model import Assessment
from banzuke.record.figures import Pairs
from banzuke.report.testing.messages import POINT_TO_POINT, judged, pairs
from banzuke.testing import all_pairs
from banzuke.units import quantity
from banzuke.views.pairs import RankPairs
from banzuke.views.testing import charts, section, shown, view
from banzuke.words.language import words


def squares(spec: Mapping[str, Any]) -> list[dict[str, Any]]:
    return rows(spec, layers(spec, "rect")[0])


def specs(assessment: Assessment) -> Mapping[str, Mapping[str, Any]]:
    return {name: chart.spec for name, chart in charts(shown(POINT_TO_POINT, "pairs", assessment)).items()}


def listed(assessment: Assessment) -> list[str]:
    blocks = shown(POINT_TO_POINT, "pairs", assessment)
    return [item.text for block in blocks if isinstance(block, Items) for item in block.items]


def test_a_slow_rank_is_named_and_framed() -> None:
    sick = pairs(30)
    assert [text.partition(":")[0] for text in listed(sick)] == ["rank 5 (koto2, processor 1)"] * 2
    for slow in RankPairs().of(sick) or ():
        (outlier,) = slow.outliers
        assert outlier.ratio == pytest.approx(7, rel=0.05)
    for spec in specs(sick).values():
        drawn = squares(spec)
        assert len(drawn) == 8 * 7
        assert {(row["x"], row["y"]) for row in drawn if row["slow"]} == {
            pair for other in range(8) if other != 5 for pair in ((5, other), (other, 5))
        }
        assert all(row["strong"] for row in drawn if row["slow"] and min(row["x"], row["y"]) < 4)
        scale = layers(spec, "rect")[0]["encoding"]["color"]["scale"]
        shades = dict(zip(scale["domain"], scale["range"], strict=True))
        assert {shades[row["step"]] for row in drawn if {row["x"], row["y"]} == {0, 5}} == {"var(--h6)"}
        assert {shades[row["step"]] for row in drawn if {row["x"], row["y"]} == {0, 1}} == {"var(--h1)"}
        assert not any(row["strong"] for row in drawn if not row["slow"] and row["x"] // 4 == row["y"] // 4)


def test_one_pair_is_a_figure_and_no_map() -> None:
    blocks = shown(POINT_TO_POINT, "pairs", pairs(1, sick=5, ranks=2))
    assert not charts(blocks)
    latency, _ = (block for block in blocks if isinstance(block, Paragraph))
    assert latency.text.endswith("There is only one pair, and nothing to compare it with.")


def test_ranks_that_are_slow_together_are_named_once() -> None:
    def level(a: int, b: int) -> float:
        return 1e-6 if a // 4 == b // 4 else 9e-6 if 3 in (a // 4, b // 4) else 2e-6

    latencies = {"latency": all_pairs("s", [[level(a, b) for b in range(a)] for a in range(16)])}
    together = judged(pairs(1, sick=None, ranks=16).record.model_copy(update={"pairs": latencies}))
    assert listed(together) == [
        "ranks 12-15 (koto2): latency 4.5 times worse than usual with the other ranks, as usual with each other"
    ]
    assert together.causes[0].message.code == "views-slow-together"
    assert words()(together.causes[0].message) == "ranks 12-15 (koto2) are slow with all others"


@pytest.mark.slow
def test_many_ranks_are_drawn_in_blocks_of_the_slowest() -> None:
    many = pairs(1, sick=150, ranks=200)
    matrices = many.record.pairs.values()
    for spec, matrix, slowest in zip(specs(many).values(), matrices, (max, min), strict=True):
        drawn = squares(spec)
        assert len(drawn) <= 96 * 96
        assert len(json.dumps(spec, ensure_ascii=False)) < 100 * len(drawn), (
            "names of ranks do not stand in each square"
        )
        assert {row["x"] for row in drawn if row["slow"]} >= {150}
        assert all(150 in (row["x"], row["y"]) for row in drawn if row["slow"])
        (block,) = (row for row in drawn if (row["x"], row["y"]) == (150, 0))
        among = slowest(matrix.worst[a, b] for a in range(150, 153) for b in range(3))
        assert block["figure"] == quantity(among, matrix.unit)


def test_ranks_that_met_some_others_have_a_line_a_pair() -> None:
    every = pairs(1, sick=None, ranks=8)
    matrix = every.record.pairs["latency"]
    met = [at for at, (a, b) in enumerate(zip(matrix.origins, matrix.targets, strict=True)) if a // 2 == b // 2]
    less = {
        "unit": matrix.unit,
        "from": [matrix.origins[at] for at in met],
        "to": [matrix.targets[at] for at in met],
        "values": [matrix.values[at] for at in met],
    }
    some = judged(every.record.model_copy(update={"pairs": {"latency": Pairs.model_validate(less)}}))
    tables = view(POINT_TO_POINT, "pairs").tables(section(POINT_TO_POINT, some))
    rows = tables["some_pairs"].rows
    assert tables.keys() == {"some_pairs"}
    assert [(row.cells[3].value, row.cells[4].value) for row in rows] == [(0, 1), (2, 3), (4, 5), (6, 7)]
    assert [row.cells[5].value for row in rows] == [matrix.worst[b, b - 1] for b in (1, 3, 5, 7)]


def test_without_pairs_nothing_is_shown_or_written() -> None:
    without = judged(pairs(1).record.model_copy(update={"pairs": {}}))
    assert "pairs" not in without.seen
    assert not shown(POINT_TO_POINT, "pairs", without)
    assert not view(POINT_TO_POINT, "pairs").tables(section(POINT_TO_POINT, without))


def both_ways(ranks: int = 4) -> Assessment:
    """Return pairs of which rank 2 sends slowly."""
    pairs_of = [(a, b) for a in range(ranks) for b in range(ranks) if a != b]
    matrix = {
        "unit": "B/s",
        "from": [a for a, _ in pairs_of],
        "to": [b for _, b in pairs_of],
        "values": [9e7 if a == 2 else 2.7e8 for a, _ in pairs_of],
    }
    record = pairs(1, sick=None, ranks=ranks).record
    return judged(record.model_copy(update={"pairs": {"bandwidth": Pairs.model_validate(matrix)}}))


def test_a_row_of_the_map_sends_and_a_column_receives() -> None:
    slow = both_ways()
    (spec,) = specs(slow).values()
    assert {(row["y"], row["x"]) for row in squares(spec) if row["slow"]} == {(2, 0), (2, 1), (2, 3)}
    assert {row["y"] for row in squares(spec) if row["figure"] == quantity(9e7, "B/s")} == {2}
    assert [layers(spec, "rect")[0]["encoding"][axis]["title"] for axis in ("y", "x")] == ["from", "to"]
    assert words()(slow.causes[0].message) == "rank 2 (koto2, processor 0) sends slowly"


def test_tables_have_both_directions() -> None:
    slow = both_ways(3)
    (table,) = view(POINT_TO_POINT, "pairs").tables(section(POINT_TO_POINT, slow)).values()
    assert [[cell.value for cell in row.cells[5:]] for row in table.rows] == [
        [None, 2.7e8, 2.7e8],
        [2.7e8, None, 2.7e8],
        [9e7, 9e7, None],
    ]
