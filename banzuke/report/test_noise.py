"""The report of noise and of what environments cost: content, tables, charts, sizes."""

import csv
import io
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from banzuke.limit.assess import assess, assess_case
from banzuke.limit.noise import Noise as Seen
from banzuke.limit.siblings import Siblings
from banzuke.limit.test_examples import ENGLISH
from banzuke.report.content import Content, Section
from banzuke.report.model import Evaluation
from banzuke.report.noise_content import Noise
from banzuke.report.noise_tables import facts, processors_csv
from banzuke.report.tables import markdown
from banzuke.report.testing import HOSTILE, only, stream
from banzuke.report.testing.noise import DAEMONS, KNOWN, alone, fwq, many, moved, noisy
from banzuke.report.testing.parts import machine
from banzuke.report.write import compose, write

DRAWN = [name for name in DAEMONS if name != "vm:tcg"]
Specs = dict[str, dict[str, Any]]


@cache
def made() -> tuple[Evaluation, Content, Specs]:
    evaluation = noisy()
    return evaluation, *compose(evaluation)


def section(content: Content) -> tuple[Section, Noise]:
    found = next(section for section in content.sections if section.name == "noise")
    assert found.noise
    return found, found.noise


def layers(spec: dict[str, Any], kind: str) -> list[list[dict[str, Any]]]:
    return [layer["data"]["values"] for layer in spec["layer"] if layer["mark"]["type"] == kind]


def test_environments_of_one_test_share_a_group() -> None:
    _, found = section(made()[1])
    assert [(group.title, [run.label for run in group.runs]) for group in found.groups] == [
        ("Fixed work quanta", DRAWN),
        ("Fixed time quanta", ["native", "isolated"]),
    ]


def test_emulated_noise_is_left_out_and_said_to_be() -> None:
    content = made()[1]
    assert section(content)[1].left_out == "vm:tcg left out: emulated in software: its times mean nothing."
    assert "vm:tcg left out" in markdown(content)
    alone, _ = compose(only(fwq(1, "vm:tcg"), benchmarks=KNOWN))
    assert next(section for section in alone.sections if section.name == "noise").noise is None


def test_of_several_launches_the_median_one_is_told_to_stand_for_all() -> None:
    one = fwq(1).record
    launches = [one, *(moved(fwq(1), "native", repetition).record for repetition in (1, 2))]
    found = assess_case(launches, siblings=Siblings(), machine=machine(), benchmarks=KNOWN, ceilings=())
    (group,) = section(compose(only(found, benchmarks=KNOWN))[0])[1].groups
    assert "the median of 3 launches" in facts(group)[0]
    assert [run.case for run in group.runs] == [found.record.provenance and found.record.provenance.id]


def test_neighbours_are_told_and_drawn_beside_none() -> None:
    quiet, busy = fwq(1), fwq(2)
    assert busy.record.provenance
    beside = busy.record.provenance.model_copy(update={"neighbours": 3})
    cases = [quiet, replace(busy, record=busy.record.model_copy(update={"provenance": beside}))]
    (group,) = section(compose(only(*cases, benchmarks=KNOWN))[0])[1].groups
    assert [run.label for run in group.runs] == ["native", "native, 3 busy neighbours"]


def test_figures_are_those_of_the_record() -> None:
    evaluation, content, _ = made()
    _, found = section(content)
    records = {a.record.provenance.id: a.record for a in evaluation.assessments if a.record.provenance}
    for run in (run for group in found.groups for run in group.runs):
        seen = Seen.of(records[run.case])
        assert seen
        every = run.statistics[0]
        assert every.values["maximum"].value == seen.all.maximum
        assert every.values["share"].value == seen.all.share
        assert every.count == seen.all.count == run.quanta * run.processors
        assert run.tail[-1][0] == pytest.approx(seen.steps[-1][0], rel=1e-5)
        assert run.tail[-1][1] == pytest.approx(seen.steps[-1][1] / every.count, rel=1e-5)


def test_all_environments_are_on_one_axis_each_in_its_panel() -> None:
    _, content, specs = made()
    drawn, found = section(content)
    spec = specs[found.groups[0].charts[0]]
    (bands,), (points,) = layers(spec, "area"), layers(spec, "point")
    for index, name in enumerate(DRAWN):
        xs = [row["x"] for row in bands + points if row["series"] == name]
        assert index <= min(xs) < max(xs) < index + 1
    scales = [layer["encoding"]["y"].get("scale") for layer in spec["layer"] if "y" in layer["encoding"]]
    assert [scale["type"] for scale in scales if scale] == ["log"]
    longest = max(row["y"] for row in points)
    assert longest == pytest.approx(
        1e6 * max(run.statistics[0].values["maximum"].value for run in found.groups[0].runs), rel=0.01
    )
    assert drawn.slug == "noise"


def test_little_noise_has_a_linear_axis() -> None:
    content, specs = compose(only(fwq(1, "isolated", sick=None), benchmarks=KNOWN))
    spec = specs[section(content)[1].groups[0].charts[0]]
    assert "log" not in json.dumps(spec["layer"][1]["encoding"]["y"])


def test_each_environment_has_its_distribution_and_one_alone_has_it_without_the_clock() -> None:
    _, content, specs = made()
    chart = specs[section(content)[1].groups[0].charts[1]]
    assert {row["series"] for row in layers(chart, "line")[0]} == set(DRAWN)
    content, specs = compose(alone())
    chart = specs[section(content)[1].groups[0].charts[1]]
    assert {row["series"] for row in layers(chart, "line")[0]} == {"all", "without the clock's part"}


def test_the_spectrum_names_the_tick_and_not_what_nobody_knows() -> None:
    _, found = section(made()[1])
    spectrum = found.groups[1].runs[0].spectrum
    assert spectrum
    assert [(peak.frequency.text, peak.name) for peak in spectrum.peaks] == [
        ("11.0 Hz", ""),
        ("250 Hz", "the timer tick, 250 per second"),
    ]
    assert len(spectrum.frequencies) <= 640


def test_many_processors_are_a_map_of_blocks() -> None:
    evaluation = many(hosts=130, each=4)
    content, specs = compose(evaluation)
    _, found = section(content)
    run = found.groups[0].runs[0]
    assert run.processors == 130 * 4
    assert len({square.y for square in run.cores}) == 44
    assert [("worst of 3" in square.who) for square in run.cores].count(False) == 4
    worst = max(square.maximum for square in run.cores)
    assert worst == pytest.approx(run.statistics[0].values["maximum"].value, rel=1e-5)
    shares = next(a.noise for a in evaluation.assessments if a.noise).cores
    assert max(square.share for square in run.cores) == pytest.approx(max(core.share for core in shares), rel=1e-5)
    (chart,) = [specs[name] for name in found.groups[0].charts if "processors" in name]
    assert len(chart["data"]["values"]) == len(run.cores) == 4 * 44


def test_every_processor_is_in_the_csv() -> None:
    evaluation, content, _ = made()
    drawn, found = section(content)
    rows = list(csv.DictReader(io.StringIO(processors_csv(evaluation.assessments, drawn.name))))
    drawn_rows = [row for row in rows if row["environment"] != "vm:tcg"]
    assert len(drawn_rows) == sum(run.processors for group in found.groups for run in group.runs)
    assert len(rows) == len(drawn_rows) + 4
    assert max(float(row["maximum_noise"]) for row in rows if row["environment"] == "native") > 0
    assert processors_csv(only(stream(1, 2, 1.0)).assessments, "stream") == ""


def test_the_costs_of_environments_stand_with_ratio_and_interval() -> None:
    (found,) = made()[1].varied
    assert (found.axis, found.against) == ("environment", "native")
    assert found.values == [name for name in DAEMONS if name != "native"]
    triad = next(row for row in found.headlines if row.title == "STREAM: Triad")
    marks = {mark.value: mark for mark in triad.marks}
    ratio = marks["isolated"].ratio
    assert ratio
    low, high = marks["isolated"].low, marks["isolated"].high
    assert low
    assert high
    assert low < 1.02 < high
    assert low < ratio.value < high
    assert marks["isolated"].said.endswith("better" if low > 1 else "no difference shown")
    rate = next(row for row in found.headlines if row.title == "DGEMM: Rate")
    assert {(mark.low, mark.said) for mark in rate.marks if mark.drawn} == {(None, "no verdict from one launch")}
    assert triad.cases == 2
    assert not marks["vm:tcg"].drawn
    assert "mean nothing" in marks["vm:tcg"].said
    assert any("vm:tcg" in caution for caution in found.cautions)


def test_emulated_times_are_in_no_chart_and_large_differences_in_one_of_their_own() -> None:
    _, content, specs = made()
    near, far = (specs[name] for name in content.varied[0].charts)
    for chart in (near, far):
        (rows,) = layers(chart, "point")
        assert "vm:tcg" not in {row["series"] for row in rows}
    assert {row["row"] for row in layers(far, "point")[0]} == {"OS noise: Longest noise", "OS noise: Time lost"}
    assert {row["row"] for row in layers(near, "point")[0]} == {"STREAM: Triad", "DGEMM: Rate"}


def test_one_environment_alone_is_compared_with_nothing() -> None:
    content, _ = compose(only(moved(stream(1, 2, 1.0), "container"), benchmarks=KNOWN))
    assert content.varied == []


def test_markdown_has_the_tables() -> None:
    text = markdown(made()[1])
    for words in ("### OS noise: Fixed work quanta", "without the clock's part", "## Environment", "the timer tick"):
        assert words in text


ODD: dict[str, dict[str, Any]] = {
    "hostile": {
        "interrupts": {HOSTILE: 1e9, "x": "y", "LOC": True},
        "blame": [
            1,
            {"who": HOSTILE, "kind": HOSTILE, "seconds": 1.0, "events": "x", "longest": "y"},
            {"seconds": None},
        ],
        "method": HOSTILE,
        "clock_resolution": "z",
        "quantum": "x",
    },
    "of other kinds": {"interrupts": [1], "blame": "x", "run_delay": "q", "timed_seconds": 0, "quantum": -1},
}


@pytest.mark.parametrize("conditions", ODD.values(), ids=ODD)
def test_odd_conditions_break_nothing(conditions: dict[str, Any], tmp_path: Path) -> None:
    write(only(fwq(1, **conditions), benchmarks=KNOWN), tmp_path)
    assert "<script>window.hacked" not in (tmp_path / "report.html").read_text()


@pytest.mark.parametrize("values", [[0] * 40, [7], [3, 0]], ids=["silent", "one", "two"])
def test_little_or_no_noise_breaks_nothing(values: list[int], tmp_path: Path) -> None:
    record = fwq(1, processors=1, quanta=len(values), sick=None).record
    lines = [line.model_copy(update={"values": values}) for line in record.series["time"].lines]
    series = {"time": record.series["time"].model_copy(update={"lines": lines})}
    changed = record.model_copy(update={"series": series, "distributions": {}})
    judged = assess(changed, siblings=Siblings(), machine=machine(), benchmarks=KNOWN, ceilings=())
    assert "of the time is noise" in ENGLISH.joined(judged.verdict)
    write(only(judged, benchmarks=KNOWN), tmp_path)


def test_files_stay_small_whatever_was_measured(tmp_path: Path) -> None:
    write(only(fwq(1, processors=4, quanta=8000), benchmarks=KNOWN), tmp_path)
    assert (tmp_path / "noise-processors.csv").is_file()
    few = only(fwq(1, processors=4, quanta=1000), benchmarks=KNOWN)
    write(few, tmp_path / "few")
    large, small = ((folder / "report.json").stat().st_size for folder in (tmp_path, tmp_path / "few"))
    assert large < 1.5 * small + 20_000
