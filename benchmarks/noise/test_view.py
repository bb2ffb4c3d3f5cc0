"""Tests of noise in the report: blocks, charts, files, sizes; and the same with a benchmark of another name."""

import json
import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from banzuke import paths
from banzuke.compare.matching import environment
from banzuke.document import Block, Chart, Heading, Table, inside
from banzuke.document.csv import table_csv
from banzuke.document.markdown import blocks_markdown
from banzuke.judge.assess import assess, assess_case
from banzuke.judge.model import Assessment
from banzuke.judge.siblings import Siblings
from banzuke.limit.by_state import CeilingsByState
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.catalogue import benchmarks, find
from banzuke.record.model import Record
from banzuke.report.model import Evaluation
from banzuke.report.testing import HOSTILE, documents, hpl, only, stream
from banzuke.report.testing.documents import Shown
from banzuke.report.testing.noise import DAEMONS, KNOWN, NOISE, alone, ftq, fwq, many, moved, noisy
from banzuke.report.testing.parts import BENCHMARKS, machine
from banzuke.report.write import write
from banzuke.views.view import tabulated
from benchmarks.noise.processors import squares
from benchmarks.noise.quanta import Core, RecordedNoise

DRAWN = [name for name in DAEMONS if name != "vm:tcg"]


@cache
def made() -> tuple[Evaluation, Shown]:
    evaluation = noisy()
    return evaluation, section(evaluation)


def section(evaluation: Evaluation, name: str = "noise") -> Shown:
    return documents.shown(evaluation, name)


def judged(record: Record, benchmarks: dict[str, Benchmark] = KNOWN) -> Assessment:
    return assess(record, siblings=Siblings(), machine=machine(), benchmarks=benchmarks, ceilings=())


def tables(blocks: Sequence[Block]) -> list[Table]:
    return [block for block in inside(blocks) if isinstance(block, Table)]


def chart(blocks: Sequence[Block], name: str) -> Chart:
    return next(block for block in inside(blocks) if isinstance(block, Chart) and block.id.endswith(name))


def text(blocks: Sequence[Block]) -> str:
    return "\n".join(blocks_markdown(blocks))


def column(table: Table, title: str) -> list[Any]:
    place = [column.title for column in table.columns].index(title)
    return [row.cells[place].text if row.cells[place].value is None else row.cells[place].value for row in table.rows]


def layers(drawn: Chart, kind: str) -> list[list[dict[str, Any]]]:
    return [layer["data"]["values"] for layer in drawn.spec["layer"] if layer["mark"]["type"] == kind]


def test_environments_of_one_test_share_a_table() -> None:
    blocks = made()[1].blocks
    headings = [block.text for block in blocks if isinstance(block, Heading)]
    assert headings == ["Fixed work quanta", "Fixed time quanta"]
    (work, times) = [table for table in tables(blocks) if "quanta of all processors" in table.caption]
    assert list(dict.fromkeys(column(work, "Environment"))) == DRAWN
    assert column(times, "Environment") == ["native", "isolated"]


def test_emulated_noise_is_left_out_and_said_to_be() -> None:
    assert "vm:tcg left out" in text(made()[1].blocks)
    assert section(only(fwq(1, "vm:tcg"), benchmarks=KNOWN)).blocks == []


def test_of_several_launches_the_median_one_is_said_to_stand_for_all() -> None:
    launches = [fwq(1).record, *(moved(fwq(1), "native", repetition).record for repetition in (1, 2))]
    assessment = assess_case(
        launches, siblings=Siblings(), machine=machine(), benchmarks=KNOWN, ceilings=CeilingsByState((), machine(), {})
    )
    assert "the median of 3 launches" in text(section(only(assessment, benchmarks=KNOWN)).blocks)


def test_neighbours_are_named() -> None:
    quiet, busy = fwq(1), fwq(2)
    assert busy.record.provenance
    beside = busy.record.provenance.model_copy(update={"neighbours": 3})
    with_them = judged(busy.record.model_copy(update={"provenance": beside}))
    first = tables(section(only(quiet, with_them, benchmarks=KNOWN)).blocks)[0]
    assert list(dict.fromkeys(column(first, "Environment"))) == ["native", "native, 3 busy neighbours"]


def test_figures_are_those_of_the_record() -> None:
    evaluation, shown = made()
    first = tables(shown.blocks)[0]
    tail = layers(chart(shown.blocks, "fwq-distribution"), "line")[0]
    for name in DRAWN:
        record = next(a.record for a in evaluation.assessments if environment(a.record) == name)
        seen = RecordedNoise.of(record)
        assert seen
        place = column(first, "Environment").index(name)
        assert column(first, "Longest")[place] == seen.all.maximum
        assert column(first, "of the time")[place] == seen.all.share
        assert column(first, "Quanta")[place] == seen.all.count == seen.quanta * seen.processors
        last = [row for row in tail if row["series"] == name][-1]
        assert last["y"] == pytest.approx(100 * float(seen.steps.counts[-1]) / seen.all.count, rel=1e-4)


def test_all_environments_are_on_one_axis_each_in_its_panel() -> None:
    shown = made()[1]
    drawn = chart(shown.blocks, "fwq-quanta")
    (bands,), (points,) = layers(drawn, "area"), layers(drawn, "point")
    for index, name in enumerate(DRAWN):
        xs = [row["x"] for row in bands + points if row["series"] == name]
        assert index <= min(xs) < max(xs) < index + 1
    scales = [layer["encoding"]["y"].get("scale") for layer in drawn.spec["layer"] if "y" in layer["encoding"]]
    assert [scale["type"] for scale in scales if scale] == ["log"]
    longest = max(value for value in column(tables(shown.blocks)[0], "Longest"))
    assert max(row["y"] for row in points) == pytest.approx(1e6 * longest, rel=0.01)


def test_little_noise_has_a_linear_axis() -> None:
    shown = section(only(fwq(1, "isolated", sick=None), benchmarks=KNOWN))
    assert "log" not in json.dumps(chart(shown.blocks, "fwq-quanta").spec["layer"][1]["encoding"]["y"])


def test_each_environment_has_its_distribution_and_one_alone_has_it_without_the_clock() -> None:
    assert {row["series"] for row in layers(chart(made()[1].blocks, "fwq-distribution"), "line")[0]} == set(DRAWN)
    single = chart(section(alone()).blocks, "fwq-distribution")
    assert {row["series"] for row in layers(single, "line")[0]} == {"all", "clock excluded"}


def test_the_spectrum_names_the_tick_and_not_what_nobody_knows() -> None:
    blocks = made()[1].blocks
    table = next(table for table in tables(blocks) if table.caption.startswith("Peaks"))
    assert [row.cells[1].text for row in table.rows[:2]] == ["11.0 Hz", "250 Hz"]
    assert column(table, "Cause")[:2] == ["unknown", "the timer tick, 250 per second"]
    assert len(layers(chart(blocks, "spectrum-native"), "line")[0]) <= 640


def test_many_processors_are_a_map_of_blocks() -> None:
    evaluation = many(hosts=130, per_host=4)
    blocks = section(evaluation).blocks
    rows = chart(blocks, "processors-native").spec["data"]["values"]
    assert len(rows) == 4 * 44
    assert len({row["y"] for row in rows}) == 44
    assert [("the worst of 3" in row["where"]) for row in rows].count(False) == 4
    assert column(tables(blocks)[0], "Longest")[0] == max(core.maximum for core in cores(evaluation.assessments[0]))
    assert tables(blocks)[0].rows[0].cells[1].text in {row["longest"] for row in rows}


def test_a_square_of_a_map_has_the_worst_of_its_processors() -> None:
    blocks = squares([Core(host, cpu, 1e-6 * cpu, 0.001 * (300 - cpu)) for host in "ab" for cpu in range(300)])
    assert len(blocks) == 2 * 60
    assert (blocks[1].x, blocks[1].y, len(blocks[1].cores)) == (5, 0, 5)
    assert blocks[1].maximum == 9e-6
    assert blocks[1].share == pytest.approx(0.295)
    assert blocks[60].y == 1


def test_fixed_times_show_no_single_events_to_predict_from() -> None:
    work, times = (RecordedNoise.of(case.record) for case in (fwq(1), ftq(1)))
    assert work
    assert times
    assert work.fixed_work
    assert times.fixed_work is None


def test_other_views_leave_a_figure_in_the_table_of_cases() -> None:
    case = hpl(1, 20_000)
    assert case.seen
    assert not tabulated(case, BENCHMARKS["hpl"])
    assert tabulated(fwq(1), NOISE)


def cores(assessment: Assessment) -> Sequence[Any]:
    recorded = RecordedNoise.of(assessment.record)
    assert recorded
    return recorded.cores


def test_every_processor_is_in_the_csv() -> None:
    evaluation, shown = made()
    table = shown.tables["processors"]
    measured = [a for a in evaluation.assessments if a.record.benchmark == "noise"]
    assert len(table.rows) == sum(len(cores(assessment)) for assessment in measured)
    assert set(column(table, "environment")) == set(DAEMONS)
    assert sorted(column(table, "maximum_noise")) == sorted(c.maximum for a in measured for c in cores(a))
    assert table_csv(table).splitlines()[0] == "case,environment,host,processor,maximum_noise,noise_share"


def test_the_section_is_in_the_language_of_the_report() -> None:
    blocks = documents.shown(made()[0], "noise", "ja").blocks
    printed = re.sub(r"\(figures/.*\)", "", text(blocks))
    assert set(re.findall(r"[A-Za-z]{4,}", printed)) <= {"native", "container", "isolated", "mckernel"}


def renamed(folder: Path) -> Benchmark:
    """Return noise in a folder of another name."""
    shutil.copytree(Path(__file__).parent, folder / "other", ignore=shutil.ignore_patterns("test_*", "*.cpp"))
    spec = folder / "other" / "spec.py"
    spec.write_text(spec.read_text().replace('name="noise"', 'name="other"').replace('title="OS noise"', 'title="X"'))
    return find("other")


def test_a_copy_under_another_name_has_the_same_section_and_causes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "BENCHMARKS", tmp_path)
    benchmarks.cache_clear()
    try:
        copy = renamed(tmp_path)
    finally:
        benchmarks.cache_clear()
    own = replace(NOISE, name="other", title="X", views=copy.views)
    evaluation, shown = made()
    before = [a for a in evaluation.assessments if a.record.benchmark == "noise"]
    after = [judged(a.record.model_copy(update={"benchmark": "other"}), {"other": own}) for a in before]
    assert [a.causes for a in after] == [a.causes for a in before]
    assert [a.verdict for a in after] == [a.verdict for a in before]
    again = section(only(*after, benchmarks={"other": own}), "other")
    assert re.sub(r"\bother\b", "noise", text(again.blocks)).replace("X,", "OS noise,") == text(shown.blocks)


def test_a_series_of_the_same_name_in_another_benchmark_is_no_noise() -> None:
    case = judged(stream(1, 2, 1.0).record)
    series = {"time": fwq(1, processors=2).record.series["time"]}
    other = judged(case.record.model_copy(update={"series": series}))
    assert (other.causes, other.verdict, other.seen) == (case.causes, case.verdict, {})
    shown, plain = (section(only(assessment, benchmarks=KNOWN), "stream") for assessment in (other, case))
    assert (shown.blocks, shown.tables, shown.tabulated) == (plain.blocks, {}, False)


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
    assessment = judged(changed)
    assert "noise-remark" in [part.code for part in assessment.verdict]
    write(only(assessment, benchmarks=KNOWN), tmp_path)


def test_files_stay_small_whatever_was_measured(tmp_path: Path) -> None:
    write(only(fwq(1, processors=4, quanta=8000), benchmarks=KNOWN), tmp_path)
    assert (tmp_path / "noise-processors.csv").is_file()
    write(only(fwq(1, processors=4, quanta=1000), benchmarks=KNOWN), tmp_path / "few")
    pages = [folder / "report.html" for folder in (tmp_path, tmp_path / "few")]
    large, small = (page.stat().st_size for page in pages)
    assert large < small + 60_000
