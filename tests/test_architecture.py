"""The house's rules that a machine can check."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LAYERS = [
    "text",
    "errors",
    "paths",
    "units",
    "amounts",
    "ulimits",
    "files",
    "machine",
    "isolation",
    "environment",
    "plan",
    "launch",
    "record",
    "limit",
    "predict",
    "evaluation",
    "tuning",
    "report",
    "cli",
]
"""Data flows from left to right; nothing imports what is to its right."""


def modules() -> Iterator[tuple[Path, str]]:
    for file in sorted((ROOT / "banzuke").rglob("*.py")):
        layer = file.relative_to(ROOT / "banzuke").parts[0].removesuffix(".py")
        if layer in LAYERS and not file.name.startswith(("test_", "conftest")):
            yield file, layer


def imported(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text())):
        match node:
            case ast.ImportFrom(module=str(module)) if module.startswith("banzuke."):
                yield module.split(".")[1]
            case ast.ImportFrom(module="banzuke", names=names):
                yield from (name.name for name in names if name.name in LAYERS)
            case ast.Import(names=names):
                yield from (name.name.split(".")[1] for name in names if name.name.startswith("banzuke."))
            case ast.ImportFrom(level=level) if level:
                yield LAYERS[-1]  # relative imports hide where they lead


@pytest.mark.parametrize(("file", "layer"), list(modules()), ids=lambda value: getattr(value, "stem", value))
def test_no_package_imports_one_to_its_right(file: Path, layer: str) -> None:
    for other in imported(file):
        if other in LAYERS and not file.name.startswith("testing"):
            assert LAYERS.index(other) <= LAYERS.index(layer), f"{file} imports banzuke.{other}"


def includes(file: Path) -> list[str]:
    return re.findall(r'^#include "([^"]+)"', file.read_text(), re.MULTILINE)


def sources(folder: str) -> list[Path]:
    return [file for file in sorted((ROOT / folder).rglob("*")) if file.suffix in {".cpp", ".hpp", ".cu"}]


def test_benchmarks_include_only_the_core_and_themselves() -> None:
    found = sources("benchmarks")
    assert found
    for file in found:
        for include in includes(file):
            assert include.startswith("core/") or (file.parent / include).is_file(), f"{file} includes {include}"


def test_the_core_names_no_benchmark() -> None:
    names = [folder.name for folder in (ROOT / "benchmarks").iterdir() if folder.is_dir()]
    for file in sources("core"):
        for include in includes(file):
            assert not any(f"benchmarks/{name}" in include for name in names), f"{file} includes {include}"


def test_every_benchmark_has_its_parts() -> None:
    for folder in (ROOT / "benchmarks").iterdir():
        if folder.is_dir() and folder.name != "__pycache__":
            present = {file.name for file in folder.iterdir()}
            wanted = {"README.md", f"{folder.name}.hpp", "reference.cpp", "main.cpp", "spec.py", "CMakeLists.txt"}
            assert wanted <= present, folder
            assert any(name.startswith("test_") and name.endswith(".cpp") for name in present), folder


def test_commands_print_through_the_console_that_cleans() -> None:
    past = re.compile(r"\bprint\(|typer\.s?echo|sys\.std|rich\.(markup|console)|\.status\(|from_markup|json\.dumps")
    for file in (ROOT / "banzuke" / "cli").glob("*.py"):
        if file.name not in ("console.py", "__init__.py") and not file.name.startswith("test_"):
            for line in file.read_text().splitlines():
                found = past.search(line.replace(".print(", ""))
                assert not found or "import RenderableType" in line, f"{file}: {line}"
