"""Tests of figures over sizes: which are compared, their statistics and regimes, what is drawn and written."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from banzuke.charts.testing import layers, rows
from banzuke.compare.statistics import median, quantile
from banzuke.document import Block, Chart, Details, Heading, Table
from banzuke.judge.model import Assessment
from banzuke.report.testing.messages import (
    ALPHA,
    COLLECTIVES,
    CURVES,
    OPERATIONS,
    POINT_TO_POINT,
    TITLES,
    collective,
    messages,
    point_to_point,
    token_bucket,
)
from banzuke.views.curve import plain
from banzuke.views.curve.lines import LineGroup, SizeLine, group_title, grouped, main_lines, other_lines
from banzuke.views.curve.overlap import overlaps
from banzuke.views.curve.regimes import regimes
from banzuke.views.curve.statistics import message_times
from banzuke.views.testing import charts, section, tables, texts
from banzuke.views.view import ViewSection
from banzuke.words import Share
from banzuke.words.language import words


@cache
def among(name: str) -> ViewSection:
    benchmark = {"pt2pt": POINT_TO_POINT, "collectives": COLLECTIVES}[name]
    return section(benchmark, *(a for a in messages().assessments if a.record.benchmark == name))


def groups(view_section: ViewSection) -> list[LineGroup]:
    return grouped(main_lines(view_section), CURVES.hidden)


def titles(view_section: ViewSection) -> list[str]:
    return [words()(group_title(view_section.benchmark, group)) for group in groups(view_section)]


@cache
def shown(name: str) -> Sequence[Block]:
    return CURVES.show(among(name))


def drawn(name: str) -> list[list[Chart]]:
    """Return charts by group, the overlap's last."""
    charts_by_group: list[list[Chart]] = []
    for block in shown(name):
        if isinstance(block, Heading):
            charts_by_group.append([])
        elif isinstance(block, Chart):
            charts_by_group[-1].append(block)
    return charts_by_group


def points(spec: Mapping[str, Any]) -> list[dict[str, Any]]:
    return rows(spec, layers(spec, "point")[0])


def test_placements_of_one_test_are_lines_of_one_chart() -> None:
    view_section = among("pt2pt")
    assert titles(view_section) == [
        "Latency over message size",
        "Bandwidth over message size",
        "Bandwidth over message size (bidirectional)",
        "Bandwidth over message size (multi-pair)",
    ]
    assert [line.label for line in groups(view_section)[0].lines] == [TITLES[name] for name in ALPHA]
    for group, (chart, *_) in zip(groups(view_section), drawn("pt2pt"), strict=True):
        assert {row["series"] for row in points(chart.spec)} == {line.label for line in group.lines}


def test_operations_share_a_chart_at_one_placement_and_have_their_own_where_placements_compare() -> None:
    view_section = among("collectives")
    assert titles(view_section)[:2] == ["Latency (barrier)", "Latency over message size (allreduce)"]
    assert [line.label for line in groups(view_section)[1].lines] == [
        "all 8 cores of one host, blocking",
        "all 8 cores on each of 4 hosts, blocking",
        "all 8 cores of one host, non-blocking",
    ]
    alone = section(COLLECTIVES, *(collective(i, name, "one-node") for i, name in enumerate(OPERATIONS)))
    (group,) = groups(alone)
    assert [line.label for line in group.lines] == list(OPERATIONS)
    mixed = [
        *(collective(index, operation, "one-node") for index, operation in enumerate(OPERATIONS)),
        *(collective(10 + index, name, "one-node", "non-blocking") for index, name in enumerate(("bcast", "alltoall"))),
    ]
    modes = section(COLLECTIVES, *mixed)
    assert titles(modes) == ["Latency over message size (blocking)", "Latency over message size (non-blocking)"]
    assert [[line.label for line in group.lines] for group in groups(modes)] == [[*OPERATIONS], ["bcast", "alltoall"]]


def test_what_a_headline_is_of_is_said_where_that_varies() -> None:
    assert {*CURVES.kinds(among("pt2pt")).values()} == {"bidirectional", "multi-pair"}
    assert {*CURVES.kinds(among("collectives")).values()} == {"barrier", "allreduce", "alltoall", "bcast"} & {
        str(case.assessment.record.parameters["operation"]) for case in among("collectives").cases
    }


def test_a_barrier_has_a_row_and_no_chart() -> None:
    assert drawn("collectives")[0] == []
    assert [text[0] for text in texts(tables(shown("collectives"))[0])] == ["0 B"]


def all_lines(view_section: ViewSection) -> list[SizeLine]:
    main = main_lines(view_section)
    return [*main, *other_lines(view_section.benchmark, main)]


@pytest.mark.parametrize("name", ["pt2pt", "collectives"])
def test_every_size_has_the_statistics_of_its_samples(name: str) -> None:
    for line in all_lines(among(name)):
        assert [point.at for point in line.points] == [point.at for point in line.curve.points]
        for shown_point, point in zip(line.points, line.curve.points, strict=True):
            samples = point.metrics[line.metric.name].samples
            values = {stat: plain(value) for stat, value in shown_point.values.items()}
            assert shown_point.count == len(samples)
            assert values["median"] == median(samples)
            assert (values["minimum"], values["maximum"]) == (min(samples), max(samples))
            if len(samples) >= 100:
                assert values["p95"] == quantile(samples, 0.95)
            assert ("p99" in values) == (len(samples) >= 500)


@pytest.mark.parametrize("name", ["pt2pt", "collectives"])
def test_every_size_of_every_metric_is_in_the_csv(name: str) -> None:
    table = CURVES.tables(among(name))["sizes"]
    columns = [column.title for column in table.columns]
    medians = {}
    for row in table.rows:
        values = {
            title: cell.text if cell.value is None else cell.value
            for title, cell in zip(columns, row.cells, strict=True)
        }
        medians[values["case"], values["metric"], values["message size"]] = values["median"]
        assert values["placement"] in TITLES
    assert medians == {
        (case.id, metric, point.at): median(samples.samples)
        for case in among(name).cases
        if case.assessment.record.curve
        for point in case.assessment.record.curve.points
        for metric, samples in point.metrics.items()
    }


def test_regimes_are_those_of_the_medians() -> None:
    latency = groups(among("pt2pt"))[0]
    for line in latency.lines:
        assert line.regimes == regimes(message_times(line.curve, "latency"))
    table = next(table for table in tables(shown("pt2pt")) if "n½" in [column.title for column in table.columns])
    far = [row for row in texts(table) if row[0] == latency.lines[2].label]
    assert [row[1] for row in far] == ["0 B to 4 KiB", "8 KiB to 4 MiB"]
    beta = latency.lines[2].regimes[1].beta
    assert beta
    assert [row[5] for row in far] == ["–", words().fact(Share(beta.value / 12.5e9))]


def test_a_parameter_that_is_not_known_well_is_replaced_by_how_well() -> None:
    bucket = token_bucket(1, "late, and most of all where they begin")
    table = tables(CURVES.show(section(POINT_TO_POINT, bucket)))[-1]
    assert "wider than ±10% is replaced by that width" in table.caption
    first, *_, last = texts(table)
    assert first[:4] == ["0 B to 2 KiB", "7.24 µs", "over ±100%", "–"]
    assert last[0] == "32 KiB to 4 MiB"
    assert [text[0] for text in last[1:3]] == ["±", "±"]
    assert last[3:5] == ["–", "–"]


def test_both_ways_are_held_against_both_ways_of_the_link() -> None:
    (line,) = groups(among("pt2pt"))[2].lines
    beta, link = line.regimes[-1].beta, line.asymptote
    assert beta
    assert link
    assert beta.value / link == pytest.approx(1.6 * 0.97 * 12.1 / 25, rel=0.1)


def test_the_limit_of_each_size_is_drawn_and_shown() -> None:
    point = groups(among("pt2pt"))[0].lines[0].points[4]
    of_limit, limit, middle = (plain(point.values[name]) for name in ("of_limit", "limit", "median"))
    assert of_limit == pytest.approx(0.4, rel=0.05)
    assert limit == pytest.approx(of_limit * middle)
    spec = drawn("pt2pt")[0][0].spec
    (dashed,) = [layer for layer in spec["layer"] if "strokeDash" in layer["mark"]]
    assert {row["series"] for row in rows(spec, dashed)} == {TITLES["same-complex"], TITLES["other-socket"]}


@pytest.mark.parametrize("name", ["pt2pt", "collectives"])
def test_scales_are_logarithmic_and_hold_all_that_is_drawn(name: str) -> None:
    for chart in (chart for group in drawn(name) for chart in group if "overlap" not in chart.id):
        for axis in ("x", "y"):
            encoding = layers(chart.spec, "point")[0]["encoding"][axis]
            low, high = encoding["scale"]["domain"]
            assert encoding["scale"]["type"] == "log"
            assert all(0 < low <= row[axis] <= high for row in points(chart.spec))
            assert len([tick for tick in encoding["axis"]["values"] if low <= tick <= high]) >= 2


def test_bands_are_drawn_where_they_do_not_cover_each_other() -> None:
    specs = [group[0].spec for group in drawn("pt2pt")]
    assert [len(layers(spec, "area")) for spec in specs] == [0, 0, 1, 1]
    for spec in specs[2:]:
        low, high = layers(spec, "point")[0]["encoding"]["y"]["scale"]["domain"]
        ends = [row[end] for row in points(spec) for end in ("low", "high") if row[end] is not None]
        assert low <= min(ends) <= max(ends) <= high


def test_the_rate_of_messages_is_drawn_of_several_pairs() -> None:
    assert [len(group) for group in drawn("pt2pt")] == [1, 1, 1, 2]
    first = points(drawn("pt2pt")[3][1].spec)[0]
    (line,) = groups(among("pt2pt"))[3].lines
    assert first["y"] * 1e6 == pytest.approx(plain(line.points[0].values["median"]) / line.points[0].at)
    assert "M/s" in first["figure"]


def test_what_is_hidden_behind_computation_is_drawn() -> None:
    assert CURVES.overlap
    hidden = overlaps(main_lines(among("collectives")), CURVES.hidden, CURVES.overlap)
    assert {overlap.label for overlap in hidden} == {"allreduce, all 8 cores of one host"}
    (chart,) = drawn("collectives")[-1]
    assert [row["y"] for row in points(chart.spec)] == [100 * overlap.share for overlap in hidden]


def test_rates_are_slow_where_they_are_low() -> None:
    view_section = section(POINT_TO_POINT, point_to_point(1, "bandwidth", "same-complex"))
    (line,) = main_lines(view_section)
    table = tables(CURVES.show(view_section))[0]
    at = [column.title for column in table.columns].index("Slowest")
    assert [row.cells[at].value for row in table.rows if row.cells[0].value == line.points[-1].at] == [
        plain(line.points[-1].values["minimum"])
    ]


def test_all_sizes_stand_behind_a_click() -> None:
    view_section = section(POINT_TO_POINT, point_to_point(1, "latency", "same-complex"))
    (details,) = [block for block in CURVES.show(view_section) if isinstance(block, Details)]
    (every,) = [block for block in details.blocks if isinstance(block, Table)]
    assert len(every.rows) == len(main_lines(view_section)[0].points)


def test_a_failed_case_has_no_line() -> None:
    good = point_to_point(1, "latency", "same-complex")
    failed = Assessment(good.record.model_copy(update={"status": "failed", "curves": {}}), ())
    assert len(main_lines(section(POINT_TO_POINT, failed, good))) == 1
    assert not charts(CURVES.show(section(POINT_TO_POINT, failed)))


def test_words_are_those_of_the_language() -> None:
    view_section = section(POINT_TO_POINT, point_to_point(1, "latency", "same-complex"), language="ja")
    heading = next(block for block in CURVES.show(view_section) if isinstance(block, Heading))
    assert heading.text.startswith("メッセージサイズに対する")


def test_sizes_that_are_not_sent_are_not_fitted() -> None:
    of_caches, view_section = replace(CURVES, messages=False), among("pt2pt")
    fitted, plain_tables = (len([*tables(view.show(view_section))]) for view in (CURVES, of_caches))
    assert plain_tables < fitted
    assert "α" in words()(CURVES.method())  # noqa: RUF001
    assert "α" not in words()(of_caches.method())  # noqa: RUF001
