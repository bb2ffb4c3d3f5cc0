"""What was measured over what models predict, as data: beside each case in the documents of `--json`."""

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
    """The document of these assessments, with what a model says of each case."""
    found = document(assessments, words)
    compared = residuals(assessments, machine, ceilings, benchmarks)
    cases = zip(found["cases"], compared, strict=True)
    return {**found, "cases": [{**case, "prediction": residual_data(one, words)} for case, one in cases]}


def residual_data(found: Residual | Unpredicted | None, words: Words) -> Json | None:
    """None: nothing predicts it."""
    if found is None:
        return None
    if isinstance(found, Unpredicted):
        return {"why_not": found.why if isinstance(found.why, str) else stated(found.why, words)}
    forecast, why = found.forecast, found.explanation
    return {
        "metric": forecast.metric,
        "unit": forecast.unit,
        "predicted": forecast.estimate.figure,
        "interval": [forecast.low, forecast.high],
        "measured": found.figure.value,
        "residual": found.ratio,
        "large": found.large,
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
        "disturbance": found.disturbance and {"kind": found.disturbance.kind, "share": found.disturbance.share},
        "phases": [
            {"name": each.name, "predicted": each.predicted, "measured": each.measured} for each in found.phases
        ],
        "remarks": list(forecast.estimate.remarks),
    }
