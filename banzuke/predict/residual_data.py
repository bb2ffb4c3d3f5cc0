"""Measurements compared with predictions as data, for each case in the documents of `--json`."""

from collections.abc import Mapping, Sequence
from typing import Any

from banzuke.judge.data import document, stated
from banzuke.judge.model import Assessment
from banzuke.limit.model import Ceiling
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.predict.residual import Residual, Unpredicted, residuals
from banzuke.words.language import Words

Json = Mapping[str, Any]


def predicted_document(
    assessments: Sequence[Assessment],
    machine: Machine,
    ceilings: Sequence[Ceiling],
    benchmarks: Mapping[str, Benchmark],
    words: Words,
) -> Json:
    """Return the document of these assessments, with the prediction for each case."""
    judged = document(assessments, words)
    compared = residuals(assessments, machine, ceilings, benchmarks)
    cases = zip(judged["cases"], compared, strict=True)
    return {**judged, "cases": [{**case, "prediction": residual_data(residual, words)} for case, residual in cases]}


def residual_data(residual: Residual | Unpredicted | None, words: Words) -> Json | None:
    """Return the data of a comparison; None: nothing predicts the case."""
    if residual is None:
        return None
    if isinstance(residual, Unpredicted):
        return {"why_not": residual.why if isinstance(residual.why, str) else stated(residual.why, words)}
    forecast, why = residual.forecast, residual.explanation
    return {
        "metric": forecast.metric,
        "unit": forecast.unit,
        "predicted": forecast.estimate.figure,
        "interval": [forecast.low, forecast.high],
        "measured": residual.figure.value,
        "residual": residual.ratio,
        "large": residual.large,
        "bound_by": forecast.estimate.bound_by,
        "asked": dict(forecast.estimate.call),
        "explanation": why
        and {
            "number": why.name,
            "title": words(why.title),
            "factor": why.factor,
            "ranges": why.ranges,
            "plausible": why.plausible,
        },
        "disturbance": residual.disturbance
        and {"kind": residual.disturbance.kind, "share": residual.disturbance.share},
        "phases": [
            {"name": phase.name, "predicted": phase.predicted, "measured": phase.measured} for phase in residual.phases
        ],
        "remarks": [words.sentence(remark) for remark in forecast.estimate.remarks],
    }
