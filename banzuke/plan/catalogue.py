"""The benchmarks of this installation: every folder with a `spec.py`, and the programs built for it."""

import difflib
import importlib.util
import os
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from banzuke import paths
from banzuke.errors import BanzukeError
from banzuke.plan.benchmark import Benchmark
from banzuke.units import UNITS, without_prefix


@cache
def benchmarks() -> Mapping[str, Benchmark]:
    """By name. Raises BanzukeError naming the file when a `spec.py` is broken."""
    found = {}
    for file in sorted(paths.BENCHMARKS.glob("*/spec.py")):
        benchmark = _load(file)
        if benchmark.name != file.parent.name:
            raise BanzukeError(
                f"{file}: the benchmark calls itself '{benchmark.name}'",
                why=f"its folder is '{file.parent.name}'",
                remedy="Make the two names equal",
            )
        found[benchmark.name] = benchmark
    return found


def _load(file: Path) -> Benchmark:
    """The folder is loaded as a package, so that a `spec.py` may import what lies beside it: `from .x`."""
    name = f"banzuke_spec_{file.parent.name}"
    spec = importlib.util.spec_from_file_location(name, file, submodule_search_locations=[str(file.parent)])
    if spec is None or spec.loader is None:
        raise BanzukeError(f"{file} cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
        benchmark = module.BENCHMARK
    except Exception as error:
        raise BanzukeError(f"{file} cannot be loaded", why=f"{type(error).__name__}: {error}") from error
    if not isinstance(benchmark, Benchmark):
        raise BanzukeError(f"{file}: BENCHMARK is not a Benchmark")
    for metric in benchmark.metrics:
        if not without_prefix(metric.unit):
            raise BanzukeError(
                f"{file}: the metric '{metric.name}' has the unit '{metric.unit}'",
                why=f"units have no prefixes, and there are rates such as flop/s, and {', '.join(sorted(UNITS))}",
                remedy="Choose one, or add one to banzuke/units.py",
            )
    return benchmark


def nearest(name: str, known: list[str]) -> str:
    """A sentence that suggests what was meant, or lists what there is."""
    close = difflib.get_close_matches(name.lower(), known, n=1)
    return f"Did you mean '{close[0]}'?" if close else f"There are: {', '.join(known) or 'none'}"


def find(name: str) -> Benchmark:
    known = benchmarks()
    if name not in known:
        raise BanzukeError(f"unknown benchmark '{name}'", remedy=nearest(name, list(known)))
    return known[name]


def backends(name: str) -> list[str]:
    """Backends whose program is installed."""
    prefix = f"banzuke-{name}-"
    programs = paths.executables().glob(f"{prefix}*")
    return sorted(p.name.removeprefix(prefix) for p in programs if os.access(p, os.X_OK))


def program(name: str, backend: str) -> Path:
    """The program of a backend. Raises BanzukeError when it is not installed."""
    if backend not in backends(name):
        raise BanzukeError(
            f"{name} has no backend '{backend}'",
            why=f"no banzuke-{name}-{backend} in {paths.executables()}",
            remedy=nearest(backend, backends(name)),
        )
    return paths.executables() / f"banzuke-{name}-{backend}"


def page(name: str) -> str:
    """The benchmark's page, Markdown."""
    find(name)
    return (paths.BENCHMARKS / name / "README.md").read_text(encoding="utf-8")
