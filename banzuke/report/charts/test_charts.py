import itertools
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.charts.place import decades, free_sides, label_sides, nice_ceiling, spread_out
from banzuke.charts.style import DARK, LIGHT, Drawn, legend_of
from banzuke.charts.testing import layers, rows
from banzuke.document import Table
from banzuke.report import testing
from banzuke.report.ceiling_section import roofline_section
from banzuke.report.charts.roofline import rate, roofline_chart, work
from banzuke.report.charts.roofs import label_box, lift_labels
from banzuke.report.charts.samples import samples_chart
from banzuke.report.model import Evaluation
from banzuke.report.testing.documents import chapters_of
from banzuke.report.testing.parts import FLOPS, assess, record, samples
from banzuke.testing import Work
from banzuke.words.language import words


@given(st.lists(st.floats(0, 200), min_size=1, max_size=12))
def test_labels_keep_their_distance_and_order(positions: list[float]) -> None:
    placed = spread_out(positions, 0, 200)
    ordered = sorted(placed)
    assert all(b - a >= 14 - 1e-9 for a, b in itertools.pairwise(ordered))
    order = sorted(range(len(positions)), key=lambda i: positions[i])
    assert [placed[i] for i in order] == ordered


def test_labels_that_have_room_stay() -> None:
    assert spread_out([10, 50, 90], 0, 100) == [10, 50, 90]


@given(st.floats(1e-9, 1e18))
def test_nice_ceiling_is_above_and_near(value: float) -> None:
    assert value * (1 - 1e-9) <= nice_ceiling(value) <= 1.5 * value * (1 + 1e-9) or nice_ceiling(value) <= 2 * value


@given(st.floats(1e-6, 1e6), st.floats(1.01, 1e12))
def test_decades_lie_within_and_are_few(low: float, factor: float) -> None:
    ticks = decades(low, low * factor)
    assert all(low * (1 - 1e-6) <= tick <= low * factor * (1 + 1e-6) for tick in ticks)
    assert len(ticks) <= 12


def test_a_label_avoids_what_is_there() -> None:
    assert label_sides([(100, 100)], ["label"], 400) == ["right"]
    assert label_sides([(100, 100)], ["label"], 400, [(105, 90, 200, 112)]) == ["left"]
    assert label_sides([(390, 100)], ["a longer label"], 400) != ["right"]


@pytest.mark.parametrize(("unit", "value", "expected"), [("flop/s", 5e9, 5e9), ("B/s", 24e9, 2e9), ("s", 0.5, 4.0)])
def test_roofline_reads_any_unit(unit: str, value: float, expected: float) -> None:
    name = {"flop/s": "flop_rate", "B/s": "triad_bandwidth", "s": "latency"}[unit]
    benchmark = {"flop/s": "dgemm", "B/s": "stream", "s": "osu"}[unit]
    metric = samples(value, unit, 1, Work(flops=2, bytes=24, moved=24)).model_copy(update={"samples": [value]})
    (figure,) = assess(record(benchmark, 1, {}, {name: metric})).figures
    assert rate(figure, 2, 24) == pytest.approx(expected)


def test_roofline_leaves_out_what_has_no_flops() -> None:
    (chapter,) = chapters_of(testing.only(testing.stream(1, 2, 1.0)))
    (case,) = chapter.cases
    assert [figure.title for figure in case.assessment.figures if work(case, figure)] == ["Scale", "Add", "Triad"]


def test_roofline_needs_both_ceilings() -> None:
    assert (
        roofline_chart(chapters_of(testing.only(testing.stream(1, 2, 1.0))), (), testing.rich().machine, words())
        is None
    )


def roofline(evaluation: Evaluation) -> Drawn:
    drawn = roofline_chart(chapters_of(evaluation), evaluation.ceilings, evaluation.machine, words())
    assert drawn
    return drawn


def roof_points(drawn: Drawn, *, filled: bool) -> list[dict[str, Any]]:
    spec = drawn.spec()
    return [row for layer in layers(spec, "point") if layer["mark"]["filled"] == filled for row in rows(spec, layer)]


def test_hosts_and_devices_stand_under_roofs_of_their_own() -> None:
    drawn = roofline(testing.with_devices())
    spec = drawn.spec()
    wide = [layer for layer in layers(spec, "line") if layer["mark"]["strokeWidth"] > 2]
    highest = {
        layer["mark"]["strokeDash"][0]: max(row["y"] for row in rows(spec, layer))
        for layer in layers(spec, "line")
        if layer in wide
    }
    assert highest == pytest.approx({1: 20 * FLOPS / 1e9, 5: 20 * 217.6})
    texts = {row["text"] for layer in layers(spec, "text") for row in rows(spec, layer)}
    assert {"P100: 826 GB/s, 4.24 Tflop/s measured", "host: 41.3 GB/s, 214 Gflop/s measured"} <= texts
    assert "hollow" in drawn.caption


def test_each_kind_of_device_has_roofs_of_its_own_and_its_name() -> None:
    drawn = roofline(testing.with_two_kinds())
    spec = drawn.spec()
    wide = [row for layer in layers(spec, "line") if layer["mark"]["strokeWidth"] > 2 for row in rows(spec, layer)]
    highest = {line: max(row["y"] for row in wide if row["line"] == line) for line in {row["line"] for row in wide}}
    flats = sorted(value for line, value in highest.items() if line.endswith("flat measured"))
    assert flats == pytest.approx([0.3 * 20 * FLOPS / 1e9, 20 * FLOPS / 1e9])
    texts = {row["text"] for layer in layers(spec, "text") for row in rows(spec, layer)}
    assert {"host", "P100", "T4", "DGEMM Rate", "DGEMM Rate, P100", "DGEMM Rate, T4"} <= texts
    rates = sorted(row["y"] for row in roof_points(drawn, filled=False) if row["benchmark"] == "DGEMM")
    assert rates == pytest.approx([0.9 * kind * 20 * FLOPS / 1e9 for kind in (0.3, 1)], rel=0.05)
    assert "Figures of different kinds of devices together are left out" in drawn.caption


def test_names_of_roofs_keep_apart() -> None:
    evaluation = testing.with_two_kinds()
    near = [
        replace(ceiling, value=ceiling.value / 0.31) if ceiling.device == "T4" else ceiling
        for ceiling in evaluation.ceilings
    ]
    spec = roofline(replace(evaluation, ceilings=tuple(near))).spec()
    above = {row["text"]: row["dy"] < 0 for layer in layers(spec, "text") for row in rows(spec, layer) if "dy" in row}
    assert (above["P100"], above["T4"], above["host"]) == (True, False, True)


@pytest.mark.parametrize("hosts", [False, True])
def test_names_of_equal_roofs_keep_apart(hosts: bool) -> None:  # noqa: FBT001
    evaluation = testing.with_two_kinds()
    equal = [ceiling for ceiling in evaluation.ceilings if ceiling.device != "T4"]
    equal += [replace(ceiling, device="T4") for ceiling in equal if ceiling.device == "P100"]
    cases = tuple(case for case in evaluation.assessments if hosts or case.record.devices)
    spec = roofline(replace(evaluation, ceilings=tuple(equal), assessments=cases)).spec()
    labels = [
        row for layer in layers(spec, "text") for row in rows(spec, layer) if row["text"].startswith(("P100", "T4"))
    ]
    assert len(labels) == (2 if hosts else 4)
    above = {row["text"][:2]: row["dy"] < 0 for row in labels}
    assert above == {"P1": True, "T4": False}
    for name in above:
        offsets = sorted(row["dy"] for row in labels if row["text"].startswith(name))
        assert all(b - a == 14 for a, b in itertools.pairwise(offsets))


def test_caches_have_lines_up_to_the_roof_of_arithmetic() -> None:
    evaluation = testing.rich()
    memory, flat = (
        next(c for c in evaluation.ceilings if (c.resource.name, c.kind) == (name, "measured") and not c.devices)
        for name in ("memory.bytes", "flops.fp64")
    )
    caches = [
        replace(
            memory,
            resource=replace(memory.resource, name=f"l{level}", cache=level, instead_of="memory.bytes"),
            value=rate,
        )
        for level, rate in ((2, 3 * memory.value), (1, 5 * memory.value), (3, 1e6 * flat.value))
    ]
    spec = str(roofline(replace(evaluation, ceilings=(*evaluation.ceilings, *caches))).spec())
    assert "0 cache 1" in spec
    assert "0 cache 2" in spec
    assert "0 cache 3" not in spec, "arithmetic binds everywhere"
    assert "0 cache" not in str(roofline(evaluation).spec())


def test_labels_of_lines_that_are_near_do_not_cover_each_other() -> None:
    """On a busy machine L2 was twice as fast as memory, and the three rates were written on each other."""
    texts = [
        {"x": 1.0, "y": 25.7, "align": "left", "dx": 35, "dy": 10, "text": "25.7 GB/s measured"},
        {"x": 1.0, "y": 40.3, "align": "left", "dx": 10, "dy": 3, "text": "L3 40.3 GB/s"},
        {"x": 1.0, "y": 51.9, "align": "left", "dx": 10, "dy": 3, "text": "L2 51.9 GB/s"},
        {"x": 1.0, "y": 412.0, "align": "left", "dx": 10, "dy": 3, "text": "L1 412 GB/s"},
    ]

    def pixel(x: float, y: float) -> tuple[float, float]:
        return 100 * math.log10(x), 400 - 70 * math.log10(y / 1e9)

    lifted = lift_labels(texts, pixel)
    assert [lifted[0]["dy"], lifted[3]["dy"]] == [10, 3], "these have room"
    boxes = [label_box(text, pixel) for text in lifted]
    assert all(a[3] - 2 <= b[1] or b[3] - 2 <= a[1] for a, b in itertools.combinations(boxes, 2))


def test_ceilings_of_a_device_are_called_so() -> None:
    evaluation = testing.with_devices()
    section = roofline_section(chapters_of(evaluation), evaluation.ceilings, evaluation.machine, words(), "")
    assert section
    (table,) = (block for block in section.blocks if isinstance(block, Table))
    shown = [(row.cells[0].text, row.cells[3].text) for row in table.rows]
    of_devices = [threads for title, threads in shown if title.endswith(", one device")]
    assert of_devices == ["–"] * sum(ceiling.devices for ceiling in evaluation.ceilings)


def test_a_figure_of_several_devices_is_that_of_one() -> None:
    own = [row for row in roof_points(roofline(testing.with_devices()), filled=False) if row["benchmark"] == "DGEMM"]
    assert [row["y"] for row in own] == [pytest.approx(0.9 * 20 * FLOPS / 1e9, rel=0.05)] * len(own)
    assert own


def test_devices_without_roofs_are_left_out_and_told() -> None:
    evaluation = testing.with_devices()
    bare = roofline(
        replace(evaluation, ceilings=tuple(ceiling for ceiling in evaluation.ceilings if not ceiling.devices))
    )
    assert not roof_points(bare, filled=False)
    assert "Figures on P100 are left out" in bare.caption
    alone = roofline(testing.rich())
    assert "left out" not in alone.caption
    assert "41.3 GB/s measured" in {
        row["text"] for layer in layers(alone.spec(), "text") for row in rows(alone.spec(), layer)
    }


def test_many_samples_are_thinned_with_their_extremes() -> None:
    measured = samples(1e-6, "s", 5000)
    case = assess(record("osu", 1, {}, {"latency": measured}), limit=lambda _: None)
    (chapter,) = chapters_of(testing.only(case))
    chart = samples_chart(chapter, words())
    assert chart is not None
    spec = chart.spec()
    (tick,) = layers(spec, "tick")
    drawn = [row["x"] for row in rows(spec, tick)]
    middle = case.figures[0].value
    assert len(drawn) == 80
    assert min(drawn) == pytest.approx(100 * (min(measured.samples) / middle - 1), rel=1e-3)
    assert max(drawn) == pytest.approx(100 * (max(measured.samples) / middle - 1), rel=1e-3)
    assert "80 evenly spaced" in chart.caption


def test_single_samples_have_no_distribution() -> None:
    (chapter,) = chapters_of(testing.only(testing.stream(1, 2, 1.0, count=1)))
    assert samples_chart(chapter, words()) is None


def test_themes_name_the_same_colours() -> None:
    assert LIGHT.keys() == DARK.keys()


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("name", ["ink", "soft", "accent", "good", "bad", "warn", *(f"c{i}" for i in range(1, 9))])
def test_text_colours_stand_out(theme: dict[str, str], name: str) -> None:
    needed = 4.5 if not name.startswith("c") else 3.0
    assert _contrast(theme[name], theme["paper"]) >= needed


def _contrast(a: str, b: str) -> float:
    high, low = sorted((_luminance(a), _luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else math.pow((c + 0.055) / 1.055, 2.4) for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_the_longer_the_names_the_fewer_stand_in_a_row_of_the_legend() -> None:
    names = ["native", "isolated, 1 busy", "container, 3 busy neighbours"]
    legends = [legend_of(["native", name]) for name in names]
    assert [legend.to_dict()["columns"] for legend in legends if legend] == [3, 2, 1]
    assert legend_of(names[:1]) is None


def test_labels_keep_clear_of_each_other_or_are_left_out() -> None:
    crowd = [(200.0 + place, 100.0) for place in range(12)]
    sides = free_sides(crowd, ["a long name"] * 12, (440, 300))
    assert sides[0]
    assert 1 < len([side for side in sides if side]) < 7
    assert free_sides([(200.0, 100.0)], ["name"], (440, 300), [(0, 0, 440, 300)]) == [None]
    assert free_sides([(2.0, 100.0)], ["name"], (440, 300)) == ["right"]
    assert free_sides([(200.0, 100.0)], ["name"], (440, 300), marks=[(205, 90, 240, 110)]) == ["left"]
