"""The benchmarks of this installation: every folder with a `spec.py`. Each benchmark asks the programs built for it."""

import importlib.util
import re
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from banzuke import paths
from banzuke.errors import BanzukeError
from banzuke.plan.benchmark import Benchmark, Layout, Scalar
from banzuke.plan.declared import DeclaredFlows, DeclaredLayout, DeclaredView
from banzuke.plan.suite import Suite
from banzuke.program.describe import Answer, ask, describe, drives
from banzuke.program.installed import backends
from banzuke.text import nearest
from banzuke.units import UNITS, without_prefix

QUESTION = re.compile(r"^\*\*(.+?\?)\*\*", re.MULTILINE | re.DOTALL)
"""The question at the start of a benchmark's page."""


@cache
def benchmarks() -> Mapping[str, Benchmark]:
    """Return all benchmarks by name. Raises BanzukeError naming the file when a `spec.py` is broken."""
    by_name = {}
    for file in sorted(paths.BENCHMARKS.glob("*/spec.py")):
        benchmark = _load(file)
        if benchmark.name != file.parent.name:
            raise BanzukeError(
                f"{file}: the benchmark is named '{benchmark.name}'",
                why=f"its folder is '{file.parent.name}'",
                remedy="Use the same name for both",
            )
        by_name[benchmark.name] = benchmark.asking(partial(_ask, benchmark))
    return by_name


@cache
def suites() -> Mapping[str, Suite]:
    """Return all suites by name: every folder with a `suite.py`. Raises BanzukeError naming the file when one is
    broken.
    """
    by_name = {}
    for file in sorted(paths.BENCHMARKS.glob("*/suite.py")):
        suite = _declared(file, "SUITE")
        if not isinstance(suite, Suite) or suite.name != file.parent.name:
            raise BanzukeError(f"{file}: SUITE is not a Suite with the name of its folder")
        by_name[suite.name] = suite
    return by_name


def _declared(file: Path, constant: str) -> Any:
    """Load a `spec.py` or `suite.py`, with its folder as a package, so that it may import what lies beside it:
    `from .x`. Return what it declares.
    """
    name = _package(file.parent.name)
    spec = importlib.util.spec_from_file_location(name, file, submodule_search_locations=[str(file.parent)])
    if spec is None or spec.loader is None:
        raise BanzukeError(f"{file} cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
        return getattr(module, constant)
    except Exception as error:
        raise BanzukeError(f"{file} cannot be loaded", why=f"{type(error).__name__}: {error}") from error


def _load(file: Path) -> Benchmark:
    """Load a `spec.py`, and what lies beside it for a benchmark."""
    benchmark = _declared(file, "BENCHMARK")
    if not isinstance(benchmark, Benchmark):
        raise BanzukeError(f"{file}: BENCHMARK is not a Benchmark")
    if file.with_name("view.py").exists():
        if benchmark.views:
            raise BanzukeError(f"{file}: it has views, and there is a view.py", remedy="Put all into VIEWS of view.py")
        benchmark = replace(benchmark, views=_Views(file.parent))
    if file.with_name("model.py").exists():
        benchmark = replace(benchmark, model=partial(_beside, file.parent, "model", "MODEL"))
    for metric in benchmark.metrics:
        if not without_prefix(metric.unit):
            raise BanzukeError(
                f"{file}: the metric '{metric.name}' has the unit '{metric.unit}'",
                why=f"units have no prefixes, and there are rates such as flop/s, and {', '.join(sorted(UNITS))}",
                remedy="Choose one, or add one to banzuke/units.py",
            )
    return benchmark


class _Views(Sequence[DeclaredView]):
    """The views of a `view.py`, imported when one is asked for: they bring what judges and shows records."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __getitem__(self, index: Any) -> Any:
        return _beside(self._folder, "view", "VIEWS")[index]

    def __len__(self) -> int:
        return len(_beside(self._folder, "view", "VIEWS"))


def _package(benchmark: str) -> str:
    return f"banzuke_spec_{benchmark}"


def _beside(folder: Path, module: str, name: str) -> Any:
    """Return what a module beside a `spec.py` defines under this name. Raises BanzukeError naming the file."""
    try:
        return getattr(importlib.import_module(f"{_package(folder.name)}.{module}"), name)
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        raise BanzukeError(f"{folder / module}.py cannot be loaded", why=why) from error


def find(name: str) -> Benchmark:
    by_name = benchmarks()
    if name in suites():
        raise BanzukeError(f"{name} is a suite of several benchmarks", remedy=f"Run it by itself: banzuke run {name}")
    if name not in by_name:
        raise BanzukeError(f"unknown benchmark '{name}'", remedy=nearest(name, [*by_name, *suites()]))
    return by_name[name]


def chosen(names: Sequence[str]) -> tuple[Mapping[str, Benchmark], str]:
    """Return the named benchmarks, or those of the named suite, and the name of the suite, if one is named. Raises
    BanzukeError.
    """
    if len(names) == 1 and names[0] in suites():
        return {name: spec for name, spec in benchmarks().items() if names[0] in spec.suites}, names[0]
    return {name: find(name) for name in dict.fromkeys(names)}, ""


def method(name: str) -> Collection[str]:
    """Return the parameters that are not part of a benchmark's cases (`Sizing.method`); none if it is not installed."""
    benchmark = benchmarks().get(name)
    return benchmark.sizing.method if benchmark else ()


def measures(name: str) -> Collection[str]:
    """Return the names of the resources whose rates a benchmark measures; none if it is not installed."""
    benchmark = benchmarks().get(name)
    return {resource.name for resource in benchmark.resources.measures} if benchmark else ()


def modelled() -> Sequence[str]:
    """Return the names of benchmarks with a model. Looks only at their folders, because importing all models takes
    long.
    """
    return sorted(file.parent.name for file in paths.BENCHMARKS.glob("*/model.py"))


def declared_flows() -> Sequence[DeclaredFlows]:
    """Return the patterns of messages that benchmarks declare as `PATTERNS` in the `flows.py` of their folders."""
    by_name = benchmarks()
    folders = [file.parent for file in sorted(paths.BENCHMARKS.glob("*/flows.py")) if file.parent.name in by_name]
    return [pattern for folder in folders for pattern in _beside(folder, "flows", "PATTERNS")]


def declares_flows(name: str) -> bool:
    """Return whether a benchmark declares patterns of messages. Looks only at its folder, because importing them loads
    NumPy.
    """
    return (paths.BENCHMARKS / name / "flows.py").exists()


def flows_of(name: str, ranks: int, values: Mapping[str, Scalar]) -> tuple[DeclaredFlows, DeclaredLayout] | None:
    """Return the pattern of a benchmark's call with all its parameters, and how the call lays it out; None: it has
    none.
    """
    for pattern in patterns_of(name):
        if laid := pattern.laid(ranks, values):
            return pattern, laid
    return None


def patterns_of(name: str) -> Sequence[DeclaredFlows]:
    """Return the patterns of messages that a benchmark declares; none if it does not, or if there is no such one."""
    if name not in benchmarks() or not declares_flows(name):
        return ()
    return tuple(_beside(paths.BENCHMARKS / name, "flows", "PATTERNS"))


def families(benchmark: Benchmark, backend: str) -> Sequence[str]:
    """Return the families of a benchmark's collection, which are the choices of a parameter. Raises BanzukeError."""
    name = benchmark.collection.family if benchmark.collection else None
    parameters = describe(benchmark.name, backend).parameters
    return next((parameter.choices for parameter in parameters if parameter.name == name), ())


def _ask(benchmark: Benchmark, layout: Layout, parameters: Mapping[str, Scalar]) -> Answer:
    """Ask the program of the default backend, or of another if that is not installed, since their rules are the same.

    Programs for devices have rules of their own, and are asked for layouts that use devices.
    """
    installed = backends(benchmark.name)
    wanted = bool(layout.devices)
    usable = [name for name in installed if bool(drives(benchmark.name, name)) == wanted] if benchmark.devices else []
    usable = usable or installed
    default = benchmark.default_backend
    backend = default if default in usable or not usable else usable[0]
    return ask(benchmark.name, backend, layout.ranks, layout.threads, parameters)


def usual_backend(benchmark: Benchmark) -> str:
    """Return the backend that a run takes where none is chosen, else another that is built; empty: none is."""
    installed = backends(benchmark.name)
    return benchmark.default_backend if benchmark.default_backend in installed else next(iter(installed), "")


def page(name: str) -> str:
    """Return the benchmark's page as Markdown."""
    if name not in suites():
        find(name)
    return (paths.BENCHMARKS / name / "README.md").read_text(encoding="utf-8")


def question(name: str) -> str:
    """Return the question with which the benchmark's page begins. Raises BanzukeError if it begins with none."""
    match = QUESTION.search(page(name))
    if not match:
        raise BanzukeError(
            f"the page of {name} begins with no question", remedy="Write **How fast ...?** below its title"
        )
    return " ".join(match[1].split())
