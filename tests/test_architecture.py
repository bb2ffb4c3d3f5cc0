"""Tests of the architecture's rules that a machine can check."""

import ast
import graphlib
import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, get_args

import pytest

from banzuke.environment.registry import KINDS
from banzuke.limit.model import Place
from banzuke.plan.catalogue import find

ROOT = Path(__file__).parent.parent
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
    ("banzuke.compare.statistics", "scipy.special"): "takes longer to import than most commands to run",
}
"""Imports inside functions, with their reasons; hiding a circular import is none."""


class Import(NamedTuple):
    importer: str
    """Full name of a module, as is `imported`."""
    imported: str
    where: str
    """Place for messages, such as `banzuke/units.py:5`."""
    late: bool
    """True if it is inside a function."""


def part(module: str) -> str:
    """Return the module's name in CONTRACT."""
    top, *inner = module.split(".")
    return top if top == "benchmarks" else [*inner, "__init__"][0]


@cache
def parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


@cache
def installed() -> dict[str, Path]:
    """Return each installed module by its name, without tests and modules for tests."""
    files = [*(ROOT / "banzuke").rglob("*.py"), *(ROOT / "benchmarks").glob("*/*.py")]
    paths = {file: file.relative_to(ROOT).with_suffix("") for file in sorted(files)}
    return {
        ".".join(path.parts).removesuffix(".__init__"): file
        for file, path in paths.items()
        if not path.name.startswith(("test_", "conftest")) and "testing" not in path.parts
    }


@cache
def imports() -> tuple[Import, ...]:
    """Return all imports of installed modules, wherever in them; relative ones by full name."""
    return tuple(imported for module, file in installed().items() for imported in imports_of(module, file))


def imports_of(module: str, file: Path) -> Iterator[Import]:
    tree = parsed(file)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    late = {inner for function in functions for inner in ast.walk(function)}
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                targets = [name.name for name in names]
            case ast.ImportFrom(module=origin, names=names, level=level):
                package = module.split(".") if file.name == "__init__.py" else module.split(".")[:-1]
                base = [*package[: len(package) - level + 1], *filter(None, [origin])] if level else [origin or ""]
                full = ".".join(base)
                inner = [f"{full}.{name.name}" for name in names]
                targets = [name if name in installed() else full for name in inner]
            case _:
                continue
        for name in dict.fromkeys(targets):
            yield Import(module, name, f"{file.relative_to(ROOT)}:{node.lineno}", node in late)


def ours(module: str) -> bool:
    return module.startswith(("banzuke.", "benchmarks.")) or module == "banzuke"


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


@pytest.mark.catalogue
def test_our_python_takes_no_modules_from_the_current_folder() -> None:
    """Others may be able to write there."""
    for module, file in installed().items():
        for node in ast.walk(parsed(file)):
            if isinstance(node, ast.List | ast.Tuple) and ast.unparse(node).lstrip("[(").startswith("sys.executable"):
                where = f"{file.relative_to(ROOT)}:{node.lineno}"
                assert module == "banzuke.paths", f"{where} starts Python by itself: begin with banzuke.paths.PYTHON"


@pytest.mark.catalogue
def test_models_are_changed_and_written_as_if_they_were_read() -> None:
    """`Frozen.having` validates, and `Frozen.document` reads the result again; Pydantic's own methods do not."""
    for file in installed().values():
        for node in ast.walk(parsed(file)) if "model_" in file.read_text(encoding="utf-8") else ():
            where = f"{file.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}"
            unchecked = isinstance(node, ast.Attribute) and node.attr in ("model_copy", "model_construct")
            assert not unchecked, f"{where} makes a model that nothing validates: use `having`"
            if isinstance(node, ast.Call) and name_of(node) == "write_whole":
                inner = {attribute.attr for attribute in ast.walk(node) if isinstance(attribute, ast.Attribute)}
                assert "model_dump_json" not in inner, f"{where} writes a model that nothing read: use `document`"


def name_of(call: ast.Call) -> str:
    """Return the name of the function that is called."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


@pytest.mark.catalogue
def test_nothing_decides_by_the_name_of_an_environment() -> None:
    """All that depends on an environment is in its `Kind`."""
    for module, file in installed().items():
        if part(module) == "environment":
            continue
        for node in ast.walk(parsed(file)):
            if isinstance(node, ast.Compare | ast.MatchValue):
                words = {inner.value for inner in ast.walk(node) if isinstance(inner, ast.Constant)}
                where = f"{file.relative_to(ROOT)}:{node.lineno}"
                assert not words & KINDS.keys(), f"{where} decides by an environment's name: let its Kind say it"


def judging() -> Iterator[tuple[Path, ast.AST]]:
    """Yield all syntax of what judges and shows records of any benchmark."""
    for module, file in installed().items():
        if part(module) in ("limit", "report", "views", "charts"):
            yield from ((file.relative_to(ROOT), node) for node in ast.walk(parsed(file)))


READS = {"startswith", "endswith", "partition", "rpartition", "split", "index", "find", "count"} | {
    *("removeprefix", "removesuffix", "search", "match", "fullmatch", "sub")
}


def test_what_judges_and_reports_reads_no_sentences() -> None:
    """It decides by codes and facts; it compares or searches for single words only, or where a case's data was."""
    offences = []
    for file, node in judging():
        parts: list[ast.expr] = []
        match node:
            case ast.Compare(left, _, comparators):
                parts = [left, *comparators]
            case ast.Call(ast.Attribute(attr=name), args) if name in READS:
                parts = args
            case ast.MatchValue(value):
                parts = [value]
        texts = [
            constant.value
            for expression in parts
            for constant in ast.walk(expression)
            if isinstance(constant, ast.Constant)
        ]
        sentences = [text for text in texts if isinstance(text, str) and re.search("[a-z] |[a-z]: ", text)]
        offences += [f"{file}:{parts[0].lineno} reads '{text}'" for text in sentences if text not in get_args(Place)]
    assert not offences


def includes(file: Path) -> list[str]:
    return re.findall(r'^#include "([^"]+)"', file.read_text(), re.MULTILINE)


def sources(folder: str) -> list[Path]:
    return [file for file in sorted((ROOT / folder).rglob("*")) if file.suffix in {".cpp", ".hpp", ".cu"}]


@pytest.mark.catalogue
def test_benchmarks_include_only_the_core_and_themselves() -> None:
    files = sources("benchmarks")
    assert files
    for file in files:
        for include in includes(file):
            assert include.startswith("core/") or (file.parent / include).is_file(), f"{file} includes {include}"


@pytest.mark.catalogue
def test_the_core_names_no_benchmark() -> None:
    names = [folder.name for folder in (ROOT / "benchmarks").iterdir() if folder.is_dir()]
    for file in sources("core"):
        for include in includes(file):
            assert not any(f"benchmarks/{name}" in include for name in names), f"{file} includes {include}"


@pytest.mark.catalogue
def test_every_benchmark_has_its_parts() -> None:
    for folder in (ROOT / "benchmarks").iterdir():
        if folder.is_dir() and folder.name != "__pycache__":
            present = {file.name for file in folder.iterdir()}
            if "suite.py" in present:  # its cases are those of other benchmarks
                assert "README.md" in present, folder.name
                continue
            wanted = {"README.md", f"{folder.name}.hpp", "main.cpp", "spec.py", "CMakeLists.txt"}
            # Benchmarks with storage compare what they read with what they wrote, so they need no reference solution.
            wanted |= set() if find(folder.name).storage else {"reference.cpp"}
            assert wanted <= present, folder
            assert any(name.startswith("test_") and name.endswith(".cpp") for name in present), folder


def test_tests_of_all_benchmarks_are_marked() -> None:
    """The mark is `catalogue`: a new benchmark has to pass these tests, and the walk-through of CONTRIBUTING.md runs
    them.
    """
    tests = [file for folder in ("banzuke", "benchmarks", "scripts", "tests") for file in (ROOT / folder).rglob("*.py")]
    for file in tests:
        text = file.read_text(encoding="utf-8") if file.name.startswith("test_") else ""
        for function in ast.walk(ast.parse(text)) if "benchmarks()" in text else ():
            if isinstance(function, ast.FunctionDef) and function.name.startswith("test_"):
                marked = any("catalogue" in ast.unparse(decorator) for decorator in function.decorator_list)
                where = f"{file.relative_to(ROOT)}:{function.lineno}"
                assert marked or not goes_through(function), f"{where} goes through all benchmarks: mark it catalogue"


def goes_through(function: ast.FunctionDef) -> bool:
    """Return whether the function uses all of `benchmarks()`, and not only some that it names."""
    iterated = [node.iter for node in ast.walk(function) if isinstance(node, ast.For | ast.comprehension)]
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    taken = [node.args for node in calls if name_of(node) in ("set", "sorted", "list", "len", "parametrize")]
    of_all = {ast.unparse(node) for node in (*iterated, *(argument for args in taken for argument in args))}
    return any(f"benchmarks(){method}" in of_all for method in ("", ".items()", ".values()", ".keys()"))


def test_commands_print_through_the_console_that_cleans() -> None:
    past = re.compile(r"\bprint\(|typer\.s?echo|sys\.std|rich\.(markup|console)|\.status\(|from_markup|json\.dumps")
    for file in (ROOT / "banzuke" / "cli").glob("*.py"):
        if file.name not in ("console.py", "__init__.py") and not file.name.startswith("test_"):
            for line in file.read_text().splitlines():
                match = past.search(line.replace(".print(", ""))
                assert not match or "import RenderableType" in line, f"{file}: {line}"


def test_files_run_alone_as_a_whole() -> None:
    """A test that runs alone in the middle of a run leaves all other processes without work until it has ended."""
    mark = re.compile(r"^\s*@pytest\.mark\.alone|marks=pytest\.mark\.alone", re.MULTILINE)
    assert mark.search("@pytest.mark.alone\ndef test_it()")
    files = [
        file for folder in ("banzuke", "benchmarks", "scripts", "tests") for file in (ROOT / folder).rglob("test_*.py")
    ]
    assert not [file.name for file in files if mark.search(file.read_text(encoding="utf-8"))]


def test_one_dispatcher_chooses_by_instruction_set() -> None:
    """Code compiled for several is listed in tables of `core/isa.hpp`, and no function asks for one by itself."""
    asking = re.compile(r"\bruns\(Isa::|__builtin_cpu_supports")
    sources = [file for folder in ("core", "benchmarks") for file in (ROOT / folder).rglob("*.[ch]pp")]
    own = {file.relative_to(ROOT).as_posix() for file in sources if asking.search(file.read_text(encoding="utf-8"))}
    assert own == {"core/isa.cpp", "core/test_isa.cpp"}
