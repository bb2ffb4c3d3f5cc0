"""Tests that each resource which a model waits for has a title."""

import pytest

from banzuke.machine import published
from banzuke.plan.catalogue import benchmarks
from banzuke.predict.hardware import PredictedMachine, hardware
from banzuke.predict.model import Call, constants_of, model_of
from banzuke.predict.resources import resource_titles

SITE = next(machine.site for machine in published.load() if machine.site.name == "Oakleaf-FX")
CALLS: list[tuple[str, Call]] = [(name, {}) for name, benchmark in benchmarks().items() if benchmark.model is not None]


@pytest.mark.catalogue
@pytest.mark.parametrize(("name", "call"), [*CALLS, ("fft", {"code": "hpcc"})])
def test_resources_have_titles(name: str, call: Call) -> None:
    model = model_of(benchmarks()[name])
    constants = {key: constant.value for key, constant in constants_of(model).items()}
    on = hardware(PredictedMachine(SITE.name, SITE, {next(iter(SITE.partitions)): 4}), constants)
    assert set(model.estimate(on, call).resources) <= set(resource_titles())
