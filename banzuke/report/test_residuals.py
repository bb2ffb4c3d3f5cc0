"""Tests of measurements compared with predictions in the report: rows, remarks, data."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from banzuke.document import Code, Details, Table
from banzuke.judge.finding import Finding
from banzuke.limit.model import Ceiling
from banzuke.predict.constants import Constant
from banzuke.predict.hardware import Hardware
from banzuke.predict.model import Call, Estimate
from banzuke.report.model import Evaluation
from banzuke.report.testing import BENCHMARKS, hpl, only
from banzuke.report.testing.documents import document, items, section, tables
from banzuke.report.testing.parts import FLOPS
from banzuke.report.write import write
from banzuke.testing import FLOPS as FLOP_RATE
from banzuke.testing import plain
from banzuke.words import Share, message

SHARE = 0.9


class FakeModel:
    """A model that predicts a share of DGEMM's rate; the rest is panel time."""

    metric = "flop_rate"
    constants: Mapping[str, Constant] = {"hpl.share": Constant(SHARE, 0.85, 0.95, "share of DGEMM's rate", "assumed")}
    settings: Mapping[str, str] = {"n": "order"}

    def estimate(self, hardware: Hardware, call: Call) -> Estimate:
        hardware.groups[0].check_flops()
        rate = hardware.groups[0].host.dgemm * hardware.constants["hpl.share"]
        seconds = 2 / 3 * float(call["n"]) ** 3 / rate
        phases = {"update": 0.96 * seconds, "panel": 0.04 * seconds}
        return Estimate(rate, seconds, phases, {"flops.fp64": seconds}, call)

    def published(self, figure: object) -> Call | str:
        return f"{figure}"


def run(dgemm: float, model: Any = FakeModel) -> Evaluation:
    benchmarks = {**BENCHMARKS, "hpl": replace(BENCHMARKS["hpl"], model=model)}
    rate = Ceiling(FLOP_RATE, dgemm, "measured", plain("measured by dgemm"), 2)
    small = hpl(2, 5_000)
    small = replace(small, record=small.record.model_copy(update={"breakdown": None}), seen={})
    return replace(only(hpl(1, 20_000), small), benchmarks=benchmarks, ceilings=(rate,))


def measured() -> list[float]:
    return [assessment.figures[0].value for assessment in run(FLOPS).assessments]


def test_each_case_has_a_row() -> None:
    large, small = measured()
    shown = section(run(large / SHARE), "benchmark-hpl")
    (table,) = (candidate for candidate in tables(shown) if candidate.caption == "Predictions")
    assert [column.title for column in table.columns] == [
        "n",
        "Predicted",
        "Interval",
        "Measured",
        "Measured / predicted",
    ]
    cells = [row.cells for row in table.rows]
    assert [cell[0].text for cell in cells] == ["20,000", "5,000"]
    assert [cell[4].value for cell in cells] == pytest.approx([1.0, small / large])
    assert not cells[0][4].note
    assert cells[1][4].note == "outside the interval"
    assert "n 5,000: the prediction would be right if the flop rate" in " ".join(item.text for item in items(shown))


def test_the_parts_of_the_time_stand_behind_a_click() -> None:
    shown = section(run(measured()[0] / SHARE), "benchmark-hpl")
    (details,) = (
        block for block in shown.blocks if isinstance(block, Details) and "Predicted and measured time" in block.summary
    )
    (table,) = details.blocks
    assert isinstance(table, Table)
    assert {"update", "panel factorisation", "panel broadcast"} <= {row.cells[0].text for row in table.rows}


def test_the_part_that_is_most_apart_is_named() -> None:
    shown = section(run(2 * measured()[0] / SHARE), "benchmark-hpl")
    large, small = (item.text for item in items(shown) if "the prediction" in item.text)
    assert "the update differs most, " in large
    assert "differs most" not in small, "of which nobody knows the parts"


def remarks(evaluation: Evaluation) -> str:
    return " ".join(row.cells[0].note for table in tables(section(evaluation, "summary")) for row in table.rows)


def test_the_summary_tells_of_a_large_one_alone() -> None:
    rate = measured()[0] / SHARE
    assert "predicted" not in remarks(run(rate))
    assert "1.11 times what is predicted" in remarks(run(0.9 * rate))
    assert "as if the flop rate of processors and devices were 1.11 times as high" in remarks(run(0.9 * rate))
    assert "more than a plausible error of the flop rate" in remarks(run(2 * rate))
    assert "which no single number of the prediction explains" in remarks(run(20 * rate))


def test_a_known_disturbance_is_the_reason_and_no_input_is_blamed() -> None:
    evaluation = run(2 * measured()[0] / SHARE)
    busy = Finding(0.733, message("limit-busy-neighbours", share=Share(0.733)), taker="others")
    small = Finding(0.05, message("limit-busy-neighbours", share=Share(0.05)), taker="others")
    loaded = replace(
        evaluation, assessments=tuple(replace(assessment, causes=(busy,)) for assessment in evaluation.assessments)
    )
    said = remarks(loaded)
    assert "50.0% of the prediction (" in said or "50% of the prediction (" in said
    assert "the likely reason: other processes, which used 73.3% of the processors" in said
    assert "flop rate" not in said
    assert "which is not plausible" not in " ".join(item.text for item in items(section(loaded, "benchmark-hpl")))
    little = replace(
        evaluation, assessments=tuple(replace(assessment, causes=(small,)) for assessment in evaluation.assessments)
    )
    assert "more than a plausible error of the flop rate" in remarks(little)
    fast = run(0.5 * measured()[0] / SHARE)
    better = replace(fast, assessments=tuple(replace(assessment, causes=(busy,)) for assessment in fast.assessments))
    assert "the likely reason: other" not in remarks(better), "of a figure that is better than predicted"


def test_what_is_not_predicted_says_why() -> None:
    without = replace(run(FLOPS), ceilings=())
    bare = without.machine.changed(allotment={"peaks": {}})
    shown = section(replace(without, machine=bare), "benchmark-hpl")
    assert [item.text for item in items(shown) if "Not predicted" in item.text] == [
        "Not predicted: the description of koto gives no flop rate"
    ]


def test_a_benchmark_without_a_model_has_nothing_of_it() -> None:
    shown = section(run(FLOPS, None), "benchmark-hpl")
    assert not [table for table in tables(shown) if table.caption == "Predictions"]
    assert "redicted" not in " ".join(item.text for item in items(shown))


def test_the_page_says_how_to_predict_the_machine_at_scale() -> None:
    evaluation = replace(run(FLOPS), run="two words")
    (code,) = (block for block in section(evaluation, "at-scale").blocks if isinstance(block, Code))
    assert "banzuke predict hpl 'two words' --nodes 1000 --with 'network = { bandwidth = 12.5e9 }'" in code.text
    assert code.text.endswith("banzuke predict --explore 'two words'")
    assert "at-scale" not in [part.anchor for part in document(run(FLOPS, None)).sections]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_pages_and_data(tmp_path: Path, language: str) -> None:
    write(run(measured()[0] / SHARE), tmp_path, language)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert {"en": "Measured and predicted", "ja": "測定値と予測値"}[language] in page
    first, second = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["cases"]
    assert first["prediction"]["residual"] == pytest.approx(1.0)
    assert not first["prediction"]["large"]
    assert second["prediction"]["explanation"]["number"] == "flops"
    assert {phase["name"] for phase in first["prediction"]["phases"]} >= {"update", "panel"}


def test_a_model_that_fails_spoils_no_report() -> None:
    class Broken(FakeModel):
        def estimate(self, hardware: Hardware, call: Call) -> Estimate:
            raise KeyError(f"{hardware.name} {call}")

    shown = document(run(FLOPS, Broken))
    (hpls,) = (part for part in shown.sections if part.anchor == "benchmark-hpl")
    assert "KeyError" in " ".join(item.text for item in items(hpls))
