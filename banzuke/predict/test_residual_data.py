from dataclasses import replace
from typing import Any

import pytest

from banzuke.judge.test_examples import (
    BENCHMARKS,
    CEILINGS,
    ENGLISH,
    FLOP_RATE,
    GIGA,
    MACHINE,
    broken_down,
    judge,
    triad,
)
from banzuke.predict.residual_data import predicted_document
from banzuke.predict.test_residual import FLOPS, WITH_MODEL, FakeModel, run


def cases(*under: Any) -> list[dict[str, Any]]:
    subjects = [judge(record, under=under) for record in (run(3.4), triad(40 * GIGA))]
    return predicted_document(subjects, MACHINE, under, WITH_MODEL, ENGLISH)["cases"]  # type: ignore[no-any-return]


def test_each_case_has_what_a_model_says_of_it() -> None:
    predicted, without = cases(*CEILINGS)
    assert without["prediction"] is None
    prediction = predicted["prediction"]
    assert (prediction["metric"], prediction["unit"], prediction["measured"]) == ("time", "s", 3.4)
    assert prediction["predicted"] == pytest.approx(3.0)
    assert prediction["residual"] == pytest.approx(3.4 / 3)
    assert prediction["large"]
    assert prediction["explanation"]["number"] == "flops"
    assert prediction["bound_by"] == "flops.fp64"
    assert predicted["metrics"]["time"]["value"] == 3.4


def test_what_is_not_predicted_says_why() -> None:
    case, _ = cases(FLOP_RATE)
    assert case["prediction"]["why_not"]["code"] == "residual-unknown"


def test_phases_and_plain_reasons() -> None:
    benchmarks = {**BENCHMARKS, "solver": replace(WITH_MODEL["solver"], model=FakeModel)}
    subjects = [
        judge(broken_down(FLOPS, 3.0, update=[1.0, 1.0], panel=[0.5, 0.5])),
        judge(run(3.0, parameters={"n": 13})),
    ]
    first, second = predicted_document(subjects, MACHINE, CEILINGS, benchmarks, ENGLISH)["cases"]
    assert {phase["name"] for phase in first["prediction"]["phases"]} == {"update", "panel"}
    assert first["prediction"]["explanation"] is None
    assert second["prediction"] == {"why_not": "n=13 is unlucky (it is 13)"}
