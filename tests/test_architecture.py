"""Tests which part of the product imports which."""

import graphlib
import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from tests.sources import ROOT, imports, installed, ours, part

CONTRACT = {
    "__init__": "",
    "text": "",
    "errors": "",
    "paths": "",
    "installation": "__init__ paths",
    "child": "",
    "control_groups": "",
    "units": "errors",
    "words": "errors paths units",
    "document": "text",
    "charts": "document text units",
    "amounts": "",
    "cpu_lists": "",
    "record": "amounts cpu_lists paths units",
    "ulimits": "control_groups errors units",
    "files": "errors ulimits",
    "machine": "amounts child control_groups cpu_lists errors files paths text units",
    "batch": "amounts child errors files machine text units",
    "isolation": "amounts cpu_lists errors machine text units",
    "binding": "cpu_lists machine",
    "program": "amounts child errors paths text",
    "environment": "child cpu_lists errors files isolation machine paths program record units",
    "plan": "amounts cpu_lists environment errors files machine paths program record text units words",
    "launch": "child cpu_lists environment errors files installation isolation machine paths plan program record "
    "text ulimits units",
    "results": "__init__ amounts errors files isolation machine plan record units",
    "compare": "amounts machine plan record units words",
    "power": "amounts child errors files launch machine paths record",
    "bundle": "__init__ environment errors files installation machine paths program words",
    "limit": "errors machine plan record results words",
    "placement": "amounts child document errors files machine paths record text units words",
    "judge": "compare cpu_lists environment limit machine plan record units words",
    "views": "amounts charts compare cpu_lists document judge limit machine plan record text units words",
    "fleet": "amounts charts compare cpu_lists document errors files installation judge launch machine paths placement "
    "plan record results units words",
    "scaling": "amounts charts compare document judge plan record text units words",
    "slowdown": "amounts charts compare document errors files judge plan record units views words",
    "ranking": "errors files paths plan units words",
    "predict": "__init__ amounts charts document errors files judge limit machine paths plan ranking record results "
    "slowdown text units words",
    "evaluation": "amounts environment errors files fleet judge launch limit machine paths placement plan power "
    "program record results ulimits units words",
    "tuning": "compare errors evaluation installation launch machine plan program record results",
    "acceptance": "__init__ amounts compare document errors files judge limit machine plan record text units words",
    "export": "__init__ compare errors judge machine plan record results text units",
    "report": "__init__ amounts charts compare cpu_lists document errors files fleet judge limit machine paths "
    "placement plan predict ranking record results scaling slowdown text ulimits units views words",
    "publish": "__init__ amounts charts document environment errors files judge machine plan record report text words",
    "cli": "__init__ acceptance batch binding bundle charts compare cpu_lists document environment errors evaluation "
    "export files fleet installation isolation judge launch limit machine paths placement plan predict "
    "program publish ranking record report results scaling slowdown text tuning ulimits units views words",
    "__main__": "cli",
    "benchmarks": "charts compare cpu_lists document errors judge machine placement plan predict program record "
    "slowdown text units views words",
}
"""Permitted imports of each package and module of `banzuke`, and of the benchmarks' policies: exactly these.

Data flows downwards: nothing knows what is below it.
"""
LATE = {
    ("banzuke", "importlib.metadata"): "takes long, and until `__main__` has begun an interrupt shows a traceback",
    ("banzuke.__main__", "banzuke.cli"): "an interrupt during imports, and what they read, is dealt with first",
    ("banzuke.__main__", "zoneinfo"): "for the few who name a file of a time zone",
    ("banzuke.cli.accept", "banzuke.acceptance.paper"): "for those who write a sheet",
    ("banzuke.cli.accept", "banzuke.charts.style"): "brings Altair",
    ("banzuke.cli.accept", "banzuke.report.charts.draw"): "the same",
    ("banzuke.cli.accept", "banzuke.report.compose"): "the same",
    ("banzuke.cli.accept", "banzuke.report.page"): "the same",
    ("banzuke.cli.drawing", "banzuke.report.charts.draw"): "brings Altair, a third of a command's time",
    ("banzuke.cli.predict_explore", "banzuke.predict.explore.data"): "brings numpy",
    ("banzuke.cli.predict_explore", "banzuke.predict.explore.page"): "brings Altair, whose colours it has",
    ("banzuke.cli.predict_figure", "banzuke.predict.charts"): "the same",
    ("banzuke.cli.predict_validate", "banzuke.predict.charts"): "the same",
    ("banzuke.predict.validate", "banzuke.predict.refit"): "brings NumPy, which commands without intervals do not need",
    ("banzuke.cli.predict_noise", "banzuke.slowdown.charts"): "the same",
    ("banzuke.cli.place", "banzuke.placement.blocks"): "brings SciPy",
    ("banzuke.cli.site_page", "banzuke.publish.site"): "brings Jinja",
    ("banzuke.cli.place", "banzuke.placement.compare"): "the same",
    ("banzuke.cli.place", "banzuke.placement.orders"): "the same",
    ("banzuke.cli.place", "banzuke.placement.pattern"): "the same",
    ("banzuke.cli.place", "banzuke.placement.score"): "the same",
    ("banzuke.cli.place", "banzuke.placement.simulated"): "the same",
    ("banzuke.cli.place", "banzuke.placement.write"): "the same",
    ("banzuke.cli.run", "banzuke.cli.measure_benchmarks"): "brings all that measures and judges, for which help does "
    "not wait",
    ("banzuke.cli.evaluate", "banzuke.cli.evaluate_machine"): "the same",
    ("banzuke.cli.listing", "banzuke.cli.headline"): "brings all that judges, for folders with runs",
    ("banzuke.cli.network", "banzuke.placement.readers.read"): "the same",
    ("banzuke.cli.network", "banzuke.placement.score"): "the same",
    ("banzuke.cli.network", "banzuke.placement.topology"): "the same",
    ("banzuke.cli.predict_topology", "banzuke.placement.compare"): "the same",
    ("banzuke.cli.predict_topology", "banzuke.placement.congestion"): "the same",
    ("banzuke.cli.predict_topology", "banzuke.placement.orders"): "the same",
    ("banzuke.cli.predict_topology", "banzuke.placement.runs"): "the same",
    ("banzuke.cli.predict_topology", "banzuke.placement.score"): "the same",
    ("banzuke.cli.predict_topology", "banzuke.placement.simulate"): "the same",
    ("banzuke.cli.place", "banzuke.report.compose"): "brings Altair",
    ("banzuke.cli.place", "banzuke.report.write"): "the same",
    ("banzuke.cli.simulation", "banzuke.placement.compare"): "the same",
    ("banzuke.cli.simulation", "banzuke.placement.simulate"): "the same",
    ("banzuke.cli.simulation", "banzuke.placement.simulated"): "the same",
    ("banzuke.cli.orders", "banzuke.placement.readers.read"): "the same",
    ("banzuke.cli.predict_topology", "banzuke.placement.pattern"): "the same",
    ("banzuke.evaluation.orders", "banzuke.placement.pattern"): "the same",
    ("banzuke.evaluation.orders", "banzuke.placement.runs"): "the same",
    ("banzuke.report.orders", "banzuke.placement.blocks"): "the same, for the few runs with orders",
    ("banzuke.report.orders", "banzuke.placement.compare"): "the same",
    ("banzuke.report.orders", "banzuke.placement.pattern"): "the same",
    ("banzuke.report.orders", "banzuke.placement.readers.read"): "the same",
    ("banzuke.report.orders", "banzuke.placement.runs"): "the same",
    ("banzuke.cli.watch", "banzuke.report.watch"): "brings Altair",
    ("banzuke.cli.report", "banzuke.cli.screen_baseline"): "brings SciPy",
    ("banzuke.cli.report", "banzuke.fleet.page"): "brings Altair",
    ("banzuke.cli.report", "banzuke.report.fleet"): "the same",
    ("banzuke.cli.report", "banzuke.report.write"): "the same",
    ("banzuke.cli.scaling", "banzuke.scaling.data"): "brings numpy",
    ("banzuke.cli.scaling", "banzuke.scaling.find"): "the same",
    ("banzuke.cli.scaling", "banzuke.scaling.page"): "the same",
    ("banzuke.cli.screen", "banzuke.cli.screen_baseline"): "brings numpy and scipy to the parsing of every command",
    ("banzuke.cli.screen", "banzuke.fleet.summary"): "the same",
    ("banzuke.cli.screen", "banzuke.placement.readers.read"): "the same",
    ("banzuke.fleet.judge", "banzuke.fleet.routed"): "brings the rest of SciPy, for those with a network",
    ("banzuke.fleet.places", "scipy.stats"): "takes longer to import than one node's check to judge",
    ("banzuke.views.breakdown", "banzuke.views.breakdown.charts"): "brings Altair",
    ("banzuke.views.breakdown", "banzuke.views.breakdown.compared"): "the same",
    ("banzuke.views.collection", "banzuke.views.collection.charts"): "the same",
    ("banzuke.views.curve", "banzuke.views.curve.charts"): "the same",
    ("banzuke.views.dealt", "banzuke.views.dealt.charts"): "the same",
    ("banzuke.views.over_time", "banzuke.views.over_time.charts"): "the same",
    ("banzuke.views.sweep", "banzuke.views.sweep.charts"): "the same",
    ("banzuke.views.pairs", "banzuke.views.pairs.charts"): "the same",
    ("benchmarks.dgemm.view", "benchmarks.dgemm.shared_charts"): "brings Altair",
    ("benchmarks.dgemm.view", "benchmarks.dgemm.trace_chart"): "the same",
    ("benchmarks.memory.numa", "banzuke.charts.heat"): "brings Altair",
    ("benchmarks.memory.numa", "banzuke.charts.style"): "the same",
    ("benchmarks.noise.view", "benchmarks.noise.blocks"): "brings Altair",
    ("benchmarks.noise.view", "benchmarks.noise.quanta"): "brings numpy to a policy, which every command imports",
    ("benchmarks.noise.view", "benchmarks.noise.sources"): "the same",
    ("banzuke.cli.group", "banzuke.cli.options"): "brings records and words, for which `--version` does not wait",
    ("banzuke.cli.group", "banzuke.cli.wrong_call"): "brings Pydantic, for calls that are refused",
    ("banzuke.cli.explain", "rich.markdown"): "for one command, and takes a tenth of another's time to import",
    (
        "banzuke.launch.fan_out",
        "ClusterShell.Event",
    ): "for the few commands that start something on hosts without Slurm",
    ("banzuke.launch.fan_out", "ClusterShell.Task"): "the same",
    ("banzuke.machine.hosts", "ClusterShell.NodeSet"): "for the few commands that name hosts",
    ("banzuke.power.find", "banzuke.power.redfish"): "brings urllib and ssl, for the few sites that describe it",
    ("banzuke.results.query", "duckdb"): "the same",
    ("banzuke.results.query", "duckdb.func"): "the same",
    ("banzuke.results.query", "numpy"): "the same",
    ("banzuke.ranking.list_file", "python_calamine"): "for the few lists that are spreadsheets",
    ("banzuke.words.language", "banzuke.words.bundle"): "brings Babel, for commands that say something in a language",
    ("banzuke.compare.statistics", "scipy.special"): "takes longer to import than most commands to run",
}
"""Imports inside functions, with their reasons; hiding a circular import is none."""
HEAVY = {"altair", "babel", "duckdb", "fluent", "jinja2", "numpy", "scipy"} | {
    f"banzuke.{package}"
    for package in ("compare", "evaluation", "judge", "launch", "limit", "power", "report", "views")
}
"""What takes long to import, and neither help nor an empty list needs."""
QUICK = """
import contextlib, io, json, sys
from banzuke.cli import app
for words in (["list", "--results", sys.argv[1]], ["run", "--help"]):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        app(words)
print(json.dumps(sorted(sys.modules)))
"""
"""A program that carries out `banzuke list` and `banzuke run --help`, and prints what they have imported."""


def test_the_contract_names_every_package_in_the_order_of_the_flow() -> None:
    there = {part(module) for module in installed()}
    assert there == set(CONTRACT), "packages that CONTRACT lacks, or that are no longer there"
    above: set[str] = set()
    for name, allowed in CONTRACT.items():
        below = set(allowed.split()) - above
        assert not below, f"CONTRACT lets {name} import {sorted(below)}, which stand below it: data flows downwards"
        assert allowed.split() == sorted(set(allowed.split())), f"CONTRACT of {name} is not in order"
        above.add(name)


@pytest.mark.catalogue
@pytest.mark.parametrize("name", CONTRACT)
def test_a_package_imports_what_the_contract_says(name: str) -> None:
    allowed = set(CONTRACT[name].split())
    own = [item for item in imports() if part(item.importer) == name and ours(item.imported)]
    for item in own:
        assert item.imported in installed(), f"{item.where} imports {item.imported}, which is not installed"
        other = part(item.imported)
        assert other in {name, *allowed}, (
            f"{item.where} imports {item.imported}, and {name} may not know {other}. Take what it needs as an "
            f"argument, or move what both need to a package above {name}; where the design is meant to change, enter "
            f"{other} in CONTRACT[{name!r}]"
        )
    unused = allowed - {part(item.imported) for item in own}
    assert not unused, f"{name} imports nothing of {sorted(unused)} any more: take that out of CONTRACT[{name!r}]"


@pytest.mark.catalogue
def test_a_benchmark_imports_no_other() -> None:
    for item in imports():
        if part(item.importer) == part(item.imported) == "benchmarks":
            assert item.importer.split(".")[1] == item.imported.split(".")[1], f"{item.where} imports {item.imported}"


@pytest.mark.catalogue
def test_no_modules_import_each_other_in_a_circle() -> None:
    graph: dict[str, set[str]] = {}
    where = {}
    for item in imports():
        if ours(item.imported):
            graph.setdefault(item.importer, set()).add(item.imported)
            where[item.importer, item.imported] = item.where
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        # Each module of the circle is imported by the next.
        steps = [f"{where[importer, imported]} imports {imported}" for imported, importer in pairwise(error.args[1])]
        pytest.fail("a circle; move what they share to a module of its own: " + ", ".join(steps))


@pytest.mark.catalogue
def test_imports_inside_functions_have_a_reason() -> None:
    late = {(item.importer, item.imported): item.where for item in imports() if item.late}
    new = [f"{where} ({imported})" for (importer, imported), where in late.items() if (importer, imported) not in LATE]
    assert not new, f"imported inside a function, without a reason in LATE: {new}; import it at the top"
    assert not LATE.keys() - late.keys(), "LATE has imports that are there no more"


def test_help_and_an_empty_list_import_nothing_heavy(tmp_path: Path) -> None:
    """One process of half a second; a module that is imported too early is named, with no clock involved."""
    words = [sys.executable, "-c", QUICK, str(tmp_path)]
    printed = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    imported = set(json.loads(printed))
    assert {"banzuke.cli.listing", "banzuke.cli.run", "banzuke.plan.catalogue"} <= imported
    assert not HEAVY & imported, "import them in the function that needs them, and enter why in LATE"
