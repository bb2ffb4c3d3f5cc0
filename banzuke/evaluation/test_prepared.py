"""Cases are planned, checked and written as commands once, and again only if something changed that they depend on."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from banzuke.errors import BanzukeError
from banzuke.evaluation import prepared
from banzuke.evaluation.examined import find_machine
from banzuke.evaluation.options import Options
from banzuke.evaluation.prepared import Prepared
from banzuke.machine.model import Machine
from banzuke.machine.site import Blas, Source
from banzuke.plan import cases
from banzuke.plan.case import key
from banzuke.plan.catalogue import benchmarks, find
from banzuke.plan.request import Request

SPECS = {"stream": find("stream")}
OPENBLAS, MKL = (Blas(name=name, path=f"/l/{name}.so") for name in ("OpenBLAS", "MKL"))


@pytest.fixture(scope="module", name="here")
def _here() -> Machine:
    return find_machine(blas_path=None).changed(allotment={"folders": {"here": "/tmp"}})


def with_libraries(here: Machine, *libraries: Blas) -> Machine:
    return here.changed(partition={"software": here.software.having(blas=list(libraries))})


def measured(here: Machine, *libraries: Blas) -> Machine:
    """Return the machine with invented values of everything that a run measures before it plans."""
    clocks = dict.fromkeys(("scalar_hz", "single_vector_hz", "vector_hz", "fma_rate"), 1e6)
    sources = {"sources": {"vector_hz": Source(how="measured", where="here")}, "peaks": {}}
    return with_libraries(here, *libraries).changed(
        processor={"fma_units": 7, "fma_per_cycle": 70.0, "simd": "none", "peaks": {}},
        node={"peaks": {}},
        allotment={**clocks, **sources},
    )


@pytest.fixture(name="done")
def _done(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count what was done, by name."""
    counted: Counter[str] = Counter()

    def counting(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*words: Any, **named: Any) -> Any:
            counted[name] += 1
            return function(*words, **named)

        return called

    for module, name in ((cases, "_planned"), (prepared, "check"), (prepared, "render")):
        monkeypatch.setattr(module, name, counting(name, getattr(module, name)))
    return counted


def test_what_a_run_measures_changes_no_plan(here: Machine) -> None:
    """For any benchmark; otherwise a run would plan again, and get other cases under another load."""
    fast = OPENBLAS.having(flop_rate=1e13, update_rates={"64": 1e13})
    before = Prepared.planned(benchmarks(), with_libraries(here, MKL, OPENBLAS), Request())
    after = Prepared.planned(benchmarks(), measured(here, fast, MKL), Request())
    assert [(key(case), case.seconds) for case in after.cases] == [(key(case), case.seconds) for case in before.cases]


def test_all_is_done_once_from_the_first_look_to_the_last_launch(here: Machine, done: Counter[str]) -> None:
    options, request = Options(folder=Path("/tmp")), Request(overrides={"n": ["1000"]})
    prepared = Prepared.planned(SPECS, here, request)
    prepared.refuse(options, lambda _case: False)
    measured_here = prepared.on(measured(here, *here.software.blas), SPECS)
    assert measured_here.machine.allotment.vector_hz == 1e6
    assert measured_here.cases == prepared.cases
    assert measured_here.largest(options, strict=True) > 0
    for _ in range(3):
        measured_here.command(measured_here.cases[0], options)
    assert done == {"_planned": 1, "check": 1, "render": 1}


def test_a_budget_plans_the_usual_cases_no_second_time(here: Machine, done: Counter[str]) -> None:
    stream = SPECS["stream"]
    of_one_length = replace(stream, sizing=replace(stream.sizing, lengths=None))
    fitted = Prepared.planned({"stream": of_one_length}, here, Request()).fitted(1000.0, None)
    assert fitted.budget
    assert fitted.on(measured(here, *here.software.blas)).budget is fitted.budget
    assert done["_planned"] == 1


def test_a_library_that_is_faster_changes_the_command_alone(here: Machine, done: Counter[str]) -> None:
    options = Options(folder=Path("/tmp"))
    prepared = Prepared.planned(SPECS, with_libraries(here, MKL, OPENBLAS), Request())
    prepared.largest(options, strict=True)
    before = done.copy()
    prepared.on(measured(here, OPENBLAS, MKL)).largest(options, strict=True)
    assert done - before == {"render": len(prepared.cases)}


@pytest.mark.parametrize("what", ["settings", "request", "a name of a library", "memory", "vectors"])
def test_what_a_plan_follows_from_is_planned_again(what: str, here: Machine, done: Counter[str]) -> None:
    prepared = Prepared.planned(SPECS, with_libraries(here, OPENBLAS), Request())
    specs, request, machine = SPECS, Request(), prepared.machine
    if what == "settings":
        specs = {"stream": replace(SPECS["stream"])}
    elif what == "request":
        request = Request(threads=1)
    elif what == "a name of a library":
        machine = with_libraries(here, OPENBLAS, MKL)
    elif what == "memory":
        machine = prepared.machine.changed(allotment={"memory_allowed": 1 << 30})
    else:
        machine = prepared.machine.changed(processor={"vector_bits": 64})
    again = prepared.on(machine, specs, request)
    assert done["_planned"] == 2
    assert (again.machine, again.request, again.specs["stream"]) == (machine, request, specs["stream"])


def test_what_cannot_be_is_refused_each_time_it_is_asked_for(here: Machine) -> None:
    prepared = Prepared.planned(SPECS, here, Request(overrides={"n": ["-1"]}))
    for _ in range(2):
        with pytest.raises(BanzukeError, match="n: -1 is outside"):
            prepared.command(prepared.cases[0], Options())
    with pytest.raises(BanzukeError):
        prepared.refuse(Options(), lambda _case: True)
    assert prepared.largest(Options(), strict=False) == 0
