"""Tests of rules that a machine can check in the sources: what each part may do, say and be called."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from banzuke.environment.registry import NAMES
from banzuke.limit.model import Place
from banzuke.plan.catalogue import find
from tests.sources import ROOT, includes, installed, name_of, parsed, part, sources


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
                assert not words.intersection(NAMES), f"{where} decides by an environment's name: let its Kind say it"


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
